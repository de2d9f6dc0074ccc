import Dispatch
import EventStore
import Synchronization
import XMPPStanza

/// Appends what is handed over to a log, on a thread of its own: what comes while the disk is busy
/// shares the next commit.
///
/// Handing over keeps the order and does not wait for the disk, unless too much waits already.
/// Where appending fails nothing is lost: the records wait, and are tried again with the next ones.
/// Memory: what waits, up to `Work.most` bytes, and as much again while it is written.
final class LogWriter: Sendable {
  private let work: Work
  private let thread: Mutex<WorkerThread?>

  /// A writer of a log that is open for writing.
  ///
  /// - Parameter isAccountNoted: Whether the log says whose it is.
  /// - Throws: Where the system gives no thread.
  init(_ log: EventLog, isAccountNoted: Bool) throws {
    let appender = try HandoverAppender(log, isAccountNoted: isAccountNoted)
    let work = Work()
    guard let thread = WorkerThread({ work.run(appender) }) else {
      throw RollcallError(.log, "the system gives no thread to record with")
    }
    self.work = work
    self.thread = Mutex(thread)
  }

  /// What was handed over is written before the last reference is gone.
  deinit { try? close() }

  /// Waits for the disk where too much waits for it already.
  ///
  /// - Throws: Why it cannot be written.
  func makeRoom() throws {
    if work.isFull { try flush() }
  }

  /// Hands a record over.
  ///
  /// - Throws: Why nothing more can be written.
  func put(_ draft: RecordDraft) throws {
    try work.add { $0.records.add(draft) }
  }

  /// Hands over a state to be stored, which is that of the last record that was handed over.
  func put(_ snapshot: SnapshotDraft) throws {
    try work.add { $0.snapshots.append(snapshot) }
  }

  /// Says whose the log is, to be noted in it.
  func put(account: BareJID) throws {
    try work.add { $0.account = account }
  }

  /// How many bytes of records wait for what is being written.
  var waitingBytes: Int { work.waitingBytes }

  /// Whether all that was handed over is durable.
  var isIdle: Bool { work.isIdle }

  /// Whether somebody else has appended between the records that were handed over, so that they
  /// have other numbers than was to be expected; not said again until it happens again.
  func takeOvertaken() -> Bool { work.takeOvertaken() }

  /// Waits until all that was handed over before is durable.
  ///
  /// - Throws: Why it could not be written, now that it was tried again.
  func durable() async throws {
    try await withCheckedThrowingContinuation { work.wait(.task($0)) }
  }

  /// The same on a thread that may be held up.
  func flush() throws {
    let answer = HeldThread()
    work.wait(.thread(answer))
    try answer.wait()
  }

  /// Writes what was handed over, and ends the thread.
  ///
  /// - Throws: Why it could not be written; it is lost then.
  func close() throws {
    guard let thread = thread.withLock({ $0.take() }) else { return }
    let result = Result { try flush() }
    work.finish()
    thread.join()
    try result.get()
  }
}

/// Somebody who waits until what was handed over is durable.
private enum Waiter {
  case task(CheckedContinuation<Void, any Error>)
  case thread(HeldThread)

  func resume(_ result: Result<Void, any Error>) {
    switch self {
    case .task(let continuation): continuation.resume(with: result)
    case .thread(let thread): thread.resume(result)
    }
  }
}

/// A thread that waits for an answer.
private final class HeldThread: Sendable {
  private let answered = DispatchSemaphore(value: 0)
  private let answer = Mutex<Result<Void, any Error>?>(nil)

  func resume(_ result: Result<Void, any Error>) {
    answer.withLock { $0 = result }
    answered.signal()
  }

  func wait() throws {
    answered.wait()
    try answer.withLock { $0 }?.get()
  }
}

/// What is handed over together becomes durable together.
private struct Handover: Sendable {
  var records = RecordArena()
  var snapshots: [SnapshotDraft] = []
  var account: BareJID?

  var isEmpty: Bool { records.count == 0 && snapshots.isEmpty && account == nil }
}

/// What a writer and its thread share.
private final class Work: Sendable {
  private struct State {
    var waiting = Handover()
    /// Counted in handings over: how many there were, and up to which all are durable.
    var handedOver: UInt64 = 0
    var durable: UInt64 = 0
    var waiters: [(upTo: UInt64, waiter: Waiter)] = []
    /// Why nothing more can be written: to try again could write it twice.
    var end: (any Error)?
    var isOvertaken = false
    var isFinished = false
  }

  private static let closed = RollcallError(.log, "the session is closed")

  /// How many bytes of records may wait before handing over waits for the disk.
  static let most = 8 << 20

  private let state = Mutex(State())
  private let wakeUp = DispatchSemaphore(value: 0)

  var waitingBytes: Int { state.withLock { $0.waiting.records.byteCount } }
  var isFull: Bool { waitingBytes >= Self.most }
  var isIdle: Bool { state.withLock { $0.durable == $0.handedOver } }

  func takeOvertaken() -> Bool {
    state.withLock { state in
      defer { state.isOvertaken = false }
      return state.isOvertaken
    }
  }

  func add(_ change: (inout Handover) -> Void) throws {
    try state.withLock { state in
      if let end = state.end { throw end }
      // Nobody would write it.
      if state.isFinished { throw Self.closed }
      change(&state.waiting)
      state.handedOver += 1
    }
    wakeUp.signal()
  }

  func wait(_ waiter: Waiter) {
    let result: Result<Void, any Error>? = state.withLock { state in
      guard state.durable < state.handedOver else { return .success(()) }
      if let end = state.end { return .failure(end) }
      if state.isFinished { return .failure(Self.closed) }
      state.waiters.append((state.handedOver, waiter))
      return nil
    }
    if let result { waiter.resume(result) } else { wakeUp.signal() }
  }

  func finish() {
    state.withLock { $0.isFinished = true }
    wakeUp.signal()
  }

  // MARK: On the thread

  func run(_ appender: consuming HandoverAppender) {
    // Kept where it could not be written, to be tried again.
    var current: (handover: Handover, upTo: UInt64)?
    while true {
      wakeUp.wait()
      if current == nil { current = take() }
      guard let next = current else {
        if isFinished { return }
        continue
      }
      do {
        let isOvertaken = try appender.append(next.handover)
        current = nil
        done(upTo: next.upTo, isOvertaken)
        // What waits after one that was tried again may have no signal of its own.
        wakeUp.signal()
      } catch {
        failed(error)
        if isFinished { return }
      }
    }
  }

  private var isFinished: Bool { state.withLock { $0.isFinished } }

  private func take() -> (Handover, UInt64)? {
    state.withLock { state in
      guard !state.waiting.isEmpty, state.end == nil else { return nil }
      defer { state.waiting = Handover() }
      return (state.waiting, state.handedOver)
    }
  }

  private func done(upTo count: UInt64, _ isOvertaken: Bool) {
    let ready = state.withLock { state in
      state.durable = count
      if isOvertaken { state.isOvertaken = true }
      defer { state.waiters.removeAll { $0.upTo <= count } }
      return state.waiters.filter { $0.upTo <= count }
    }
    for waiter in ready { waiter.waiter.resume(.success(())) }
  }

  private func failed(_ error: any Error) {
    let waiters = state.withLock { state in
      if case EventLogError.outcomeUnknown = error { state.end = error }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.waiter.resume(.failure(error)) }
  }
}

/// Appends what was handed over, on the writer's thread.
private struct HandoverAppender: Sendable {
  private let log: EventLog
  /// The number that the next record should get.
  private var next: UInt64
  private var note: AccountNote

  init(_ log: EventLog, isAccountNoted: Bool) throws {
    self.log = log
    next = try log.read { try $0.lastSequence } + 1
    note = AccountNote(isDone: isAccountNoted)
  }

  /// - Returns: Whether somebody else has appended since the last time.
  mutating func append(_ handover: Handover) throws -> Bool {
    let range = try log.append(handover.records)
    let isOvertaken = range.lowerBound != next
    next = range.upperBound
    // What follows is no part of what was promised: it is noted where it fails.
    do {
      try note.note(handover.account) { try log.append([], marks: $0) }
    } catch {
      log.undone.note(.account, error)
    }
    // A state of other records than it was made of is none.
    guard !isOvertaken, !handover.snapshots.isEmpty else { return isOvertaken }
    do {
      try log.store(handover.snapshots)
    } catch {
      log.undone.note(.snapshots, error)
    }
    return isOvertaken
  }
}
