import RawBytes
import XMPPStanza

// Subscription stanzas from contacts: §3. Requests are kept apart from items, because None +
// Pending In is no item (Appendix A).
extension Reduction {
  mutating func subscriptionReceived(_ stanza: StoredSubscription) {
    guard roster.account?.text.hasBytes(stanza.contact) != true else {
      report(.subscription(.own(stanza.kind, .inbound)), about: roster.account)
      return
    }
    let number = roster.contacts.insert(address: stanza.contact)
    reportUnexplainedRemovals()
    if canRepeat {
      let content = Delivery.Content.subscription(stanza.value)
      guard !isKnown(content, of: number) else {
        if stanza.kind == .subscribe { confirm(number) }
        return
      }
      // A request is perhaps what a session is told of before.
      if stanza.kind != .subscribe { dropPendingDeliveries(like: content, of: number) }
      expectCopies(content, of: number, where: \.receivesPresence)
    }
    noteNews(of: roster.contacts.address(of: number))
    switch stanza.kind {
    case .subscribe: requestReceived(stanza, number)
    case .subscribed: acceptanceReceived(number)
    case .unsubscribe: withdrawalReceived(number)
    case .unsubscribed: denialReceived(number)
    }
  }

  private mutating func requestReceived(_ stanza: StoredSubscription, _ number: ContactNumber) {
    guard !seesUs(number) else {
      report(
        .subscription(.needlessRequest(.inbound)), about: number)
      return
    }
    if case .open(let open)? = roster.contacts.request(of: number), isSentAgain(open) {
      confirm(number)
      return
    }
    let before = roster.contacts.request(of: number)
    var request =
      before?.request ?? IncomingRequest(since: stamp, last: stamp, asked: stamp, count: 0)
    request.last = stamp
    request.asked = stamp
    request.count += 1
    // Servers that send a request again often leave out its text.
    request.status = String?(decoding: stanza.status) ?? request.status
    request.nickname = String?(decoding: stanza.nickname) ?? request.nickname
    roster.contacts.updateDetails(of: number) { $0.request = .open(request) }
    personAsked(number, since: request.since, isOurs: false)
    let mayHaveCrossed = mayHaveCrossedRefusal(number)
    changed(.request, of: number) { _ in .request(before: before, after: .open(request)) }
    if before == nil {
      forgetAcceptances(of: number, where: \.isOurs)
      requestMayAnswer(number)
      if !mayHaveCrossed, !roundBegan(number, of: \.rounds) { reportReturn(number) }
      expectPerson()
    }
    if mayHaveCrossed { doubtRequest(of: number, .crossed) }
  }

  /// Whether the server sends a request again to a new session after its first presence, while
  /// another session that is still open has received it before.
  private func isSentAgain(_ request: IncomingRequest) -> Bool {
    guard isShared, session.openedAt > request.last.record else { return false }
    return roster.sessions.all.indices.contains { other in
      other != place && roster.sessions[other].phase == .open
        && roster.sessions[other].openedAt <= request.last.record
    }
  }

  /// Another session received a known request; the contact has not asked again.
  private mutating func confirm(_ number: ContactNumber) {
    guard let known = roster.contacts.request(of: number) else { return }
    var request = known.request
    request.last = stamp
    roster.contacts.updateDetails(of: number) { $0.request = .open(request) }
    if case .unconfirmed = known {
      changed(.request, of: number) { _ in .request(before: known, after: .open(request)) }
    }
  }

  private mutating func acceptanceReceived(_ number: ContactNumber) {
    let push = takePush(showing: .weSee, of: number)
    if endOutgoing(number, .accepted) {
      if push == nil {
        expectPush(showing: .weSee, of: number, isOurs: false)
        if !isSeen(number) { expectAcceptance(of: number, isOurs: false) }
      }
    } else if push == nil {
      reportUnexplained(.unsolicitedSubscribed, about: number)
    }
  }

  private mutating func withdrawalReceived(_ number: ContactNumber) {
    forgetAcceptances(of: number, where: \.isOurs)
    let push = takePush(showing: .itNoLongerSees, of: number)
    let hadAsked = endIncoming(number, .withdrawn)
    if seesUs(number) {
      if push == nil { expectPush(showing: .itNoLongerSees, of: number, isOurs: false) }
    } else if push == nil, !hadAsked, !mayHaveCrossedAnswer(number), !isEnding(number) {
      reportUnexplained(.unsolicitedUnsubscribe, about: number)
    }
  }

  /// Whether a contact may have withdrawn its request before it received our answer, or withdraws a
  /// request that we accepted and the roster has not shown.
  private func mayHaveCrossedAnswer(_ number: ContactNumber) -> Bool {
    guard let details = roster.contacts.details(of: number), let end = details.lastEnded else {
      return false
    }
    return switch end.way {
    case .accepted: !details.endIsConfirmedByRoster
    case .denied: !end.at.isLongBefore(stamp, Timeout.answersCross)
    case .withdrawn, .acceptedElsewhere: false
    }
  }

  private mutating func denialReceived(_ number: ContactNumber) {
    forgetAcceptances(of: number) { !$0.isOurs }
    let push = takePush(showing: .weNoLongerSee, of: number)
    if isSeen(number) || push?.before.includesTo == true { outcome.news?.endsSubscription = true }
    let request = roster.contacts.outgoing(of: number)
    let hadAsked = endOutgoing(number, .refused)
    if let request {
      reportDenial(ofRequestSince: request.since, number)
    } else if let push {
      denialFollowed(push, number)
    }
    if isSeen(number) || isAsked(number) {
      if push == nil { expectPush(showing: .weNoLongerSee, of: number, isOurs: false) }
    } else if push == nil, !hadAsked, !isEnding(number) {
      reportUnexplained(.unsolicitedUnsubscribed, about: number)
    }
  }

  /// Servers that push first take our request, or the contact with it, out of the roster before
  /// they deliver the contact's answer (RFC 6121 §3.2.3 leaves the order open).
  private mutating func denialFollowed(_ push: Expectation, _ number: ContactNumber) {
    guard let end = roster.contacts.lastOutgoingEnd(of: number),
      end.way == .dropped || end.way == .removed, end.at.record == push.stamp.record,
      !push.stamp.isLongBefore(stamp)
    else { return }
    let denied = EndedOutgoing(way: .refused, at: stamp, since: end.since)
    roster.contacts.updateDetails(of: number) { $0.lastOutgoingEnd = denied }
    reportDenial(ofRequestSince: end.since, number)
  }

  // MARK: What the item says

  func seesUs(_ number: ContactNumber) -> Bool {
    roster.contacts.item(of: number)?.subscription.includesFrom ?? false
  }

  func isSeen(_ number: ContactNumber) -> Bool {
    roster.contacts.item(of: number)?.subscription.includesTo ?? false
  }

  func isAsked(_ number: ContactNumber) -> Bool {
    roster.contacts.item(of: number)?.isPending ?? false
  }
}
