import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Stream errors, refused logins and ended presence")
struct StreamErrorTests {
  private static let bob = "bob@example.test"

  /// Alice with Bob, both online.
  private static func online() -> Scenario {
    var scenario = Scenario.alice(item(bob, "subscription='both'"))
    scenario.sends()
    scenario.receives(from: "\(bob)/pc")
    return scenario
  }

  @Test("A stream error of either side ends the session and is part of the story")
  func ends() {
    for direction in Direction.allCases {
      var scenario = Self.online()
      scenario.failed(direction, "conflict", "Replaced by new connection")
      #expect(scenario.last.news?.contact == nil && scenario.last.news != nil)
      #expect(!scenario.roster.isConnected)
      #expect(scenario.online(Self.bob).isEmpty)
      #expect(scenario.subscription(Self.bob) == .both)
      for end in Direction.allCases { scenario.ended(end) }
      scenario.lost()
      #expect(scenario.allCodes.isEmpty, "\(direction)")
      // The next session has nothing to do with it.
      scenario.opened("alice@example.test/phone")
      scenario.fetches(item(Self.bob, "subscription='both'"), id: "again")
      scenario.pushed(item(Self.bob, "name='B' subscription='both'"))
      #expect(scenario.item(Self.bob)?.name == "B")
      #expect(scenario.allCodes.isEmpty, "\(direction)")
    }
  }

  @Test("After the server's error, nothing from it counts")
  func late() {
    var scenario = Self.online()
    scenario.failed(.inbound, "policy-violation")
    scenario.pushed(item(Self.bob, "subscription='remove'"))
    #expect(scenario.codes == [.lateStanza])
    #expect(scenario.subscription(Self.bob) == .both)
  }

  @Test("A refused login is part of the story and changes nothing")
  func logins() {
    let sasl = "urn:ietf:params:xml:ns:xmpp-sasl"
    for refusal in [
      "<failure xmlns='\(sasl)'><not-authorized/></failure>",
      "<failure xmlns='urn:xmpp:sasl:2'><not-authorized xmlns='\(sasl)'/></failure>",
      "<iq type='error' id='b'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>"
        + stanzaError("resource-constraint") + "</iq>",
      "<iq type='error' id='b'>" + stanzaError("resource-constraint") + "</iq>",
    ] {
      var scenario = Scenario()
      scenario.received("<stream:stream from='example.test'/>")
      scenario.received(refusal)
      #expect(scenario.last.news != nil)
      #expect(scenario.last.changes.isEmpty && scenario.codes.isEmpty)
      #expect(!scenario.roster.isConnected)
      scenario.opened("alice@example.test/phone")
      #expect(scenario.roster.isConnected)
    }
  }

  @Test("In a session, a contact cannot make up a refused login")
  func forged() {
    var scenario = Self.online()
    scenario.received(
      "<iq type='error' id='b' from='eve@evil.test'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>"
        + stanzaError("conflict") + "</iq>")
    #expect(scenario.last.isEmpty)
  }

  @Test("Errors of another account's stream are not told")
  func foreign() {
    var scenario = Self.online()
    scenario.opened("mallory@example.test/x")
    for line in [
      "<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><not-authorized/></failure>",
      "<iq type='error' id='q'>\(stanzaError("forbidden"))</iq>",
      "<stream:error><conflict xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>",
    ] {
      scenario.received(line)
      #expect(scenario.last.isEmpty, "\(line)")
    }
  }

  private static let status = "<status>Replaced by new connection</status>"

  @Test("That the server ends our presence is told with its reason; that we end it is not")
  func presence() {
    let phone = "alice@example.test/phone"
    var scenario = Self.online()
    scenario.receives("unavailable", from: phone, Self.status)
    #expect(scenario.last.news?.contact == nil && scenario.last.news != nil)
    #expect(scenario.codes.isEmpty)

    for (content, from) in [("", phone), (Self.status, "\(Self.bob)/tv")] {
      scenario = Self.online()
      scenario.receives("unavailable", from: from, content)
      #expect(scenario.last.news == nil, "\(from)")
    }
    // A server sends a client its own goodbye back.
    scenario = Self.online()
    scenario.sends("unavailable")
    scenario.receives("unavailable", from: phone, Self.status)
    #expect(scenario.last.news == nil)
  }
}
