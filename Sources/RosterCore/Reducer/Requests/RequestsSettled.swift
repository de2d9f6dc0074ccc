import XMPPStanza

// How requests begin, end and come into doubt, whatever brought it about (rules of §3 and
// Appendix A).
extension Reduction {
  // MARK: Requests of contacts

  mutating func endRequestIfItemGrants(by item: StoredFields, _ number: ContactNumber) {
    acceptancesShown(by: item.subscription, of: number)
    guard item.subscription.includesFrom else { return }
    endIncoming(number, .acceptedElsewhere)
    guard roster.contacts.hasUnconfirmedEnd(of: number) else { return }
    roster.contacts.updateDetails(of: number) { $0.endIsConfirmedByRoster = true }
  }

  /// - Returns: Whether there was a request.
  @discardableResult
  mutating func endIncoming(_ number: ContactNumber, _ way: EndedRequest.Way) -> Bool {
    guard let before = roster.contacts.request(of: number) else { return false }
    let request = before.request
    let end = EndedRequest(way: way, at: stamp, since: request.since)
    roster.contacts.updateDetails(of: number) { details in
      details.request = nil
      details.lastEnded = end
      details.endIsConfirmedByRoster = false
    }
    changed(.request, of: number, because: .ended(way)) { _ in
      .request(before: before, after: nil)
    }
    roundEnded(number, of: \.rounds, since: request.since)
    return true
  }

  /// From now on it is not known whether an open request is still open.
  mutating func doubtRequest(of number: ContactNumber, _ doubt: RosterChange.Doubt) {
    guard case .open(let request)? = roster.contacts.request(of: number) else { return }
    roster.contacts.updateDetails(of: number) { $0.request = .unconfirmed(request) }
    changed(.request, of: number, because: .unconfirmed(doubt)) { _ in
      .request(before: .open(request), after: .unconfirmed(request))
    }
  }

  /// The server sends every open request again after a session's first presence; an older one
  /// that does not come was answered elsewhere or withdrawn, or is lost: the log cannot say.
  mutating func doubtOldRequests() {
    // What another session that is open was told holds.
    let openedAt = roster.sessions.all.lazy.filter { $0.phase == .open }.map(\.openedAt).min() ?? 0
    let old = roster.contacts.members(.openRequest).filter { number in
      guard case .open(let request)? = roster.contacts.request(of: number) else { return false }
      return request.last.record < openedAt
    }
    for number in roster.contacts.sorted(old) { doubtRequest(of: number, .notSentAgain) }
  }

  // MARK: Requests of ours

  mutating func settleOutgoing(by item: StoredFields, _ number: ContactNumber, _ source: ItemSource)
  {
    if item.subscription.includesTo {
      endOutgoing(number, .subscribed)
    } else if item.isPending {
      reflectOutgoing(number)
    } else if let request = roster.contacts.outgoing(of: number),
      source.decides(request)
    {
      endOutgoing(number, request.isReflected ? .dropped : .neverShown)
    }
  }

  /// A result does not list the contact.
  ///
  /// - Parameter hadItem: Whether the contact was in the roster until now.
  mutating func settleOutgoing(
    byAbsenceOf number: ContactNumber, hadItem: Bool, _ source: ItemSource
  ) {
    guard let request = roster.contacts.outgoing(of: number), source.decides(request)
    else { return }
    endOutgoing(byRemovalOf: number, hadItem: hadItem)
  }

  /// Ends our request because the contact is not in the roster. If it never was, the roster never
  /// showed the request, so it has not lost it.
  mutating func endOutgoing(byRemovalOf number: ContactNumber, hadItem: Bool) {
    let isShown = hadItem || roster.contacts.outgoing(of: number)?.isReflected == true
    endOutgoing(number, isShown ? .removed : .neverShown)
  }

  mutating func openOutgoing(_ number: ContactNumber, isReflected: Bool) {
    let request = OutgoingRequest(since: stamp, isReflected: isReflected)
    let isAccepted = isReflected && isShownAfterAcceptance(number)
    roster.contacts.updateDetails(of: number) { details in
      details.outgoing = request
      if !isAccepted { details.lastOutgoingEnd = nil }
    }
    changed(.outgoing, of: number) { _ in .outgoing(before: nil, after: request) }
    personAsked(number, since: stamp, isOurs: true)
    expectPerson()
  }

  /// Whether the contact has accepted the request that the roster still shows as open.
  private func isShownAfterAcceptance(_ number: ContactNumber) -> Bool {
    guard let end = roster.contacts.lastOutgoingEnd(of: number), end.way == .accepted,
      let row = roster.contacts.item(of: number)
    else { return false }
    return row.provenance.ask < end.at.record
  }

  private mutating func reflectOutgoing(_ number: ContactNumber) {
    guard let before = roster.contacts.outgoing(of: number) else {
      openOutgoing(number, isReflected: true)
      return
    }
    guard !before.isReflected else { return }
    var request = before
    request.isReflected = true
    roster.contacts.updateDetails(of: number) { $0.outgoing = request }
    // Our request is open before the server shows it, so this is no cause of a difference.
    guard reportsOutcome else { return }
    changed(.outgoing, of: number) { _ in .outgoing(before: before, after: request) }
  }

  /// - Returns: Whether there was a request.
  @discardableResult
  mutating func endOutgoing(_ number: ContactNumber, _ end: RosterChange.OutgoingEnd) -> Bool {
    guard let request = roster.contacts.outgoing(of: number) else { return false }
    let ended = EndedOutgoing(way: end, at: stamp, since: request.since)
    roster.contacts.updateDetails(of: number) { details in
      details.outgoing = nil
      details.lastOutgoingEnd = ended
    }
    changed(.outgoing, of: number, because: .outgoingEnded(end)) { _ in
      .outgoing(before: request, after: nil)
    }
    roundEnded(number, of: \.ownRounds, since: request.since)
    return true
  }
}

extension ItemSource {
  /// Whether what the server says of an item already takes a request of ours into account. Until
  /// it has shown the request once, only the answer to a get that we sent after it does.
  fileprivate func decides(_ request: OutgoingRequest) -> Bool {
    switch self {
    case .push: request.isReflected
    case .result(let asked): request.isReflected || (asked ?? 0) > request.since.record
    }
  }
}
