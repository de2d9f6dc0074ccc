import XMPPStanza
import XMPPStream

/// Infers the directions of elements for sources that do not record them.
///
/// A server adds `from` to stanzas that it forwards, and a client seldom does; an answer goes in
/// the opposite direction to its request; and some elements are sent by only one side.
struct DirectionGuess {
  /// A request that waits for an answer.
  private struct Request {
    var direction: Direction
    /// Whether the direction is known rather than guessed.
    var isKnown = false
    /// Whether a request from the other side has the same id.
    var isFromBothSides = false
  }

  /// The requests that wait for an answer, by id.
  private var requests: [String: Request] = [:]
  /// Contacts that the client has removed from the roster and whose push has not been seen.
  private var removals: Set<String> = []

  /// Whether the server has sent a version with a roster. If so, each of its pushes has one too
  /// (RFC 6121 §2.6.3).
  private var sendsVersions = false

  private static let maximumRequests = 10_000
  private static let serverOnly: Set<String> = [
    "features", "error", "proceed", "challenge", "success", "failure", "enabled", "resumed",
    "failed", "continue",
  ]

  mutating func direction(of event: StreamEvent) -> Direction {
    direction(of: event, known: nil).direction
  }

  /// The direction of an event, and whether it answers a request in the opposite direction.
  ///
  /// - Parameter known: The direction if it is known otherwise; it is noted for requests.
  mutating func direction(
    of event: StreamEvent, known: Direction?
  ) -> (direction: Direction, isAnswer: Bool) {
    switch event {
    case .header(let header): (known ?? Self.direction(ofHeader: header.node), false)
    case .element(let element): direction(of: element.node, known)
    case .end: (known ?? .outbound, false)
    }
  }

  /// Whether an event answers a request from the client, and no request to it has the same id.
  func isAnswerToClient(_ event: StreamEvent) -> Bool {
    guard case .element(let element) = event, element.node.is("iq", in: Namespace.client),
      ["result", "error"].contains(element.node.attribute("type")),
      let request = requests[element.node.attribute("id") ?? ""]
    else { return false }
    return request.direction == .outbound && request.isKnown && !request.isFromBothSides
  }

  /// The direction of a stream header: a server's has an id (RFC 6120 §4.7.3), a client's does not.
  static func direction(ofHeader node: XMPPElement) -> Direction {
    node.attribute("id") == nil ? .outbound : .inbound
  }

  private mutating func direction(
    of node: XMPPElement, _ known: Direction?
  ) -> (direction: Direction, isAnswer: Bool) {
    guard node.name.namespace == Namespace.client else {
      return (known ?? (Self.serverOnly.contains(node.name.local) ? .inbound : .outbound), false)
    }
    let bySender = node.attribute("from") == nil ? Direction.outbound : .inbound
    guard node.name.local == "iq" else { return (known ?? bySender, false) }
    let id = node.attribute("id") ?? ""
    let type = node.attribute("type")
    // A client sends a version only when it requests the roster.
    if type != "get", node.child("query", in: Namespace.roster)?.attribute("ver") != nil {
      sendsVersions = true
    }
    switch type {
    case "get", "set":
      let direction = known ?? directionOfRequest(node)
      if requests.count < Self.maximumRequests {
        let isFromBothSides =
          requests[id].map { $0.isFromBothSides || $0.direction != direction } ?? false
        requests[id] = Request(
          direction: direction, isKnown: known != nil, isFromBothSides: isFromBothSides)
      }
      return (direction, false)
    case "result", "error":
      if let asked = requests.removeValue(forKey: id) {
        let answer = known ?? asked.direction.opposite
        if asked.isFromBothSides { requests[id] = Request(direction: answer) }
        return (answer, true)
      }
      let hasPayload = node.content.contains { if case .element = $0 { true } else { false } }
      return (known ?? (hasPayload ? .inbound : bySender), false)
    default: return (known ?? bySender, false)
    }
  }

  private mutating func directionOfRequest(_ node: XMPPElement) -> Direction {
    guard node.attribute("from") == nil else { return .inbound }
    guard node.attribute("type") == "set",
      let query = node.child("query", in: Namespace.roster),
      let item = query.child("item", in: Namespace.roster)
    else { return .outbound }
    // RFC 6121 §2.1.3 and §2.6.1: only the server sends a version and a subscription state.
    if query.attribute("ver") != nil || item.attribute("ask") != nil { return .inbound }
    switch item.attribute("subscription") {
    case nil: return .outbound
    // Some clients send the subscription, so it proves nothing.
    case _ where sendsVersions: return .outbound
    case "remove":
      let jid = item.attribute("jid") ?? ""
      return removals.insert(jid).inserted ? .outbound : removed(jid)
    default: return .inbound
    }
  }

  /// The second removal of a contact is the server's push.
  private mutating func removed(_ jid: String) -> Direction {
    removals.remove(jid)
    return .inbound
  }
}
