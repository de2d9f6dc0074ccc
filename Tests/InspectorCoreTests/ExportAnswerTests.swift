import Captures
import EventStore
import Foundation
import InspectorCore
import Rollcall
import TestSupport
import Testing

/// What can be taken along: exports, and records that are too large for one answer.
@Suite struct ExportAnswerTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func export(_ inspected: Inspected, _ query: String) throws -> InspectorAnswer {
    let request = try InspectorRequest(.get, target: "/api/export?\(query)")
    let answer = inspected.inspector.answer(request)
    try #require(answer.status == 200, "\(query): \(answer.status)")
    return answer
  }

  private func lines(_ answer: InspectorAnswer) throws -> [JSONValue] {
    try answer.body.split(separator: UInt8(ascii: "\n")).map {
      .object(try JSONScanner.object($0))
    }
  }

  /// The native form makes a log whose native form is the same; its header is one record more.
  @Test(arguments: CaptureCase.all)
  func aCaptureIsTheWholeLog(_ fixture: CaptureCase) throws {
    let inspected = try Inspected(fixture, in: folder)
    let answer = try export(inspected, "kind=native")
    let path = folder.file("\(UUID()).jsonl")
    try Data(answer.body).write(to: URL(filePath: path))
    let again = try Inspected(capture: path, of: fixture.account, in: folder)
    #expect(try again.head == inspected.head + 1)
    #expect(try export(again, "kind=native").body == answer.body)
    #expect(answer.fileName == "test.rollcall.jsonl")
  }

  /// JSON has the entries that are listed, with the filter and those in folds.
  @Test(arguments: CaptureCase.all)
  func jsonIsTheListThatIsShown(_ fixture: CaptureCase) throws {
    let inspected = try Inspected(fixture, in: folder)
    for filter in ["", "kind:presence", "is:finding", "\"no such words\""] {
      let body = JSONValue.object(["show": .string("records"), "filter": .string(filter)]).text
      let view = try #require(try inspected.post("/api/views", body)["view"].words)
      var shown: [Int] = []
      for block in try inspected.get("/api/story?view=\(view)")["blocks"].list.indices {
        let entries = try inspected.get("/api/story/\(view)/blocks/\(block)")["blocks"][0]
        shown += entries.list.map { $0["n"].number }
      }
      // What means nothing to the roster has no document.
      let meaning = try shown.filter { try inspected.timeline.moment(of: UInt64($0)) != nil }
      let saved = try lines(try export(inspected, "kind=json&view=\(view)"))
      #expect(saved.map { $0["record"].number } == meaning, "\(filter)")
    }
  }

  @Test func aRedactedCaptureAndItsNameSayNothingOfPeople() throws {
    let inspected = try Inspected(try #require(CaptureCase.all.first), in: folder)
    let answer = try export(inspected, "kind=redacted")
    #expect(answer.fileName == "redacted.jsonl")
    let account = try #require(CaptureCase.all.first).account
    #expect(!String(decoding: answer.body, as: UTF8.self).contains(account))
  }

  @Test func aReportIsAPage() throws {
    let inspected = try Inspected(try #require(CaptureCase.all.first), in: folder)
    let answer = try export(inspected, "kind=report")
    #expect(answer.contentType.hasPrefix("text/html"))
    #expect(
      String(decoding: answer.body.prefix(15), as: UTF8.self).lowercased() == "<!doctype html>")
  }

  /// The parts of a large record make up the whole, wherever its characters are cut.
  @Test(arguments: 0...3)
  func aLargeRecordIsTheSumOfItsParts(_ shift: Int) throws {
    let log = try EventLog.create(
      at: folder.file("large.rollcall"), eventVersion: RecordReader.version)
    let body = String(repeating: "a", count: shift) + String(repeating: "张😀", count: 12_000)
    let xml = "<message><body>\(body)</body></message>"
    try log.append([
      RecordDraft(time: nil, direction: .inbound, kind: .element, bytes: Array(xml.utf8))
    ])
    let inspected = Inspected(log)
    var (text, answers) = ("", 0)
    repeat {
      let start = text.utf8.count
      let part = try inspected.get("/api/records/1?bytes=\(start)-\(start + (64 << 10))")
      #expect(part["from"].number == start)
      #expect(part["cut"] == .bool(true))
      let more = try #require(part["xml"].words)
      try #require(!more.isEmpty)
      text += more
      answers += 1
    } while text.utf8.count < xml.utf8.count && answers < 9
    #expect(text == xml)
    #expect(answers == 2)
  }
}
