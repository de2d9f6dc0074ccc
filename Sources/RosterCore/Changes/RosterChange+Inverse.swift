import XMPPStanza

// Undoing a change.
extension RosterChange {
  /// The command that takes the change back, for a change that a command can take back; nil for
  /// all others, such as what a contact did, a removal, because the contact has to consent again,
  /// and an approval, which ends a subscription if the contact has used it since.
  ///
  /// A change does not say who made it: the inverse of an addition removes the contact, also for
  /// each item of the first roster and for what another device added. `RosterOutcome.inverses` has
  /// only what was asked for. A command is decided on the roster as it is then, so look at what has
  /// changed since before an old change is taken back.
  public var inverse: RosterCommand? {
    if case .blocked(let jid, let before, _) = values {
      return before ? .block(jid) : .unblock(jid)
    }
    guard let contact else { return nil }
    return switch values {
    case .item(nil, _?): .remove(contact)
    case .name(let before, _): .rename(contact, to: before)
    case .groups(let before, _): .setGroups(contact, before)
    case .approved(true, _): .preApprove(contact)
    case .outgoing(nil, _?): .cancel(contact)
    case .item, .outgoing, .approved, .account, .connected, .connection, .completeness, .version,
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

extension RosterOutcome {
  /// The commands that take back what this record shows because we asked for it, by a set, by
  /// blocking or by an answer to a contact: the entries of an undo list.
  ///
  /// Complexity: linear in the changes, for each request of ours that they show.
  public var inverses: [RosterCommand] {
    let asked = originsOfChanges.filter(\.isOurs)
    return changes.filter { change in
      asked.contains { $0.contact == change.contact && $0.explains(change.field) }
    }
    .compactMap(\.inverse)
  }
}

extension ChangeOrigin {
  fileprivate var isOurs: Bool {
    switch kind {
    case .edit, .ownStanza, .blocking: true
    case .contactStanza: false
    }
  }
}
