import RosterCore

/// Two accounts compared by their logs: whether both ends of each subscription are in the same
/// stage, and if not, which end is right.
package struct EndsComparison: Hashable, Sendable {
  /// The first account's log, and the second's by the clock of the first.
  package let ends: [PairEnd: RecordedEnd]
  package let clocks: ClockAlignment
  /// The stanzas that both logs have, in the order in which they were sent.
  package let shared: [SharedStanza]
  /// The subscription of the first account to the second's presence, then the other one.
  package let directions: [Direction]

  /// The time that the news of a change may take to reach the other end, in milliseconds.
  package static let settling: Int64 = 60_000

  /// The time within which a stanza and the push that shows its effect may cross, in milliseconds.
  package static let crossing: Int64 = 1_000

  /// One direction of the subscription.
  package struct Direction: Hashable, Sendable {
    /// The end that sees the presence of the other, or asks to.
    package let subscriber: PairEnd
    /// The moment that is judged, by the clock of the first log: when the first of the two logs
    /// ends. Nil if the logs do not say.
    package let time: Int64?
    /// The stages that the end of the subscriber, and that of the owner, may be in then.
    package let stages: [SubscriptionSide: PossibleStages]
    /// The records that set the stages.
    package let records: [SubscriptionSide: UInt64]
    /// The first other stage that a log shows after that.
    package let later: [SubscriptionSide: Later]
    package let verdict: Verdict

    /// Stages that a record shows.
    package struct Later: Hashable, Sendable {
      package let record: UInt64
      package let stages: PossibleStages
    }

    /// The end on a side.
    package func end(_ side: SubscriptionSide) -> PairEnd {
      side == .subscriber ? subscriber : subscriber.opposite
    }
  }

  /// Whether both ends of a direction agree.
  package enum Verdict: Hashable, Sendable {
    /// Both are in this stage.
    case agree(SubscriptionStage)
    /// The news of a change may still be on its way.
    case settling
    /// One account blocks the other, so its server is not told what changes (XEP-0191 §3).
    case blocked
    case unknown(Doubt)
    case disagree(Disagreement)
  }

  /// Why the logs cannot tell whether both ends agree.
  package enum Doubt: String, Hashable, Sendable, CaseIterable {
    /// The records of a log have no times.
    case noTimes = "no-times"
    /// A log never has the whole roster.
    case noRoster = "no-roster"
    /// The logs do not show both rosters when the first of them ends.
    case notTogether = "not-together"
    /// The owner has accepted a request, and its roster does not show it.
    case unshownAcceptance = "unshown-acceptance"
    /// Several stages are possible at an end, one of which agrees.
    case notShown = "not-shown"
  }

  /// Two ends that cannot both be right.
  package struct Disagreement: Hashable, Sendable {
    package let mismatch: SubscriptionMismatch
    /// The side that is right.
    package let right: SubscriptionSide
    package let cause: Cause
    /// The last subscription stanza before it that both ends have; nil if there is none.
    package let lastShared: SharedStanza?
    /// The ways to repair it, the one that follows the right end first.
    package let repairs: [SubscriptionRepair]
  }

  /// What parted two ends.
  package enum Cause: Hashable, Sendable {
    /// What this side did at a record never reached the other one.
    case lost(SubscriptionSide, RecordedEnd.Act)
    /// It arrived at the other end, at this record, whose roster does not show it.
    case notApplied(SubscriptionSide, RecordedEnd.Act, arrived: UInt64)
    /// The server of this side showed another stage at a record, which no stanza explains.
    case unexplained(SubscriptionSide, record: UInt64, isFetched: Bool)
    /// It was so when the logs began.
    case earlier
    /// It was not, and the logs do not show why.
    case unknown
  }

  /// Compares two ends.
  ///
  /// Complexity: linear in the stanzas and changes of both.
  package init(_ first: RecordedEnd, _ second: RecordedEnd) {
    let (shared, clocks) = [SharedStanza].matching(first.traffic, second.traffic)
    let ends: [PairEnd: RecordedEnd] = [
      .first: first, .second: second.shifted(by: clocks.offset),
    ]
    self.ends = ends
    self.clocks = clocks
    self.shared = shared
    directions = PairEnd.allCases.map { subscriber in
      DirectionReading(ends, shared, clocks, subscriber: subscriber).direction
    }
  }

  /// Whether any direction disagrees.
  package var hasDisagreement: Bool {
    directions.contains { if case .disagree = $0.verdict { true } else { false } }
  }
}
