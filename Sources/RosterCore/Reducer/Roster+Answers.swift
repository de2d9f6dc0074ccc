import HashTreeCollections
import XMPPStanza

// Requests of ours and what came back: §2.1.3 to §2.1.5, §2.6.3, XEP-0191 §3.2.
extension Roster {
  mutating func send(_ query: Query, _ step: inout Step) {
    var isBaseKnown = false
    if case .roster(let version) = query.subject {
      guard isOwnAccount(query.to) else {
        step.find(
          .misdirectedQuery, about: query.to?.bare,
          "A roster get to another address is no request for our roster (RFC 6121 §2.1.3).")
        return
      }
      isBaseKnown =
        completeness == .complete && version.map { knownVersions.contains($0) } ?? false
      reportUnusedVersion(version, &step)
    }
    guard query.id != nil else {
      step.find(.missingID, "A get without an id cannot be answered (RFC 6120 §8.2.3).")
      return
    }
    openQueries.append(OpenQuery(query: query, sent: step.stamp, isBaseKnown: isBaseKnown))
    expectAnswer(after: step.stamp)
    if openQueries.count > Waiting.limit { openQueries.removeFirst().giveUp(&step) }
  }

  private mutating func reportUnusedVersion(_ version: String?, _ step: inout Step) {
    // A server that gave a version keeps them, whether or not its offer is in the log.
    guard version == nil, stream.features.versioning || self.version != nil,
      !stream.reportedUnusedVersion
    else { return }
    stream.reportedUnusedVersion = true
    step.find(
      .unusedVersion,
      "The server keeps roster versions, but the get names none: the whole roster is sent at "
        + "each login (RFC 6121 §2.6.2).")
  }

  mutating func receive(_ answer: Answer, _ step: inout Step) {
    guard let id = answer.id else {
      receiveUnasked(answer, &step)
      return
    }
    // An id need be unique for one addressee only (RFC 6120 §8.1.3).
    if let index = openQueries.firstIndex(where: {
      $0.query.id == id && mayAnswer($0.query, from: answer.from)
    }) {
      settle(openQueries.remove(at: index), answer, &step)
    } else if edits.pending.contains(where: { $0.id == id }) {
      settleEdits(answer, &step)
    } else if let open = openQueries.first(where: { $0.query.id == id }) {
      reportSpoofed(answer, open, &step)
    } else {
      receiveUnasked(answer, &step)
    }
  }

  /// A new session: what was not answered will never be.
  mutating func abandonQueries(_ step: inout Step) {
    for open in openQueries { open.giveUp(&step) }
    openQueries = []
  }

  private func reportSpoofed(_ answer: Answer, _ open: OpenQuery, _ step: inout Step) {
    step.find(
      .spoofedAnswer, about: answer.from?.bare, cause: open.sent.record,
      "An answer from \(answer.from?.description ?? "nobody") to the request of record "
        + "\(open.sent.record) was ignored: it was not asked (RFC 6120 §8.1.2.1).")
  }

  private mutating func settle(_ open: OpenQuery, _ answer: Answer, _ step: inout Step) {
    switch (open.query.subject, answer.payload) {
    case (.roster, .roster(let query)): replaceRoster(by: query, asked: open.sent.record, &step)
    case (.roster(let version), .nothing): keepRoster(version, open, &step)
    case (.blockList, .blockList(let jids)): replaceBlocked(by: Set(jids), &step)
    case (.vCard, .vCard(let names)): setVCard(names, of: owner(open.query), &step)
    case (.nickname, .nickname(let name)): setNickname(name, of: owner(open.query), &step)
    case (.roster, .error(let condition)): reportRefusal(condition, open, &step)
    case (.roster, _):
      step.find(
        .emptyResult, cause: open.sent.record,
        "The answer to the roster get of record \(open.sent.record) holds no roster; the roster "
          + "stays as it was.")
    case (.blockList, _), (.vCard, _), (.nickname, _): break
    }
  }

  private func mayAnswer(_ query: Query, from: JID?) -> Bool {
    guard let to = query.to, !isOwnAccount(to) else { return isOwnServer(from) }
    return from == to || from?.description == to.bare.text
  }

  private func owner(_ query: Query) -> BareJID? { query.to?.bare ?? account }

  /// An empty result to a versioned get: the roster is what the client already had (§2.6.3).
  private mutating func keepRoster(_ version: String?, _ open: OpenQuery, _ step: inout Step) {
    guard let version, !version.isEmpty else {
      step.find(
        .emptyResult, cause: open.sent.record,
        "A get that names no version was answered as if nothing had changed; the roster stays as "
          + "it was (RFC 6121 §2.6.3).")
      return
    }
    guard !open.isBaseKnown else { return }
    step.find(
      .unknownBase, cause: open.sent.record,
      "The server says that nothing has changed since version “\(version)”, which is not in the "
        + "log: the whole roster is not known.")
    setCompleteness(.baseUnknown, &step)
  }

  private func reportRefusal(_ condition: String?, _ open: OpenQuery, _ step: inout Step) {
    step.find(
      .refusedQuery, cause: open.sent.record,
      "The roster get of record \(open.sent.record) was refused"
        + (condition.map { " (\($0))" } ?? "") + "; the roster stays as it was.")
  }

  /// Where only one direction was captured there are no requests to match: the server's results
  /// are taken at their word.
  private mutating func receiveUnasked(_ answer: Answer, _ step: inout Step) {
    let isTrusted = stream.isInboundOnly && isOwnServer(answer.from)
    switch answer.payload {
    case .roster(let query):
      if isTrusted {
        replaceRoster(by: query, asked: nil, &step)
      } else {
        reportUnasked(answer, &step)
      }
    case .blockList(let jids):
      if isTrusted {
        replaceBlocked(by: Set(jids), &step)
      } else {
        reportUnasked(answer, &step)
      }
    case .vCard(let names):
      if stream.isInboundOnly { setVCard(names, of: answer.from?.bare ?? account, &step) }
    case .nickname(let name):
      if stream.isInboundOnly { setNickname(name, of: answer.from?.bare ?? account, &step) }
    case .nothing, .other, .error: break
    }
  }

  private func reportUnasked(_ answer: Answer, _ step: inout Step) {
    step.find(
      .unsolicitedResult, about: answer.from?.bare,
      "A result from \(answer.from?.description ?? "the server") that answers no open request "
        + "was ignored (RFC 6121 §2.1.4).")
  }

  mutating func setCompleteness(_ new: Completeness, _ step: inout Step) {
    guard completeness != new else { return }
    step.change(.completeness(before: completeness, after: new))
    completeness = new
  }

  mutating func setVersion(_ new: String?, _ step: inout Step) {
    if let new { remember(new) }
    guard version != new else { return }
    step.change(.version(before: version, after: new))
    version = new
  }

  /// A client may have kept an older version than the log's last, if it lost a push: the server
  /// then sends what came after it once more (§2.6.3), so an older base is a known one too.
  private mutating func remember(_ version: String) {
    guard knownVersions.last != version else { return }
    if knownVersions.count == Self.knownVersionLimit { knownVersions.removeFirst() }
    knownVersions.append(version)
  }

  private static var knownVersionLimit: Int { 64 }
}

extension OpenQuery {
  /// Says that no answer is waited for any more, unless its lateness was told already.
  fileprivate func giveUp(_ step: inout Step) {
    guard !isReportedAsLate else { return }
    step.find(
      .unansweredQuery, about: query.to?.bare, cause: sent.record,
      "The request of record \(sent.record) was never answered.")
  }
}
