import Dispatch
import EventStore
import Synchronization
import XMPPStanza

/// What is handed over together becomes durable together.
struct Handover: Sendable {
  var records = RecordArena()
  /// The number that the first of the records is expected to get.
  var first: UInt64 = 0
  var snapshots: [SnapshotDraft] = []
  var account: BareJID?

  var isEmpty: Bool { records.count == 0 && snapshots.isEmpty && account == nil }
}

/// What a writer and its thread share.
final class HandoverWork: Sendable {
  fileprivate struct State {
    var waiting = Handover()
    /// Counted in handings over: how many there were, and up to which all are durable.
    var handedOver: UInt64 = 0
    var durable: UInt64 = 0
    var waiters: [(upTo: UInt64, waiter: Waiter)] = []
    /// Why nothing more can be written: to try again could write it twice.
    var end: (any Error)?
    var overtaken: UInt64?
    var isFinished = false
    /// After failures: how many handings over are let go by before the next try that nobody waits
    /// for, and at which one that is.
    var patience: UInt64 = 0
    var nextTry: UInt64 = 0
    /// Whether the thread was told to look, and has not looked yet.
    var isWoken = false

    /// Why nothing more can be handed over.
    var refusal: (any Error)? { end ?? (isFinished ? HandoverWork.closed : nil) }

    /// Whether what failed is to be tried again.
    var isWorthATry: Bool { !waiters.isEmpty || handedOver >= nextTry }
  }

  private static let closed = RollcallError(.closed, "the session is closed")

  /// How many bytes of records may wait before handing over waits for the disk.
  static let most = 8 << 20
  /// How many handings over are let go by at most.
  private static let mostPatience: UInt64 = 1024

  private let state = Mutex(State())
  private let wakeUp = DispatchSemaphore(value: 0)

  var waitingBytes: Int { state.withLock { $0.waiting.records.byteCount } }
  var isFull: Bool { waitingBytes >= Self.most }
  var isIdle: Bool { state.withLock { $0.durable == $0.handedOver } }
  var overtaken: UInt64? { state.withLock { $0.overtaken } }

  func caughtUp() { state.withLock { $0.overtaken = nil } }

  /// - Throws: Why nothing more can be handed over.
  func check() throws {
    if let refusal = state.withLock({ $0.refusal }) { throw refusal }
  }

  func add(_ change: (inout Handover) -> Void) throws {
    let isToLook = try state.withLock { state in
      if let refusal = state.refusal { throw refusal }
      change(&state.waiting)
      state.handedOver += 1
      return state.isWorthATry && state.wake()
    }
    if isToLook { wakeUp.signal() }
  }

  func wait(_ waiter: Waiter) {
    let (result, isToLook) = state.withLock { state -> (Result<Void, any Error>?, Bool) in
      guard state.durable < state.handedOver else { return (.success(()), false) }
      if let refusal = state.refusal { return (.failure(refusal), false) }
      state.waiters.append((state.handedOver, waiter))
      return (nil, state.wake())
    }
    if let result { waiter.resume(result) }
    if isToLook { wakeUp.signal() }
  }

  /// Nothing more is handed over, and nothing that is left is tried again.
  func finish() {
    let isToLook = state.withLock { state in
      state.isFinished = true
      return state.wake()
    }
    if isToLook { wakeUp.signal() }
  }

  // MARK: On the thread

  func run(_ appender: consuming HandoverAppender) {
    // Kept where it could not be written, to be tried again.
    var current: (handover: Handover, upTo: UInt64)?
    while look() {
      while let next = current ?? take() {
        do {
          let overtaken = try appender.append(next.handover)
          current = nil
          done(upTo: next.upTo, overtaken)
        } catch {
          current = next
          failed(error)
          if !isWorthATry { break }
        }
      }
    }
    leave()
  }

  /// Waits until there is something to look at; false where nothing more is to be done.
  private func look() -> Bool {
    while true {
      wakeUp.wait()
      let (isOver, isWorthATry) = state.withLock { state in
        state.isWoken = false
        return (state.refusal != nil, state.isWorthATry)
      }
      if isOver { return false }
      if isWorthATry { return true }
    }
  }

  private var isWorthATry: Bool {
    state.withLock { $0.refusal == nil && $0.isWorthATry }
  }

  private func take() -> (Handover, UInt64)? {
    state.withLock { state in
      guard !state.waiting.isEmpty else { return nil }
      defer { state.waiting = Handover() }
      return (state.waiting, state.handedOver)
    }
  }

  private func done(upTo count: UInt64, _ overtaken: UInt64?) {
    let ready = state.withLock { state in
      state.durable = count
      state.overtaken = state.overtaken ?? overtaken
      (state.patience, state.nextTry) = (0, 0)
      defer { state.waiters.removeAll { $0.upTo <= count } }
      return state.waiters.filter { $0.upTo <= count }
    }
    for waiter in ready { waiter.waiter.resume(.success(())) }
  }

  private func failed(_ error: any Error) {
    let waiters = state.withLock { state in
      if case EventLogError.outcomeUnknown = error { state.end = error }
      state.patience = min(max(1, state.patience * 2), Self.mostPatience)
      state.nextTry = state.handedOver + state.patience
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.waiter.resume(.failure(error)) }
  }

  /// Nobody waits for a thread that is gone.
  private func leave() {
    let (waiters, error) = state.withLock { state in
      defer { (state.waiters, state.waiting) = ([], Handover()) }
      return (state.waiters, state.refusal ?? Self.closed)
    }
    for waiter in waiters { waiter.waiter.resume(.failure(error)) }
  }
}

extension HandoverWork.State {
  /// - Returns: Whether the thread is to be signalled.
  fileprivate mutating func wake() -> Bool {
    defer { isWoken = true }
    return !isWoken
  }
}

/// Appends what was handed over, on the writer's thread.
struct HandoverAppender: Sendable {
  private let log: EventLog
  private let appendRecords: LogWriter.Append
  private var note: AccountNote
  /// Whether the records that were appended last have the numbers that they were expected to get.
  private var isAsExpected = true

  init(_ log: EventLog, isAccountNoted: Bool, append: @escaping LogWriter.Append) {
    self.log = log
    appendRecords = append
    note = AccountNote(isDone: isAccountNoted)
  }

  /// - Returns: What the first record was expected to be, where it has another number.
  mutating func append(_ handover: Handover) throws -> UInt64? {
    if handover.records.count > 0 {
      isAsExpected = try appendRecords(log, handover.records).lowerBound == handover.first
    }
    // What follows is no part of what was promised: it is noted where it fails.
    do {
      try note.note(handover.account) { try log.append([], marks: $0) }
    } catch {
      log.undone.note(.account, error)
    }
    // A state of other records than it was made of is none.
    guard isAsExpected else { return handover.records.count > 0 ? handover.first : nil }
    guard !handover.snapshots.isEmpty else { return nil }
    do {
      try log.store(handover.snapshots)
    } catch {
      log.undone.note(.snapshots, error)
    }
    return nil
  }
}
