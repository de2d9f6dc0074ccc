public import HashTreeCollections
public import XMPPStanza

/// Everything that a log says about an account at one point: the value that events are reduced to.
///
/// A value with structural sharing: to keep an old state costs nothing. Every part can be traced
/// to the record that set it. Values are equal where the same events led to them.
public struct Roster: Hashable, Sendable {
  /// The account, from the capture's header, bind or SASL 2; nil until one of them was seen.
  public internal(set) var account: BareJID?
  /// The resource that the server bound for this session.
  public internal(set) var resource: String?
  /// The contacts, each with the records that set its fields.
  public internal(set) var entries = TreeDictionary<BareJID, RosterEntry>()
  /// The roster version of the last accepted result or push (RFC 6121 §2.6).
  public internal(set) var version: String?
  /// Whether the whole roster was seen, and what is missing where it was not.
  public internal(set) var completeness = Completeness.neverFetched
  /// Requests to see our presence that wait for our answer.
  public internal(set) var incoming = TreeDictionary<BareJID, IncomingRequest>()
  /// Requests of an earlier session that the server has not sent again in this one.
  public internal(set) var unconfirmed = TreeDictionary<BareJID, IncomingRequest>()
  /// How each contact's last request ended.
  public internal(set) var ended = TreeDictionary<BareJID, EndedRequest>()
  /// Requests of ours to see a contact's presence that wait for an answer.
  public internal(set) var outgoing = TreeDictionary<BareJID, OutgoingRequest>()
  /// The addresses that the server blocks for us (XEP-0191).
  public internal(set) var blocked = TreeSet<JID>()
  /// What contacts call themselves.
  package internal(set) var ownNames = TreeDictionary<BareJID, OwnNames>()
  /// The number of the last record that was reduced.
  public internal(set) var position: UInt64 = 0

  var stream = StreamState()
  /// Kept while disconnected, for a resumption brings it back, but never shown then.
  var presences = TreeDictionary<BareJID, ContactPresence>()
  var ownPresences = ContactPresence()
  var openQueries: [OpenQuery] = []
  /// The last versions that the server gave, the newest last.
  var knownVersions: [String] = []
  var edits = EditBook()
  var echoes = TreeDictionary<BareJID, Echoes>()
  var unacknowledged: [UnacknowledgedPush] = []
  /// No answer is due before this time, so that most events need not look.
  var nextDeadline: Int64 = .max
  /// Nobody's answer to a subscription request is due before this time.
  var nextNeglect: Int64 = .max

  /// The state before all records.
  public init() {}

  /// Moves on over records that mean nothing to the roster.
  package mutating func move(to record: UInt64) {
    position = max(position, record)
  }
}

/// Whether the items are the whole roster.
public enum Completeness: Hashable, Sendable {
  /// No result came yet: the items are what pushes told.
  case neverFetched
  /// The server said *unchanged*, but what it is unchanged from is not in the log.
  case baseUnknown
  /// A whole roster was seen.
  case complete
}

/// A contact of the roster with the records that its fields come from.
public struct RosterEntry: Hashable, Sendable {
  /// The item as the server last said.
  public var item: RosterItem { content.item }
  /// Which record set what.
  public var provenance: Provenance { content.provenance }

  /// States share it: a table that is copied or grows moves references.
  private let content: Content

  init(item: RosterItem, provenance: Provenance) {
    content = Content(item: item, provenance: provenance)
  }

  private final class Content: Hashable, Sendable {
    let item: RosterItem
    let provenance: Provenance

    init(item: RosterItem, provenance: Provenance) {
      self.item = item
      self.provenance = provenance
    }

    static func == (a: Content, b: Content) -> Bool {
      a === b || (a.item == b.item && a.provenance == b.provenance)
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(item)
      hasher.combine(provenance)
    }
  }

  /// For each field of an item the number of the record that gave it the value it has.
  public struct Provenance: Hashable, Sendable {
    /// The record that brought the item into the roster.
    public internal(set) var item: UInt64
    /// The record that set `name`.
    public internal(set) var name: UInt64
    /// The record that set `subscription`.
    public internal(set) var subscription: UInt64
    /// The record that set `ask`.
    public internal(set) var ask: UInt64
    /// The record that set `approved`.
    public internal(set) var approved: UInt64
    /// The record that set the groups.
    public internal(set) var groups: UInt64

    init(allFrom record: UInt64) {
      item = record
      name = record
      subscription = record
      ask = record
      approved = record
      groups = record
    }
  }
}

/// A contact's request to see our presence (RFC 6121 §3.1).
public struct IncomingRequest: Hashable, Sendable {
  /// The record that first brought it.
  public internal(set) var since: RecordStamp
  /// The record that last brought it.
  public internal(set) var last: RecordStamp
  /// How often it came.
  public internal(set) var count: Int
  /// The newest status text.
  public internal(set) var status: String?
  /// The newest nickname that came with it (XEP-0172).
  public internal(set) var nickname: String?
  var isReportedAsOld = false
}

/// A request of ours to see a contact's presence.
public struct OutgoingRequest: Hashable, Sendable {
  /// The record of our `subscribe`, or of the item that first showed the request.
  public internal(set) var since: RecordStamp
  /// Whether the server has shown the request in the roster; from then on the roster decides.
  public internal(set) var isReflected: Bool
  var isReportedAsOld = false
}

/// How a request of a contact ended.
public struct EndedRequest: Hashable, Sendable {
  /// The ways in which a request ends.
  public enum Way: String, Hashable, Sendable, CaseIterable {
    /// We sent `subscribed`.
    case accepted
    /// We sent `unsubscribed`.
    case denied
    /// The contact sent `unsubscribe`.
    case withdrawn
    /// The roster shows that the contact sees our presence: another of our devices accepted.
    case acceptedElsewhere
    /// The server removed the contact: another of our devices denied, or the contact withdrew.
    case deniedElsewhere
  }

  /// The way it ended.
  public internal(set) var way: Way
  /// The record that ended it.
  public internal(set) var at: RecordStamp
  /// The record that had opened it.
  public internal(set) var since: RecordStamp
}

/// The number of a record and the time it has.
public struct RecordStamp: Hashable, Sendable {
  /// The record's sequence number, from 1.
  public var record: UInt64
  /// Milliseconds since 1970 UTC; nil where the source had no clock.
  public var time: Int64?

  /// A stamp from its parts.
  public init(record: UInt64, time: Int64? = nil) {
    self.record = record
    self.time = time
  }
}

/// The names a contact gives itself.
package struct OwnNames: Hashable, Sendable {
  package internal(set) var nickname: String?
  package internal(set) var nicknameRecord: UInt64?
  package internal(set) var vCard: VCardNames?
  package internal(set) var vCardRecord: UInt64?
}
