package import XMPPStanza

extension RosterEvent {
  /// The contacts that an event names, in no order, and some perhaps twice.
  package var contacts: [BareJID] {
    switch self {
    case .session: []
    case .stanza(let event): event.contacts
    case .annotation(let annotation): annotation.contacts
    }
  }
}

extension StanzaEvent {
  fileprivate var contacts: [BareJID] {
    switch self {
    case .setSent(let set): return set.query.contacts
    case .pushReceived(let push): return push.query.contacts
    case .answerReceived(let answer):
      switch answer.payload {
      case .roster(let query): return query.contacts
      case .blockList(let jids): return jids.map(\.bare)
      case .nothing, .other, .vCard, .nickname, .error: return []
      }
    case .subscriptionReceived(let stanza), .subscriptionSent(let stanza):
      return [stanza.contact]
    case .availableReceived(let from, _), .unavailableReceived(let from): return [from.bare]
    case .blocked(_, let jids), .unblocked(_, let jids): return jids.map(\.bare)
    case .nicknamePublished(let jid, _), .vCardPublished(let jid, _): return [jid]
    case .querySent, .answerSent, .presenceSent, .rejected: return []
    }
  }
}

extension RosterQuery {
  fileprivate var contacts: [BareJID] { items.map(\.jid) }
}
