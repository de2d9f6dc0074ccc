package import RosterCore

/// Goes over what changed in a log, record by record, forward and back.
///
/// A step costs next to nothing inside a stretch of records, whose states are kept, and at its ends
/// what it takes to reduce the next stretch. Memory is bounded by a stretch.
package struct TimelineCursor {
  /// How many records a stretch has.
  private static let stretch: UInt64 = 1024

  /// A record that changed something or was odd, and the state after it.
  private struct Stop {
    let moment: Timeline.Moment
    let roster: Roster
  }

  private let timeline: Timeline
  /// The last record that is gone to.
  package let end: UInt64
  /// The state before the stretch.
  private var start: Timeline.State
  /// The last record of the stretch, and the state after it.
  private var finish: Timeline.State
  private var stops: [Stop]
  /// How many stops of the stretch have been passed.
  private var passed: Int

  /// A cursor at a point, for the records up to another.
  package init(_ timeline: Timeline, at record: UInt64, upTo end: UInt64) throws {
    self.timeline = timeline
    self.end = end
    start = Timeline.State()
    finish = start
    stops = []
    passed = 0
    try enter(Self.stretch(of: max(1, record)), from: nil)
    passed = stops.count { $0.moment.stamp.record <= record }
  }

  /// The roster where the cursor is.
  package var roster: Roster {
    passed > 0 ? stops[passed - 1].roster : start.roster
  }

  /// Goes over the next record that changed something or was odd; nil at the end.
  package mutating func next() throws -> Timeline.Moment? {
    while passed == stops.count {
      guard finish.roster.position < end else { return nil }
      try enter(Self.stretch(of: finish.roster.position + 1), from: finish)
    }
    passed += 1
    return stops[passed - 1].moment
  }

  /// Goes back over the last such record; nil at the beginning.
  package mutating func previous() throws -> Timeline.Moment? {
    while passed == 0 {
      guard start.roster.position > 0 else { return nil }
      try enter(Self.stretch(of: start.roster.position), from: nil)
      passed = stops.count
    }
    passed -= 1
    return stops[passed].moment
  }

  /// The number of the stretch that has a record.
  private static func stretch(of record: UInt64) -> UInt64 { (record - 1) / stretch }

  /// Reduces a stretch; `state` is the one before it where that is known.
  private mutating func enter(_ number: UInt64, from state: Timeline.State?) throws {
    let before = min(end, number * Self.stretch)
    start = try state ?? timeline.state(after: before, from: nil)
    finish = start
    stops = []
    passed = 0
    try timeline.advance(&finish, to: min(end, before + Self.stretch)) { moment, roster in
      guard !moment.outcome.isEmpty else { return }
      stops.append(Stop(moment: moment, roster: roster))
    }
  }
}
