import XMPPStanza

/// What a get or a result can hold that means something to the roster: a direct child of the
/// stanza, told by its name.
enum IQPayload: Sendable {
  /// RFC 6120 §7.
  case bind
  /// RFC 6121 §2.1.
  case roster
  /// XEP-0191.
  case blockList
  /// XEP-0054.
  case vCard
  /// XEP-0292.
  case vCard4
  /// What is asked for of a node, or published there (XEP-0060): a nickname or a vCard.
  case published

  /// What a result can hold. Of several, the first in this order counts.
  static let answered: [IQPayload] = [.bind] + asked
  /// What a get of ours can ask for, likewise.
  static let asked: [IQPayload] = [.roster, .blockList, .vCard, .vCard4, .published]

  private var local: WantedName {
    switch self {
    case .bind: "bind"
    case .roster: "query"
    case .blockList: "blocklist"
    case .vCard: "vCard"
    case .vCard4: "vcard"
    case .published: "pubsub"
    }
  }

  private var namespace: String {
    switch self {
    case .bind: Namespace.bind
    case .roster: Namespace.roster
    case .blockList: Namespace.blocking
    case .vCard: Namespace.vCard
    case .vCard4: Namespace.vCard4
    case .published: Namespace.pubsub
    }
  }

  /// Returns the one that counts of those that a stanza holds, with its element; nil if it holds
  /// none of them.
  static func first(
    of payloads: [IQPayload], in stanza: XMPPElement
  ) -> (payload: IQPayload, element: XMPPElement)? {
    for payload in payloads {
      if let child = stanza.child(payload.local, in: payload.namespace) { return (payload, child) }
    }
    return nil
  }
}
