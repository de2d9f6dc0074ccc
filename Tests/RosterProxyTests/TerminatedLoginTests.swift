import Foundation
import RosterClient
@testable import RosterProxy
import Testing

/// A client's login that ends at the proxy, and the proxy's own login at the server.
@Suite("Terminated logins") struct TerminatedLoginTests {
  private static let ours: [UInt8] = Array(0..<32)
  private static let theirs: [UInt8] = Array(100..<132)
  private static let sasl = "xmlns=\"urn:ietf:params:xml:ns:xmpp-sasl\""
  private static let offer =
    "<stream:features ><mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>"
    + "<mechanism>SCRAM-SHA-1-PLUS</mechanism><mechanism>SCRAM-SHA-1</mechanism></mechanisms>"
    + "<sasl-channel-binding xmlns='urn:xmpp:sasl-cb:0'>"
    + "<channel-binding type='tls-server-end-point'/></sasl-channel-binding>"
    + "<authentication xmlns='urn:xmpp:sasl:2'><mechanism>PLAIN</mechanism></authentication>"
    + "<compression xmlns='http://jabber.org/features/compress'/><ver xmlns='urn:x'/>"
    + "</stream:features>"

  private func secrets(_ password: String = "pencil", allowsPlain: Bool = false) throws
    -> TerminationSecrets
  {
    try TerminationSecrets(Password(password), allowsPlain: allowsPlain, salt: Array(1...16))
  }

  private func talk(
    allowsPlain: Bool = false, endPoint: [UInt8]? = ours, offer: String = offer
  ) throws -> ProxyTalk {
    var talk = ProxyTalk.secured(
      allowsPlain: allowsPlain, secrets: try secrets(allowsPlain: allowsPlain),
      endPoints: (endPoint, Self.theirs))
    _ = talk.say(offer, .server)
    return talk
  }

  private func client(
    _ mechanism: SASLMechanism, user: String = "alice", password: String = "pencil",
    _ endPoint: [UInt8] = ours
  ) throws -> SASLExchange {
    try SASLExchange(
      offer: SASLOffer(
        mechanisms: [mechanism.rawValue], channelBindings: ["tls-server-end-point"]), user: user,
      password: Password(password), over: .tls(serverEndPoint: endPoint),
      allowsPlain: mechanism == .plain, nonce: "client")
  }

  private func auth(_ exchange: SASLExchange) -> String {
    "<auth \(Self.sasl) mechanism=\"\(exchange.mechanism.rawValue)\">"
      + "\(exchange.initialResponse.base64)</auth>"
  }

  /// The content of the first SASL element of a name that is sent to a side.
  private func said(_ name: String, to side: ProxySide, _ done: [String]) throws -> [UInt8] {
    let prefix = "\(side) < <\(name)"
    let word = try #require(done.first { $0.hasPrefix(prefix) }, "\(done)")
    let text = word.split(separator: ">").dropFirst().first?.split(separator: "<").first ?? ""
    guard !word.hasSuffix("/>") else { return [] }
    return Array(try #require(Data(base64Encoded: String(text)), "\(word)"))
  }

  /// Logs the client in at the proxy, which begins its own login at the server.
  private func proved(_ talk: inout ProxyTalk, _ client: inout SASLExchange) throws -> [String] {
    let challenge = try said("challenge", to: .client, talk.say(auth(client), .client))
    guard case .derive(let derivation) = try client.challenged(challenge) else { return [] }
    let response = try #require(try client.derived(.success(try derivation.keys())))
    return talk.say("<response \(Self.sasl)>\(response.base64)</response>", .client)
  }

  @Test("The client is offered the proxy's mechanisms, and nothing else is changed")
  func offers() throws {
    for (allowsPlain, endPoint) in [(false, Self.ours), (true, Self.ours), (false, nil)] {
      var talk = ProxyTalk.secured(
        allowsPlain: allowsPlain, secrets: try secrets(allowsPlain: allowsPlain),
        endPoints: (endPoint, Self.theirs))
      let names =
        (endPoint == nil ? [] : ["SCRAM-SHA-256-PLUS", "SCRAM-SHA-1-PLUS"])
        + ["SCRAM-SHA-256", "SCRAM-SHA-1"] + (allowsPlain ? ["PLAIN"] : [])
      let list = names.map { "<mechanism>\($0)</mechanism>" }.joined()
      let binding =
        endPoint == nil
        ? ""
        : "<sasl-channel-binding xmlns=\"urn:xmpp:sasl-cb:0\">"
          + "<channel-binding type=\"tls-server-end-point\"/></sasl-channel-binding>"
      #expect(
        talk.say(Self.offer, .server) == [
          "record server <features/>",
          "client < <stream:features ><mechanisms \(Self.sasl)>\(list)</mechanisms>\(binding)"
            + "<ver xmlns='urn:x'/></stream:features>",
        ])
    }
    // Without termination, the offer is the server's.
    var plain = ProxyTalk.secured()
    let offer = Self.offer.replacing(
      "<compression xmlns='http://jabber.org/features/compress'/>", with: "")
    #expect(plain.say(Self.offer, .server).last == "client < \(offer)")
  }

  @Test(
    "Each mechanism logs in, and the server receives the proxy's own messages",
    arguments: [SASLMechanism.scramSHA256Plus, .scramSHA1Plus, .scramSHA256, .scramSHA1])
  func logins(_ mechanism: SASLMechanism) throws {
    var talk = try talk(endPoint: mechanism.rawValue.hasSuffix("PLUS") ? Self.ours : nil)
    // Without an offer of channel binding, the client says that it saw none.
    var client = try SASLExchange(
      offer: SASLOffer(
        mechanisms: [mechanism.rawValue], channelBindings: ["tls-server-end-point"]),
      user: "alice", password: Password("pencil"), over: .tls(serverEndPoint: Self.ours),
      allowsPlain: false, nonce: "client")
    let done = try proved(&talk, &client)
    #expect(done.first == "record client <response/>" && done.count == 2)
    #expect(!talk.machine.isAuthenticated)

    var server = try #require(
      SCRAMServer(
        .scramSHA1Plus, try SCRAMVerifier(Password("pencil"), salt: Array(50...60)),
        nonce: "server", endPoint: Self.theirs, refusesUnbound: true))
    #expect(done[1].contains("mechanism=\"SCRAM-SHA-1-PLUS\""))
    let challenge = try server.received(try said("auth", to: .server, done))
    #expect(server.user == "alice")
    let asked = talk.say("<challenge \(Self.sasl)>\(challenge.base64)</challenge>", .server)
    #expect(asked == ["record server <challenge/>", "derive"])
    guard case .derive(let derivation)? = talk.actions.last else { return }
    let keys = try derivation.keys()
    let answered = talk.happen { $0.derived(.success(keys)) }
    let word = try server.received(try said("response", to: .server, answered))
    let success = talk.say("<success \(Self.sasl)>\(word.base64)</success>", .server)
    #expect(success[1] == "note verified(domain: example.test)")
    #expect(success[2].contains("authenticated") && success.count == 4)
    try client.succeeded(try said("success", to: .client, success))
    #expect(talk.machine.isAuthenticated)
    // From here on every byte is passed on again.
    #expect(
      talk.say(ProxyTalk.header(), .client).last?.hasPrefix("server < <stream:stream") == true)
  }

  @Test("A printed login does not show its password")
  func hidden() throws {
    var talk = try talk(allowsPlain: true)
    var client = try client(.scramSHA256Plus)
    let before = talk.machine
    _ = try proved(&talk, &client)
    for machine in [before, talk.machine] {
      var dumped = ""
      dump(machine, to: &dumped)
      #expect(!dumped.contains("pencil") && !"\(machine)".contains("pencil"))
      #expect(!dumped.contains("\(Array("pencil".utf8))") && dumped.contains("TerminationSecrets"))
    }
  }

  @Test("PLAIN is accepted if it is allowed, and not passed on", arguments: [false, true])
  func plain(isAllowed: Bool) throws {
    var talk = try talk(allowsPlain: isAllowed)
    let done = talk.say(auth(try client(.plain)), .client)
    guard isAllowed else {
      #expect(done.last == "over: \(ProxyFailure.plain)")
      return
    }
    #expect(done[1].contains("mechanism=\"SCRAM-SHA-1-PLUS\""))
    var wrong = try self.talk(allowsPlain: true)
    let refused = wrong.say(auth(try client(.plain, password: "pen")), .client)
    #expect(refused[1] == "client < <failure \(Self.sasl)><not-authorized/></failure>")
  }

  @Test("A wrong password is refused without the server, and the number of tries is limited")
  func wrongPassword() throws {
    var talk = try talk()
    for attempt in 1... {
      var client = try client(.scramSHA256Plus, password: "pen")
      guard attempt <= ProxyMachine.nonces else {
        let done = talk.say(auth(client), .client)
        #expect(done.last == "client < <failure \(Self.sasl)><invalid-mechanism/></failure>")
        break
      }
      #expect(
        try proved(&talk, &client) == [
          "record client <response/>",
          "client < <failure \(Self.sasl)><not-authorized/></failure>",
        ])
    }
    #expect(!talk.machine.isAuthenticated && !talk.machine.isOver)
  }

  @Test("Only a client whose type of channel binding was refused may log in without it")
  func unbound() throws {
    var talk = try talk()
    let unbound = "y,,n=alice,r=x"
    let auth = { (mechanism: String, text: String) in
      "<auth \(Self.sasl) mechanism='\(mechanism)'>\(Array(text.utf8).base64)</auth>"
    }
    let refused = "client < <failure \(Self.sasl)><not-authorized/></failure>"
    #expect(talk.say(auth("SCRAM-SHA-1", unbound), .client).last == refused)
    #expect(talk.say(auth("SCRAM-SHA-1-PLUS", "p=tls-unique,,n=a,r=x"), .client).last == refused)
    let done = talk.say(auth("SCRAM-SHA-1", unbound), .client)
    #expect(done.last?.hasPrefix("client < <challenge") == true)
  }

  @Test("A client's message out of turn is refused or ends the connection")
  func clientOutOfTurn() throws {
    for (words, condition) in [
      (["<response \(Self.sasl)/>"], "malformed-request"),
      (["<auth \(Self.sasl) mechanism='SCRAM-SHA-1'>???</auth>"], "malformed-request"),
      (["<auth \(Self.sasl) mechanism='EXTERNAL'>=</auth>"], "invalid-mechanism"),
      (["<auth \(Self.sasl)/>"], "invalid-mechanism"),
      (["<abort \(Self.sasl)/>"], "aborted"),
      (["<authenticate xmlns='urn:xmpp:sasl:2' mechanism='SCRAM-SHA-1'/>"], "malformed-request"),
      (
        [
          "<auth \(Self.sasl) mechanism='SCRAM-SHA-1'/>",
          "<auth \(Self.sasl) mechanism='SCRAM-SHA-1'/>",
        ], "malformed-request"
      ),
      (
        [
          "<auth \(Self.sasl) mechanism='SCRAM-SHA-1'>\(Array("n,a=bob@example.test,n=alice,r=x".utf8).base64)</auth>"
        ],
        "invalid-authzid"
      ),
    ] {
      var talk = try talk()
      var done: [String] = []
      for word in words { done = talk.say(word, .client) }
      #expect(
        done.last == "client < <failure \(Self.sasl)><\(condition)/></failure>", "\(words)")
      #expect(!done.contains { $0.hasPrefix("server <") }, "\(words)")
    }
    // An empty element asks for a challenge first (RFC 6120 §6.4.2).
    var late = try talk()
    #expect(
      late.say("<auth \(Self.sasl) mechanism='SCRAM-SHA-1'/>", .client).last
        == "client < <challenge \(Self.sasl)/>")
    let first = Array("n,a=alice@example.test,n=alice,r=x".utf8).base64
    #expect(
      late.say("<response \(Self.sasl)>\(first)</response>", .client).last?.hasPrefix(
        "client < <challenge") == true)
    // Before the server has sent its features, no client logs in.
    var early = ProxyTalk.secured(secrets: try secrets(), endPoints: (Self.ours, Self.theirs))
    #expect(early.say(auth(try client(.scramSHA1)), .client).last?.hasPrefix("over") == true)
  }

  @Test("No client is logged in at a server that lacks the password or a usable mechanism")
  func serverFails() throws {
    let over = "over: the proxy cannot log in on the client's behalf"
    for word in [
      "<success \(Self.sasl)/>", "<success \(Self.sasl)>dj14eHg=</success>",
      "<challenge \(Self.sasl)>eA==</challenge>", "<other \(Self.sasl)/>",
    ] {
      var talk = try talk()
      var client = try client(.scramSHA256Plus)
      _ = try proved(&talk, &client)
      let done = talk.say(word, .server)
      #expect(done.last?.hasPrefix(over) == true, "\(done)")
      #expect(done.contains { $0.contains("<temporary-auth-failure/>") })
      #expect(!done.contains { $0.hasPrefix("client < <success") })
    }
    // The server's refusal is passed on to the client, which may try again.
    var talk = try talk()
    var client = try client(.scramSHA256Plus)
    _ = try proved(&talk, &client)
    let failure = "<failure \(Self.sasl)><account-disabled/><text>x</text></failure>"
    #expect(
      talk.say(failure, .server).last
        == "client < <failure \(Self.sasl)><account-disabled/></failure>")
    var again = try self.client(.scramSHA256Plus)
    #expect(try proved(&talk, &again).last?.hasPrefix("server < <auth") == true)
    // A server that offers no mechanism that the proxy supports.
    var other = try self.talk(
      offer: "<stream:features><mechanisms \(Self.sasl)><mechanism>EXTERNAL</mechanism>"
        + "</mechanisms></stream:features>")
    var third = try self.client(.scramSHA256Plus)
    #expect(try proved(&other, &third).last?.hasPrefix(over) == true)
  }
}
