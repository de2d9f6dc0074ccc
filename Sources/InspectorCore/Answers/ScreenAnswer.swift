import Captures
import ContactSections
import Rollcall
import RosterCore
import XMPPStanza

extension OpenLog {
  /// `/api/screen`: some rows of the contacts screen that an application would show.
  mutating func screenAnswer(_ request: InspectorRequest) throws -> JSONValue {
    try screen(at: record("at", of: request), rows(request, first: 40), request)
  }

  mutating func screen(
    at record: UInt64, _ range: Range<Int>, _ request: InspectorRequest
  ) throws -> JSONValue {
    let roster = try stretches.state(after: record).roster
    let policy = SectionPolicy(
      friends: try request.choice("friends") ?? .mutual,
      grouping: try request.choice("grouping") ?? .index)
    let stretches = stretches
    let screen = screens.screen(of: roster, policy) { stretches.changes(in: $0) }
    let rows = ScreenRows(screen.index, search: request.query["search"] ?? "")
    return .object([
      "at": JSONValue(record), "total": .integer(Int64(rows.count)),
      "from": .integer(Int64(range.lowerBound)),
      "friends": .integer(Int64(screen.index.friendCount)),
      "badge": .integer(Int64(screen.index.requestCount)),
      "index": .array(
        rows.letters.map { .array([.string($0.title), .integer(Int64($0.row))]) }),
      "rows": .array(rows.rows(in: range).map { Self.document($0, roster) }),
    ])
  }

  private static func document(_ row: ScreenRows.Row, _ roster: Roster) -> JSONValue {
    switch row {
    case .heading(let title, let kind, let count):
      return .object([
        "head": .string(title), "kind": .string(kind), "key": .string("\(kind) \(title)"),
        "count": .integer(Int64(count)),
      ])
    case .request(let request):
      let name = (try? BareJID(parsing: request.id)).map { roster.displayName(of: $0) }
      return .object([
        "request": .string(request.id), "key": .string("request \(request.id)"),
        "name": .string(request.nick ?? name ?? request.id), "text": JSONValue(request.text),
        "since": JSONValue(request.since),
      ])
    case .contact(let contact, let section):
      let reading = PinyinReader.reading(of: contact.userReading ?? contact.displayName)
      let jid = try? BareJID(parsing: contact.id)
      let best = jid.flatMap { roster.presence(of: $0).best?.presence.availability }
      return (jid.map { named($0, roster) } ?? .object([:])).adding([
        "jid": .string(contact.id), "name": .string(contact.displayName),
        "key": .string("\(section) \(contact.id)"), "reading": .string(reading.pinyin),
        "show": JSONValue(best?.show.rawValue), "status": JSONValue(best?.status),
        "starred": .bool(contact.isStarred),
      ])
    }
  }
}

/// A contacts screen as one list: the rows of each section after its heading.
private struct ScreenRows {
  enum Row {
    case heading(String, kind: String, count: Int)
    case request(ListedRequest)
    case contact(ListedContact, section: String)
  }

  private struct Section {
    let title: String
    let kind: String
    let key: String
    let rows: [SectionIndex.Row]
    /// The number of its heading in the list.
    let start: Int
  }

  private var sections: [Section] = []
  /// The letters at the side, each with the row of its section's heading.
  private(set) var letters: [(title: String, row: Int)] = []
  /// The number of rows, headings included.
  private(set) var count = 0

  init(_ index: SectionIndex, search: String) {
    guard search.isEmpty else {
      let hits = index.search(NameQuery(search))
      append("", "search", key: "search", hits.map { .contact($0) })
      return
    }
    for number in 0..<index.sectionCount {
      let id = index.section(number)
      // Without requests, there is nothing to show of them.
      guard id != .requests || index.rowCount(inSection: number) > 0 else { continue }
      if let title = id.indexTitle { letters.append((title, count)) }
      append(id.title, id.kind, key: "\(id.kind) \(id.title)", index.rows(inSection: number))
    }
  }

  private mutating func append(
    _ title: String, _ kind: String, key: String, _ rows: [SectionIndex.Row]
  ) {
    sections.append(Section(title: title, kind: kind, key: key, rows: rows, start: count))
    count += rows.count + 1
  }

  /// The rows of a range.
  func rows(in range: Range<Int>) -> [Row] {
    var found: [Row] = []
    for section in sections {
      let wanted = range.clamped(to: section.start..<section.start + section.rows.count + 1)
      for number in wanted {
        guard number > section.start else {
          found.append(.heading(section.title, kind: section.kind, count: section.rows.count))
          continue
        }
        switch section.rows[number - section.start - 1] {
        case .request(let request): found.append(.request(request))
        case .contact(let contact): found.append(.contact(contact, section: section.key))
        }
      }
    }
    return found
  }
}
