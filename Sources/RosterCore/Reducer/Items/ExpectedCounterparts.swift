import XMPPStanza

// A contact's stanza and the push that shows its effect come in either order, because servers
// differ and RFC 6121 §3.1.6, §3.2.3 and §3.3.3 leave it open. The one that comes second is
// expected, and each of them is part of the story of the other.
extension Reduction {
  /// Takes the push that has already shown the effect of the contact's stanza that comes now; nil
  /// if none has.
  mutating func takePush(showing effect: SubscriptionEffect, of number: ContactNumber)
    -> Expectation?
  {
    let waiting = roster.contacts.expected(of: number).stanzas
    guard let index = waiting.firstIndex(where: { $0.effect == effect }) else { return nil }
    roster.contacts.updateDetails(of: number) { _ = $0.expected.stanzas.remove(at: index) }
    // A push of long ago cannot be what the stanza caused.
    guard !waiting[index].stamp.isLongBefore(stamp) else { return waiting[index] }
    noteOrigin(
      .contactStanza(effect.kind(isOurs: false)), cause: stamp.record,
      effect: waiting[index].stamp.record, of: number)
    removalExplained(of: number)
    friendLeft(
      effect, number, from: waiting[index].before,
      to: roster.contacts.item(of: number)?.subscription, by: stamp.record)
    return waiting[index]
  }

  /// Adds a stanza of the contact, or one of ours, whose effect a push is expected to show.
  mutating func expectPush(
    showing effect: SubscriptionEffect, of number: ContactNumber, isOurs: Bool
  ) {
    let new = expectation(effect, of: number, isOurs: isOurs)
    let known = roster.contacts.expected(of: number).pushes.first { $0.effect == effect }
    // What the contact sends next is its answer to what we sent, or a repetition.
    if let known, known.isOurs || !isOurs, !known.stamp.isLongBefore(stamp) { return }
    roster.contacts.updateDetails(of: number) { details in
      details.expected.pushes.removeAll { $0.effect == effect }
      details.expected.pushes.append(new)
    }
  }

  private func expectation(
    _ effect: SubscriptionEffect, of number: ContactNumber, isOurs: Bool
  ) -> Expectation {
    Expectation(
      effect: effect, isOurs: isOurs, stamp: stamp, connection: session.connection,
      device: session.resource,
      before: roster.contacts.item(of: number)?.subscription ?? .none)
  }

  /// The server shows a new item: the stanzas that caused it have arrived or may still arrive.
  mutating func expectCounterparts(
    of number: ContactNumber, from old: ItemRow?, to new: StoredFields, _ source: ItemSource
  ) {
    // The changes that a whole roster shows for the first time were before the log.
    guard source.isPush || old != nil || roster.contacts.hasDetails(number) else { return }
    let shown = SubscriptionEffect.shown(from: old, to: new)
    if source.isPush { forgetOldStanzas(of: number) }
    if shown.contains(.weSee) || shown.contains(.itSees) { endIsPast(number) }
    let expected = roster.contacts.expected(of: number)
    guard !shown.isEmpty || !expected.pushes.isEmpty else { return }
    for effect in shown {
      if let stanza = expected.pushes.first(where: { $0.effect == effect }) {
        stanzaShown(stanza, of: number)
        if !stanza.isOurs, let old {
          friendLeft(
            effect, number, from: old.subscription, to: new.subscription,
            by: stanza.stamp.record)
        }
      } else if effect.isOfContact, source.isPush || old != nil {
        let push = expectation(effect, of: number, isOurs: false)
        roster.contacts.updateDetails(of: number) { details in
          details.expected.stanzas.removeAll { $0.effect == effect }
          details.expected.stanzas.append(push)
        }
      }
    }
    forgetStanzas(decidedBy: source, of: number)
  }

  /// The server shows the effect of a stanza, which explains that.
  mutating func stanzaShown(_ stanza: Expectation, of number: ContactNumber) {
    roster.contacts.updateDetails(of: number) { details in
      details.expected.pushes.removeAll { $0.effect == stanza.effect }
    }
    let kind = stanza.effect.kind(isOurs: stanza.isOurs)
    noteOrigin(
      stanza.isOurs ? .ownStanza(kind) : .contactStanza(kind), cause: stanza.stamp.record,
      of: number, connection: stanza.connection, device: stanza.device)
  }

  /// A push comes soon after its stanza, or never: the server did not take the stanza.
  private mutating func forgetOldStanzas(of number: ContactNumber) {
    let now = stamp
    forgetStanzas(of: number) { $0.stamp.isLongBefore(now) }
  }

  /// A roster that was asked for after a stanza would show its effect.
  private mutating func forgetStanzas(decidedBy source: ItemSource, of number: ContactNumber) {
    guard case .result(let asked?) = source else { return }
    forgetStanzas(of: number) { $0.stamp.record < asked }
  }

  private mutating func forgetStanzas(
    of number: ContactNumber, where isOver: (Expectation) -> Bool
  ) {
    guard roster.contacts.expected(of: number).pushes.contains(where: isOver) else { return }
    roster.contacts.updateDetails(of: number) { $0.expected.pushes.removeAll(where: isOver) }
  }

  /// The server has taken a contact out that we did not remove: the contact's stanzas, by which it
  /// ended a subscription or denied our request, may still arrive.
  ///
  /// - Parameters:
  ///   - old: The item before.
  ///   - coming: The stanzas that earlier pushes have already shown the effect of.
  ///   - sent: The effects of stanzas that have come.
  mutating func expectStanzas(
    afterRemovalOf number: ContactNumber, _ old: ItemRow, besides coming: [Expectation] = [],
    except sent: [SubscriptionEffect] = []
  ) {
    var stanzas = coming
    for effect in [SubscriptionEffect.weNoLongerSee, .itNoLongerSees]
    where old.isEnded(by: effect) && !sent.contains(effect)
      && !coming.contains(where: { $0.effect == effect })
    {
      var stanza = expectation(effect, of: number, isOurs: false)
      stanza.before = old.subscription
      stanzas.append(stanza)
    }
    guard !stanzas.isEmpty else { return }
    roster.contacts.updateDetails(of: number) { $0.expected.stanzas = stanzas }
  }

  /// The contact leaves the roster. If we ended that, what it sends next is still part of it.
  mutating func forgetExpectedCounterparts(of number: ContactNumber) {
    let expected = roster.contacts.expected(of: number)
    guard !expected.stanzas.isEmpty || !expected.pushes.isEmpty else { return }
    roster.contacts.updateDetails(of: number) {
      $0.expected = ExpectedCounterparts(lastEnding: expected.lastEnding)
    }
  }

  /// All sessions are over: no stanza of them is still to come. The next roster shows what came of
  /// those that have come.
  mutating func forgetExpectedCounterparts() {
    for number in roster.contacts.members(.expected) {
      roster.contacts.updateDetails(of: number) { $0.expected.stanzas = [] }
    }
  }
}

extension ItemRow {
  /// Whether an effect takes something from the item that a contact can end: a subscription, or our
  /// request.
  fileprivate func isEnded(by effect: SubscriptionEffect) -> Bool {
    switch effect {
    case .weNoLongerSee: subscription.includesTo || isPending
    case .itNoLongerSees: subscription.includesFrom
    case .weSee, .itSees, .weAsk, .weApprove: false
    }
  }
}

extension SubscriptionEffect {
  /// Whether only a stanza of the contact has it, or ours and its answer.
  fileprivate var isOfContact: Bool {
    switch self {
    case .weSee, .weNoLongerSee, .itNoLongerSees: true
    case .itSees, .weAsk, .weApprove: false
    }
  }

  /// What the server shows by a new item in place of an old one.
  fileprivate static func shown(from old: ItemRow?, to new: StoredFields) -> [Self] {
    let before = old?.subscription ?? .none
    let (wasPending, wasApproved) = (old?.isPending ?? false, old?.isApproved ?? false)
    let isSame =
      new.subscription == before && new.isPending == wasPending && new.isApproved == wasApproved
    // Most pushes change a name or groups.
    guard !isSame else { return [] }
    var shown: [Self] = []
    if new.subscription.includesTo {
      if !before.includesTo { shown.append(.weSee) }
    } else if before.includesTo || (wasPending && !new.isPending) {
      shown.append(.weNoLongerSee)
    }
    if before.includesFrom, !new.subscription.includesFrom { shown.append(.itNoLongerSees) }
    if !before.includesFrom, new.subscription.includesFrom { shown.append(.itSees) }
    if !wasPending, new.isPending { shown.append(.weAsk) }
    if !wasApproved, new.isApproved { shown.append(.weApprove) }
    return shown
  }
}
