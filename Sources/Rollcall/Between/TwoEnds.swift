import EventStore
import RosterCore
package import XMPPStanza

/// The logs of two accounts, read as one dialogue about their subscriptions.
package struct TwoEnds: Sendable {
  package let comparison: EndsComparison
  /// The state of each end at the point up to which it was read.
  package let states: [PairEnd: Timeline.State]
  /// What happened at both ends, in the order of the first log's clock.
  package let dialogue: [Line]

  /// A record of one end that concerns the other account.
  package struct Line: Sendable {
    /// The end whose log has the record.
    package let end: PairEnd
    package let entry: HistoryEntry
    /// The record of the other log that has the same stanza; nil if none has.
    package let counterpart: UInt64?
    /// The milliseconds from the record that sent the stanza to the one that received it, by the
    /// aligned clocks; nil if they are not known.
    package let transit: Int64?

    /// Whether the record says no more than that a contact came, went or was away.
    package var isPresenceAlone: Bool {
      guard entry.findings.isEmpty,
        entry.changes.allSatisfy({ $0.field == .presence }),
        case .stanza(let stanza) = entry.moment.event
      else { return false }
      switch stanza {
      case .availableReceived, .unavailableReceived, .presenceSent: return true
      case .querySent, .setSent, .answerReceived, .pushReceived, .answerSent,
        .subscriptionReceived, .subscriptionSent, .presenceErrorReceived, .blocked, .unblocked,
        .blockingSent, .nicknamePublished, .vCardPublished, .rejected:
        return false
      }
    }
  }

  /// The account of an end.
  package func account(_ end: PairEnd) -> BareJID? { comparison.ends[end]?.account }
}

/// Why two logs cannot be compared as the two ends of a subscription.
package enum TwoEndsError: Error, Hashable, CustomStringConvertible {
  /// This log does not say which account it is of.
  case unknownAccount(PairEnd)
  /// Both logs are of this account.
  case oneAccount(BareJID)

  /// A sentence for people.
  package var description: String {
    switch self {
    case .unknownAccount(let end):
      "the \(end.rawValue) log does not say which account it is of"
    case .oneAccount(let account):
      "both logs are of \(account); rollcall diff compares two devices of an account"
    }
  }
}

extension TwoEnds {
  /// Reads two logs, each up to a point.
  ///
  /// - Throws: `TwoEndsError` if they are not of two accounts; `RollcallError` if there is no such
  ///   point, or a log cannot be read.
  ///
  /// Complexity: linear in the records of both, which are read three times.
  package init(
    _ first: Timeline, upTo firstPoint: LogPoint, _ second: Timeline, upTo secondPoint: LogPoint
  ) throws {
    var states: [PairEnd: Timeline.State] = [:]
    states[.first] = try first.state(at: firstPoint)
    states[.second] = try second.state(at: secondPoint)
    let accounts = try PairEnd.allCases.map { end in
      guard let account = states[end]?.account else { throw TwoEndsError.unknownAccount(end) }
      return account
    }
    guard accounts[0] != accounts[1] else { throw TwoEndsError.oneAccount(accounts[0]) }
    let points = [firstPoint, secondPoint]
    var ends: [RecordedEnd] = []
    var entries: [[HistoryEntry]] = []
    for (index, timeline) in [first, second].enumerated() {
      let contact = accounts[1 - index]
      ends.append(
        try timeline.recordedEnd(of: accounts[index], with: contact, upTo: points[index]))
      var found: [HistoryEntry] = []
      _ = try timeline.history(of: contact, upTo: points[index]) { entry, _ in
        if !entry.isOfSessionAlone { found.append(entry) }
      }
      entries.append(found)
    }
    comparison = EndsComparison(ends[0], ends[1])
    self.states = states
    dialogue = Self.dialogue(entries[0], entries[1], comparison)
  }

  private static func dialogue(
    _ first: [HistoryEntry], _ second: [HistoryEntry], _ comparison: EndsComparison
  ) -> [Line] {
    var known: [PairEnd: [UInt64: (other: UInt64, transit: Int64?)]] = [:]
    for stanza in comparison.shared {
      let (sent, received) = (stanza.sent.stamp, stanza.received.stamp)
      let offset = stanza.sender == .first ? comparison.clocks.offset : -comparison.clocks.offset
      let transit = sent.clock.flatMap { sent in
        received.clock.map { $0.shifted(by: sent).shifted(by: offset) }
      }
      known[stanza.sender, default: [:]][sent.record] = (received.record, transit)
      known[stanza.sender.opposite, default: [:]][received.record] = (sent.record, transit)
    }
    func line(_ end: PairEnd, _ entry: HistoryEntry) -> Line {
      let same = known[end]?[entry.moment.stamp.record]
      return Line(
        end: end, entry: entry, counterpart: same?.other, transit: same?.transit.map { max(0, $0) })
    }
    // Merges two lists, each of which is in order. A record without a time follows the one before.
    var lines: [Line] = []
    var (left, right) = (first[...], second[...])
    while let a = left.first, let b = right.first {
      let times = (
        a.moment.stamp.time ?? .min,
        b.moment.stamp.time?.shifted(by: comparison.clocks.offset) ?? .min
      )
      let isFirst =
        times.0 == times.1
        ? a.moment.way != .inbound || b.moment.way == .inbound : times.0 < times.1
      if isFirst {
        lines.append(line(.first, a))
        left.removeFirst()
      } else {
        lines.append(line(.second, b))
        right.removeFirst()
      }
    }
    return lines + left.map { line(.first, $0) } + right.map { line(.second, $0) }
  }
}

extension Timeline {
  /// What the log says about the subscriptions of its account with another one.
  ///
  /// Complexity: linear in the records up to the point, which are read twice.
  package func recordedEnd(
    of account: BareJID, with contact: BareJID, upTo point: LogPoint
  ) throws -> RecordedEnd {
    var end = EndReader(of: account, with: contact)
    let last = try record(at: point)
    try replay(upTo: .record(last)) { end.follow($0, $1) }
    guard last > 0 else { return end.recorded }
    try log.forEachRecord(in: 1...last) { header, bytes in
      if includes(header.connection) { end.read(header, bytes) }
    }
    return end.recorded
  }
}
