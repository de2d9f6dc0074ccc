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
  /// Whether it was stored on the way, or sent again later (XEP-0203).
  package var isDelayed: Bool

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
    isDelayed = node.child("delay", in: Namespace.delay) != nil
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
  /// Returns the stanzas that two logs both have: those that an id identifies, and subscription
  /// stanzas without one or whose id a server changed, each with the last one of its kind that was
  /// sent before it.
  ///
  /// Presence is sent again to each session that begins, and clients count their ids from 1, so the
  /// clocks are aligned by messages and subscription stanzas if there are any. No stanza is kept
  /// that would have arrived before it was sent.
  ///
  /// - Parameters:
  ///   - first: The stanzas of one log, in order.
  ///   - second: The stanzas of the other, in order.
  /// - Returns: The stanzas, and how the clocks of the two logs are aligned by them.
  ///
  /// Complexity: O(n log n) in the stanzas, and quadratic in other subscription stanzas.
  package static func matching(
    _ first: [ExchangedStanza], _ second: [ExchangedStanza]
  ) -> (shared: [SharedStanza], clocks: ClockAlignment) {
    let likely = identified(first, second, .first) + identified(second, first, .second)
    // The last one that was received says the least, so it is no wrong bound.
    let bounds = likely.compactMap { stanza in
      stanza.received.last.map {
        SharedStanza(sender: stanza.sender, sent: stanza.sent, received: $0)
      }
    }
    let strong = bounds.filter { $0.sent.kind == .message || $0.sent.isOfSubscription }
    let clocks = ClockAlignment(strong.isEmpty ? bounds : strong)
    var shared = likely.compactMap { stanza in
      stanza.received.first {
        clocks.mayFollow($0.stamp, stanza.sent.stamp, sentBy: stanza.sender)
      }.map { SharedStanza(sender: stanza.sender, sent: stanza.sent, received: $0) }
    }
    for sender in PairEnd.allCases {
      let (sending, receiving) = sender == .first ? (first, second) : (second, first)
      let known = shared.filter { $0.sender == sender }
      shared += unidentified(sending, receiving, sender, besides: known, clocks)
    }
    shared.sort { $0.precedes($1, clocks) }
    return (shared, clocks)
  }

  /// Returns the stanzas whose kind, id and text one end sent once, each with those like it that
  /// the other received.
  private static func identified(
    _ sending: [ExchangedStanza], _ receiving: [ExchangedStanza], _ sender: PairEnd
  ) -> [LikelyStanza] {
    func byContent(
      _ stanzas: [ExchangedStanza], _ direction: Direction
    ) -> [StanzaContent: [ExchangedStanza]] {
      Dictionary(
        grouping: stanzas.filter { $0.direction == direction && $0.id != nil },
        by: StanzaContent.init)
    }
    let received = byContent(receiving, .inbound)
    return byContent(sending, .outbound).compactMap { key, sent in
      guard sent.count == 1, let received = received[key] else { return nil }
      return LikelyStanza(sender: sender, sent: sent[0], received: received)
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
      func isLike(_ other: ExchangedStanza, within error: Int64? = nil) -> Bool {
        other.kind == stanza.kind
          && clocks.mayFollow(stanza.stamp, other.stamp, sentBy: sender, within: error)
      }
      // Clocks that nothing aligns may be a little apart. Stanzas arrive in order.
      let index =
        open.lastIndex { isLike($0) }
        ?? (clocks.uncertainty == nil
          ? open.firstIndex { isLike($0, within: EndsComparison.settling) } : nil)
      guard let index else { continue }
      found.append(SharedStanza(sender: sender, sent: open[index], received: stanza))
      open.remove(at: index)
    }
    return found
  }
}

/// A stanza of one end, and those that the other received that look like it.
private struct LikelyStanza {
  let sender: PairEnd
  let sent: ExchangedStanza
  let received: [ExchangedStanza]
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
  /// Whether it was sent before another one; at the same time, the first end's and then the earlier
  /// record come first.
  fileprivate func precedes(_ other: SharedStanza, _ clocks: ClockAlignment) -> Bool {
    func order(_ stanza: SharedStanza) -> (Int64, Int, UInt64) {
      let (stamp, isFirst) = (stanza.sent.stamp, stanza.sender == .first)
      let time = stamp.time ?? .min
      return (isFirst ? time : time.shifted(by: clocks.offset), isFirst ? 0 : 1, stamp.record)
    }
    return order(self) < order(other)
  }
}
