import Captures
import Rollcall

extension OpenLog {
  /// The most blocks of one answer.
  private static let blockLimit = 4
  /// The most records of an opened fold.
  private static let foldLimit = 2000

  /// `/api/story?view=V`, `/api/story/V/blocks/a-b`, `/api/story/V/fold/N` and `/api/story/V/find`.
  mutating func storyAnswer(_ rest: [String], _ request: InspectorRequest) throws -> JSONValue {
    let name = rest.first ?? request.query["view"] ?? "story"
    let view = try view(name)
    switch rest.count {
    case 0: return try table(view, name, request)
    case 2 where rest[1] == "find": return try find(in: view, request)
    case 3 where rest[1] == "blocks": return try blocks(rest[2], of: view, name)
    case 3 where rest[1] == "fold": return try fold(rest[2])
    default: throw Refusal.noSuchPath
    }
  }

  /// The blocks of a list, so that its height is known everywhere; with `from`, those from one on.
  private func table(
    _ view: StoryView, _ name: String, _ request: InspectorRequest
  ) throws -> JSONValue {
    let first = try request.number("from", in: 0...Int(UInt32.max)) ?? 0
    let blocks = view.blocks(from: first, in: index).map { block in
      JSONValue.array([
        JSONValue(block.first), JSONValue(block.last), .integer(Int64(block.lines)),
        .integer(Int64(block.findings)),
      ])
    }
    return .object([
      "view": .string(name), "show": .string(view.show.rawValue),
      "entries": .integer(Int64(view.count(in: index))), "records": JSONValue(head),
      "blockSize": .integer(Int64(StoryIndex.blockSize)), "from": .integer(Int64(first)),
      "selection": .integer(Int64(view.selection)),
      "blocks": .array(blocks), "complete": .bool(isComplete), "upTo": JSONValue(head),
    ])
  }

  private func blocks(_ text: String, of view: StoryView, _ name: String) throws -> JSONValue {
    let ends = text.split(separator: "-").compactMap { Int($0) }
    guard let first = ends.first, let last = ends.last, ends.count <= 2, first <= last, first >= 0,
      last <= Int(UInt32.max), last < first + Self.blockLimit
    else { throw Refusal.malformed("“\(text)” is no range of at most \(Self.blockLimit) blocks") }
    var people = People()
    let count = view.count(in: index)
    let blocks = try (first...last).map { block in
      let start = min(count, block * StoryIndex.blockSize)
      let entries = (start..<min(count, start + StoryIndex.blockSize))
        .map { view.entry($0, in: index) }
      return JSONValue.array(try documents(of: entries, &people))
    }
    return .object([
      "view": .string(name), "first": .integer(Int64(first)), "blocks": .array(blocks),
      "people": people.document(index.names),
    ])
  }

  /// The records of a fold of the plain story, one by one.
  private func fold(_ text: String) throws -> JSONValue {
    guard let record = UInt64(text), let number = index.entry(atOrBefore: record),
      index.entry(number).first == record
    else { throw Refusal(404, "no-such-record", "no entry begins at record \(text)") }
    let fold = index.entry(number)
    let records = (fold.first...fold.last).filter(index.tells)
    let entries = records.prefix(Self.foldLimit).map { index.entry(of: $0) }
    var people = People()
    return .object([
      "n": JSONValue(fold.first), "last": JSONValue(fold.last),
      "entries": .array(try documents(of: entries, &people)),
      "cut": .bool(records.count > Self.foldLimit), "people": people.document(index.names),
    ])
  }

  // MARK: Finding an entry

  private func find(in view: StoryView, _ request: InspectorRequest) throws -> JSONValue {
    if request.query["record"] != nil {
      let number = view.entry(atOrBefore: try record("record", of: request), in: index)
      return found(number, number.map { view.entry($0, in: index).first })
    }
    let isForward = request.query["next"] != nil
    guard let what = request.query[isForward ? "next" : "previous"] else {
      throw Refusal.malformed("use record=N, next=… with after=N, or previous=… with before=N")
    }
    let place = try record(isForward ? "after" : "before", of: request)
    switch what {
    case "entry": return found(in: view, isForward: isForward, from: place) { _ in true }
    case "finding": return finding(in: view, isForward: isForward, from: place)
    case "session":
      let starts = index.sessions.all.map(\.first.record)
      let record = isForward ? starts.first { $0 > place } : starts.last { $0 < place }
      return found(record.flatMap { view.entry(atOrBefore: $0, in: index) }, record)
    default: throw Refusal.malformed("“\(what)” is none of entry, finding, session")
    }
  }

  private func found(
    in view: StoryView, isForward: Bool, from place: UInt64,
    where isWanted: (StoryIndex.Entry) -> Bool
  ) -> JSONValue {
    let number = number(in: view, isForward: isForward, from: place, where: isWanted)
    return found(number, number.map { view.entry($0, in: index).first })
  }

  /// The nearest record with a finding: one that an entry has, or one about the end of the log,
  /// which no entry has.
  private func finding(in view: StoryView, isForward: Bool, from place: UInt64) -> JSONValue {
    let number = number(in: view, isForward: isForward, from: place) { $0.findings > 0 }
    let record = number.map { view.entry($0, in: index).first }
    let ends = ending.map(\.record).filter { end in
      guard isForward ? end > place : end < place else { return false }
      if view.show == .findings, view.query.terms.isEmpty { return true }
      return view.entry(atOrBefore: end, in: index)
        .map { view.entry($0, in: index).last >= end } ?? false
    }
    let nearest = isForward ? ends.min() : ends.max()
    guard let nearest, record.map({ isForward ? nearest < $0 : nearest > $0 }) ?? true else {
      return found(number, record)
    }
    return found(view.entry(atOrBefore: nearest, in: index), nearest)
  }

  /// The first entry after a record, or the last before it, that is wanted; nil if none is.
  private func number(
    in view: StoryView, isForward: Bool, from place: UInt64,
    where isWanted: (StoryIndex.Entry) -> Bool
  ) -> Int? {
    let here = place == 0 ? nil : view.entry(atOrBefore: place, in: index)
    let count = view.count(in: index)
    if isForward {
      return ((here ?? -1) + 1..<count).first { isWanted(view.entry($0, in: index)) }
    }
    return (0..<(here ?? -1) + 1).last { number in
      let entry = view.entry(number, in: index)
      return entry.first < place && isWanted(entry)
    }
  }

  private func found(_ number: Int?, _ record: UInt64?) -> JSONValue {
    .object(["entry": .integer(Int64(number ?? -1)), "n": JSONValue(record)])
  }
}
