import Captures
import ContactSections
import Rollcall
import RosterCore

/// What is different between two contacts screens, section by section.
struct SectionsDiff {
  /// A section and what came into it, left it, or is shown otherwise.
  private struct Section {
    let id: SectionID
    var added: [Row] = []
    var removed: [Row] = []
    var changed: [(before: Row, after: Row)] = []
  }

  fileprivate struct Row: Equatable {
    let id: String
    let text: String
  }

  private var sections: [Section] = []

  /// Complexity: linear in the rows of both screens.
  init(_ before: Roster, _ after: Roster) {
    let old = Self.rows(before)
    let new = Self.rows(after)
    // In the order of the new screen, what is left of the old one behind.
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

  var isEmpty: Bool { sections.isEmpty }

  /// For a person: as a diff of code, the sections in the place of files.
  var lines: [String] {
    guard !isEmpty else { return ["no difference"] }
    return sections.flatMap { section in
      let title = section.id == .requests ? "new requests" : section.id.title
      return ["", Style.bold(title.visible)]
        + section.removed.map { Style.red("  - \($0.text.visible)") }
        + section.added.map { Style.green("  + \($0.text.visible)") }
        + section.changed.map {
          Style.yellow("  ~ \($0.before.text.visible) → \($0.after.text.visible)")
        }
    }.dropFirst().map { $0 }
  }

  var document: JSONValue {
    .object([
      "sections": .array(
        sections.map { section in
          .object([
            "title": .string(section.id.title),
            "added": JSONValue(section.added.map(\.id)),
            "removed": JSONValue(section.removed.map(\.id)),
            "changed": JSONValue(section.changed.map(\.after.id)),
          ])
        })
    ])
  }
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
