import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// The name that is shown for a contact, and the record that it comes from.
@Suite struct DisplayNameTests {
  private static let bob = "bob@example.test"

  private func name(_ scenario: Scenario) -> String {
    let name = scenario.roster.name(of: bare(Self.bob))
    #expect(name.text == scenario.roster.displayName(of: bare(Self.bob)))
    return "\(name.text) \(name.source.rawValue) \(name.record ?? 0)"
  }

  private func published(_ node: String, _ content: String, from: String = bob) -> String {
    "<message from='\(from)'><event xmlns='http://jabber.org/protocol/pubsub#event'>"
      + "<items node='\(node)'><item>\(content)</item></items></event></message>"
  }

  private func nick(_ name: String) -> String {
    published(
      "http://jabber.org/protocol/nick",
      "<nick xmlns='http://jabber.org/protocol/nick'>\(name)</nick>")
  }

  private static func vCard4(_ content: String) -> String {
    "<vcard xmlns='urn:ietf:params:xml:ns:vcard-4.0'>\(content)</vcard>"
  }

  @Test("Rule 24: the roster's name, else the own nick, else the vCard's, else the address")
  func order() {
    var scenario = Scenario.alice(item(Self.bob, "subscription='both'"))  // 1 to 3
    #expect(name(scenario) == "bob address 0")
    scenario.sent("<iq id='v' to='\(Self.bob)' type='get'><vCard xmlns='vcard-temp'/></iq>")
    scenario.received(
      "<iq id='v' from='\(Self.bob)' type='result'><vCard xmlns='vcard-temp'>"
        + "<FN>Robert B</FN></vCard></iq>")
    #expect(name(scenario) == "Robert B vCardFullName 5")
    scenario.received(
      published(
        "urn:xmpp:vcard4",
        Self.vCard4(
          "<fn><text>Robert</text></fn><nickname><text> Bobby </text></nickname>")))
    #expect(name(scenario) == "Bobby vCardNickname 6")
    scenario.received(nick("Bobo"))
    #expect(name(scenario) == "Bobo nickname 7")
    scenario.pushed(item(Self.bob, "subscription='both' name='Bob'"))
    #expect(name(scenario) == "Bob roster 8")
    scenario.pushed(item(Self.bob, "subscription='both' name='Bob'", groups: ["A"]))
    #expect(name(scenario) == "Bob roster 8")
    scenario.pushed(item(Self.bob, "subscription='both'"))
    #expect(name(scenario) == "Bobo nickname 7")
    scenario.received(nick(""))
    #expect(name(scenario) == "Bobby vCardNickname 6")
  }

  @Test(
    "A vCard4 is fetched by IQ or from its node",
    arguments: [
      ("<vcard xmlns='urn:ietf:params:xml:ns:vcard-4.0'/>", vCard4("<fn><text>B</text></fn>")),
      (
        "<pubsub xmlns='http://jabber.org/protocol/pubsub'><items node='urn:xmpp:vcard4'/></pubsub>",
        "<pubsub xmlns='http://jabber.org/protocol/pubsub'><items node='urn:xmpp:vcard4'><item>"
          + vCard4("<fn><text>B</text></fn>") + "</item></items></pubsub>"
      ),
    ])
  func vCardFetch(_ question: String, _ answer: String) {
    var scenario = Scenario.alice(item(Self.bob))
    scenario.sent("<iq id='v' to='\(Self.bob)' type='get'>\(question)</iq>")
    scenario.received("<iq id='v' from='eve@evil.test' type='result'>\(answer)</iq>")
    #expect(name(scenario) == "bob address 0")
    scenario.received("<iq id='v' from='\(Self.bob)' type='result'>\(answer)</iq>")
    #expect(name(scenario) == "B vCardFullName 6")
  }

  @Test("A notification without a vCard removes no name")
  func payloadless() {
    var scenario = Scenario.alice(item(Self.bob))
    scenario.received(published("urn:xmpp:vcard4", Self.vCard4("<fn><text>B</text></fn>")))
    scenario.received(published("urn:xmpp:vcard4", ""))
    #expect(name(scenario) == "B vCardFullName 4")
    #expect(scenario.roster.displayName(of: bare("muc.example.test")) == "muc.example.test")
  }
}
