import XMPPStanza

// A friend who leaves: the contact's own stanza and the push that shows its effect have met.
extension Reduction {
  /// The contact ends a subscription, or we do, or we remove the contact: what the contact sends
  /// next is part of it.
  mutating func endBegan(_ number: ContactNumber) {
    let now = stamp
    roster.contacts.updateDetails(of: number) { $0.expected.lastEnding = now }
  }

  /// A new subscription begins, and what ends it is not part of the earlier ending.
  mutating func endIsPast(_ number: ContactNumber) {
    guard roster.contacts.expected(of: number).lastEnding != nil else { return }
    roster.contacts.updateDetails(of: number) { $0.expected.lastEnding = nil }
  }

  /// Whether a subscription with the contact has just ended: what the contact sends then, perhaps
  /// by itself, is part of that, even if the roster shows nothing more that it could end.
  func isEnding(_ number: ContactNumber) -> Bool {
    roster.contacts.expected(of: number).lastEnding.map { !$0.isLongBefore(stamp) } ?? false
  }

  /// Reports that a contact ended a subscription, once for both directions.
  ///
  /// - Parameters:
  ///   - before: The subscription that the stanza ended.
  ///   - after: What the server shows now.
  ///   - record: The contact's stanza.
  mutating func reportFriendLeft(
    _ effect: SubscriptionEffect, _ number: ContactNumber, from before: RosterSubscription,
    to after: RosterSubscription, by record: UInt64
  ) {
    let isEnd =
      switch effect {
      case .weNoLongerSee: before.includesTo && !after.includesTo
      case .itNoLongerSees: before.includesFrom && !after.includesFrom
      case .weSee, .itSees, .weAsk, .weApprove: false
      }
    guard isEnd else { return }
    let jid = roster.contacts.address(of: number)
    guard !isEnding(number), !roster.sessions.hasRemoval(of: jid) else { return }
    endBegan(number)
    let kind = effect.kind(isOurs: false)
    report(.subscription(.friendLeft(kind, from: before, to: after)), about: jid, cause: record)
  }
}
