import Captures
import EventStore
import Foundation
import InspectorCore
import Rollcall
import TestSupport
import Testing

/// What is answered about a log that is being indexed, is damaged, or is replaced meanwhile.
@Suite struct UnfinishedLogTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let slice = 1 << 16

  private static func draft(_ text: String) -> RecordDraft {
    RecordDraft(time: nil, direction: .inbound, kind: .element, bytes: Array(text.utf8))
  }

  private func log(_ name: String) throws -> EventLog {
    try EventLog.create(at: folder.file(name), eventVersion: RecordReader.version)
  }

  // MARK: Indexing

  /// Answers about the whole log would otherwise be about its first records only.
  @Test func whatIsAboutTheWholeLogWaitsForTheIndex() throws {
    let (large, small) = (try log("large.rollcall"), try log("small.rollcall"))
    try large.append(repeatElement(Self.draft("<message/>"), count: Self.slice + 1))
    try small.append([Self.draft("<message/>")])
    let inspected = Inspected(large)
    let both = Inspector([
      inspected.inspector.logs[0],
      InspectedLog(Timeline(small), title: "small.rollcall", isLive: false),
    ])
    func refusals() throws -> [String] {
      let exports = ["native", "redacted", "report", "json"].map {
        inspected.refusal("/api/export?kind=\($0)").code
      }
      let compared = both.answer(try InspectorRequest(.get, target: "/api/compare"))
      let members = try JSONScanner.object(compared.body[...])
      return exports + [
        inspected.refusal("/api/branches", #"{"policy":"lenient"}"#).code,
        members["code"] == .string("indexing") ? "indexing" : "",
      ]
    }
    try inspected.inspector.logs[0].prepare { _, _ in false }
    #expect(try refusals() == Array(repeating: "indexing", count: 6))
    #expect(inspected.refusal("/api/export").status == 409)
    // What is about one moment is answered.
    #expect(try inspected.get("/api/moment?at=1")["at"].number == 1)
    try inspected.inspector.logs[0].prepare()
    #expect(try refusals() == Array(repeating: "", count: 6))
  }

  /// A text is looked for slice by slice: other requests are answered in between, and a term that
  /// needs no words is answered at once.
  @Test func aSearchSaysHowFarItIs() throws {
    let large = try log("large.rollcall")
    try large.append(repeatElement(Self.draft("<message/>"), count: Self.slice + 1))
    try large.append([Self.draft("<message><body>needle</body></message>")])
    let inspected = Inspected(large)
    let head = Self.slice + 2
    func search(_ filter: String) throws -> [Int] {
      let body = JSONValue.object(["show": .string("records"), "filter": .string(filter)]).text
      let view = try inspected.post("/api/views", body)
      #expect(view["upTo"].number == head)
      return [view["searched"].number, view["entries"].number]
    }
    #expect(try search("kind:message") == [head, head])
    #expect(try search("message") == [Self.slice, 0])
    #expect(try inspected.get("/api/moment?at=1")["at"].number == 1)
    // Another text needs the same words, of which the first ones have been read.
    #expect(try search("\"no such words\" -kind:iq") == [head, 0])
    #expect(try search("message") == [head, head])
  }

  // MARK: Damage

  /// A log that cannot be read is not read again from the beginning for each request.
  @Test func damageIsRemembered() throws {
    let growing = try log("damaged.rollcall")
    for number in 1...3 { try growing.append([Self.draft("<message id='number \(number)'/>")]) }
    try overwrite("number 2", with: "number 7")
    let inspected = Inspected(growing)
    #expect(inspected.refusal("/api/log").code == "log-unreadable")
    // Sound again, which only a log that is read again would show.
    try overwrite("number 7", with: "number 2")
    #expect(inspected.refusal("/api/log").code == "log-unreadable")
    #expect(throws: (any Error).self) { try inspected.inspector.logs[0].news(after: 0) }
    try growing.append([Self.draft("<message/>")])
    #expect(try inspected.get("/api/log")["head"].number == 4)
  }

  /// Changes the bytes of the log in its file, where the open log sees it.
  private func overwrite(_ old: String, with new: String) throws {
    let path = folder.file("damaged.rollcall")
    let bytes = try Data(contentsOf: URL(filePath: path))
    let range = try #require(bytes.range(of: Data(old.utf8)))
    let file = try FileHandle(forUpdating: URL(filePath: path))
    try file.seek(toOffset: UInt64(range.lowerBound))
    try file.write(contentsOf: Data(new.utf8))
    try file.close()
  }

  // MARK: Another log at the same place

  /// The old log stays in view until nothing uses it; what is tried on it is given up.
  @Test func aLogMayBeReplacedWhileABranchIsReplayed() throws {
    let (path, other) = (folder.file("place.rollcall"), folder.file("other.rollcall"))
    let fixtures = CaptureCase.all.prefix(2)
    let lengths = try zip([path, other], fixtures).map { path, fixture in
      let inspected = try Inspected(fixture, in: folder)
      try inspected.copy(to: path)
      return Int(try inspected.head)
    }
    let open: @Sendable (String) throws -> Timeline = { path in
      Timeline(
        try EventLog.open(at: path, access: .readOnly, eventVersion: RecordReader.version))
    }
    let log = InspectedLog(
      try open(path), title: "place.rollcall", isLive: true, reopen: { try open(path) })
    let inspector = Inspector([log])
    func facts() throws -> [Int] {
      let answer = inspector.answer(try InspectorRequest(.get, target: "/api/log"))
      let members = JSONValue.object(try JSONScanner.object(answer.body[...]))
      return [answer.status, members["generation"].number, members["head"].number]
    }
    let request = InspectorRequest(.post, ["branches"], body: ["policy": .string("lenient")])
    var meanwhile: [[Int]] = []
    let refusal = #expect(throws: Refusal.self) {
      try log.addBranch(request) { _ in
        guard meanwhile.isEmpty else { return }
        #expect(rename(other, path) == 0)
        meanwhile = (0..<2).compactMap { _ in try? facts() }
      }
    }
    #expect(refusal?.code == "canceled")
    #expect(meanwhile == [[200, 0, lengths[0]], [200, 0, lengths[0]]])
    #expect(try facts() == [200, 1, lengths[1]])
  }
}
