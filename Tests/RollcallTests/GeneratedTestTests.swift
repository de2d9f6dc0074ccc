import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Tests generated from a log") struct GeneratedTestTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Generates a test from a log, writes its files, and returns the path of each.
  private func generate(
    _ log: EventLog, at point: LogPoint = .head(minus: 0), name: String = "a-case", redacts: Bool
  ) throws -> (test: GeneratedTest, file: (String) -> URL) {
    let test = try GeneratedTest(
      of: Timeline(log), upTo: point, name: name, redacts: redacts,
      in: URL(filePath: folder.path, directoryHint: .isDirectory))
    let path = folder.path
    func file(_ suffix: String) -> URL { URL(filePath: "\(path)/\(test.name)\(suffix)") }
    for (name, content) in test.files { try content.write(to: URL(filePath: "\(path)/\(name)")) }
    return (test, file)
  }

  @Test("A generated test passes, and its capture identifies no one", arguments: CaptureCase.all)
  func passes(_ capture: CaptureCase) throws {
    let log = try importedLog(of: capture.path, capture.account, in: folder)
    let (test, file) = try generate(log, redacts: true)
    let replay = try CaptureReplay(file(".jsonl"))
    #expect(try replay.stateDifferences(from: file(".state.json")) == [])
    #expect(try replay.findingDifferences(from: file(".findings.json")) == [])
    #expect(test.files.count == 4)
    let all = test.files.values.map { String(decoding: $0, as: UTF8.self) }.joined()
    let people = [capture.account] + capture.expected.items.map(\.jid)
    for person in people { #expect(!all.contains(bare(person).local ?? person)) }
    for name in capture.expected.items.compactMap(\.name) { #expect(!all.contains(name)) }
  }

  @Test("Unredacted, the state equals the log's", arguments: CaptureCase.all)
  func unredacted(_ capture: CaptureCase) throws {
    let log = try importedLog(of: capture.path, capture.account, in: folder)
    let (_, file) = try generate(log, redacts: false)
    let replay = try CaptureReplay(file(".jsonl"))
    let state = try Timeline(log).state(at: .head(minus: 0))
    #expect(replay.roster.sortedItems == state.roster.sortedItems)
    #expect(Set(replay.roster.incoming.keys) == Set(state.roster.incoming.keys))
    #expect(replay.time == state.time)
  }

  @Test("Each different value is named with its path, and nothing else is")
  func differences() throws {
    var scenario = Scenario.alice(item("bob@example.test", "name='Bob' subscription='both'"))
    scenario.receives("subscribe", from: "carol@example.test")
    scenario.pushed(item("x@evil.test"), from: "x@evil.test")
    let (test, file) = try generate(log(of: scenario, in: folder), redacts: false)
    let state = try #require(test.files["\(test.name).state.json"])
    let replay = try CaptureReplay(file(".jsonl"))
    let text = String(decoding: state, as: UTF8.self)
      .replacing("\"name\":\"Bob\"", with: "\"name\":null")
      .replacing("carol@example.test", with: "dora@example.test")
    try text.write(to: file(".state.json"), atomically: true, encoding: .utf8)
    let lines = try replay.stateDifferences(from: file(".state.json"))
    #expect(
      lines.filter { $0.contains("[bob@") } == [
        "- items[bob@example.test].name: null", "+ items[bob@example.test].name: \"Bob\"",
      ])
    #expect(lines.contains(#"- requests.incoming[dora@example.test].jid: "dora@example.test""#))
    #expect(lines.contains(#"+ requests.incoming[carol@example.test].jid: "carol@example.test""#))
    #expect(
      lines.allSatisfy { $0.contains("bob@") || $0.contains("carol@") || $0.contains("dora@") })
  }

  @Test("A finding may be worded differently, but must have the same code")
  func findings() throws {
    var scenario = Scenario.alice()
    scenario.pushed(item("x@evil.test"), from: "x@evil.test")
    let (test, file) = try generate(log(of: scenario, in: folder), redacts: false)
    let replay = try CaptureReplay(file(".jsonl"))
    #expect(test.findings == 1)
    let findings = String(
      decoding: try #require(test.files["\(test.name).findings.json"]), as: UTF8.self)
    let reworded = findings.replacing("was ignored", with: "was left alone")
    #expect(reworded != findings)
    try reworded.write(to: file(".findings.json"), atomically: true, encoding: .utf8)
    #expect(try replay.findingDifferences(from: file(".findings.json")) == [])
    try findings.replacing("foreign-push", with: "undone-edit")
      .write(to: file(".findings.json"), atomically: true, encoding: .utf8)
    #expect(
      try replay.findingDifferences(from: file(".findings.json")) == [
        #"- findings[0].code: "undone-edit""#, #"+ findings[0].code: "foreign-push""#,
      ])
  }

  @Test("A test up to a point has a capture that ends there")
  func points() throws {
    var scenario = Scenario.alice(item("bob@example.test", "subscription='both'"))
    scenario.pushed(item("bob@example.test", "subscription='remove'"))
    let log = try log(of: scenario, in: folder)
    let (_, file) = try generate(log, at: .record(3), redacts: true)
    #expect(try CaptureReplay(file(".jsonl")).roster.entries.count == 1)
  }

  @Test(
    "The suite is named after the folder",
    arguments: [
      ("forged-push", "ForgedPush"), ("Lost contact 2", "LostContact2"), ("2025", "Replay2025"),
      ("忘记", "RosterReplay"), ("", "RosterReplay"), ("a.b_c", "ABC"),
    ])
  func names(_ text: String, _ name: String) throws {
    let log = try log(of: Scenario.alice(), in: folder)
    let (test, _) = try generate(log, name: text, redacts: true)
    #expect(test.name == name)
    let source = String(decoding: try #require(test.files["\(name)Tests.swift"]), as: UTF8.self)
    #expect(source.contains("@Suite struct \(name)Tests {"))
  }

  @Test(
    "A file that is not a native capture is refused",
    arguments: ["", "hello", "{\"rollcall-capture\":1}\n{\"dir\":\"in\",\"xml\":\"<a>\"}\n"])
  func refusals(_ text: String) throws {
    let file = URL(filePath: folder.file("bad.jsonl"))
    try text.write(to: file, atomically: true, encoding: .utf8)
    let error = #expect(throws: RollcallError.self) { try CaptureReplay(file) }
    #expect(error?.reason == .capture)
    #expect(throws: RollcallError.self) {
      try CaptureReplay(URL(filePath: folder.file("missing.jsonl")))
    }
  }
}
