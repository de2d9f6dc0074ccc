import RosterCore

// What parted two ends that disagree.
extension DirectionReading {
  func disagreement(
    _ mismatch: SubscriptionMismatch, _ stages: [SubscriptionSide: PossibleStages], at time: Int64
  ) -> EndsComparison.Disagreement {
    let cause = cause(stages, upTo: time)
    let right = right(mismatch, cause)
    return EndsComparison.Disagreement(
      mismatch: mismatch, right: right, cause: cause,
      lastShared: lastShared(before: cause, upTo: time),
      repairs: repairs(mismatch, right: right, cause))
  }

  /// What each side did to this direction, in the order of the times.
  private func acts(upTo time: Int64) -> [(side: SubscriptionSide, act: RecordedEnd.Act)] {
    SubscriptionSide.allCases.flatMap { side in
      (ends[side]?.acts ?? []).filter { act in
        act.effect(as: side) != nil && (act.stamp.time ?? .max) <= time
      }.map { (side: side, act: $0) }
    }.sorted { ($0.act.stamp.time ?? 0) < ($1.act.stamp.time ?? 0) }
  }

  private func cause(
    _ stages: [SubscriptionSide: PossibleStages], upTo time: Int64
  ) -> EndsComparison.Cause {
    let changes = changes(upTo: time)
    let unexplained = changes.lastIndex { side, change in
      let other = stages[side.opposite] ?? .unknown
      return change.stages.isDisjoint(with: other) && !isExplained(change, of: side)
        && changes.allSatisfy { $0.side == side || $0.change.time <= change.time }
    }
    let acts = acts(upTo: time)
    if let unexplained, unexplained == changes.count - 1,
      acts.allSatisfy({ ($0.act.stamp.time ?? .max) <= changes[unexplained].change.time })
    {
      return cause(changes[unexplained])
    }
    for (side, act) in acts.reversed() {
      guard let effect = act.effect(as: side),
        stages[side]?.contains(PossibleStages(effect)) == true,
        isDelivered(act, from: side, upTo: time)
      else { continue }
      guard let arrived = arrival(of: act, from: side) else { return .lost(side, act) }
      return .notApplied(side, act, arrived: arrived)
    }
    return unexplained.map { cause(changes[$0]) } ?? (changes.isEmpty ? .earlier : .unknown)
  }

  private typealias SideChange = (side: SubscriptionSide, change: StageTrack.Change)

  private func cause(_ unexplained: SideChange) -> EndsComparison.Cause {
    .unexplained(
      unexplained.side, record: unexplained.change.record,
      isFetched: unexplained.change.isFetched)
  }

  /// The changes of both ends that replace a stage, in the order of the times.
  private func changes(upTo time: Int64) -> [SideChange] {
    SubscriptionSide.allCases.flatMap { side in
      (tracks[side]?.changes ?? []).filter { $0.isReplacing && $0.time <= time }.map {
        (side: side, change: $0)
      }
    }.sorted { $0.change.time < $1.change.time }
  }

  /// Whether the other end's server has to deliver what an act sends (RFC 6121 Appendix A.3): a
  /// stanza that changes nothing there is dropped, so it is not missed. A request that was approved
  /// before is answered by the server and not delivered (§3.1.3): the roster alone shows it.
  private func isDelivered(
    _ act: RecordedEnd.Act, from side: SubscriptionSide, upTo end: Int64
  ) -> Bool {
    guard let time = act.stamp.time, let track = tracks[side.opposite] else { return true }
    let other = track.stages(at: time)
    return switch act.kind {
    case .stanza(.subscribe):
      other.contains(.none)
        && !track.changes.contains { $0.time >= time && $0.time <= end && $0.stages == .active }
    case .stanza(.subscribed): other.contains(.pending)
    case .stanza(.unsubscribe), .stanza(.unsubscribed), .removal: other != .none
    }
  }

  /// Whether an act of either end, or a stanza that arrived, leads to a change. Servers differ in
  /// whether they push first or deliver the stanza.
  private func isExplained(_ change: StageTrack.Change, of side: SubscriptionSide) -> Bool {
    let previous =
      tracks[side]?.changes.last {
        $0.time < change.time && $0.stages.isDisjoint(with: change.stages)
      }?.time ?? .min
    func leads(to effect: SubscriptionStage?, _ stamp: RecordStamp, within error: Int64) -> Bool {
      guard let effect, let time = stamp.time else { return false }
      return time >= previous.shifted(by: error) && time <= change.time.shifted(by: -error)
        && change.stages.contains(PossibleStages(effect))
    }
    let (crossing, uncertainty) = (EndsComparison.crossing, clocks.uncertainty ?? 0)
    let own = ends[side]?.acts.contains { leads(to: $0.effect(as: side), $0.stamp, within: 0) }
    let others = ends[side.opposite]?.acts.contains {
      leads(to: $0.effectOfReceiving(as: side), $0.stamp, within: uncertainty)
    }
    let received = ends[side]?.traffic.contains { stanza in
      guard stanza.direction == .inbound, case .subscription(let kind) = stanza.kind else {
        return false
      }
      return leads(to: kind.effectOfReceiving(as: side), stanza.stamp, within: crossing)
    }
    return own == true || others == true || received == true
  }

  /// The record at which an act arrived at the other end; nil if it did not.
  private func arrival(of act: RecordedEnd.Act, from side: SubscriptionSide) -> UInt64? {
    switch act.kind {
    case .stanza:
      return shared.first {
        $0.sender == pairEnd(side) && $0.sent.stamp.record == act.stamp.record
      }?.received.stamp.record
    case .removal:
      let kind: SubscriptionStanza.Kind = side == .subscriber ? .unsubscribe : .unsubscribed
      // The act is the push, which may come after what the other server delivered.
      let sent = (act.stamp.time ?? .min).shifted(
        by: (clocks.uncertainty ?? 0) + EndsComparison.crossing)
      return ends[side.opposite]?.traffic.first { stanza in
        stanza.direction == .inbound && stanza.kind == .subscription(kind)
          && (stanza.stamp.time ?? .min) >= sent
      }?.stamp.record
    }
  }

  /// The end that is right: the one whose account ended the subscription itself, or else the one
  /// that decides.
  private func right(
    _ mismatch: SubscriptionMismatch, _ cause: EndsComparison.Cause
  ) -> SubscriptionSide {
    switch cause {
    case .lost(let side, let act), .notApplied(let side, let act, _):
      act.effect(as: side) == SubscriptionStage.none ? side : mismatch.authority
    case .unexplained, .earlier, .unknown: mismatch.authority
    }
  }

  private func repairs(
    _ mismatch: SubscriptionMismatch, right: SubscriptionSide, _ cause: EndsComparison.Cause
  ) -> [SubscriptionRepair] {
    let isEnded: Bool
    switch cause {
    case .lost(let side, let act), .notApplied(let side, let act, _):
      isEnded = act.effect(as: side) == SubscriptionStage.none
    // A server that forgot a subscription did not mean to end it.
    case .unexplained: isEnded = false
    case .earlier, .unknown: return mismatch.repairs
    }
    let (ending, others) = (
      mismatch.repairs.filter { $0.purpose == .end }, mismatch.repairs.filter { $0.purpose != .end }
    )
    return isEnded ? ending + others : others + ending
  }

  private func lastShared(
    before cause: EndsComparison.Cause, upTo time: Int64
  ) -> SharedStanza? {
    let limit: Int64 =
      switch cause {
      case .lost(_, let act), .notApplied(_, let act, _): act.stamp.time ?? time
      case .unexplained(let side, let record, _):
        tracks[side]?.changes.first { $0.record == record }?.time ?? time
      case .earlier, .unknown: time
      }
    return shared.last { stanza in
      let side: SubscriptionSide = stanza.sender == subscriber ? .subscriber : .owner
      return stanza.sent.isOfSubscription && (self.time(of: stanza.sent, at: side) ?? .max) < limit
    }
  }
}

extension RecordedEnd.Act {
  /// The stage that it leads to at the other end if that is on a side of the subscription.
  fileprivate func effectOfReceiving(as side: SubscriptionSide) -> SubscriptionStage? {
    switch kind {
    case .stanza(let kind): kind.effectOfReceiving(as: side)
    case .removal: SubscriptionStage.none
    }
  }
}

extension SubscriptionStanza.Kind {
  /// The stage that receiving it leads to at an end on a side of the subscription; nil if it does
  /// not concern that side (RFC 6121 Appendix A.3).
  fileprivate func effectOfReceiving(as side: SubscriptionSide) -> SubscriptionStage? {
    switch (self, side) {
    case (.subscribe, .owner): .pending
    case (.subscribed, .subscriber): .active
    case (.unsubscribe, .owner), (.unsubscribed, .subscriber): SubscriptionStage.none
    case (.subscribe, .subscriber), (.subscribed, .owner), (.unsubscribe, .subscriber),
      (.unsubscribed, .owner):
      nil
    }
  }
}
