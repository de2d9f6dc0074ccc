import Rollcall
package import XMPPStanza

// The session, apart from its effects on the roster.
extension ClientMachine {
  /// A stanza of ours is sent, if there is a session, perhaps with a request to acknowledge the
  /// stanzas so far.
  ///
  /// - Parameter name: The name that `answered` uses once the server has acknowledged the stanza;
  ///   at once if it acknowledges none. Nil if no caller waits for that.
  package mutating func sent(_ stanza: [UInt8], awaitedAs name: String? = nil) -> ClientResult {
    guard var session = state.session else { return .ignored(state.end ?? .noSession) }
    session.sent(stanza, awaitedAs: name)
    if let management = session.management, management.isOverdue {
      // A session that resumes this one would send all of it again.
      session.counting = .off
      enter(with: session)
      return .actions(
        breakOff(.unacknowledged(management.unacknowledgedCount), "policy-violation"))
    }
    let question = session.ask()
    enter(with: session)
    let unconfirmed = session.management == nil ? name : nil
    return .actions(
      [.send(stanza)] + question + (unconfirmed.map { [.answered($0, .written)] } ?? []))
  }

  /// The application sends a stanza of its own. A request gets an id if it has none, or one that an
  /// open request has. Its answer counts only from the address that was asked (RFC 6120 §8.1.2.1).
  ///
  /// - Returns: The name that `answered` will use. It is used once, whereas the id of a request is
  ///   free again as soon as the answer has arrived, before the answer is delivered.
  package mutating func submitted(_ stanza: XMPPElement) -> (name: String, result: ClientResult) {
    let name = nextID()
    guard var session = state.session else {
      return (name, .actions([.answered(name, .failed(.notOnline))]))
    }
    guard stanza.isRequest else {
      return (name, sent(stanza.serialized(), awaitedAs: name))
    }
    let id = stanza.attribute("id").flatMap { session.open[$0] == nil ? $0 : nil } ?? name
    session.open[id] = OpenRequest(purpose: .stanza(to: stanza.attribute("to")), name: name)
    enter(with: session)
    return (name, sent(stanza.identified(as: id).serialized()))
  }

  /// The server is pinged (XEP-0199), and answers after it has processed everything sent before.
  ///
  /// - Returns: The name that `answered` will use.
  package mutating func pinged() -> (name: String, result: ClientResult) { ping(.ping) }

  mutating func ping(_ purpose: OpenRequest.Purpose) -> (name: String, result: ClientResult) {
    request(purpose) { machine, id in
      .request(
        "get", id: id, to: machine.login.account.domain, .element("ping", Namespace.ping))
    }
  }

  /// Makes a request of the connection's own, which is answered at once if there is no session.
  mutating func request(
    _ purpose: OpenRequest.Purpose, _ make: (Self, String) -> XMPPElement
  ) -> (name: String, result: ClientResult) {
    let id = nextID()
    guard var session = state.session else {
      return (id, .actions([.answered(id, .failed(.notOnline))]))
    }
    session.open[id] = OpenRequest(purpose: purpose, name: id)
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
    return requestReceived(node, session)
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
    case ("failed", .asked(let management)):
      session.counting = .off
      enter(with: session)
      return .actions(management.awaited.map { .answered($0, .written) })
    case ("r", .on(let management)): return .actions([send(.acknowledge(management.handled))])
    case ("a", .on(var management)):
      let waiting = management.unacknowledgedCount
      guard let count = node.attribute("h").flatMap({ UInt32($0) }),
        management.acknowledged(count)
      else { return violation("it counts other stanzas than it was sent") }
      let confirmed = management.takeConfirmed()
      session.counting = .on(management)
      let question = management.unacknowledgedCount == waiting ? nil : session.ask()
      enter(with: session)
      guard let question else { return .ignored(.nothingNew) }
      return .actions(question + confirmed.map { .answered($0, .acknowledged) })
    case (_, .off), (_, .asked), (_, .on): return .ignored(.notAsked)
    }
  }

  /// What the answer to one of the connection's own requests means; nil where it is to none.
  private mutating func ownAnswer(_ node: XMPPElement, _ session: Session) -> ClientResult? {
    guard let id = node.attribute("id"), node.answers(id), let request = session.open[id],
      mayAnswer(request.purpose, node.attribute("from"), session)
    else { return nil }
    var session = session
    session.open[id] = nil
    enter(with: session)
    let name = request.name
    switch request.purpose {
    // An error too shows that the server is there.
    case .silence: return .actions([])
    case .ping: return .actions([.answered(name, .result(node))])
    case .password:
      guard node.attribute("type") == "error" else {
        return .actions([.answered(name, .result(node))])
      }
      let (condition, text) = node.stanzaError
      let failure = LiveFailure.registrationRefused(condition: condition, text: text)
      return .actions([.answered(name, .failed(failure))])
    case .stanza:
      return .actions([
        .answered(name, StanzaError(node).map { .refused($0) } ?? .result(node))
      ])
    }
  }

  /// Whether an answer to a request may come from this address; nil for none.
  private func mayAnswer(
    _ purpose: OpenRequest.Purpose, _ address: String?, _ session: Session
  ) -> Bool {
    let from = address.flatMap { try? JID(parsing: $0) }
    guard address == nil || from != nil else { return false }
    let owner = SessionOwner(account: login.account, resource: session.resource)
    // What goes to something that is no address, our own server refuses.
    return owner.mayAnswer(from, to: purpose.addressee.flatMap { try? JID(parsing: $0) })
  }
}

extension XMPPElement {
  /// Whether this is a request, which is answered (RFC 6120 §8.2.3).
  fileprivate var isRequest: Bool {
    self.is("iq", in: Namespace.client) && ["get", "set"].contains(attribute("type") ?? "")
  }

  /// The stanza with this id.
  fileprivate func identified(as id: String) -> XMPPElement {
    guard attribute("id") != id else { return self }
    let name = XMLName("id", in: "")
    return XMPPElement(
      self.name, attributes: attributes.filter { $0.name != name } + [XMLAttribute(name, id)],
      content: content)
  }
}
