package import ContactSections

/// What a table view holds, and the two ways to apply changes to it.
package struct Screen: Equatable {
  package private(set) var sections: [[SectionIndex.Row]]

  /// What an index shows.
  package init(_ index: SectionIndex) {
    sections = (0..<index.sectionCount).map { index.rows(inSection: $0) }
  }

  private subscript(position: RowPosition) -> SectionIndex.Row {
    sections[position.section][position.row]
  }

  /// As UITableView does: all at once, old numbers for what goes, new ones for what comes. A row
  /// that comes or is reloaded is asked of the new screen; all others keep what they showed.
  package mutating func applyBatch(_ changes: SectionChanges, asking new: Screen) {
    let old = self
    var kept = old.sections.map { $0.map { Optional($0) } }
    for position in changes.reloadedRows {
      // Asked by the number that the row has on the new screen: found by its id.
      kept[position.section][position.row] = new.row(like: old[position])
    }
    for position in changes.deletedRows + changes.movedRows.map(\.from) {
      kept[position.section][position.row] = nil
    }
    var result = kept.map { $0.compactMap { $0 } }
    for section in changes.deletedSections.reversed() { result.remove(at: section) }
    for section in changes.insertedSections { result.insert(new.sections[section], at: section) }
    let coming =
      changes.insertedRows.map { ($0, new[$0]) }
      + changes.movedRows.map { ($0.to, old[$0.from]) }
    for (position, row) in coming.sorted(by: { $0.0 < $1.0 }) {
      result[position.section].insert(row, at: position.row)
    }
    for position in changes.reloadedAfterMove {
      result[position.section][position.row] = new[position]
    }
    sections = result
  }

  /// As NSTableView and ListModel do: one at a time, in the order that is documented.
  package mutating func applyOneByOne(_ changes: SectionChanges, asking new: Screen) {
    for place in changes.reloadedRows {
      sections[place.section][place.row] = new.row(like: self[place]) ?? self[place]
    }
    for place in (changes.deletedRows + changes.movedRows.map(\.from)).sorted(by: >) {
      sections[place.section].remove(at: place.row)
    }
    for section in changes.deletedSections.reversed() { sections.remove(at: section) }
    for section in changes.insertedSections { sections.insert(new.sections[section], at: section) }
    for place in (changes.insertedRows + changes.movedRows.map(\.to)).sorted() {
      sections[place.section].insert(new[place], at: place.row)
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
