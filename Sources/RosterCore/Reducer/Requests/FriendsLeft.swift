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
    leavingIsOver(number)
    guard roster.contacts.expected(of: number).lastEnding != nil else { return }
    roster.contacts.updateDetails(of: number) { $0.expected.lastEnding = nil }
  }

  /// Whether a subscription with the contact has just ended: what the contact sends then, perhaps
  /// by itself, is part of that, even if the roster shows nothing more that it could end.
  func isEnding(_ number: ContactNumber) -> Bool {
    roster.contacts.expected(of: number).lastEnding.map { !$0.isLongBefore(stamp) } ?? false
  }

  /// The server shows the effect of a stanza by which a contact ended a subscription. Both
  /// directions are one finding, which is reported once the contact has ended both, or a minute
  /// after the first.
  ///
  /// - Parameters:
  ///   - before: The subscription that the stanza ended.
  ///   - after: What the server shows now; nil if it has removed the contact.
  ///   - record: The contact's stanza.
  mutating func friendLeft(
    _ effect: SubscriptionEffect, _ number: ContactNumber, from before: RosterSubscription,
    to after: RosterSubscription?, by record: UInt64
  ) {
    let rest = after ?? RosterSubscription.none
    let isEnd =
      switch effect {
      case .weNoLongerSee: before.includesTo && !rest.includesTo
      case .itNoLongerSees: before.includesFrom && !rest.includesFrom
      case .weSee, .itSees, .weAsk, .weApprove: false
      }
    guard isEnd else { return }
    let jid = roster.contacts.address(of: number)
    if let known = roster.leavings.firstIndex(where: { $0.contact == jid }) {
      if roster.leavings[known].effect != effect { roster.leavings[known].other = record }
    } else {
      guard !isEnding(number), !roster.sessions.hasRemoval(of: jid) else { return }
      endBegan(number)
      if roster.leavings.count >= Leaving.limit { report(leavingAt: 0) }
      roster.leavings.append(
        Leaving(
          contact: jid, effect: effect, stanza: record, before: before, stamp: stamp,
          connection: session.connection, device: session.resource))
    }
    guard let index = roster.leavings.firstIndex(where: { $0.contact == jid }),
      roster.leavings[index].isOver(at: rest)
    else { return }
    report(leavingAt: index, as: after)
  }

  /// A new subscription begins or the contact leaves the roster, so that a contact that was leaving
  /// has left.
  ///
  /// - Parameter isRemoved: Whether the contact leaves the roster.
  mutating func leavingIsOver(_ number: ContactNumber, isRemoved: Bool = false) {
    guard !roster.leavings.isEmpty else { return }
    let jid = roster.contacts.address(of: number)
    guard let index = roster.leavings.firstIndex(where: { $0.contact == jid }) else { return }
    if isRemoved {
      report(leavingAt: index, as: nil)
    } else {
      report(leavingAt: index)
    }
  }

  /// Reports the contacts that have ended one direction and not the other in time.
  mutating func reportSettledLeavings() {
    while let index = roster.leavings.firstIndex(where: { $0.stamp.isLongBefore(stamp) }) {
      report(leavingAt: index)
    }
  }

  /// The log ends: nothing more comes of those who have left.
  mutating func reportLeavings() {
    while !roster.leavings.isEmpty { report(leavingAt: 0) }
  }

  /// Reports a contact that left, as the roster shows it.
  private mutating func report(leavingAt index: Int) {
    let number = roster.contacts.insert(roster.leavings[index].contact)
    report(leavingAt: index, as: roster.contacts.item(of: number)?.subscription)
  }

  private mutating func report(leavingAt index: Int, as after: RosterSubscription?) {
    let leaving = roster.leavings.remove(at: index)
    report(
      .subscription(
        .friendLeft(
          leaving.effect.kind(isOurs: false), other: leaving.other, from: leaving.before,
          to: after)),
      about: leaving.contact, cause: leaving.stanza,
      by: .connection(leaving.connection, leaving.device))
  }
}
