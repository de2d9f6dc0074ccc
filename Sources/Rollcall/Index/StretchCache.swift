import EventStore
import RawBytes
package import RosterCore

/// The states and the effects of the stretches of a log that were looked at last, so that a step
/// inside one costs no reduction.
///
/// Memory: a few stretches of states that share their storage.
package struct StretchCache: Sendable {
  /// How many records a stretch has.
  private static let length: UInt64 = 1024
  /// How many stretches are kept.
  private static let capacity = 4

  /// What one record did, and the roster after it.
  package struct Stop: Sendable {
    package let moment: Timeline.Moment
    package let roster: Roster
  }

  private struct Stretch: Sendable {
    /// The last record before the stretch.
    let before: UInt64
    /// The state after that record.
    let start: Timeline.State
    /// The last record that is reduced.
    let end: UInt64
    /// Every record of the stretch that means something to the roster.
    let stops: [Stop]

    /// How many stops are at or before a record.
    func count(upTo record: UInt64) -> Int {
      stops.partitioningIndex { $0.moment.stamp.record > record }
    }
  }

  private let timeline: Timeline
  /// The stretches, the one that was used last at the end.
  private var stretches: [Stretch] = []

  package init(_ timeline: Timeline) {
    self.timeline = timeline
  }

  /// The state after a record of the log.
  ///
  /// Complexity: O(log n) inside a kept stretch, otherwise linear in the events since the last
  /// snapshot.
  package mutating func state(after record: UInt64) throws -> Timeline.State {
    guard record > 0 else { return try timeline.state(after: 0, from: nil) }
    let stretch = try stretch(of: record)
    let count = stretch.count(upTo: record)
    var state = stretch.start
    if count > 0 { state.roster = stretch.stops[count - 1].roster }
    state.roster.move(to: record)
    try timeline.addNotes(to: &state, upTo: record)
    return state
  }

  /// What a record did; nil if it means nothing to the roster.
  package mutating func stop(at record: UInt64) throws -> Stop? {
    guard record > 0 else { return nil }
    let stretch = try stretch(of: record)
    let count = stretch.count(upTo: record)
    guard count > 0, stretch.stops[count - 1].moment.stamp.record == record else { return nil }
    return stretch.stops[count - 1]
  }

  /// What the records between two others did, if one kept stretch has all of them; nil otherwise.
  ///
  /// - Parameter records: From the first record after a state to the last one.
  package func changes(in records: ClosedRange<UInt64>) -> [RosterChange]? {
    guard
      let stretch = stretches.last(where: {
        $0.before < records.lowerBound && records.upperBound <= $0.end
      })
    else { return nil }
    let stops = stretch.stops[
      stretch.count(upTo: records.lowerBound - 1)..<stretch.count(upTo: records.upperBound)]
    return stops.flatMap(\.moment.outcome.changes)
  }

  private mutating func stretch(of record: UInt64) throws -> Stretch {
    let before = (record - 1) / Self.length * Self.length
    if let index = stretches.firstIndex(where: { $0.before == before }) {
      let known = stretches.remove(at: index)
      if known.end >= record {
        stretches.append(known)
        return known
      }
    }
    let head = try timeline.log.read { try $0.lastSequence }
    let end = min(head, before + Self.length)
    let start = try timeline.state(after: before, from: nearest(before))
    var state = start
    var stops: [Stop] = []
    try timeline.advance(&state, to: end) { stops.append(Stop(moment: $0, roster: $1)) }
    let made = Stretch(before: before, start: start, end: end, stops: stops)
    stretches.append(made)
    if stretches.count > Self.capacity { stretches.removeFirst() }
    return made
  }

  /// The state at the end of the nearest kept stretch before a record.
  private func nearest(_ record: UInt64) -> Timeline.State? {
    let nearest = stretches.filter { $0.end <= record }.max { $0.end < $1.end }
    guard let nearest else { return nil }
    var state = nearest.start
    if let last = nearest.stops.last { state.roster = last.roster }
    state.roster.move(to: nearest.end)
    return state
  }
}

extension Timeline {
  /// How far apart records may be to be read in one pass over those between them.
  private static let passLimit: UInt64 = 256

  /// Passes what some records did to `body`, with the state after it; records that mean nothing to
  /// the roster are left out.
  ///
  /// - Parameter records: The numbers of records of the log, in order.
  ///
  /// Complexity: linear in the events between them, or since the snapshot before each.
  package func moments(
    of records: [UInt64], _ body: (Moment, Roster) throws -> Void
  ) throws {
    var known: State?
    var rest = records[...]
    while let first = rest.first {
      var run: [UInt64] = []
      while let next = rest.first, next - (run.last ?? first) <= Self.passLimit {
        run.append(next)
        rest = rest.dropFirst()
      }
      var state = try state(after: first - 1, from: known)
      known = nil
      var wanted = run[...]
      try advance(&state, to: run.last ?? first) { moment, roster in
        while let next = wanted.first, next < moment.stamp.record { wanted = wanted.dropFirst() }
        if wanted.first == moment.stamp.record { try body(moment, roster) }
      }
      known = state
    }
  }
}
