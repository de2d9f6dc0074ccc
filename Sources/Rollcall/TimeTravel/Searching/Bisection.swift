import RosterCore

/// Where in a log something begins to hold.
public enum ConditionOnset: Hashable, Sendable {
  /// It holds before the first record that was searched.
  case holdsFromStart
  /// It holds after this record, and not before.
  case at(UInt64)
  /// It does not hold at the end.
  case never
  /// It holds after the last of these records and not before the first; the states between the
  /// two could not be judged.
  case within(ClosedRange<UInt64>)
}

/// What a search found, and what it took.
public struct SearchResult: Hashable, Sendable {
  /// Where it begins to hold.
  public let transition: ConditionOnset
  /// How many states were looked at.
  public let probes: Int
}

/// Where a condition begins and ceases to hold in a range of records.
package struct ConditionCourse: Sendable {
  /// Whether it holds before the first record.
  package let holdsAtStart: Bool
  /// Every record that changes whether it holds, and whether it holds after that.
  package let transitions: [(record: UInt64, holds: Bool)]
  /// Whether the whole roster is known nowhere in the range, so that a part had to suffice.
  package let isPartial: Bool

  /// Where it begins to hold.
  package var beginning: ConditionOnset {
    if holdsAtStart { return .holdsFromStart }
    return transitions.first.map { .at($0.record) } ?? .never
  }
}

extension Timeline {
  /// Finds the first record after which a condition holds, by bisection: right where it changes
  /// once, and otherwise one of its transitions.
  ///
  /// - Parameters:
  ///   - start: The record before which nothing is looked at, at most `end`.
  ///   - end: The last record that is looked at, which the log has.
  ///   - holds: nil if the state cannot be judged; another one nearby is tried.
  ///
  /// - Throws: `RollcallError` if the log has no such records or cannot be read; and what `holds`
  ///   throws.
  ///
  /// Complexity: O(log n) states, each reduced from the nearest one that is known or stored.
  public func first(
    after start: UInt64, upTo end: UInt64, where holds: (State) throws -> Bool?
  ) throws -> SearchResult {
    try RollcallError.convertingLogErrors {
      _ = try record(at: .record(end))
      guard start <= end else { throw RollcallError(PointError.reversed(from: start, to: end)) }
      var states = KnownStates(self)
      var probes = 0
      // The answer is in low...high, where one after the end stands for never.
      var low = start
      var high = end + 1
      while low < high {
        guard
          let probe = try Self.probe(
            low..<high,
            { record in
              probes += 1
              return try holds(try states.state(after: record))
            })
        else {
          return SearchResult(transition: .within(low...min(high, end)), probes: probes)
        }
        if probe.holds { high = probe.record } else { low = probe.record + 1 }
      }
      let transition: ConditionOnset =
        low == start ? .holdsFromStart : low > end ? .never : .at(low)
      return SearchResult(transition: transition, probes: probes)
    }
  }

  /// How many states on either side are tried if one cannot be judged.
  private static let detours: UInt64 = 16

  /// Looks at the middle of a range, or at a state near it that can be judged.
  private static func probe(
    _ range: Range<UInt64>, _ holds: (UInt64) throws -> Bool?
  ) throws -> (record: UInt64, holds: Bool)? {
    let middle = range.lowerBound + (range.upperBound - range.lowerBound) / 2
    for record in middle..<min(range.upperBound, middle + detours) {
      if let answer = try holds(record) { return (record, answer) }
    }
    for record in (max(range.lowerBound, middle - min(middle, detours))..<middle).reversed() {
      if let answer = try holds(record) { return (record, answer) }
    }
    return nil
  }

  /// Where a condition begins and ceases to hold after one record, up to another.
  ///
  /// If the whole roster is known somewhere in the range, the states in which it is not say nothing
  /// about missing contacts and counts. If it is known nowhere, the known part has to suffice.
  ///
  /// Complexity: linear in the events.
  package func course(
    of condition: RosterCondition, after start: UInt64, upTo end: UInt64
  ) throws -> ConditionCourse {
    let state = try self.state(at: .record(start))
    var reading = Reading(of: condition, in: state.roster)
    var last = state
    // No condition asks for presence, which is most of a log.
    try follow(&last, to: end) { roster, step in
      if roster.canSkip(step.event, at: step.stamp, on: step.connection) {
        roster.move(to: step.stamp.record)
      } else {
        try step.reduce(into: &roster)
      }
      reading.look(at: roster)
    }
    // Presence that one connection was told is a place in what others are told that come later.
    if last.roster.isShared, !state.roster.isShared {
      reading = Reading(of: condition, in: state.roster)
      last = state
      try follow(&last, to: end) { roster, step in
        try step.reduce(into: &roster)
        reading.look(at: roster)
      }
    }
    return reading.result
  }

  /// A condition during the search through a range.
  private struct Reading {
    private var strict: Course
    private var lenient: Course
    /// Whether the whole roster has been known nowhere so far.
    private var isPartial: Bool

    init(of condition: RosterCondition, in roster: Roster) {
      isPartial = roster.completeness != .complete
      strict = Course(condition, mayBePartial: false, in: roster)
      lenient = Course(condition, mayBePartial: true, in: roster)
    }

    mutating func look(at roster: Roster) {
      if roster.completeness == .complete { isPartial = false }
      strict.look(at: roster)
      if isPartial { lenient.look(at: roster) }
    }

    var result: ConditionCourse {
      let course = isPartial ? lenient : strict
      return ConditionCourse(
        holdsAtStart: course.holdsAtStart, transitions: course.transitions, isPartial: isPartial)
    }
  }

  /// Its transitions under one of the two readings.
  private struct Course {
    let condition: RosterCondition
    let mayBePartial: Bool
    let holdsAtStart: Bool
    private var holds: Bool
    private(set) var transitions: [(record: UInt64, holds: Bool)] = []

    init(_ condition: RosterCondition, mayBePartial: Bool, in roster: Roster) {
      self.condition = condition
      self.mayBePartial = mayBePartial
      holds = condition.holds(in: roster, mayBePartial: mayBePartial)
      holdsAtStart = holds
    }

    mutating func look(at roster: Roster) {
      let now = condition.holds(in: roster, mayBePartial: mayBePartial)
      guard now != holds else { return }
      holds = now
      transitions.append((roster.position, now))
    }
  }
}

/// States that were reduced already: values that share their structure, so that keeping them costs
/// little.
struct KnownStates {
  private let timeline: Timeline
  /// By position.
  private var known: [Timeline.State] = []

  init(_ timeline: Timeline) {
    self.timeline = timeline
  }

  /// The state after a record, reduced from the nearest one before it.
  mutating func state(after record: UInt64) throws -> Timeline.State {
    let next = known.firstIndex { $0.roster.position > record } ?? known.count
    let state = try timeline.state(after: record, from: next > 0 ? known[next - 1] : nil)
    known.insert(state, at: next)
    return state
  }
}
