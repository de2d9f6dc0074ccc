import Rollcall
import RosterClient
@testable import RosterProxy

extension ProxyTransitionTests {
  //   nothing was said, connecting to a server: for a stream, for direct TLS
  //   |   streams without TLS, the client has asked for TLS
  //   |   |  TLS begins: with the server after STARTTLS, directly; with the client
  //   |   |  |   in TLS, the client has asked to be let in
  //   |   |  |   |  the client is let in, the connection is over
  // The letters are those of `Outcome`.
  static let rows: [Row] = happenings + streams + startTLS + logins + stanzas

  /// Events other than what a side says.
  private static let happenings = [
    // XEP-0368 §3, with the domain of RFC 6066 §3.
    Row(">.. .. ... .. ..", "TLS for a domain") { $0.helloReceived(for: "example.test") },
    Row("D.. .. ... .. ..", "TLS for no domain") { $0.helloReceived(for: nil) },
    Row("d.. .. ... .. ..", "TLS for an account") { $0.helloReceived(for: "a@example.test") },
    Row(".>> .. ... .. ..", "the server is reached") { $0.connected(to: "host:5222") },
    Row(".UU .. ... .. ..", "the server is not reached") { $0.unreachable("refused") },
    // A loop is noticed as soon as the next connection arrives, so never after a login.
    Row("LLL LL LLL LL ..", "the server is this proxy") { $0.ledToItself(by: "host:5222") },
    Row("... .. >>. .. ..", "TLS begins with the server") { $0.secured(.server, by: nil) },
    Row("... .. ..> .. ..", "TLS begins with the client") { $0.secured(.client, by: nil) },
    Row("lll ll TTl ll l.", "the server's connection fails") {
      $0.failed(.server, .lost(reason: "reset"))
    },
    Row("lll ll llT ll l.", "the client's connection fails") {
      $0.failed(.client, .lost(reason: "reset"))
    },
    Row("FFF FF TTF FF F.", "the server's connection is closed") { $0.ended(.server) },
    Row("FFF FF FFT FF F.", "the client's connection is closed") { $0.ended(.client) },
    // RFC 6120 §5.4.3.3.
    Row("III II III II I.", "the client's bytes come before TLS") { $0.injected(by: .client) },
    Row("III II III II I.", "the server's bytes come before TLS") { $0.injected(by: .server) },
    // The proxy limits time and bytes only before the login.
    Row("ttt tt ttt tt ..", "time is over") { $0.timedOut() },
    Row("MMM MM MMM MM ..", "the client says too much") { $0.heard(2 << 20, from: .client) },
    Row("MMM MM MMM MM ..", "the server says too much") { $0.heard(2 << 20, from: .server) },
    Row("... .. ... .. ..", "keys are made that were not asked for") {
      $0.derived(.failure(.malformedChallenge("x")))
    },
    Row("EEE EE EEE EE E.", "nothing more can be recorded") {
      $0.unrecorded(RollcallError(.diskFull, "the disk is full"))
    },
    Row("SSS SS SSS SS S.", "the proxy ends") { $0.stopped() },
  ]

  /// RFC 6120 §4. Before there is a server, nothing comes from it.
  private static let streams = [
    Row(">.. pI III pp p.", .client, ProxyTalk.header()),
    Row("... p> III pp p.", .server, ProxyTalk.header()),
    // §4.7.2: the domain is the one that the certificate is checked for.
    Row(">.. OI III OO O.", .client, ProxyTalk.header("other.test")),
    Row("d.. OI III OO O.", .client, ProxyTalk.header("alice@example.test")),
    Row("D.. pI III pp p.", .client, ProxyTalk.header().replacing("to='example.test' ", with: "")),
    // §4.4.
    Row("X.. pI III pp p.", .client, "</stream:stream>"),
    Row("... p> III pp p.", .server, "</stream:stream>"),
    // §4.6.1: white space keeps a connection open, and none comes while TLS begins.
    Row("... pp III pp p.", .client, "\n"),
    Row("... pp III pp p.", .server, "\n"),
    // §4.9.3.13: after the login the client judges what it cannot read.
    Row("X.. RI III RR u.", .client, "<a></b>"),
    Row("... RR III RR u.", .server, "<a></b>"),
    // §4.9.3.19, XEP-0138 §4 and XEP-0198 §5 would lead the client past the proxy.
    Row(
      "... xx III xx x.", .server,
      """
      <stream:error><see-other-host xmlns='urn:ietf:params:xml:ns:xmpp-streams'>other.test\
      </see-other-host></stream:error>
      """),
    Row(
      "... xx III xx x.", .server,
      """
      <stream:features><compression xmlns='http://jabber.org/features/compress'>\
      <method>zlib</method></compression></stream:features>
      """),
    Row("... p> III pp p.", .server, ProxyTalk.features),
    // §4.9.1: after an error the stream ends.
    Row(
      "... p> III pp p.", .server,
      "<stream:error><conflict xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>"),
  ]

  /// RFC 6120 §5.4.2: the client asks and is silent until the server permits or refuses it.
  private static let startTLS = [
    Row("X.. >I III pp p.", .client, ProxyTalk.startTLS),
    Row("... p> III pp p.", .server, ProxyTalk.proceed),
    Row("... p> III pp p.", .server, "<failure xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"),
  ]

  /// RFC 6120 §6, XEP-0388, XEP-0077 and XEP-0078, of a proxy that allows no passwords in plain
  /// text.
  private static let logins = [
    Row("X.. pI III pp p.", .client, ProxyTalk.auth),
    Row("X.. VI III PP P.", .client, auth("PLAIN")),
    Row("X.. VI III PP P.", .client, auth("plain")),
    // An unknown mechanism may reveal anything, and only TLS hides it.
    Row("X.. VI III pp p.", .client, auth("X-TOKEN")),
    Row("X.. pI III pp p.", .client, "<abort xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>"),
    Row("... p> III pp p.", .server, "<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>"),
    Row("... p> III pp p.", .server, "<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>"),
    // §6.4.6: success answers a request; any other comes from an attacker.
    Row("... uu III u> p.", .server, "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>"),
    Row("... uu III u> p.", .server, "<success xmlns='urn:xmpp:sasl:2'/>"),
    // Only a server lets anyone in.
    Row("X.. uI III uu p.", .client, "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>"),
    // XEP-0077 §3.1.
    Row("X.. pI III pp p.", .client, request("get", "<query xmlns='jabber:iq:register'/>")),
    Row(
      "X.. VI III pp p.", .client,
      request("set", "<query xmlns='jabber:iq:register'><password>b</password></query>")),
    Row("... p> III pp p.", .server, request("result", "<query xmlns='jabber:iq:register'/>")),
    // XEP-0078 §3.
    Row(
      "X.. VI III PP P.", .client,
      request("set", "<query xmlns='jabber:iq:auth'><password>b</password></query>")),
    Row(
      "X.. pI III pp p.", .client,
      request("set", "<query xmlns='jabber:iq:auth'><digest>b</digest></query>")),
    Row("... p> III pp p.", .server, "<iq type='result' id='unasked'/>"),
  ]

  private static func auth(_ mechanism: String) -> String {
    """
    <auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='\(mechanism)'>AGEAYg==</auth>
    """
  }

  private static func request(_ type: String, _ inside: String) -> String {
    "<iq type='\(type)' id='1'>\(inside)</iq>"
  }

  /// RFC 6120 §7.1: before there is a resource, nothing that is said as a stanza is one.
  private static let stanzas =
    [
      "<presence/>", "<message to='bob@example.test'/>",
      request("set", "<query xmlns='jabber:iq:roster'><item jid='b@c.test'/></query>"),
      request("set", "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>"),
      "<r xmlns='urn:xmpp:sm:3'/>", "<resume xmlns='urn:xmpp:sm:3' previd='1' h='0'/>",
    ].flatMap { word in
      [Row("X.. uI III uu p.", .client, word), Row("... uu III uu p.", .server, word)]
    }
}
