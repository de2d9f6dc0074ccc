import HashTreeCollections
import XMPPStanza

/// Which contact of a table.
struct ContactNumber: Hashable, Sendable {
  let rawValue: UInt32
}

/// Which text of a table, or none.
struct TextNumber: Hashable, Sendable {
  let rawValue: UInt32

  static let none = TextNumber(rawValue: .max)
}

/// Which list of groups of a table.
struct GroupsNumber: Hashable, Sendable {
  let rawValue: UInt32
}

/// What nearly every contact has, in a fixed size and without references; texts stand in the table
/// by their numbers.
struct ContactRow: Sendable {
  /// The contact's item, nil where it is not in the roster.
  var item: ItemRow?
  /// What the first of its resources said; nil where none is available.
  var presence: PresenceRow?
  /// Where its details are, plus one; 0 where it has none.
  var details: UInt32 = 0
}

/// An item of the roster, and for each field the record that gave it the value it has.
struct ItemRow: Sendable {
  var name: TextNumber
  var groups: GroupsNumber
  var subscription: Subscription
  var isPending: Bool
  var isApproved: Bool
  var provenance: RosterEntry.Provenance
}

/// What a resource last said.
struct PresenceRow: Sendable {
  /// Its name; the empty one is presence of the bare address.
  var resource: TextNumber
  var status: TextNumber
  var delay: TextNumber
  var malformed: TextNumber
  var show: Show
  var priority: Int8
  var since: RecordStamp
}

/// What few contacts have.
struct ContactDetails: Sendable {
  var request: ContactRequest?
  var lastEnded: EndedRequest?
  var outgoing: OutgoingRequest?
  /// Besides the one of the row, in no order.
  var furtherResources = TreeDictionary<TextNumber, PresenceRow>()
  var names: OwnNames?
  var expected = ExpectedCounterparts()
  var confirmedEdit: ConfirmedEdit?

  /// Whether there is nothing to keep.
  var isEmpty: Bool {
    request == nil && lastEnded == nil && outgoing == nil && furtherResources.isEmpty
      && names == nil && expected.isEmpty && confirmedEdit == nil
  }
}

/// Details, and whose they are; nobody's where the place is free.
struct DetailsPlace: Sendable {
  var owner: ContactNumber?
  var details = ContactDetails()
}
