public import ContactSections
public import RosterCore
public import XMPPStanza

extension Roster {
  /// The contacts that are friends, by address. Complexity: O(n log n).
  ///
  /// - Parameter policy: Which contacts are friends.
  public func friends(by policy: SectionPolicy.Friends = .mutual) -> [RosterItem] {
    sortedItems.filter { policy.includes($0.subscription) }
  }
}

/// Whether a contact became a friend, or is one no longer.
public enum FriendChange: Hashable, Sendable {
  /// The contact is a friend from now on.
  case gained(BareJID)
  /// The contact is no friend any more: its item is gone, or its subscription is another.
  case lost(BareJID)
}

extension RosterOutcome {
  /// The friends that the changes brought or took, in the order of the changes.
  ///
  /// Many changes are nothing of the kind: a subscription that becomes “to” makes a friend by one
  /// policy and not by another.
  ///
  /// - Parameter policy: Which contacts are friends.
  ///
  /// Complexity: linear in the changes.
  public func friendChanges(by policy: SectionPolicy.Friends = .mutual) -> [FriendChange] {
    changes.compactMap { change in
      guard let contact = change.contact,
        let (before, after) = change.values.subscriptions
      else { return nil }
      let (was, now) = (
        before.map { policy.includes($0) } ?? false, after.map { policy.includes($0) } ?? false
      )
      if was == now { return nil }
      return now ? .gained(contact) : .lost(contact)
    }
  }
}

extension FieldValues {
  /// The subscriptions before and after the change, each nil without an item; nil if the change is
  /// about something else.
  fileprivate var subscriptions: (before: RosterSubscription?, after: RosterSubscription?)? {
    switch self {
    case .item(let before, let after): (before?.subscription, after?.subscription)
    case .subscription(let before, let after): (before, after)
    case .account, .connected, .connection, .completeness, .version, .blockedKnown, .ownPresence,
      .name, .ask, .approved, .groups, .request, .outgoing, .presence, .blocked, .nickname, .vCard,
      .starred, .reading, .note:
      nil
    }
  }
}
