import DequeModule
import RawBytes
@_exported public import SessionCore
public import XMPPStanza

/// Everything that a log says about an account at one point: the value that the reducer computes
/// from the events.
///
/// A value with structural sharing, so keeping an old state costs nothing. Every part can be traced
/// to the record that set it. Values are equal if they have the same content; texts are compared by
/// their bytes.
public struct Roster: Sendable {
  /// The account, from the capture's header, bind or SASL 2; nil until one of them appears.
  public internal(set) var account: BareJID?
  /// The roster version of the last accepted result or push (RFC 6121 §2.6).
  public internal(set) var version: String?
  /// Whether the log contains the whole roster, and if not, what is missing.
  public internal(set) var completeness = Completeness.neverFetched
  /// The addresses that the server blocks for us (XEP-0191).
  public internal(set) var blocked: Set<JID> = []
  /// Whether the block list was ever fetched. Before that, an address that is not in it may still
  /// be blocked.
  public internal(set) var isBlockListKnown = false
  /// The number of the last record that was reduced.
  public internal(set) var position: UInt64 = 0
  /// Whether only the server's direction was captured, so answers cannot be matched to requests.
  package internal(set) var isInboundOnly = false
  /// Whether anything from the server was ever received. If not, the capture may have one direction
  /// only, so a missing answer means nothing.
  var hasReceived = false
  /// Stream errors that may be repeated, oldest first.
  var streamErrors: [StreamErrors] = []
  /// Whether the log had a roster get, the first of which says whether the client uses versions.
  var hasJudgedVersionUse = false

  /// Whether the server's certificate was verified for any stream.
  package internal(set) var hasVerifiedStream = false

  var contacts = ContactTable()
  var sessions = SessionTable()
  /// Other resources of our own account, in no particular order. Kept while disconnected, because a
  /// resumption restores them, but not shown then, like the presence of contacts.
  var ownPresence = PresenceRows()
  /// The latest versions that the server gave, newest last.
  var knownVersions: Deque<String> = []
  /// The push that brought the version; nil if a result did, or no push had one.
  var lastVersionPush: VersionPush?
  /// Sets whose sessions are over, until the server shows whether it has carried them out.
  var abandonedEdits: Deque<AbandonedEdit> = []
  /// Pushes that some sessions have yet to receive, oldest first.
  var awaitedPushes: Deque<AwaitedPush> = []
  /// Acceptances of requests that the roster has yet to show, oldest first.
  var acceptances: [Acceptance] = []
  /// Contacts that have ended a subscription and may end the other direction too, oldest first.
  var leavings: [Leaving] = []
  /// Contacts that the server removed, which may have left, oldest first.
  var removals: [UnaskedRemoval] = []
  /// Sets that have put something back and may be some of several, oldest first.
  var putBacks: [HeldPutBack] = []
  /// The first of the last events in a row that are all the records since: between them, the server
  /// has asked for nothing but what events show. 0 if the last record is no event.
  var eventsSince: UInt64 = 0
  /// Cases of findings that are reported together, in the order of their first cases.
  var tallies: [Tally] = []
  /// The contacts that left the roster last, the newest last.
  var lostItems: Deque<LostItem> = []
  /// No answer is overdue before this time, so most events need no check.
  var nextTimeout: Int64 = .max
  /// No subscription request is overdue before this time.
  var nextNeglect: Int64 = .max

  /// The requests that await an answer; nil if they must be collected again. Derived from the
  /// contacts.
  var peopleWaiting: PeopleWaiting?

  /// The state before all records.
  public init() {}

  /// Skips records that do not concern the roster.
  package mutating func move(to record: UInt64) {
    guard record > position else { return }
    position = record
    eventsSince = 0
  }
}

/// How much of the roster the items are.
public enum Completeness: Hashable, Sendable, CaseIterable {
  /// No complete result has arrived yet: the items come from pushes or from truncated results.
  case neverFetched
  /// The server answered *unchanged*, but the log does not contain the version that it refers to.
  case baseUnknown
  /// The log contains a whole roster.
  case complete
}

extension Roster: Hashable {
  /// Whether both have the same content, regardless of their history. Complexity: O(n).
  public static func == (a: Roster, b: Roster) -> Bool {
    a.position == b.position && a.account == b.account && a.version.hasSameBytes(as: b.version)
      && a.completeness == b.completeness && a.blocked == b.blocked
      && a.isBlockListKnown == b.isBlockListKnown && a.isInboundOnly == b.isInboundOnly
      && a.hasReceived == b.hasReceived && a.hasJudgedVersionUse == b.hasJudgedVersionUse
      && a.hasVerifiedStream == b.hasVerifiedStream && a.streamErrors == b.streamErrors
      && a.sessions == b.sessions
      && a.contacts.resources(a.ownPresence.all) == b.contacts.resources(b.ownPresence.all)
      && a.knownVersions.elementsEqual(b.knownVersions) { $0.hasSameBytes(as: $1) }
      && a.lastVersionPush == b.lastVersionPush && a.lostItems == b.lostItems
      && a.abandonedEdits == b.abandonedEdits
      && a.awaitedPushes == b.awaitedPushes && a.tallies == b.tallies
      && a.acceptances == b.acceptances && a.leavings == b.leavings
      && a.removals == b.removals && a.putBacks == b.putBacks
      && a.eventsSince == b.eventsSince
      && a.nextTimeout == b.nextTimeout
      && a.nextNeglect == b.nextNeglect && a.contacts == b.contacts
  }

  /// Hashes the parts that distinguish most states. Complexity: O(1).
  public func hash(into hasher: inout Hasher) {
    hasher.combine(position)
    hasher.combine(account)
    hasher.combine(bytesOf: version)
    hasher.combine(completeness)
    hasher.combine(contacts.items.total)
  }
}
