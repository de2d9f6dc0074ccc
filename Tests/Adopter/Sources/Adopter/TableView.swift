import Rollcall

/// A table that is changed row by row, like NSTableView, and records each time the changes do not
/// lead to the expected screen.
final class TableView {
  private struct Section: Equatable {
    var title: String
    var rows: [String]
  }

  /// The sections with the ids of their rows.
  private var sections: [Section] = []
  private var names: [String: String] = [:]
  private(set) var faults: [String] = []
  private(set) var steps = 0

  /// The displayed rows on one line: `: ?Eve, A: Anna Ayla, Z: 张三`.
  var text: String {
    sections.filter { !$0.rows.isEmpty }.map { section in
      "\(section.title): \(section.rows.map { names[$0] ?? $0 }.joined(separator: " "))"
    }.joined(separator: ", ")
  }

  func reload(_ screen: RosterSections) { sections = read(screen) }

  func apply(_ changes: SectionChanges, _ screen: RosterSections) {
    let after = read(screen)
    for row in (changes.deletedRows + changes.movedRows.map(\.from)).sorted().reversed() {
      sections[row.section].rows.remove(at: row.row)
    }
    for section in changes.deletedSections.reversed() { sections.remove(at: section) }
    for section in changes.insertedSections { sections.insert(after[section], at: section) }
    for row in (changes.insertedRows + changes.movedRows.map(\.to)).sorted() {
      sections[row.section].rows.insert(after[row.section].rows[row.row], at: row.row)
    }
    steps += 1
    if sections != after { faults.append("\(changes) leads to \(sections), not to \(after)") }
  }

  private func read(_ screen: RosterSections) -> [Section] {
    (0..<screen.index.sectionCount).map { number in
      let rows = screen.index.rows(inSection: number).map { row in
        switch row {
        case .contact(let contact):
          names[contact.id] = contact.displayName
          return contact.id
        case .request(let request):
          names["?" + request.id] = "?" + (request.nick ?? request.id)
          return "?" + request.id
        }
      }
      return Section(title: screen.index.section(number).indexTitle ?? "", rows: rows)
    }
  }
}
