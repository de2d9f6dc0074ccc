package import ContactSections

/// The rows of a table view, and the two ways to apply changes to it.
package struct Screen: Equatable {
  package private(set) var sections: [[SectionIndex.Row]]

  /// The rows of an index.
  package init(_ index: SectionIndex) {
    sections = (0..<index.sectionCount).map { index.rows(inSection: $0) }
  }

  private subscript(position: RowPosition) -> SectionIndex.Row {
    sections[position.section][position.row]
  }

  /// Applies changes like UITableView: all at once, with old indices for removals and new ones for
  /// insertions. Inserted and reloaded rows are read from the new screen; all others keep their
  /// content.
  package mutating func applyBatch(_ changes: SectionChanges, asking new: Screen) {
    let old = self
    var kept = old.sections.map { $0.map { Optional($0) } }
    for position in changes.reloadedRows {
      // The new screen has the row at another index, so find it by id.
      kept[position.section][position.row] = new.row(like: old[position])
    }
    for position in changes.deletedRows + changes.movedRows.map(\.from) {
      kept[position.section][position.row] = nil
    }
    var result = kept.map { $0.compactMap { $0 } }
    for section in changes.deletedSections.reversed() { result.remove(at: section) }
    for section in changes.insertedSections { result.insert(new.sections[section], at: section) }
    let incoming =
      changes.insertedRows.map { ($0, new[$0]) }
      + changes.movedRows.map { ($0.to, old[$0.from]) }
    for (position, row) in incoming.sorted(by: { $0.0 < $1.0 }) {
      result[position.section].insert(row, at: position.row)
    }
    for position in changes.reloadedAfterMove {
      result[position.section][position.row] = new[position]
    }
    sections = result
  }

  /// Applies changes like NSTableView and ListModel: one at a time, in the documented order.
  package mutating func applyOneByOne(_ changes: SectionChanges, asking new: Screen) {
    for position in changes.reloadedRows {
      sections[position.section][position.row] = new.row(like: self[position]) ?? self[position]
    }
    for position in (changes.deletedRows + changes.movedRows.map(\.from)).sorted(by: >) {
      sections[position.section].remove(at: position.row)
    }
    for section in changes.deletedSections.reversed() { sections.remove(at: section) }
    for section in changes.insertedSections { sections.insert(new.sections[section], at: section) }
    for position in (changes.insertedRows + changes.movedRows.map(\.to)).sorted() {
      sections[position.section].insert(new[position], at: position.row)
    }
  }

  private func row(like old: SectionIndex.Row) -> SectionIndex.Row? {
    sections.joined().first { $0.id == old.id }
  }
}

extension SectionIndex.Row {
  fileprivate var id: String {
    switch self {
    case .contact(let contact): "contact \(contact.id)"
    case .request(let request): "request \(request.id)"
    }
  }
}
