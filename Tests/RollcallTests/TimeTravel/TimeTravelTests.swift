import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Points of a log, and searches") struct TimeTravelTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  // MARK: Snapshots

  /// The log with a snapshot wherever one is allowed, and their number.
  private func withSnapshots(_ scenario: Scenario) throws -> (log: EventLog, count: Int) {
    let log = try log(of: scenario, in: folder)
    var keeper = SnapshotKeeper(log)
    keeper.follow()
    return (log, try log.read { try $0.snapshotFigures.count })
  }

  @Test("The state at a record equals that of a full replay, even with snapshots")
  func snapshots() throws {
    for seed in UInt64(1)...2 {
      let scenario = randomScenario(seed: seed, lines: 4000)
      let (log, count) = try withSnapshots(scenario)
      #expect(count > 1, "seed \(seed)")
      var roster = Roster()
      var history = scenario.history[...]
      for record in stride(from: UInt64(0), through: 4000, by: 61) {
        while let next = history.first, next.stamp.record <= record {
          _ = RosterReducer.reduce(&roster, next.event, at: next.stamp, on: next.connection)
          history.removeFirst()
        }
        roster.move(to: record)
        let state = try Timeline(log).state(at: .record(record))
        #expect(state.roster == roster, "seed \(seed), record \(record)")
      }
    }
  }

  @Test("Snapshots are stored while a log grows as when it is followed at once")
  func growing() throws {
    let scenario = randomScenario(seed: 9, lines: 6000)
    let drafts = scenario.wire.map(RecordDraft.init)
    let log = try EventLog.create(
      at: folder.file("growing.rollcall"), eventVersion: RecordReader.version)
    var keeper = SnapshotKeeper(log)
    for start in stride(from: 0, to: drafts.count, by: 1000) {
      try log.append(drafts[start..<start + 1000])
      if start == 3000 { keeper = SnapshotKeeper(log) }
      keeper.follow()
    }
    let (whole, count) = try withSnapshots(scenario)
    #expect(try log.read { try $0.snapshotFigures.count } == count)
    #expect(
      try Timeline(log).state(at: .head(minus: 0)) == Timeline(whole).state(at: .head(minus: 0)))
  }

  /// A capture of requests and presence whose clock is sometimes missing or runs backwards.
  private func capture(_ lines: Int, seed: UInt64) throws -> String {
    var generator = SeededGenerator(seed: seed)
    var text = #"{"rollcall-capture":1,"account":"alice@example.test/phone"}"# + "\n"
    text += #"{"stream":"opened","jid":"alice@example.test/phone"}"# + "\n"
    for line in 0..<lines {
      let contact = "c\(Int.random(in: 0..<40, using: &generator))@example.test"
      let time = 1_000_000 + line * 900 + Int.random(in: -9000...9000, using: &generator)
      let clock = line % 5 == 0 ? "" : "\"t\":\(time),"
      let xml =
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: "<presence from='\(contact)' type='subscribe'/>"
        case 1: "<message from='\(contact)/a'><body>\(line)</body></message>"
        default: "<presence from='\(contact)/a'><status>\(line)</status></presence>"
        }
      text += "{\(clock)\"dir\":\"in\",\"xml\":\"\(xml)\"}\n"
    }
    let path = folder.file("\(seed).jsonl")
    try Data(text.utf8).write(to: URL(filePath: path))
    return path
  }

  @Test("An import stores the states that a replay gives, also after another import")
  func importing() throws {
    let log = try EventLog.create(
      at: folder.file("imported.rollcall"), eventVersion: RecordReader.version)
    for seed in UInt64(1)...2 {
      var reading = CaptureImport(ImportOptions())
      let path = try capture(3300, seed: seed)
      _ = try reading.run(try FileHandle(forReadingFrom: URL(filePath: path)), into: log)
    }
    var states: [UInt64: Roster] = [:]
    try log.read { transaction in
      try transaction.forEachSnapshot { check, bytes in
        guard case .sound(let header) = check else { return }
        states[header.sequence] = try Roster(snapshot: bytes)
      }
    }
    #expect(states.count >= 5, "\(states.keys.sorted())")
    for (record, roster) in states {
      let replayed = try Timeline(log).replay(upTo: .record(record)) { _, _ in }
      #expect(roster == replayed.roster, "record \(record)")
    }
  }

  @Test("A snapshot of another version, or one that is not a state, is ignored")
  func unusable() throws {
    let scenario = randomScenario(seed: 3, lines: 500)
    let log = try log(of: scenario, in: folder)
    let other = SnapshotVersion(
      events: RecordReader.version, reducer: RosterReducer.version + 1,
      codec: Roster.codecVersion)
    var elsewhere = Roster()
    elsewhere.move(to: 7)
    try log.store([
      SnapshotDraft(sequence: 300, version: other, state: Roster().snapshot),
      SnapshotDraft(sequence: 400, version: .current, state: [1, 2, 3]),
      SnapshotDraft(sequence: 450, version: .current, state: elsewhere.snapshot),
    ])
    #expect(try Timeline(log).state(at: .record(500)).roster == scenario.roster.moved(to: 500))
  }

  @Test("A stored snapshot is really used")
  func used() throws {
    let scenario = randomScenario(seed: 3, lines: 500)
    let log = try log(of: scenario, in: folder)
    var planted = Roster()
    planted.move(to: 500)
    try log.store([
      SnapshotDraft(sequence: 500, version: .current, state: planted.snapshot)
    ])
    #expect(try Timeline(log).state(at: .record(500)).roster == planted)
  }

  // MARK: Searching

  @Test("Bisection finds the first record, with no more states than halvings")
  func bisection() throws {
    let scenario = randomScenario(seed: 7, lines: 1000)
    let timeline = Timeline(try log(of: scenario, in: folder))
    for wanted in [UInt64(1), 2, 499, 500, 999, 1000] {
      let found = try timeline.first(after: 0, upTo: 1000) { $0.roster.position >= wanted }
      #expect(found.transition == .at(wanted))
      #expect(found.probes <= 10)
    }
    let none = try timeline.first(after: 0, upTo: 1000) { _ in false }
    #expect(none.transition == .never)
    let all = try timeline.first(after: 0, upTo: 1000) { _ in true }
    #expect(all.transition == .holdsFromStart)
    let empty = try timeline.first(after: 1000, upTo: 1000) { _ in false }
    #expect(empty.transition == .never)
  }

  @Test("If states are unknown, the answer is as narrow as what is known")
  func skipping() throws {
    let timeline = Timeline(try log(of: randomScenario(seed: 8, lines: 100), in: folder))
    for (blind, wanted) in [(UInt64(40)...60, UInt64(50)), (1...100, 50), (50...50, 51)] {
      let found = try timeline.first(after: 0, upTo: 100) { state in
        let record = state.roster.position
        return blind.contains(record) ? nil : record >= wanted
      }
      switch found.transition {
      case .within(let range):
        #expect(range.contains(wanted))
        // The records before them may not have been examined.
        #expect(range.lowerBound + 1 >= blind.lowerBound)
        #expect(range.upperBound <= blind.upperBound + 1)
      case .at(let record): #expect(record == wanted)
      case .never, .holdsFromStart: Issue.record("\(found.transition) for \(blind)")
      }
    }
  }

  private static let conditions: [RosterCondition] = [
    .friend(bare("bob@example.test")), .missing(bare("bob@example.test")),
    .pending(bare("carol@example.test")), .name(bare("bob@example.test"), "N"),
    .friendCount(.atLeast, 2),
  ]

  @Test(
    "Every transition of a condition is found, on random sessions", arguments: conditions,
    1...UInt64(4))
  func transitions(_ condition: RosterCondition, seed: UInt64) throws {
    let scenario = randomScenario(seed: seed, lines: 600)
    let timeline = Timeline(try log(of: scenario, in: folder))
    let course = try timeline.course(of: condition, after: 0, upTo: 600)
    func holds(_ roster: Roster) -> Bool {
      condition.holds(in: roster, mayBePartial: course.isPartial)
    }
    var expected: [UInt64] = []
    var isWhole = false
    var before = holds(Roster())
    #expect(course.holdsAtStart == before)
    try timeline.replay(upTo: .head(minus: 0)) { moment, roster in
      if roster.completeness == .complete { isWhole = true }
      let now = holds(roster)
      if now != before { expected.append(moment.stamp.record) }
      before = now
    }
    #expect(course.isPartial == !isWhole)
    #expect(course.transitions.map(\.record) == expected, "seed \(seed)")
    for (index, transition) in course.transitions.enumerated() {
      #expect(transition.holds == (course.holdsAtStart != index.isMultiple(of: 2)))
    }
  }

  @Test("A condition that holds at the start is reported, whatever happens later")
  func holdsAtStart() throws {
    let friend = item("bob@example.test", "subscription='both'")
    var scenario = Scenario.alice(friend)  // 1 to 3
    scenario.pushed(item("bob@example.test", "subscription='remove'"))  // 4
    scenario.pushed(friend)  // 5
    let timeline = Timeline(try log(of: scenario, in: folder))
    let condition = RosterCondition.friend(bare("bob@example.test"))
    for end in UInt64(3)...5 {
      let course = try timeline.course(of: condition, after: 3, upTo: end)
      #expect(course.beginning == .holdsFromStart, "up to \(end)")
      #expect(course.transitions.map(\.record) == (4..<max(4, end + 1)).map { $0 })
    }
    #expect(try timeline.course(of: condition, after: 2, upTo: 5).beginning == .at(3))
    #expect(try timeline.course(of: condition, after: 4, upTo: 4).beginning == .never)
  }

  @Test("Partial knowledge counts only if the whole roster is known nowhere in the range")
  func partial() throws {
    var scenario = Scenario()
    scenario.opened("alice@example.test/phone")  // 1
    scenario.pushed(item("dave@example.test"))  // 2
    scenario.fetches(item("bob@example.test"), version: "1")  // 3 and 4
    scenario.opened("alice@example.test/phone")  // 5
    scenario.gets(id: "again", version: "elsewhere")  // 6
    scenario.receivesEmptyResult(id: "again")  // 7
    #expect(scenario.roster.completeness == .baseUnknown)
    let timeline = Timeline(try log(of: scenario, in: folder))
    let missing = RosterCondition.missing(bare("bob@example.test"))
    let whole = try timeline.course(of: missing, after: 0, upTo: 7)
    #expect(!whole.isPartial && !whole.holdsAtStart, "unknown is not missing")
    #expect(whole.transitions.isEmpty)
    let before = try timeline.course(of: missing, after: 0, upTo: 3)
    #expect(before.isPartial && before.holdsAtStart)
    let count = RosterCondition.friendCount(.less, 1)
    #expect(
      try timeline.course(of: count, after: 0, upTo: 7).transitions.map(\.record) == [4, 7])
  }

  // MARK: The account

  @Test("If the log notes its account, it is known at every point")
  func account() throws {
    let log = try importedLog(
      of: CaptureCase.fixtures.appending(path: "captures/raw-pending-both/capture.log")
        .path(percentEncoded: false), nil, in: folder)
    let timeline = Timeline(log)
    let head = try log.read { try $0.lastSequence }
    let account = try #require(try log.meta.account)
    for record in 0...head {
      #expect(try timeline.state(at: .record(record)).account?.text == account)
    }
    #expect(try timeline.state(at: .record(0)).roster.account == nil)
    let diff = try timeline.diff(from: .record(0), to: .record(head))
    #expect(!diff.differences.contains { $0.difference.field == .account })
  }
}

extension Roster {
  /// The roster after records without a meaning.
  fileprivate func moved(to record: UInt64) -> Roster {
    var roster = self
    roster.move(to: record)
    return roster
  }
}
