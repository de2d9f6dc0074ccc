public import ContactSections
import RosterCore

/// The contacts screen after a change, with the way there from the previous one.
public struct ScreenUpdate: Sendable {
  /// The current screen.
  public let screen: RosterSections
  /// The changes from the previous screen to this one, to be shown as one batch; nil if the whole
  /// view must be reloaded, as at the beginning.
  public let changes: SectionChanges?
}

/// A contacts screen that follows a session: first the whole screen, then one step after the other.
///
/// Each step leads from the screen of the previous update to its own, as a table view expects it.
/// If much changes at once, as with the first roster, or if the observer was too slow, the update
/// is a whole screen again. The sequence ends with the session; if the session is already over, it
/// ends after the first screen. Can be iterated once.
public struct ScreenUpdates: AsyncSequence, Sendable {
  /// The type of an update.
  public typealias Element = ScreenUpdate
  /// Never throws.
  public typealias Failure = Never

  private let updates: RosterUpdates
  private let policy: SectionPolicy

  package init(_ updates: RosterUpdates, _ policy: SectionPolicy) {
    self.updates = updates
    self.policy = policy
  }

  /// Iterates over the updates.
  public struct AsyncIterator: AsyncIteratorProtocol {
    /// From this number of rows on, reloading the whole screen is faster.
    private static let many = 64

    private var updates: RosterUpdates.AsyncIterator
    private let policy: SectionPolicy
    private var screen: RosterSections
    private var roster = Roster()
    /// The rows of the last step that have yet to be shown, the next one last.
    private var rows: [RosterSections.Row] = []

    init(_ updates: RosterUpdates.AsyncIterator, _ policy: SectionPolicy) {
      self.updates = updates
      self.policy = policy
      screen = RosterSections(Roster(), policy: policy)
    }

    /// The next update; nil if the session is over or the task is cancelled. Waits until the screen
    /// changes.
    public mutating func next() async -> ScreenUpdate? {
      while true {
        while let row = rows.popLast() {
          let changes = screen.update(row, from: roster)
          if !changes.isEmpty { return ScreenUpdate(screen: screen, changes: changes) }
        }
        guard let update = await updates.next() else { return nil }
        roster = update.roster
        switch update {
        case .snapshot: return whole()
        case .step(let step, _):
          rows = screen.rows(touchedBy: step.outcome.changes).reversed()
          if rows.count >= Self.many { return whole() }
        }
      }
    }

    private mutating func whole() -> ScreenUpdate {
      rows = []
      screen = RosterSections(roster, policy: policy)
      return ScreenUpdate(screen: screen, changes: nil)
    }
  }

  /// Returns the iterator. Only the first one yields updates; any further one ends at once.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(updates.makeAsyncIterator(), policy)
  }
}

extension RosterSession {
  /// The contacts screen from now on, for one observer.
  ///
  /// - Parameters:
  ///   - policy: Which contacts the screen shows, and in which sections.
  ///   - limit: The number of steps that may wait for a slow observer, at least 1.
  public func screens(_ policy: SectionPolicy = SectionPolicy(), limit: Int = 256) -> ScreenUpdates
  {
    ScreenUpdates(updates(limit: limit), policy)
  }
}
