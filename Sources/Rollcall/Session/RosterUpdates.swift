public import RosterCore
import Synchronization

/// What a session tells those who watch it.
public enum RosterUpdate: Sendable {
  /// The roster as it is: the first thing that is told, and again where the watcher was too slow,
  /// with how many steps it missed, and where somebody else has appended to the log, with 0.
  case snapshot(Roster, missed: Int)
  /// What one part of the stream changed, and the roster after it.
  case step(SessionStep, Roster)

  /// The roster after it.
  public var roster: Roster {
    switch self {
    case .snapshot(let roster, _), .step(_, let roster): roster
    }
  }
}

/// What a session tells one watcher, in order: first the roster, then each step that changed
/// something or is odd. It ends with the session; that of a session that is over ends after the
/// roster.
///
/// A watcher that is slow holds nobody up and no transaction: once `limit` steps wait for it, they
/// are dropped, and the next it is told is the roster as it is then. To be iterated once.
public struct RosterUpdates: AsyncSequence, Sendable {
  /// What is told.
  public typealias Element = RosterUpdate
  /// Nothing is thrown.
  public typealias Failure = Never

  let inbox: UpdateInbox

  /// Hands out the updates.
  public struct AsyncIterator: AsyncIteratorProtocol {
    /// Nil where another iterator has it.
    let inbox: UpdateInbox?

    /// The next update; nil if the session is over or the task is cancelled. Waits until something
    /// changes.
    public mutating func next() async -> RosterUpdate? { await inbox?.next() }
  }

  /// The iterator. There is one only: any further one ends at once.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(inbox: inbox.isTakenFirst() ? inbox : nil)
  }
}

/// What waits for one watcher.
final class UpdateInbox: Sendable {
  fileprivate struct State {
    var waiting: [RosterUpdate] = []
    var reader: CheckedContinuation<RosterUpdate?, Never>?
    var isClosed = false
    var isTaken = false
  }

  private let limit: Int
  private let state: Mutex<State>

  init(_ roster: Roster, limit: Int) {
    self.limit = Swift.max(1, limit)
    state = Mutex(State(waiting: [.snapshot(roster, missed: 0)]))
  }

  deinit { close() }

  /// Takes the inbox for an iterator; false where one has it already.
  func isTakenFirst() -> Bool {
    state.withLock { state in
      defer { state.isTaken = true }
      return !state.isTaken
    }
  }

  /// Puts an update in, or hands it to who waits for it.
  func put(_ update: RosterUpdate) {
    let reader = state.withLock { state -> CheckedContinuation<RosterUpdate?, Never>? in
      guard !state.isClosed else { return nil }
      if let reader = state.reader.take() { return reader }
      state.add(update, limit)
      return nil
    }
    reader?.resume(returning: update)
  }

  /// Nothing comes any more; what waits can still be taken.
  func close() {
    let reader = state.withLock { state in
      state.isClosed = true
      return state.reader.take()
    }
    reader?.resume(returning: nil)
  }

  func next() async -> RosterUpdate? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let ready: RosterUpdate?? = state.withLock { state in
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
  /// Where too many steps wait, one roster takes their place.
  fileprivate mutating func add(_ update: RosterUpdate, _ limit: Int) {
    var missed = 0
    if case .snapshot(_, let before)? = waiting.first, before > 0 {
      // It was too slow already, and has still not looked.
      missed = before
    }
    guard missed > 0 || waiting.count >= limit else { return waiting.append(update) }
    missed += missed > 0 ? 1 : waiting.count { $0.isStep } + 1
    waiting = [.snapshot(update.roster, missed: missed)]
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

/// Whom a session tells what happens.
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

  /// Nothing more is told; what was can still be read.
  package func close() {
    let watchers = state.withLock { state in
      state.isClosed = true
      return state.watchers
    }
    for watcher in watchers { watcher.inbox?.close() }
  }

  /// A sequence that begins with the roster. It ends after that if the hub is closed.
  package func watch(from roster: Roster, limit: Int) -> RosterUpdates {
    let inbox = UpdateInbox(roster, limit: limit)
    let isClosed = state.withLock { state in
      state.watchers.removeAll { $0.inbox == nil }
      if !state.isClosed { state.watchers.append(Weak(inbox: inbox)) }
      return state.isClosed
    }
    if isClosed { inbox.close() }
    return RosterUpdates(inbox: inbox)
  }

  package func tell(_ update: RosterUpdate) {
    for watcher in state.withLock({ $0.watchers }) { watcher.inbox?.put(update) }
  }
}
