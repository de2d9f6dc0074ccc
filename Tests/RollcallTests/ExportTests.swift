import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite("Exporting a log") struct ExportTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func log(of path: String, _ account: String?) throws -> EventLog {
    try importedLog(of: path, account, in: folder)
  }

  private func native(_ log: EventLog) throws -> (String, LogExport.Difference) {
    let path = folder.file("\(UUID()).jsonl")
    var bytes: [UInt8] = []
    let difference = try LogExport(log).writeNative { bytes += $0 }
    try Data(bytes).write(to: URL(filePath: path))
    return (path, difference)
  }

  private func records(_ log: EventLog) throws -> [RecordHeader: LogDigest] {
    try log.read { transaction in
      var records: [RecordHeader: LogDigest] = [:]
      try transaction.forEachRecord(in: 1...UInt64.max) { header, bytes in
        records[header] = LogDigest(of: bytes)
      }
      return records
    }
  }

  @Test("Importing an export gives an equal roster", arguments: CaptureCase.all)
  func again(_ test: CaptureCase) throws {
    let log = try log(of: test.path, test.account)
    let (path, difference) = try native(log)
    let again = try self.log(of: path, nil)
    let before = try Timeline(log).state(at: .head(minus: 0)).roster
    let after = try Timeline(again).state(at: .head(minus: 0)).roster
    #expect(after.sortedItems == before.sortedItems)
    #expect(after.incoming.keys.sorted() == before.incoming.keys.sorted())
    #expect(after.account == before.account)
    #expect(difference == .addedHeader, "no program but Rollcall writes such a header")
    #expect(try records(again).count == records(log).count + 1)
  }

  @Test("An export holds only a few long records in memory at a time")
  func holdsLittle() throws {
    let log = try EventLog.create(
      at: folder.file("long.rollcall"), eventVersion: RecordReader.version)
    let body = String(repeating: "b", count: 100_000)
    let message = Array("<message xmlns='jabber:client'><body>\(body)</body></message>".utf8)
    for _ in 0..<4 {
      try log.append(
        (0..<10).map { _ in
          RecordDraft(time: nil, direction: .inbound, kind: .element, bytes: message)
        })
    }
    var pieces: [Int] = []
    _ = try LogExport(log).writeNative { pieces.append($0.count) }
    try LogExport(log).writeXML(.inbound) { pieces.append($0.count) }
    #expect(pieces.reduce(0, +) > 80 * message.count)
    #expect(pieces.allSatisfy { $0 < 3 * message.count }, "\(pieces)")
  }

  /// The reader of an export may pause for hours.
  @Test("While an export is written, the pages of the log can be reused")
  func holdsNothing() throws {
    let log = try RollcallTests.log(of: randomScenario(seed: 5, lines: 3000), in: folder)
    var calls = 0
    // A transaction that is open on this thread would make this fail.
    func appendMeanwhile(_: [UInt8]) throws {
      calls += 1
      try log.append([Bookmark(name: "meanwhile", back: 1).draft])
    }
    _ = try LogExport(log).writeNative(appendMeanwhile)
    #expect(calls > 1)
    calls = 0
    try LogExport(log).writeXML(.inbound, appendMeanwhile)
    #expect(calls > 1)
  }

  @Test(
    "The export of a log that began with a header has equal digests", arguments: CaptureCase.all)
  func records(_ test: CaptureCase) throws {
    let (first, _) = try native(try log(of: test.path, test.account))
    let log = try log(of: first, nil)
    let (second, difference) = try native(log)
    #expect(difference == .none)
    #expect(try Data(contentsOf: URL(filePath: first)) == Data(contentsOf: URL(filePath: second)))
    #expect(try records(self.log(of: second, nil)) == records(log))
  }

  @Test("A log of several captures, with times that run backwards, is restored unchanged")
  func several() throws {
    let header = #"{"rollcall-capture":1,"account":"alice@example.test/phone"}"#
    let text = """
      \(header)
      {"t":5,"stream":"opened","jid":"alice@example.test/phone"}
      {"t":3,"dir":"in","xml":"<presence from='bob@example.test/a'><status>\\"q\\" \\\\ 多行\\n\\t</status></presence>"}
      {"dir":"out","xml":"<stream:stream to='example.test'>"}
      {"dir":"out","xml":"</stream:stream>"}
      {"t":9,"stream":"closed"}
      \(header)
      {"t":11,"stream":"resumed"}

      """
    let path = folder.file("several.jsonl")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    let log = try log(of: path, nil)
    let (exported, difference) = try native(log)
    #expect(difference == .none)
    #expect(try records(log).count == 8)
    #expect(try records(self.log(of: exported, nil)) == records(log))
  }

  @Test("As XML, each direction is a document with its elements", arguments: CaptureCase.all)
  func xml(_ test: CaptureCase) throws {
    let log = try log(of: test.path, test.account)
    var counts: [Direction: Int] = [:]
    try log.forEachRecord(in: 1...UInt64.max) { header, _ in
      guard header.kind == .element, let direction = Direction(header.direction) else { return }
      counts[direction, default: 0] += 1
    }
    for direction in Direction.allCases {
      var bytes: [UInt8] = []
      try LogExport(log).writeXML(direction) { bytes += $0 }
      let document = try XMLDocument(data: Data(bytes))
      let elements = document.rootElement()?.children?.count { $0.kind == .element }
      #expect(elements == counts[direction])
    }
  }
}
