import RawBytes
import Rollcall
import XMPPStanza

// From being let in to the session (RFC 6120 §7, XEP-0198).
extension ClientMachine {
  mutating func beginSession(_ features: XMPPElement) -> [ClientAction] {
    let isManageable = features.child("sm", in: Namespace.streamManagement) != nil
    guard isManageable, let session = login.resumption else { return bind(features) }
    state = .resuming(features)
    return [send(.resume(session))]
  }

  mutating func resumeAnswered(_ node: XMPPElement, _ features: XMPPElement) -> [ClientAction] {
    if node.is("resumed", in: Namespace.streamManagement) { return sessionResumed(node) }
    guard node.is("failed", in: Namespace.streamManagement) else {
      return violation("<\(node.name.local)/> in place of an answer to resumption")
    }
    return bind(features)
  }

  /// The session goes on: what the server did not take is sent again.
  mutating func sessionResumed(_ node: XMPPElement) -> [ClientAction] {
    guard var session = login.resumption,
      node.attribute("previd").map({ $0 == session.id }) ?? true,
      let count = node.attribute("h").flatMap({ UInt32($0) }), session.acknowledged(count)
    else { return violation("it goes on with another session") }
    let missing = session.resumed()
    management = session
    isManaged = true
    state = .online
    if let id = login.passwordRequest { open[id] = .password }
    return [.online(isResumed: true)] + missing.map { .send($0) } + ask()
  }

  private mutating func bind(_ features: XMPPElement) -> [ClientAction] {
    guard features.child("bind", in: Namespace.bind) != nil else {
      return violation("it offers no resource to be bound")
    }
    state = .binding(features)
    return [send(.request("set", id: nextID(), .bind(login.resource)))]
  }

  mutating func bindAnswered(_ node: XMPPElement, _ features: XMPPElement) -> [ClientAction] {
    guard node.answers("\(login.idPrefix)\(requests)") else { return stanzaReceived(node) }
    guard node.attribute("type") == "result" else {
      let (condition, text) = node.stanzaError
      return breakOff(.bindRefused(condition: condition, text: text), "not-authorized")
    }
    guard let jid = LoginResult(node)?.jid, jid.bare == login.account else {
      return violation("it binds another account than it was asked for")
    }
    guard jid.resource != nil else { return violation("it binds no resource") }
    let session = features.child("session", in: Namespace.legacySession)
    guard session != nil, session?.child("optional", in: Namespace.legacySession) == nil else {
      return sessionBegan(features)
    }
    state = .legacySession(features)
    return [send(.request("set", id: nextID(), .element("session", Namespace.legacySession)))]
  }

  mutating func legacySessionAnswered(
    _ node: XMPPElement, _ features: XMPPElement
  ) -> [ClientAction] {
    guard node.answers("\(login.idPrefix)\(requests)") else { return stanzaReceived(node) }
    guard node.attribute("type") == "result" else {
      let (condition, text) = node.stanzaError
      return breakOff(.bindRefused(condition: condition, text: text), "not-authorized")
    }
    return sessionBegan(features)
  }

  /// There is a session: where the server can, both sides count from now on.
  private mutating func sessionBegan(_ features: XMPPElement) -> [ClientAction] {
    guard features.child("sm", in: Namespace.streamManagement) != nil else { return online() }
    management = StreamManagement(id: nil)
    return [send(.enable())] + online()
  }

  /// Whether the server was asked to count and has not answered.
  var isManagementAsked: Bool { management != nil && !isManaged }

  mutating func online() -> [ClientAction] {
    state = .online
    return [.online(isResumed: false)]
  }

  /// The server counts from now on.
  mutating func managementEnabled(_ node: XMPPElement) {
    isManaged = true
    let isResumable = ["true", "1"].contains(node.attribute("resume") ?? "")
    management?.id = isResumable ? node.attribute("id") : nil
  }

  /// Asks what the server has taken, where something is open.
  mutating func ask() -> [ClientAction] {
    guard isManaged, management?.asks() == true else { return [] }
    return [send(.askForAcknowledgement)]
  }
}

extension XMPPElement {
  /// Whether it answers a request of this id.
  func answers(_ id: String) -> Bool {
    guard self.is("iq", in: Namespace.client), attribute("id").hasSameBytes(as: id) else {
      return false
    }
    return ["result", "error"].contains(attribute("type") ?? "")
  }
}
