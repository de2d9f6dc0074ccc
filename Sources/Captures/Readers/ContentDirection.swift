import XMPPStanza
import XMPPStream

/// Which way an element went, if its content and its addresses leave no choice.
///
/// It decides single elements whose words may be anybody's, and so goes further than
/// `SpeakerEvidence`, which judges the words of a whole log.
enum ContentDirection {
  /// The direction that the content proves; nil if both sides may have sent it.
  ///
  /// - Parameter account: The account of the stream if it is known, with its resource if that is:
  ///   what names it as the sender of something for another address is its own, and what another
  ///   address sent, or goes to this session, came from the server.
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
    // A server puts the sender's address on all that it delivers (RFC 6120 §8.1.2.1).
    if evidence?.direction == .outbound { return .outbound }
    guard node.name.namespace == Namespace.client else { return nil }
    return (node.name.local == "iq" ? ofQuery(node) : nil) ?? ofSender(node, account)
  }

  /// Whether an element without a sender, or from the account itself, goes to a session of it: the
  /// server speaks in its own name so, but shows no presence.
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
    // A server's own requests have its address; its pushes need none.
    let hasAddress = node.attribute("from") != nil || node.attribute("to") != nil
    return type == "get" && !hasAddress ? .outbound : nil
  }

  /// Only a server gives a version or says that a request waits (RFC 6121 §2.1.2, §2.6), and only
  /// its push goes to a full address. Some clients send the state of the subscription as well.
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
