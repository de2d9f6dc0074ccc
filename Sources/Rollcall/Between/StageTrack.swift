import RosterCore

/// How far one direction of a subscription has come over time, as one end's log shows it.
struct StageTrack {
  /// A stage, from the record that shows it on.
  struct Change {
    let time: Int64
    let record: UInt64
    let stages: PossibleStages
    /// Whether a fetch of the whole roster shows it.
    let isFetched: Bool
    /// Whether it replaces a stage that the log shows before. A log that begins a session, and so
    /// cannot exclude a request yet, replaces nothing.
    let isReplacing: Bool
  }

  /// When the log shows every change, in order.
  let spans: [ClosedRange<Int64>]
  private(set) var changes: [Change] = []

  /// - Parameter side: The side of the subscription that the end is on.
  init(of end: RecordedEnd, as side: SubscriptionSide) {
    spans = end.spans.compactMap(\.times)
    var certain: PossibleStages?
    for moment in end.moments {
      let stages = moment.stages(as: side)
      let last = changes.last
      guard let time = moment.stamp.time, stages != last?.stages else { continue }
      // A stage that was possible before has only become certain.
      let known = last.flatMap { $0.stages.isSuperset(of: stages) ? $0 : nil }
      let isOther = certain?.isDisjoint(with: stages) == true
      certain = isOther ? stages : certain?.intersection(stages) ?? stages
      changes.append(
        Change(
          time: time, record: known?.record ?? moment.stamp.record, stages: stages,
          isFetched: known?.isFetched ?? moment.isFetched,
          isReplacing: isOther || known?.isReplacing == true))
    }
  }

  /// The last time at which the stage is known.
  var knownUntil: Int64? { spans.last?.upperBound }

  /// Whether a session was open at a time, so that the log shows every change.
  func isShown(at time: Int64) -> Bool { spans.contains { $0.contains(time) } }

  /// The last change up to a time.
  func change(upTo time: Int64) -> Change? { changes.last { $0.time <= time } }

  /// The stages that are possible at a time.
  ///
  /// Between two sessions, the stage is known only if the second shows the one that the first did.
  func stages(at time: Int64) -> PossibleStages {
    if isShown(at: time) {
      return change(upTo: time)?.stages ?? .unknown
    }
    guard let before = spans.last(where: { $0.upperBound < time }),
      let after = spans.first(where: { $0.lowerBound > time }),
      let known = change(upTo: before.upperBound), let later = change(upTo: after.lowerBound)
    else { return .unknown }
    return known.stages.union(later.stages)
  }

  /// The first change after a time to another stage than those at that time.
  func change(after time: Int64, from stages: PossibleStages) -> Change? {
    changes.first { $0.time > time && $0.stages.isDisjoint(with: stages) }
  }

  /// The time up to which the log shows without a gap that the stages of a time stay.
  func unchanged(from time: Int64, being stages: PossibleStages) -> Int64 {
    let end = spans.first { $0.contains(time) }?.upperBound ?? time
    return min(change(after: time, from: stages)?.time ?? end, end)
  }
}
