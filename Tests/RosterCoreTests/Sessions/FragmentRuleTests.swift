import RosterCore
import TestSupport
import Testing
import XMPPStanza

private let bob = "bob@example.test"

/// A log that begins in mid-session shows what happened, but not everything.
@Suite("Logs that begin in the middle of a session")
struct FragmentRuleTests {
  /// Alice's log without her login and her roster.
  private func fragment() -> Scenario {
    var scenario = Scenario()
    scenario.captureBegan("alice@example.test/phone")
    return scenario
  }

  /// Alice's log, beginning with her login.
  private func whole() -> Scenario {
    var scenario = Scenario()
    scenario.opened("alice@example.test/phone")
    return scenario
  }

  @Test("An error alone may refuse to bind a resource, so there is no session because of it")
  func refusedBind() {
    let error =
      "<iq id='bind' type='error'><error type='cancel'>"
      + "<conflict xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>"
    var refused = fragment()
    refused.received(error)
    #expect(!refused.roster.isConnected && refused.allCodes.isEmpty)
    // Anything else tells of a session, before the error or after it.
    var later = refused
    later.pushed(item(bob))
    #expect(later.roster.isConnected)
    var earlier = fragment()
    earlier.sets(item(bob), id: "set")
    earlier.received(
      "<iq id='set' type='error'><error type='cancel'>"
        + "<not-allowed xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>")
    #expect(earlier.roster.isConnected && earlier.codes == [.refusedEdit])
  }

  private struct Line: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let happens: @Sendable (inout Scenario) -> Void
  }

  private static let unexplained: [(Line, Finding.Code)] = [
    (
      Line(testDescription: "an acceptance") { $0.receives("subscribed", from: bob) },
      .unsolicitedSubscribed
    ),
    (
      Line(testDescription: "a withdrawal") { $0.receives("unsubscribe", from: bob) },
      .unsolicitedUnsubscribe
    ),
    (
      Line(testDescription: "a denial") { $0.receives("unsubscribed", from: bob) },
      .unsolicitedUnsubscribed
    ),
    (
      Line(testDescription: "our acceptance") {
        $0.received("<presence from='\(bob)/pc'/>")
        $0.sent("<presence type='subscribed' to='\(bob)'/>")
      },
      .preApproval
    ),
    (
      Line(testDescription: "a removal") {
        $0.pushed(item(bob, "subscription='both'"))
        $0.time = 0
        $0.pushed(item(bob, "subscription='remove'"))
        $0.sends(at: 1_001)
      },
      .removedElsewhere
    ),
    (
      Line(testDescription: "a withdrawal of ours during a request") {
        $0.receives("subscribe", from: bob)
        $0.sent("<presence type='unsubscribe' to='\(bob)'/>")
      },
      .wrongRefusal
    ),
  ]

  @Test("A stanza without an explanation is a finding only if the log would have the explanation")
  func unexplained() {
    for (line, code) in Self.unexplained {
      var whole = whole()
      line.happens(&whole)
      #expect(whole.codes.contains(code), "\(line.testDescription)")
      var fragment = fragment()
      line.happens(&fragment)
      #expect(!fragment.allCodes.contains(code), "\(line.testDescription)")
    }
  }

  @Test("An immediate acceptance is not called automatic while the roster is unknown")
  func automaticAcceptance() {
    for (scenario, isFinding) in [(whole(), true), (fragment(), false)] {
      var scenario = scenario
      scenario.received("<presence type='subscribe' from='\(bob)'/>", at: 1000)
      scenario.sent("<presence type='subscribed' to='\(bob)'/>", at: 1003)
      #expect(scenario.allCodes.contains(.automaticAcceptance) == isFinding)
    }
  }

  @Test("A roster result without its get is the roster, and the get is noted as missing")
  func rosterResult() {
    for sender in [nil, "alice@example.test", "alice@example.test/phone", "example.test"] {
      var scenario = fragment()
      scenario.receivesResult(item(bob, "name='Bob'"), id: "r1", from: sender)
      #expect(scenario.contacts == [bob])
      #expect(scenario.codes == [.unseenQuery])
      #expect(scenario.roster.completeness == .complete)
    }
  }

  @Test("A roster result from a sender who may not answer is still ignored")
  func foreignResult() {
    for sender in ["eve@example.test", "alice@example.test/laptop", "other.test"] {
      var scenario = fragment()
      scenario.receivesResult(item(bob), id: "r1", from: sender)
      #expect(scenario.contacts.isEmpty)
      #expect(scenario.codes == [.foreignRoster], "\(sender)")
    }
  }

  @Test("A log with the login ignores a roster result without a get")
  func resultAfterLogin() {
    var scenario = whole()
    scenario.receivesResult(item(bob), id: "r1")
    #expect(scenario.contacts.isEmpty)
    #expect(scenario.codes == [.unsolicitedResult])
  }

  @Test("Once the roster is known, a stanza without an explanation is a finding again")
  func knownRoster() {
    var scenario = fragment()
    scenario.receivesResult(item(bob), id: "r1")
    scenario.receives("subscribed", from: bob)
    #expect(scenario.codes == [.unsolicitedSubscribed])
  }

  @Test("A log that lacks a get of its session lacks those of later results too")
  func laterResults() {
    var scenario = fragment()
    scenario.receivesResult(item(bob), id: "r1")
    scenario.receivesResult(item("carol@example.test"), id: "r2")
    #expect(scenario.contacts == ["carol@example.test"])
    #expect(scenario.codes == [.unseenQuery])
    scenario.receivesResult(item("eve@example.test"), id: "r3", from: "eve@example.test")
    #expect(scenario.codes == [.foreignRoster])
    scenario.fetches(item(bob), id: "r4")
    scenario.receivesResult(item("eve@example.test"), id: "r5")
    #expect(scenario.codes == [.unsolicitedResult])
    #expect(scenario.contacts == [bob])
  }

  @Test("A get in the fragment is answered like any other, without a note")
  func ownGet() {
    var scenario = fragment()
    scenario.gets(id: "a")
    scenario.receivesResult(item(bob), id: "a")
    #expect(scenario.codes.isEmpty)
  }
}
