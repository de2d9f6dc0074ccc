extension SectionIndex {
  /// Moves one contact or request from its old places to its new ones.
  mutating func change(from old: Place?, to new: Place?) -> SectionChanges {
    let coming = Set(new?.sections ?? [])
    var was: [SectionID: RowPosition] = [:]
    for id in old?.sections ?? [] { was[id] = position(of: old?.key, in: id) }
    var changes = SectionChanges()

    for (id, position) in was where !coming.contains(id) && goesWithItsRow(id) {
      changes.deletedSections.append(position.section)
    }
    let made = coming.filter { number(of: $0) == nil }
    move(from: old, to: new)
    for id in made { if let number = number(of: id) { changes.insertedSections.append(number) } }

    var left: [RowPosition] = []
    for (id, position) in was {
      if coming.contains(id) {
        stay(from: position, to: self.position(of: new?.key, in: id), in: &changes)
      } else if !changes.deletedSections.contains(position.section) {
        left.append(position)
      }
    }
    let arrived = coming.subtracting(made).filter { was[$0] == nil }
      .compactMap { position(of: new?.key, in: $0) }
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

  private mutating func move(from old: Place?, to new: Place?) {
    if let old {
      for id in old.sections {
        guard let position = position(of: old.key, in: id) else { continue }
        sections[position.section].rows.remove(at: position.row)
      }
    }
    if let new {
      for id in new.sections {
        let number = number(of: id) ?? makeSection(id)
        let row = sections[number].place(of: new.key)
        sections[number].rows.insert(new.key, at: row)
      }
    }
    for id in old?.sections ?? [] where id != .requests {
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

  func position(of key: RowKey?, in id: SectionID) -> RowPosition? {
    guard let key, let number = number(of: id) else { return nil }
    let row = sections[number].place(of: key)
    guard row < sections[number].rows.count, sections[number].rows[row] == key else { return nil }
    return RowPosition(section: number, row: row)
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
