import EventStore
import Synchronization
import XMPPStanza

/// What is handed over together becomes durable together.
struct Handover: Sendable {
  var records = RecordArena()
  /// The number that the first of the records is expected to get.
  var first: UInt64 = 0
  var account: BareJID?

  var isEmpty: Bool { records.count == 0 && account == nil }
}

/// What is handed over to a writer, and the turns in which it is written.
///
/// Whoever hands something over has `signal` see to it that a thread takes a turn, soon. One thread
/// at a time has the turn.
final class HandoverWork: Sendable {
  private enum Turn {
    /// Nobody was asked to take one.
    case none
    case asked
    case taken
    /// There is more to look at once the one that is taken is over.
    case takenAndAsked
  }

  private struct State {
    var waiting = Handover()
    /// Counted in handings over: how many there were, and up to which all are durable.
    var handedOver: UInt64 = 0
    var durable: UInt64 = 0
    var waiters: [(upTo: UInt64, number: UInt64, waiter: Waiter)] = []
    /// The number of the last that waited.
    var waits: UInt64 = 0
    /// Why nothing more can be written: to try again could write it twice.
    var end: (any Error)?
    var overtaken: UInt64?
    var isFinished = false
    /// After failures: how many handings over are let go by before the next try that nobody waits
    /// for, and at which one that is.
    var patience: UInt64 = 0
    var nextTry: UInt64 = 0
    var turn = Turn.none

    /// Why nothing more can be handed over.
    var refusal: (any Error)? { end ?? (isFinished ? HandoverWork.closed : nil) }

    /// Whether what failed is to be tried again.
    var isWorthATry: Bool { !waiters.isEmpty || handedOver >= nextTry }

    /// - Returns: Whether somebody is to be signalled.
    mutating func ask() -> Bool {
      switch turn {
      case .none:
        turn = .asked
        return true
      case .taken:
        turn = .takenAndAsked
        return false
      case .asked, .takenAndAsked: return false
      }
    }
  }

  /// What only the thread has that has the turn.
  private struct Desk: Sendable {
    var appender: HandoverAppender
    /// Kept where it could not be written, to be tried again.
    var current: (handover: Handover, upTo: UInt64)?
  }

  private static let closed = RollcallError(.closed, "the session is closed")
  private static let cancelled = RollcallError(.cancelled, "the task that waited was cancelled")

  /// How many bytes of records may wait before handing over waits for the disk.
  static let most = 8 << 20
  /// How many handings over are let go by at most.
  private static let mostPatience: UInt64 = 1024

  private let state = Mutex(State())
  /// Nil once nothing more will be written: then nobody here refers to the log any more.
  private let desk: Mutex<Desk?>
  private let signal: @Sendable (HandoverWork) -> Void

  init(_ appender: HandoverAppender, signal: @escaping @Sendable (HandoverWork) -> Void) {
    desk = Mutex(Desk(appender: appender))
    self.signal = signal
  }

  var waitingBytes: Int { state.withLock { $0.waiting.records.byteCount } }
  var isFull: Bool { waitingBytes >= Self.most }
  var isDurable: Bool { state.withLock { $0.durable == $0.handedOver } }

  /// Whether nothing is left to do, snapshots included.
  var isIdle: Bool {
    state.withLock { state in
      guard case .none = state.turn else { return false }
      return state.durable == state.handedOver
    }
  }

  var overtaken: UInt64? { state.withLock { $0.overtaken } }

  func caughtUp() { state.withLock { $0.overtaken = nil } }

  /// - Throws: Why nothing more can be handed over.
  func check() throws {
    if let refusal = state.withLock({ $0.refusal }) { throw refusal }
  }

  func add(_ change: (inout Handover) -> Void) throws {
    let isToSignal = try state.withLock { state in
      if let refusal = state.refusal { throw refusal }
      change(&state.waiting)
      state.handedOver += 1
      return state.isWorthATry && state.ask()
    }
    if isToSignal { signal(self) }
  }

  /// A number for `wait`, which no other waiter has.
  func nextWait() -> UInt64 {
    state.withLock { state in
      state.waits += 1
      return state.waits
    }
  }

  func wait(_ waiter: Waiter) { wait(waiter, as: nextWait()) }

  /// The waiter of this number waits no longer.
  func stopWaiting(_ number: UInt64) {
    let waiter = state.withLock { state in
      let index = state.waiters.firstIndex { $0.number == number }
      return index.map { state.waiters.remove(at: $0).waiter }
    }
    waiter?.resume(.failure(Self.cancelled))
  }

  func wait(_ waiter: Waiter, as number: UInt64) {
    let (result, isToSignal) = state.withLock { state -> (Result<Void, any Error>?, Bool) in
      guard state.durable < state.handedOver else { return (.success(()), false) }
      if let refusal = state.refusal { return (.failure(refusal), false) }
      state.waiters.append((state.handedOver, number, waiter))
      return (nil, state.ask())
    }
    if let result { waiter.resume(result) }
    if isToSignal { signal(self) }
  }

  /// Nothing more is handed over, and nothing that is left is tried again.
  ///
  /// - Parameter isOwn: Whether a thread waits for nothing but these turns, and is to end. Others
  ///   need not be asked where there is nothing to do.
  /// - Returns: Whether the last turn is over.
  func finish(isOwn: Bool) -> Bool {
    let (isToSignal, isFree) = state.withLock { state in
      state.isFinished = true
      guard !isOwn, case .none = state.turn else { return (state.ask(), false) }
      state.turn = .asked
      return (false, true)
    }
    if isToSignal { signal(self) }
    if isFree { _ = takeTurn() }
    return isFree
  }

  // MARK: On the thread that has the turn

  /// Writes what waits, as long as it can be.
  ///
  /// - Returns: Whether there will be another turn.
  func takeTurn() -> Bool {
    desk.withLock { desk in
      while var own = desk.take() {
        let (isOver, isWorthATry) = state.withLock { state in
          state.turn = .taken
          return (state.refusal != nil, state.isWorthATry)
        }
        if isOver { break }
        if isWorthATry { write(&own) }
        desk = own
        if isDone() { return true }
      }
      leave()
      return false
    }
  }

  /// Whether nobody has asked for more since the turn was taken.
  private func isDone() -> Bool {
    state.withLock { state in
      guard case .taken = state.turn else { return false }
      state.turn = .none
      return true
    }
  }

  private func write(_ desk: inout Desk) {
    while let next = desk.current ?? take() {
      do {
        let range = try desk.appender.append(next.handover)
        desk.current = nil
        let isOvertaken = !range.isEmpty && range.lowerBound != next.handover.first
        done(upTo: next.upTo, isOvertaken ? next.handover.first : nil)
        // Who waits for the records does not wait for snapshots.
        desk.appender.follow(next.handover.records, numbered: range)
      } catch {
        desk.current = next
        failed(error)
        if !isWorthATry { return }
      }
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
      // To try again could write it twice, or writes to what is gone.
      if let error = error as? EventLogError, [.outcomeUnknown, .removed].contains(error.code) {
        state.end = error
      }
      state.patience = min(max(1, state.patience * 2), Self.mostPatience)
      state.nextTry = state.handedOver + state.patience
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.waiter.resume(.failure(error)) }
  }

  /// Nobody waits for turns that nobody takes.
  private func leave() {
    let (waiters, error) = state.withLock { state in
      defer { (state.waiters, state.waiting) = ([], Handover()) }
      return (state.waiters, state.refusal ?? Self.closed)
    }
    for waiter in waiters { waiter.waiter.resume(.failure(error)) }
  }
}

/// Appends what was handed over, and keeps the log's snapshots, on the writer's thread.
struct HandoverAppender: Sendable {
  private let log: EventLog
  private let appendRecords: LogWriter.Append
  private var note: AccountNote
  private var keeper: SnapshotKeeper

  init(_ log: EventLog, isAccountNoted: Bool, append: @escaping LogWriter.Append) {
    self.log = log
    appendRecords = append
    note = AccountNote(isDone: isAccountNoted)
    keeper = SnapshotKeeper(log)
  }

  /// - Returns: The numbers that the records got.
  mutating func append(_ handover: Handover) throws -> Range<UInt64> {
    let range = handover.records.count > 0 ? try appendRecords(log, handover.records) : 0..<0
    // What follows is no part of what was promised: it is noted where it fails.
    do {
      try note.note(handover.account) { try log.append([], marks: $0) }
    } catch {
      log.deferredFailures.note(.account, error)
    }
    return range
  }

  /// Stores the snapshots that are due after records that were appended.
  mutating func follow(_ records: RecordArena, numbered range: Range<UInt64>) {
    if !range.isEmpty { keeper.follow(records, numbered: range) }
  }
}
