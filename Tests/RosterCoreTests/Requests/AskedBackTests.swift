import RosterCore
import TestSupport
import Testing
import XMPPStanza

private let eve = "eve@other.test"

/// A request is accepted by “subscribed” (RFC 6121 §3.1.4); a client that sends “subscribe” instead
/// leaves it open, although both users think that it is settled.
@Suite("Requests that we answer by asking back") struct AskedBackTests {
  /// Eve asks us, we ask her some time later, and she accepts.
  private func asksBack(after pause: Int64) -> Scenario {
    var scenario = Scenario.alice()  // 1 to 3
    scenario.receives("subscribe", from: eve, at: 1_000)  // 4
    scenario.sends("subscribe", to: eve, at: 1_000 + pause)  // 5
    scenario.pushed(item(eve, "subscription='none' ask='subscribe'"))  // 6
    scenario.receives("subscribed", from: eve)  // 7
    scenario.pushed(item(eve, "subscription='to'"))  // 8
    return scenario
  }

  private func findings(_ scenario: Scenario) -> [Finding] {
    var scenario = scenario
    scenario.ends()
    return scenario.findings.filter { $0.code == .requestForRequest }
  }

  @Test("An accepted request of ours does not answer theirs, which is said as a guess")
  func isReported() throws {
    let findings = findings(asksBack(after: 8_000))
    let finding = try #require(findings.first)
    #expect(findings.count == 1 && finding.severity == .info)
    #expect(finding.contact == bare(eve) && finding.cause == 4)
    #expect(
      finding.sentence.hasPrefix(
        "We answered the request of \(eve) of record 4 by asking it at record 5, and its request is "
          + "still open"))
  }

  private static let others: [(String, @Sendable (inout Scenario) -> Void)] = [
    ("we accept after all", { $0.sends("subscribed", to: eve) }),
    ("we deny", { $0.sends("unsubscribed", to: eve) }),
    ("another device accepts", { $0.pushed(item(eve, "subscription='both'")) }),
    ("the contact withdraws", { $0.receives("unsubscribe", from: eve) }),
  ]

  @Test("An answer that comes later settles it", arguments: 0..<4)
  func settled(_ number: Int) {
    let (name, happens) = Self.others[number]
    var scenario = asksBack(after: 8_000)
    happens(&scenario)
    #expect(findings(scenario).isEmpty, "\(name)")
  }

  @Test("Requests that cross, or of which ours was first or is not accepted, answer nothing")
  func nearMisses() {
    #expect(findings(asksBack(after: 200)).isEmpty)
    #expect(findings(asksBack(after: -60_000)).isEmpty)
    var open = Scenario.alice()
    open.receives("subscribe", from: eve, at: 1_000)
    open.sends("subscribe", to: eve, at: 9_000)
    open.pushed(item(eve, "subscription='none' ask='subscribe'"))
    #expect(findings(open).isEmpty)
  }
}
