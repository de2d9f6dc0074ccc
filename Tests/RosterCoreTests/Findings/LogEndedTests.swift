import RosterCore
import TestSupport
import Testing
import XMPPStanza

private let bob = FindingWords.bob

/// What is found only when a log ends.
@Suite struct LogEndedTests {
  @Test("A set without an answer is found at the end if a minute has passed by then")
  func unansweredSet() {
    for (end, hasReceived, codes) in [
      (61_000, true, [.unansweredEdit]), (59_000, true, []), (61_000, false, []),
    ] as [(Int64, Bool, [Finding.Code])] {
      var scenario = Scenario()
      scenario.opened("alice@example.test/phone", at: 0)
      scenario.sets(bobItem("Robert"))
      let before = scenario.roster
      scenario.ends(at: end, hasReceived: hasReceived)
      #expect(scenario.allCodes == codes, "\(end) \(hasReceived)")
      #expect(scenario.ending.first?.cause == (codes.isEmpty ? nil : 2))
      #expect(scenario.roster == before)
    }
  }

  @Test("A set without an answer is found, whatever of the server comes late")
  func receivedLate() {
    var scenario = Scenario()
    scenario.opened("alice@example.test/phone", at: 0)
    scenario.sets(bobItem("Robert"))
    scenario.sends(at: 70_000)
    #expect(scenario.allCodes.isEmpty)
    scenario.receives(from: "\(bob)/pc", at: 71_000)
    scenario.sends(at: 72_000)
    #expect(scenario.allCodes == [.unansweredEdit])
    scenario.ends(at: 200_000)
    #expect(scenario.allCodes == [.unansweredEdit])
  }

  @Test("The first element of the server can be the late answer")
  func answeredLate() {
    var scenario = Scenario()
    scenario.opened("alice@example.test/phone", at: 0)
    scenario.sets(bobItem("Robert"))
    scenario.sends(at: 70_000)
    scenario.receivesEmptyResult(id: "set", at: 71_000)
    scenario.pushed(bobItem("Robert"))
    scenario.sent("<iq id='push' type='result'/>")
    scenario.ends(at: 200_000)
    #expect(scenario.allCodes.isEmpty)
  }

  @Test("A set is found whose session ends before anything of the server is seen")
  func endedUnanswered() {
    for isReceived in [true, false] {
      var scenario = Scenario()
      scenario.opened("alice@example.test/phone")
      scenario.sets(bobItem("Robert"))
      if isReceived {
        scenario.ended(.inbound)
      } else {
        scenario.reduce(.session(.closed(isLost: false)))
      }
      scenario.ends(hasReceived: true)
      #expect(scenario.allCodes == [.unansweredEdit])
    }
    var outbound = Scenario()
    outbound.opened("alice@example.test/phone")
    outbound.sets(bobItem("Robert"))
    outbound.gets()
    outbound.closed()
    outbound.ends()
    #expect(outbound.allCodes.isEmpty)
  }

  @Test("A set on a lost connection that nothing follows is found if a minute has passed since")
  func lostForGood() {
    for (end, isReceived, codes) in [
      (61_000, true, [.unansweredEdit]), (10_000, true, []), (nil, true, []),
      (61_000, false, []),
    ] as [(Int64?, Bool, [Finding.Code])] {
      var scenario = Scenario()
      scenario.opened("alice@example.test/phone", at: end.map { _ in 0 })
      if isReceived { scenario.fetches(bobItem("Bob")) }
      scenario.sets(bobItem("Robert"))
      let set = scenario.record
      scenario.lost()
      scenario.ends(at: end)
      #expect(scenario.allCodes == codes, "\(end ?? -1) \(isReceived)")
      #expect(scenario.ending.first?.cause == (codes.isEmpty ? nil : set))
    }
  }

  @Test("A set on a lost connection is settled if it was shown before the log ended")
  func lostAndShown() {
    var scenario = Scenario()
    scenario.opened("alice@example.test/phone", at: 0)
    scenario.fetches(bobItem("Bob"))
    scenario.on(2) {
      $0.opened("alice@example.test/pc")
      $0.fetches(bobItem("Bob"))
      $0.sets(bobItem("Robert"))
      $0.lost()
    }
    scenario.pushed(bobItem("Robert"))
    scenario.sent("<iq id='push' type='result'/>")
    scenario.ends(at: 100_000)
    #expect(scenario.allCodes.isEmpty)
  }

  @Test("What was reported is not reported again at the end")
  func reportedOnce() {
    var scenario = aliceWithBobAndCarol()
    scenario.sets(bobItem("Robert"))
    scenario.gets(id: "late")
    scenario.sends(at: 61_000)
    scenario.ends(at: 500_000)
    #expect(
      scenario.allCodes.sorted { $0.rawValue < $1.rawValue } == [.unansweredEdit, .unansweredQuery])
  }

  @Test("That a log ends is itself not odd")
  func nothingOdd() {
    var scenario = aliceWithBobAndCarol()
    scenario.sets(bobItem("Robert"))
    scenario.gets(id: "late")
    scenario.pushed(bobItem("B"))
    scenario.receives("subscribe", from: "dave@example.test")
    scenario.sends("subscribe", to: "erin@example.test")
    scenario.ends(at: 10_000)
    #expect(scenario.allCodes.isEmpty)
  }
}
