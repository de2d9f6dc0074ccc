import Rollcall
import XMPPStanza

// The session, apart from its effects on the roster.
extension ClientMachine {
  /// A stanza of ours is sent, if there is a session, perhaps with a request to acknowledge the
  /// stanzas so far.
  package mutating func sent(_ stanza: [UInt8]) -> ClientResult {
    guard var session = state.session else { return .ignored(state.end ?? .noSession) }
    session.sent(stanza)
    if let management = session.management, management.isOverdue {
      // A session that resumes this one would send all of it again.
      session.counting = .off
      enter(with: session)
      return .actions(
        breakOff(.unacknowledged(management.unacknowledgedCount), "policy-violation"))
    }
    let question = session.ask()
    enter(with: session)
    return .actions([.send(stanza)] + question)
  }

  /// The server is pinged (XEP-0199), and answers after it has processed everything sent before.
  ///
  /// - Returns: The id that `answered` will name.
  package mutating func pinged() -> (id: String, result: ClientResult) { ping(.ping) }

  mutating func ping(_ purpose: Session.OwnRequest) -> (id: String, result: ClientResult) {
    request(purpose) { machine, id in
      .request(
        "get", id: id, to: machine.login.account.domain, .element("ping", Namespace.ping))
    }
  }

  /// Makes a request of the connection's own, which is answered at once if there is no session.
  mutating func request(
    _ purpose: Session.OwnRequest, _ make: (Self, String) -> XMPPElement
  ) -> (id: String, result: ClientResult) {
    let id = nextID()
    guard var session = state.session else { return (id, .actions([.answered(id, .notOnline)])) }
    session.open[id] = purpose
    enter(with: session)
    return (id, sent(make(self, id).serialized()))
  }

  mutating func stanzaReceived(_ node: XMPPElement, _ session: Session) -> ClientResult {
    if node.name.namespace == Namespace.streamManagement {
      return managementReceived(node, session)
    }
    guard ["iq", "message", "presence"].contains(node.name.local),
      node.name.namespace == Namespace.client
    else { return .ignored(.leftToOwner) }
    var session = session
    session.received()
    enter(with: session)
    guard node.is("iq", in: Namespace.client) else { return .ignored(.leftToOwner) }
    if let answer = ownAnswer(node, session) { return answer }
    return reply(to: node).map { sent($0.serialized()) } ?? .ignored(.leftToOwner)
  }

  private mutating func managementReceived(
    _ node: XMPPElement, _ session: Session
  ) -> ClientResult {
    var session = session
    switch (node.name.local, session.counting) {
    case ("enabled", .asked):
      session.enabled(by: node)
      let question = session.ask()
      enter(with: session)
      return .actions(question)
    case ("failed", .asked):
      session.counting = .off
      enter(with: session)
      return .actions([])
    case ("r", .on(let management)): return .actions([send(.acknowledge(management.handled))])
    case ("a", .on(var management)):
      let waiting = management.unacknowledgedCount
      guard let count = node.attribute("h").flatMap({ UInt32($0) }),
        management.acknowledged(count)
      else { return violation("it counts other stanzas than it was sent") }
      session.counting = .on(management)
      let question = management.unacknowledgedCount == waiting ? nil : session.ask()
      enter(with: session)
      return question.map { .actions($0) } ?? .ignored(.nothingNew)
    case (_, .off), (_, .asked), (_, .on): return .ignored(.notAsked)
    }
  }

  /// What the answer to one of the connection's own requests means; nil where it is to none.
  private mutating func ownAnswer(_ node: XMPPElement, _ session: Session) -> ClientResult? {
    guard let id = node.attribute("id"), node.answers(id), let request = session.open[id],
      node.attribute("from").map({ isOwnServer($0) }) ?? true
    else { return nil }
    var session = session
    session.open[id] = nil
    enter(with: session)
    switch request {
    // An error too shows that the server is there.
    case .silence: return .actions([])
    case .ping: return .actions([.answered(id, nil)])
    case .password:
      guard node.attribute("type") == "error" else { return .actions([.answered(id, nil)]) }
      let (condition, text) = node.stanzaError
      return .actions([.answered(id, .registrationRefused(condition: condition, text: text))])
    }
  }

  private func isOwnServer(_ address: String) -> Bool {
    guard let jid = try? JID(parsing: address) else { return false }
    return jid.bare == login.account || jid.description == login.account.domain
  }

  /// Every request has to be answered (RFC 6120 §8.2.3); pushes are by who keeps the roster, where
  /// they count, and where they do not, not at all (RFC 6121 §2.1.6).
  private func reply(to node: XMPPElement) -> XMPPElement? {
    guard let type = node.attribute("type"), ["get", "set"].contains(type),
      let id = node.attribute("id"), type == "get" || !node.children.contains(where: \.isPush)
    else { return nil }
    let head = [("id", Optional(id)), ("to", node.attribute("from"))]
    if type == "get", node.child("ping", in: Namespace.ping) != nil {
      return .element("iq", Namespace.client, [("type", "result")] + head)
    }
    let condition = XMPPElement.element("service-unavailable", Namespace.stanzaErrors)
    return .element(
      "iq", Namespace.client, [("type", "error")] + head,
      [.element("error", Namespace.client, [("type", "cancel")], [condition])])
  }
}

extension XMPPElement {
  /// What a server pushes: items of the roster, or of the block list (XEP-0191).
  fileprivate var isPush: Bool {
    self.is("query", in: Namespace.roster) || name.namespace == Namespace.blocking
  }
}
