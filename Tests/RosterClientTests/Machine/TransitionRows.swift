import Rollcall
@testable import RosterClient
import XMPPStanza

extension TransitionTests {
  //   connecting, header, features, STARTTLS, handshake
  //   |     in TLS: header, features, form, registration, SASL, SASL 2
  //   |     |      let in: header, features, features after bind 2
  //   |     |      |   resuming, binding, legacy session, online
  //   |     |      |   |    closing, over
  // The letters are those of `Outcome`.
  static let rows: [Row] = happenings + negotiation + sasl + management + stanzas

  /// What is no word of the server.
  private static let happenings = [
    Row(">tttt tttttt ttt tttt co", "a connection is there") {
      $0.happens { $0.connected(to: "example.test:5222", isDirectTLS: false) }
    },
    Row(">tttt tttttt ttt tttt co", "a connection is there for direct TLS") {
      $0.happens { $0.connected(to: "example.test:5223", isDirectTLS: true) }
    },
    Row("tttt> tttttt ttt tttt co", "TLS has begun") {
      $0.happens { $0.secured(by: "TLSv1.3", serverEndPoint: nil) }
    },
    Row("LLLLL LLLLLL LLL LLLL Do", "the connection is cut") {
      $0.happens { $0.disconnected(.lost(reason: "cut")) }
    },
    // RFC 6120 §5.4.3.3.
    Row("IIIII IIIIII III IIII Io", "bytes came before TLS") { $0.happens { $0.injected() } },
    Row("TTTTT TTTTTT TTT TTTL Do", "time is over") { $0.happens { $0.timedOut() } },
    Row("ttttt tttttt ttt ttt> co", "nothing has come for a while") {
      $0.happens { $0.silenceElapsed() }
    },
    // RFC 6120 §4.4: a stream that was begun is ended, and its other side waited for.
    Row("D>>>D >>>>>> >>> >>>> co", "the user has seen enough") { $0.happens { $0.closed() } },
    // RFC 6120 §7.1: no stanza before there is a resource.
    Row("sssss ssssss ss> ss>> co", "a stanza is to be sent") {
      $0.happens { $0.sent(Array("<presence/>".utf8)) }
    },
    Row("nnnnn nnnnnn nn> nn>> nn", "the server is to be asked whether it is there") {
      $0.happens { $0.pinged().result }
    },
    Row("nnnnn nnnnnn nn> nn>> nn", "the password is to be changed") {
      $0.happens { $0.passwordChanged(to: Password("alice-2")).result }
    },
    // RFC 5802: with PLAIN there are no keys to be made.
    Row("ttttt tttttt ttt tttt co", "keys are made that were not asked for") {
      $0.happens { $0.derived(.failure(.malformedChallenge("x"))) }
    },
    // RFC 6120 §4.9.3.14: before the login an element over a limit ends the stream.
    Row("UUUUU UUUUUU --- ---- co", "an element over a limit comes") {
      guard let overlong = TransitionTests.overlong else { return }
      $0.happens { $0.received(overlong) }
    },
  ]

  /// An element over a limit, as it is read.
  private static let overlong: StreamIntake.Part? = {
    var limits = SessionLimits()
    limits.elementsPerStanza = 1
    var intake = StreamIntake(limits)
    return intake.take(Array((Talk.header + "<message><body/></message>").utf8)).last
  }()

  /// RFC 6120 §4, §5 and §7, XEP-0077.
  private static let negotiation = [
    // §4.3.3: a stream has one header, and a new one begins with another.
    Row("V>VVV >VVVVV >VV VVVV co", Talk.header),
    // §4.7.1: the server may name another domain of its own; who it is the certificate says.
    Row(
      "V>VVV >VVVVV >VV VVVV co",
      Talk.header.replacing("example.test", with: "hosting.test")),
    Row("VVVVV VVVVVV VVV VVVV co", Talk.header.replacing("'1.0' x", with: "'0.9' x")),
    // §4.4: the other side of the stream is ended too.
    Row("LLLLL LLLLLL LLL LLLL Do", "</stream:stream>"),
    // §4.9.
    Row(
      "EEEEE EEEEEE EEE EEEE Eo",
      """
      <stream:error><conflict xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>
      """),
    Row("UUUUU UUUUUU UUU UUUU Uo", "<a></b>"),
    Row("UUUUU UUUUUU UUU UUUU Uo", "<!-- no comment -->"),
    // §4.3.2: after the header come the features, once.
    Row("VV>VV VSVVVV VV> Vs.. co", Talk.tlsFeatures),
    Row("VVXVV VSVVVV VV> Vs.. co", Talk.features("")),
    // §5.3.1: without TLS, what else is offered does not count.
    Row("VVXVV V>VVVV VV> Vs.. co", Talk.saslFeatures),
    Row("VVXVV VSVVVV V>> Vs.. co", Talk.features(Talk.bind)),
    Row("VVXVV VSVVVV V>> Vs.. co", Talk.features(Talk.bind + Talk.counting)),
    Row("VVVVV VVVVVV VV. Vs.. co", "<features xmlns='jabber:client'/>"),
    // §5.4.2.
    Row("VVV>V VVVVVV VV. Vs.. co", Talk.proceed),
    Row("VVVXV VVVVVV VV. Vs.. co", "<failure xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"),
    Row("VVVVV VVVVVV VV. Vs.. co", "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"),
    // §7.6.1: the answer of this id is a full address of our account.
    Row("VVVVV VVOVVV VV. V>.. co", Talk.bound("r1")),
    Row("VVVVV VVOVVV VV. VV.. co", Talk.bound("r1", "mallory@example.test/phone")),
    Row("VVVVV VVOVVV VV. VV.. co", Talk.bound("r1", "alice@evil.test/phone")),
    Row("VVVVV VVOVVV VV. VV.. co", Talk.bound("r1", "alice@example.test")),
    Row("VVVVV VVOVVV VV. VV.. co", Talk.bound("r1", "")),
    Row("VVVVV VVVVVV VV. Vs.. co", Talk.bound("R1")),
    Row("VVVVV VVOVVV VV. VB.. co", "<iq type='error' id='r1'/>"),
    Row("VVVVV VVVRVV VV. VsB. co", "<iq type='error' id='r2'/>"),
    Row("VVVVV VVV>VV VV. Vs>. co", "<iq type='result' id='r2'/>"),
    // XEP-0077 §3.1.
    Row("VVVVV VV>VVV VV. VV.. co", registrationForm("<username/><password/>")),
    Row("VVVVV VVMVVV VV. VV.. co", registrationForm("<username/><password/><email/>")),
    Row("VVVVV VVMVVV VV. VV.. co", registrationForm("<instructions>See our page</instructions>")),
    Row("VVVVV VVVVVV VV. Vs.. co", registrationForm("<username/><password/>", id: "r7")),
  ]

  private static func registrationForm(_ fields: String, id: String = "r1") -> String {
    "<iq type='result' id='\(id)'><query xmlns='jabber:iq:register'>\(fields)</query></iq>"
  }

  /// RFC 6120 §6 and XEP-0388, with PLAIN: it has no challenge, and its success says nothing more.
  private static let sasl = [
    Row("VVVVV VVVVSV VV. Vs.. co", sasl("challenge", "cj1h")),
    Row("VVVVV VVVV>V VV. Vs.. co", sasl("success")),
    Row("VVVVV VVVVSV VV. Vs.. co", sasl("success", "dj1h")),
    Row("VVVVV VVVVSV VV. Vs.. co", sasl("success", "?")),
    Row("VVVVV VVVVNV VV. Vs.. co", sasl("failure", "<not-authorized/>")),
    Row("VVVVV VVVVVV VV. Vs.. co", sasl("auth", "AGFsaWNlAHBlbmNpbA==")),
    Row("VVVVV VVVVVV VV. Vs.. co", sasl("response", "=")),
    Row("VVVVV VVVVVV VV. Vs.. co", sasl("abort")),
    Row("VVVVV VVVVVS VV. Vs.. co", "<challenge xmlns='urn:xmpp:sasl:2'>cj1h</challenge>"),
    Row("VVVVV VVVVV> VV. Vs.. co", sasl2("alice@example.test")),
    Row("VVVVV VVVVV> VV. Vs.. co", sasl2("alice@example.test/x", bound)),
    // XEP-0388 §2.6.2: it says who was let in, and that has to be who asked.
    Row("VVVVV VVVVVV VV. Vs.. co", sasl2("mallory@example.test")),
    Row("VVVVV VVVVVV VV. Vs.. co", sasl2("mallory@example.test/x", bound)),
    Row("VVVVV VVVVVV VV. Vs.. co", sasl2("@")),
    Row("VVVVV VVVVVV VV. Vs.. co", "<success xmlns='urn:xmpp:sasl:2'/>"),
    Row("VVVVV VVVVVV VV. Vs.. co", "<success xmlns='urn:xmpp:sasl:2'>\(bound)</success>"),
    // XEP-0386: bound is a full address.
    Row("VVVVV VVVVVV VV. Vs.. co", sasl2("alice@example.test", bound)),
    // The client has not asked for a resumption.
    Row(
      "VVVVV VVVVVV VV. Vs.. co",
      sasl2("alice@example.test/x", "<resumed xmlns='urn:xmpp:sm:3' h='0' previd='some-id'/>")),
    Row(
      "VVVVV VVVVVS VV. Vs.. co",
      sasl2("alice@example.test", "<additional-data>dj1h</additional-data>")),
    Row("VVVVV VVVVVN VV. Vs.. co", "<continue xmlns='urn:xmpp:sasl:2'/>"),
    Row("VVVVV VVVVVN VV. Vs.. co", "<failure xmlns='urn:xmpp:sasl:2'/>"),
  ]

  private static func sasl(_ name: String, _ inside: String = "") -> String {
    "<\(name) xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\(inside)</\(name)>"
  }

  private static func sasl2(_ identity: String, _ inside: String = "") -> String {
    """
    <success xmlns='urn:xmpp:sasl:2'><authorization-identifier>\(identity)\
    </authorization-identifier>\(inside)</success>
    """
  }

  private static let bound = "<bound xmlns='urn:xmpp:bind:0'/>"

  /// XEP-0198. At the stage of being online both sides count; `resuming` has sent nothing before.
  private static let management = [
    Row("VVVVV VVVVVV VVa >saa co", management("resumed", "h='0' previd='some-id'")),
    Row("VVVVV VVVVVV VVa Vsaa co", management("resumed", "h='0' previd='another'")),
    Row("VVVVV VVVVVV VVa Vsaa co", management("resumed", "h='1' previd='some-id'")),
    Row("VVVVV VVVVVV VVa Vsaa co", management("resumed", "h='4294967295' previd='some-id'")),
    Row("VVVVV VVVVVV VVa Vsaa co", management("resumed", "h='4294967296' previd='some-id'")),
    Row("VVVVV VVVVVV VVa Vsaa co", management("resumed", "h='-1' previd='some-id'")),
    Row("VVVVV VVVVVV VVa Vsaa co", management("resumed", "previd='some-id'")),
    Row("VVVVV VVVVVV VVa >saa co", management("failed", "")),
    Row("VVVVV VVVVVV VVa Vsaa co", management("enabled", "id='another' resume='true'")),
    Row("VVVVV VVVVVV VVa Vsa> co", management("r", "")),
    Row("VVVVV VVVVVV VVa Vsa= co", management("a", "h='0'")),
    Row("VVVVV VVVVVV VVa VsaV co", management("a", "h='1'")),
    Row("VVVVV VVVVVV VVa VsaV co", management("a", "h='x'")),
    Row("VVVVV VVVVVV VVa VsaV co", management("a", "")),
    Row("VVVVV VVVVVV VVa Vsaa co", management("resume", "h='0' previd='some-id'")),
    Row("VVVVV VVVVVV VV. Vs.. co", "<r xmlns='urn:xmpp:sm:2'/>"),
  ]

  private static func management(_ name: String, _ attributes: String) -> String {
    "<\(name) xmlns='urn:xmpp:sm:3' \(attributes)/>"
  }

  /// RFC 6120 §8.2.3: what is asked has to be answered, once there is a resource; RFC 6121 §2.1.6
  /// and XEP-0191: what is pushed is left to who keeps the roster.
  private static let stanzas = [
    Row("VVVVV VVVVVV VV> Vs>> co", request("get", "<ping xmlns='urn:xmpp:ping'/>")),
    Row("VVVVV VVVVVV VV> Vs>> co", request("get", "<query xmlns='jabber:iq:version'/>")),
    Row("VVVVV VVVVVV VV> Vs>> co", request("set", "<query xmlns='jabber:iq:version'/>")),
    Row("VVVVV VVVVVV VV> Vs>> co", request("get", "<query xmlns='jabber:iq:roster'/>")),
    Row("VVVVV VVVVVV VV> Vs>> co", request("get", "<blocklist xmlns='urn:xmpp:blocking'/>")),
    Row("VVVVV VVVVVV VV. Vs.. co", request("set", "<query xmlns='jabber:iq:roster'/>")),
    Row(
      "VVVVV VVVVVV VV. Vs.. co",
      "<iq type='set' id='p'><query xmlns='jabber:iq:roster'><item jid='b@c.test'/></query></iq>"),
    Row("VVVVV VVVVVV VV. Vs.. co", request("set", "<block xmlns='urn:xmpp:blocking'/>")),
    Row("VVVVV VVVVVV VV. Vs.. co", "<iq type='get'><ping xmlns='urn:xmpp:ping'/></iq>"),
    Row("VVVVV VVVVVV VV. Vs.. co", "<iq type='GET' id='x'><ping xmlns='urn:xmpp:ping'/></iq>"),
    Row("VVVVV VVVVVV VV. Vs.. co", "<iq type='result' id='unasked'/>"),
    Row("VVVVV VVVVVV VV. Vs.. co", "<iq type='error' id='unasked'/>"),
    Row("VVVVV VVVVVV VV. Vs.. co", "<message from='bob@example.test'><body>hi</body></message>"),
    Row("VVVVV VVVVVV VV. Vs.. co", "<presence from='bob@example.test/x'/>"),
    Row("VVVVV VVVVVV VV. Vs.. co", "<presence type='subscribe' from='mallory@evil.test'/>"),
    Row("VVVVV VVVVVV VV. Vs.. co", "<news xmlns='urn:example:unknown'/>"),
  ]

  private static func request(_ type: String, _ inside: String) -> String {
    "<iq type='\(type)' id='q' from='bob@example.test/x'>\(inside)</iq>"
  }
}
