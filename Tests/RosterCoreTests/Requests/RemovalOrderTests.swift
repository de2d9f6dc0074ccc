@testable import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// What arrives from the server about bob, a letter for each line.
///
/// `u` and `d` are his `unsubscribe` and `unsubscribed`; `r`, `n`, `f` and `t` are pushes of his
/// removal, and of “none”, “from” and “to”; `p` is a pause of more than a second.
private func receive(_ lines: String, _ scenario: inout Scenario) {
  let bob = "bob@example.test"
  for line in lines {
    switch line {
    case "u": scenario.receives("unsubscribe", from: bob)
    case "d": scenario.receives("unsubscribed", from: bob)
    case "r": scenario.pushed(item(bob, "subscription='remove'"))
    case "n": scenario.pushed(item(bob))
    case "f": scenario.pushed(item(bob, "subscription='from'"))
    case "t": scenario.pushed(item(bob, "subscription='to'"))
    default: scenario.time = scenario.time.map { $0 + 1_001 }
    }
  }
}

@Suite("The order of a removal and the stanzas that explain it")
struct RemovalOrderTests {
  private let bob = "bob@example.test"
  private let codes: Set<Finding.Code> = [
    .friendLeft, .removedElsewhere, .deniedRequest, .unsolicitedUnsubscribe,
    .unsolicitedUnsubscribed,
  ]

  private func alice(_ attributes: String = "subscription='both'") -> Scenario {
    var scenario = Scenario()
    scenario.time = 0
    scenario.opened("alice@example.test/phone")  // 1
    scenario.fetches(item("bob@example.test", attributes))  // 2 and 3
    return scenario
  }

  private func findings(_ scenario: Scenario) -> [Finding] {
    var scenario = scenario
    scenario.ends()
    return scenario.findings.filter { codes.contains($0.code) }
  }

  @Test(
    "A friend who leaves both ways has left, wherever the removal comes",
    arguments: [
      "rud", "rdu", "urd", "dru", "udr", "fdru", "dfru", "turd", "utrd", "nudr", "udnr", "nurd",
    ])
  func bothWays(_ lines: String) throws {
    for hasClock in [true, false] {
      var scenario = alice()
      if !hasClock { scenario.time = nil }
      receive(lines, &scenario)
      let found = findings(scenario)
      #expect(found.map(\.code) == [.friendLeft], "\(lines)")
      let finding = try #require(found.first)
      for (stanza, line) in [("unsubscribe", "u"), ("unsubscribed", "d")] as [(String, Character)] {
        let place = try #require(lines.firstIndex(of: line))
        let record = 4 + lines.distance(from: lines.startIndex, to: place)
        #expect(finding.sentence.contains("“\(stanza)” of record \(record)"), "\(lines)")
      }
      #expect(finding.sentence.contains("before, it was “both”"), "\(lines)")
      #expect(scenario.contacts.isEmpty)
    }
  }

  @Test("A friend who leaves one way has left", arguments: ["ru", "rd", "ur", "dr"])
  func oneWay(_ lines: String) {
    let stanza = lines.first == "r" ? 5 : 4
    var scenario = alice()
    receive(lines, &scenario)
    let found = findings(scenario)
    #expect(
      found.map(\.code) == [.friendLeft] && found.map(\.cause) == [UInt64(stanza)], "\(lines)")
    #expect(found.first?.sentence.contains("the contact has left the roster since") == true)
    let origin = scenario.outcomes.flatMap(\.origins).first
    #expect(origin?.effect == (lines.first == "r" ? 4 : 5), "\(lines)")
  }

  @Test(
    "A removal without them is another device's, whatever comes later", arguments: ["r", "rpud"])
  func elsewhere(_ lines: String) {
    var scenario = alice()
    receive(lines, &scenario)
    let found = findings(scenario)
    #expect(found.map(\.code) == [.removedElsewhere] && found.map(\.cause) == [4], "\(lines)")
    #expect(found.first?.sentence.contains("at record 4") == true)
  }

  @Test("A removal long after them is another device's", arguments: ["npr", "udnpr", "fpr"])
  func later(_ lines: String) {
    var scenario = alice()
    receive(lines, &scenario)
    #expect(findings(scenario).map(\.code).contains(.removedElsewhere), "\(lines)")
  }

  @Test("It is reported as soon as nothing can explain it any more")
  func time() {
    for (time, isReported) in [(1_000, false), (1_001, true)] as [(Int64, Bool)] {
      var scenario = alice()
      receive("r", &scenario)
      scenario.sends(at: time)
      #expect(scenario.codes.contains(.removedElsewhere) == isReported)
    }
  }

  @Test("A removal that we asked for is ours, whatever the contact then sends")
  func ours() {
    var scenario = alice()
    scenario.sets(item(bob, "subscription='remove'"), id: "r")
    receive("r", &scenario)
    scenario.receivesEmptyResult(id: "r")
    receive("ud", &scenario)
    #expect(findings(scenario).isEmpty)
    #expect(scenario.outcomes.flatMap(\.origins).map(\.kind) == [.edit])
  }

  @Test(
    "A request that the contact denies is denied, although the server removes the contact first")
  func denied() {
    for (lines, code) in [("rd", .deniedRequest), ("r", .removedElsewhere)]
      as [(String, Finding.Code)]
    {
      var scenario = alice("ask='subscribe'")
      receive(lines, &scenario)
      #expect(findings(scenario).map(\.code) == [code], "\(lines)")
      #expect(
        scenario.roster.endedOutgoing[bare(bob)]?.way == (lines == "rd" ? .refused : .removed))
    }
  }

  @Test("Two devices that receive them in different orders tell of one friend who left")
  func twoDevices() {
    var scenario = alice()
    scenario.sends()
    scenario.on(2) {
      $0.opened("alice@example.test/pc")
      $0.fetches(item("bob@example.test", "subscription='both'"))
      $0.sends()
    }
    receive("r", &scenario)
    scenario.on(2) { receive("dur", &$0) }
    receive("du", &scenario)
    #expect(findings(scenario).map(\.code) == [.friendLeft])
  }

  @Test("A roster that lacks the contact is explained by the stanzas that follow it")
  func roster() {
    var scenario = alice()
    scenario.lost()
    scenario.opened("alice@example.test/phone")
    scenario.fetches(id: "again")  // 6 and 7
    receive("d", &scenario)
    #expect(findings(scenario).map(\.code) == [.friendLeft])
    #expect(scenario.last.origins.map(\.effect) == [7])
  }

  @Test("A removal that is not explained yet is part of the state")
  func state() throws {
    var scenario = alice()
    receive("r", &scenario)
    let read = try Roster(snapshot: scenario.roster.snapshot.span.bytes)
    #expect(read == scenario.roster && read.removals.count == 1)
  }
}
