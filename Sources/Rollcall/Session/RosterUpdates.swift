public import RosterCore
import Synchronization

/// An update that a session sends to its observers.
public enum RosterUpdate: Sendable {
  /// The current roster. This is the first update. It also replaces the steps that a slow observer
  /// missed, with their number, and follows what others have appended to the log, with 0.
  case snapshot(Roster, missed: Int)
  /// What one part of the stream changed, and the roster after it.
  case step(SessionStep, Roster)

  /// The roster after the update.
  public var roster: Roster {
    switch self {
    case .snapshot(let roster, _), .step(_, let roster): roster
    }
  }
}

/// The updates of a session for one observer, in order: first the roster, then each step that
/// changed something or has findings. Ends with the session; if the session is already over, ends
/// after the roster.
///
/// A slow observer blocks nothing and holds no transaction: if more than `limit` steps wait for it,
/// they are dropped, and its next update is the roster at that time. Can be iterated once.
public struct RosterUpdates: AsyncSequence, Sendable {
  /// The type of an update.
  public typealias Element = RosterUpdate
  /// Never throws.
  public typealias Failure = Never

  let inbox: UpdateInbox

  /// Iterates over the updates.
  public struct AsyncIterator: AsyncIteratorProtocol {
    /// Nil if another iterator has it.
    let inbox: UpdateInbox?

    /// The next update; nil if the session is over or the task is cancelled. Waits until something
    /// changes.
    public mutating func next() async -> RosterUpdate? {
      await inbox?.next()?.update
    }
  }

  /// Returns the iterator. Only the first one yields updates; any further one ends at once.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(inbox: inbox.isTakenFirst() ? inbox : nil)
  }
}

/// What an observer is told at once.
struct HubItem: Sendable {
  /// Nil if only the state of the connection has changed.
  var update: RosterUpdate?
  /// The new state of the connection, of a type that the session chooses; nil if it is the same.
  var connection: (any Sendable)?
}

/// The updates that wait for one observer.
final class UpdateInbox: Sendable {
  fileprivate struct State {
    var waiting: [HubItem] = []
    var reader: CheckedContinuation<HubItem?, Never>?
    var isClosed = false
    var isTaken = false
  }

  private let limit: Int
  /// Whether the observer is told the state of the connection.
  private let hasConnection: Bool
  private let state: Mutex<State>

  init(_ first: HubItem, limit: Int) {
    self.limit = Swift.max(1, limit)
    hasConnection = first.connection != nil
    state = Mutex(State(waiting: [first]))
  }

  deinit { close() }

  /// Claims the inbox for an iterator; false if another one has it.
  func isTakenFirst() -> Bool {
    state.withLock { state in
      defer { state.isTaken = true }
      return !state.isTaken
    }
  }

  /// Adds an update, or resumes the observer that waits for it.
  func put(_ item: HubItem) {
    guard item.update != nil || hasConnection else { return }
    let reader = state.withLock { state -> CheckedContinuation<HubItem?, Never>? in
      guard !state.isClosed else { return nil }
      if let reader = state.reader.take() { return reader }
      state.add(item, limit)
      return nil
    }
    reader?.resume(returning: item)
  }

  /// Ends the inbox; updates in it can still be read.
  func close() {
    let reader = state.withLock { state in
      state.isClosed = true
      return state.reader.take()
    }
    reader?.resume(returning: nil)
  }

  func next() async -> HubItem? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let ready: HubItem?? = state.withLock { state in
          if !state.waiting.isEmpty { return .some(state.waiting.removeFirst()) }
          guard !state.isClosed, !Task.isCancelled, state.reader == nil else { return .some(nil) }
          state.reader = continuation
          return nil
        }
        if let ready { continuation.resume(returning: ready) }
      }
    } onCancel: {
      close()
    }
  }
}

extension UpdateInbox.State {
  /// Adds an update. If too many steps wait, one roster replaces them. A state of the connection
  /// takes no place: it is told with the update before it, or the next one.
  fileprivate mutating func add(_ item: HubItem, _ limit: Int) {
    if let last = waiting.last, last.update == nil || item.update == nil {
      waiting[waiting.count - 1] = HubItem(
        update: item.update ?? last.update, connection: item.connection ?? last.connection)
      return
    }
    guard let update = item.update else { return waiting.append(item) }
    var missed = 0
    if case .snapshot(_, let before)? = waiting.first?.update, before > 0 {
      // The observer was already too slow and has not read anything since.
      missed = before
    }
    guard missed > 0 || waiting.count >= limit else { return waiting.append(item) }
    missed += missed > 0 ? 1 : waiting.count { $0.update?.isStep == true } + 1
    let connection = item.connection ?? waiting.last { $0.connection != nil }?.connection
    waiting = [
      HubItem(update: .snapshot(update.roster, missed: missed), connection: connection)
    ]
  }
}

extension RosterUpdate {
  fileprivate var isStep: Bool {
    switch self {
    case .snapshot: false
    case .step: true
    }
  }
}

/// Distributes a session's updates to its observers.
package final class UpdateHub: Sendable {
  private struct Weak: Sendable {
    weak var inbox: UpdateInbox?
  }

  private struct State {
    var watchers: [Weak] = []
    var isClosed = false
  }

  private let state = Mutex(State())

  package init() {}

  deinit { close() }

  /// Ends all sequences; updates in them can still be read.
  package func close() {
    let watchers = state.withLock { state in
      state.isClosed = true
      return state.watchers
    }
    for watcher in watchers { watcher.inbox?.close() }
  }

  /// A sequence that begins with the roster. If the hub is closed, it ends after that.
  ///
  /// - Parameters:
  ///   - roster: The current roster.
  ///   - limit: The number of updates that may wait.
  ///   - connection: The current state of the connection, for a session that tells it.
  package func watch(
    from roster: Roster, limit: Int, connection: (any Sendable)? = nil
  ) -> RosterUpdates {
    let first = HubItem(update: .snapshot(roster, missed: 0), connection: connection)
    let inbox = UpdateInbox(first, limit: limit)
    let isClosed = state.withLock { state in
      state.watchers.removeAll { $0.inbox == nil }
      if !state.isClosed { state.watchers.append(Weak(inbox: inbox)) }
      return state.isClosed
    }
    if isClosed { inbox.close() }
    return RosterUpdates(inbox: inbox)
  }

  package func tell(_ update: RosterUpdate) { tell(HubItem(update: update)) }

  /// Tells a new state of the connection.
  package func tell(connection: any Sendable) { tell(HubItem(connection: connection)) }

  private func tell(_ item: HubItem) {
    for watcher in state.withLock({ $0.watchers }) { watcher.inbox?.put(item) }
  }
}
