import RosterClient
@testable import RosterProxy
import Testing
import XMPPStanza

/// Who ended a connection, and the first cause.
@Suite("Ends of proxied connections") struct ProxyEndTests {
  private static let sasl = "xmlns='urn:ietf:params:xml:ns:xmpp-sasl'"
  private static let end = "</stream:stream>"
  private static let plain = "<auth \(sasl) mechanism='PLAIN'>AGEAYg==</auth>"
  private static let failure =
    "<failure \(sasl)><not-authorized/><text>Wrong\n password</text></failure>"

  private static func error(_ condition: String, _ text: String = "") -> String {
    let namespace = "xmlns='urn:ietf:params:xml:ns:xmpp-streams'"
    let words = text.isEmpty ? "" : "<text \(namespace)>\(text)</text>"
    return "<stream:error><\(condition) \(namespace)/>\(words)</stream:error>"
  }

  /// What the two sides say, which side's connection ends then, and how that is described.
  private static let rows: [([(String, ProxySide)], ProxySide, String)] = [
    ([(end, .client), (end, .server)], .server, "the client closed the stream"),
    ([(end, .server), (end, .client)], .client, "the server closed the stream"),
    ([(end, .client)], .client, "the client closed the stream"),
    ([], .client, "the client closed the connection"),
    ([], .server, "the connection to the server was lost"),
    (
      [(error("conflict", "Replaced by new connection"), .server), (end, .server)], .server,
      "the server closed the stream (conflict: “Replaced by new connection”)"
    ),
    (
      [(error("not-well-formed"), .client)], .client,
      "the client closed the stream (not-well-formed)"
    ),
    // The first cause counts.
    (
      [(end, .client), (error("system-shutdown"), .server)], .server,
      "the client closed the stream"
    ),
  ]

  @Test("The end says which side ended the connection, and why", arguments: rows.indices)
  func ends(_ index: Int) {
    let (words, side, sentence) = Self.rows[index]
    var talk = ProxyTalk.authenticated()
    for (word, side) in words { _ = talk.say(word, side) }
    var reset = talk
    #expect(talk.happen { $0.ended(side) } == ["over: \(sentence)"])
    guard !words.isEmpty else { return }
    #expect(
      reset.happen { $0.failed(side, .lost(reason: "Connection reset by peer")) }
        == ["over: \(sentence)"])
  }

  @Test("A server that does not serve the domain is quoted")
  func wrongDomain() {
    var talk = ProxyTalk()
    _ = talk.say(ProxyTalk.header(), .client)
    _ = talk.happen { $0.connected(to: "host:5222") }
    _ = talk.say(
      ProxyTalk.header() + Self.error("host-unknown", "This server does not serve example.test")
        + Self.end, .server)
    #expect(
      talk.happen { $0.ended(.server) } == [
        "over: the server closed the stream (host-unknown: “This server does not serve example.test”)"
      ])
  }

  @Test("A refused login is the first cause of what the client does then")
  func refusedLogin() {
    let refused = "over: the server refused the login (not-authorized: “Wrong password”), and then "
    func talk() -> ProxyTalk {
      var talk = ProxyTalk.secured()
      _ = talk.say(ProxyTalk.auth, .client)
      // The refusal is passed on, and ends nothing by itself.
      #expect(talk.say(Self.failure, .server).last == "client < \(Self.failure)")
      #expect(talk.machine.refusal?.condition == "not-authorized")
      return talk
    }
    var plain = talk()
    #expect(
      plain.say(Self.plain, .client).last
        == refused + "the client tried to send its password in plain text, which is not allowed")
    var closed = talk()
    _ = closed.say(Self.end, .client)
    #expect(closed.happen { $0.ended(.client) } == [refused + "the client closed the stream"])
    var late = talk()
    #expect(late.happen { $0.timedOut() }.last == refused + "the client did not log in in time")
    // Without a refusal only the password is mentioned, and after a success only the end.
    var first = ProxyTalk.secured()
    #expect(first.say(Self.plain, .client).last == "over: \(ProxyFailure.plain)")
    var again = talk()
    _ = again.say(ProxyTalk.auth, .client)
    _ = again.say("<success \(Self.sasl)/>", .server)
    #expect(again.machine.refusal == nil)
    #expect(again.happen { $0.ended(.server) } == ["over: the connection to the server was lost"])
  }

  @Test("Each refusal is reported once, even one that is the same again")
  func eachRefusal() {
    var talk = ProxyTalk.secured()
    let reported = "refused -: not-authorized: “Wrong password”"
    for _ in 0..<2 {
      _ = talk.say(ProxyTalk.auth, .client)
      #expect(
        talk.say(Self.failure, .server) == [
          "record server <failure/>", reported, "client < \(Self.failure)",
        ])
    }
    // What only looks like one, from the client or after the login, is not reported.
    #expect(!talk.say(Self.failure, .client).contains { $0.hasPrefix("refused") })
    var inside = ProxyTalk.authenticated()
    #expect(!inside.say(Self.failure, .server).contains { $0.hasPrefix("refused") })
  }

  @Test("The account of a login is known from its first message")
  func loginNames() {
    func auth(_ mechanism: String, _ message: String) -> String {
      "<auth \(Self.sasl) mechanism='\(mechanism)'>\(Array(message.utf8).base64)</auth>"
    }
    let first = Array("y,,n=bob,r=x".utf8).base64
    let rows: [(String, String?)] = [
      (auth("SCRAM-SHA-1", "n,,n=alice,r=fyko"), "alice@example.test"),
      (auth("SCRAM-SHA-256-PLUS", "p=tls-exporter,a=x,n=a=2Cb=3D,r=n=c"), "a,b=@example.test"),
      (auth("PLAIN", "\0alice\0secret"), "alice@example.test"),
      (
        "<authenticate xmlns='urn:xmpp:sasl:2' mechanism='SCRAM-SHA-1'><initial-response>\(first)"
          + "</initial-response></authenticate>", "bob@example.test"
      ),
      (
        "<iq type='set' id='7'><query xmlns='jabber:iq:auth'><username>carol</username>"
          + "<digest>x</digest></query></iq>", "carol@example.test"
      ),
      (auth("SCRAM-SHA-1", ""), nil), (auth("SCRAM-SHA-1", "n,,n=,r=x"), nil),
      (auth("PLAIN", "alice"), nil), (auth("X-TOKEN", "n,,n=alice,r=x"), nil),
      ("<auth \(Self.sasl) mechanism='SCRAM-SHA-1'>%</auth>", nil), ("<presence/>", nil),
    ]
    for (word, name) in rows {
      var talk = ProxyTalk.secured(allowsPlain: true)
      _ = talk.say(word, .client)
      #expect(talk.machine.loginName == name, "\(word)")
    }
  }

  @Test("Each way to log in has its refusal, and nothing else is one")
  func refusals() {
    let legacy =
      "<iq type='set' id='7'><query xmlns='jabber:iq:auth'><digest>x</digest></query></iq>"
    let condition = "<not-authorized xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>"
    let rows: [(String, ProxySide, String?)] = [
      (
        "<failure xmlns='urn:xmpp:sasl:2'><account-disabled \(Self.sasl)/></failure>", .server,
        "account-disabled"
      ),
      ("<failure \(Self.sasl)/>", .server, "no condition"),
      (
        "<iq type='error' id='7'><error type='auth'>\(condition)</error></iq>", .server,
        "not-authorized"
      ),
      ("<iq type='error' id='8'><error type='auth'>\(condition)</error></iq>", .server, nil),
      (Self.failure, .client, nil), ("<message>\(Self.failure)</message>", .server, nil),
    ]
    for (word, side, clause) in rows {
      var talk = ProxyTalk.secured()
      _ = talk.say(legacy, .client)
      _ = talk.say(word, side)
      #expect(talk.machine.refusal?.clause == clause, "\(word)")
    }
    var inside = ProxyTalk.authenticated()
    _ = inside.say(Self.failure, .server)
    #expect(inside.machine.refusal == nil)
  }
}
