import Rollcall
import RosterCore

/// The contacts screens that were shown last, so that the next one is made from one of them.
struct ScreenCache: Sendable {
  /// The number of screens that are kept.
  private static let capacity = 4
  /// From this number of rows on, making the screen again is faster.
  private static let rowLimit = 64

  private struct Known: Sendable {
    let record: UInt64
    let screen: RosterSections
  }

  /// The screens, the one that was used last at the end.
  private var known: [Known] = []

  /// The screen of a state.
  ///
  /// - Parameter changes: The changes between two records, if they are known.
  mutating func screen(
    of roster: Roster, _ policy: SectionPolicy,
    changes: (ClosedRange<UInt64>) -> [RosterChange]?
  ) -> RosterSections {
    let record = roster.position
    let nearest = known.filter { $0.screen.index.policy == policy }
      .min { Self.distance($0.record, record) < Self.distance($1.record, record) }
    let screen =
      nearest.flatMap { Self.screen(from: $0, to: roster, changes) }
      ?? RosterSections(roster, policy: policy)
    known.append(Known(record: record, screen: screen))
    if known.count > Self.capacity { known.removeFirst() }
    return screen
  }

  private static func distance(_ a: UInt64, _ b: UInt64) -> UInt64 { a < b ? b - a : a - b }

  /// A known screen with the rows updated that are different now, whichever is earlier.
  private static func screen(
    from known: Known, to roster: Roster, _ changes: (ClosedRange<UInt64>) -> [RosterChange]?
  ) -> RosterSections? {
    let (first, last) = (min(known.record, roster.position), max(known.record, roster.position))
    guard first < last else { return known.screen }
    guard let between = changes(first + 1...last) else { return nil }
    var screen = known.screen
    let rows = screen.rows(touchedBy: between)
    guard rows.count < rowLimit else { return nil }
    for row in rows { screen.update(row, from: roster) }
    return screen
  }
}
