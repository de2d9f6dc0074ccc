public import ContactSections
public import RosterCore

/// All that a contacts screen shows, as of one moment, with the way there from the previous update.
///
/// `Connection` is what the session tells about its connection: `Bool` for a `RosterSession`, and
/// `LiveState` for a `LiveSession`.
public struct ScreenUpdate<Connection: Equatable & Sendable>: Sendable {
  /// The current screen.
  public let screen: RosterSections
  /// The changes from the previous screen to this one, to be shown as one batch; nil if the whole
  /// view must be reloaded, as at the beginning. Empty if only the badge or the connection changed.
  public let changes: SectionChanges?
  /// The roster that the screen shows.
  public let roster: Roster
  /// The number of requests that the user has not seen: the badge.
  public let unseenCount: Int
  /// The state of the connection.
  public let connection: Connection

  /// What was touched; nil if that can be everything.
  let touched: [RosterSections.Row]?

  /// The sections with their rows, in order. Complexity: linear in the sections.
  public var sections: [ScreenSection] { screen.sections }

  /// The rows on the screen that may show something else than before, or are new: all of them if
  /// the whole view must be reloaded. A diffable data source reconfigures them.
  ///
  /// Complexity: linear in the result.
  public var changedRows: [RowID] {
    guard let touched else { return sections.flatMap { $0.rows.map(\.id) } }
    return touched.flatMap { row in
      switch row {
      case .contact(let jid): screen.index.rowIDs(ofContact: jid.text)
      case .request(let jid): screen.index.rowIDs(ofRequest: jid.text)
      }
    }
  }
}

/// A contacts screen that follows a session: first the whole screen, then one step after the other.
///
/// Each step leads from the screen of the previous update to its own, as a table view expects it.
/// If much changes at once, as with the first roster, or if the observer was too slow, the update
/// is a whole screen again. The sequence ends with the session; if the session is already over, it
/// ends after the first screen. Can be iterated once.
public struct ScreenUpdates<Connection: Equatable & Sendable>: AsyncSequence, Sendable {
  /// The type of an update.
  public typealias Element = ScreenUpdate<Connection>
  /// Never throws.
  public typealias Failure = Never

  /// Returns the state of the connection for a roster and what the session has told; nil if it is
  /// the same as before.
  package typealias Reading = @Sendable (Roster, (any Sendable)?) -> Connection?

  private let updates: RosterUpdates
  private let policy: SectionPolicy
  private let reading: Reading

  package init(_ updates: RosterUpdates, _ policy: SectionPolicy, _ reading: @escaping Reading) {
    self.updates = updates
    self.policy = policy
    self.reading = reading
  }

  /// Iterates over the updates.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private var updates: RosterUpdates.AsyncIterator
    private let reading: Reading
    private var screen: RosterSections
    private var roster = Roster()
    private var unseenCount = 0
    private var connection: Connection?
    private var touched: [RosterSections.Row]?

    init(
      _ updates: RosterUpdates.AsyncIterator, _ policy: SectionPolicy, _ reading: @escaping Reading
    ) {
      self.updates = updates
      self.reading = reading
      screen = RosterSections(Roster(), policy: policy)
    }

    /// The next update; nil if the session is over or the task is cancelled. Waits until something
    /// changes that the screen shows.
    public mutating func next() async -> ScreenUpdate<Connection>? {
      while let item = await updates.inbox?.next() {
        let before = (unseenCount, connection)
        let changes = follow(item)
        guard let connection else { continue }
        let isSame = changes?.isEmpty == true && before.0 == unseenCount && before.1 == connection
        guard !isSame else { continue }
        return ScreenUpdate(
          screen: screen, changes: changes, roster: roster, unseenCount: unseenCount,
          connection: connection, touched: touched)
      }
      return nil
    }

    /// - Returns: The changes of the screen; nil if the whole view must be reloaded.
    private mutating func follow(_ item: HubItem) -> SectionChanges? {
      var changes: SectionChanges? = SectionChanges()
      switch item.update {
      case nil: touched = []
      case .snapshot(let roster, _)?: changes = reload(roster)
      case .step(let step, let roster)?:
        let rows = screen.rows(touchedBy: step.outcome.changes)
        touched = rows
        self.roster = roster
        changes =
          rows.count < reloadThreshold
          ? screen.update(rows, from: roster) : reload(roster)
        if !rows.isEmpty { unseenCount = roster.unseenRequestCount }
      }
      connection = reading(roster, item.connection) ?? connection
      return changes
    }

    private mutating func reload(_ roster: Roster) -> SectionChanges? {
      self.roster = roster
      screen = RosterSections(roster, policy: screen.index.policy)
      unseenCount = roster.unseenRequestCount
      touched = nil
      return nil
    }
  }

  /// Returns the iterator. Only the first one yields updates; any further one ends at once.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(updates.makeAsyncIterator(), policy, reading)
  }
}

/// From this number of rows on, reloading the whole screen is faster.
private let reloadThreshold = 64

extension RosterSession {
  /// The contacts screen from now on, for one observer. The state of the connection is whether a
  /// session is open.
  ///
  /// - Parameters:
  ///   - policy: Which contacts the screen shows, and in which sections.
  ///   - limit: The number of steps that may wait for a slow observer, at least 1.
  public func screens(
    _ policy: SectionPolicy = SectionPolicy(), limit: Int = 256
  ) -> ScreenUpdates<Bool> {
    ScreenUpdates(updates(limit: limit), policy) { roster, _ in roster.isConnected }
  }
}
