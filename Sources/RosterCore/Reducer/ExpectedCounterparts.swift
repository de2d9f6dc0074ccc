import XMPPStanza

// A contact's stanza and the push that shows its effect come in either order: servers differ
// (§3.1.6, §3.2.3 and §3.3.3 leave it open). Whichever comes second is no surprise.
extension Reduction {
  /// Whether a push has shown the effect of this stanza already, so that it was to be expected. It
  /// is expected no more.
  mutating func isExpected(_ kind: SubscriptionKinds, of number: ContactNumber) -> Bool {
    guard roster.contacts.expected(of: number).stanzas.contains(kind) else {
      return false
    }
    roster.contacts.updateDetails(of: number) { details in
      _ = details.expected.stanzas.remove(kind)
    }
    return true
  }

  /// A stanza of the contact, or the counterpart of one of ours, waits for its push.
  mutating func expectPush(showing kind: SubscriptionKinds, of number: ContactNumber) {
    roster.contacts.updateDetails(of: number) { details in
      _ = details.expected.pushes.insert(kind)
    }
  }

  /// The server shows a new state: whatever stanza made it so has come already or may still come.
  mutating func expectCounterparts(
    of number: ContactNumber, from old: ItemRow?, to new: StoredFields, isPush: Bool
  ) {
    // What a whole roster shows for the first time has its story before the log.
    guard isPush || old != nil else { return }
    let before = old?.subscription ?? .none
    var shown: SubscriptionKinds = []
    if new.subscription.includesTo {
      if !before.includesTo { shown.insert(.subscribed) }
    } else if before.includesTo || (old?.isPending == true && !new.isPending) {
      shown.insert(.unsubscribed)
    }
    if before.includesFrom, !new.subscription.includesFrom { shown.insert(.unsubscribe) }
    guard !shown.isEmpty else { return }
    roster.contacts.updateDetails(of: number) { details in
      details.expected.stanzas.formUnion(shown.subtracting(details.expected.pushes))
      details.expected.pushes.subtract(shown)
    }
  }

  mutating func forgetExpectedCounterparts(of number: ContactNumber) {
    guard !roster.contacts.expected(of: number).isEmpty else { return }
    roster.contacts.updateDetails(of: number) { $0.expected = ExpectedCounterparts() }
  }

  /// A new session: nothing of the old one is still to come.
  mutating func forgetExpectedCounterparts() {
    for number in roster.contacts.members(.expected) {
      forgetExpectedCounterparts(of: number)
    }
  }
}
