extension SectionIndex {
  /// Moves one contact or request from its old places to its new ones.
  mutating func change(from old: ListedRow?, to new: ListedRow?) -> SectionChanges {
    let coming = new.map { Set(sections(of: $0)) } ?? []
    var was: [SectionID: RowPosition] = [:]
    if let old { for id in sections(of: old) { was[id] = position(of: old, in: id) } }
    var changes = SectionChanges()

    for (id, position) in was where !coming.contains(id) && goesWithItsRow(id) {
      changes.deletedSections.append(position.section)
    }
    let made = coming.filter { number(of: $0) == nil }
    remove(from: was)
    if let new { insert(new, into: coming) }
    removeEmptySections(among: was.keys)
    for id in made { if let number = number(of: id) { changes.insertedSections.append(number) } }

    var left: [RowPosition] = []
    for (id, position) in was {
      if coming.contains(id) {
        stay(from: position, to: self.position(of: new, in: id), in: &changes)
      } else if !changes.deletedSections.contains(position.section) {
        left.append(position)
      }
    }
    let arrived = coming.subtracting(made).filter { was[$0] == nil }
      .compactMap { position(of: new, in: $0) }
    pair(left.sorted(), with: arrived.sorted(), in: &changes)
    changes.sort()
    return changes
  }

  /// A row that stays in its section: the screen shows it anew, and elsewhere if need be.
  private func stay(from: RowPosition, to: RowPosition?, in changes: inout SectionChanges) {
    guard let to else { return }
    if from.row == to.row {
      changes.reloadedRows.append(from)
    } else {
      changes.movedRows.append(SectionChanges.Move(from: from, to: to))
      changes.reloadedAfterMove.append(to)
    }
  }

  /// A row that leaves one section and comes into another moves, rather than going and coming.
  private func pair(
    _ left: [RowPosition], with arrived: [RowPosition], in changes: inout SectionChanges
  ) {
    for (from, to) in zip(left, arrived) {
      changes.movedRows.append(SectionChanges.Move(from: from, to: to))
      changes.reloadedAfterMove.append(to)
    }
    changes.deletedRows += left.dropFirst(arrived.count)
    changes.insertedRows += arrived.dropFirst(left.count)
  }

  /// Takes rows out; all sections stay.
  private mutating func remove(from positions: [SectionID: RowPosition]) {
    for position in positions.values { sections[position.section].rows.remove(at: position.row) }
  }

  private mutating func insert(_ row: ListedRow, into ids: Set<SectionID>) {
    for id in ids {
      let number = number(of: id) ?? makeSection(id)
      sections[number].rows.insert(row, at: sections[number].place(of: row))
    }
  }

  /// Takes out the sections that have no rows left. That of the requests stays.
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

  /// Whether a section is there for one row only. That of the requests stays.
  private func goesWithItsRow(_ id: SectionID) -> Bool {
    guard id != .requests, let number = number(of: id) else { return false }
    return sections[number].rows.count == 1
  }

  /// The number of a section on the screen, nil where it is not there. Complexity: O(log n).
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

  /// Where a row stands in a section. Complexity: O(log n).
  func position(of row: ListedRow?, in id: SectionID) -> RowPosition? {
    guard let row, let number = number(of: id) else { return nil }
    let place = sections[number].place(of: row)
    guard place < sections[number].rows.count, sections[number].rows[place] === row else {
      return nil
    }
    return RowPosition(section: number, row: place)
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
