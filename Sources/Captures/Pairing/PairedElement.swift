import XMPPStanza

/// One element of a stream whose other direction was recorded in another file.
///
/// It has what decides its position among the elements of that direction.
struct PairedElement {
  /// A link between an element and the element of the other direction that it answers.
  enum Tie: Hashable {
    /// A request and its result or error, by id (RFC 6120 §8.2.3).
    case request(String)
    /// A stanza that is returned: as an error, or because the server sends it to its own sender.
    case stanza(String)
    /// The start tag of a stream and the server's (RFC 6120 §4.2).
    case header
    /// The server's offer and the client's choice (RFC 6120 §4.3.2).
    case features
    case encryption
    case authentication
    case challenge
    case compression
    /// The success of a negotiation, and the new stream that then begins (RFC 6120 §4.3.3).
    case restart
    /// A request of stream management and its answer (XEP-0198).
    case management
    /// The beginning of a count of stanzas.
    case counting
  }

  let record: CapturedRecord
  /// The tie that an element of the other direction closes.
  var asks: Tie?
  /// The tie that this element closes.
  var answers: Tie?
  /// Whether it is a stanza, and therefore counted.
  var isStanza = false
  /// The number of stanzas of the other direction that it acknowledges (XEP-0198 §4).
  var handled: Int?
  /// Whether it begins a count of the stanzas of its own direction.
  var beginsCount = false
  /// The contact of a subscription, an edit of the roster or a push.
  var contact: String?
  /// The contacts in a roster result or push, and whether they see our presence.
  var items: [(contact: String, seesUs: Bool)] = []
  /// Its role in a request to see presence.
  var request: Request?
  /// How late it belongs if nothing else decides.
  var lateness = Lateness.none

  enum Lateness: Int {
    case none
    /// The client goes offline.
    case offline
    /// The server has nothing more to say.
    case end
    /// Another connection begins, after everything on the previous one.
    case newConnection
  }

  enum Request {
    case asked, granted, refused
  }

  /// Approximately the memory that it takes.
  var bytes: Int {
    switch record.content {
    case .element(_, _, let bytes), .streamHeader(_, _, let bytes): bytes.count
    case .unreadable(let bytes): bytes.kept?.count ?? 0
    case .lifecycle, .streamEnd, .annotation: 0
    }
  }
}

/// Finds out what decides the position of each element of one direction, in their order.
struct PairedElements {
  private let direction: Direction
  /// Whether the stream restarts once the server agrees to the client's request.
  private var expectsRestart = false
  /// The account, once the server has named it.
  private var account: BareJID?

  init(_ direction: Direction) {
    self.direction = direction
  }

  mutating func element(_ record: CapturedRecord) -> PairedElement {
    var element = PairedElement(record: record)
    switch (record.content, direction) {
    case (.streamHeader, .outbound):
      element.asks = .header
      element.answers = expectsRestart ? .restart : nil
      element.lateness = expectsRestart ? .none : .newConnection
      expectsRestart = false
    case (.streamHeader, .inbound): element.answers = .header
    case (.streamEnd, .outbound): element.lateness = .offline
    case (.streamEnd, .inbound): element.lateness = .end
    case (.element(_, let node, _), .outbound):
      if node.name.namespace == Namespace.client {
        sent(node, &element)
      } else {
        chose(node, &element)
      }
    case (.element(_, let node, _), .inbound):
      if node.name.namespace == Namespace.client {
        received(node, &element)
      } else {
        granted(node, &element)
      }
    case (.lifecycle, _), (.annotation, _), (.unreadable, _): break
    }
    return element
  }

  // MARK: Negotiation

  private mutating func chose(_ node: XMPPElement, _ element: inout PairedElement) {
    switch node.name.local {
    case "starttls", "auth", "compress":
      expectsRestart = true
      element.answers = .features
      element.asks =
        node.name.local == "auth"
        ? .authentication : node.name.local == "compress" ? .compression : .encryption
    case "authenticate": (element.answers, element.asks) = (.features, .authentication)
    case "response": (element.answers, element.asks) = (.challenge, .authentication)
    case "abort": element.asks = .authentication
    case "resume": (element.answers, element.asks) = (.features, .management)
    case "enable":
      element.asks = .management
      element.beginsCount = true
    case "a": element.handled = Self.handled(node)
    default: break
    }
  }

  private func granted(_ node: XMPPElement, _ element: inout PairedElement) {
    switch node.name.local {
    case "features": element.asks = .features
    case "proceed": (element.answers, element.asks) = (.encryption, .restart)
    case "compressed": (element.answers, element.asks) = (.compression, .restart)
    case "challenge", "continue": (element.answers, element.asks) = (.authentication, .challenge)
    case "success": (element.answers, element.asks) = (.authentication, .restart)
    case "failure":
      element.answers =
        [Namespace.sasl, Namespace.sasl2].contains(node.name.namespace)
        ? .authentication : .encryption
    case "enabled":
      (element.answers, element.asks) = (.management, .counting)
      element.beginsCount = true
    case "resumed", "failed": element.answers = .management
    case "a": element.handled = Self.handled(node)
    default: break
    }
  }

  private static func handled(_ node: XMPPElement) -> Int? {
    node.attribute("h").flatMap { Int($0) }
  }

  // MARK: Stanzas

  private func sent(_ node: XMPPElement, _ element: inout PairedElement) {
    element.isStanza = true
    let id = node.attribute("id")
    switch (node.name.local, node.attribute("type")) {
    case ("iq", "get"), ("iq", "set"):
      element.asks = .request(id ?? "")
      if node.child("bind", in: Namespace.bind) != nil { element.answers = .features }
      element.contact = Self.items(node).first?.contact
    case ("iq", "result"), ("iq", "error"): element.answers = .request(id ?? "")
    case ("presence", let type?):
      element.asks = id.map { .stanza($0) }
      let to = node.attribute("to").map(Self.bare)
      if to == nil, type == "unavailable" { element.lateness = .offline }
      guard ["subscribe", "subscribed", "unsubscribe", "unsubscribed"].contains(type) else {
        return
      }
      element.contact = to
      element.request =
        type == "subscribed" ? .granted : type == "unsubscribed" ? .refused : nil
    default: element.asks = id.map { .stanza($0) }
    }
  }

  private mutating func received(_ node: XMPPElement, _ element: inout PairedElement) {
    element.isStanza = true
    let id = node.attribute("id")
    let from = node.attribute("from").map(Self.bare)
    switch (node.name.local, node.attribute("type")) {
    case ("iq", "get"), ("iq", "set"):
      element.asks = .request(id ?? "")
      element.items = Self.items(node)
      element.contact = element.items.first?.contact
    case ("iq", "result"), ("iq", "error"):
      element.answers = .request(id ?? "")
      element.items = Self.items(node)
      if let jid = LoginResult(node)?.jid { account = jid.bare }
    case ("presence", "subscribe"):
      element.request = .asked
      element.contact = from
    case (_, let type):
      let isReturned = type == "error" || isFromAccount(node)
      if isReturned { element.answers = id.map { .stanza($0) } }
    }
  }

  private func isFromAccount(_ node: XMPPElement) -> Bool {
    guard let account, let from = node.attribute("from") else { return false }
    return (try? JID(parsing: from))?.bare == account
  }

  private static func items(_ node: XMPPElement) -> [(contact: String, seesUs: Bool)] {
    guard let query = node.child("query", in: Namespace.roster) else { return [] }
    return query.children.compactMap { item in
      guard let jid = item.attribute("jid") else { return nil }
      return (bare(jid), ["from", "both"].contains(item.attribute("subscription")))
    }
  }

  /// The bare address, prepared just enough to tell the contacts of one capture apart.
  private static func bare(_ jid: String) -> String {
    String(jid.prefix { $0 != "/" }).lowercased()
  }
}
