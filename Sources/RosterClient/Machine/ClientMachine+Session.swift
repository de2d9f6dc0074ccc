import RawBytes
import Rollcall
import XMPPStanza

// From the accepted login to the session (RFC 6120 §7, XEP-0198).
extension ClientMachine {
  mutating func beginSession(_ features: XMPPElement) -> ClientResult {
    let isManageable = features.child("sm", in: Namespace.streamManagement) != nil
    guard isManageable, let session = login.resumption else { return bind(features) }
    enter(.resuming(features))
    return .actions([send(.resume(session))])
  }

  mutating func resumeAnswered(_ node: XMPPElement, _ features: XMPPElement) -> ClientResult {
    if node.is("resumed", in: Namespace.streamManagement) { return sessionResumed(node) }
    guard node.is("failed", in: Namespace.streamManagement) else {
      return violation("<\(node.name.local)/> instead of an answer to resumption")
    }
    return bind(features)
  }

  /// The session is resumed: sends the stanzas again that the server did not receive.
  mutating func sessionResumed(_ node: XMPPElement) -> ClientResult {
    guard var last = login.resumption,
      node.attribute("previd").map({ $0 == last.id }) ?? true,
      let count = node.attribute("h").flatMap({ UInt32($0) }), last.management.acknowledged(count)
    else { return violation("it resumed another session") }
    let missing = last.management.resumed()
    var session = Session(
      resource: last.resource, counting: .on(last.management), open: last.open,
      held: last.held)
    let question = session.ask()
    enter(.online(session))
    return .actions([.online(isResumed: true)] + missing.map { .send($0) } + question)
  }

  private mutating func bind(_ features: XMPPElement) -> ClientResult {
    guard features.child("bind", in: Namespace.bind) != nil else {
      return violation("it does not offer to bind a resource")
    }
    let id = nextID()
    enter(.binding(features, id: id))
    return .actions([send(.request("set", id: id, .bind(login.resource)))])
  }

  mutating func bindAnswered(
    _ node: XMPPElement, _ features: XMPPElement, _ id: String
  ) -> ClientResult {
    guard node.answers(id) else { return .ignored(.noSession) }
    guard node.attribute("type") == "result" else { return .actions(bindRefused(node)) }
    guard let jid = LoginResult(node)?.jid, jid.bare == login.account else {
      return violation("it bound another account than the one that was asked for")
    }
    guard let resource = jid.resource else { return violation("it bound no resource") }
    let session = Session(resource: resource)
    let legacy = features.child("session", in: Namespace.legacySession)
    guard legacy != nil, legacy?.child("optional", in: Namespace.legacySession) == nil else {
      return .actions(sessionBegan(features, session))
    }
    let next = nextID()
    enter(.legacySession(features, id: next, session))
    let query = XMPPElement.element("session", Namespace.legacySession)
    return .actions([send(.request("set", id: next, query))])
  }

  mutating func legacySessionAnswered(
    _ node: XMPPElement, _ features: XMPPElement, _ id: String, _ session: Session
  ) -> ClientResult {
    guard node.answers(id) else { return stanzaReceived(node, session) }
    guard node.attribute("type") == "result" else { return .actions(bindRefused(node)) }
    return .actions(sessionBegan(features, session))
  }

  private mutating func bindRefused(_ node: XMPPElement) -> [ClientAction] {
    let (condition, text) = node.stanzaError
    return breakOff(.bindRefused(condition: condition, text: text), "not-authorized")
  }

  /// The session has begun: both sides count from now on, if the server supports it.
  private mutating func sessionBegan(
    _ features: XMPPElement, _ session: Session
  ) -> [ClientAction] {
    guard features.child("sm", in: Namespace.streamManagement) != nil else {
      return online(session)
    }
    var session = session
    session.counting = .asked(StreamManagement(id: nil))
    return [send(.enable())] + online(session)
  }

  mutating func online(_ session: Session) -> [ClientAction] {
    enter(.online(session))
    return [.online(isResumed: false)]
  }
}

extension XMPPElement {
  /// Whether this answers the request with this id.
  func answers(_ id: String) -> Bool {
    guard self.is("iq", in: Namespace.client), attribute("id").hasSameBytes(as: id) else {
      return false
    }
    return ["result", "error"].contains(attribute("type") ?? "")
  }
}
