import RawBytes
import XMPPStanza

// Requests and their answers, from the element's bytes to the event's.
extension EventEncoder {
  mutating func encodeIQ(
    _ node: XMPPElement, _ kind: IQ.Kind, _ direction: Direction
  ) throws(StanzaFault) {
    switch (kind, direction) {
    case (.get, .outbound): try encodeGet(node)
    case (.get, .inbound): try encodePeer(of: node, direction) { _, _ in }
    case (.set, .outbound): try encodeOwnSet(node)
    case (.set, .inbound): try encodePush(node)
    case (.result, .outbound): try encodeOwnAnswer(node, error: nil)
    case (.error, .outbound):
      try encodeOwnAnswer(
        node,
        error: ErrorReport(
          node.child("error", in: Namespace.client), of: node, in: Namespace.stanzaErrors))
    case (.result, .inbound): try encodeResult(node)
    case (.error, .inbound): try encodeError(node)
    }
  }

  /// Encodes the kind of a request or an answer, its id, and its other side.
  private mutating func encodeHead(
    _ tag: EventTag, of node: XMPPElement, _ direction: Direction
  ) throws(StanzaFault) {
    try encodePeer(of: node, direction) { peer, output in
      node.withAttribute("id") { output.write(tag, id: $0, peer: peer) }
    }
  }

  // MARK: What we send

  private mutating func encodeGet(_ node: XMPPElement) throws(StanzaFault) {
    guard let (payload, child) = IQPayload.first(of: IQPayload.asked, in: node),
      let subject = payload.subject(in: child)
    else { return try encodePeer(of: node, .outbound) { _, _ in } }
    try encodeHead(.querySent, of: node, .outbound)
    output.write(subject)
    if subject == .roster { child.withAttribute("ver") { output.write(optional: $0) } }
  }

  private mutating func encodeOwnSet(_ node: XMPPElement) throws(StanzaFault) {
    guard let query = node.child("query", in: Namespace.roster) else {
      return try encodeOwnBlocking(node)
    }
    try encodeHead(.setSent, of: node, .outbound)
    encodeQuery(query)
  }

  private mutating func encodeOwnBlocking(_ node: XMPPElement) throws(StanzaFault) {
    let block = node.child("block", in: Namespace.blocking)
    guard let list = block ?? node.child("unblock", in: Namespace.blocking) else {
      return try encodePeer(of: node, .outbound) { _, _ in }
    }
    let count = gatherAddresses(in: list)
    // Only to unblock, no address means all (XEP-0191 §3.5).
    let isEmpty = count == 0 && (block != nil || list.hasChild("item", in: Namespace.blocking))
    guard !isEmpty else { return try encodePeer(of: node, .outbound) { _, _ in } }
    try encodeHead(.blockingSent, of: node, .outbound)
    output.write(block != nil)
    writeParts(count: count)
  }

  private mutating func encodeOwnAnswer(
    _ node: XMPPElement, error: ErrorReport?
  ) throws(StanzaFault) {
    try encodePeer(of: node, .outbound) { to, output in
      node.withAttribute("id") { id in
        guard let id else { return }
        output.write(EventTag.answerSent)
        output.write(counted: id)
        output.write(optional: to)
        output.write(error)
      }
    }
  }

  // MARK: What is pushed

  private mutating func encodePush(_ node: XMPPElement) throws(StanzaFault) {
    if let query = node.child("query", in: Namespace.roster) {
      try encodeHead(.pushReceived, of: node, .inbound)
      encodeQuery(query)
    } else if let block = node.child("block", in: Namespace.blocking) {
      try encodeBlocking(.blocked, node)
      writeParts(count: gatherAddresses(in: block))
    } else if let unblock = node.child("unblock", in: Namespace.blocking) {
      let count = gatherAddresses(in: unblock)
      // Empty means everybody (XEP-0191 §3.5); a list that holds only unreadable items does not.
      if count == 0, unblock.hasChild("item", in: Namespace.blocking) {
        return try encodePeer(of: node, .inbound) { _, output in
          let reason = "no address to unblock can be prepared"
          output.write(Rejection(kind: .payload, reason: reason))
        }
      }
      try encodeBlocking(.unblocked, node)
      writeParts(count: count)
    } else {
      try encodePeer(of: node, .inbound) { _, _ in }
    }
  }

  private mutating func encodeBlocking(
    _ tag: EventTag, _ node: XMPPElement
  ) throws(StanzaFault) {
    try encodePeer(of: node, .inbound) { from, output in output.write(tag, from: from) }
  }

  // MARK: What is answered

  private mutating func encodeResult(_ node: XMPPElement) throws(StanzaFault) {
    switch IQPayload.first(of: IQPayload.answered, in: node) {
    case (.bind, let bind)?: try encodeBind(node, bind)
    case (.roster, let query)?:
      try encodeAnswer(node, .roster)
      encodeQuery(query)
    case (.blockList, let list)?:
      try encodeAnswer(node, .blockList)
      writeParts(count: gatherAddresses(in: list))
    case (.vCard, let card)?:
      try encodeAnswer(node, .vCard)
      output.write(nameIn: "NICKNAME", Namespace.vCard, of: card)
      output.write(nameIn: "FN", Namespace.vCard, of: card)
    case (.vCard4, let card)?:
      try encodeAnswer(node, .vCard)
      output.write(namesInVCard4: card)
    case (.published, let published)?: try encodePublished(node, published)
    case nil:
      var children = node.children
      try encodeAnswer(node, children.next() == nil ? .nothing : .other)
    }
  }

  private mutating func encodeAnswer(
    _ node: XMPPElement, _ tag: AnswerTag
  ) throws(StanzaFault) {
    try encodeHead(.answerReceived, of: node, .inbound)
    output.write(tag)
  }

  /// Many servers send what they refuse along with the error (RFC 6120 §8.3.1).
  private mutating func encodeError(_ node: XMPPElement) throws(StanzaFault) {
    let report = ErrorReport(
      node.child("error", in: Namespace.client), of: node, in: Namespace.stanzaErrors)
    let isOfLogin =
      node.hasChild("bind", in: Namespace.bind) || node.hasChild("query", in: Namespace.legacyAuth)
    guard isOfLogin else {
      try encodeAnswer(node, .error)
      return output.write(report)
    }
    try encodePeer(of: node, .inbound) { _, output in
      SessionEvent.loginFailed(report).encode(to: &output)
    }
  }

  /// RFC 6120 §7.6.1.
  private mutating func encodeBind(
    _ node: XMPPElement, _ bind: XMPPElement
  ) throws(StanzaFault) {
    let text = bind.child("jid", in: Namespace.bind)?.text.trimmedOfXMLSpace
    let jid = text.flatMap { try? JID(parsing: $0) }
    try encodePeer(of: node, .inbound) { from, output in
      guard let jid, jid.resource != nil else {
        let reason = "the bind result has no full address to prepare"
        return output.write(Rejection(kind: .payload, reason: reason))
      }
      SessionEvent.opened(jid, from: from?.jid).encode(to: &output)
    }
  }

  /// What a contact published, as the answer to our question for it.
  private mutating func encodePublished(
    _ node: XMPPElement, _ published: XMPPElement
  ) throws(StanzaFault) {
    let items = published.child("items", in: Namespace.pubsub)
    let item = items?.child("item", in: Namespace.pubsub)
    switch items?.attribute("node") {
    case Namespace.nick:
      try encodeAnswer(node, .nickname)
      output.write(nameIn: "nick", Namespace.nick, of: item)
    case Namespace.vCard4Node:
      guard let card = item?.child("vcard", in: Namespace.vCard4) else { fallthrough }
      try encodeAnswer(node, .vCard)
      output.write(namesInVCard4: card)
    default: try encodeAnswer(node, .other)
    }
  }

  // MARK: Lists

  /// Encodes a roster query. A malformed item is listed as such and does not affect the others.
  private mutating func encodeQuery(_ query: XMPPElement) {
    query.withAttribute("ver") { output.write(optional: $0) }
    var count: UInt64 = 0
    var malformed: [RosterQuery.Malformed] = []
    parts.removeAll()
    for item in query.children where item.is("item", in: Namespace.roster) {
      do {
        let before = count
        try item.withAddress("jid") { address in
          guard let address else { return }
          count += 1
          append(contact: address.bare)
          parts.write(RosterItemContent(item), of: address)
        }
        if count == before {
          malformed.append(RosterQuery.Malformed(jid: nil, reason: "it has no jid"))
        }
      } catch {
        malformed.append(
          RosterQuery.Malformed(jid: item.attribute("jid"), reason: error.description))
      }
    }
    if query.hasOwnText { malformed.append(.omission) }
    writeParts(count: count)
    output.write(malformed)
  }

  /// Gathers the addresses of a block list and appends their contacts. Leaves out addresses that
  /// cannot be prepared.
  ///
  /// - Returns: The number of addresses.
  private mutating func gatherAddresses(in list: XMPPElement) -> UInt64 {
    var count: UInt64 = 0
    parts.removeAll()
    for item in list.children where item.is("item", in: Namespace.blocking) {
      try? item.withAddress("jid") { address in
        guard let address else { return }
        count += 1
        append(contact: address.bare)
        parts.write(address)
      }
    }
    return count
  }

  private mutating func writeParts(count: UInt64) {
    output.write(count)
    output.write(encoded: parts)
  }
}

extension IQPayload {
  /// The subject of a get with this payload; nil if it means nothing to the roster.
  fileprivate func subject(in element: XMPPElement) -> QueryTag? {
    switch self {
    case .bind: return nil
    case .roster: return .roster
    case .blockList: return .blockList
    case .vCard, .vCard4: return .vCard
    case .published:
      switch element.child("items", in: Namespace.pubsub)?.attribute("node") {
      case Namespace.nick: return .nickname
      case Namespace.vCard4Node: return .vCard
      default: return nil
      }
    }
  }
}
