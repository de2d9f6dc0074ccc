package import RosterCore
package import XMPPStanza

/// A stanza that one of two accounts sent to the other, as the log of either end has it.
package struct ExchangedStanza: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case message, available, unavailable
    case subscription(SubscriptionStanza.Kind)
  }

  package var stamp: RecordStamp
  package var direction: Direction
  package var kind: Kind
  package var id: String?
  /// The body of a message, or what a presence says.
  package var text: String

  package init(
    stamp: RecordStamp, direction: Direction, kind: Kind, id: String? = nil, text: String = ""
  ) {
    self.stamp = stamp
    self.direction = direction
    self.kind = kind
    self.id = id
    self.text = text
  }

  /// Reads an element; nil if it is no stanza between the account and the contact.
  ///
  /// A broadcast presence goes to each contact that may see it (RFC 6121 §4.2.2), so it counts.
  package init?(
    _ node: XMPPElement, _ direction: Direction, with contact: BareJID, at stamp: RecordStamp
  ) {
    let attribute: WantedName = direction == .inbound ? "from" : "to"
    let address = node.attribute(attribute).map { try? JID(parsing: $0) }
    guard let stanza = try? StanzaKind(node), address == nil || address??.bare == contact else {
      return nil
    }
    let isBroadcast = address == nil
    switch stanza {
    case .message:
      guard !isBroadcast, let body = node.child("body", in: Namespace.client)?.text,
        !["error", "groupchat"].contains(node.attribute("type"))
      else { return nil }
      (kind, text) = (.message, body)
    case .presence(.available), .presence(.unavailable):
      guard !isBroadcast || direction == .outbound else { return nil }
      kind = stanza == .presence(.available) ? .available : .unavailable
      text = ["show", "status", "priority"].map { (name: WantedName) in
        node.child(name, in: Namespace.client)?.text ?? ""
      }.joined(separator: "\n")
    case .presence(let type):
      guard !isBroadcast, let kind = SubscriptionStanza.Kind(rawValue: type.rawValue) else {
        return nil
      }
      self.kind = .subscription(kind)
      text = ""
    case .iq: return nil
    }
    self.stamp = stamp
    self.direction = direction
    id = node.attribute("id")
  }

  /// Whether it manages a subscription.
  package var isOfSubscription: Bool {
    if case .subscription = kind { true } else { false }
  }
}

/// One of two compared ends.
package enum PairEnd: String, Hashable, Sendable, CaseIterable {
  case first, second

  /// The other of the two.
  package var opposite: PairEnd { self == .first ? .second : .first }
}

/// A stanza that both logs have.
package struct SharedStanza: Hashable, Sendable {
  /// The end that sent it.
  package let sender: PairEnd
  package let sent: ExchangedStanza
  package let received: ExchangedStanza
}

extension [SharedStanza] {
  /// Returns the stanzas that two logs both have: first those that an id or a unique text
  /// identifies, then the other subscription stanzas, of which a server may change the id: each
  /// with the last one of its kind that was sent before it.
  ///
  /// - Parameters:
  ///   - first: The stanzas of one log, in order.
  ///   - second: The stanzas of the other, in order.
  /// - Returns: The stanzas, and how the clocks of the two logs are aligned by them.
  ///
  /// Complexity: linear in the stanzas, and quadratic in other subscription stanzas.
  package static func matching(
    _ first: [ExchangedStanza], _ second: [ExchangedStanza]
  ) -> (shared: [SharedStanza], clocks: ClockAlignment) {
    var shared = identified(first, second, sender: .first)
    shared += identified(second, first, sender: .second)
    let clocks = ClockAlignment(shared)
    for sender in PairEnd.allCases {
      let (sending, receiving) = sender == .first ? (first, second) : (second, first)
      let known = shared.filter { $0.sender == sender }
      shared += unidentified(sending, receiving, sender, besides: known, clocks)
    }
    shared.sort { $0.order(clocks) < $1.order(clocks) }
    return (shared, clocks.shared == 0 ? ClockAlignment(shared) : clocks)
  }

  private static func identified(
    _ sending: [ExchangedStanza], _ receiving: [ExchangedStanza], sender: PairEnd
  ) -> [SharedStanza] {
    func byContent(_ stanzas: [ExchangedStanza]) -> [StanzaContent: [ExchangedStanza]] {
      Dictionary(grouping: stanzas, by: StanzaContent.init)
    }
    let sent = byContent(sending.filter { $0.direction == .outbound })
    let received = byContent(receiving.filter { $0.direction == .inbound })
    return received.compactMap { key, received in
      // A server sends presence again to each session that begins, so the first one counts.
      guard key.id != nil || (!key.text.allSatisfy(\.isWhitespace) && received.count == 1),
        let sent = sent[key], sent.count == 1
      else { return nil }
      return SharedStanza(sender: sender, sent: sent[0], received: received[0])
    }
  }

  private static func unidentified(
    _ sending: [ExchangedStanza], _ receiving: [ExchangedStanza], _ sender: PairEnd,
    besides known: [SharedStanza], _ clocks: ClockAlignment
  ) -> [SharedStanza] {
    let (sent, received) = (Set(known.map(\.sent)), Set(known.map(\.received)))
    var open = sending.filter {
      $0.direction == .outbound && $0.isOfSubscription && !sent.contains($0)
    }
    let arrivals = receiving.filter {
      $0.direction == .inbound && $0.isOfSubscription && !received.contains($0)
    }
    var found: [SharedStanza] = []
    for stanza in arrivals {
      let index =
        clocks.shared == 0 && open.map(\.kind) == arrivals.dropFirst(found.count).map(\.kind)
        // Nothing aligns the clocks, but the two lists are the same.
        ? open.startIndex
        : open.lastIndex { other in
          other.kind == stanza.kind
            && clocks.mayFollow(stanza.stamp, other.stamp, sentBy: sender)
        }
      guard let index, index < open.endIndex else { continue }
      found.append(SharedStanza(sender: sender, sent: open[index], received: stanza))
      open.remove(at: index)
    }
    return found
  }
}

/// What a stanza has at both ends.
private struct StanzaContent: Hashable {
  let kind: ExchangedStanza.Kind
  let id: String?
  let text: String

  init(_ stanza: ExchangedStanza) {
    (kind, id, text) = (stanza.kind, stanza.id, stanza.text)
  }
}

extension SharedStanza {
  /// The time at which it was sent, by the clock of the first log.
  fileprivate func order(_ clocks: ClockAlignment) -> Int64 {
    let time = sent.stamp.time ?? .min
    return sender == .first ? time : time.shifted(by: clocks.offset)
  }
}
