@testable import RosterCore
import TestSupport
import Testing

/// What waits for an answer in a log without a clock does not grow without bound.
@Suite struct WaitingTests {
  @Test("Of requests without an answer the oldest is given up, and told once")
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

  @Test("So it is with edits and with pushes that we never acknowledge")
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
    #expect(scenario.codes == [.unacknowledgedPush])
  }

  @Test("Where nothing of the server was captured, no answer is missed")
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
