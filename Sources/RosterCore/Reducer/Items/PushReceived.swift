import DequeModule
import RawBytes
import XMPPStanza

// Pushes: §2.1.6.
extension Reduction {
  mutating func pushReceived(_ push: StoredSet) {
    let item = push.query.first
    if let from = push.head.peer?.jid, let refusal = refusal(ofPushFrom: from) {
      unknownRequestReceived()
      report(.item(.foreignPush(refusal)), about: item?.jid ?? from.bare)
      return
    }
    expectAcknowledgement(of: push, about: item)
    let count = push.query.count + push.query.malformed.count
    guard count == 1, let item else {
      reportMalformedParts(of: push.query)
      if count != 1 { report(.item(.pushItemCount(count))) }
      return
    }
    itemPushed(item, push.query)
  }

  private mutating func itemPushed(_ item: StoredItem, _ query: StoredQuery) {
    let number = roster.contacts.insert(address: item.address)
    unidentifiedSetsShown(of: item.address)
    let mayBeOurs = pushMayBeOurs(about: item.address)
    guard !canRepeat || isNews(item, number, version: query.version) else { return }
    reportMalformedParts(of: query)
    if !mayBeOurs, !roster.isInboundOnly, changesNothing(item, number) {
      tally(.idlePushes, about: item.jid, at: stamp.record, of: place)
    }
    if let fields = item.fields {
      itemSet(fields, number, .push)
    } else {
      removalPushed(number)
    }
    if let version = query.version, !hasPendingPushes {
      versionLearned(version)
      roster.lastVersionPush = VersionPush(
        contact: item.jid, shown: stamp, connection: session.connection, device: session.resource)
    }
  }

  /// Whether a push shows what no other connection has received yet, nor this one before its
  /// resumption; the other connections are then expected to receive it too.
  private mutating func isNews(
    _ item: StoredItem, _ number: ContactNumber, version: RawSpan?
  ) -> Bool {
    let before = roster.contacts.entry(of: number)?.item
    let (jid, shown) = (item.jid, item.shown)
    let content = Delivery.Content.push(shown, before: before, version: .init(decoding: version))
    let isRepeated = isRepeated(content, of: number)
    let arrival = pushArrived(shown, about: jid)
    guard !isRepeated, arrival != .late else { return false }
    guard !isOvertaken(content, of: number) else {
      // The others receive it after what they have received first.
      if arrival == .first, !isBeforeComing(shown, of: number) {
        awaitPush(shown, about: jid, except: fetchedSinceComing(of: number))
      }
      return false
    }
    if arrival == .first { settleAwaitedPushes(of: place) { $0.contact == jid } }
    // A copy of what changes nothing changes nothing either.
    guard before != shown else { return true }
    var receivers: SessionSet = []
    if case .awaited(let others) = arrival {
      receivers = roster.sessions.places(where: \.isInterested).subtracting(others)
    } else {
      awaitPush(shown, about: jid, except: restored(to: shown, number))
    }
    expectCopies(content, of: number, except: receivers, where: \.isToldPushes)
    return true
  }

  /// We sent a set or a subscription stanza about a contact: a server may push the item once to
  /// each session that it pushes to, even if nothing has changed.
  mutating func mayBePushed(_ contact: BareJID) {
    guard !roster.isInboundOnly else { return }
    for place in roster.sessions.all.indices
    where place == self.place || roster.sessions[place].isToldPushes {
      roster.sessions[place].pushableContacts.append(contact)
      if roster.sessions[place].pushableContacts.count > WaitingLimit.count {
        roster.sessions[place].pushableContacts.removeFirst()
      }
    }
  }

  /// Takes the stanza of ours that a push may be the effect of.
  ///
  /// - Returns: Whether there is one.
  private mutating func pushMayBeOurs(about address: RawSpan) -> Bool {
    guard
      let index = session.pushableContacts.firstIndex(where: { $0.text.hasBytes(address) })
    else { return false }
    session.pushableContacts.remove(at: index)
    return true
  }

  /// Whether a push shows what is known.
  private func changesNothing(_ item: StoredItem, _ number: ContactNumber) -> Bool {
    let row = roster.contacts.item(of: number)
    return if let fields = item.fields {
      row.map { roster.contacts.says($0, fields) } ?? false
    } else {
      row == nil
    }
  }

  private mutating func expectAcknowledgement(of push: StoredSet, about item: StoredItem?) {
    // After our end of the stream, none can be sent.
    guard !roster.isInboundOnly, session.ends.ours == nil else { return }
    guard let id = push.head.id else {
      report(.answer(.missingID(.push)))
      return
    }
    guard let item else { return unknownRequestReceived() }
    guard !isWaiting(id, about: item.address) else { return }
    session.unacknowledged.append(
      UnacknowledgedPush(id: String(decoding: id), contact: item.jid, received: stamp))
    if session.unacknowledged.count > WaitingLimit.count {
      countUnacknowledged(session.unacknowledged.removeFirst(), of: place)
    }
    expectAnswer()
  }

  /// Whether a push that a resumed session is told again waits for its acknowledgement already.
  private func isWaiting(
    _ id: RawSpan, about address: RawSpan
  ) -> Bool {
    session.resumptionID != nil
      && session.unacknowledged.contains {
        $0.contact.text.hasBytes(address) && $0.id.hasBytes(id)
      }
  }

  /// Each push needs an acknowledgement of its own, although servers use ids again. Our answer to
  /// a request from another address may have the same id.
  ///
  /// - Parameter error: What we said if we refused the request; nil for a result.
  mutating func answerSent(_ id: RawSpan, to: StoredJID?, _ error: ErrorReport?) {
    guard owner.isOwnServer(to?.jid) else { return }
    guard let index = session.unacknowledged.firstIndex(where: { $0.id.hasBytes(id) }) else {
      // The event of a block list push does not name its id.
      guard session.unansweredBlockPushes == 0 else {
        session.unansweredBlockPushes -= 1
        return
      }
      // A resumed session sends again what the server has not acknowledged (XEP-0198 §5).
      guard session.resumptionID == nil, answersNothing(id) else { return }
      return tally(.answersToNothing, at: stamp.record, of: place)
    }
    let push = session.unacknowledged.remove(at: index)
    noteSettled(push.id)
    if let error {
      tally(
        .refusedPushes, about: push.contact, at: push.received.record, of: place, answer: error)
      // A client answers a push by a result (RFC 6121 §2.1.6); the server has carried it out.
      noteNews(of: push.contact)
    }
    guard let number = roster.contacts.number(of: push.contact) else { return }
    answered(number) { if case .push = $0 { true } else { false } }
  }

  /// The session is over, so that nothing is acknowledged any more.
  mutating func countUnacknowledgedPushes(of place: Int) {
    forgetCrossedPushes(of: place)
    let pushes = roster.sessions[place].unacknowledged
    roster.sessions[place].unacknowledged = []
    for push in pushes { countUnacknowledged(push, of: place) }
  }

  mutating func countUnacknowledged(_ push: UnacknowledgedPush, of place: Int) {
    // Its acknowledgement may still come.
    unknownRequestReceived()
    tally(.unacknowledgedPushes, about: push.contact, at: push.received.record, of: place)
  }
}
