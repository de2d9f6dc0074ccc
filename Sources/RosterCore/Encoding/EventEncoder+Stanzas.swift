import RawBytes
package import XMPPStanza

// What elements mean, from their bytes to the event's.
extension EventEncoder {
  /// Encodes what an element means to the roster, and the contacts that it concerns: its sender or
  /// receiver, and those that it names.
  ///
  /// Only direct children of a stanza count: a stanza forwarded inside a message is none.
  /// Complexity: linear in the element.
  package mutating func encode(_ node: XMPPElement, _ direction: Direction) {
    removeAll()
    do {
      switch try StanzaKind(node) {
      case .message: try encodeMessage(node, direction)
      case .presence(let kind): try encodePresence(node, kind, direction)
      case .iq(let kind): try encodeIQ(node, kind, direction)
      case nil: encodeNonza(node, direction)
      }
    } catch {
      let kind: Rejection.Kind =
        switch error {
        case .address: .address
        case .unknownType: .type
        }
      encode(Rejection(kind: kind, reason: error.description))
      appendPeer(of: node, direction)
    }
  }

  /// Appends the address that a stanza came from or went to, and has `write` write the event with
  /// it.
  ///
  /// - Throws: `StanzaFault`, for the first address that cannot be prepared.
  mutating func encodePeer(
    of node: XMPPElement, _ direction: Direction,
    _ write: (PreparedAddress?, inout CanonicalOutput) -> Void
  ) throws(StanzaFault) {
    try node.withStanzaAddress("from") { address in
      if direction == .inbound { encode(peer: address, write) }
    }
    try node.withStanzaAddress("to") { address in
      if direction == .outbound { encode(peer: address, write) }
    }
  }

  private mutating func encode(
    peer: PreparedAddress?, _ write: (PreparedAddress?, inout CanonicalOutput) -> Void
  ) {
    if let peer { append(contact: peer.bare) }
    write(peer, &output)
  }

  /// Appends the address that an element came from or went to, if it can be prepared.
  private mutating func appendPeer(of node: XMPPElement, _ direction: Direction) {
    try? node.withAddress(direction == .inbound ? "from" : "to") { address in
      if let address { append(contact: address.bare) }
    }
  }

  // MARK: Elements that are not stanzas

  private mutating func encodeNonza(_ node: XMPPElement, _ direction: Direction) {
    // There can be one for each stanza, and it has no address.
    guard !node.isAcknowledgement else { return }
    switch (node.name.namespace, node.name.local) {
    case (Namespace.streams, "stream"): encode(.negotiated)
    case (Namespace.streams, "error"):
      encode(.streamFailed(direction, ErrorReport(node, in: Namespace.streamErrors)))
    case (Namespace.streams, "features") where direction == .inbound:
      encode(
        .featuresOffered(
          StreamFeatures(
            versioning: node.hasChild("ver", in: Namespace.rosterVersioning),
            preApproval: node.hasChild("sub", in: Namespace.preApproval))))
    case (Namespace.streamManagement, "resumed") where direction == .inbound,
      (Namespace.streamManagement2, "resumed") where direction == .inbound:
      encode(.resumed(nil, id: node.attribute("previd")))
    case (Namespace.streamManagement, "enabled") where direction == .inbound,
      (Namespace.streamManagement2, "enabled") where direction == .inbound:
      if let id = node.attribute("id") { encode(.resumable(id: id)) }
    case (Namespace.sasl2, "success") where direction == .inbound: encodeSuccess(node)
    case (Namespace.sasl, "failure") where direction == .inbound,
      (Namespace.sasl2, "failure") where direction == .inbound:
      encode(.loginFailed(ErrorReport(node, in: Namespace.sasl, Namespace.sasl2)))
    default: break
    }
    appendPeer(of: node, direction)
  }

  /// XEP-0388 §2.5: authentication, resumption and binding may all be in one answer.
  private mutating func encodeSuccess(_ node: XMPPElement) {
    let text = node.child("authorization-identifier", in: Namespace.sasl2)?.text
    guard let text, let jid = try? JID(parsing: text.trimmedOfXMLSpace) else {
      let reason = "the success names no account that can be prepared"
      return encode(Rejection(kind: .payload, reason: reason))
    }
    if let resumed = node.child("resumed", in: Namespace.streamManagement) {
      return encode(.resumed(jid, id: resumed.attribute("previd")))
    }
    guard let bound = node.child("bound", in: Namespace.bind2) else {
      return encode(.authenticated(jid))
    }
    // XEP-0386 §3.2: stream management may be enabled along with it.
    let enabled = bound.child("enabled", in: Namespace.streamManagement)
    encode(.opened(jid, resumptionID: enabled?.attribute("id")))
  }

  // MARK: Messages

  /// XEP-0163 §4.3: an event comes from the bare address of its publisher.
  private mutating func encodeMessage(
    _ node: XMPPElement, _ direction: Direction
  ) throws(StanzaFault) {
    try encodePeer(of: node, direction) { from, output in
      guard direction == .inbound, let from, from.resource == nil,
        let event = node.child("event", in: Namespace.pubsubEvent),
        node.attribute("type") != "error",
        let items = event.child("items", in: Namespace.pubsubEvent)
      else { return }
      let item = items.child("item", in: Namespace.pubsubEvent)
      switch items.attribute("node") {
      case Namespace.nick:
        output.write(EventTag.nicknamePublished)
        output.write(counted: from.bare)
        output.write(nameIn: "nick", Namespace.nick, of: item)
      case Namespace.vCard4Node:
        // A notification may say only that there is a new one.
        guard let card = item?.child("vcard", in: Namespace.vCard4) else { return }
        output.write(EventTag.vCardPublished)
        output.write(counted: from.bare)
        output.write(namesInVCard4: card)
      default: return
      }
    }
  }

  // MARK: Presence

  private mutating func encodePresence(
    _ node: XMPPElement, _ kind: PresenceKind, _ direction: Direction
  ) throws(StanzaFault) {
    if let kind = SubscriptionStanza.Kind(kind) {
      return try encodeSubscription(node, kind, direction)
    }
    try encodePeer(of: node, direction) { address, output in
      switch (kind, direction) {
      case (.available, .outbound), (.unavailable, .outbound):
        output.write(EventTag.presenceSent)
        output.write(optional: address)
        output.write(kind == .available)
      case (.available, .inbound):
        guard let address, !node.isOfRoom else { return }
        output.write(EventTag.availableReceived)
        output.write(address)
        output.write(PresenceContent(node))
      case (.unavailable, .inbound):
        guard let address, !node.isOfRoom else { return }
        output.write(EventTag.unavailableReceived)
        output.write(address)
        node.withFilledText(ofChild: "status", in: Namespace.client) { output.write(optional: $0) }
      case (.error, .inbound):
        guard let address, !node.isOfRoom else { return }
        output.write(EventTag.presenceErrorReceived)
        output.write(address)
        output.write(
          ErrorReport(
            node.child("error", in: Namespace.client), of: node, in: Namespace.stanzaErrors))
      case (.probe, _), (.error, .outbound), (.subscribe, _), (.subscribed, _), (.unsubscribe, _),
        (.unsubscribed, _):
        return
      }
    }
  }

  private mutating func encodeSubscription(
    _ node: XMPPElement, _ kind: SubscriptionStanza.Kind, _ direction: Direction
  ) throws(StanzaFault) {
    try encodePeer(of: node, direction) { address, output in
      guard let address else {
        let missing = direction == .inbound ? "from" : "to"
        return output.write(
          Rejection(kind: .nobody, reason: "a \(kind.rawValue) without a '\(missing)' address"))
      }
      switch direction {
      case .inbound: output.write(EventTag.subscriptionReceived)
      case .outbound: output.write(EventTag.subscriptionSent)
      }
      output.write(kind.rawValue)
      output.write(counted: address.bare)
      node.withFilledText(ofChild: "status", in: Namespace.client) { output.write(optional: $0) }
      output.write(nameIn: "nick", Namespace.nick, of: node)
    }
  }
}

extension SubscriptionStanza.Kind {
  /// Nil for a presence that is not about a subscription.
  init?(_ kind: PresenceKind) {
    switch kind {
    case .subscribe: self = .subscribe
    case .subscribed: self = .subscribed
    case .unsubscribe: self = .unsubscribe
    case .unsubscribed: self = .unsubscribed
    case .available, .unavailable, .probe, .error: return nil
    }
  }
}

extension XMPPElement {
  /// Whether a presence is one that a chat room sends for an occupant (XEP-0045 §7.2.2), or the
  /// error for one that wanted to join it (§7.2.6).
  fileprivate var isOfRoom: Bool {
    hasChild("x", in: Namespace.mucUser) || hasChild("x", in: Namespace.muc)
  }
}
