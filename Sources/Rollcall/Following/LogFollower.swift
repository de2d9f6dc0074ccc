package import RosterCore

/// Follows a log while it grows, and hands on what each new record did.
///
/// Memory is bounded, and no transaction is open between two looks.
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

  /// Reduces what follows up to a record that is there, and hands each event to `body` with what
  /// it did and the state after it.
  package mutating func follow(
    upTo last: UInt64, _ body: (Timeline.Moment, Roster) throws -> Void
  ) throws {
    guard last > position else { return }
    try timeline.advance(&state, to: last, body)
  }
}
