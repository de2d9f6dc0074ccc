import Rollcall
import XMPPStanza

// The session, beside what the roster makes of it.
extension ClientMachine {
  /// A stanza of ours goes out, where one may; with it perhaps the question whether those before
  /// have come.
  package mutating func sent(_ stanza: [UInt8]) -> [ClientAction] {
    guard hasResource else { return [] }
    management?.sent(stanza)
    if let management, management.isOverdue {
      // What would go on with the session would send all of it again.
      self.management = nil
      return breakOff(.unacknowledged(management.unacknowledgedCount), "policy-violation")
    }
    return [.send(stanza)] + ask()
  }

  /// Asks the server whether it is there (XEP-0199): it answers after all that it was told before.
  ///
  /// - Returns: The id that `answered` will name.
  package mutating func pinged() -> (id: String, actions: [ClientAction]) {
    request(.ping) { $0.ping($1) }
  }

  /// Makes a request of the connection's own, which is answered at once where there is no session.
  mutating func request(
    _ request: OwnRequest, _ make: (inout Self, String) -> [ClientAction]
  ) -> (id: String, actions: [ClientAction]) {
    guard hasResource else {
      let id = nextID()
      return (id, [.answered(id, .notOnline)])
    }
    let id = nextID(request)
    return (id, make(&self, id))
  }

  mutating func ping(_ id: String) -> [ClientAction] {
    let ping = XMPPElement.element("ping", Namespace.ping)
    return sent(
      XMPPElement.request("get", id: id, to: login.account.domain, ping).serialized())
  }

  mutating func stanzaReceived(_ node: XMPPElement) -> [ClientAction] {
    if node.name.namespace == Namespace.streamManagement { return managementReceived(node) }
    guard ["iq", "message", "presence"].contains(node.name.local),
      node.name.namespace == Namespace.client
    else { return [] }
    if isManaged { management?.received() }
    guard node.is("iq", in: Namespace.client) else { return [] }
    if let answer = ownAnswer(node) { return answer }
    return reply(to: node).map { sent($0.serialized()) } ?? []
  }

  private mutating func managementReceived(_ node: XMPPElement) -> [ClientAction] {
    switch node.name.local {
    case "enabled":
      guard isManagementAsked else { return [] }
      managementEnabled(node)
      return ask()
    case "failed":
      guard isManagementAsked else { return [] }
      management = nil
      return []
    case "r": return isManaged ? [send(.acknowledge(management?.handled ?? 0))] : []
    case "a":
      guard isManaged else { return [] }
      let waiting = management?.unacknowledgedCount
      guard let count = node.attribute("h").flatMap({ UInt32($0) }),
        management?.acknowledged(count) == true
      else { return violation("it counts other stanzas than it was sent") }
      // Who has taken nothing since would answer the same, again and again.
      return management?.unacknowledgedCount == waiting ? [] : ask()
    default: return []
    }
  }

  /// What the answer to one of the connection's own requests means; nil where it is to none.
  private mutating func ownAnswer(_ node: XMPPElement) -> [ClientAction]? {
    guard let id = node.attribute("id"), node.answers(id), let request = open[id],
      node.attribute("from").map({ isOwnServer($0) }) ?? true
    else { return nil }
    open[id] = nil
    switch request {
    // An error too shows that somebody is there.
    case .silence: return []
    case .ping: return [.answered(id, nil)]
    case .password:
      guard node.attribute("type") == "error" else { return [.answered(id, nil)] }
      let (condition, text) = node.stanzaError
      return [.answered(id, .registrationRefused(condition: condition, text: text))]
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
