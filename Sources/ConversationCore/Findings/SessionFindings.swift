import XMPPStanza

// What is odd about sessions and about the end of a log (rule 35).
extension Conversations {
  /// A session begins while no other one is open: what was between may be missing.
  mutating func reportBoundAnew(at position: RecordPosition) {
    guard let earlier = ended.last else { return }
    ended.removeAll()
    let resumes = sessions[position.connection]?.resumes
    if earlier.wasLost, earlier.resumptionID != nil, resumes == nil {
      report(.resumeNotTried, at: position, about: nil)
    }
    gaps.append(SessionGap(start: earlier.position, end: position))
  }

  /// What is odd if the log ends here: what no later record decides.
  ///
  /// Complexity: linear in the messages, times the answered queries for those that may be lost.
  package var findingsAtEnd: [ConversationFinding] {
    var found: [ConversationFinding] = []
    for gap in gaps where !isCovered(gap) {
      found.append(ConversationFinding(.gap, record: gap.end.record, contact: nil))
    }
    for message in messages where message.isOurs && message.foldedInto == nil {
      let key = all[message.conversation].key
      if isMaybeLost(message, key) {
        found.append(
          ConversationFinding(.maybeLost, record: message.current.record, contact: key.jid))
      }
      if message.requestsReceipt, !message.hasReceipt, message.state == .displayed {
        found.append(
          ConversationFinding(.receiptMissing, record: message.record, contact: key.jid))
      }
    }
    return found
  }

  private func isCovered(_ gap: SessionGap) -> Bool {
    answeredPages.contains { page in
      guard page.archive == account, page.answered.record > gap.end.record else { return false }
      guard !page.startsAfterUnknown, let start = gap.start.time, let first = page.start else {
        return true
      }
      return first <= start
    }
  }

  /// Whether a complete query of the archive over the time of a message does not have it. If it
  /// was written again, it may have arrived either time.
  private func isMaybeLost(_ message: Message, _ key: ConversationKey) -> Bool {
    let version = message.current
    let archiveIDs = message.versions.count == 1 ? message.archiveIDs : version.archiveIDs
    guard message.state == .unconfirmed, !message.isUnstored, archiveIDs.isEmpty,
      let start = version.time
    else { return false }
    let written = version.lastWritten ?? RecordStamp(record: version.record, time: start)
    let end = written.time ?? start
    let archive = key.kind == .group ? key.jid.bare : account
    return [start, end].allSatisfy { time in
      answeredPages.contains { page in
        page.archive == archive && page.answered.record > written.record
          && (page.with.map { $0.bare == key.jid.bare } ?? true)
          && (page.start ?? .min) <= time && time <= (page.end ?? .max)
      }
    }
  }
}
