extension SectionIndex {
  /// Moves a contact or request from its old positions to its new ones.
  mutating func change(from old: ListedRow?, to new: ListedRow?) -> SectionChanges {
    let newSections = new.map { Set(sections(of: $0)) } ?? []
    var oldPositions: [SectionID: RowPosition] = [:]
    if let old { for id in sections(of: old) { oldPositions[id] = position(of: old, in: id) } }
    var changes = SectionChanges()

    for (id, position) in oldPositions
    where !newSections.contains(id) && disappearsWithItsRow(id) {
      changes.deletedSections.append(position.section)
    }
    let inserted = newSections.filter { number(of: $0) == nil }
    remove(from: oldPositions)
    if let new { insert(new, into: newSections) }
    removeEmptySections(among: oldPositions.keys)
    changes.insertedSections += inserted.compactMap { number(of: $0) }

    var vacated: [RowPosition] = []
    for (id, position) in oldPositions {
      if newSections.contains(id) {
        recordStay(from: position, to: self.position(of: new, in: id), in: &changes)
      } else if !changes.deletedSections.contains(position.section) {
        vacated.append(position)
      }
    }
    let arrived = newSections.subtracting(inserted).filter { oldPositions[$0] == nil }
      .compactMap { position(of: new, in: $0) }
    recordMoves(vacated.sorted(), with: arrived.sorted(), in: &changes)
    changes.sort()
    return changes
  }

  /// Records a row that stays in its section: it is reloaded, and moved if its index changed.
  private func recordStay(from: RowPosition, to: RowPosition?, in changes: inout SectionChanges) {
    guard let to else { return }
    if from.row == to.row {
      changes.reloadedRows.append(from)
    } else {
      changes.movedRows.append(SectionChanges.Move(from: from, to: to))
      changes.reloadedAfterMove.append(to)
    }
  }

  /// Records a row that leaves one section for another as a move, not as a deletion and insertion.
  private func recordMoves(
    _ vacated: [RowPosition], with arrived: [RowPosition], in changes: inout SectionChanges
  ) {
    for (from, to) in zip(vacated, arrived) {
      changes.movedRows.append(SectionChanges.Move(from: from, to: to))
      changes.reloadedAfterMove.append(to)
    }
    changes.deletedRows += vacated.dropFirst(arrived.count)
    changes.insertedRows += arrived.dropFirst(vacated.count)
  }

  /// Removes rows but keeps all sections.
  private mutating func remove(from positions: [SectionID: RowPosition]) {
    for position in positions.values { sections[position.section].rows.remove(at: position.row) }
  }

  private mutating func insert(_ row: ListedRow, into ids: Set<SectionID>) {
    for id in ids {
      let number = number(of: id) ?? makeSection(id)
      sections[number].rows.insert(row, at: sections[number].index(of: row))
    }
  }

  /// Removes the sections that have no rows left, except the one for requests.
  private mutating func removeEmptySections(among ids: some Sequence<SectionID>) {
    for id in ids where id != .requests {
      guard let number = number(of: id), sections[number].rows.isEmpty else { continue }
      sections.remove(at: number)
    }
  }

  private mutating func makeSection(_ id: SectionID) -> Int {
    let number = firstNumber(notBefore: id)
    sections.insert(Section(id: id, rows: []), at: number)
    return number
  }

  /// Whether a section has only one row, and so disappears with it. The section for requests stays.
  private func disappearsWithItsRow(_ id: SectionID) -> Bool {
    guard id != .requests, let number = number(of: id) else { return false }
    return sections[number].rows.count == 1
  }

  /// The index of a section on the screen, or nil if it is not shown. Complexity: O(log n).
  func number(of id: SectionID) -> Int? {
    let number = firstNumber(notBefore: id)
    return number < sections.count && sections[number].id == id ? number : nil
  }

  private func firstNumber(notBefore id: SectionID) -> Int {
    var low = 0
    var high = sections.count
    while low < high {
      let middle = (low + high) / 2
      if sections[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The position of a row in a section. Complexity: O(log n).
  func position(of row: ListedRow?, in id: SectionID) -> RowPosition? {
    guard let row, let number = number(of: id) else { return nil }
    let index = sections[number].index(of: row)
    guard index < sections[number].rows.count, sections[number].rows[index] === row else {
      return nil
    }
    return RowPosition(section: number, row: index)
  }
}

extension SectionChanges {
  fileprivate mutating func sort() {
    deletedSections.sort()
    insertedSections.sort()
    deletedRows.sort()
    insertedRows.sort()
    movedRows.sort { $0.from < $1.from }
    reloadedRows.sort()
    reloadedAfterMove.sort()
  }
}
