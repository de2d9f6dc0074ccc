import EventStore
import RawBytes
import RosterCore
import TestSupport
import Testing

@testable import Rollcall

/// A verification replays the records with the recorder's own code.
@Suite("Snapshots compared with a replay") struct SnapshotReplayTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A change of an item that recorder and replay do not note, and what is wrong with the last
  /// increment of the chain.
  enum Missing: CaseIterable {
    case nothing, subscription, name

    var attributes: String {
      switch self {
      case .nothing, .subscription: "subscription='both'"
      case .name: "name='Bob'"
      }
    }

    var problem: String? {
      switch self {
      case .nothing: nil
      case .subscription: "its snapshot is not what a replay gives"
      // Without its text, later ones have wrong numbers.
      case .name: "its snapshot rests on one that cannot be used, of record 5"
      }
    }
  }

  @Test(
    "A change that is missing in an increment is found even if the replay does not note it either",
    arguments: Missing.allCases)
  func missingChange(_ missing: Missing) throws {
    var scenario = Scenario.alice(item("bob@example.test") + item("carol@example.test"))  // 1 to 3
    scenario.pushed(item("bob@example.test", missing.attributes))  // 4
    scenario.pushed(item("carol@example.test", "name='Carol'"))  // 5
    scenario.pushed(item("carol@example.test", "name='Caroline'"))  // 6
    let log = try log(of: scenario, in: folder)
    let timeline = Timeline(log)
    var state = try timeline.state(at: .record(3))
    var states: [Roster] = []
    func store(_ bytes: [UInt8]) throws {
      states.append(state.roster)
      let draft = SnapshotDraft(
        sequence: state.roster.position, version: .current, state: bytes)
      try log.store([draft])
      state.roster.beginIncrement(
        to: SnapshotBase(
          sequence: draft.sequence, identity: draft.checksum.prefix,
          depth: UInt64(states.count - 1)))
    }
    try store(state.roster.takeSnapshot())
    let whole = try #require(state.roster.base)
    try timeline.advance(&state, to: 4)
    if missing != .nothing { state.roster.beginIncrement(to: whole) }
    for record: UInt64 in [5, 6] {
      try timeline.advance(&state, to: record)
      try store(try #require(state.roster.increment))
    }
    var replay = SnapshotReplay()
    var problems: [UInt64: String] = [:]
    try log.read { transaction in
      try transaction.forEachSnapshot { _, bytes in
        if let base = try SnapshotKind(of: bytes).base { replay.bases.insert(base) }
      }
      for state in states {
        replay.roster = state
        _ = try transaction.snapshot(atOrBefore: state.position, version: .current) {
          problems[$0.sequence] = try replay.problem(of: $1, $0, in: transaction)
        }
      }
    }
    // A chain is read at its end.
    #expect(problems == (missing.problem.map { [6: $0] } ?? [:]))
  }
}
