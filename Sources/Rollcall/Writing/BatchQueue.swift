import EventStore
import Synchronization

/// The batches passed to a writer, and the turns in which they are written.
///
/// After a batch is passed, `signal` requests a turn, which a thread soon takes. Only one thread at
/// a time has the turn.
final class BatchQueue: Sendable {
  /// What follows a failure to write.
  enum FailurePolicy {
    /// The batch is kept and tried again: at once if a caller waits for it, otherwise from time to
    /// time. Only if it may have been written does the writing end.
    case retries
    /// Nothing more is written.
    case ends
  }

  private enum Turn {
    /// No turn is requested.
    case none
    case requested
    case running
    /// A turn is running, and another one is requested after it.
    case runningAndRequested
  }

  private struct Entry: Sendable {
    var batch = RecordBatch()
    /// The number of calls that passed this batch and all before it.
    var upTo: UInt64 = 0
  }

  private struct State {
    var waiting: [Entry] = []
    /// Written batches, whose memory the caller uses again. Freeing memory on a thread other than
    /// the one that allocated it slows down both.
    var spares: [RecordBatch] = []
    /// In calls that passed something: the number of all, and the number up to which it is durable.
    var passed: UInt64 = 0
    var durable: UInt64 = 0
    var waiters: [(upTo: UInt64, number: UInt64, waiter: Waiter)] = []
    /// The number of the last waiter.
    var waits: UInt64 = 0
    /// Why nothing more can be written.
    var end: (any Error)?
    var overtaken: UInt64?
    var isFinished = false
    /// After failures: the number of calls until the next attempt if there are no waiters, and the
    /// call at which it is due.
    var backoff: UInt64 = 0
    var nextAttempt: UInt64 = 0
    var turn = Turn.none

    /// Why nothing more can be passed.
    var refusal: (any Error)? { end ?? (isFinished ? BatchQueue.closed : nil) }

    /// Whether to write now: always, except some time after a failure.
    var isAttemptDue: Bool { !waiters.isEmpty || passed >= nextAttempt }

    /// - Returns: Whether `signal` must be called.
    mutating func requestTurn() -> Bool {
      switch turn {
      case .none:
        turn = .requested
        return true
      case .running:
        turn = .runningAndRequested
        return false
      case .requested, .runningAndRequested: return false
      }
    }
  }

  /// State that belongs to the thread that has the turn.
  private struct Writing: Sendable {
    var appender: BatchAppender
    /// Kept after a failure, to be written again.
    var failed: Entry?
  }

  private static let closed = RollcallError(.closed, "the session is closed")
  private static let cancelled = RollcallError(.cancelled, "the task that waited was cancelled")

  /// The number of bytes of records that may wait before the caller waits for the disk.
  static let byteLimit = 8 << 20
  /// The limit of `backoff`.
  private static let mostBackoff: UInt64 = 1024

  private let state = Mutex(State())
  /// Nil once nothing more will be written. The log is then released here.
  private let writing: Mutex<Writing?>
  private let policy: FailurePolicy
  private let signal: @Sendable (BatchQueue) -> Void

  /// - Parameter signal: Has a thread call `takeTurn` soon, or calls it.
  init(
    _ appender: BatchAppender, onFailure policy: FailurePolicy,
    signal: @escaping @Sendable (BatchQueue) -> Void
  ) {
    writing = Mutex(Writing(appender: appender))
    self.policy = policy
    self.signal = signal
  }

  var waitingBytes: Int {
    state.withLock { $0.waiting.reduce(0) { $0 + $1.batch.records.byteCount } }
  }
  var isFull: Bool { waitingBytes >= Self.byteLimit }
  var isDurable: Bool { state.withLock { $0.durable == $0.passed } }

  /// Whether nothing is left to do, including snapshots.
  var isIdle: Bool {
    state.withLock { state in
      guard case .none = state.turn else { return false }
      return state.durable == state.passed
    }
  }

  var overtaken: UInt64? { state.withLock { $0.overtaken } }

  func caughtUp() { state.withLock { $0.overtaken = nil } }

  /// - Throws: Why nothing more can be passed.
  func check() throws {
    if let refusal = state.withLock({ $0.refusal }) { throw refusal }
  }

  /// Adds to the batch that is written next.
  func add(_ change: (inout RecordBatch) -> Void) throws {
    _ = try pass { state in
      if state.waiting.isEmpty { state.waiting.append(Entry()) }
      change(&state.waiting[state.waiting.count - 1].batch)
    }
  }

  /// Passes a batch of its own, and empties it.
  ///
  /// - Returns: The number of calls that passed it and everything before it.
  func put(_ batch: inout RecordBatch) throws -> UInt64 {
    defer { batch.removeAll() }
    return try pass { state in
      state.waiting.append(Entry(batch: batch))
      // Clear the other reference first, so that emptying the batch keeps its memory.
      batch = state.spares.popLast() ?? RecordBatch()
    }
  }

  private func pass(_ change: (inout State) -> Void) throws -> UInt64 {
    let (passed, isToSignal) = try state.withLock { state in
      if let refusal = state.refusal { throw refusal }
      change(&state)
      state.passed += 1
      state.waiting[state.waiting.count - 1].upTo = state.passed
      return (state.passed, state.isAttemptDue && state.requestTurn())
    }
    if isToSignal { signal(self) }
    return passed
  }

  /// A unique number for `wait`.
  func nextWait() -> UInt64 {
    state.withLock { state in
      state.waits += 1
      return state.waits
    }
  }

  /// Resumes a waiter once everything is durable up to a call, or an attempt to write it has
  /// failed.
  ///
  /// - Parameters:
  ///   - waiter: Resumed at once if there is nothing to wait for.
  ///   - number: From `nextWait`, for `stopWaiting`.
  ///   - upTo: The number of the call; nil for the last one.
  func wait(_ waiter: Waiter, as number: UInt64, upTo: UInt64? = nil) {
    let (result, isToSignal) = state.withLock { state -> (Result<Void, any Error>?, Bool) in
      let upTo = upTo ?? state.passed
      guard state.durable < upTo else { return (.success(()), false) }
      if let refusal = state.refusal { return (.failure(refusal), false) }
      state.waiters.append((upTo, number, waiter))
      return (nil, state.requestTurn())
    }
    if let result { waiter.resume(result) }
    if isToSignal { signal(self) }
  }

  /// Blocks this thread until everything is durable up to a call; nil for the last one.
  ///
  /// - Throws: Why it could not be written.
  func wait(upTo: UInt64? = nil) throws {
    let answer = BlockedThread()
    wait(.thread(answer), as: nextWait(), upTo: upTo)
    try answer.wait()
  }

  /// Removes the waiter with this number.
  func stopWaiting(_ number: UInt64) {
    let waiter = state.withLock { state in
      let index = state.waiters.firstIndex { $0.number == number }
      return index.map { state.waiters.remove(at: $0).waiter }
    }
    waiter?.resume(.failure(Self.cancelled))
  }

  /// Ends the work: nothing more can be passed, and failed writes are not tried again.
  ///
  /// - Parameter hasThread: Whether a thread serves only this queue and must end. Otherwise no turn
  ///   is requested if there is nothing to do.
  /// - Returns: Whether the last turn is over.
  func finish(hasThread: Bool) -> Bool {
    let (isToSignal, isFree) = state.withLock { state in
      state.isFinished = true
      guard !hasThread, case .none = state.turn else { return (state.requestTurn(), false) }
      state.turn = .requested
      return (false, true)
    }
    if isToSignal { signal(self) }
    if isFree { _ = takeTurn() }
    return isFree
  }

  // MARK: On the thread that has the turn

  /// Writes what waits, as long as that succeeds.
  ///
  /// - Returns: Whether there will be another turn.
  // Profiles find the work of an import's thread by this name, even with whole-module optimization.
  @inline(never)
  func takeTurn() -> Bool {
    writing.withLock { writing in
      while var own = writing.take() {
        let (isOver, isAttemptDue) = state.withLock { state in
          state.turn = .running
          return (state.refusal != nil, state.isAttemptDue)
        }
        if isOver { break }
        if isAttemptDue { write(&own) }
        writing = own
        if isDone() { return true }
      }
      leave()
      return false
    }
  }

  /// Ends the turn, unless another one was requested since it began.
  private func isDone() -> Bool {
    state.withLock { state in
      guard case .running = state.turn else { return false }
      state.turn = .none
      return true
    }
  }

  private func write(_ writing: inout Writing) {
    while var next = writing.failed ?? takeNext() {
      do {
        let range = try writing.appender.append(next.batch)
        writing.failed = nil
        let first = range.isEmpty ? nil : next.batch.first
        done(upTo: next.upTo, overtaken: first == range.lowerBound ? nil : first)
        // The waiters for these records need not wait for snapshots.
        writing.appender.keepSnapshots(after: next.batch, numbered: range)
        giveBack(&next.batch)
      } catch {
        writing.failed = next
        failed(error)
        if !isAttemptDue { return }
      }
    }
  }

  private var isAttemptDue: Bool {
    state.withLock { $0.refusal == nil && $0.isAttemptDue }
  }

  private func takeNext() -> Entry? {
    state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
  }

  private func done(upTo count: UInt64, overtaken: UInt64?) {
    let ready = state.withLock { state in
      state.durable = count
      state.overtaken = state.overtaken ?? overtaken
      (state.backoff, state.nextAttempt) = (0, 0)
      defer { state.waiters.removeAll { $0.upTo <= count } }
      return state.waiters.filter { $0.upTo <= count }
    }
    for waiter in ready { waiter.waiter.resume(.success(())) }
  }

  /// Keeps the memory of an import's batch, which its caller fills again. The caller must find no
  /// other reference to it.
  private func giveBack(_ batch: inout RecordBatch) {
    guard policy == .ends else { return }
    state.withLock { state in
      state.spares.append(batch)
      batch = RecordBatch()
    }
  }

  private func failed(_ error: any Error) {
    let waiters = state.withLock { state in
      // To try again could write the records twice, or write to a file that was removed.
      let code = (error as? EventLogError)?.code
      if policy == .ends || code == .outcomeUnknown || code == .removed { state.end = error }
      state.backoff = min(max(1, state.backoff * 2), Self.mostBackoff)
      state.nextAttempt = state.passed + state.backoff
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.waiter.resume(.failure(error)) }
  }

  /// Fails all waiters, because there are no further turns.
  private func leave() {
    let (waiters, error) = state.withLock { state in
      defer { (state.waiters, state.waiting) = ([], []) }
      return (state.waiters, state.refusal ?? Self.closed)
    }
    for waiter in waiters { waiter.waiter.resume(.failure(error)) }
  }
}
