import RawBytes

/// Which contact of a table.
struct ContactNumber: Hashable, Sendable {
  let rawValue: UInt32
}

/// Which text of a table, or none.
struct TextNumber: Hashable, Sendable {
  let rawValue: UInt32

  static let none = TextNumber(rawValue: .max)

  /// Whether it is none, or one of the first so many.
  @inline(__always)
  func isNone(orBelow count: Int) -> Bool { rawValue &+ 1 <= count }
}

/// Which list of groups of a table, or none.
struct GroupsNumber: Hashable, Sendable {
  let rawValue: UInt32

  static let none = GroupsNumber(rawValue: .max)

  /// Whether it is none, or one of the first so many.
  @inline(__always)
  func isNone(orBelow count: Int) -> Bool { rawValue &+ 1 <= count }
}

/// What nearly every contact has, in a fixed size and without references; texts stand in the table
/// by their numbers.
///
/// Between its fields there is no room that holds nothing, so that rows are stored by their bytes.
struct ContactRow: BitwiseCopyable {
  /// The item's row, which says whether there is one.
  private(set) var itemRow = ItemRow.none
  /// Where its details are.
  private(set) var details = DetailsReference.none
  private var first = PresenceRow.none
  /// Where its further resources are; in a snapshot `hasFurther`, `lacksPresence`, or 0 where there
  /// is one resource.
  var further: FurtherResources.Reference = 0
  private var detailParts: UInt32 = 0

  /// In a snapshot: the next further resources there.
  static let hasFurther: FurtherResources.Reference = 1
  /// In a snapshot: no resource is available, and what the row says of one is another contact's.
  static let lacksPresence: FurtherResources.Reference = 2

  /// The contact's item, nil where it is not in the roster.
  var item: ItemRow? {
    get { itemRow.isThere ? itemRow : nil }
    set { itemRow = newValue ?? .none }
  }

  /// What the first of its resources said; nil where none is available.
  var presence: PresenceRow? {
    get { first.isThere ? first : nil }
    set { first = newValue ?? .none }
  }

  /// Forgets what its resources said.
  mutating func forgetPresence() {
    presence = nil
    further = 0
  }

  /// What there is of its details.
  var parts: DetailParts { DetailParts(rawValue: UInt16(truncatingIfNeeded: detailParts)) }

  /// Refers to details that have these parts.
  mutating func refer(to details: DetailsReference, with parts: DetailParts) {
    self.details = details
    detailParts = UInt32(parts.rawValue)
  }

  /// Takes over parts of another row; further resources are not among them.
  @inline(__always)
  mutating func take(_ parts: ChangedParts, of other: ContactRow) {
    if parts.contains(.item) { itemRow = other.itemRow }
    if parts.contains(.presence) { first = other.first }
    if parts.contains(.details) { refer(to: other.details, with: other.parts) }
  }

  /// Whether another row says the same of the first resource.
  func hasSamePresence(as other: ContactRow) -> Bool { first == other.first }

  var hasItem: Bool { itemRow.isThere }
  var hasPresence: Bool { first.isThere }

  /// Whether nothing is known of the contact.
  var isEmpty: Bool { !hasItem && !hasPresence && details == .none }

  /// The parts that it has and that contacts are gone over for.
  var membership: ContactParts {
    var all = parts.membership
    if hasItem { all.insert(.item) }
    if hasPresence { all.insert(.presence) }
    return all
  }

  /// Whether its numbers are of texts and lists of groups of a table.
  @inline(__always)
  func refersOnly(to counts: TableCounts) -> Bool {
    itemRow.refersOnly(to: counts) && first.refersOnly(to: counts)
  }

  /// Whether it is one that the other members can have made, whatever its numbers are of.
  var isWellFormed: Bool {
    itemRow.isWellFormed && first.isWellFormed && (further == 0 || hasPresence)
      && detailParts <= DetailParts.all.rawValue
  }
}

/// A part of contacts for which those that have it are gone over.
enum ContactPart: Int, CaseIterable, Sendable {
  case item, presence
  case openRequest, outgoing, deliveries, expected

  fileprivate var bit: UInt8 { UInt8(truncatingIfNeeded: rawValue) }
}

/// Several of them.
struct ContactParts: Equatable, BitwiseCopyable {
  private var bits: UInt8 = 0

  func contains(_ part: ContactPart) -> Bool { bits & 1 &<< part.bit != 0 }

  mutating func insert(_ part: ContactPart) { bits |= 1 &<< part.bit }
}
