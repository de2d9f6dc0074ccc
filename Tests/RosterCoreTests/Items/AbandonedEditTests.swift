import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Sets whose session was lost before the answer")
struct AbandonedEditTests {
  private let bob = "bob@example.test"
  private var removal: String { item(bob, "subscription='remove'") }

  private func bobItem(_ name: String) -> String {
    item(bob, "name='\(name)' subscription='both'")
  }

  /// Alice at time 0, who sends a set, loses the connection, and logs in again.
  private func alice(_ set: String, opensAt time: Int64 = 5_000) -> Scenario {
    var scenario = Scenario()
    scenario.time = 0
    scenario.opened("alice@example.test/phone")  // 1
    scenario.fetches(bobItem("Bob"))  // 2 and 3
    scenario.sets(set, id: "lost")  // 4
    scenario.lost()  // 5
    scenario.opened("alice@example.test/phone", at: time)  // 6
    return scenario
  }

  private func findings(_ scenario: Scenario) -> [Finding] {
    scenario.outcomes.flatMap(\.findings)
      .filter { [.unansweredEdit, .unpushedEdit, .removedElsewhere].contains($0.code) }
  }

  @Test("If the next roster shows what the set asked for, it was carried out", arguments: [5, 500])
  func shown(seconds: Int64) {
    for (set, items) in [(bobItem("Robert"), bobItem("Robert")), (removal, "")] {
      var scenario = alice(set, opensAt: seconds * 1_000)
      scenario.fetches(items, id: "again")
      #expect(scenario.last.originsOfChanges.map(\.cause) == [4])
      scenario.sends(at: 900_000)
      scenario.closed()
      #expect(findings(scenario).isEmpty)
    }
  }

  @Test("If the next roster does not show it, that is where it is reported", arguments: [5, 500])
  func missing(seconds: Int64) throws {
    for set in [bobItem("Robert"), removal] {
      var scenario = alice(set, opensAt: seconds * 1_000)
      #expect(findings(scenario).isEmpty)
      scenario.fetches(bobItem("Bob"), id: "again")  // 7 and 8
      let finding = try #require(findings(scenario).first)
      #expect(finding.code == .unansweredEdit && finding.record == 8 && finding.cause == 4)
      #expect(finding.sentence.contains("the next roster does not show"))
      scenario.sends(at: 900_000)
      #expect(findings(scenario).count == 1)
    }
  }

  @Test("A push to another device shows it, too")
  func otherDevice() {
    for set in [bobItem("Robert"), removal] {
      var scenario = Scenario.alice(bobItem("Bob"))  // 1 to 3
      scenario.on(2) {
        $0.opened("alice@example.test/pc")  // 4
        $0.fetches(bobItem("Bob"))  // 5 and 6
        $0.sets(set, id: "lost")  // 7
        $0.lost()  // 8
        $0.opened("alice@example.test/pc")  // 9
      }
      scenario.pushed(set)  // 10
      #expect(scenario.last.originsOfChanges.map(\.cause) == [7])
      #expect(scenario.last.originsOfChanges.map(\.device) == ["pc"])
      scenario.on(2) { $0.fetches(set == removal ? "" : set, id: "again") }
      #expect(findings(scenario).isEmpty)
    }
  }

  @Test("Without a roster, it is reported a minute after the new session began")
  func overdue() {
    var scenario = alice(bobItem("Robert"))
    scenario.sends(at: 65_000)
    #expect(findings(scenario).isEmpty)
    scenario.sends(at: 65_001)
    #expect(findings(scenario).map(\.cause) == [4])
  }

  @Test("A set that was answered and not pushed is decided by the next roster, too")
  func answered() {
    for (name, codes) in [("Robert", []), ("Bob", [.unpushedEdit])] as [(String, [Finding.Code])] {
      var scenario = Scenario.alice(bobItem("Bob"))
      scenario.sets(bobItem("Robert"), id: "lost")
      scenario.receivesEmptyResult(id: "lost")
      scenario.lost()
      scenario.opened("alice@example.test/phone")
      scenario.fetches(bobItem(name), id: "again")
      #expect(findings(scenario).map(\.code) == codes)
    }
  }

  @Test("A lost session that is resumed still waits for its answer, for a minute")
  func resumed() {
    var scenario = Scenario()
    scenario.time = 0
    scenario.opened("alice@example.test/phone")
    scenario.fetches(bobItem("Bob"))
    scenario.sets(bobItem("Robert"), id: "lost", at: 1_000)
    scenario.lost()
    scenario.resumed(at: 200_000)
    #expect(findings(scenario).isEmpty)
    scenario.pushed(bobItem("Robert"))
    scenario.receivesEmptyResult(id: "lost")
    scenario.sends(at: 400_000)
    #expect(findings(scenario).isEmpty)
  }

  @Test("Of more sets than are kept, the oldest is reported")
  func crowded() {
    var scenario = Scenario.alice(bobItem("Bob"))
    for number in 0...64 { scenario.sets(item("c\(number)@example.test"), id: "s\(number)") }
    scenario.lost()
    scenario.opened("alice@example.test/phone")
    #expect(findings(scenario).map(\.cause) == [4])
  }
}
