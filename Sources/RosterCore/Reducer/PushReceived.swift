import DequeModule
import XMPPStanza

// Pushes: §2.1.6.
extension Reduction {
  mutating func pushReceived(_ push: RosterPush) {
    let item = push.query.items.first
    if let refusal = owner.refusal(ofPushFrom: push.from) {
      report(.item(.foreignPush(refusal)), about: item?.jid ?? push.from?.bare)
      return
    }
    expectAcknowledgement(of: push, about: item?.jid)
    let count = push.query.items.count + push.query.malformed.count
    guard count == 1, let item else {
      reportMalformedParts(of: push.query)
      if count != 1 { report(.item(.pushItemCount(count))) }
      return
    }
    itemPushed(item, push.query)
  }

  private mutating func itemPushed(_ item: RosterQuery.Item, _ query: RosterQuery) {
    let number = roster.contacts.insert(item.jid)
    if canRepeat {
      let before = roster.contacts.entry(of: number)?.item
      let content = Delivery.Content.push(item.shown, before: before, version: query.version)
      guard !isKnown(content, of: number) else { return }
      // A copy of what changes nothing changes nothing either.
      if before != item.shown { expectCopies(content, of: number, where: \.isToldPushes) }
    }
    reportMalformedParts(of: query)
    switch item.change {
    case .set(let item): itemSet(item, number, .push)
    case .remove:
      reportIfRemovedElsewhere(number)
      itemRemoved(number)
    }
    if let version = query.version, !isBehind { versionLearned(version) }
  }

  private mutating func reportIfRemovedElsewhere(_ number: ContactNumber) {
    let jid = roster.contacts.address(of: number)
    guard roster.contacts.item(of: number) != nil, !roster.isInboundOnly,
      !roster.sessions.hasRemoval(of: jid)
    else { return }
    report(.item(.removedElsewhere), about: jid)
  }

  private mutating func expectAcknowledgement(of push: RosterPush, about contact: BareJID?) {
    guard !roster.isInboundOnly else { return }
    guard let id = push.id else {
      report(.answer(.missingID(.push)))
      return
    }
    guard let contact, !isWaiting(id, about: contact) else { return }
    session.unacknowledged.append(
      UnacknowledgedPush(id: id, contact: contact, received: stamp))
    if session.unacknowledged.count > WaitingLimit.count {
      report(unacknowledged: session.unacknowledged.removeFirst())
    }
    expectAnswer()
  }

  /// Whether a push that a resumed session is told again waits for its acknowledgement already.
  private func isWaiting(_ id: String, about contact: BareJID) -> Bool {
    session.resumptionID != nil
      && session.unacknowledged.contains { $0.contact == contact && $0.id.hasSameBytes(as: id) }
  }

  /// Each push wants an acknowledgement of its own, though servers use an id again. Our answer to
  /// somebody else's request may have the same id.
  mutating func answerSent(_ id: String, to: JID?) {
    guard owner.isOwnServer(to),
      let index = session.unacknowledged.firstIndex(where: { $0.id.hasSameBytes(as: id) })
    else { return }
    let push = session.unacknowledged.remove(at: index)
    guard let number = roster.contacts.number(of: push.contact) else { return }
    answered(number) { if case .push = $0 { true } else { false } }
  }

  mutating func reportUnacknowledgedPushes(of place: Int) {
    let pushes = roster.sessions[place].unacknowledged
    roster.sessions[place].unacknowledged = []
    for push in pushes { report(unacknowledged: push) }
  }

  mutating func report(unacknowledged push: UnacknowledgedPush) {
    report(.item(.unacknowledgedPush), about: push.contact, cause: push.received.record)
  }
}

extension RosterQuery.Item {
  /// What the roster shows afterwards: nil where the item is gone.
  fileprivate var shown: RosterItem? {
    switch change {
    case .set(let item): item
    case .remove: nil
    }
  }
}
