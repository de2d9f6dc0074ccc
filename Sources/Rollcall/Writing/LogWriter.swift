import Dispatch
import EventStore
import Synchronization
import XMPPStanza

/// Appends what is handed over to a log, and keeps its snapshots, on a thread of its own or on some
/// that logs share: what comes while the disk is busy shares the next commit.
///
/// Handing over keeps the order and does not wait for the disk, unless too much waits already.
/// Where appending fails nothing is lost: the records wait, and are tried again where somebody
/// waits for them, and now and then as more is handed over. Only where nobody can say whether they
/// were written, nothing more is: they would be in the log twice.
/// Memory: what waits, up to `HandoverWork.most` bytes, as much again while it is written, and the
/// roster, for the snapshots.
final class LogWriter: Sendable {
  /// Appends records to a log, all or none of them.
  ///
  /// - Returns: The numbers that they got.
  typealias Append = @Sendable (EventLog, RecordArena) throws -> Range<UInt64>

  private let work: HandoverWork
  private let place: Place
  private let isClosed = Mutex(false)

  /// Where it is written.
  private enum Place: Sendable {
    /// On a thread of its own, which signals its end.
    case own(ended: DispatchSemaphore)
    /// On threads that others share; signalled once nothing more will be written.
    case shared(left: DispatchSemaphore)
  }

  static let noThread = RollcallError(.log, "the system gives no thread to record with")

  /// A writer of a log that is open for writing.
  ///
  /// - Parameters:
  ///   - isAccountNoted: Whether the log says whose it is.
  ///   - threads: Who writes; nil for a thread of its own.
  ///   - append: How records get into the log.
  /// - Throws: Where the system gives no thread.
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

  /// What was handed over is written before the last reference is gone.
  deinit { try? close() }

  /// Waits for the disk where too much waits for it already.
  ///
  /// - Throws: Why it cannot be written, or why nothing more can be handed over.
  func makeRoom() throws {
    try work.check()
    if work.isFull { try flush() }
  }

  /// Hands a record over.
  ///
  /// - Parameter number: The number that it gets where nobody else appends.
  /// - Throws: Why nothing more can be written.
  func put(_ draft: RecordDraft, as number: UInt64) throws {
    try work.add { handover in
      if handover.records.count == 0 { handover.first = number }
      handover.records.add(draft)
    }
  }

  /// Says whose the log is, to be noted in it.
  func put(account: BareJID) throws {
    try work.add { $0.account = account }
  }

  /// How many bytes of records wait for what is being written.
  var waitingBytes: Int { work.waitingBytes }

  /// Whether all that was handed over is durable.
  var isDurable: Bool { work.isDurable }

  /// The same, and no snapshot is being kept: to close it waits for nothing.
  var isIdle: Bool { work.isIdle }

  /// Whether nothing more can be written.
  var isBroken: Bool { (try? work.check()) == nil }

  /// The first record that has another number than was to be expected, by the number that it was
  /// expected to get: somebody else has appended before it. Nil where there is none since
  /// `caughtUp`.
  var overtaken: UInt64? { work.overtaken }

  /// What somebody else has appended is known.
  func caughtUp() { work.caughtUp() }

  /// Waits until all that was handed over before is durable.
  ///
  /// - Throws: Why it could not be written, now that it was tried again; or that the task was
  ///   cancelled.
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

  /// The same on a thread that may be held up.
  func flush() throws {
    let answer = HeldThread()
    work.wait(.thread(answer))
    try answer.wait()
  }

  /// Writes what was handed over, waits for a snapshot that is being kept, and lets go of the log.
  ///
  /// - Throws: Why it could not be written; it is lost then.
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

/// Somebody who waits until what was handed over is durable.
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

/// A thread that waits for an answer.
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
