import EventStore
import Synchronization
import XMPPStanza

/// Records that become durable together.
struct Handover: Sendable {
  var records = RecordArena()
  /// The expected number of the first record.
  var first: UInt64 = 0
  var account: BareJID?

  var isEmpty: Bool { records.count == 0 && account == nil }
}

/// The records passed to a writer, and the turns in which a thread writes them.
///
/// After each handover, `signal` requests a turn, which a thread soon takes. Only one thread at a
/// time has the turn.
final class HandoverWork: Sendable {
  private enum Turn {
    /// No turn is requested.
    case none
    case asked
    case taken
    /// A turn is running, and another one is requested after it.
    case takenAndAsked
  }

  private struct State {
    var waiting = Handover()
    /// In handovers: the number of all, and the number up to which they are durable.
    var handedOver: UInt64 = 0
    var durable: UInt64 = 0
    var waiters: [(upTo: UInt64, number: UInt64, waiter: Waiter)] = []
    /// The number of the last waiter.
    var waits: UInt64 = 0
    /// Why nothing more can be written: trying again could write records twice.
    var end: (any Error)?
    var overtaken: UInt64?
    var isFinished = false
    /// After failures: the number of handovers until the next attempt if there are no waiters, and
    /// the handover at which it is due.
    var patience: UInt64 = 0
    var nextTry: UInt64 = 0
    var turn = Turn.none

    /// Why nothing more can be passed.
    var refusal: (any Error)? { end ?? (isFinished ? HandoverWork.closed : nil) }

    /// Whether a failed write should be tried again.
    var isWorthATry: Bool { !waiters.isEmpty || handedOver >= nextTry }

    /// - Returns: Whether `signal` must be called.
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

  /// State that belongs to the thread that has the turn.
  private struct Desk: Sendable {
    var appender: HandoverAppender
    /// Kept after a failure, to be written again.
    var current: (handover: Handover, upTo: UInt64)?
  }

  private static let closed = RollcallError(.closed, "the session is closed")
  private static let cancelled = RollcallError(.cancelled, "the task that waited was cancelled")

  /// The number of bytes of records that may wait before a handover waits for the disk.
  static let most = 8 << 20
  /// The limit of `patience`.
  private static let mostPatience: UInt64 = 1024

  private let state = Mutex(State())
  /// Nil once nothing more will be written. The log is then released here.
  private let desk: Mutex<Desk?>
  private let signal: @Sendable (HandoverWork) -> Void

  init(_ appender: HandoverAppender, signal: @escaping @Sendable (HandoverWork) -> Void) {
    desk = Mutex(Desk(appender: appender))
    self.signal = signal
  }

  var waitingBytes: Int { state.withLock { $0.waiting.records.byteCount } }
  var isFull: Bool { waitingBytes >= Self.most }
  var isDurable: Bool { state.withLock { $0.durable == $0.handedOver } }

  /// Whether nothing is left to do, including snapshots.
  var isIdle: Bool {
    state.withLock { state in
      guard case .none = state.turn else { return false }
      return state.durable == state.handedOver
    }
  }

  var overtaken: UInt64? { state.withLock { $0.overtaken } }

  func caughtUp() { state.withLock { $0.overtaken = nil } }

  /// - Throws: Why nothing more can be passed.
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

  /// A unique number for `wait`.
  func nextWait() -> UInt64 {
    state.withLock { state in
      state.waits += 1
      return state.waits
    }
  }

  func wait(_ waiter: Waiter) { wait(waiter, as: nextWait()) }

  /// Removes the waiter with this number.
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

  /// Ends the work: nothing more can be passed, and failed writes are not tried again.
  ///
  /// - Parameter isOwn: Whether a thread serves only this work and must end. A shared thread needs
  ///   no request if there is nothing to do.
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

  /// Writes what waits, as long as that succeeds.
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

  /// Ends the turn, unless another one was requested since it began.
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
        // The waiters for these records need not wait for snapshots.
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
      // Trying again could write the records twice, or write to a file that was removed.
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

  /// Fails all waiters, because there are no further turns.
  private func leave() {
    let (waiters, error) = state.withLock { state in
      defer { (state.waiters, state.waiting) = ([], Handover()) }
      return (state.waiters, state.refusal ?? Self.closed)
    }
    for waiter in waiters { waiter.waiter.resume(.failure(error)) }
  }
}

/// Appends records and stores the log's snapshots, on the writer's thread.
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

  /// - Returns: The numbers of the appended records.
  mutating func append(_ handover: Handover) throws -> Range<UInt64> {
    let range = handover.records.count > 0 ? try appendRecords(log, handover.records) : 0..<0
    // The caller was promised only the append; later failures become notes.
    do {
      try note.note(handover.account) { try log.append([], marks: $0) }
    } catch {
      log.deferredFailures.note(.account, error)
    }
    return range
  }

  /// Stores the snapshots that are due after appended records.
  mutating func follow(_ records: RecordArena, numbered range: Range<UInt64>) {
    if !range.isEmpty { keeper.follow(records, numbered: range) }
  }
}
