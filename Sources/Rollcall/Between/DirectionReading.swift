import RosterCore

/// Judges one direction of a subscription between two recorded ends.
struct DirectionReading {

  let subscriber: PairEnd
  let clocks: ClockAlignment
  let ends: [SubscriptionSide: RecordedEnd]
  let tracks: [SubscriptionSide: StageTrack]
  let shared: [SharedStanza]

  init(
    _ ends: [PairEnd: RecordedEnd], _ shared: [SharedStanza], _ clocks: ClockAlignment,
    subscriber: PairEnd
  ) {
    self.subscriber = subscriber
    self.clocks = clocks
    self.shared = shared
    var sides: [SubscriptionSide: RecordedEnd] = [:]
    sides[.subscriber] = ends[subscriber]
    sides[.owner] = ends[subscriber.opposite]
    self.ends = sides
    tracks = Dictionary(
      uniqueKeysWithValues: sides.map { ($0.key, StageTrack(of: $0.value, as: $0.key)) })
  }

  /// The direction with its verdict.
  var direction: EndsComparison.Direction {
    let time = commonTime
    var stages: [SubscriptionSide: PossibleStages] = [:]
    var records: [SubscriptionSide: UInt64] = [:]
    var later: [SubscriptionSide: EndsComparison.Direction.Later] = [:]
    for (side, track) in tracks {
      let shown = time.map(track.stages) ?? .unknown
      stages[side] = shown
      records[side] = time.flatMap { track.change(upTo: $0)?.record }
      later[side] = time.flatMap { track.change(after: $0, from: shown) }.map {
        EndsComparison.Direction.Later(record: $0.record, stages: $0.stages)
      }
    }
    return EndsComparison.Direction(
      subscriber: subscriber, time: time, stages: stages, records: records, later: later,
      verdict: verdict(stages, at: time))
  }

  /// The last time at which the stages of both ends are known: when the first of them ends.
  private var commonTime: Int64? {
    let times = tracks.values.compactMap(\.knownUntil)
    return times.count == SubscriptionSide.allCases.count ? times.min() : nil
  }

  private func verdict(
    _ stages: [SubscriptionSide: PossibleStages], at time: Int64?
  ) -> EndsComparison.Verdict {
    guard let time else {
      let isWhole = ends.values.allSatisfy { !$0.spans.isEmpty }
      return .unknown(isWhole ? .noTimes : .noRoster)
    }
    guard let ours = stages[.subscriber], let theirs = stages[.owner], ours != .unknown,
      theirs != .unknown
    else {
      // A whole roster leaves nothing else open.
      let isShown = tracks.values.allSatisfy { $0.isShown(at: time) }
      return .unknown(isShown ? .unshownAcceptance : .notTogether)
    }
    guard let mismatch = SubscriptionMismatch(subscriber: ours, owner: theirs) else {
      guard ours == theirs, let stage = ours.lowest, ours == PossibleStages(stage) else {
        return .unknown(.notShown)
      }
      return .agree(stage)
    }
    if isBlocked(at: time) { return .blocked }
    // Between two sessions, another device may have changed it there and back.
    guard tracks.values.allSatisfy({ $0.isShown(at: time) }) else {
      return .unknown(.notTogether)
    }
    if mismatch == .staleRequest, isRefusedElsewhere(at: time) { return .unknown(.notShown) }
    let hasSettled = SubscriptionSide.allCases.allSatisfy {
      hasReachedOther($0, stages, mismatch, at: time)
    }
    guard hasSettled else { return .settling }
    return .disagree(disagreement(mismatch, stages, at: time))
  }

  // MARK: What must stay silent

  /// Whether an account blocks the other, or has done so since the last change of a stage.
  private func isBlocked(at time: Int64) -> Bool {
    let since = tracks.values.compactMap { $0.change(upTo: time)?.time }.max() ?? time
    return ends.values.contains { end in
      end.moments.indices.contains { index in
        let moment = end.moments[index]
        guard moment.isBlocked, let start = moment.stamp.time, start <= time else { return false }
        let next = index + 1 < end.moments.count ? end.moments[index + 1].stamp.time : nil
        return (next ?? .max) >= since
      }
    }
  }

  /// Whether another device of the owner may have refused the request: the subscriber received a
  /// refusal that the owner's log does not have. No roster shows requests (RFC 6121 §2.1.2.5), so
  /// the server pushes nothing to the other devices.
  private func isRefusedElsewhere(at time: Int64) -> Bool {
    guard let asked = tracks[.owner]?.change(upTo: time)?.time else { return false }
    let own = shared.filter { $0.sender == pairEnd(.owner) }.map(\.received.stamp.record)
    return ends[.subscriber]?.traffic.contains { stanza in
      stanza.direction == .inbound && stanza.kind == .subscription(.unsubscribed)
        && (stanza.stamp.time ?? .min) >= asked.shifted(by: clocks.uncertainty ?? 0)
        && !own.contains(stanza.stamp.record)
    } == true
  }

  /// Whether the news of the last change at one end must have reached the other: what made the
  /// change has, or a later stanza, which no server delivers before an earlier one (RFC 6120
  /// §10.1), or enough time has passed.
  private func hasReachedOther(
    _ side: SubscriptionSide, _ stages: [SubscriptionSide: PossibleStages],
    _ mismatch: SubscriptionMismatch, at time: Int64
  ) -> Bool {
    guard let change = tracks[side]?.change(upTo: time), let other = tracks[side.opposite],
      let being = stages[side.opposite]
    else { return false }
    // The log that ends later shows that the news arrived.
    if let later = other.change(after: time, from: being),
      stages[side]?.isDisjoint(with: later.stages) == false
    {
      return false
    }
    let end = other.unchanged(from: time, being: being)
    // A server sends an open request once the session of its receiver is available (RFC 6121
    // §3.1.3), so that has to be long enough, too.
    let since =
      mismatch == .unseenRequest && side == .subscriber
      ? max(change.time, other.change(upTo: time)?.time ?? .max) : change.time
    if end.shifted(by: since) >= EndsComparison.settling.shifted(by: -clocks.slack) { return true }
    let maker = ends[side]?.acts.last { act in
      act.stamp.record <= change.record
        && act.effect(as: side).map(PossibleStages.init) == change.stages
    }
    return shared.contains { stanza in
      guard stanza.sender == pairEnd(side), let sent = self.time(of: stanza.sent, at: side),
        let received = self.time(of: stanza.received, at: side.opposite)
      else { return false }
      guard received <= end else { return false }
      let record = stanza.sent.stamp.record
      if record == maker?.stamp.record { return true }
      return sent > change.time && record > change.record && received > since
        && !stanza.received.isDelayed
    }
  }

  // MARK: Ends and clocks

  func pairEnd(_ side: SubscriptionSide) -> PairEnd {
    side == .subscriber ? subscriber : subscriber.opposite
  }

  /// The time of a shared stanza by the clock of the first log.
  func time(of stanza: ExchangedStanza, at side: SubscriptionSide) -> Int64? {
    let offset = pairEnd(side) == .first ? 0 : clocks.offset
    return stanza.stamp.time?.shifted(by: offset)
  }
}
