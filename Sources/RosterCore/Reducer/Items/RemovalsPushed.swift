import XMPPStanza

// Pushes that remove a contact: because a set of ours asked for it, because the contact has left,
// or because another device or the server did it. Some servers take a contact out when the
// subscription has ended, instead of showing it as “none”, and the contact's stanzas come before
// that push or after it.
extension Reduction {
  mutating func removalPushed(_ number: ContactNumber) {
    guard let old = roster.contacts.item(of: number), !isRemovalOurs(number) else {
      return itemRemoved(number)
    }
    let sent = endingsJustSent(by: number)
    let isPartOfEnding = !sent.isEmpty || hasJustEnded(number)
    let coming = isPartOfEnding ? roster.contacts.expected(of: number).stanzas : []
    for stanza in sent {
      stanzaShown(stanza, of: number)
      friendLeft(stanza.effect, number, from: old.subscription, to: nil, by: stanza.stamp.record)
    }
    itemRemoved(number, isPartOfEnding: isPartOfEnding)
    expectStanzas(afterRemovalOf: number, old, besides: coming, except: sent.map(\.effect))
    guard !isPartOfEnding, !roster.isInboundOnly, !isFragment else { return }
    if roster.removals.count >= UnaskedRemoval.limit { report(roster.removals.removeFirst()) }
    roster.removals.append(
      UnaskedRemoval(
        contact: roster.contacts.address(of: number), stamp: stamp,
        connection: session.connection, device: session.resource))
  }

  /// Whether a set of ours that is not settled asked for the removal of a contact.
  func isRemovalOurs(_ number: ContactNumber) -> Bool {
    let jid = roster.contacts.address(of: number)
    return roster.sessions.hasRemoval(of: jid)
      || roster.abandonedEdits.contains { $0.edit.contact == jid && $0.edit.after == nil }
  }

  /// The stanzas by which the contact has just ended a subscription, and whose effect no push has
  /// shown.
  private func endingsJustSent(by number: ContactNumber) -> [Expectation] {
    roster.contacts.expected(of: number).pushes.filter {
      !$0.isOurs && $0.effect.endsSubscription
        && !$0.stamp.isLongBefore(stamp, Timeout.answersCross)
    }
  }

  /// Whether the end of a subscription has just been shown or asked for.
  private func hasJustEnded(_ number: ContactNumber) -> Bool {
    guard let last = roster.contacts.expected(of: number).lastEnding else { return false }
    return !last.isLongBefore(stamp, Timeout.answersCross)
  }

  /// The contact's stanza has come, and explains its removal.
  mutating func removalExplained(of number: ContactNumber) {
    guard !roster.removals.isEmpty else { return }
    let jid = roster.contacts.address(of: number)
    roster.removals.removeAll { $0.contact == jid }
  }

  /// Reports removals whose explanation would have come by now.
  mutating func reportUnexplainedRemovals() {
    while let first = roster.removals.first,
      first.stamp.isLongBefore(stamp, Timeout.answersCross)
    {
      report(roster.removals.removeFirst())
    }
  }

  /// The log ends: nothing more comes that could explain them.
  mutating func reportRemovals() {
    while !roster.removals.isEmpty { report(roster.removals.removeFirst()) }
  }

  private mutating func report(_ removal: UnaskedRemoval) {
    let number = roster.contacts.insert(removal.contact)
    if roster.contacts.item(of: number) == nil {
      // What the contact sends from now on is its answer to the removal.
      forgetExpectedCounterparts(of: number)
      endBegan(number)
    }
    report(
      .item(.removedElsewhere), about: removal.contact, cause: removal.stamp.record,
      by: .connection(removal.connection, removal.device))
  }
}

extension SubscriptionEffect {
  /// Whether it ends a subscription.
  fileprivate var endsSubscription: Bool {
    switch self {
    case .weNoLongerSee, .itNoLongerSees: true
    case .weSee, .itSees, .weAsk, .weApprove: false
    }
  }
}
