import XMPPStanza

// The stanzas that most of a session are, from the element's bytes to the event's, and what
// acknowledges them. What is rare, or has anything wrong with it, is left to `StanzaTranslator`.
extension StoredMeaning {
  /// Takes what a stanza means, if it is one of those; false, and nothing is taken, where not.
  mutating func takeInPlace(_ node: XMPPElement, _ direction: Direction) -> Bool {
    do {
      let isTaken =
        switch try Stanza.Kind(node) {
        case .message: try takeMessage(node, direction)
        case .presence(let kind): try takePresence(node, kind, direction)
        case .iq(let kind): try takeIQ(node, kind, direction)
        // It means nothing and concerns nobody.
        case nil: node.isAcknowledgement
        }
      if !isTaken { removeAll() }
      return isTaken
    } catch {
      removeAll()
      return false
    }
  }

  /// Takes the address that a stanza came from or went to; has `write` write the event where there
  /// is one.
  private mutating func takePeer(
    of node: XMPPElement, _ direction: Direction,
    _ write: (PreparedAddress?, inout CanonicalOutput) -> Void
  ) throws(JIDError) {
    let (mine, peer): (WantedName, WantedName) =
      direction == .inbound ? ("to", "from") : ("from", "to")
    // One that cannot be prepared is thrown.
    try node.withAddress(mine) { _ in }
    try node.withAddress(peer) { address in
      if let address { append(contact: address.bare) }
      write(address, &output)
    }
  }

  /// A message that is no event of a contact's.
  private mutating func takeMessage(
    _ node: XMPPElement, _ direction: Direction
  ) throws(JIDError) -> Bool {
    guard direction == .outbound || !node.hasChild("event", in: Namespace.pubsubEvent) else {
      return false
    }
    try takePeer(of: node, direction) { _, _ in }
    return true
  }

  private mutating func takePresence(
    _ node: XMPPElement, _ kind: Presence.Kind, _ direction: Direction
  ) throws(JIDError) -> Bool {
    if let kind = SubscriptionStanza.Kind(kind) {
      return try takeSubscription(node, kind, direction)
    }
    guard direction == .inbound else { return false }
    let isShown = !StanzaTranslator.isRoom(node)
    switch kind {
    case .available:
      try takePeer(of: node, direction) { address, output in
        if isShown, let address { output.writeAvailable(from: address, PresenceContent(node)) }
      }
    case .unavailable:
      try takePeer(of: node, direction) { address, output in
        if isShown, let address { output.writeUnavailable(from: address) }
      }
    case .subscribe, .subscribed, .unsubscribe, .unsubscribed, .probe, .error: return false
    }
    return true
  }

  /// What is said of a subscription to somebody or by somebody; false where it is to or by nobody.
  private mutating func takeSubscription(
    _ node: XMPPElement, _ kind: SubscriptionStanza.Kind, _ direction: Direction
  ) throws(JIDError) -> Bool {
    var isThere = false
    try takePeer(of: node, direction) { address, output in
      guard let address else { return }
      isThere = true
      output.writeSubscription(kind, direction, of: address.bare, node)
    }
    return isThere
  }

  // MARK: IQ

  private mutating func takeIQ(
    _ node: XMPPElement, _ kind: IQ.Kind, _ direction: Direction
  ) throws(JIDError) -> Bool {
    switch (kind, direction) {
    case (.result, .outbound), (.error, .outbound):
      try takePeer(of: node, direction) { to, output in
        node.withAttribute("id") { id in
          if let id { output.writeAnswerSent(id: id, to: to) }
        }
      }
    case (.result, .inbound): return try takeResult(node)
    case (.set, _): return try takeSet(node, direction)
    case (.get, .outbound):
      guard node.children.allSatisfy({ IQPayload($0) == nil }) else { return false }
      try takePeer(of: node, direction) { _, _ in }
    case (.get, .inbound): try takePeer(of: node, direction) { _, _ in }
    case (.error, .inbound): return false
    }
    return true
  }

  /// A roster, or what means nothing to it.
  private mutating func takeResult(_ node: XMPPElement) throws(JIDError) -> Bool {
    var children = node.children
    let first = children.next()
    // Of several, it depends on all of them which one counts.
    guard children.next() == nil else { return false }
    let tag: AnswerTag
    switch first.map({ IQPayload($0) }) {
    case .none: tag = .nothing
    case .some(nil): tag = .other
    case .some(.roster): tag = .roster
    case .some(.bind), .some(.blockList), .some(.vCard), .some(.vCard4), .some(.published):
      return false
    }
    try takeHead(of: node, .inbound) { output, id, from in
      output.writeAnswer(id: id, from: from, tag)
    }
    guard let first, tag == .roster else { return true }
    return try takeQuery(first)
  }

  /// A roster set of ours, or a push.
  private mutating func takeSet(
    _ node: XMPPElement, _ direction: Direction
  ) throws(JIDError) -> Bool {
    guard let query = node.child("query", in: Namespace.roster) else { return false }
    try takeHead(of: node, direction) { output, id, peer in
      output.writeHead(ofSet: direction, id: id, peer: peer)
    }
    return try takeQuery(query)
  }

  /// Takes the address of a request or its answer; has `write` write both it and the id.
  private mutating func takeHead(
    of node: XMPPElement, _ direction: Direction,
    _ write: (inout CanonicalOutput, RawSpan?, PreparedAddress?) -> Void
  ) throws(JIDError) {
    try takePeer(of: node, direction) { peer, output in
      node.withAttribute("id") { write(&output, $0, peer) }
    }
  }

  /// The items of a query; false where one of them cannot be taken.
  private mutating func takeQuery(_ query: XMPPElement) throws(JIDError) -> Bool {
    guard !query.hasOwnText else { return false }
    var count: UInt64 = 0
    for item in query.children where item.is("item", in: Namespace.roster) { count += 1 }
    query.withAttribute("ver") { output.write(optional: $0) }
    output.write(count)
    for item in query.children where item.is("item", in: Namespace.roster) {
      let content = RosterItemContent(item)
      guard content.unknownSubscription == nil else { return false }
      var isThere = false
      try item.withAddress("jid") { address in
        guard let address else { return }
        isThere = true
        append(contact: address.bare)
        output.write(content, of: address)
      }
      guard isThere else { return false }
    }
    // Those that are malformed.
    output.write(UInt64(0))
    return true
  }
}
