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
    reportMalformedParts(of: push.query)
    let count = push.query.items.count + push.query.malformed.count
    guard count == 1 else {
      report(.item(.pushItemCount(count)))
      return
    }
    guard let item else { return }
    switch item.change {
    case .set(let item): itemSet(item, roster.contacts.insert(item.jid), .push)
    case .remove(let jid): itemRemoved(roster.contacts.insert(jid))
    }
    if let version = push.query.version { versionLearned(version) }
  }

  private mutating func expectAcknowledgement(of push: RosterPush, about contact: BareJID?) {
    guard !session.isInboundOnly else { return }
    guard let id = push.id else {
      report(.answer(.missingID(.push)))
      return
    }
    guard let contact else { return }
    session.unacknowledged.append(
      UnacknowledgedPush(id: id, contact: contact, received: stamp))
    if session.unacknowledged.count > WaitingLimit.count {
      report(unacknowledged: session.unacknowledged.removeFirst())
    }
    expectAnswer()
  }

  /// Each push wants an acknowledgement of its own, though servers use an id again. Our answer to
  /// somebody else's request may have the same id.
  mutating func answerSent(_ id: String, to: JID?) {
    guard owner.isOwnServer(to),
      let index = session.unacknowledged.firstIndex(where: { $0.id.hasSameBytes(as: id) })
    else { return }
    session.unacknowledged.remove(at: index)
  }

  mutating func reportUnacknowledgedPushes() {
    let pushes = session.unacknowledged
    session.unacknowledged = []
    for push in pushes { report(unacknowledged: push) }
  }

  mutating func report(unacknowledged push: UnacknowledgedPush) {
    report(.item(.unacknowledgedPush), about: push.contact, cause: push.received.record)
  }
}
