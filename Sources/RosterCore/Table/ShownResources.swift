import RawBytes

/// Resources as they are shown, in the order of their names. Compares rows in place and makes
/// values only for those that differ.
struct ShownResources {
  private let table: ContactTable
  private let rows: [PresenceRow]

  /// - Parameter sessions: Hides what none of these sessions received.
  init(_ rows: [PresenceRow], of table: ContactTable, toldTo sessions: SessionSet) {
    self.table = table
    self.rows = table.sorted(rows.filter { !$0.told.isDisjoint(with: sessions) })
  }

  /// Passes each resource that differs from the other table to `body`, with both values.
  func forEachDifference(
    to other: ShownResources,
    _ body: (_ name: String, _ mine: ResourcePresence?, _ others: ResourcePresence?) -> Void
  ) {
    var (place, otherPlace) = (0, 0)
    while place < rows.count || otherPlace < other.rows.count {
      let row = place < rows.count ? rows[place] : nil
      let otherRow = otherPlace < other.rows.count ? other.rows[otherPlace] : nil
      // The row whose name comes first, or both rows if the names are equal.
      let mine = row.flatMap { other.precedes(otherRow, $0, in: table) ? nil : $0 }
      let others = otherRow.flatMap { precedes(row, $0, in: other.table) ? nil : $0 }
      if mine != nil { place += 1 }
      if others != nil { otherPlace += 1 }
      guard !table.says(mine, sameAs: others, in: other.table) else { continue }
      let name =
        mine.flatMap { table.text($0.resource) }
        ?? others.flatMap { other.table.text($0.resource) } ?? ""
      body(name, mine.map { table.value(of: $0) }, others.map { other.table.value(of: $0) })
    }
  }

  /// Whether the name in a row of this table comes before the name in a row of the other.
  private func precedes(_ row: PresenceRow?, _ other: PresenceRow, in table: ContactTable) -> Bool {
    row.map {
      self.table.bytes(ofText: $0.resource).precedes(table.bytes(ofText: other.resource))
    } ?? false
  }
}

extension ContactTable {
  /// Whether a resource is shown equally in both tables.
  func says(_ mine: PresenceRow?, sameAs others: PresenceRow?, in other: ContactTable) -> Bool {
    guard let mine, let others else { return mine == nil && others == nil }
    return mine.show == others.show && mine.priority == others.priority
      && has(mine.resource, sameAs: others.resource, in: other)
      && has(mine.status, sameAs: others.status, in: other)
      && has(mine.delay, sameAs: others.delay, in: other)
      && has(mine.malformed, sameAs: others.malformed, in: other)
  }

  /// Whether two texts, or their absence, have the same bytes in both tables.
  func has(_ mine: TextNumber, sameAs others: TextNumber, in other: ContactTable) -> Bool {
    guard mine != .none, others != .none else { return mine == others }
    return bytes(ofText: mine).isSame(as: other.bytes(ofText: others))
  }
}
