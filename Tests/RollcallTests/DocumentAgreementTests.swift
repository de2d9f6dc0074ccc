import Captures
import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// `replay`, `diff` and `state` print JSON of the same model.
@Suite("Documents of one session agree") struct DocumentAgreementTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Applies the changes of every record to the state before all records, and compares it with the
  /// state after each record, or after some of many.
  private func checkReplay(_ log: EventLog, _ comment: Comment) throws {
    var state = Timeline.State()
    var fold = StateFold(JSONValue(state))
    let head = try log.read { try $0.lastSequence }
    let step = max(1, head / 300)
    var mismatches = 0
    try Timeline(log).replay(upTo: .head(minus: 0)) { moment, roster in
      guard case .object(let document) = JSONValue(moment),
        case .array(let changes)? = document["changes"]
      else {
        Issue.record("\(comment): no changes")
        return
      }
      let record = JSONValue(moment.stamp.record)
      for change in changes { fold.apply(change, of: record) }
      guard mismatches < 3, moment.stamp.record % step == 0 || moment.stamp.record + 3 > head
      else { return }
      state.roster = roster
      let expected = StateFold(JSONValue(state))
      if fold.shown != expected.shown || !fold.mismatches.isEmpty {
        mismatches += 1
        Issue.record(
          "\(comment), #\(moment.stamp.record): \(fold.mismatches.prefix(3)) \(fold.difference(from: expected))"
        )
      }
    }
    #expect(mismatches == 0, comment)
  }

  /// Applies the differences between two points to the state of the first.
  private func checkDiff(
    _ log: EventLog, _ start: UInt64, _ end: UInt64, _ comment: Comment
  ) throws {
    let diff = try Timeline(log).diff(from: .record(start), to: .record(end))
    var fold = StateFold(JSONValue(diff.before))
    for item in diff.differences {
      fold.apply(JSONValue(item), of: JSONValue(item.cause?.record))
    }
    let expected = StateFold(JSONValue(diff.after))
    #expect(fold.mismatches.isEmpty, "\(comment): \(fold.mismatches.prefix(3))")
    #expect(
      fold.content == expected.content,
      "\(comment): \(fold.content.difference(from: expected.content))")
  }

  private func check(_ log: EventLog, _ comment: Comment, seed: UInt64) throws {
    try checkReplay(log, comment)
    let head = try log.read { try $0.lastSequence }
    var random = SeededGenerator(seed: seed)
    for _ in 0..<4 {
      let (start, end) = (
        UInt64.random(in: 0...head, using: &random), UInt64.random(in: 0...head, using: &random)
      )
      try checkDiff(log, start, end, "\(comment), \(start) to \(end)")
    }
    try checkDiff(log, 0, head, comment)
  }

  @Test("Stored sessions", arguments: CaptureCase.all)
  func kept(_ capture: CaptureCase) throws {
    try check(importedLog(of: capture.path, capture.account, in: folder), "\(capture)", seed: 1)
  }

  /// The folders with logs that programs wrote.
  private static let folders: [URL] = {
    let folder = CaptureCase.fixtures.appending(path: "logs")
    let all = try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    return (all ?? []).filter {
      FileManager.default.fileExists(atPath: $0.appending(path: "capture.log").path)
    }
    .sorted { $0.path < $1.path }
  }()

  @Test("Stored logs of programs", arguments: folders)
  func ofPrograms(_ folder: URL) throws {
    struct Meta: Decodable { let account: String }
    let meta = try JSONDecoder().decode(
      Meta.self, from: Data(contentsOf: folder.appending(path: "meta.json")))
    let log = try EventLog.draft(
      for: self.folder.file("\(UUID()).rollcall"), eventVersion: RecordReader.version)
    var reading = CaptureImport(ImportOptions(account: try BareJID(parsing: meta.account)))
    let file = try FileHandle(forReadingFrom: folder.appending(path: "capture.log"))
    _ = try reading.run(file, into: log)
    try check(log, "\(folder.lastPathComponent)", seed: 2)
  }

  @Test("There are stored logs") func hasLogs() { #expect(Self.folders.count > 15) }

  @Test("Random dialogues", arguments: UInt64(300)..<312)
  func random(seed: UInt64) throws {
    let scenario = randomScenario(seed: seed, lines: 400)
    try check(log(of: scenario, in: folder), "seed \(seed)", seed: seed)
  }

  @Test("Random dialogues of several devices", arguments: UInt64(320)..<332)
  func devices(seed: UInt64) throws {
    var server = SimulatedServer(seed: seed, devices: 3)
    for _ in 0..<400 { server.step() }
    try check(log(of: server.scenario, in: folder), "seed \(seed)", seed: seed)
  }

  @Test("Presence is hidden when a session ends and shown when it is resumed, in one line each")
  func resumption() throws {
    var scenario = Scenario.alice()
    for name in ["bob", "carol", "dave"] { scenario.receives(from: "\(name)@example.test/pc") }
    scenario.lost()
    let hidden = scenario.last.changes
    scenario.resumed()
    let shown = scenario.last.changes
    #expect(hidden.filter { $0.field == .presence && $0.reason == .session }.count == 3)
    #expect(hidden.digest.map(\.clause) == ["disconnected: no presence is shown"])
    #expect(shown.filter { $0.field == .presence && $0.reason == .session }.count == 3)
    #expect(
      shown.digest.map { "\($0.mark) \($0.clause)" }
        == ["+ connected", "+ presence of 3 contacts is shown again"])
    // A new session begins without presence, and nothing is hidden twice.
    scenario.lost()
    scenario.opened("alice@example.test/phone")
    #expect(!scenario.last.changes.contains { $0.field == .presence })
  }
}
