import XMPPStanza

/// Evidence in an element for its direction, independent of the words of its log.
struct SpeakerEvidence: Equatable {
  enum Strength: Equatable {
    /// Only that side of a stream ever sends such an element.
    case proof
    /// The other side sends such an element only by mistake, or to deceive.
    case sign
    /// Some programs of the other side send such an element.
    case hint
    /// That side usually sends such an element; not sufficient by itself.
    case habit
  }

  /// The direction as the client sees it.
  let direction: Direction
  let strength: Strength

  /// Examines a top-level element; nil if either side may have sent it.
  ///
  /// The negotiation of a stream has fixed roles (RFC 6120 §4.3, §5.4, §6.4, §7.6; XEP-0198,
  /// XEP-0352, XEP-0388). A server adds `from` to stanzas that it forwards (RFC 6120 §8.1.2.1), so
  /// a contact cannot send anything that counts as proof.
  init?(_ node: XMPPElement) {
    let local = node.name.local
    switch node.name.namespace {
    case Namespace.client:
      guard let found = Self.stanza(node, local) else { return nil }
      self = found
    case Self.framing: self.init(header: node)
    case Namespace.streams:
      guard local == "features" else { return nil }
      self.init(.inbound, .proof)
    case Namespace.sasl, Namespace.sasl2, Namespace.streamManagement,
      Namespace.streamManagement2, "urn:ietf:params:xml:ns:xmpp-tls", "urn:xmpp:csi:0":
      if Self.clientOnly.contains(local) {
        self.init(.outbound, .proof)
      } else if Self.serverOnly.contains(local) {
        self.init(.inbound, .proof)
      } else {
        return nil
      }
    default: return nil
    }
  }

  /// Examines the header of a stream: only a server's has an id (RFC 6120 §4.7.3).
  init?(header node: XMPPElement) {
    if node.attribute("id") != nil {
      self.init(.inbound, .sign)
    } else if node.attribute("to") != nil {
      self.init(.outbound, .sign)
    } else {
      return nil
    }
  }

  private init(_ direction: Direction, _ strength: Strength) {
    (self.direction, self.strength) = (direction, strength)
  }

  /// The namespace of the elements that replace a stream header over WebSocket (RFC 7395 §3.3).
  static let framing = "urn:ietf:params:xml:ns:xmpp-framing"
  private static let clientOnly: Set<String> = [
    "auth", "response", "abort", "authenticate", "starttls", "enable", "resume", "active",
    "inactive",
  ]
  private static let serverOnly: Set<String> = [
    "challenge", "success", "continue", "failure", "proceed", "enabled", "resumed", "failed",
  ]

  private static func stanza(_ node: XMPPElement, _ local: String) -> SpeakerEvidence? {
    let type = node.attribute("type")
    switch local {
    case "iq": return query(node, type)
    case "presence", "message":
      guard node.attribute("from") == nil else { return SpeakerEvidence(.inbound, .habit) }
      guard type != "error" else { return nil }
      guard let to = node.attribute("to") else {
        return local == "presence" ? SpeakerEvidence(.outbound, .habit) : nil
      }
      // A server sends no presence without a sender, and no message except its own, which may be
      // addressed to a session.
      guard local == "message" else { return SpeakerEvidence(.outbound, .sign) }
      return SpeakerEvidence(.outbound, isBare(to) ? .hint : .habit)
    default: return nil
    }
  }

  private static func query(_ node: XMPPElement, _ type: String?) -> SpeakerEvidence? {
    let hasNoSender = node.attribute("from") == nil
    if let bind = node.child("bind", in: Namespace.bind) {
      guard hasNoSender else { return nil }
      let hasAddress = bind.child("jid", in: Namespace.bind) != nil
      switch type {
      case "set" where !hasAddress: return SpeakerEvidence(.outbound, .proof)
      case "result" where hasAddress: return SpeakerEvidence(.inbound, .proof)
      default: return nil
      }
    }
    guard let query = node.child("query", in: Namespace.roster) else { return nil }
    switch type {
    case "get": return hasNoSender ? SpeakerEvidence(.outbound, .proof) : nil
    case "result":
      // Some clients answer a push with an empty query.
      let item = query.child("item", in: Namespace.roster)
      let isRoster = item != nil || query.attribute("ver") != nil
      return isRoster ? SpeakerEvidence(.inbound, .sign) : nil
    case "set":
      guard hasNoSender || node.attribute("from").map(isBare) == true,
        let item = query.child("item", in: Namespace.roster)
      else { return nil }
      // RFC 6121 §2.1.2.2, §2.1.6 and §2.6.1: only the server sends these, and only its pushes are
      // addressed to a session.
      let isToSession = node.attribute("to").map(isBare) == false
      if isToSession || query.attribute("ver") != nil || item.attribute("ask") != nil {
        return SpeakerEvidence(.inbound, .sign)
      }
      // §2.1.2.5: clients should not, but some do.
      let subscription = item.attribute("subscription")
      return subscription != nil && subscription != "remove"
        ? SpeakerEvidence(.inbound, .hint) : nil
    default: return nil
    }
  }

  private static func isBare(_ address: String) -> Bool {
    !address.utf8.contains(UInt8(ascii: "/"))
  }
}
