import Rollcall
import RosterClient
@testable import RosterProxy
import Testing

@Suite("What a proxy passes on") struct ProxyMachineTests {
  private let header = ProxyTalk.header()

  @Test("TLS begins on both sides, first with the server")
  func startTLS() {
    var talk = ProxyTalk()
    #expect(talk.say("<?xml version='1.0'?>", .client) == [])
    #expect(talk.say(String(header.dropFirst(21)), .client) == ["connect to example.test"])
    #expect(
      talk.happen { $0.connected(to: "host:5222") } == [
        "note connected(to: Optional(\"host:5222\"))", "server < <?xml version='1.0'?>",
        "record client header", "server < \(header.dropFirst(21))",
      ])
    #expect(
      talk.say(header + ProxyTalk.features, .server) == [
        "client < <?xml version='1.0'?>", "record server header",
        "client < \(header.dropFirst(21))", "record server <features/>",
        "client < \(ProxyTalk.features)",
      ])
    #expect(
      talk.say(ProxyTalk.startTLS, .client) == [
        "record client <starttls/>", "server < \(ProxyTalk.startTLS)",
      ])
    // The client may proceed once the server's certificate is verified.
    #expect(
      talk.say(ProxyTalk.proceed, .server) == [
        "record server <proceed/>", "TLS with the server for example.test",
      ])
    #expect(
      talk.happen { $0.secured(.server, by: "TLSv1.3") } == [
        "note secured(tls: Optional(\"TLSv1.3\"))", "client < \(ProxyTalk.proceed)",
        "TLS with the client for example.test",
      ])
    #expect(talk.happen { $0.secured(.client, by: nil) } == [])
    #expect(!talk.machine.isBeginningTLS && !talk.machine.isAuthenticated)
  }

  @Test("A client that begins with TLS gets a server that does, too")
  func directTLS() {
    var talk = ProxyTalk()
    #expect(talk.happen { $0.helloReceived(for: "example.test") } == ["connect to example.test"])
    #expect(
      talk.happen { $0.connected(to: "host:5223") } == [
        "note connected(to: Optional(\"host:5223\"))", "TLS with the server for example.test",
      ])
    #expect(
      talk.happen { $0.secured(.server, by: nil) } == [
        "note secured(tls: nil)", "TLS with the client for example.test",
      ])
    #expect(talk.happen { $0.secured(.client, by: nil) } == [])
    #expect(talk.say(header, .client).last == "server < \(header.dropFirst(21))")
  }

  @Test("A plain password is passed on only if that is allowed", arguments: [false, true])
  func plain(isAllowed: Bool) {
    let words = [
      "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>AGEAYg==</auth>",
      "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='plain'>AGEAYg==</auth>",
      "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='LOGIN'/>",
      "<authenticate xmlns='urn:xmpp:sasl:2' mechanism='PLAIN'>"
        + "<initial-response>AGEAYg==</initial-response></authenticate>",
      "<iq type='set' id='1'><query xmlns='jabber:iq:auth'><username>a</username>"
        + "<password>b</password></query></iq>",
    ]
    for word in words {
      var talk = ProxyTalk.secured(allowsPlain: isAllowed)
      let done = talk.say(word, .client)
      #expect(done.contains("server < \(word)") == isAllowed, "\(word)")
      #expect(done.contains { $0.hasPrefix("over") } == !isAllowed, "\(word)")
      guard !isAllowed else { continue }
      // Neither passed on nor recorded; both streams are ended.
      #expect(!done.contains { $0.contains("AGEA") || $0.contains("<password") }, "\(done)")
      #expect(done.contains("server < </stream:stream>") && done.contains("record client end"))
      #expect(done.contains { $0.hasPrefix("client <") && $0.contains("<policy-violation") })
      #expect(talk.say("<presence/>", .client) == [])
    }
  }

  @Test("Only the server's answer to a login counts as a login")
  func letIn() {
    for word in [
      "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>",
      "<success xmlns='urn:xmpp:sasl:2'/>",
    ] {
      var talk = ProxyTalk.secured()
      _ = talk.say(word, .client)
      #expect(!talk.machine.isAuthenticated)
      _ = talk.say("<presence>\(word)</presence>", .server)
      #expect(!talk.machine.isAuthenticated)
      // An answer without a request.
      #expect(talk.say(word, .server) == ["record server unreadable", "client < \(word)"])
      #expect(!talk.machine.isAuthenticated)
      _ = talk.say(ProxyTalk.auth, .client)
      _ = talk.say(word, .server)
      #expect(talk.machine.isAuthenticated)
    }
    var talk = ProxyTalk.secured(allowsPlain: true)
    _ = talk.say(
      "<iq type='set' id='7'><query xmlns='jabber:iq:auth'><digest>x</digest></query></iq>",
      .client)
    _ = talk.say("<iq type='result' id='8'/>", .server)
    #expect(!talk.machine.isAuthenticated)
    _ = talk.say("<iq type='result' id='7'/>", .server)
    #expect(talk.machine.isAuthenticated)
  }

  @Test("Stanzas before the login are passed on, and affect no roster")
  func beforeLogin() {
    let success = "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>"
    let words = [
      "<iq type='set' id='p'><query xmlns='jabber:iq:roster'><item jid='m@evil.test'/></query></iq>",
      "<iq type='result' id='1'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
        + "<jid>alice@example.test/x</jid></bind></iq>",
      "<presence type='subscribe' from='m@evil.test'/>", "<message from='m@evil.test'/>",
      "<resumed xmlns='urn:xmpp:sm:3' previd='1' h='0'/>",
    ]
    for word in words {
      let kept = "record server <\(word.dropFirst().prefix { $0 != " " })/>"
      var plain = ProxyTalk()
      _ = plain.say(ProxyTalk.header(), .client)
      _ = plain.happen { $0.connected(to: "host:5222") }
      // Before TLS, an attacker in the middle may also claim that the login succeeded.
      _ = plain.say(ProxyTalk.header() + ProxyTalk.features + success, .server)
      var asked = ProxyTalk.secured()
      _ = asked.say(ProxyTalk.auth, .client)
      var secured = ProxyTalk.secured()
      for (index, before) in [plain, asked, secured].enumerated() {
        var talk = before
        #expect(
          talk.say(word, .server) == ["record server unreadable", "client < \(word)"],
          "\(index): \(word)")
      }
      _ = secured.say(ProxyTalk.auth, .client)
      _ = secured.say(success, .server)
      #expect(secured.say(word, .server).first == kept)
    }
    // A login requested without TLS does not count inside TLS.
    var talk = ProxyTalk()
    _ = talk.say(ProxyTalk.header(), .client)
    _ = talk.happen { $0.connected(to: "host:5222") }
    _ = talk.say(ProxyTalk.auth, .client)
    _ = talk.say(ProxyTalk.startTLS, .client)
    _ = talk.say(ProxyTalk.proceed, .server)
    _ = talk.happen { $0.secured(.server, by: "TLSv1.3") }
    _ = talk.happen { $0.secured(.client, by: nil) }
    _ = talk.say(success, .server)
    #expect(!talk.machine.isAuthenticated)
    // Creating an account needs no login.
    let form = "<iq type='result' id='1'><query xmlns='jabber:iq:register'/></iq>"
    #expect(talk.say(form, .server) == ["record server <iq/>", "client < \(form)"])
  }

  @Test("Unreadable data is passed on only after the login", arguments: ProxySide.allCases)
  func unreadable(side: ProxySide) {
    var before = ProxyTalk.secured()
    let done = before.say("<a></b>", side)
    #expect(done.last?.hasPrefix("over: the data from the \(side) cannot be read") == true)
    #expect(!done.contains("\(side.other) < <a></b>"))
    var after = ProxyTalk.authenticated()
    #expect(
      after.say("<a></b>", side) == ["record \(side) unreadable", "\(side.other) < <a></b>"])
    #expect(
      after.say("<presence/>", side) == [
        "record \(side) <presence/>", "\(side.other) < <presence/>",
      ])
  }

  @Test("A stream in TLS is for the domain of the verified certificate")
  func otherDomain() {
    for (domain, isRefused) in [
      ("example.test", false), ("EXAMPLE.test", false), ("other.test", true),
      ("a@example.test", true),
    ] {
      var talk = ProxyTalk()
      _ = talk.happen { $0.helloReceived(for: "example.test") }
      _ = talk.happen { $0.connected(to: "host:5223") }
      _ = talk.happen { $0.secured(.server, by: nil) }
      _ = talk.happen { $0.secured(.client, by: nil) }
      let done = talk.say(ProxyTalk.header(domain), .client)
      #expect(done.contains { $0.hasPrefix("over") } == isRefused, "\(domain)")
      #expect(done.contains { $0.contains("<host-unknown") } == isRefused, "\(domain)")
    }
  }

  @Test("A client that does not name a domain is told so")
  func noDomain() {
    var talk = ProxyTalk()
    let done = talk.say(
      "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>",
      .client)
    #expect(done.count == 3 && done.last == "over: \(ProxyFailure.noDomain)")
    #expect(done[0].hasPrefix("client < <?xml") && done[1].contains("<improper-addressing"))
    for domain in [nil, ""] {
      var talk = ProxyTalk()
      #expect(
        talk.happen { $0.helloReceived(for: domain) } == ["over: \(ProxyFailure.noDomain)"])
    }
    var web = ProxyTalk()
    #expect(
      web.say("GET / HTTP/1.1\r\nA: <b>\r\n\r\n", .client) == ["over: \(ProxyFailure.notXMPP)"])
  }

  @Test(
    "A client that names an invalid domain is refused, and no server is contacted",
    arguments: [
      ("alice@example.test", "host-unknown"), ("example.test/phone", "host-unknown"),
      ("exa mple.test", "improper-addressing"), ("@", "improper-addressing"),
      (String(repeating: "a", count: 1024), "improper-addressing"),
    ])
  func notADomain(to: String, condition: String) {
    var talk = ProxyTalk()
    let done = talk.say(ProxyTalk.header(to), .client)
    #expect(done.count == 3 && done.last == "over: \(ProxyFailure.notADomain(to))", "\(done)")
    #expect(done[0].hasPrefix("client < <?xml"))
    #expect(done.dropFirst().first?.contains("<\(condition) xmlns='urn:ietf:params:xml:ns") == true)
    var direct = ProxyTalk()
    #expect(
      direct.happen { $0.helloReceived(for: to) } == ["over: \(ProxyFailure.notADomain(to))"])
  }

  @Test("An unreachable or unverified server is reported within the stream")
  func noServer() {
    var talk = ProxyTalk()
    _ = talk.say(header, .client)
    let done = talk.happen { $0.unreachable("host:5222: Connection refused") }
    #expect(done[0].contains(" from=\"example.test\"") && done[1].contains("<remote-connection-"))
    #expect(talk.machine.isOver)
    var other = ProxyTalk()
    _ = other.say(header, .client)
    _ = other.happen { $0.connected(to: "host:5222") }
    _ = other.say(header + ProxyTalk.features, .server)
    _ = other.say(ProxyTalk.startTLS, .client)
    _ = other.say(ProxyTalk.proceed, .server)
    #expect(
      other.happen { $0.failed(.server, .certificate(.otherNames("is not the domain's"))) } == [
        "client < <failure xmlns='urn:ietf:params:xml:ns:xmpp-tls'/></stream:stream>",
        "over: the server's certificate is not the domain's",
      ])
  }

  @Test("A client that does not trust the proxy's authority is said to, not its library's error")
  func distrust() {
    let unsure =
      "over: the client broke off TLS, probably because it does not trust the authority of this proxy"
    let rows: [(LiveFailure?, String, isDistrust: Bool)] = [
      (
        .handshake(.alert("unknown_ca")),
        "over: the client broke off TLS (unknown_ca): it does not trust the authority of this proxy",
        true
      ),
      (.handshake(.alert(nil)), unsure, true), (.handshake(.closed), unsure, true),
      (nil, unsure, true), (.lost(reason: "Connection reset by peer"), unsure, true),
      (
        .handshake(.alert("protocol_version")),
        "over: the client ended TLS with the alert protocol_version", false
      ),
      (
        .handshake(.nothingInCommon),
        "over: the client supports no version or cipher of TLS that is accepted here", false
      ),
    ]
    var securing = ProxyTalk.plain()
    _ = securing.say(ProxyTalk.startTLS, .client)
    _ = securing.say(ProxyTalk.proceed, .server)
    _ = securing.happen { $0.secured(.server, by: "TLSv1.3") }
    // Clients that look at the certificate only after the handshake.
    var silent = securing
    _ = silent.happen { $0.secured(.client, by: nil) }
    for (failure, words, isDistrust) in rows {
      for before in [securing, silent] {
        var talk = before
        let done = talk.happen { machine in
          failure.map { machine.failed(.client, $0) } ?? machine.ended(.client)
        }
        #expect(done == [words])
        guard case .finish(let end) = talk.actions.last else { continue }
        #expect(end.failure?.isClientsDistrust == isDistrust, "\(end)")
      }
    }
    // What happens to the server, or in the stream, is no distrust.
    #expect(
      securing.happen { $0.failed(.server, .lost(reason: "Connection reset by peer")) }
        == ["over: the connection to the server was lost: Connection reset by peer"])
    var talk = ProxyTalk.secured()
    #expect(
      talk.happen { $0.failed(.client, .lost(reason: "Connection reset by peer")) }
        == ["over: the connection to the client was lost: Connection reset by peer"])
  }

  @Test("A server whose port expects TLS at once, or does not, is said to")
  func directTLSMismatch() {
    func connected() -> ProxyTalk {
      var talk = ProxyTalk()
      _ = talk.say(header, .client)
      _ = talk.happen { $0.connected(to: "host:5223") }
      return talk
    }
    let advice = "if its port expects TLS from the first byte, set the client to direct TLS"
    var closed = connected()
    #expect(
      closed.happen { $0.ended(.server) } == [
        "over: the connection to the server was lost before its stream header: \(advice)"
      ])
    var reset = connected()
    #expect(
      reset.happen { $0.failed(.server, .lost(reason: "Connection reset by peer")) } == [
        "over: the connection to the server was lost before its stream header "
          + "(Connection reset by peer): \(advice)"
      ])
    var alert = connected()
    let done = alert.hear([0x15, 3, 1, 0, 2, 2, 0x46], .server)
    #expect(done.last == "over: \(ProxyFailure.startedWithoutTLS)", "\(done)")
    #expect(done.contains { $0.hasPrefix("client <") && $0.contains("<remote-connection-failed") })
    // Once the server has said something, its port is the right one.
    var later = connected()
    _ = later.say(header, .server)
    #expect(later.happen { $0.ended(.server) } == ["over: the connection to the server was lost"])
    var direct = ProxyTalk()
    _ = direct.happen { $0.helloReceived(for: "example.test") }
    _ = direct.happen { $0.connected(to: "host:5222") }
    #expect(
      direct.happen { $0.failed(.server, .handshake(.notTLS)) } == [
        "over: what the server sent where TLS was to begin is not TLS: "
          + "if its port expects STARTTLS, set the client to STARTTLS"
      ])
  }

  @Test("Data in place of a TLS handshake ends the connection")
  func injected() {
    var talk = ProxyTalk()
    _ = talk.say(header, .client)
    _ = talk.happen { $0.connected(to: "host:5222") }
    _ = talk.say(header + ProxyTalk.features, .server)
    var eager = talk
    let over = "over: \(ProxyFailure.injectedBytes(.client))"
    #expect(eager.say(ProxyTalk.startTLS + "<presence/>", .client).last == over)
    _ = talk.say(ProxyTalk.startTLS, .client)
    var forged = talk
    #expect(
      forged.say(ProxyTalk.proceed + "<message/>", .server).last
        == "over: \(ProxyFailure.injectedBytes(.server))")
    // White space may still be on its way, and a refusal of TLS begins none.
    #expect(talk.say("\n", .client) == ["server < \n"])
    _ = talk.say("<failure xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>", .server)
    #expect(!talk.machine.isBeginningTLS && !talk.machine.isOver)
  }

  @Test("The data before a login is limited", arguments: ProxySide.allCases)
  func tooMuch(side: ProxySide) {
    let word =
      "<iq><query xmlns='jabber:iq:register'>\(String(repeating: "x", count: 9950))</query></iq>"
    var talk = ProxyTalk.secured()
    var words = 0
    while !talk.machine.isOver, words < 1000 {
      _ = talk.say(word, side)
      words += 1
    }
    // One mebibyte, including earlier data.
    #expect((104...105).contains(words))
    #expect(talk.actions.last?.words == "over: \(ProxyFailure.tooMuch(side))")
    var inside = ProxyTalk.authenticated()
    for _ in 0..<200 { _ = inside.say(word, side) }
    #expect(!inside.machine.isOver)
  }

  @Test("Both sides are told that the proxy stops, if they can still be told")
  func stopped() {
    var idle = ProxyTalk()
    #expect(idle.happen { $0.stopped() } == ["over: \(ProxyFailure.stopped)"])
    var talk = ProxyTalk.authenticated()
    let done = talk.happen { $0.stopped() }
    #expect(done.count == 4 && done[0].contains("<system-shutdown"))
    #expect(done[1...2] == ["record client end", "server < </stream:stream>"])
    #expect(talk.happen { $0.stopped() } == [])
    var gone = ProxyTalk.authenticated()
    _ = gone.say("</stream:stream>", .client)
    #expect(!gone.happen { $0.stopped() }.contains("server < </stream:stream>"))
  }

  @Test("A client times out unless it has logged in")
  func timeout() {
    var talk = ProxyTalk.secured()
    #expect(talk.happen { $0.timedOut() }.last == "over: \(ProxyFailure.timeout)")
    var inside = ProxyTalk.authenticated()
    #expect(inside.happen { $0.timedOut() } == [])
  }
}
