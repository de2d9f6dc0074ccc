import DequeModule
import RawBytes
import XMPPStanza

// Errors that name no request: those of presence and subscription stanzas (RFC 6120 §8.3.1,
// RFC 6121 §3.1.2 and §4.3.2), and answers to requests without an id. None of them creates or ends
// a resource or affects a subscription.
extension Reduction {
  /// An error answers what we sent to an address.
  mutating func presenceErrorReceived(from: StoredJID, _ error: ErrorReport) {
    // Nothing is kept of an address that the roster does not know: anyone can make up errors.
    guard let number = roster.contacts.number(ofAddress: from.bare) else {
      return noteNews(of: from.jid.bare)
    }
    let contact = roster.contacts.address(of: number)
    let last = roster.contacts.returnedError(of: number)
    guard let (kind, cause) = stanza(answeredBy: from, number, contact) else {
      guard roster.contacts.item(of: number) != nil else { return noteNews(of: contact) }
      // Our presence goes to every contact at each login, and fails at each.
      if last?.report != error { noteNews(of: contact) }
      remember(ReturnedError(record: stamp.record, cause: nil, report: error), of: number)
      return
    }
    noteNews(of: contact)
    forgetAcceptances(of: number, where: \.isOurs)
    // A server sends an unanswered request again at each login.
    if last?.cause != cause {
      report(.subscription(.undelivered(kind, error)), about: number, cause: cause)
    }
    remember(ReturnedError(record: stamp.record, cause: cause, report: error), of: number)
  }

  private mutating func remember(_ error: ReturnedError, of number: ContactNumber) {
    roster.contacts.updateDetails(of: number) { $0.returnedError = error }
  }

  /// The subscription stanza of ours that an error answers, which goes to the bare address; nil if
  /// the error answers presence.
  private func stanza(
    answeredBy from: StoredJID, _ number: ContactNumber, _ contact: BareJID
  ) -> (SubscriptionStanza.Kind, UInt64)? {
    guard from.resource == nil else { return nil }
    if let answer = session.sentAnswers.last(where: { $0.contact == contact }),
      !answer.sent.isEarlier(than: stamp, by: Timeout.answer)
    {
      return (answer.kind, answer.sent.record)
    }
    guard let request = roster.contacts.outgoing(of: number) else { return nil }
    // A contact that sees us is sent our presence as well.
    guard !seesUs(number) || !request.since.isEarlier(than: stamp, by: Timeout.answer) else {
      return nil
    }
    return (.subscribe, request.since.record)
  }

  /// We sent an answer or the end of a subscription, which an error may answer.
  mutating func expectErrors(of kind: SubscriptionStanza.Kind, to contact: BareJID) {
    session.sentAnswers.removeAll { $0.contact == contact }
    // A request stays open until it is answered.
    guard kind != .subscribe else { return }
    if session.sentAnswers.count >= WaitingLimit.unidentified { session.sentAnswers.removeFirst() }
    session.sentAnswers.append(SentAnswer(contact: contact, kind: kind, sent: stamp))
  }

  /// The contact can be reached: it is available.
  mutating func forgetReturnedError(of number: ContactNumber) {
    guard roster.contacts.row(of: number).detailParts.contains(.returnedError) else { return }
    roster.contacts.updateDetails(of: number) { $0.returnedError = nil }
  }

  // MARK: Requests without an id

  /// A request of ours without an id: only an answer without one can be its answer.
  mutating func unidentifiedRequestSent(about contact: BareJID?) {
    if session.unidentifiedRequests.count >= WaitingLimit.unidentified {
      session.unidentifiedRequests.removeFirst()
    }
    session.unidentifiedRequests.append(UnidentifiedRequest(contact: contact, sent: stamp))
  }

  /// An answer without an id. A server answers requests in order, so it answers the oldest request
  /// that has none.
  ///
  /// - Returns: Whether the answer refuses a request.
  mutating func unidentifiedAnswerReceived(_ answer: StoredAnswer) -> Bool {
    let (from, now) = (answer.head.peer?.jid, stamp)
    session.unidentifiedRequests.removeAll { $0.sent.isEarlier(than: now, by: Timeout.answer) }
    guard owner.isOwnServer(from), !session.unidentifiedRequests.isEmpty else { return false }
    let request = session.unidentifiedRequests.removeFirst()
    guard case .error(let error) = answer.payload else { return false }
    if let contact = request.contact {
      report(.edit(.refused(error)), about: contact, cause: request.sent.record)
    } else {
      report(.answer(.refusedQuery(error)), cause: request.sent.record)
    }
    return true
  }

  /// A push shows a contact, so the server has carried out the sets about it.
  mutating func unidentifiedSetsShown(of address: RawSpan) {
    guard !session.unidentifiedRequests.isEmpty else { return }
    session.unidentifiedRequests.removeAll { $0.contact?.text.hasBytes(address) == true }
  }
}
