@testable import RosterCore
import TestSupport
import Testing

/// In a log without a clock, what awaits an answer does not grow without bound.
@Suite struct WaitingTests {
  @Test("Beyond the limit, the oldest unanswered request is dropped and reported once")
  func queries() {
    var scenario = Scenario()
    scenario.opened("alice@example.test/phone")
    scenario.receives(from: "bob@example.test/pc")
    for number in 0...WaitingLimit.count {
      scenario.sent("<iq type='get' id='\(number)'><query xmlns='jabber:iq:roster'/></iq>")
    }
    #expect(scenario.codes == [.unansweredQuery])
    #expect(scenario.last.findings.first?.cause == 3)
    scenario.received("<iq type='result' id='1'><query xmlns='jabber:iq:roster'/></iq>")
    #expect(scenario.roster.completeness == .complete, "the second oldest still waits")
  }

  @Test("Edits and unacknowledged pushes are limited in the same way")
  func editsAndPushes() {
    var scenario = Scenario()
    scenario.opened("alice@example.test/phone")
    scenario.receives(from: "bob@example.test/pc")
    let item = "<query xmlns='jabber:iq:roster'><item jid='bob@example.test'/></query>"
    for number in 0...WaitingLimit.count {
      scenario.sent("<iq type='set' id='\(number)'>\(item)</iq>")
    }
    #expect(scenario.codes == [.unansweredEdit])
    for number in 0...WaitingLimit.count {
      scenario.received("<iq type='set' id='p\(number)'>\(item)</iq>")
    }
    #expect(scenario.ends().map(\.code) == [.unacknowledgedPush])
  }

  @Test("If nothing from the server was captured, no answer is missed")
  func outboundOnly() {
    var scenario = Scenario()
    scenario.opened("alice@example.test/phone", at: 0)
    scenario.gets()
    scenario.sets(item("bob@example.test", "name='Bob'"))
    scenario.sends("subscribed", to: "bob@example.test")
    scenario.sends(at: 100_000)
    scenario.closed()
    #expect(scenario.allCodes.isEmpty)
  }
}
