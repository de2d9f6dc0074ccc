import XMPPStanza

// Acceptances that the roster never shows: the server pushes the new subscription to both sides
// (RFC 6121 §3.1.5, §3.1.6), if the session has requested the roster (§2.1.6).
extension Reduction {
  /// We accepted a contact's request, or the contact accepted ours.
  mutating func expectAcceptance(of number: ContactNumber, isOurs: Bool) {
    guard roster.hasReceived, !isFragment else { return }
    let contact = roster.contacts.address(of: number)
    forgetAcceptances(of: number) { $0.isOurs == isOurs }
    if roster.acceptances.count >= Acceptance.limit { roster.acceptances.removeFirst() }
    roster.acceptances.append(
      Acceptance(
        contact: contact, isOurs: isOurs, stamp: stamp, connection: session.connection,
        device: session.resource))
  }

  /// The roster shows a subscription.
  mutating func acceptancesShown(by subscription: RosterSubscription, of number: ContactNumber) {
    forgetAcceptances(of: number) {
      $0.isOurs ? subscription.includesFrom : subscription.includesTo
    }
  }

  /// Something else has happened to what was accepted, so it need not be shown any more.
  mutating func forgetAcceptances(
    of number: ContactNumber, where isOver: (Acceptance) -> Bool = { _ in true }
  ) {
    guard !roster.acceptances.isEmpty else { return }
    let contact = roster.contacts.address(of: number)
    roster.acceptances.removeAll { $0.contact == contact && isOver($0) }
  }

  /// Marks the acceptances that the server would have shown before what it has sent now on the
  /// record's connection.
  mutating func markOverdueAcceptances() {
    for index in roster.acceptances.indices
    where roster.acceptances[index].isDue(at: stamp, in: session) {
      roster.acceptances[index].isOverdue = true
    }
  }

  /// The server answered what we sent at a record, so it has received everything that we sent on
  /// this connection before.
  mutating func acceptancesReceived(before sent: UInt64) {
    guard session.hasFetched else { return }
    for index in roster.acceptances.indices
    where roster.acceptances[index].belongs(to: session)
      && roster.acceptances[index].stamp.record < sent
    {
      roster.acceptances[index].isOverdue = true
    }
  }

  /// A whole roster that was asked for at a record shows what came of the acceptances before.
  mutating func settleAcceptances(asked: UInt64?) {
    guard let asked, !roster.acceptances.isEmpty else { return }
    let decided = roster.acceptances.filter {
      $0.stamp.record < asked && ($0.isOverdue || $0.belongs(to: session))
    }
    roster.acceptances.removeAll { decided.contains($0) }
    for acceptance in decided { report(acceptance) }
  }

  /// Nothing more comes that could show them.
  mutating func reportAcceptances() {
    let acceptances = roster.acceptances
    roster.acceptances = []
    for acceptance in acceptances where acceptance.isOverdue { report(acceptance) }
  }

  private mutating func report(_ acceptance: Acceptance) {
    report(
      .subscription(.unshownAcceptance(isOurs: acceptance.isOurs)), about: acceptance.contact,
      cause: acceptance.stamp.record, by: .connection(acceptance.connection, acceptance.device))
  }

  // MARK: Requests that are answered by a request

  /// A contact asks us while our request to it is open. Requests that cross do not answer each
  /// other.
  mutating func requestMayAnswer(_ number: ContactNumber) {
    guard let request = roster.contacts.outgoing(of: number), request.answeredBy == nil,
      request.since.isEarlier(than: stamp, by: Timeout.crossing)
    else { return }
    let now = stamp
    roster.contacts.updateDetails(of: number) { $0.outgoing?.answeredBy = now }
  }

  /// Reports requests of ours that contacts have answered by requests of their own, and not
  /// accepted.
  mutating func reportRequestsForRequests() {
    for number in roster.contacts.sorted(roster.contacts.members(.outgoing)) {
      guard let request = roster.contacts.outgoing(of: number), let answer = request.answeredBy,
        answer.isEarlier(than: stamp, by: Acceptance.margin)
      else { continue }
      report(
        .subscription(.requestForRequest(ours: request.since.record)), about: number,
        cause: answer.record, by: .account)
    }
  }
}
