import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// A source's clock runs back, and the log keeps the latest time until the clock has caught up.
@Suite("Times that are held say nothing about how long something took")
struct HeldTimeTests {
  private let dave = "dave@example.test"

  @Test("An acceptance is automatic only by a clock that runs")
  func acceptance() {
    for (asksHeld, answersHeld) in [(false, false), (true, false), (false, true), (true, true)] {
      var scenario = aliceWithBobAndCarol()
      scenario.isHeld = asksHeld
      scenario.receives("subscribe", from: dave, at: 10_000)
      scenario.isHeld = answersHeld
      scenario.sends("subscribed", to: dave, at: 10_000)
      let isKnown = !asksHeld && !answersHeld
      #expect(scenario.allCodes.contains(.automaticAcceptance) == isKnown)
    }
  }

  @Test("What was sent while the time was held is not overdue")
  func overdue() {
    for isHeld in [false, true] {
      var scenario = aliceWithBobAndCarol()
      scenario.isHeld = isHeld
      scenario.sets(bobItem("Rob"), at: 0)
      scenario.isHeld = false
      scenario.sends(at: 60_001)
      #expect(scenario.allCodes.contains(.unansweredEdit) == !isHeld)
    }
  }

  @Test("A set that follows while the time is held does not come in a row")
  func row() {
    for isHeld in [false, true] {
      var scenario = aliceWithBobAndCarol()
      scenario.on(2) {
        $0.opened("alice@example.test/desktop")
        $0.sets(bobItem("Rob"), at: 1_000)
        $0.pushed(bobItem("Rob"))
        $0.receivesEmptyResult(id: "set")
      }
      scenario.pushed(bobItem("Rob"))
      scenario.isHeld = isHeld
      scenario.sets(bobItem("Bob"), id: "back", at: 20_000)
      scenario.pushed(bobItem("Bob"))
      scenario.sets(item("carol@example.test", "name='C'"), id: "next")
      scenario.ends()
      let found = scenario.findings.filter { $0.code == .putBack }
      #expect(found.map(\.severity) == [isHeld ? .info : .warning])
    }
  }

  @Test("A held time is part of the state")
  func state() throws {
    var scenario = aliceWithBobAndCarol()
    scenario.isHeld = true
    scenario.sets(bobItem("Rob"), at: 0)
    scenario.failed(.inbound, "conflict")
    let read = try Roster(snapshot: scenario.roster.snapshot.span.bytes)
    #expect(read == scenario.roster)
  }
}
