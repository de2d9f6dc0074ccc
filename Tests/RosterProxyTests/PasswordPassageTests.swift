import Rollcall
@testable import RosterProxy
import Testing

@Suite("Passing on passwords") struct PasswordPassageTests {
  private static let sasl = "xmlns='urn:ietf:params:xml:ns:xmpp-sasl'"

  /// Elements that show a password or another credential.
  private static let secrets = [
    "<auth \(sasl) mechanism='PLAIN'>AGEAYg==</auth>", "<auth \(sasl) mechanism=' plain '/>",
    "<auth \(sasl) mechanism='LOGIN'/>", "<auth \(sasl) mechanism='OAUTHBEARER'>b</auth>",
    "<auth \(sasl) mechanism='X-OAUTH2'>b</auth>", "<auth \(sasl)>b</auth>",
    "<authenticate xmlns='urn:xmpp:sasl:2' mechanism='PLAIN'/>",
    "<iq type='set' id='1'><query xmlns='jabber:iq:auth'><username>a</username>"
      + "<password>b</password></query></iq>",
    "<iq type='set' id='2'><query xmlns='jabber:iq:register'><username>a</username>"
      + "<password>b</password></query></iq>",
    "<iq type='set' id='3'><query xmlns='jabber:iq:register'><x xmlns='jabber:x:data'/></query></iq>",
  ]

  /// Elements that show none.
  private static let proofs = [
    "<auth \(sasl) mechanism='SCRAM-SHA-256'>bg==</auth>",
    "<auth \(sasl) mechanism='DIGEST-MD5'/>", "<auth \(sasl) mechanism='EXTERNAL'>=</auth>",
    "<authenticate xmlns='urn:xmpp:sasl:2' mechanism='SCRAM-SHA-1'/>",
    "<iq type='get' id='1'><query xmlns='jabber:iq:auth'/></iq>",
    "<iq type='set' id='1'><query xmlns='jabber:iq:auth'><digest>b</digest></query></iq>",
    "<iq type='get' id='2'><query xmlns='jabber:iq:register'/></iq>",
  ]

  @Test(
    "None is passed on without TLS to a verified server, whatever is allowed",
    arguments: [false, true])
  func unverified(isAllowed: Bool) {
    for word in Self.secrets {
      var talk = ProxyTalk.plain(allowsPlain: isAllowed)
      let done = talk.say(word, .client)
      #expect(
        !done.contains { $0.hasPrefix("server < <a") || $0.hasPrefix("server < <iq") }, "\(word)")
      #expect(!done.contains { $0.hasPrefix("record client <") }, "\(word)")
      #expect(done.last == "over: \(ProxyFailure.plainToUnverified)", "\(word)")
      #expect(done.contains { $0.hasPrefix("client <") && $0.contains("<policy-violation") })
    }
    for word in Self.proofs {
      var talk = ProxyTalk.plain(allowsPlain: isAllowed)
      #expect(talk.say(word, .client).contains("server < \(word)"), "\(word)")
    }
  }

  @Test("Nor is one after the login, such as a new password")
  func afterLogin() {
    var talk = ProxyTalk.plain()
    _ = talk.say(ProxyTalk.auth, .client)
    _ = talk.say("<success \(Self.sasl)/>", .server)
    #expect(talk.machine.isAuthenticated)
    let done = talk.say(Self.secrets[8], .client)
    #expect(done.last == "over: \(ProxyFailure.plainToUnverified)")
    var secured = ProxyTalk.authenticated()
    #expect(secured.say(Self.secrets[8], .client).last == "server < \(Self.secrets[8])")
  }

  @Test("A client on another machine has to use TLS")
  func remote() {
    for word in Self.secrets + Self.proofs + ["<presence/>"] {
      var talk = ProxyTalk.plain(allowsPlain: true, isClientLocal: false)
      #expect(talk.say(word, .client).last == "over: \(ProxyFailure.clientWithoutTLS)", "\(word)")
    }
    var talk = ProxyTalk.plain(isClientLocal: false)
    #expect(talk.say(ProxyTalk.startTLS, .client).last == "server < \(ProxyTalk.startTLS)")
    _ = talk.say(ProxyTalk.proceed, .server)
    _ = talk.happen { $0.secured(.server, by: "TLSv1.3") }
    _ = talk.happen { $0.secured(.client, by: nil) }
    _ = talk.say(ProxyTalk.header(), .client)
    #expect(talk.say(ProxyTalk.auth, .client).last == "server < \(ProxyTalk.auth)")
  }

  @Test("Before a login is accepted, the server's domain and its verification are noted")
  func noted() {
    let success = "<success \(Self.sasl)/>"
    let names = [
      (ProxyTalk.secured(), "note verified(domain: example.test)"),
      (ProxyTalk.plain(), "note unverified(domain: example.test)"),
      (ProxyTalk.plain(to: "EVIL.test"), "note unverified(domain: evil.test)"),
    ]
    for (talk, note) in names {
      var talk = talk
      #expect(!talk.say(ProxyTalk.auth, .client).contains { $0.hasPrefix("note") })
      #expect(
        talk.say(success, .server) == [note, "record server <success/>", "client < \(success)"])
      // Only once.
      #expect(!talk.say(success, .server).contains { $0.hasPrefix("note") })
    }
    var legacy = ProxyTalk.plain()
    _ = legacy.say(Self.proofs[5], .client)
    let result = "<iq type='result' id='1'/>"
    #expect(legacy.say(result, .server).first == "note unverified(domain: example.test)")
  }
}
