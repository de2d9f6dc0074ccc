import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Our own resources, with several recorded devices") struct OwnResourceTests {
  /// Phone and desktop, both online, each informed of the other; and a tablet that is not recorded.
  private func devices() -> Scenario {
    var scenario = Scenario.alice()
    scenario.sends()
    scenario.on(2) {
      $0.opened("alice@example.test/desktop")
      $0.fetches()
      $0.sends()
      $0.receives(from: "alice@example.test/phone")
    }
    scenario.receives(from: "alice@example.test/desktop")
    scenario.receives(from: "alice@example.test/tablet")
    return scenario
  }

  private func own(_ scenario: Scenario) -> [String] {
    scenario.roster.ownResources.resources.keys.sorted()
  }

  @Test("A recorded device that goes offline takes no other recorded one with it")
  func offline() {
    var scenario = devices()
    #expect(own(scenario) == ["desktop", "phone", "tablet"])
    let outcome = scenario.sends("unavailable")
    // Nothing says any more whether the tablet is online, because only the phone was informed.
    #expect(own(scenario) == ["desktop", "phone"])
    #expect(outcome.changes.count { $0.field == .ownResources } == 1)
    scenario.on(2) { $0.receives("unavailable", from: "alice@example.test/phone") }
    #expect(own(scenario) == ["desktop"])
  }

  @Test("It goes offline itself although no available device is informed of that")
  func both() {
    var scenario = devices()
    scenario.sends("unavailable")
    scenario.on(2) { $0.receives("unavailable", from: "alice@example.test/phone") }
    scenario.on(2) { $0.sends("unavailable") }
    #expect(own(scenario).isEmpty)
  }

  @Test("Without a record of the other device, going offline forgets it")
  func alone() {
    var scenario = Scenario.alice()
    scenario.sends()
    scenario.receives(from: "alice@example.test/desktop")
    scenario.sends("unavailable")
    #expect(own(scenario).isEmpty)
  }
}
