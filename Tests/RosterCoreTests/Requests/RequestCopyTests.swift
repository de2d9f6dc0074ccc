import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// Requests that several devices receive, each at its own time.
@Suite("Requests that several devices receive")
struct RequestCopyTests {
  private let carol = "carol@example.test"

  /// Alice's phone (1) receives Carol's request.
  private func asked() -> Scenario {
    var scenario = Scenario()
    scenario.on(1) { phone in
      phone.opened("alice@example.test/phone")
      phone.fetches(id: "fetch1")
      phone.sends()
      phone.receives("subscribe", from: carol)
    }
    return scenario
  }

  private func desktopComes(_ scenario: inout Scenario) {
    scenario.on(2) { desktop in
      desktop.opened("alice@example.test/desktop")
      desktop.fetches(id: "fetch2")
      desktop.sends()
    }
  }

  @Test("A device that receives news first receives nothing earlier again")
  func ahead() {
    var scenario = asked()
    scenario.on(1) { $0.lost() }
    desktopComes(&scenario)
    // It receives all open requests.
    scenario.on(2) { $0.receives("subscribe", from: carol) }
    scenario.on(1) { phone in
      phone.resumed()
      phone.receives("unsubscribe", from: carol)
    }
    #expect(scenario.incoming == [])
    scenario.on(1) { $0.receives("subscribe", from: carol) }
    #expect(scenario.incoming == [carol])
    // The desktop receives the same, in the same order.
    scenario.on(2) { desktop in
      desktop.receives("unsubscribe", from: carol)
      desktop.receives("subscribe", from: carol)
    }
    #expect(scenario.incoming == [carol])
  }

  @Test("A request is unconfirmed if the only device that received it is gone")
  func toldWhoIsGone() {
    var scenario = asked()
    desktopComes(&scenario)
    #expect(scenario.incoming == [carol])
    scenario.on(1) { $0.closed() }
    #expect(scenario.incoming == [] && scenario.unconfirmed == [carol])
    scenario.on(2) { $0.receives("subscribe", from: carol) }
    #expect(scenario.incoming == [carol] && scenario.unconfirmed == [])
  }

  @Test("A request stays open if no device is connected, or if all received it")
  func stays() {
    var alone = asked()
    alone.on(1) { $0.closed() }
    #expect(alone.incoming == [carol])
    var both = asked()
    desktopComes(&both)
    both.on(2) { $0.receives("subscribe", from: carol) }
    both.on(1) { $0.closed() }
    #expect(both.incoming == [carol])
  }
}
