import Rollcall
import XMPPStanza

// The requests of others, each of which is answered once (RFC 6120 §8.2.3).
extension ClientMachine {
  /// A request that is left to the application until it is overdue.
  struct HeldRequest: Hashable, Sendable {
    var id: String
    /// The sender; nil for our own server.
    var sender: String?
    /// The number of beats that have passed since it arrived.
    var beats = 0
  }

  /// The maximum number of requests that await an answer of the application; the session refuses
  /// further ones.
  static let heldLimit = 256

  /// A request or a push arrived. A push is answered by the keeper of the roster if it counts, and
  /// otherwise not at all (RFC 6121 §2.1.6).
  mutating func requestReceived(_ node: XMPPElement, _ session: Session) -> ClientResult {
    guard let type = node.attribute("type"), ["get", "set"].contains(type),
      let id = node.attribute("id"), type == "get" || !node.children.contains(where: \.isPush)
    else { return .ignored(.leftToOwner) }
    if type == "get", node.hasChild("ping", in: Namespace.ping) {
      return sent(XMPPElement.reply(to: node).serialized())
    }
    guard isForApplication(node), session.held.count < Self.heldLimit else {
      return sent(XMPPElement.refusal(of: id, from: node.attribute("from")).serialized())
    }
    var session = session
    session.held.append(HeldRequest(id: id, sender: node.attribute("from")))
    enter(with: session)
    return .actions([])
  }

  private func isForApplication(_ node: XMPPElement) -> Bool {
    let payloads = Array(node.children)
    return payloads.count == 1 && namespaces.contains(payloads[0].name.namespace)
  }

  /// Whether the application has yet to answer a request.
  func isOpen(_ request: XMPPElement) -> Bool { index(of: request) != nil }

  private func index(of request: XMPPElement) -> Int? {
    let (id, sender) = (request.attribute("id"), request.attribute("from"))
    return state.session?.held.firstIndex { $0.id == id && $0.sender == sender }
  }

  /// The application answers a request that is open.
  ///
  /// - Returns: The name that `answered` will use.
  mutating func replied(
    _ reply: XMPPElement, to request: XMPPElement
  ) -> (name: String, result: ClientResult) {
    let name = nextID()
    guard var session = state.session, let index = index(of: request) else {
      return (name, .actions([.answered(name, .failed(.notOnline))]))
    }
    session.held.remove(at: index)
    enter(with: session)
    return (name, sent(reply.serialized(), awaitedAs: name))
  }

  /// A beat has passed.
  ///
  /// - Parameter limit: The number of beats after which a request is refused in the application's
  ///   place.
  mutating func requestsAged(limit: Int) -> ClientResult {
    guard var session = state.session else { return .ignored(state.end ?? .noSession) }
    for index in session.held.indices { session.held[index].beats += 1 }
    enter(with: session)
    return .actions(refuse { $0.beats >= limit })
  }

  /// Refuses the requests that the application has left unanswered and that meet a condition.
  mutating func refuse(where isRefused: (HeldRequest) -> Bool) -> [ClientAction] {
    guard var session = state.session else { return [] }
    let refused = session.held.filter(isRefused)
    session.held.removeAll(where: isRefused)
    enter(with: session)
    return refused.flatMap { request in
      sent(XMPPElement.refusal(of: request.id, from: request.sender).serialized()).actions
    }
  }
}

extension XMPPElement {
  /// The result that answers a request.
  static func reply(to request: XMPPElement, _ payload: XMPPElement? = nil) -> XMPPElement {
    element(
      "iq", Namespace.client,
      [("type", "result"), ("id", request.attribute("id")), ("to", request.attribute("from"))],
      payload.map { [$0] } ?? [])
  }

  /// The error that answers a request (RFC 6120 §8.3.2).
  static func refusal(
    of id: String?, from sender: String?,
    _ error: StanzaError = StanzaError(type: "cancel", condition: "service-unavailable")
  ) -> XMPPElement {
    let condition = element(error.condition?.name ?? "undefined-condition", Namespace.stanzaErrors)
    let words = error.text.map { element("text", Namespace.stanzaErrors, text: $0) }
    return element(
      "iq", Namespace.client, [("type", "error"), ("id", id), ("to", sender)],
      [
        element(
          "error", Namespace.client, [("type", error.type ?? "cancel")],
          [condition] + [words].compactMap { $0 })
      ])
  }

  /// What a server pushes: items of the roster, or of the block list (XEP-0191).
  fileprivate var isPush: Bool {
    self.is("query", in: Namespace.roster) || name.namespace == Namespace.blocking
  }
}
