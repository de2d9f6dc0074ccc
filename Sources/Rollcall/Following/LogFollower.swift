package import RosterCore

/// Follows a log while it grows, and passes on the effect of each new record.
///
/// Memory is bounded, and no transaction is open between two calls.
package struct LogFollower {
  package let timeline: Timeline
  /// The state after the last record that was followed.
  package private(set) var state: Timeline.State

  /// A follower before all records, or after one.
  package init(_ timeline: Timeline, after record: UInt64 = 0) throws {
    self.timeline = timeline
    state = try timeline.state(at: .record(record))
  }

  /// The number of the last record that was followed.
  package var position: UInt64 { state.roster.position }

  /// Reduces the records up to an existing one, and passes each event to `body`, with its effect
  /// and the state after it.
  package mutating func follow(
    upTo last: UInt64, _ body: (Timeline.Moment, Roster) throws -> Void
  ) throws {
    guard last > position else { return }
    try timeline.advance(&state, to: last, body)
  }
}
