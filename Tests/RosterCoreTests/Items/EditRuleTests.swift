import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Rule 10: our own edits")
struct EditRuleTests {
  private let bob = "bob@example.test"

  /// Alice, at time 0, with Bob under this name in group G.
  private func alice() -> Scenario {
    var scenario = Scenario()
    scenario.time = 0
    scenario.opened("alice@example.test/phone")
    scenario.fetches(item(bob, "name='Bob' subscription='both'", groups: ["G"]))
    return scenario
  }

  private func bobItem(_ name: String) -> String {
    item(bob, "name='\(name)' subscription='both'", groups: ["G"])
  }

  private func acknowledge(_ scenario: inout Scenario) {
    scenario.sent("<iq id='push' type='result'/>")
  }

  @Test("Rule 10: a set with a push and a result is no finding, in either order")
  func settled() {
    for resultFirst in [true, false] {
      var scenario = alice()
      scenario.sets(bobItem("Robert"))
      if resultFirst { scenario.receivesEmptyResult(id: "set") }
      scenario.pushed(bobItem("Robert"))
      acknowledge(&scenario)
      if !resultFirst { scenario.receivesEmptyResult(id: "set") }
      #expect(scenario.item(bob)?.name == "Robert")
      scenario.sends(at: 100_000)
      scenario.closed(at: 200_000)
      scenario.opened("alice@example.test/phone", at: 300_000)
      #expect(scenario.allCodes.isEmpty, "result first: \(resultFirst)")
    }
  }

  @Test(
    "Rule 10: a fetch that shows what was asked for settles a set, even if the item is unchanged")
  func settledByFetch() {
    var scenario = alice()
    scenario.sets(bobItem("Bob"))
    scenario.fetches(bobItem("Bob"), id: "again")
    scenario.receivesEmptyResult(id: "set")
    // A set that was never shown would be reported here.
    scenario.closed(at: 200_000)
    scenario.opened("alice@example.test/phone", at: 300_000)
    #expect(scenario.allCodes.isEmpty)
    scenario.pushed(bobItem("Rob"))
    #expect(scenario.codes.isEmpty)
  }

  @Test("Rule 10: a result without a push is a finding, and the item stays")
  func unpushed() {
    var scenario = alice()
    scenario.sets(bobItem("Robert"), at: 1_000)
    scenario.receivesEmptyResult(id: "set", at: 2_000)
    #expect(scenario.allCodes.isEmpty)
    #expect(scenario.item(bob)?.name == "Bob")
    scenario.sends(at: 62_000)
    #expect(scenario.codes == [.unpushedEdit])
    #expect(scenario.last.findings.first?.cause == 4)
    scenario.sends(at: 200_000)
    #expect(scenario.codes.isEmpty)
  }

  @Test("Rule 10: a result without a push is reported at the latest when the session ends cleanly")
  func unpushedWithoutClock() {
    var scenario = Scenario.alice(item(bob, "name='Bob'"))
    scenario.sets(item(bob, "name='Robert'"))
    scenario.receivesEmptyResult(id: "set")
    scenario.closed()
    #expect(scenario.codes == [.unpushedEdit])
    scenario.opened("alice@example.test/phone")
    #expect(scenario.codes.isEmpty)
  }

  @Test("Rule 10: a set that changes nothing needs no push")
  func needlessSet() {
    var scenario = alice()
    scenario.sets(bobItem("Bob"), at: 1_000)
    scenario.receivesEmptyResult(id: "set", at: 2_000)
    scenario.sends(at: 100_000)
    #expect(scenario.allCodes.isEmpty)
  }

  @Test("Rule 10: an error ends the edit, and the item stays")
  func refused() {
    var scenario = alice()
    scenario.sets(bobItem("Robert"))
    scenario.received(
      "<iq id='set' type='error'><error type='cancel'>"
        + "<not-allowed xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>")
    #expect(scenario.codes == [.refusedEdit])
    #expect(scenario.last.findings.first?.sentence.contains("not-allowed") == true)
    #expect(scenario.item(bob)?.name == "Bob")
    scenario.sends(at: 100_000)
    #expect(scenario.codes.isEmpty)
  }

  @Test("Rule 10: a spoofed answer does not end the edit")
  func spoofed() {
    var scenario = alice()
    scenario.sets(bobItem("Robert"), at: 1_000)
    scenario.received("<iq id='set' type='error' from='eve@example.test'/>")
    #expect(scenario.codes == [.spoofedAnswer])
    scenario.sends(at: 62_000)
    #expect(scenario.codes == [.unansweredEdit])
  }

  @Test("Rules 10 and 25: a set without an answer within a minute is a finding")
  func unanswered() {
    var scenario = alice()
    scenario.sets(bobItem("Robert"), at: 1_000)
    scenario.sends(at: 61_000)
    #expect(scenario.codes.isEmpty)
    scenario.sends(at: 61_001)
    #expect(scenario.codes == [.unansweredEdit])
    #expect(scenario.item(bob)?.name == "Bob")
  }

  @Test("Rule 10: a later push that undoes the edit is a finding")
  func undone() {
    var scenario = alice()
    scenario.sets(bobItem("Robert"))
    scenario.pushed(bobItem("Robert"))
    scenario.receivesEmptyResult(id: "set")
    scenario.pushed(bobItem("Bob"))
    #expect(scenario.codes == [.undoneEdit])
    #expect(scenario.last.findings.first?.cause == 4)
    #expect(scenario.item(bob)?.name == "Bob")
  }

  @Test("Rule 10: an edit that is undone before its result is a finding at the push, once")
  func undoneBeforeResult() {
    var scenario = alice()
    scenario.sets(bobItem("Robert"))
    scenario.pushed(bobItem("Robert"))
    scenario.pushed(bobItem("Bob"))
    #expect(scenario.codes == [.undoneEdit])
    scenario.receivesEmptyResult(id: "set")
    scenario.pushed(bobItem("Bob"))
    acknowledge(&scenario)
    #expect(scenario.allCodes.filter { $0 == .undoneEdit }.count == 1)
  }

  @Test("Rule 10: a server that pushes something other than what was set is a finding")
  func altered() {
    var scenario = alice()
    scenario.sets(bobItem("Robert"))
    scenario.receivesEmptyResult(id: "set")
    scenario.pushed(bobItem("Bob"))
    #expect(scenario.codes == [.undoneEdit])
  }

  @Test("Rule 10: a set of ours that reverses the first one undoes nothing")
  func takenBack() {
    for early in [true, false] {
      var scenario = alice()
      scenario.sets(bobItem("Robert"), id: "s1")
      if early { scenario.sets(bobItem("Bob"), id: "s2") }
      scenario.pushed(bobItem("Robert"))
      scenario.receivesEmptyResult(id: "s1")
      if !early { scenario.sets(bobItem("Bob"), id: "s2") }
      scenario.pushed(bobItem("Bob"))
      scenario.receivesEmptyResult(id: "s2")
      scenario.closed()
      #expect(scenario.allCodes.filter { $0 != .unacknowledgedPush }.isEmpty, "early: \(early)")
    }
  }

  @Test("Rule 10: a push for the second set settles it although the first got none")
  func secondOfTwo() {
    var scenario = alice()
    scenario.sets(bobItem("Rob"), id: "s1", at: 1_000)
    scenario.sets(bobItem("Robert"), id: "s2", at: 2_000)
    scenario.pushed(bobItem("Robert"))
    acknowledge(&scenario)
    scenario.receivesEmptyResult(id: "s2", at: 3_000)
    scenario.sends(at: 100_000)
    #expect(scenario.codes == [.unansweredEdit])
    #expect(scenario.last.findings.first?.cause == 4)
  }

  @Test("Rule 10: a removal is undone if the contact returns, unless we sent a request ourselves")
  func removalUndone() {
    for asksAgain in [false, true] {
      var scenario = alice()
      scenario.sets(item(bob, "subscription='remove'"))
      scenario.pushed(item(bob, "subscription='remove'"))
      scenario.receivesEmptyResult(id: "set")
      if asksAgain { scenario.sends("subscribe", to: bob) }
      scenario.pushed(bobItem("Bob"))
      #expect(scenario.codes == (asksAgain ? [] : [.undoneEdit]))
    }
  }

  @Test("Rule 10: an acceptance of ours explains why a removed contact returns")
  func removalThenAcceptance() {
    var scenario = Scenario.alice(item(bob, "subscription='to'"))
    scenario.sets(item(bob, "subscription='remove'"))
    scenario.pushed(item(bob, "subscription='remove'"))
    scenario.receivesEmptyResult(id: "set")
    scenario.receives("subscribe", from: bob)
    scenario.sends("subscribed", to: bob)
    scenario.pushed(item(bob, "subscription='from'"))
    #expect(scenario.allCodes.isEmpty)
  }

  @Test("Rule 10: another contact's push is no answer to ours")
  func otherContact() {
    var scenario = alice()
    scenario.sets(bobItem("Robert"), at: 1_000)
    scenario.receivesEmptyResult(id: "set", at: 1_500)
    scenario.pushed(item("carol@example.test", "name='Robert'", groups: ["G"]))
    acknowledge(&scenario)
    scenario.sends(at: 70_000)
    #expect(scenario.codes == [.unpushedEdit])
  }

  @Test("Rule 10: a new session ends pending edits, a resumed one does not")
  func sessions() {
    var scenario = alice()
    scenario.sets(bobItem("Robert"))
    scenario.lost()
    #expect(scenario.codes.isEmpty)
    scenario.resumed()
    #expect(scenario.codes.isEmpty)
    scenario.pushed(bobItem("Robert"))
    acknowledge(&scenario)
    scenario.receivesEmptyResult(id: "set")
    #expect(scenario.allCodes.isEmpty)
    scenario.sets(bobItem("Rob"), id: "set2")
    scenario.lost()
    scenario.opened("alice@example.test/phone")
    #expect(scenario.codes.isEmpty)
    scenario.fetches(bobItem("Robert"), id: "again")
    #expect(scenario.codes == [.unansweredEdit])
  }

  @Test("A removal of what has just been removed is refused, and nothing is lost by that")
  func removedTwice() {
    let removal = item("bob@example.test", "subscription='remove'")
    let error = stanzaError("item-not-found")
    for isRemoved in [true, false] {
      var scenario = Scenario.alice(item("bob@example.test"))
      scenario.sets(removal, id: "a")
      if isRemoved {
        scenario.sets(removal, id: "b")
        scenario.pushed(removal)
        scenario.receivesEmptyResult(id: "a")
      }
      scenario.received("<iq id='\(isRemoved ? "b" : "a")' type='error'>\(error)</iq>")
      #expect(scenario.allCodes.contains(.refusedEdit) != isRemoved)
    }
  }

  @Test("A roster get that is refused again for the same reason is one finding")
  func refusedAgain() {
    for (conditions, count) in [
      (["internal-server-error", "internal-server-error"], 1),
      (["internal-server-error", "forbidden"], 2),
    ] {
      var scenario = Scenario()
      scenario.opened("alice@example.test/phone")
      for (number, condition) in conditions.enumerated() {
        scenario.gets(id: "g\(number)")
        scenario.received(
          "<iq id='g\(number)' type='error'>\(stanzaError(condition))</iq>")
      }
      #expect(scenario.allCodes.count { $0 == .refusedQuery } == count)
      #expect(scenario.last.news != nil)
    }
  }
}
