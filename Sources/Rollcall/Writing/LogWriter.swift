import Dispatch
import EventStore
import Synchronization
import XMPPStanza

/// Appends batches of records to a log in order, and stores its snapshots: on a thread of its own,
/// on threads that logs share, or on the caller's thread.
///
/// A session passes records one by one. That keeps the order and does not wait for the disk, unless
/// too much already waits; records that arrive while the disk is busy share the next commit. If
/// appending fails, nothing is lost: the records are kept, and are tried again if a caller waits
/// for them, and from time to time as more are passed. Only if it is unknown whether they were
/// written does writing end, because they could be in the log twice.
///
/// An import passes whole batches, each of which is a commit, and waits while two of them are
/// pending. After a failure, nothing more is appended.
///
/// Memory: what waits, up to `BatchQueue.byteLimit` bytes or two batches, as much again while it is
/// written, and the roster for the snapshots.
final class LogWriter: Sendable {
  private let queue: BatchQueue
  private let place: Place
  private let isClosed = Mutex(false)

  /// Where batches are written.
  private enum Place: Sendable {
    /// On the thread that passes them.
    case caller
    /// On a thread of its own, which signals its end.
    case own(ended: DispatchSemaphore)
    /// On threads shared with other logs; signaled once nothing more will be written.
    case shared(left: DispatchSemaphore)
  }

  static let noThread = RollcallError(.log, "the system gives no thread to record with")

  /// A writer for a session, to a log that is open for writing.
  ///
  /// - Parameters:
  ///   - isAccountNoted: Whether the log already has a note of its account.
  ///   - threads: The threads that write; nil for a thread of its own.
  ///   - append: Appends the records to the log.
  /// - Throws: An error if the system provides no thread.
  init(
    _ log: EventLog, isAccountNoted: Bool, on threads: WriterThreads? = nil,
    append: @escaping BatchAppender.Append = LogWriter.append
  ) throws {
    let appender = BatchAppender(log, isAccountNoted: isAccountNoted, append)
    guard let threads else {
      guard let own = Self.onOwnThread(appender, onFailure: .retries) else { throw Self.noThread }
      (queue, place) = own
      return
    }
    let left = DispatchSemaphore(value: 0)
    queue = BatchQueue(appender, onFailure: .retries) { queue in
      threads.perform { if !queue.takeTurn() { left.signal() } }
    }
    place = .shared(left: left)
  }

  /// A writer for an import, to a log that is open for writing.
  ///
  /// - Parameter hasThread: Whether it appends on a thread of its own, if the system provides one.
  ///   Otherwise a batch can be read as soon as it was put.
  init(importingTo log: EventLog, hasThread: Bool) {
    // Marks name the account of an import.
    let appender = BatchAppender(log, isAccountNoted: true, Self.append)
    if hasThread, let own = Self.onOwnThread(appender, onFailure: .ends) {
      (queue, place) = own
    } else {
      queue = BatchQueue(appender, onFailure: .ends) { _ = $0.takeTurn() }
      place = .caller
    }
  }

  /// Runs an import, which puts batches, and returns when all of them are in the log.
  ///
  /// - Throws: The error of appending a batch, after which no further batch is appended; otherwise
  ///   the error of `body`, after appending everything that it had put.
  static func run<R>(_ log: EventLog, _ body: (LogWriter) throws -> R) throws -> R {
    let writer = LogWriter(importingTo: log, hasThread: true)
    let result = Result { try body(writer) }
    try writer.close()
    return try result.get()
  }

  /// Everything passed is written before the last reference is gone.
  deinit { try? close() }

  static let append: BatchAppender.Append = { try $0.append($1.records, marks: $1.marks) }

  /// Nil if the system provides no thread.
  private static func onOwnThread(
    _ appender: BatchAppender, onFailure policy: BatchQueue.FailurePolicy
  ) -> (BatchQueue, Place)? {
    let (requested, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let queue = BatchQueue(appender, onFailure: policy) { _ in requested.signal() }
    let thread = WorkerThread {
      repeat { requested.wait() } while queue.takeTurn()
      ended.signal()
    }
    guard let thread else { return nil }
    thread.detach()
    return (queue, .own(ended: ended))
  }

  /// Waits for the disk if too much already waits.
  ///
  /// - Throws: Why it cannot be written, or why nothing more can be passed.
  func makeRoom() throws {
    try queue.check()
    if queue.isFull { try flush() }
  }

  /// Passes a record of a session.
  ///
  /// - Parameter number: The record's number, unless others append too.
  /// - Throws: Why nothing more can be written.
  func put(_ draft: RecordDraft, as number: UInt64) throws {
    try queue.add { batch in
      if batch.records.count == 0 { batch.first = number }
      batch.records.add(draft)
    }
  }

  /// Passes the account of a session, to be noted in the log.
  func put(account: BareJID) throws {
    try queue.add { $0.account = account }
  }

  /// Takes a batch of an import to append, and empties it. Waits until all batches but the last two
  /// are durable.
  ///
  /// - Throws: The error of appending a batch, after which nothing more can be put.
  func put(_ batch: inout RecordBatch) throws {
    let last = try queue.put(&batch)
    switch place {
    case .caller: try queue.wait(upTo: last)
    case .own, .shared: try queue.wait(upTo: last - min(last, 2))
    }
  }

  /// The number of bytes of records that wait to be written.
  var waitingBytes: Int { queue.waitingBytes }

  /// Whether everything passed is durable.
  var isDurable: Bool { queue.isDurable }

  /// Whether everything passed is durable and no snapshot is being stored, so that closing waits
  /// for nothing.
  var isIdle: Bool { queue.isIdle }

  /// Whether nothing more can be written.
  var isBroken: Bool { (try? queue.check()) == nil }

  /// The first record whose number differs from the expected one, because others have appended
  /// before it; given as the expected number. Nil if there is none since `caughtUp`.
  var overtaken: UInt64? { queue.overtaken }

  /// Notes that the caller knows what others have appended.
  func caughtUp() { queue.caughtUp() }

  /// Waits until everything passed so far is durable.
  ///
  /// - Throws: Why it could not be written, after trying again; or that the task was cancelled.
  nonisolated(nonsending) func durable() async throws {
    let number = queue.nextWait()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        queue.wait(.task(continuation), as: number)
        if Task.isCancelled { queue.stopWaiting(number) }
      }
    } onCancel: {
      queue.stopWaiting(number)
    }
  }

  /// Waits like `durable()`, but blocks this thread.
  func flush() throws { try queue.wait() }

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
    case .caller: _ = queue.finish(hasThread: false)
    case .own(let ended):
      _ = queue.finish(hasThread: true)
      ended.wait()
    case .shared(let left): if !queue.finish(hasThread: false) { left.wait() }
    }
    try result.get()
  }
}
