import Rollcall
import RosterCore
import TestSupport
import Testing

/// The properties of the codec and of differences hold for captured sessions too.
@Suite("Coding states") struct StateCodecTests {
  private struct Step {
    let moment: Timeline.Moment
    let roster: Roster
  }

  /// The effect of each record, and the state after it.
  private func steps(_ test: CaptureCase) throws -> [Step] {
    let log = try importedLog(of: test.path, test.account, in: try TemporaryFolder())
    var steps: [Step] = []
    try Timeline(log).replay(upTo: .head(minus: 0)) { moment, roster in
      steps.append(Step(moment: moment, roster: roster))
    }
    return steps
  }

  @Test("Each state is read back unchanged, and continues as it did", arguments: CaptureCase.all)
  func keeping(_ test: CaptureCase) throws {
    let steps = try steps(test)
    #expect(!steps.isEmpty)
    for (index, step) in steps.enumerated() {
      let bytes = step.roster.snapshot
      var kept = try Roster(snapshot: bytes.span.bytes)
      #expect(kept == step.roster)
      #expect(kept.canonicalBytes == step.roster.canonicalBytes)
      guard index % 20 == 0 else { continue }
      for next in steps[(index + 1)...] {
        let outcome = RosterReducer.reduce(
          &kept, next.moment.event, at: next.moment.stamp, on: next.moment.connection)
        #expect(outcome == next.moment.outcome)
      }
      #expect(kept == steps.last?.roster)
      #expect(kept.canonicalBytes == steps.last?.roster.canonicalBytes)
    }
  }

  @Test("Differences lead from each state to the next and to the last", arguments: CaptureCase.all)
  func differences(_ test: CaptureCase) throws {
    let steps = try steps(test)
    let last = try #require(steps.last?.roster)
    var before = Roster()
    for step in steps {
      let contacts = Set(step.moment.outcome.changes.compactMap(\.contact))
      let all = before.differences(to: step.roster)
      #expect(leads(all, from: before, to: step.roster))
      #expect(before.differences(to: step.roster, among: contacts) == all)
      #expect(leads(step.roster.differences(to: last), from: step.roster, to: last))
      #expect(leads(last.differences(to: step.roster), from: last, to: step.roster))
      before = step.roster
    }
  }
}
