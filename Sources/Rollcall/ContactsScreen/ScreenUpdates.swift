public import ContactSections
import RosterCore

/// The contacts screen after something has changed, and how to get there from the one before.
public struct ScreenUpdate: Sendable {
  /// The screen as it is now.
  public let screen: RosterSections
  /// What turns the screen before into this one, to be shown as one batch; nil where the whole view
  /// is to be shown anew, as at the beginning.
  public let changes: SectionChanges?
}

/// A contacts screen that follows a session: first the whole, then one step after the other.
///
/// Each step leads from the screen of the update before to its own, as a table view wants it. Where
/// much changes at once, as by the first roster, or where the watcher was too slow, the whole
/// screen comes again. It ends with the session; that of a session that is over ends after the
/// first screen. To be iterated once.
public struct ScreenUpdates: AsyncSequence, Sendable {
  /// What is told.
  public typealias Element = ScreenUpdate
  /// Nothing is thrown.
  public typealias Failure = Never

  private let updates: RosterUpdates
  private let policy: SectionPolicy

  package init(_ updates: RosterUpdates, _ policy: SectionPolicy) {
    self.updates = updates
    self.policy = policy
  }

  /// Hands out the updates.
  public struct AsyncIterator: AsyncIteratorProtocol {
    /// From how many rows on it is quicker to show the whole anew.
    private static let many = 64

    private var updates: RosterUpdates.AsyncIterator
    private let policy: SectionPolicy
    private var screen: RosterSections
    private var roster = Roster()
    /// What of the last step has still to be shown, the first one last.
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

  /// The iterator. There is one only: any further one ends at once.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(updates.makeAsyncIterator(), policy)
  }
}

extension RosterSession {
  /// The contacts screen from now on, for one watcher.
  ///
  /// - Parameters:
  ///   - policy: Whom the screen shows, and in which sections.
  ///   - limit: How many steps may wait for a watcher that is slow, at least 1.
  public func screens(_ policy: SectionPolicy = SectionPolicy(), limit: Int = 256) -> ScreenUpdates
  {
    ScreenUpdates(updates(limit: limit), policy)
  }
}
