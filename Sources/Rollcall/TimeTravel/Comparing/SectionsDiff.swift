import Captures
package import ContactSections
package import RosterCore

/// What is different between two contacts screens, section by section.
package struct SectionsDiff: Sendable {
  /// A section and what came into it, left it, or is shown otherwise.
  package struct Section: Sendable {
    package let id: SectionID
    package fileprivate(set) var added: [Row] = []
    package fileprivate(set) var removed: [Row] = []
    package fileprivate(set) var changed: [(before: Row, after: Row)] = []
  }

  /// A row, with what is shown in it.
  package struct Row: Equatable, Sendable {
    package let id: String
    package let text: String
  }

  /// The sections in which something is different, in the order of the new screen.
  package private(set) var sections: [Section] = []

  /// Complexity: linear in the rows of both screens.
  package init(_ before: Roster, _ after: Roster) {
    let old = Self.rows(before)
    let new = Self.rows(after)
    // In the order of the new screen, then what is left of the old one.
    let order = new.map(\.id) + old.map(\.id).filter { id in !new.contains { $0.id == id } }
    for id in order {
      var section = Section(id: id)
      let oldRows = old.first { $0.id == id }?.rows ?? []
      let newRows = new.first { $0.id == id }?.rows ?? []
      let known = Dictionary(oldRows.map { ($0.id, $0) }) { first, _ in first }
      for row in newRows {
        guard let before = known[row.id] else {
          section.added.append(row)
          continue
        }
        if before != row { section.changed.append((before, row)) }
      }
      let kept = Set(newRows.map(\.id))
      section.removed = oldRows.filter { !kept.contains($0.id) }
      if !(section.added.isEmpty && section.removed.isEmpty && section.changed.isEmpty) {
        sections.append(section)
      }
    }
  }

  private static func rows(_ roster: Roster) -> [(id: SectionID, rows: [Row])] {
    let index = RosterSections(roster).index
    return (0..<index.sectionCount).map { number in
      (index.section(number), index.rows(inSection: number).map { Row($0) })
    }
  }

  package var isEmpty: Bool { sections.isEmpty }
}

extension SectionsDiff.Row {
  init(_ row: SectionIndex.Row) {
    switch row {
    case .contact(let contact):
      self.init(id: contact.id, text: "\(contact.displayName) <\(contact.id)>")
    case .request(let request):
      let words = request.text.map { ": “\($0)”" } ?? ""
      self.init(
        id: request.id, text: (request.nick.map { "\($0) " } ?? "") + "<\(request.id)>" + words)
    }
  }
}
