import RawBytes

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

  /// The shown parts that may differ from those of another table; all others are equal.
  func parts(thatMayDifferFrom other: ShownContact) -> ContactParts {
    var parts: ContactParts = []
    if !hasSameDetails(as: other) {
      parts = row.detailParts.union(other.row.detailParts).intersection(.shown)
    }
    if !table.isSame(row.item, as: other.row.item, in: other.table) { parts.insert(.item) }
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
