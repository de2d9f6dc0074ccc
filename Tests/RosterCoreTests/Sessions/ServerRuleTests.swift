import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("The server of an account") struct ServerRuleTests {
  private let bob = "bob@example.test"

  /// The ways in which a server identifies itself.
  private static let ways: [(String, @Sendable (inout Scenario) -> Void)] = [
    ("a bound address", { $0.opened("alice@example.test/phone") }),
    (
      "a bind result",
      {
        $0.received(
          "<iq id='b' type='result'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
            + "<jid>alice@example.test/x</jid></bind></iq>")
      }
    ),
    ("a resumption", { $0.resumed("alice@example.test/phone") }),
    (
      "an authentication",
      {
        $0.received(
          "<success xmlns='urn:xmpp:sasl:2'><authorization-identifier>alice@example.test"
            + "</authorization-identifier></success>")
      }
    ),
  ]

  @Test("A server of another domain changes nothing, verified or not", arguments: [true, false])
  func otherDomain(isVerified: Bool) {
    let resumption: (String, @Sendable (inout Scenario) -> Void) = (
      "a resumption without an address",
      { $0.received("<resumed xmlns='urn:xmpp:sm:3' h='0' previd='sm'/>") }
    )
    for (name, way) in Self.ways + [resumption] {
      var scenario = Scenario.alice(item(bob, "subscription='both'"), version: "v1")
      scenario.lost()
      scenario.reachedServer("evil.test", isVerified: isVerified)
      scenario.sent("<stream:stream to='evil.test'/>")
      way(&scenario)
      #expect(scenario.codes == [.otherDomain], "\(name)")
      scenario.pushed(item(bob, "subscription='remove'"))
      scenario.receives("subscribe", from: "mallory@evil.test")
      scenario.fetches(item("mallory@evil.test", "subscription='both'"))
      #expect(scenario.contacts == [bob] && scenario.incoming.isEmpty, "\(name)")
      #expect(!scenario.roster.isConnected, "\(name)")
      // The account's own server counts again.
      scenario.closed()
      scenario.reachedServer("example.test")
      scenario.sent("<stream:stream to='example.test'/>")
      scenario.opened("alice@example.test/phone")
      #expect(scenario.codes.isEmpty && scenario.roster.isConnected, "\(name)")
      scenario.pushed(item(bob, "subscription='remove'"))
      #expect(scenario.contacts.isEmpty, "\(name)")
    }
  }

  @Test(
    "The end of a stream does not assign it to another server",
    arguments: [Direction.inbound, .outbound])
  func afterEnd(_ direction: Direction) {
    for (name, way) in Self.ways {
      var scenario = Scenario()
      scenario.reachedServer("evil.test")
      scenario.ended(direction)
      way(&scenario)
      #expect(scenario.roster.account == nil && !scenario.roster.isConnected, "\(name)")
    }
  }

  @Test("A connection whose server is unknown may be any server's")
  func afterConnection() {
    var scenario = Scenario()
    scenario.reachedServer("evil.test")
    scenario.ended(.outbound)
    scenario.lost()
    scenario.opened("alice@example.test/phone")
    #expect(scenario.codes.isEmpty && scenario.roster.isConnected)
  }

  @Test("A log does not take its account from a server of another domain")
  func unbound() {
    for (name, way) in Self.ways {
      var scenario = Scenario()
      scenario.reachedServer("evil.test")
      way(&scenario)
      #expect(scenario.codes == [.otherDomain], "\(name)")
      #expect(scenario.roster.account == nil, "\(name)")
    }
  }

  @Test("The domain's own server counts, however the domain is written")
  func ownDomain() {
    for (name, way) in Self.ways {
      var scenario = Scenario()
      scenario.reachedServer("EXAMPLE.test.")
      way(&scenario)
      #expect(scenario.codes.isEmpty, "\(name)")
      #expect(scenario.roster.account == bare("alice@example.test"), "\(name)")
    }
    var international = Scenario()
    international.reachedServer("xn--bcher-kva.test")
    international.opened("alice@bücher.test/x")
    #expect(international.allCodes.isEmpty)
  }

  @Test("A server without a certificate is reported, and a log notes whether it saw another one")
  func unverified() {
    var scenario = Scenario()
    scenario.reachedServer("example.test", isVerified: false)
    #expect(scenario.codes == [.unverifiedServer])
    scenario.opened("alice@example.test/x")
    #expect(scenario.codes.isEmpty && !scenario.roster.hasVerifiedStream)
    scenario.closed()
    scenario.reachedServer("example.test")
    scenario.opened("alice@example.test/x")
    #expect(scenario.roster.hasVerifiedStream)
  }
}
