import RawBytes

/// A contact or request before and after a change; nil where it is not there.
struct RowChange {
  let old: ListedRow?
  let new: ListedRow?
  /// Where its rows are on the old screen and on the new one.
  fileprivate var (origins, targets): ([SectionID: RowPosition], [SectionID: RowPosition])

  init(from old: ListedRow?, to new: ListedRow?) {
    (self.old, self.new) = (old, new)
    (origins, targets) = ([:], [:])
  }
}

extension SectionIndex {
  /// Moves contacts and requests from their old positions to their new ones.
  mutating func change(_ rows: [RowChange]) -> SectionChanges {
    var rows = rows
    for number in rows.indices { rows[number].origins = placed(rows[number].old) }
    remove(rows.flatMap(\.origins.values))
    let inserted = insert(rows.compactMap(\.new))
    let deleted = removeEmptySections(among: Set(rows.flatMap(\.origins.keys)))
    for number in rows.indices { rows[number].targets = placed(rows[number].new) }

    var changes = SectionChanges()
    for row in rows {
      for (id, origin) in row.origins where deleted.contains(id) {
        changes.deletedSections.append(origin.section)
      }
    }
    changes.deletedSections = Array(Set(changes.deletedSections))
    changes.insertedSections = inserted.compactMap { number(of: $0) }
    changes.record(rows, deleted: deleted, inserted: inserted)
    changes.sort()
    return changes
  }

  /// The positions of a contact's or request's rows.
  private func placed(_ row: ListedRow?) -> [SectionID: RowPosition] {
    guard let row else { return [:] }
    var positions: [SectionID: RowPosition] = [:]
    for id in sections(of: row) { positions[id] = position(of: row, in: id) }
    return positions
  }

  /// Removes rows but keeps all sections.
  private mutating func remove(_ positions: [RowPosition]) {
    for position in positions.sorted(by: >) {
      shown[position.section].rows.remove(at: position.row)
    }
  }

  /// Inserts rows, and returns the sections that were made for them.
  private mutating func insert(_ rows: [ListedRow]) -> Set<SectionID> {
    var made: Set<SectionID> = []
    for row in rows {
      for id in sections(of: row) {
        let number: Int
        if let known = self.number(of: id) {
          number = known
        } else {
          number = makeSection(id)
          made.insert(id)
        }
        shown[number].rows.insert(row, at: shown[number].index(of: row))
      }
    }
    return made
  }

  /// Removes the sections that have no rows left, except the one for requests, and returns them.
  private mutating func removeEmptySections(among ids: Set<SectionID>) -> Set<SectionID> {
    var removed: Set<SectionID> = []
    for id in ids where id != .requests {
      guard let number = number(of: id), shown[number].rows.isEmpty else { continue }
      shown.remove(at: number)
      removed.insert(id)
    }
    return removed
  }

  private mutating func makeSection(_ id: SectionID) -> Int {
    let number = firstNumber(notBefore: id)
    shown.insert(ShownSection(id: id, rows: []), at: number)
    return number
  }

  /// The index of a section on the screen, or nil if it is not shown. Complexity: O(log n).
  func number(of id: SectionID) -> Int? {
    let number = firstNumber(notBefore: id)
    return number < shown.count && shown[number].id == id ? number : nil
  }

  private func firstNumber(notBefore id: SectionID) -> Int {
    shown.partitioningIndex { $0.id >= id }
  }

  /// The position of a row in a section. Complexity: O(log n).
  func position(of row: ListedRow?, in id: SectionID) -> RowPosition? {
    guard let row, let number = number(of: id) else { return nil }
    let index = shown[number].index(of: row)
    guard index < shown[number].rows.count, shown[number].rows[index] === row else {
      return nil
    }
    return RowPosition(section: number, row: index)
  }
}

extension SectionChanges {
  /// Records the rows that change, except those in deleted and inserted sections.
  fileprivate mutating func record(
    _ rows: [RowChange], deleted: Set<SectionID>, inserted: Set<SectionID>
  ) {
    let before = UnchangedRows(besides: rows.flatMap(\.origins.values))
    let after = UnchangedRows(besides: rows.flatMap(\.targets.values))
    // A row stays in place if as many unchanged rows are before it as there were. Of several such
    // rows with none between them, the order may have changed, so they count as moved.
    var stays: [RowPosition: Int] = [:]
    for row in rows {
      for (id, origin) in row.origins {
        guard let target = row.targets[id] else { continue }
        let place = after.place(of: target)
        if before.place(of: origin).row == place.row { stays[place, default: 0] += 1 }
      }
    }
    for row in rows {
      var vacated: [RowPosition] = []
      for (id, origin) in row.origins where !deleted.contains(id) {
        guard let target = row.targets[id] else {
          vacated.append(origin)
          continue
        }
        let place = after.place(of: target)
        let isInPlace = before.place(of: origin).row == place.row && stays[place] == 1
        recordStay(from: origin, to: target, isInPlace: isInPlace)
      }
      let arrived = row.targets.filter { row.origins[$0.key] == nil && !inserted.contains($0.key) }
      recordMoves(vacated.sorted(), with: arrived.values.sorted())
    }
  }

  /// Records a row that stays in its section: it is reloaded, and moved if it is not in its place.
  private mutating func recordStay(from: RowPosition, to: RowPosition, isInPlace: Bool) {
    if isInPlace {
      reloadedRows.append(from)
    } else {
      movedRows.append(Move(from: from, to: to))
      reloadedAfterMove.append(to)
    }
  }

  /// Records a row that leaves one section for another as a move, not as a deletion and insertion.
  private mutating func recordMoves(_ vacated: [RowPosition], with arrived: [RowPosition]) {
    for (from, to) in zip(vacated, arrived) {
      movedRows.append(Move(from: from, to: to))
      reloadedAfterMove.append(to)
    }
    deletedRows += vacated.dropFirst(arrived.count)
    insertedRows += arrived.dropFirst(vacated.count)
  }

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

/// The rows of a screen that do not change, counted between those that do.
private struct UnchangedRows {
  /// The indices of the changed rows of each section, in order.
  private let changed: [Int: [Int]]

  init(besides changed: [RowPosition]) {
    self.changed = Dictionary(grouping: changed.sorted(), by: \.section)
      .mapValues { $0.map(\.row) }
  }

  /// The position that a changed row would have if it were the only one. Complexity: O(log n).
  func place(of position: RowPosition) -> RowPosition {
    let before = changed[position.section]?.partitioningIndex { $0 >= position.row } ?? 0
    return RowPosition(section: position.section, row: position.row - before)
  }
}
