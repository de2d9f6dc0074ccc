import XMPPStanza

// Undoing a change.
extension RosterChange {
  /// The command that takes the change back, for a change that a command can take back; nil for
  /// all others, such as what a contact did, and a removal: who was removed has to consent again.
  ///
  /// The inverse of an addition removes the contact. It is decided on the roster as it is then, so
  /// look at what has changed since before an old change is taken back.
  public var inverse: RosterCommand? {
    if case .blocked(let jid, let before, _) = values {
      return before ? .block(jid) : .unblock(jid)
    }
    guard let contact else { return nil }
    return switch values {
    case .item(nil, _?): .remove(contact)
    case .name(let before, _): .rename(contact, to: before)
    case .groups(let before, _): .setGroups(contact, before)
    case .approved(let before, _): before ? .preApprove(contact) : .revoke(contact)
    case .outgoing(nil, _?): .cancel(contact)
    case .item, .outgoing, .account, .connected, .connection, .completeness, .version,
      .blockedKnown, .ownPresence, .subscription, .ask, .request, .presence, .blocked, .nickname,
      .vCard, .starred, .reading, .note:
      nil
    }
  }

  /// The annotation that takes the change back, for what only the user sets; nil for all others.
  public var inverseAnnotation: RosterAnnotation? {
    guard let contact else { return nil }
    return switch values {
    case .starred(let before, _): .starred(contact, before)
    case .reading(let before, _): .reading(contact, before)
    case .note(let before, _): .note(contact, before)
    case .item, .outgoing, .account, .connected, .connection, .completeness, .version,
      .blockedKnown, .ownPresence, .subscription, .ask, .request, .presence, .blocked, .nickname,
      .vCard, .name, .groups, .approved:
      nil
    }
  }
}
