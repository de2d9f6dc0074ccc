import DequeModule
import RawBytes
import XMPPStanza

// Requests of ours and what came back: §2.1.3 to §2.1.5, §2.6.3, XEP-0191 §3.2.
extension Reduction {
  mutating func querySent(_ query: Query) {
    var isBaseKnown = false
    if case .roster(let version) = query.subject {
      guard owner.isOwnAccount(query.to) else {
        report(.answer(.misdirectedQuery), about: query.to?.bare)
        return
      }
      isBaseKnown = version.map { roster.holdsWhatVersionStandsFor($0) } ?? false
      reportUnusedVersion(version)
      session.hasAsked = true
      session.unfetchedSince = nil
      if version?.isEmpty == false { baseNamed(isKnown: isBaseKnown) }
    }
    guard let id = query.id else {
      report(.answer(.missingID(.get)))
      if case .roster = query.subject { unidentifiedRequestSent(about: nil) }
      return
    }
    session.openQueries.append(
      OpenQuery(
        id: id, to: query.to, sent: stamp,
        subject: AwaitedAnswer(kind: query.subject, isBaseKnown: isBaseKnown)))
    expectAnswer()
    if session.openQueries.count > WaitingLimit.count {
      giveUp(session.openQueries.removeFirst(), of: place)
    }
  }

  private mutating func reportUnusedVersion(_ version: String?) {
    // The first get of a log decides: a client does at each login what it does at the first.
    guard !roster.hasJudgedVersionUse else { return }
    roster.hasJudgedVersionUse = true
    guard version == nil, session.features.versioning else { return }
    report(.item(.unusedVersion))
  }

  /// A session that shows its presence should ask for the roster, if its client ever did.
  mutating func expectFetch() {
    guard !session.hasAsked, session.askedBefore, !roster.isInboundOnly else { return }
    session.unfetchedSince = stamp
    expectAnswer()
  }

  mutating func reportUnfetched(of place: Int) {
    guard let since = roster.sessions[place].unfetchedSince else { return }
    roster.sessions[place].unfetchedSince = nil
    report(.item(.unfetched), cause: since.record, by: .session(place))
  }

  mutating func answerReceived(_ answer: StoredAnswer) {
    if case .error(let report) = answer.payload, !report.saysNotThere {
      let from = answer.head.peer?.jid
      noteNews(of: owner.isOwnServer(from) ? nil : from?.bare)
    }
    noteSettled(answer)
    guard let id = answer.head.id else {
      if !unidentifiedAnswerReceived(answer) { unaskedAnswerReceived(answer) }
      return
    }
    let owner = owner
    if let index = session.openQueries.firstIndex(where: {
      $0.id.hasBytes(id) && $0.mayBeAnswered(by: answer.head.peer?.jid, in: owner)
    }) {
      queryAnswered(session.openQueries.remove(at: index), by: answer)
    } else if session.pendingEdits.contains(where: { $0.id.hasBytes(id) }) {
      setAnswered(by: answer)
    } else if blockingAnswered(by: answer) {
      // The answer to a request to block means nothing else.
      return
    } else if let open = session.openQueries.first(where: { $0.id.hasBytes(id) }) {
      let from = answer.head.peer?.jid
      guard !foreignRosterReceived(answer, cause: open.sent.record) else { return }
      report(
        .answer(.spoofed(from: from, to: .query)), about: from?.bare, cause: open.sent.record)
    } else {
      unaskedAnswerReceived(answer)
    }
  }

  private mutating func queryAnswered(_ open: OpenQuery<AwaitedAnswer>, by answer: StoredAnswer) {
    serverAnswered(open.sent.record)
    switch (open.subject.kind, answer.payload) {
    case (.roster, .roster(let query)):
      reportRosterFromDomain(answer)
      rosterReceived(query, asked: open.sent.record)
    case (.roster(let version), .nothing): rosterUnchanged(since: version, open)
    case (.roster, .error(let refusal)):
      // A session that was told the roster once is still told its changes.
      guard !session.hasFetched else {
        return report(.answer(.refusedQuery(refusal)), cause: open.sent.record)
      }
      // A client that asks again has the same cause to be refused.
      let known = session.rosterRefusal
      session.rosterRefusal = RosterRefusal(condition: refusal.condition)
      guard known != session.rosterRefusal else { return noteNews(of: nil) }
      report(.answer(.refusedQuery(refusal)), cause: open.sent.record)
    case (.roster, _): report(.answer(.missingRoster), cause: open.sent.record)
    case (.blockList, .blockList(let jids)): blockListReceived(jids)
    case (.vCard, .vCard(let names)):
      if let number = subject(open.to?.bare) { vCardLearned(names, of: number) }
    case (.nickname, .nickname(let name)):
      if let number = subject(open.to?.bare) { nicknameLearned(name, of: number) }
    case (.blockList, _), (.vCard, _), (.nickname, _): break
    }
  }

  /// The contact whose names an answer gives: the address asked, or our own account without one.
  private mutating func subject(_ jid: BareJID?) -> ContactNumber? {
    (jid ?? roster.account).map { roster.contacts.insert($0) }
  }

  /// An empty result to a versioned get: the roster is what the client already had (§2.6.3).
  private mutating func rosterUnchanged(since version: String?, _ open: OpenQuery<AwaitedAnswer>) {
    guard let version, !version.isEmpty else {
      report(.answer(.unchangedFromNothing), cause: open.sent.record)
      return
    }
    rosterLearned(asked: open.sent.record)
    awaitPushes(since: version)
    guard !open.subject.isBaseKnown else { return }
    report(.answer(.unknownBase(version: version)), cause: open.sent.record)
    completenessLearned(.baseUnknown)
  }

  /// If only one direction was captured, or the log begins in the middle of a session, there may be
  /// no request to match: the results of a sender who may answer are taken at their word.
  private mutating func unaskedAnswerReceived(_ answer: StoredAnswer) {
    let isUnmatched = roster.isInboundOnly || isFragment || lacksQueries
    let isTrusted = isUnmatched && owner.isOwnServer(answer.head.peer?.jid)
    guard !foreignRosterReceived(answer) else { return }
    switch answer.payload {
    case .roster(let query) where isTrusted:
      if !roster.isInboundOnly { report(.answer(.unseenQuery)) }
      rosterReceived(query, asked: nil)
    case .blockList(let jids) where isTrusted: blockListReceived(jids)
    case .roster, .blockList:
      report(.answer(.unsolicited(from: answer.head.peer?.jid)), about: answer.head.peer?.jid.bare)
    case .vCard(let names):
      if isUnmatched, let number = subject(answer.head.peer?.jid.bare) {
        vCardLearned(names, of: number)
      }
    case .nickname(let name):
      if isUnmatched, let number = subject(answer.head.peer?.jid.bare) {
        nicknameLearned(name, of: number)
      }
    case .nothing, .other, .error: break
    }
  }

  /// A roster from a sender that has no right to send ours (§2.1.4).
  ///
  /// - Parameter cause: The get that has the id of the answer; nil if none has.
  /// - Returns: Whether the answer is one, which is ignored.
  private mutating func foreignRosterReceived(_ answer: StoredAnswer, cause: UInt64? = nil) -> Bool
  {
    let from = answer.head.peer?.jid
    guard case .roster = answer.payload, roster.account != nil, !owner.isOwnServer(from),
      let refusal = refusal(ofPushFrom: from)
    else { return false }
    report(.answer(.foreignRoster(refusal)), about: from?.bare, cause: cause)
    return true
  }

  /// Keeps the id of an answer of our server: an answer of ours to it is an answer to nothing.
  private mutating func noteSettled(_ answer: StoredAnswer) {
    guard let id = answer.head.id, owner.isOwnServer(answer.head.peer?.jid) else { return }
    noteSettled(String(decoding: id))
  }

  /// Keeps the id of an answer, or of a push that was acknowledged.
  mutating func noteSettled(_ id: String) {
    session.settledIDs.removeAll { $0.id.hasSameBytes(as: id) }
    if session.settledIDs.count >= WaitingLimit.settledIDs { session.settledIDs.removeFirst() }
    session.settledIDs.append(SettledID(id: id, record: stamp.record))
  }

  /// The server may have sent a request of which no id is known, so an answer of ours may be its
  /// answer.
  mutating func unknownRequestReceived() { roster.eventsSince = stamp.record &+ 1 }

  /// Whether an answer of ours that answers no push answers nothing at all: the server has not used
  /// its id since an answer had it, or not in the whole session.
  ///
  /// Requests of the server that do not concern the roster, such as pings, are no events but have
  /// records, so only where all records are events it is known what the server has asked.
  func answersNothing(_ id: RawSpan) -> Bool {
    guard session.openedAt == 0 || roster.eventsSince > session.openedAt else { return true }
    return session.settledIDs.contains { $0.record >= roster.eventsSince && $0.id.hasBytes(id) }
  }

  /// A new session: what was not answered will never be.
  ///
  /// If nothing of the server was seen yet, what waits stays: the log may still show something.
  mutating func abandonQueries(of place: Int) {
    guard roster.hasReceived else { return }
    let abandoned = roster.sessions[place].openQueries
    roster.sessions[place].openQueries = []
    for open in abandoned { giveUp(open, of: place) }
  }

  /// Reports that no answer is waited for any more, unless it was reported as overdue already.
  private mutating func giveUp(_ open: OpenQuery<AwaitedAnswer>, of place: Int) {
    guard !open.subject.isReportedAsOverdue, roster.hasReceived else { return }
    report(
      .answer(.unansweredQuery(.forEver)), about: open.to?.bare, cause: open.sent.record,
      by: .session(place))
  }
}

extension ErrorReport {
  /// Whether the error says that what was asked for does not exist, or that it is not offered: an
  /// ordinary answer to a client that finds out what it can have (XEP-0030, XEP-0054, XEP-0199).
  fileprivate var saysNotThere: Bool {
    switch condition {
    case "item-not-found", "feature-not-implemented", "service-unavailable": true
    default: false
    }
  }
}

extension Roster {
  /// A client may have kept an older version than the log's last, if it lost a push: the server
  /// then sends what came after it once more (§2.6.3), so an older base is a known one too.
  fileprivate func holdsWhatVersionStandsFor(_ version: String) -> Bool {
    completeness == .complete && knownVersions.contains { $0.hasSameBytes(as: version) }
  }
}
