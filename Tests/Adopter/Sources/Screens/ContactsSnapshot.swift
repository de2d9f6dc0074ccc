import Rollcall

/// A snapshot for a diffable data source, which refuses what UIKit's raises exceptions for.
struct ContactsSnapshot {
  private(set) var sections: [SectionID] = []
  private(set) var items: [SectionID: [RowID]] = [:]
  private(set) var reconfigured: Set<RowID> = []
  /// Calls that UIKit would not have accepted.
  private(set) var faults: [String] = []

  mutating func appendSections(_ ids: [SectionID]) {
    for id in ids {
      if items[id] != nil { faults.append("section \(id) twice") }
      sections.append(id)
      items[id] = []
    }
  }

  mutating func appendItems(_ ids: [RowID], toSection section: SectionID) {
    for id in ids {
      if contains(id) { faults.append("row \(id) twice") }
      items[section, default: []].append(id)
    }
  }

  mutating func reconfigureItems(_ ids: [RowID]) {
    for id in ids {
      if !contains(id) { faults.append("row \(id) is not there") }
      reconfigured.insert(id)
    }
  }

  private func contains(_ id: RowID) -> Bool { items.values.contains { $0.contains(id) } }
}

/// A diffable data source with its cells.
@MainActor
protocol ContactsSource {
  func apply(_ snapshot: ContactsSnapshot, cells: (RowID) -> ScreenRow?)
}

/// A list that makes a cell anew only for rows that are new or reconfigured, as UIKit does.
@MainActor
final class CellList: ContactsSource {
  private(set) var sections: [SectionID] = []
  private(set) var cells: [SectionID: [ScreenRow]] = [:]
  private(set) var faults: [String] = []

  func apply(_ snapshot: ContactsSnapshot, cells content: (RowID) -> ScreenRow?) {
    faults += snapshot.faults
    var kept: [RowID: ScreenRow] = [:]
    for row in cells.values.joined() { kept[row.id] = row }
    sections = snapshot.sections
    cells = [:]
    for section in sections {
      cells[section] = snapshot.items[section, default: []].compactMap { id in
        if let row = kept[id], !snapshot.reconfigured.contains(id) { return row }
        if content(id) == nil { faults.append("row \(id) has no content") }
        return content(id)
      }
    }
  }
}
