import XMPPStanza
import XMPPStream

/// The direction of an element, if its content and addresses determine it.
///
/// It decides about single elements in a text of unknown origin, and so goes further than
/// `SpeakerEvidence`, which judges the words of a whole log.
enum ContentDirection {
  /// The direction that the content proves; nil if both sides may have sent it.
  ///
  /// - Parameter account: The account of the stream, if known, with its resource, if known. An
  ///   element from the account to another address was sent by it; an element from another address,
  ///   or to this session, came from the server.
  static func proven(of event: StreamEvent, account: JID? = nil) -> Direction? {
    switch event {
    case .header(let header): SpeakerEvidence(header: header.node)?.direction
    case .element(let element): ofElement(element.node, account)
    case .end: nil
    }
  }

  private static func ofElement(_ node: XMPPElement, _ account: JID?) -> Direction? {
    if node.name.namespace == SpeakerEvidence.framing {
      return SpeakerEvidence(header: node)?.direction
    }
    let evidence = SpeakerEvidence(node)
    if let evidence, evidence.strength == .proof { return evidence.direction }
    if isForSession(node, of: account) { return .inbound }
    // A server adds the sender's address to every stanza that it delivers (RFC 6120 §8.1.2.1).
    if evidence?.direction == .outbound { return .outbound }
    guard node.name.namespace == Namespace.client else { return nil }
    return (node.name.local == "iq" ? ofQuery(node) : nil) ?? ofSender(node, account)
  }

  /// Whether an element without a sender, or from the account itself, is addressed to the account's
  /// session. Such elements are the server's own, except presence.
  private static func isForSession(_ node: XMPPElement, of account: JID?) -> Bool {
    guard let account, node.name.namespace == Namespace.client, node.name.local != "presence",
      account.resource != nil, address(node.attribute("to")) == account
    else { return false }
    guard let from = node.attribute("from") else { return true }
    return address(from) == JID(prepared: account.bare, resource: nil)
  }

  private static func ofQuery(_ node: XMPPElement) -> Direction? {
    let type = node.attribute("type")
    if node.child("blocklist", in: Namespace.blocking) != nil {
      return type == "result" ? .inbound : .outbound
    }
    if let query = node.child("query", in: Namespace.roster) {
      if type == "result" { return SpeakerEvidence(node)?.direction }
      if type == "set" { return ofRosterSet(node, query) }
    }
    // A server's own requests have its address; its pushes may have none.
    let hasAddress = node.attribute("from") != nil || node.attribute("to") != nil
    return type == "get" && !hasAddress ? .outbound : nil
  }

  /// The direction of a roster set; nil if both sides may have sent it.
  ///
  /// Only a server sends a version or `ask` (RFC 6121 §2.1.2, §2.6), and only its pushes are
  /// addressed to a full JID. A subscription state proves nothing, because some clients send it.
  private static func ofRosterSet(_ node: XMPPElement, _ query: XMPPElement) -> Direction? {
    let item = query.child("item", in: Namespace.roster)
    if query.attribute("ver") != nil || item?.attribute("ask") != nil { return .inbound }
    if let to = node.attribute("to"), to.utf8.contains(UInt8(ascii: "/")) { return .inbound }
    return nil
  }

  private static func ofSender(_ node: XMPPElement, _ account: JID?) -> Direction? {
    guard let account = account?.bare, let from = address(node.attribute("from")) else {
      return nil
    }
    guard from.bare == account else { return .inbound }
    guard let to = address(node.attribute("to")), to.bare != account else { return nil }
    return .outbound
  }

  private static func address(_ text: String?) -> JID? {
    text.flatMap { try? JID(parsing: $0.trimmedOfXMLSpace) }
  }
}

extension Direction {
  /// The other direction.
  var opposite: Direction {
    switch self {
    case .inbound: .outbound
    case .outbound: .inbound
    }
  }
}
