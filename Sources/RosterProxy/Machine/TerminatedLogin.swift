import Captures
import RawBytes
package import RosterClient
import XMPPStanza

/// The secrets with which a proxy takes the place of the server and of the client in a login.
package struct TerminationSecrets: Sendable, Undisclosed {
  let password: Password
  let verifier: SCRAMVerifier
  /// Whether the password may be sent in plain text, by the client and to the server.
  let allowsPlain: Bool

  /// - Parameter salt: Random bytes.
  /// - Throws: `SASLFailure` if the password cannot be used.
  package init(
    _ password: Password, allowsPlain: Bool, salt: [UInt8]
  ) throws(SASLFailure) {
    (self.password, self.allowsPlain) = (password, allowsPlain)
    verifier = try SCRAMVerifier(password, salt: salt)
  }
}

/// A login in which the proxy takes part on both sides (RFC 6120 §6): the client proves to the
/// proxy that it knows the password, bound to the proxy's own channel if it wants that, and then
/// the proxy proves the same to the server.
///
///     unoffered > offered > client > server > over
///                 offered <─────────────┘ refused
struct TerminatedLogin: Sendable {
  private enum State: Sendable {
    case unoffered
    /// The server has offered its mechanisms.
    case offered(SASLOffer)
    /// The client is logging in.
    case client(SASLOffer, ClientSide)
    /// The proxy is logging in; the proof is sent to the client with its success.
    case server(SASLOffer, SASLExchange, proof: [UInt8])
    case over
  }

  private enum ClientSide: Sendable {
    case scram(SCRAMServer)
    case plain
  }

  private let secrets: TerminationSecrets
  /// Fresh nonces. Each attempt uses two, which limits the attempts.
  private var nonces: [String]
  private var state = State.unoffered
  /// The hashes of the certificates: the proxy's, which the client sees, and the server's.
  private var endPoints: [ProxySide: [UInt8]] = [:]
  private var domain = ""
  /// Whether the client has tried a type of channel binding that is not supported here. It has then
  /// seen that binding was offered, so no attacker has removed the offer.
  private var hasTriedBinding = false

  init(_ secrets: TerminationSecrets, nonces: [String]) {
    (self.secrets, self.nonces) = (secrets, nonces)
  }

  /// Whether the login has succeeded on both sides.
  var isOver: Bool { if case .over = state { true } else { false } }

  /// TLS has begun on one side.
  mutating func secured(_ side: ProxySide, endPoint: [UInt8]?, domain: String) {
    endPoints[side] = endPoint
    (state, self.domain) = (.unoffered, domain)
  }

  /// The server sent its features.
  ///
  /// - Returns: The offer for the client in place of the server's; nil if they offer no login.
  mutating func featuresReceived(_ features: XMPPElement) -> [UInt8]? {
    guard features.children.contains(where: \.isOfLogin) else { return nil }
    state = .offered(SASLOffer(of: features.child("mechanisms", in: Namespace.sasl), in: features))
    let names = mechanisms.map {
      XMPPElement.element("mechanism", Namespace.sasl, text: $0.rawValue)
    }
    var offer = XMPPElement.element("mechanisms", Namespace.sasl, [], names).serialized()
    if endPoints[.client] != nil {
      let type = XMPPElement.element(
        "channel-binding", Namespace.channelBinding, [("type", ChannelBinding.serverEndPointType)])
      offer +=
        XMPPElement.element("sasl-channel-binding", Namespace.channelBinding, [], [type])
        .serialized()
    }
    return offer
  }

  /// The mechanisms for the client.
  private var mechanisms: [SASLMechanism] {
    SASLMechanism.allCases.filter {
      switch $0 {
      case .scramSHA256Plus, .scramSHA1Plus: endPoints[.client] != nil
      case .scramSHA256, .scramSHA1: true
      case .plain: secrets.allowsPlain
      }
    }
  }

  // MARK: The client

  /// The client sent an element of its login.
  ///
  /// - Throws: `ProxyFailure` if the login cannot go on.
  mutating func clientSaid(_ node: XMPPElement) throws(ProxyFailure) -> [ProxyAction] {
    let offer: SASLOffer
    switch state {
    case .offered(let offered), .client(let offered, _): offer = offered
    case .unoffered, .server, .over:
      throw .login("the client sent an element of a login out of turn")
    }
    let proof: (user: String, word: [UInt8])
    do throws(SASLRefusal) {
      switch try answer(node, offer) {
      case .challenge(let bytes): return [Self.say("challenge", bytes, to: .client)]
      case .proved(let user, let word): proof = (user, word)
      }
    } catch {
      if error == .unknownBinding { hasTriedBinding = true }
      state = .offered(offer)
      return [Self.refuse(error.condition)]
    }
    return try logIn(proof.user, offer, proof.word)
  }

  private enum Answer {
    case challenge([UInt8])
    case proved(user: String, word: [UInt8])
  }

  private mutating func answer(
    _ node: XMPPElement, _ offer: SASLOffer
  ) throws(SASLRefusal) -> Answer {
    if node.is("abort", in: Namespace.sasl) { throw .aborted }
    var side: ClientSide
    if case .client(_, let begun) = state, node.is("response", in: Namespace.sasl) {
      side = begun
    } else {
      guard case .offered = state, node.is("auth", in: Namespace.sasl) else { throw .malformed }
      side = try begin(node.attribute("mechanism") ?? "")
      // Without data there is no initial response, not even an empty one (RFC 6120 §6.4.2).
      guard !node.text.isEmpty else {
        state = .client(offer, side)
        return .challenge([])
      }
    }
    let answer = try answer(Self.bytes(of: node), &side)
    state = .client(offer, side)
    return answer
  }

  private mutating func begin(_ name: String) throws(SASLRefusal) -> ClientSide {
    guard let mechanism = mechanisms.first(where: { $0.rawValue.hasSameBytes(as: name) }),
      let nonce = nonces.popLast()
    else { throw .mechanism }
    let server = SCRAMServer(
      mechanism, secrets.verifier, nonce: nonce, endPoint: endPoints[.client],
      refusesUnbound: endPoints[.client] != nil && !hasTriedBinding)
    return server.map { .scram($0) } ?? .plain
  }

  private func answer(
    _ bytes: [UInt8], _ side: inout ClientSide
  ) throws(SASLRefusal) -> Answer {
    switch side {
    case .scram(var server):
      let word = try server.received(bytes)
      side = .scram(server)
      try check(server.identity, of: server.user ?? "")
      return server.isOver ? .proved(user: server.user ?? "", word: word) : .challenge(word)
    case .plain:
      let parts = bytes.split(separator: 0, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
      guard parts.count == 3 else { throw .malformed }
      try check(parts[0].isEmpty ? nil : parts[0], of: parts[1])
      guard secrets.password.isSame(as: parts[2]) else { throw .notAuthorized }
      return .proved(user: parts[1], word: [])
    }
  }

  /// Checks that the identity a client asks for is its own.
  private func check(_ identity: String?, of user: String) throws(SASLRefusal) {
    guard let identity, let wanted = try? BareJID(parsing: identity) else {
      if identity != nil { throw .identity }
      return
    }
    guard wanted == (try? BareJID(parsing: "\(user)@\(domain)")) else { throw .identity }
  }

  // MARK: The server

  private mutating func logIn(
    _ user: String, _ offer: SASLOffer, _ proof: [UInt8]
  ) throws(ProxyFailure) -> [ProxyAction] {
    guard let nonce = nonces.popLast() else { throw .login("the client tried too often") }
    do throws(SASLFailure) {
      let exchange = try SASLExchange(
        offer: offer, user: user, password: secrets.password,
        over: .tls(serverEndPoint: endPoints[.server]), allowsPlain: secrets.allowsPlain,
        nonce: nonce)
      state = .server(offer, exchange, proof: proof)
      return [.send(to: .server, XMPPElement.auth(exchange).serialized())]
    } catch {
      throw .login("\(error)")
    }
  }

  /// The server sent an element of the proxy's login.
  ///
  /// - Throws: `ProxyFailure` if it did not prove its identity, or cannot be answered.
  mutating func serverSaid(_ node: XMPPElement) throws(ProxyFailure) -> [ProxyAction] {
    guard case .server(let offer, var exchange, let proof) = state else {
      throw .login("the server sent an element of a login out of turn")
    }
    do throws(SASLFailure) {
      if node.is("challenge", in: Namespace.sasl) {
        let step = try exchange.challenged(node.base64())
        state = .server(offer, exchange, proof: proof)
        switch step {
        case .respond(let bytes): return [Self.say("response", bytes, to: .server)]
        case .derive(let derivation): return [.derive(derivation)]
        }
      }
      if node.is("success", in: Namespace.sasl) {
        try exchange.succeeded(node.text.isEmpty ? nil : node.base64())
        state = .over
        return [
          .note(.authenticated(mechanism: exchange.mechanism.rawValue)),
          Self.say("success", proof, to: .client),
        ]
      }
    } catch {
      throw .login("\(error)")
    }
    guard node.is("failure", in: Namespace.sasl) else {
      throw .login("the server sent an unknown answer")
    }
    state = .offered(offer)
    let conditions = node.children.filter { $0.name.local != "text" }
    return [Self.refuse(conditions.first?.name.local ?? "not-authorized")]
  }

  /// The keys for the proxy's proof were derived, or cannot be.
  mutating func derived(
    _ keys: Result<SCRAMKeys, SASLFailure>
  ) throws(ProxyFailure) -> [ProxyAction] {
    guard case .server(let offer, var exchange, let proof) = state else { return [] }
    do throws(SASLFailure) {
      let response = try exchange.derived(keys)
      state = .server(offer, exchange, proof: proof)
      return response.map { [Self.say("response", $0, to: .server)] } ?? []
    } catch {
      throw .login("\(error)")
    }
  }

  // MARK: Elements

  private static func say(
    _ name: String, _ bytes: [UInt8], to side: ProxySide
  ) -> ProxyAction {
    let text = bytes.isEmpty ? nil : bytes.base64
    return .send(to: side, XMPPElement.element(name, Namespace.sasl, text: text).serialized())
  }

  /// Refuses the client's attempt; it may try again.
  static func refuse(_ condition: String) -> ProxyAction {
    let why = XMPPElement.element(condition, Namespace.sasl)
    return .send(
      to: .client, XMPPElement.element("failure", Namespace.sasl, [], [why]).serialized())
  }

  private static func bytes(of node: XMPPElement) throws(SASLRefusal) -> [UInt8] {
    do throws(SASLFailure) {
      return try node.base64()
    } catch {
      throw .malformed
    }
  }
}

extension XMPPElement {
  /// Whether this feature offers a way to log in, or belongs to one.
  var isOfLogin: Bool {
    self.is("mechanisms", in: Namespace.sasl) || self.is("authentication", in: Namespace.sasl2)
      || self.is("sasl-channel-binding", in: Namespace.channelBinding)
      || self.is("auth", in: "http://jabber.org/features/iq-auth")
  }
}
