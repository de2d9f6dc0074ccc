import DequeModule
import RawBytes
public import XMPPStanza

/// Everything that a log says about an account at one point: the value that events are reduced to.
///
/// A value with structural sharing: to keep an old state costs nothing. Every part can be traced
/// to the record that set it. Values are equal where they say the same, texts by their bytes.
public struct Roster: Sendable {
  /// The account, from the capture's header, bind or SASL 2; nil until one of them was seen.
  public internal(set) var account: BareJID?
  /// The roster version of the last accepted result or push (RFC 6121 §2.6).
  public internal(set) var version: String?
  /// Whether the whole roster was seen, and what is missing where it was not.
  public internal(set) var completeness = Completeness.neverFetched
  /// The addresses that the server blocks for us (XEP-0191).
  public internal(set) var blocked: Set<JID> = []
  /// Whether the block list was ever fetched: until then an address that is not in it is not
  /// known to be free.
  public internal(set) var isBlockListKnown = false
  /// The number of the last record that was reduced.
  public internal(set) var position: UInt64 = 0
  /// Only what the server sent was captured: answers cannot be matched to requests.
  var isInboundOnly = false
  /// Whether anything of the server was ever seen: without it nobody can say that an answer is
  /// missing, for the capture may have one direction only.
  var hasReceived = false

  /// Whether any stream was with a server whose certificate was checked.
  package internal(set) var hasVerifiedStream = false

  var contacts = ContactTable()
  var sessions = SessionTable()
  /// Other resources of our own account, in no order. Kept while disconnected, because a
  /// resumption brings them back, but never shown then, as is the presence of contacts.
  var ownPresence = PresenceRows()
  /// The last versions that the server gave, the newest last.
  var knownVersions: Deque<String> = []
  /// No answer is overdue before this time, so that most events need not look.
  var nextTimeout: Int64 = .max
  /// Nobody's answer to a subscription request is overdue before this time.
  var nextNeglect: Int64 = .max

  /// The requests that people have still to answer; nil where they are to be looked for. What it
  /// holds is in the contacts as well.
  var peopleWaiting: PeopleWaiting?

  /// The state before all records.
  public init() {}

  /// Moves on over records that mean nothing to the roster.
  package mutating func move(to record: UInt64) {
    position = max(position, record)
  }
}

/// Whether the items are the whole roster.
public enum Completeness: Hashable, Sendable, CaseIterable {
  /// No whole result came yet: the items are what pushes told, or results that were cut.
  case neverFetched
  /// The server said *unchanged*, but what it is unchanged from is not in the log.
  case baseUnknown
  /// A whole roster was seen.
  case complete
}

extension Roster: Hashable {
  /// Whether both say the same, whatever way led to them. Complexity: O(n).
  public static func == (a: Roster, b: Roster) -> Bool {
    a.position == b.position && a.account == b.account && a.version.hasSameBytes(as: b.version)
      && a.completeness == b.completeness && a.blocked == b.blocked
      && a.isBlockListKnown == b.isBlockListKnown && a.isInboundOnly == b.isInboundOnly
      && a.hasReceived == b.hasReceived && a.hasVerifiedStream == b.hasVerifiedStream
      && a.sessions == b.sessions
      && a.contacts.resources(a.ownPresence.all) == b.contacts.resources(b.ownPresence.all)
      && a.knownVersions.elementsEqual(b.knownVersions) { $0.hasSameBytes(as: $1) }
      && a.nextTimeout == b.nextTimeout
      && a.nextNeglect == b.nextNeglect && a.contacts == b.contacts
  }

  /// Feeds what mostly tells states apart into a hasher. Complexity: O(1).
  public func hash(into hasher: inout Hasher) {
    hasher.combine(position)
    hasher.combine(account)
    hasher.combine(bytesOf: version)
    hasher.combine(completeness)
    hasher.combine(contacts.items.total)
  }
}
