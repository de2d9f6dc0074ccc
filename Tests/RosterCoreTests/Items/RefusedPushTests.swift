import RosterCore
import TestSupport
import Testing
import XMPPStanza

private let bob = "bob@example.test"

/// RFC 6121 §2.1.6 has a client answer a push by a result.
@Suite("Pushes that we answer with an error") struct RefusedPushTests {
  private func answer(_ xml: String) -> Scenario.Outcome {
    var scenario = Scenario.alice(item(bob, "subscription='both'"))
    scenario.pushed(item(bob, "name='Bob' subscription='both'"), id: "p")
    return scenario.sent(xml)
  }

  private static let error = stanzaError("service-unavailable")

  @Test("The error belongs in the story of the contact, although it changes nothing")
  func isNews() {
    let outcome = answer("<iq type='error' id='p'>\(Self.error)</iq>")
    #expect(outcome.news?.contact == bare(bob))
    #expect(outcome.changes.isEmpty && outcome.findings.isEmpty)
  }

  @Test(
    "A result, and an error that answers something else, do not",
    arguments: [
      "<iq type='result' id='p'/>", "<iq type='error' id='q'>\(error)</iq>",
      "<iq type='error' id='p' to='carol@example.test/x'>\(error)</iq>",
    ])
  func isNoNews(_ xml: String) { #expect(answer(xml).news == nil) }
}
