import HashTreeCollections
import XMPPStanza

// Requests, both ways (§3). They stand beside the items: None + Pending In is no item
// (Appendix A), and no stanza of ours edits one.
extension Roster {
  // MARK: Inbound stanzas

  mutating func receive(_ stanza: SubscriptionStanza, _ step: inout Step) {
    let jid = stanza.contact
    guard jid != account else {
      step.find(
        .ownSubscription, about: jid, "“\(stanza.kind.rawValue)” from our own account was ignored.")
      return
    }
    switch stanza.kind {
    case .subscribe: receiveRequest(stanza, &step)
    case .subscribed: receiveAcceptance(stanza, &step)
    case .unsubscribe: receiveWithdrawal(stanza, &step)
    case .unsubscribed: receiveRefusal(stanza, &step)
    }
  }

  private mutating func receiveAcceptance(_ stanza: SubscriptionStanza, _ step: inout Step) {
    let isEcho = isEcho(.subscribed, of: stanza.contact)
    if endOutgoing(stanza.contact, .accepted, &step) {
      if !isEcho { expectPush(showing: .subscribed, of: stanza.contact) }
    } else if !isEcho {
      reportUnasked(.unsolicitedSubscribed, stanza, "we had asked for nothing", &step)
    }
  }

  private mutating func receiveWithdrawal(_ stanza: SubscriptionStanza, _ step: inout Step) {
    let isEcho = isEcho(.unsubscribe, of: stanza.contact)
    let hadAsked = endIncoming(stanza.contact, .withdrawn, &step)
    if seesUs(stanza.contact) {
      if !isEcho { expectPush(showing: .unsubscribe, of: stanza.contact) }
    } else if !isEcho, !hadAsked {
      reportUnasked(
        .unsolicitedUnsubscribe, stanza, "it neither asked nor sees our presence", &step)
    }
  }

  private mutating func receiveRefusal(_ stanza: SubscriptionStanza, _ step: inout Step) {
    let isEcho = isEcho(.unsubscribed, of: stanza.contact)
    let hadAsked = endOutgoing(stanza.contact, .refused, &step)
    if isSeen(stanza.contact) || isAsked(stanza.contact) {
      if !isEcho { expectPush(showing: .unsubscribed, of: stanza.contact) }
    } else if !isEcho, !hadAsked {
      reportUnasked(
        .unsolicitedUnsubscribed, stanza, "we neither asked nor see its presence", &step)
    }
  }

  private func reportUnasked(
    _ code: Finding.Code, _ stanza: SubscriptionStanza, _ why: String, _ step: inout Step
  ) {
    step.find(
      code, about: stanza.contact,
      "“\(stanza.kind.rawValue)” of \(stanza.contact) changes nothing: \(why) (RFC 6121 §3).")
  }

  private func seesUs(_ jid: BareJID) -> Bool {
    entries[jid]?.item.subscription.includesFrom ?? false
  }

  private func isSeen(_ jid: BareJID) -> Bool {
    entries[jid]?.item.subscription.includesTo ?? false
  }

  private func isAsked(_ jid: BareJID) -> Bool { entries[jid]?.item.isPending ?? false }

  private mutating func receiveRequest(_ stanza: SubscriptionStanza, _ step: inout Step) {
    let jid = stanza.contact
    guard !seesUs(jid) else {
      step.find(
        .needlessRequest, about: jid,
        "\(jid) asks to see our presence, which it already does (RFC 6121 §3.1.3).")
      return
    }
    let known = incoming[jid] ?? unconfirmed.removeValue(forKey: jid)
    var request =
      known ?? IncomingRequest(since: step.stamp, last: step.stamp, count: 0)
    request.last = step.stamp
    request.count += 1
    // Servers that send a request again often leave out its text.
    request.status = stanza.status ?? request.status
    request.nickname = stanza.nickname ?? request.nickname
    incoming[jid] = request
    if known == nil {
      step.change(.requestOpened(jid, request))
      expectPerson(after: step.stamp)
    } else {
      step.change(.requestRepeated(jid, request))
    }
  }

  // MARK: Outbound stanzas

  mutating func send(_ stanza: SubscriptionStanza, _ step: inout Step) {
    let jid = stanza.contact
    guard jid != account else {
      step.find(
        .ownSubscription, about: jid, "We sent a \(stanza.kind.rawValue) to our own account.")
      return
    }
    switch stanza.kind {
    case .subscribe: sendRequest(to: jid, &step)
    case .subscribed: accept(jid, &step)
    case .unsubscribe:
      if isSeen(jid) || isAsked(jid) { expectPush(showing: .unsubscribed, of: jid) }
      endOutgoing(jid, .cancelled, &step)
      voidPresence(of: jid, &step)
    case .unsubscribed:
      if seesUs(jid) { expectPush(showing: .unsubscribe, of: jid) }
      endIncoming(jid, .denied, &step)
    }
  }

  private mutating func sendRequest(to jid: BareJID, _ step: inout Step) {
    guard !isSeen(jid) else {
      step.find(
        .needlessRequest, about: jid,
        "We ask to see the presence of \(jid), which we already do (RFC 6121 §3.1.2).")
      return
    }
    // To ask again for somebody whom we took out is our own doing, not the server's.
    edits.settled[jid] = nil
    guard outgoing[jid] == nil else { return }
    openOutgoing(jid, isReflected: false, &step)
  }

  private mutating func accept(_ jid: BareJID, _ step: inout Step) {
    // The server brings back somebody whom we took out.
    edits.settled[jid] = nil
    if let request = incoming[jid] { reportIfAutomatic(jid, request, &step) }
    guard !endIncoming(jid, .accepted, &step), !seesUs(jid) else { return }
    step.find(
      .preApproval, about: jid,
      "Nobody had asked: our subscribed approves a later request of \(jid) (RFC 6121 §3.4).")
  }

  /// No person reads and answers within a second: a client that accepts whoever asks hands its
  /// user's presence to strangers. Somebody we see or asked to see is none.
  private func reportIfAutomatic(_ jid: BareJID, _ request: IncomingRequest, _ step: inout Step) {
    guard let asked = request.last.time, let now = step.stamp.time, !isSeen(jid),
      outgoing[jid] == nil
    else { return }
    let (waited, isOverflow) = now.subtractingReportingOverflow(asked)
    guard !isOverflow, waited < Patience.person else { return }
    step.find(
      .automaticAcceptance, about: jid, cause: request.last.record,
      "The request of \(jid), whom we do not subscribe to, was accepted \(waited) ms after "
        + "it came: nobody was asked.")
  }

  // MARK: How the roster settles them

  mutating func settleIncoming(by item: RosterItem, _ step: inout Step) {
    if item.subscription.includesFrom { endIncoming(item.jid, .acceptedElsewhere, &step) }
  }

  mutating func denyIncoming(of jid: BareJID, _ step: inout Step) {
    let isOurs = edits.pending.contains { $0.contact == jid && $0.after == nil }
    endIncoming(jid, isOurs ? .denied : .deniedElsewhere, &step)
  }

  mutating func settleOutgoing(by item: RosterItem, _ source: Source, _ step: inout Step) {
    if item.subscription.includesTo {
      endOutgoing(item.jid, .subscribed, &step)
    } else if item.isPending {
      reflectOutgoing(item.jid, &step)
    } else if let request = outgoing[item.jid], decides(source, request) {
      endOutgoing(item.jid, .dropped, &step)
    }
  }

  mutating func settleOutgoing(
    byRemovalOf jid: BareJID, _ source: Source, _ step: inout Step
  ) {
    guard let request = outgoing[jid] else { return }
    switch source {
    case .push: endOutgoing(jid, .removed, &step)
    case .result: if decides(source, request) { endOutgoing(jid, .removed, &step) }
    }
  }

  /// Whether what the server says of an item already takes our request into account. Until it
  /// has shown the request once, only the answer to a get that we sent after it does.
  private func decides(_ source: Source, _ request: OutgoingRequest) -> Bool {
    switch source {
    case .push: request.isReflected
    case .result(let asked): request.isReflected || (asked ?? 0) > request.since.record
    }
  }

  // MARK: Sessions

  /// The server sends every open request again after a session's first presence; an older one
  /// that does not come was answered elsewhere or withdrawn, or is lost: nobody can say.
  mutating func doubtOldRequests(_ step: inout Step) {
    for (jid, request) in incoming.sorted(by: { $0.key < $1.key })
    where request.last.record < stream.openedAt {
      incoming[jid] = nil
      unconfirmed[jid] = request
      step.change(.requestUnconfirmed(jid))
    }
  }

  // MARK: Parts

  private mutating func openOutgoing(_ jid: BareJID, isReflected: Bool, _ step: inout Step) {
    let request = OutgoingRequest(since: step.stamp, isReflected: isReflected)
    outgoing[jid] = request
    step.change(.outgoingOpened(jid, request))
    expectPerson(after: step.stamp)
  }

  private mutating func reflectOutgoing(_ jid: BareJID, _ step: inout Step) {
    guard let request = outgoing[jid] else {
      openOutgoing(jid, isReflected: true, &step)
      return
    }
    guard !request.isReflected else { return }
    outgoing[jid]?.isReflected = true
    step.change(.outgoingReflected(jid))
  }

  @discardableResult
  private mutating func endOutgoing(
    _ jid: BareJID, _ end: RosterChange.OutgoingEnd, _ step: inout Step
  ) -> Bool {
    guard !outgoing.isEmpty, outgoing.removeValue(forKey: jid) != nil else { return false }
    step.change(.outgoingEnded(jid, end))
    return true
  }

  @discardableResult
  private mutating func endIncoming(
    _ jid: BareJID, _ way: EndedRequest.Way, _ step: inout Step
  ) -> Bool {
    guard incoming.find(jid) != nil || unconfirmed.find(jid) != nil,
      let request = incoming.removeValue(forKey: jid) ?? unconfirmed.removeValue(forKey: jid)
    else { return false }
    let end = EndedRequest(way: way, at: step.stamp, since: request.since)
    ended[jid] = end
    step.change(.requestEnded(jid, end))
    return true
  }
}
