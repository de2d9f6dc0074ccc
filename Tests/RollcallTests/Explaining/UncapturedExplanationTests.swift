import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

private let bob = "bob@example.test"

/// What a capture cannot have is not denied: what we sent in a capture of the server's direction,
/// and what came before a capture that begins in the middle of a session.
@Suite("Explanations of what was not captured") struct UncapturedExplanationTests {
  /// A session of which the log has the roster and no get.
  private func session(inboundOnly: Bool) -> Scenario {
    var scenario = Scenario()
    scenario.captureBegan(Scenario.account, inboundOnly: inboundOnly)  // 1
    scenario.opened("\(Scenario.account)/phone")  // 2
    scenario.receivesResult(item(bob, "subscription='both'"))  // 3
    return scenario
  }

  @Test("A one-way capture does not say that we never asked for the roster or showed presence")
  func oneWay() throws {
    let told = try explanation(session(inboundOnly: true))
    #expect(told[.friend]?.verdict == .yes)
    #expect(try !told.reasons(.friend).contains("never asked"))
    #expect(
      try told.reasons(.online)
        == "No presence of it has come: it is offline, or its server does not say.")
  }

  @Test("A capture of both directions says so, because its gets would be in it")
  func bothWays() throws {
    let scenario = session(inboundOnly: false)
    #expect(
      try explanation(scenario).reasons(.friend)
        .contains("The session of #2 never asked for the roster"))
    #expect(
      try explanation(Scenario.alice(item(bob, "subscription='both'"))).reasons(.online)
        .contains("has not shown our own presence"))
  }

  @Test("A request that the roster shows accepted is not said to be another device's answer")
  func acceptedUnseen() throws {
    for inboundOnly in [true, false] {
      var scenario = session(inboundOnly: inboundOnly)
      scenario.receives("subscribe", from: "carol@example.test")
      let changes = scenario.pushed(item("carol@example.test", "subscription='from'")).changes
      let clauses = changes.map(\.clause).joined(separator: "\n")
      #expect(clauses.contains("accepted, by a device of ours whose answer is not in the log"))
    }
  }

  @Test("A log that begins in the middle of a session does not deny earlier requests and presence")
  func fragment() throws {
    var scenario = Scenario()
    scenario.pushed(item(bob, "subscription='to'"))  // 1
    let told = try explanation(scenario)
    #expect(told[.request]?.verdict == .unknown)
    #expect(try told.reasons(.request).contains("an earlier one may be open"))
    #expect(told[.online]?.verdict == .unknown)
    #expect(try told.reasons(.online).contains("it may have come before"))
  }

  @Test(
    "In such a log, what it shows is known",
    arguments: [
      ("subscription='from'", nil, Explanation.Subject.request),
      ("subscription='both'", nil, .request),
      ("subscription='none'", nil, .online),
      ("subscription='both'", "unavailable", .online),
    ] as [(String, String?, Explanation.Subject)])
  func knownInFragment(_ attributes: String, _ presence: String?, _ subject: Explanation.Subject)
    throws
  {
    var scenario = Scenario()
    scenario.pushed(item(bob, attributes))
    if let presence {
      scenario.receives(from: "\(bob)/pc")
      scenario.receives(presence, from: "\(bob)/pc")
    }
    #expect(try explanation(scenario)[subject]?.verdict == .no)
  }

  @Test("A request that was answered in such a log is over")
  func answeredInFragment() throws {
    var scenario = Scenario()
    scenario.receives("subscribe", from: bob)
    scenario.sends("unsubscribed", to: bob)
    #expect(try explanation(scenario)[.request]?.verdict == .no)
  }
}
