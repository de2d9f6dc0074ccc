import Captures
import Foundation
import Rollcall
package import XMPPStanza

// From the features to the end of the login (RFC 6120 §5 and §6, XEP-0388).
extension ClientMachine {
  mutating func featuresReceived(_ features: XMPPElement, _ trust: Trust) -> ClientResult {
    switch trust {
    case .plain: return beginTLS(features)
    case .secured(let serverEndPoint):
      return login.registers
        ? .actions(beginRegistration(features, serverEndPoint))
        : .actions(authenticate(features, serverEndPoint))
    case .authenticated: return beginSession(features)
    }
  }

  // MARK: TLS

  private mutating func beginTLS(_ features: XMPPElement) -> ClientResult {
    guard features.child("starttls", in: Namespace.tls) != nil else {
      return .actions(breakOff(.encryptionNotOffered, "policy-violation"))
    }
    enter(.startTLS)
    return .actions([send(.startTLS)])
  }

  mutating func startTLSAnswered(_ node: XMPPElement) -> ClientResult {
    guard node.is("proceed", in: Namespace.tls) else {
      return node.is("failure", in: Namespace.tls)
        ? .actions(finish(.encryptionNotOffered))
        : violation("<\(node.name.local)/> instead of an answer to STARTTLS")
    }
    enter(.handshake)
    return .actions([.startTLS])
  }

  // MARK: SASL

  mutating func authenticate(
    _ features: XMPPElement, _ serverEndPoint: [UInt8]?
  ) -> [ClientAction] {
    let sasl2 = features.child("authentication", in: Namespace.sasl2)
    let offer = SASLOffer(
      of: sasl2 ?? features.child("mechanisms", in: Namespace.sasl), in: features)
    do throws(SASLFailure) {
      let exchange = try SASLExchange(
        offer: offer, user: login.account.local ?? "", password: login.password,
        over: .tls(serverEndPoint: serverEndPoint), allowsPlain: login.allowsPlain,
        nonce: login.nonce)
      guard let sasl2 else {
        enter(.sasl(exchange))
        return [send(.auth(exchange))]
      }
      enter(.sasl2(exchange))
      let inline = sasl2.child("inline", in: Namespace.sasl2)
      return [send(.authenticate(exchange, inline: inlineRequests(inline)))]
    } catch {
      return breakOff(.sasl(error), "not-authorized")
    }
  }

  mutating func saslReceived(_ node: XMPPElement, _ exchange: SASLExchange) -> ClientResult {
    var exchange = exchange
    do throws(SASLFailure) {
      if node.is("challenge", in: Namespace.sasl) {
        let step = try exchange.challenged(node.base64())
        enter(.sasl(exchange))
        return .actions([follow(step)])
      }
      if node.is("success", in: Namespace.sasl) {
        try exchange.succeeded(node.text.trimmedOfXMLSpace.isEmpty ? nil : node.base64())
        return .actions(
          [.note(.authenticated(mechanism: exchange.mechanism.rawValue))]
            + header(.authenticated))
      }
    } catch {
      return .actions(distrust(error))
    }
    guard node.is("failure", in: Namespace.sasl) else {
      return violation("<\(node.name.local)/> during the login")
    }
    return .actions(refused(node))
  }

  func follow(_ step: SASLExchange.Step) -> ClientAction {
    switch step {
    case .respond(let response):
      let namespace = isSASL2 ? Namespace.sasl2 : Namespace.sasl
      return send(.element("response", namespace, text: response.base64))
    case .derive(let derivation): return .derive(derivation)
    }
  }

  /// The keys were derived, or cannot be.
  package mutating func derived(_ keys: Result<SCRAMKeys, SASLFailure>) -> ClientResult {
    do throws(SASLFailure) {
      let response: [UInt8]?
      switch state {
      case .sasl(var exchange):
        response = try exchange.derived(keys)
        enter(.sasl(exchange))
      case .sasl2(var exchange):
        response = try exchange.derived(keys)
        enter(.sasl2(exchange))
      case .idle, .handshake, .header, .features, .startTLS, .registrationForm, .registration,
        .boundFeatures, .resuming, .binding, .legacySession, .online, .closing, .over:
        return .ignored(state.end ?? .outOfTurn)
      }
      return response.map { .actions([follow(.respond($0))]) } ?? .ignored(.outOfTurn)
    } catch {
      return .actions(distrust(error))
    }
  }

  /// Gives up the login, because the server did not prove its identity or cannot be answered.
  mutating func distrust(_ failure: SASLFailure) -> [ClientAction] {
    [send(.element("abort", isSASL2 ? Namespace.sasl2 : Namespace.sasl))]
      + breakOff(.sasl(failure), "not-authorized")
  }

  private var isSASL2: Bool { if case .sasl2 = state { true } else { false } }

  mutating func refused(_ node: XMPPElement) -> [ClientAction] {
    let (condition, text) = node.condition(in: Namespace.sasl)
    let words =
      text ?? node.child("text", in: Namespace.sasl2)?.text
    let end = ClientAction.send(Array("</stream:stream>".utf8))
    return [end] + finish(.notAuthorized(condition: condition, text: words))
  }
}

extension SASLOffer {
  /// - Parameters:
  ///   - mechanisms: The element that lists them; nil if there is none.
  ///   - features: The features that contain it, with the types of channel binding.
  package init(of mechanisms: XMPPElement?, in features: XMPPElement) {
    self.init(
      mechanisms: (mechanisms?.children).map { children in
        children.filter { $0.name.local == "mechanism" }.map(\.text)
      } ?? [],
      channelBindings: features.child("sasl-channel-binding", in: Namespace.channelBinding)?
        .children.compactMap { $0.attribute("type") })
  }
}

extension XMPPElement {
  /// The first element of a login.
  package static func auth(_ exchange: SASLExchange) -> XMPPElement {
    element(
      "auth", Namespace.sasl, [("mechanism", exchange.mechanism.rawValue)],
      text: exchange.initialResponse.isEmpty ? "=" : exchange.initialResponse.base64)
  }

  static func authenticate(_ exchange: SASLExchange, inline: [XMPPElement]) -> XMPPElement {
    element(
      "authenticate", Namespace.sasl2, [("mechanism", exchange.mechanism.rawValue)],
      [
        element("initial-response", Namespace.sasl2, text: exchange.initialResponse.base64),
        element(
          "user-agent", Namespace.sasl2, [],
          [element("software", Namespace.sasl2, text: "Rollcall")]),
      ] + inline)
  }

  /// The data in an element of SASL (RFC 6120 §6.4.2); `=` means none.
  package func base64() throws(SASLFailure) -> [UInt8] {
    let text = text.trimmedOfXMLSpace
    guard text != "=" else { return [] }
    guard let data = Data(base64Encoded: text) else {
      throw .malformedChallenge("it is not in base64")
    }
    return Array(data)
  }
}

extension [UInt8] {
  package var base64: String { Data(self).base64EncodedString() }
}
