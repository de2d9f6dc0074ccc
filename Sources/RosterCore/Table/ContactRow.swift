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

/// Which list of groups of a table, or none.
struct GroupsNumber: Hashable, Sendable {
  let rawValue: UInt32

  static let none = GroupsNumber(rawValue: .max)
}

/// What nearly every contact has, in a fixed size and without references; texts stand in the table
/// by their numbers.
struct ContactRow: Sendable {
  /// The contact's item, nil where it is not in the roster.
  var item: ItemRow?
  /// What the first of its resources said; nil where none is available.
  var presence: PresenceRow?
  /// Where its details are.
  var details = DetailsReference.none
  /// Where its further resources are.
  var further: FurtherResources.Reference = 0
}

/// An item of the roster, and for each field the record that gave it the value it has.
struct ItemRow: Sendable {
  var name: TextNumber
  var groups: GroupsNumber
  var subscription: RosterSubscription
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
  /// Which sessions were told that the resource is available.
  var told: SessionSet
}

extension PresenceRow {
  /// The same, told to these sessions no more; nil where nobody else was told.
  func without(_ sessions: SessionSet) -> PresenceRow? {
    var row = self
    row.told.subtract(sessions)
    return row.told.isEmpty ? nil : row
  }
}

/// A part of contacts for which those that have it are gone over.
enum ContactPart: Int, CaseIterable, Sendable {
  case item, presence
  case openRequest, outgoing, deliveries, expected

  /// Those that stand in the details.
  static let ofDetails: [ContactPart] = [.openRequest, .outgoing, .deliveries, .expected]
}

/// What few contacts have.
struct ContactDetails: Sendable {
  @Rare var request: ContactRequest?
  @Rare var lastEnded: EndedRequest?
  /// Whether the roster has shown since then that the contact sees our presence.
  var wasTaken = false
  @Rare var outgoing: OutgoingRequest?
  @Rare var names: OwnNames?
  @Rare var annotations: ContactAnnotations?
  var expected = ExpectedCounterparts()
  @Rare var confirmedEdit: ConfirmedEdit?
  /// How its requests and ours open again and again.
  @Rare var rounds: Rounds?
  @Rare var ownRounds: Rounds?
  /// What some sessions are still to be told, in the order in which others were.
  var deliveries: [Delivery] = []

  /// Which parts there are that contacts are gone over for.
  var membership: DetailParts {
    var parts: DetailParts = []
    if case .open? = request { parts.insert(.openRequest) }
    if !$outgoing.isNone { parts.insert(.outgoing) }
    if !deliveries.isEmpty { parts.insert(.deliveries) }
    if !expected.isEmpty { parts.insert(.expected) }
    return parts
  }

  /// Whether there is nothing to keep.
  var isEmpty: Bool {
    $request.isNone && $lastEnded.isNone && $outgoing.isNone
      && $names.isNone && $annotations.isNone && expected.isEmpty && $confirmedEdit.isNone
      && deliveries.isEmpty
      && $rounds.isNone && $ownRounds.isNone
  }
}

/// A part that few of those have that may have it: where there is none, it takes the room of a
/// reference.
@propertyWrapper
struct Rare<Value: Sendable>: Sendable {
  private final class Box: Sendable {
    let value: Value

    init(_ value: Value) {
      self.value = value
    }
  }

  private var box: Box?

  init(wrappedValue: Value?) {
    box = wrappedValue.map(Box.init)
  }

  init() {
    box = nil
  }

  var wrappedValue: Value? {
    get { box?.value }
    set { box = newValue.map(Box.init) }
  }

  var projectedValue: Self { self }

  /// Whether there is none, without a look at it.
  var isNone: Bool { box == nil }
}
