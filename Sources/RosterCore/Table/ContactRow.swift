import RawBytes

/// The number of a contact in its table.
struct ContactNumber: Hashable, Sendable {
  let rawValue: UInt32
}

/// The number of a text in its table, or none.
struct TextNumber: Hashable, Sendable {
  let rawValue: UInt32

  static let none = TextNumber(rawValue: .max)

  /// Whether the number is `none` or below a limit.
  @inline(__always)
  func isNone(orBelow count: Int) -> Bool { rawValue &+ 1 <= count }
}

/// The number of a group list in its table, or none.
struct GroupsNumber: Hashable, Sendable {
  let rawValue: UInt32

  static let none = GroupsNumber(rawValue: .max)

  /// Whether the number is `none` or below a limit.
  @inline(__always)
  func isNone(orBelow count: Int) -> Bool { rawValue &+ 1 <= count }
}

/// The state that nearly every contact has, of fixed size and without references. Refers to texts
/// by their numbers in the table.
///
/// Has no padding between its fields, so that rows can be stored as their bytes.
struct ContactRow: BitwiseCopyable {
  /// The row of the item, or `ItemRow.none`.
  private(set) var itemRow = ItemRow.none
  /// A reference to the contact's details.
  private(set) var details = DetailsReference.none
  private var first = PresenceRow.none
  /// A reference to the contact's further resources. In a snapshot: `hasFurther`, `lacksPresence`,
  /// or 0 if there is one resource.
  var further: FurtherResources.Reference = 0
  private var storedParts: UInt32 = 0

  /// In a snapshot: the contact has the next list of further resources there.
  static let hasFurther: FurtherResources.Reference = 1
  /// In a snapshot: no resource is available, and the presence in the row belongs to another
  /// contact.
  static let lacksPresence: FurtherResources.Reference = 2

  /// The contact's item; nil if the contact is not in the roster.
  var item: ItemRow? {
    get { itemRow.exists ? itemRow : nil }
    set { itemRow = newValue ?? .none }
  }

  /// The presence of the contact's first resource; nil if no resource is available.
  var presence: PresenceRow? {
    get { first.exists ? first : nil }
    set { first = newValue ?? .none }
  }

  /// Removes the presence of all resources.
  mutating func forgetPresence() {
    presence = nil
    further = 0
  }

  /// The parts that the contact's details have.
  var detailParts: ContactParts {
    ContactParts(rawValue: UInt16(truncatingIfNeeded: storedParts)).intersection(.details)
  }

  /// Refers to details that have these parts.
  mutating func refer(to details: DetailsReference, with parts: ContactParts) {
    self.details = details
    storedParts = UInt32(parts.rawValue)
  }

  /// Copies parts from another row; further resources are not among them.
  @inline(__always)
  mutating func take(_ parts: ContactParts, of other: ContactRow) {
    if parts.contains(.item) { itemRow = other.itemRow }
    if parts.contains(.presence) { first = other.first }
    if parts.contains(.details) { refer(to: other.details, with: other.detailParts) }
  }

  var hasItem: Bool { itemRow.exists }
  var hasPresence: Bool { first.exists }

  /// Whether nothing is known of the contact.
  var isEmpty: Bool { !hasItem && !hasPresence && details == .none }

  /// The parts that the contact has.
  var parts: ContactParts {
    var all = detailParts
    if hasItem { all.insert(.item) }
    if hasPresence { all.insert(.presence) }
    return all
  }

  /// Whether all its numbers are valid in a table with these counts.
  @inline(__always)
  func refersOnly(to counts: TableCounts) -> Bool {
    itemRow.refersOnly(to: counts) && first.refersOnly(to: counts)
  }

  /// Whether the other members could have produced this row, apart from what its numbers refer to.
  var isWellFormed: Bool {
    itemRow.isWellFormed && first.isWellFormed && (further == 0 || hasPresence)
      && storedParts <= ContactParts.details.rawValue
  }
}
