public import XMPPStanza

/// Everything that a log says about one address at one point.
public struct Contact: Hashable, Sendable {
  /// The contact's address.
  public let jid: BareJID
  /// Its item in the roster and the records that set it; nil if it is not in the roster.
  public let entry: RosterEntry?
  /// Its request to see our presence, open or unconfirmed.
  public let request: ContactRequest?
  /// How its last request ended.
  public let lastEnded: EndedRequest?
  /// Whether the roster has shown, since that request ended, that it sees our presence.
  let endIsConfirmedByRoster: Bool
  /// Our request to see its presence.
  public let outgoing: OutgoingRequest?
  /// How our last request ended, until we ask again.
  let lastOutgoingEnd: EndedOutgoing?
  /// The presence of its resources, kept even while nothing is shown as live.
  let presence: ContactPresence
  /// The names that it gives itself.
  let names: OwnNames?
  /// What the user has set for it; nil if nothing was ever set.
  public let annotations: ContactAnnotations?
  /// The counterparts still expected of its actions or ours.
  let expected: ExpectedCounterparts
  /// Our last edit that the server confirmed.
  let confirmedEdit: ConfirmedEdit?
  /// The deliveries about it that some of our sessions have yet to receive.
  let deliveries: [Delivery]
  /// The last error that answered what we sent to it, until presence comes from it.
  package let returnedError: ReturnedError?
  /// How often its requests and ours have been opened again.
  let rounds: [Rounds?]
}

/// A contact's item with the records that its fields come from.
public struct RosterEntry: Hashable, Sendable {
  /// The item as the server last sent it.
  public let item: RosterItem
  /// The records that set its fields.
  public let provenance: Provenance

  /// For each field of an item, the number of the record that set its present value.
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

    /// The last of these records.
    var last: UInt64 { max(item, name, subscription, ask, approved, groups) }

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

/// The names a contact gives itself.
package struct OwnNames: Hashable, Sendable {
  package internal(set) var nickname: String?
  package internal(set) var nicknameRecord: UInt64?
  package internal(set) var vCard: VCardNames?
  package internal(set) var vCardRecord: UInt64?
}
