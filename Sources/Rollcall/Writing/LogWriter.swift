import Dispatch
import EventStore
import Synchronization
import XMPPStanza

/// Appends records to a log and stores its snapshots, on a thread of its own or on threads that
/// logs share. Records that arrive while the disk is busy share the next commit.
///
/// Passing a record keeps the order and does not wait for the disk, unless too much already waits.
/// If appending fails, nothing is lost: the records are kept, and are tried again if a caller waits
/// for them, and from time to time as more are passed. Only if it is unknown whether they were
/// written does writing end, because they could be in the log twice.
/// Memory: what waits, up to `HandoverWork.most` bytes, as much again while it is written, and the
/// roster for the snapshots.
final class LogWriter: Sendable {
  /// Appends records to a log, all or none.
  ///
  /// - Returns: The numbers of the records.
  typealias Append = @Sendable (EventLog, RecordArena) throws -> Range<UInt64>

  private let work: HandoverWork
  private let place: Place
  private let isClosed = Mutex(false)

  /// The threads that write.
  private enum Place: Sendable {
    /// A thread of its own, which signals its end.
    case own(ended: DispatchSemaphore)
    /// Threads shared with other logs; signaled once nothing more will be written.
    case shared(left: DispatchSemaphore)
  }

  static let noThread = RollcallError(.log, "the system gives no thread to record with")

  /// A writer of a log that is open for writing.
  ///
  /// - Parameters:
  ///   - isAccountNoted: Whether the log already has a note of its account.
  ///   - threads: The threads that write; nil for a thread of its own.
  ///   - append: Appends the records to the log.
  /// - Throws: An error if the system provides no thread.
  init(
    _ log: EventLog, isAccountNoted: Bool, on threads: WriterThreads? = nil,
    append: @escaping Append = { try $0.append($1) }
  ) throws {
    let appender = HandoverAppender(log, isAccountNoted: isAccountNoted, append: append)
    let end = DispatchSemaphore(value: 0)
    if let threads {
      work = HandoverWork(appender) { work in
        threads.perform { if !work.takeTurn() { end.signal() } }
      }
      place = .shared(left: end)
      return
    }
    let isAsked = DispatchSemaphore(value: 0)
    let work = HandoverWork(appender) { _ in isAsked.signal() }
    let thread = WorkerThread {
      repeat { isAsked.wait() } while work.takeTurn()
      end.signal()
    }
    guard let thread else { throw Self.noThread }
    thread.detach()
    self.work = work
    place = .own(ended: end)
  }

  /// Everything passed is written before the last reference is gone.
  deinit { try? close() }

  /// Waits for the disk if too much already waits.
  ///
  /// - Throws: Why it cannot be written, or why nothing more can be passed.
  func makeRoom() throws {
    try work.check()
    if work.isFull { try flush() }
  }

  /// Passes a record.
  ///
  /// - Parameter number: The record's number, unless others append too.
  /// - Throws: Why nothing more can be written.
  func put(_ draft: RecordDraft, as number: UInt64) throws {
    try work.add { handover in
      if handover.records.count == 0 { handover.first = number }
      handover.records.add(draft)
    }
  }

  /// Passes the log's account, to be noted in it.
  func put(account: BareJID) throws {
    try work.add { $0.account = account }
  }

  /// The number of bytes of records that wait to be written.
  var waitingBytes: Int { work.waitingBytes }

  /// Whether everything passed is durable.
  var isDurable: Bool { work.isDurable }

  /// Whether everything passed is durable and no snapshot is being stored, so that closing waits
  /// for nothing.
  var isIdle: Bool { work.isIdle }

  /// Whether nothing more can be written.
  var isBroken: Bool { (try? work.check()) == nil }

  /// The first record whose number differs from the expected one, because others have appended
  /// before it; given as the expected number. Nil if there is none since `caughtUp`.
  var overtaken: UInt64? { work.overtaken }

  /// Notes that the caller knows what others have appended.
  func caughtUp() { work.caughtUp() }

  /// Waits until everything passed so far is durable.
  ///
  /// - Throws: Why it could not be written, after trying again; or that the task was cancelled.
  nonisolated(nonsending) func durable() async throws {
    let number = work.nextWait()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        work.wait(.task(continuation), as: number)
        if Task.isCancelled { work.stopWaiting(number) }
      }
    } onCancel: {
      work.stopWaiting(number)
    }
  }

  /// Waits like `durable()`, but blocks this thread.
  func flush() throws {
    let answer = HeldThread()
    work.wait(.thread(answer))
    try answer.wait()
  }

  /// Writes everything passed, waits for a snapshot that is being stored, and releases the log.
  ///
  /// - Throws: Why it could not be written. It is then lost.
  func close() throws {
    let isFirst = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return !isClosed
    }
    guard isFirst else { return }
    let result = Result { try flush() }
    switch place {
    case .own(let ended):
      _ = work.finish(isOwn: true)
      ended.wait()
    case .shared(let left): if !work.finish(isOwn: false) { left.wait() }
    }
    try result.get()
  }
}

/// A caller that waits until what was passed is durable.
enum Waiter {
  case task(CheckedContinuation<Void, any Error>)
  case thread(HeldThread)

  func resume(_ result: Result<Void, any Error>) {
    switch self {
    case .task(let continuation): continuation.resume(with: result)
    case .thread(let thread): thread.resume(result)
    }
  }
}

/// A thread that is blocked until an answer arrives.
final class HeldThread: Sendable {
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
