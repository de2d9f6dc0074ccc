import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Findings")
struct FindingTests {
  @Test("Each code is raised once by the case that it describes", arguments: Finding.Code.allCases)
  func raised(code: Finding.Code) {
    var scenario = aliceWithBobAndCarol()
    findingCase(code).raises(&scenario)
    #expect(scenario.allCodes.filter { $0 == code }.count == 1)
    let finding = scenario.findings.first { $0.code == code }
    #expect(finding?.sentence.last == ".")
    #expect(finding?.severity == code.severity)
  }

  @Test("No code is raised by a similar case", arguments: Finding.Code.allCases)
  func nearMiss(code: Finding.Code) {
    var scenario = aliceWithBobAndCarol()
    findingCase(code).nearMiss(&scenario)
    #expect(!scenario.allCodes.contains(code))
  }

  @Test("Codes are stable words")
  func codes() {
    let names = Finding.Code.allCases.map(\.rawValue)
    #expect(Set(names).count == names.count)
    #expect(names.allSatisfy { $0.allSatisfy { $0 == "-" || ("a"..."z").contains($0) } })
  }

  @Test("A get, a set and a push without an id are each reported")
  func missingIDs() {
    for (line, isInbound) in [
      ("<iq type='get'><query xmlns='jabber:iq:roster'/></iq>", false),
      ("<iq type='set'><query xmlns='jabber:iq:roster'>\(bobItem("B"))</query></iq>", false),
      ("<iq type='set'><query xmlns='jabber:iq:roster'>\(bobItem("B"))</query></iq>", true),
    ] {
      var scenario = aliceWithBobAndCarol()
      if isInbound { scenario.received(line) } else { scenario.sent(line) }
      #expect(scenario.codes.contains(.missingID))
    }
  }

  @Test("A rename that omits the groups is reported")
  func renameLosesGroups() {
    var scenario = aliceWithBobAndCarol()
    scenario.sets(bobItem("Rob", []))
    #expect(scenario.codes == [.groupsLost])
    scenario.sets(bobItem("Rob", ["A", "B"]), id: "s2")
    #expect(scenario.codes.isEmpty)
    scenario.sets(bobItem("Robin", []), id: "s3")
    #expect(scenario.codes == [.groupsLost])
    scenario.sets(item("carol@example.test", "name='C'"), id: "s4")
    #expect(scenario.codes.isEmpty)
  }

  @Test("Expected counterparts of a contact end with its session and with its item")
  func expectationsEnd() {
    let lines: [(String, (inout Scenario) -> Void)] = [
      ("a new session", { $0.opened("alice@example.test/phone") }),
      ("a removal", { $0.pushed(item("bob@example.test", "subscription='remove'")) }),
    ]
    for (name, line) in lines {
      // The push shows the effect of a “subscribed” that has yet to arrive.
      var scenario = Scenario.alice(item("bob@example.test", "ask='subscribe'"))
      scenario.pushed(item("bob@example.test", "subscription='to'"))
      line(&scenario)
      scenario.receives("subscribed", from: "bob@example.test")
      #expect(scenario.codes == [.unsolicitedSubscribed], "\(name)")
    }
  }

  @Test("An unacknowledged push is counted once its session has ended cleanly")
  func unacknowledgedAtEnd() {
    var scenario = aliceWithBobAndCarol()
    scenario.pushed(bobItem("B"))
    scenario.lost()
    #expect(scenario.ends().isEmpty)
    scenario.resumed()
    scenario.closed(at: 2_000)
    #expect(scenario.ends().map(\.code) == [.unacknowledgedPush])
  }

  @Test("An outgoing request without an answer for days is reported once")
  func neglectedOutgoing() {
    var scenario = aliceWithBobAndCarol()
    scenario.sends("subscribe", to: "carol@example.test")
    scenario.sends(at: 3 * FindingWords.day)
    #expect(scenario.codes.isEmpty)
    scenario.sends(at: 3 * FindingWords.day + 1)
    #expect(scenario.codes == [.neglectedRequest])
    scenario.sends(at: 30 * FindingWords.day)
    #expect(scenario.codes.isEmpty)
  }
}
