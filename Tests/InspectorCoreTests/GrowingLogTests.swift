import Captures
import EventStore
import Foundation
import InspectorCore
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// A log that is written while it is looked at shows what one shows that was opened later.
@Suite struct GrowingLogTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Filters whose terms stand for the same records, for other people and for other devices as a
  /// log grows.
  private static let filters = [
    "kind:presence", "is:finding", "-is:lasting", "way:out kind:iq", "who:example", "on:p", "on:l",
    "pushes", "-server", "\"the roster\"", "who:a kind:iq",
  ]

  /// The log that a fixture has become, and a log of its first records for each of `pieces`.
  private func grow(
    _ fixture: CaptureCase, _ body: (Inspected, Inspected, (Int) throws -> Bool) throws -> Void
  ) throws {
    let whole = try Inspected(fixture, in: folder)
    let log = try EventLog.create(
      at: folder.file("\(UUID()).rollcall"), eventVersion: RecordReader.version,
      account: try whole.log.meta.account)
    var drafts = try whole.drafts[...]
    let names = try whole.log.meta.connections
    try body(whole, Inspected(log)) { count in
      guard !drafts.isEmpty else { return false }
      let piece = drafts.prefix(count)
      // As a recorder does, with the names of the connections that the records are of.
      let connections = Set(piece.map(\.connection))
      try log.append(
        piece, marks: LogMarks(connections: names.filter { connections.contains($0.key) }))
      drafts = drafts.dropFirst(count)
      return true
    }
  }

  @Test(arguments: CaptureCase.all)
  func theIndexOfPartsIsThatOfTheWhole(_ fixture: CaptureCase) throws {
    try grow(fixture) { whole, growing, append in
      var known: UInt64 = 0
      // Pieces that end inside folds, and one record at a time.
      for piece in [1, 2, 3, 5, 7, 64, 100, .max] {
        guard try append(piece) else { break }
        let news = try #require(try growing.inspector.logs[0].news(after: known))
        #expect(news.head == (try growing.head))
        known = news.head
        _ = try growing.get("/api/timeline")
      }
      #expect(try growing.inspector.logs[0].news(after: known) == nil)
      for target in [
        "/api/story?view=story", "/api/story/story/blocks/0", "/api/story?view=findings",
        "/api/timeline?axis=record", "/api/findings",
      ] {
        #expect(
          try growing.get(target).without("selection") == whole.get(target).without("selection"),
          "\(target)")
      }
      let (mine, others) = (try growing.get("/api/log"), try whole.get("/api/log"))
      for key in ["sessions", "devices", "findings", "entries", "first", "last", "connections"] {
        #expect(mine[key] == others[key], "\(key)")
      }
    }
  }

  /// A list that is extended at each growth is the one that is selected at the end.
  @Test(arguments: CaptureCase.all)
  func aFilterOfPartsIsThatOfTheWhole(_ fixture: CaptureCase) throws {
    try grow(fixture) { whole, growing, append in
      func views(_ inspected: Inspected) throws -> [String] {
        try Self.filters.map { filter in
          let body = JSONValue.object(["show": .string("records"), "filter": .string(filter)])
          return try #require(try inspected.post("/api/views", body.text)["view"].words)
        }
      }
      var names: [String] = []
      for piece in [1, 4, 9, 2, 1, 30, .max] {
        guard try append(piece) else { break }
        names = try views(growing)
      }
      for (filter, (mine, others)) in zip(Self.filters, zip(names, try views(whole))) {
        let (first, second) = (
          try growing.get("/api/story?view=\(mine)"), try whole.get("/api/story?view=\(others)")
        )
        #expect(first["entries"] == second["entries"], "\(filter)")
        #expect(first["blocks"] == second["blocks"], "\(filter)")
        guard second["entries"].number > 0 else { continue }
        #expect(
          try growing.get("/api/story/\(mine)/blocks/0")["blocks"]
            == whole.get("/api/story/\(others)/blocks/0")["blocks"], "\(filter)")
      }
    }
  }

  /// While a log is indexed slice by slice, what is indexed is shown, and how far that is.
  @Test func aLogIsShownWhileItIsIndexed() throws {
    let log = try EventLog.create(
      at: folder.file("large.rollcall"), eventVersion: RecordReader.version)
    let slice = 1 << 16
    let draft = RecordDraft(
      time: nil, direction: .inbound, kind: .element,
      bytes: Array("<message/>".utf8))
    try log.append(repeatElement(draft, count: slice + 1))
    let inspected = Inspected(log)
    var seen: [JSONValue] = []
    try inspected.inspector.logs[0].prepare { indexed, all in
      #expect((indexed, all) == (UInt64(slice), UInt64(slice) + 1))
      return false
    }
    seen.append(try inspected.get("/api/log"))
    #expect(try inspected.inspector.logs[0].news(after: UInt64(slice)) == nil)
    try inspected.inspector.logs[0].prepare()
    seen.append(try inspected.get("/api/log"))
    #expect(seen.map { $0["complete"] } == [.bool(false), .bool(true)])
    #expect(seen.map { $0["upTo"].number } == [slice, slice + 1])
    #expect(seen.map { $0["records"].number } == [slice + 1, slice + 1])
  }

  // MARK: Another log at the same place

  @Test func aReplacedLogIsNoticed() throws {
    let path = folder.file("place.rollcall")
    let fixtures = CaptureCase.all.prefix(2)
    let first = try #require(fixtures.first), second = try #require(fixtures.last)
    try Inspected(first, in: folder).copy(to: path)
    let log = InspectedLog(
      Timeline(try Self.open(path)), title: "place.rollcall", isLive: true,
      reopen: { Timeline(try Self.open(path)) })
    let inspector = Inspector([log])
    let before = try inspector.document("/api/log")
    #expect(before["generation"].number == 0)
    let other = folder.file("other.rollcall")
    try Inspected(second, in: folder).copy(to: other)
    try FileManager.default.removeItem(atPath: path)
    // A log that is gone stays in view.
    #expect(try inspector.document("/api/log") == before)
    try FileManager.default.moveItem(atPath: other, toPath: path)
    let news = try #require(try log.news(after: .max, of: 0))
    #expect(news.generation == 1)
    let after = try inspector.document("/api/log")
    #expect(after["generation"].number == 1)
    #expect(after["id"] != before["id"])
    #expect(after["account"] == .string(second.account))
    #expect(try log.news(after: news.head, of: 1) == nil)
  }

  private static func open(_ path: String) throws -> EventLog {
    try EventLog.open(at: path, access: .readOnly, eventVersion: RecordReader.version)
  }
}

extension Inspected {
  /// The records, to be appended to another log.
  var drafts: [RecordDraft] {
    get throws {
      var drafts: [RecordDraft] = []
      let reader = RecordReader()
      try log.forEachRecord(in: 1...head) { header, span in
        let bytes = (0..<span.byteCount).map { span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
        let parts = reader.decode(header, span)
        drafts.append(
          RecordDraft(
            time: header.time, direction: header.direction, kind: header.kind,
            connection: header.connection, bytes: bytes, event: parts.event,
            contacts: parts.contacts))
      }
      return drafts
    }
  }

  /// Writes the same records to a log that is closed afterward.
  func copy(to path: String) throws {
    let copy = try EventLog.create(
      at: path, eventVersion: RecordReader.version, account: try log.meta.account)
    try copy.append(try drafts, marks: LogMarks(connections: try log.meta.connections))
  }
}

extension Inspector {
  fileprivate func document(_ target: String) throws -> JSONValue {
    .object(try JSONScanner.object(answer(try InspectorRequest(.get, target: target)).body[...]))
  }
}

extension JSONValue {
  /// The object without a member.
  fileprivate func without(_ name: String) -> JSONValue {
    guard case .object(var members) = self else { return self }
    members[name] = nil
    return .object(members)
  }
}
