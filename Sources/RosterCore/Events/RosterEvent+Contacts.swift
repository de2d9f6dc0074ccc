package import XMPPStanza

extension RosterEvent {
  /// One of the contacts that an event names; nil where it names none.
  package var someContact: BareJID? {
    guard case .stanza(let event) = self else { return nil }
    return switch event {
    case .availableReceived(let from, _), .unavailableReceived(let from): from.bare
    case .subscriptionReceived(let stanza), .subscriptionSent(let stanza): stanza.contact
    case .setSent, .pushReceived, .answerReceived, .blocked, .unblocked, .nicknamePublished,
      .vCardPublished:
      contacts.first
    case .querySent, .answerSent, .presenceSent, .rejected: nil
    }
  }

  /// Whether `someContact` is the only one.
  package var hasOneContact: Bool {
    guard case .stanza(let event) = self else { return false }
    return switch event {
    case .availableReceived, .unavailableReceived, .subscriptionReceived, .subscriptionSent,
      .nicknamePublished, .vCardPublished:
      true
    case .setSent, .pushReceived, .answerReceived, .blocked, .unblocked: contacts.count == 1
    case .querySent, .answerSent, .presenceSent, .rejected: false
    }
  }

  /// The contacts that an event names, in no order, and some perhaps twice.
  package var contacts: [BareJID] {
    guard case .stanza(let event) = self else { return [] }
    switch event {
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
