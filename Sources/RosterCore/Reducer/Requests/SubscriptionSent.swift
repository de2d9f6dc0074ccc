import RawBytes
import XMPPStanza

// Subscription stanzas that we sent: §3. None of them edits an item.
extension Reduction {
  mutating func subscriptionSent(_ stanza: StoredSubscription) {
    guard roster.account?.text.hasBytes(stanza.contact) != true else {
      report(.subscription(.own(stanza.kind, .outbound)), about: roster.account)
      return
    }
    let number = roster.contacts.insert(address: stanza.contact)
    answered(number) { if case .subscription = $0 { true } else { false } }
    noteNews(of: roster.contacts.address(of: number))
    expectErrors(of: stanza.kind, to: roster.contacts.address(of: number))
    mayBePushed(roster.contacts.address(of: number))
    switch stanza.kind {
    case .subscribe: requestSent(number)
    case .subscribed: acceptanceSent(number)
    case .unsubscribe:
      forgetAcceptances(of: number) { !$0.isOurs }
      if isSeen(number) { endBegan(number) }
      reportWrongRefusal(number)
      if isSeen(number) || isAsked(number) {
        expectPush(showing: .weNoLongerSee, of: number, isOurs: true)
      }
      endOutgoing(number, .cancelled)
      voidPresence(of: number)
    case .unsubscribed:
      forgetAcceptances(of: number, where: \.isOurs)
      if seesUs(number) {
        outcome.news?.endsSubscription = true
        endBegan(number)
        expectPush(showing: .itNoLongerSees, of: number, isOurs: true)
      }
      refusalSent(number)
      endIncoming(number, .denied)
    }
  }

  /// Reports a stanza that ends nothing, and was perhaps meant to end the contact's request.
  ///
  /// The server sends the request again at each login, and a client that has the wrong answer gives
  /// it again, so it is reported once for each request.
  private mutating func reportWrongRefusal(_ number: ContactNumber) {
    guard !isFragment, case .open(var request)? = roster.contacts.request(of: number),
      !request.isReportedAsWronglyRefused,
      !isSeen(number), !isAsked(number), roster.contacts.outgoing(of: number) == nil
    else { return }
    request.isReportedAsWronglyRefused = true
    roster.contacts.updateDetails(of: number) { $0.request = .open(request) }
    report(.subscription(.wrongRefusal), about: number, cause: request.since.record)
  }

  private mutating func requestSent(_ number: ContactNumber) {
    guard !isSeen(number) else {
      report(
        .subscription(.needlessRequest(.outbound)), about: number)
      return
    }
    // If we ask again for a contact that we removed, that is our doing, not the server's.
    forgetConfirmedEdit(of: number)
    guard roster.contacts.outgoing(of: number) == nil else { return }
    openOutgoing(number, isReflected: false)
    if !isAsked(number) { expectPush(showing: .weAsk, of: number, isOurs: true) }
    roundBegan(number, of: \.ownRounds)
  }

  private mutating func acceptanceSent(_ number: ContactNumber) {
    // The server brings back a contact that we removed.
    forgetConfirmedEdit(of: number)
    if case .open(let request)? = roster.contacts.request(of: number) {
      reportIfAutomatic(request, number)
    }
    let hadAsked = endIncoming(number, .accepted)
    guard !seesUs(number) else { return }
    expectPush(showing: hadAsked ? .itSees : .weApprove, of: number, isOurs: true)
    guard !hadAsked, roster.hasReceived else {
      if hadAsked { expectAcceptance(of: number, isOurs: true) }
      return
    }
    if !hasCrossedAcceptance(number) { reportUnexplained(.preApproval, about: number) }
  }

  /// Whether we have just accepted the contact's request, perhaps on another device, and the server
  /// could not show that yet.
  private func hasCrossedAcceptance(_ number: ContactNumber) -> Bool {
    guard let end = roster.contacts.details(of: number)?.lastEnded, end.way == .accepted else {
      return false
    }
    return !end.at.isLongBefore(stamp, Timeout.answersCross)
  }

  /// A person can hardly read and answer within two seconds, and a client that accepts every
  /// request gives its user's presence to strangers. A contact that we see or asked to see is no
  /// stranger, and neither is a gateway of our server, whose requests a client accepts by itself
  /// (XEP-0100 §4.1.1).
  private mutating func reportIfAutomatic(_ request: IncomingRequest, _ number: ContactNumber) {
    guard !isFragment, let asked = request.asked.clock, let now = stamp.clock, !isSeen(number),
      roster.contacts.outgoing(of: number) == nil, !isGateway(number)
    else { return }
    let (waited, isOverflow) = now.subtractingReportingOverflow(asked)
    guard !isOverflow, waited < Timeout.person else { return }
    report(
      .subscription(.automaticAcceptance(milliseconds: waited)),
      about: number, cause: request.asked.record)
  }

  /// Whether an address is a service's of our server, at a domain below the account's.
  private func isGateway(_ number: ContactNumber) -> Bool {
    let contact = roster.contacts.address(of: number)
    guard let account = roster.account, contact.local == nil else { return false }
    return contact.domain.hasSuffix(".\(account.domain)")
  }
}
