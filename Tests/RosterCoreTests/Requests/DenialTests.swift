@testable import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Requests of ours that are denied")
struct DenialTests {
  private let dave = "dave@example.test"

  /// Alice, whose request to dave (record 4) the roster shows.
  private func asks() -> Scenario {
    var scenario = aliceWithBobAndCarol()
    scenario.sends("subscribe", to: dave)
    scenario.pushed(item(dave, "ask='subscribe'"))
    return scenario
  }

  @Test("A denial is reported once with the request, whether the push or the stanza comes first")
  func order() {
    for isPushFirst in [true, false] {
      var scenario = asks()
      if isPushFirst { scenario.pushed(item(dave)) }
      scenario.receives("unsubscribed", from: dave)
      if !isPushFirst { scenario.pushed(item(dave)) }
      let findings = scenario.findings
      #expect(findings.map(\.code) == [.deniedRequest] && findings.first?.cause == 4)
      #expect(scenario.roster.contact(bare(dave))?.lastOutgoingEnd?.way == .refused)
    }
  }

  @Test("Without the contact's stanza, or long after, the push is no denial")
  func nearMisses() {
    var dropped = asks()
    dropped.pushed(item(dave))
    dropped.sends(at: 90_000)
    #expect(!dropped.allCodes.contains(.deniedRequest))

    var late = asks()
    late.time = 0
    late.pushed(item(dave))
    late.receives("unsubscribed", from: dave, at: 60_001)
    #expect(!late.allCodes.contains(.deniedRequest))

    var cancelled = asks()
    cancelled.sends("unsubscribe", to: dave)
    cancelled.pushed(item(dave))
    cancelled.receives("unsubscribed", from: dave)
    #expect(!cancelled.allCodes.contains(.deniedRequest))
  }
}
