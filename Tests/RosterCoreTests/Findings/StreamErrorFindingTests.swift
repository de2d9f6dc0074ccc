import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// Sessions of the phone, each replaced by the next one.
private func replaces(
  _ scenario: inout Scenario, rounds: Int, every pause: Int64, resources: [String] = ["phone"]
) {
  for round in 0..<rounds {
    scenario.failed(
      .inbound, "conflict", "Replaced by new connection", at: Int64(round) * pause)
    scenario.ended(.inbound)
    scenario.opened("alice@example.test/" + resources[(round + 1) % resources.count])
  }
}

func streamErrorCase() -> FindingCase {
  FindingCase(
    {
      $0.failed(.inbound, "policy-violation", "Too fast")
      $0.ends()
    },
    {
      $0.ended(.inbound)
      $0.ends()
    })
}

func conflictLoopCase() -> FindingCase {
  FindingCase(
    {
      replaces(&$0, rounds: 3, every: 2_000)
      $0.ends()
    },
    {
      replaces(&$0, rounds: 3, every: 900_001)
      $0.ends()
    })
}

@Suite("Findings about stream errors")
struct StreamErrorFindingTests {
  @Test("An error is about the resource that it ended, even if the connection has another by then")
  func rebound() throws {
    var scenario = aliceWithBobAndCarol()
    scenario.on(2) { $0.opened("alice@example.test/laptop") }
    scenario.on(1) {
      $0.failed(.inbound, "policy-violation", "Too fast", at: 1_000)
      $0.ended(.inbound)
      $0.opened("alice@example.test/tablet")
    }
    scenario.ends()
    let finding = try #require(scenario.findings.first { $0.code == .streamError })
    #expect(finding.device == "phone")
  }

  @Test("A loop of conflicts is one finding with its count, its resource and the server's text")
  func loop() throws {
    var scenario = aliceWithBobAndCarol()
    for connection in UInt32(1)...4 {
      scenario.on(connection) {
        if connection > 1 { $0.opened("alice@example.test/phone") }
        $0.failed(
          .inbound, "conflict", "Replaced by new connection", at: Int64(connection) * 2_000)
        $0.ended(.inbound)
      }
    }
    let last = scenario.record - 1
    scenario.ends()
    #expect(scenario.findings.map(\.code) == [.conflictLoop])
    let finding = try #require(scenario.findings.first)
    #expect(finding.severity == .warning && finding.count == 4 && finding.cause == 4)
    #expect(finding.extent?.first == 4 && finding.extent?.last == last)
    #expect(
      finding.sentence.hasPrefix(
        "The server ended 4 sessions (#4 to #\(last)) of the resource phone with an error (conflict: "
          + "“Replaced by new connection”)"))
  }

  @Test("One or two conflicts, slow ones, and those of different resources are no loop")
  func noLoop() {
    for (rounds, pause, resources, counts) in [
      (1, 1_000, ["phone"], [1]), (2, 1_000, ["phone"], [2]), (3, 900_001, ["phone"], [1, 1, 1]),
      (3, 1_000, ["phone", "pc", "tablet"], [1, 1, 1]),
    ] as [(Int, Int64, [String], [Int])] {
      var scenario = aliceWithBobAndCarol()
      replaces(&scenario, rounds: rounds, every: pause, resources: resources)
      scenario.ends()
      #expect(scenario.findings.allSatisfy { $0.code == .streamError && $0.severity == .info })
      #expect(scenario.findings.map(\.count) == counts)
    }
  }

  @Test("Conflicts once a minute are a loop, too, and equal errors of another kind one finding")
  func slow() {
    var conflicts = aliceWithBobAndCarol()
    replaces(&conflicts, rounds: 5, every: 65_000)
    #expect(conflicts.ends().map(\.code) == [.conflictLoop])
    #expect(conflicts.ending.map(\.count) == [5])

    var others = aliceWithBobAndCarol()
    for round in 0..<5 as Range<Int64> {
      others.failed(.inbound, "connection-timeout", at: round * 65_000)
      others.ended(.inbound)
      others.opened("alice@example.test/phone")
    }
    #expect(others.ends().map(\.code) == [.streamError] && others.ending.map(\.count) == [5])
  }

  @Test("Only an error about what was received says that the client could not read it")
  func ownErrors() {
    for (condition, isAboutInput) in [("connection-timeout", false), ("not-well-formed", true)] {
      var scenario = aliceWithBobAndCarol()
      scenario.failed(.outbound, condition)
      let sentence = scenario.ends().first?.sentence ?? ""
      #expect(sentence.hasPrefix("We ended our stream at record 4 with an error: \(condition)"))
      #expect(sentence.contains("could not read") == isAboutInput)
    }
  }

  @Test("A loop is reported a quarter of an hour after its last conflict if the log continues")
  func follows() {
    var scenario = aliceWithBobAndCarol()
    replaces(&scenario, rounds: 3, every: 2_000)
    scenario.sends(at: 904_000)
    #expect(scenario.allCodes.isEmpty)
    scenario.sends(at: 904_001)
    #expect(scenario.codes == [.conflictLoop])
    scenario.ends()
    #expect(scenario.allCodes == [.conflictLoop])
  }

  @Test(
    "The condition says how much a stream error matters",
    arguments: [
      ("system-shutdown", Finding.Severity.info), ("conflict", .info), ("reset", .info),
      ("policy-violation", .warning), ("not-well-formed", .warning), ("host-unknown", .warning),
    ])
  func severity(condition: String, severity: Finding.Severity) {
    for direction in Direction.allCases {
      var scenario = aliceWithBobAndCarol()
      scenario.failed(direction, condition, "Because")
      scenario.ends()
      #expect(scenario.findings.map(\.severity) == [severity])
      #expect(scenario.findings.first?.sentence.contains("\(condition): “Because”") == true)
      #expect(scenario.findings.first?.cause == scenario.record)
    }
  }

  @Test("Errors that are remembered are part of the state")
  func state() throws {
    var scenario = aliceWithBobAndCarol()
    replaces(&scenario, rounds: 2, every: 2_000)
    let read = try Roster(snapshot: scenario.roster.snapshot.span.bytes)
    #expect(read == scenario.roster)
    var ended = scenario
    ended.ends()
    let stamp = RecordStamp(record: scenario.record, time: scenario.time)
    #expect(
      RosterReducer.findings(ending: read, at: stamp, hasReceived: false) == ended.findings)
    #expect(ended.findings.map(\.count) == [2])
  }
}
