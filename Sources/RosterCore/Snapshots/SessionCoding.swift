import DequeModule
import XMPPStanza

// Sessions, and their requests that await an answer.
extension RosterOutput {
  mutating func write(_ session: Session) {
    plain.write(UInt64(session.connection.number))
    plain.write(tag: session.phase.code)
    for end in [session.ends.server, session.ends.ours] {
      plain.write(end != nil)
      guard let end else { continue }
      plain.write(end.record)
      plain.write(end.reportedLateStanza)
    }
    plain.write(session.server)
    plain.write(session.resource)
    plain.write(session.openedAt)
    plain.write(session.features.versioning)
    plain.write(session.features.preApproval)
    plain.write(session.isAlive)
    plain.write(session.resumptionID)
    plain.write(tag: session.initialPresence.code)
    plain.write(session.isAvailable)
    plain.write(session.fetchedAt != nil)
    if let fetched = session.fetchedAt { write(fetched) }
    plain.write(session.lastReceived != nil)
    if let received = session.lastReceived { write(received) }
    plain.write(session.beginsCapture)
    plain.write(session.rosterRefusal != nil)
    if let refusal = session.rosterRefusal { plain.write(refusal.condition) }
    plain.write(session.reportedCrowd)
    plain.write(session.hasAsked)
    plain.write(session.askedBefore)
    plain.write(session.unfetchedSince != nil)
    if let since = session.unfetchedSince { write(since) }
    plain.write(session.showedBefore)
    plain.write(session.unshownSince != nil)
    if let since = session.unshownSince { write(since) }
    plain.write(UInt64(session.settledIDs.count))
    for settled in session.settledIDs {
      plain.write(settled.id)
      write(record: settled.record)
    }
    plain.write(session.unansweredBlockPushes)
    plain.write(UInt64(session.pendingPushCount))
    plain.write(session.lastPendingPush)
    plain.write(UInt64(session.openQueries.count))
    for open in session.openQueries {
      plain.write(Query(id: open.id, to: open.to, subject: open.subject.kind))
      write(open.sent)
      plain.write(open.subject.isBaseKnown)
      plain.write(open.subject.isReportedAsOverdue)
    }
    plain.write(session.hasForgottenEdits)
    plain.write(UInt64(session.pendingEdits.count))
    for edit in session.pendingEdits { write(edit) }
    writeLastSet(of: session)
    plain.write(UInt64(session.openBlocking.count))
    for open in session.openBlocking {
      plain.write(open.request)
      write(open.sent)
    }
    plain.write(UInt64(session.unacknowledged.count))
    for push in session.unacknowledged {
      plain.write(push.id)
      plain.write(push.contact)
      write(push.received)
    }
    plain.write(UInt64(session.pushableContacts.count))
    for contact in session.pushableContacts { plain.write(contact) }
    plain.write(UInt64(session.directedTo.count))
    for address in session.directedTo { plain.write(address) }
    plain.write(UInt64(session.sentAnswers.count))
    for answer in session.sentAnswers {
      plain.write(answer.contact)
      plain.write(answer.kind.rawValue)
      write(answer.sent)
    }
    plain.write(UInt64(session.unidentifiedRequests.count))
    for request in session.unidentifiedRequests {
      plain.write(request.contact)
      write(request.sent)
    }
    plain.write(session.resumed != nil)
    if let resumed = session.resumed { write(resumed) }
    plain.write(session.lostAt != nil)
    if let lost = session.lostAt { write(lost) }
    plain.write(UInt64(session.refusals.count))
    for refusal in session.refusals {
      plain.write(refusal.contact)
      write(refusal.sent)
      plain.write(refusal.isOfBefore)
    }
    for list in [session.told, session.possibleRedeliveries] {
      plain.write(UInt64(list.count))
      for told in list {
        plain.write(told.contact)
        plain.write(told.content)
      }
    }
  }
}

extension RosterInput {
  mutating func readSession() throws(CodecError) -> Session {
    guard let number = UInt32(exactly: try plain.readNumber()) else { throw plain.invalid }
    var session = Session(connection: ConnectionID(number: number))
    session.phase = try plain.readCode()
    session.ends.server = try readStreamEnd()
    session.ends.ours = try readStreamEnd()
    session.server = try plain.readOptional()
    session.resource = try plain.readOptionalText()
    session.openedAt = try plain.readNumber()
    session.features.versioning = try plain.readFlag()
    session.features.preApproval = try plain.readFlag()
    session.isAlive = try plain.readFlag()
    session.resumptionID = try plain.readOptionalText()
    session.initialPresence = try plain.readCode()
    session.isAvailable = try plain.readFlag()
    if try plain.readFlag() { session.fetchedAt = try readStamp() }
    if try plain.readFlag() { session.lastReceived = try readStamp() }
    session.beginsCapture = try plain.readFlag()
    if try plain.readFlag() {
      session.rosterRefusal = RosterRefusal(condition: try plain.readOptionalText())
    }
    session.reportedCrowd = try plain.readFlag()
    session.hasAsked = try plain.readFlag()
    session.askedBefore = try plain.readFlag()
    if try plain.readFlag() { session.unfetchedSince = try readStamp() }
    session.showedBefore = try plain.readFlag()
    if try plain.readFlag() { session.unshownSince = try readStamp() }
    for _ in 0..<(try plain.readCount()) {
      session.settledIDs.append(SettledID(id: try plain.readText(), record: try readRecord()))
    }
    session.unansweredBlockPushes = try plain.readNumber()
    guard let pendingPushCount = Int(exactly: try plain.readNumber()) else { throw plain.invalid }
    session.pendingPushCount = pendingPushCount
    session.lastPendingPush = try plain.readNumber()
    for _ in 0..<(try plain.readCount()) {
      let query: Query = try plain.read()
      guard let id = query.id else { throw plain.invalid }
      session.openQueries.append(
        OpenQuery(
          id: id, to: query.to, sent: try readStamp(),
          subject: AwaitedAnswer(
            kind: query.subject, isBaseKnown: try plain.readFlag(),
            isReportedAsOverdue: try plain.readFlag())))
    }
    session.hasForgottenEdits = try plain.readFlag()
    for _ in 0..<(try plain.readCount()) {
      session.pendingEdits.append(try readPendingEdit())
    }
    session.lastSet = try readLastSet()
    for _ in 0..<(try plain.readCount()) {
      session.openBlocking.append(
        OpenBlocking(request: try plain.read(), sent: try readStamp()))
    }
    for _ in 0..<(try plain.readCount()) {
      session.unacknowledged.append(
        UnacknowledgedPush(
          id: try plain.readText(), contact: try plain.read(), received: try readStamp()))
    }
    for _ in 0..<(try plain.readCount()) { session.pushableContacts.append(try plain.read()) }
    for _ in 0..<(try plain.readCount()) { session.directedTo.append(try plain.read()) }
    for _ in 0..<(try plain.readCount()) {
      session.sentAnswers.append(
        SentAnswer(
          contact: try plain.read(), kind: try plain.readName(), sent: try readStamp()))
    }
    for _ in 0..<(try plain.readCount()) {
      session.unidentifiedRequests.append(
        UnidentifiedRequest(contact: try plain.readOptional(), sent: try readStamp()))
    }
    guard session.openBlocking.count <= OpenBlocking.limit,
      session.settledIDs.count <= WaitingLimit.settledIDs,
      session.pushableContacts.count <= WaitingLimit.count,
      session.directedTo.count <= WaitingLimit.directed,
      session.sentAnswers.count <= WaitingLimit.unidentified,
      session.unidentifiedRequests.count <= WaitingLimit.unidentified
    else { throw plain.invalid }
    if try plain.readFlag() { session.resumed = try readStamp() }
    if try plain.readFlag() { session.lostAt = try readStamp() }
    for _ in 0..<(try plain.readCount()) {
      session.refusals.append(
        Refusal(
          contact: try plain.read(), sent: try readStamp(), isOfBefore: try plain.readFlag()))
    }
    session.told = try readDelivered()
    session.possibleRedeliveries = try readDelivered()
    return session
  }

  private mutating func readStreamEnd() throws(CodecError) -> StreamEnd? {
    guard try plain.readFlag() else { return nil }
    return StreamEnd(
      record: try plain.readNumber(), reportedLateStanza: try plain.readFlag())
  }

  mutating func readPrematureSet() throws(CodecError) -> PrematureSet? {
    guard try plain.readFlag() else { return nil }
    return PrematureSet(known: try plain.readOptional(), replaced: try plain.readOptional())
  }

  private mutating func readDelivered() throws(CodecError) -> [DeliveredItem] {
    var list: [DeliveredItem] = []
    for _ in 0..<(try plain.readCount()) {
      list.append(DeliveredItem(contact: try plain.read(), content: try plain.read()))
    }
    return list
  }
}
