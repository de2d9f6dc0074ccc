import RawBytes

/// The parts of a contact that states show and compare.
struct ShownParts: OptionSet {
  let rawValue: UInt8

  static let item = Self(rawValue: 1)
  /// The contact's requests and ours.
  static let requests = Self(rawValue: 2)
  static let presence = Self(rawValue: 4)
  static let names = Self(rawValue: 8)
  static let annotations = Self(rawValue: 16)
}

/// A contact of a table as it is shown. Compares rows in place and makes values only for the parts
/// that are asked for.
struct ShownContact {
  private let table: ContactTable
  /// Nil if the table never had the contact.
  private let number: ContactNumber?
  /// The sessions whose presence is shown.
  private let open: SessionSet
  private let row: ContactRow

  init(_ table: ContactTable, _ number: ContactNumber?, toldTo open: SessionSet) {
    self.table = table
    self.number = number
    self.open = open
    row = number.map { table.row(of: $0) } ?? ContactRow()
  }

  var details: ContactDetails? { number.flatMap { table.details(of: $0) } }
  var entry: RosterEntry? { number.flatMap { table.entry(of: $0) } }
  var names: OwnNames? { number.flatMap { table.names(of: $0) } }
  var annotations: ContactAnnotations? { number.flatMap { table.annotations(of: $0) } }
  var resources: ShownResources {
    ShownResources(number.map { table.rows(of: $0) } ?? [], of: table, toldTo: open)
  }

  /// The parts that may differ from those of another table; all others are equal.
  func parts(thatMayDifferFrom other: ShownContact) -> ShownParts {
    var parts: ShownParts = []
    if !table.isSame(row.item, as: other.row.item, in: other.table) { parts.insert(.item) }
    let details = hasSameDetails(as: other) ? [] : row.parts.union(other.row.parts)
    if !details.isDisjoint(with: [.request, .outgoing]) { parts.insert(.requests) }
    if details.contains(.names) { parts.insert(.names) }
    if details.contains(.annotations) { parts.insert(.annotations) }
    let hasFurther = row.further != 0 || other.row.further != 0
    if hasFurther || !table.says(firstShown, sameAs: other.firstShown, in: other.table) {
      parts.insert(.presence)
    }
    return parts
  }

  /// The presence of the first resource, if it is shown.
  private var firstShown: PresenceRow? {
    row.presence.flatMap { $0.told.isDisjoint(with: open) ? nil : $0 }
  }

  /// Whether both contacts have the same details, as far as that can be seen without reading them.
  /// True for every contact without a change since a snapshot.
  private func hasSameDetails(as other: ShownContact) -> Bool {
    table.hasSameStoredDetails(row.details, as: other.row.details, in: other.table)
  }
}
