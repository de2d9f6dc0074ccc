import Captures
import EventStore
import Foundation
import InspectorCore
import Rollcall
import TestSupport
import Testing

/// Every answer conforms to the schema of answers.
@Suite struct AnswerSchemaTests {
  private let folder: TemporaryFolder
  private let schema: JSONSchema

  init() throws {
    folder = try TemporaryFolder()
    schema = try JSONSchema(of: .answers)
  }

  /// Asks a question, and expects an answer of a kind.
  private struct Asking {
    let inspector: Inspector
    let schema: JSONSchema
    /// The kinds of answer that there were.
    private(set) var seen: Set<String> = []

    init(_ inspector: Inspector, _ schema: JSONSchema) {
      (self.inspector, self.schema) = (inspector, schema)
    }

    @discardableResult
    mutating func ask(_ name: String, _ target: String, _ body: String? = nil) throws -> JSONValue {
      let request = try InspectorRequest(
        body == nil ? .get : .post, target: target, body: Array((body ?? "").utf8))
      let text = String(decoding: inspector.answer(request).body, as: UTF8.self)
      #expect(try schema.fault(in: text, name) == nil, "\(target) \(body ?? "")")
      seen.insert(name)
      return .object(try JSONScanner.object(Array(text.utf8)[...]))
    }

    /// The answers about one record.
    mutating func ask(about record: Int, head: Int) throws {
      let all = "parts=record,roster,screen,diff"
      let moment = try ask("moment", "/api/moment?at=\(record)&pin=1&\(all)&friends=all")
      try ask("moment", "/api/moment?at=\(record)&parts=record")
      try ask("record", "/api/records/\(record)")
      try ask("roster", "/api/roster?at=\(record)&order=changed")
      try ask("screen", "/api/screen?at=\(record)&friends=all&search=a")
      try ask("diff", "/api/diff?from=\(record / 2)&to=\(record)")
      let requests = moment["roster"]["requests"]
      let rows =
        moment["roster"]["rows"].list.prefix(3) + requests["incoming"].list.prefix(1)
        + requests["outgoing"].list.prefix(1)
      for jid in Set(rows.compactMap { $0["jid"].words }) {
        try ask("contact", "/api/contacts/\(jid)?at=\(record)")
        try ask("history", "/api/contacts/\(jid)/history?count=20")
        try ask("cards", "/api/contacts/\(jid)/cards?at=\(record)")
      }
      try ask("branch", "/api/branches", #"{"drop":["\#(record)"]}"#)
    }

    /// The answers about lists.
    mutating func askAboutLists() throws {
      for view in ["story", "records", "findings"] {
        let table = try ask("story", "/api/story?view=\(view)")
        for block in table["blocks"].list.indices.prefix(2) {
          let answer = try ask("blocks", "/api/story/\(view)/blocks/\(block)")
          let folds = answer["blocks"][0].list.filter { $0["fold"] != .null }
          for fold in folds.prefix(3) {
            try ask("fold", "/api/story/story/fold/\(fold["n"].number)")
          }
        }
        try ask("find", "/api/story/\(view)/find?next=finding&after=0")
      }
      try ask("views", "/api/views", #"{"show":"records","filter":"kind:iq"}"#)
      try ask("refusal", "/api/views", #"{"filter":"kind:foo"}"#)
      for axis in ["time", "record"] { try ask("timeline", "/api/timeline?columns=5&axis=\(axis)") }
    }
  }

  /// Every answer about every capture conforms, and none is described that there is not.
  @Test func everyAnswerConforms() throws {
    var seen = try answersAboutTwoLogs()
    seen.formUnion(try answersAboutABurst())
    for fixture in CaptureCase.all { seen.formUnion(try answers(about: fixture)) }
    #expect(Set(try schema.documents).symmetricDifference(seen) == [])
  }

  private func answers(about fixture: CaptureCase) throws -> Set<String> {
    let inspected = try Inspected(fixture, in: folder)
    var asking = Asking(inspected.inspector, schema)
    let log = try asking.ask("log", "/api/log")
    let head = log["head"].number
    let findings = try asking.ask("findings", "/api/findings")
    let odd = findings["findings"].list.prefix(4).map { $0["record"].number }
    for record in Set([1, head / 3, head / 2, head] + odd) where record > 0 {
      try asking.ask(about: record, head: head)
    }
    try asking.askAboutLists()
    let hasTimes = log["hasTimes"] == .bool(true)
    try asking.ask(hasTimes ? "timelineAt" : "refusal", "/api/timeline/at?t=1795190000000")
    try asking.ask("point", "/api/point?text=\(head)")
    try asking.ask("policies", "/api/policies")
    try asking.ask("branch", "/api/branches", #"{"policy":"lenient"}"#)
    try asking.ask("canceled", "/api/branches", #"{"cancel":true}"#)
    try asking.ask("refusal", "/api/branches/b99")
    let news = try #require(try inspected.inspector.logs[0].news(after: 1))
    #expect(try schema.fault(in: news.document, "news") == nil)
    return asking.seen.union(["news"])
  }

  /// Those about a fold, which no capture has.
  private func answersAboutABurst() throws -> Set<String> {
    var asking = Asking(try Inspected(withBurstIn: folder).inspector, schema)
    try asking.askAboutLists()
    return asking.seen
  }

  /// Those that one log of a session does not have.
  private func answersAboutTwoLogs() throws -> Set<String> {
    let fixture = try #require(CaptureCase.all.first { $0.name == "slixmpp-two-devices" })
    let folder = URL(filePath: fixture.path).deletingLastPathComponent()
    let logs = try ["capture.log", "laptop.log"].map { name in
      try Inspected(
        capture: folder.appending(path: name).path(percentEncoded: false), of: fixture.account,
        in: self.folder)
    }
    let marks = InspectedLog(
      logs[0].timeline, title: "phone.rollcall", isLive: false,
      setBookmark: { name, point in _ = try logs[0].timeline.addBookmark(name, at: .record(point)) }
    )
    var asking = Asking(
      Inspector([marks, InspectedLog(logs[1].timeline, title: "laptop.log", isLive: false)]), schema
    )
    try asking.ask("compare", "/api/compare")
    try asking.ask("bookmark", "/api/bookmarks", #"{"name":"here","at":3}"#)
    try asking.ask("log", "/api/log")
    return asking.seen
  }

  /// Otherwise, an answer could lose a member that the page needs.
  @Test func everyMemberIsNeeded() throws {
    let inspected = try Inspected(try #require(CaptureCase.all.first), in: folder)
    guard case .object(let members) = try inspected.get("/api/records/1") else {
      Issue.record("the answer is no object")
      return
    }
    for name in members.keys {
      var less = members
      less[name] = nil
      #expect(try schema.fault(in: JSONValue.object(less).text, "record") != nil, "\(name)")
    }
    let more = JSONValue.object(members).adding(["more": .bool(true)])
    #expect(try schema.fault(in: more.text, "record") == "record has “more”")
  }
}
