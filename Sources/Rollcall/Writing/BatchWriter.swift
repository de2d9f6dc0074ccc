import Dispatch
import EventStore
import Synchronization

/// Records that have yet to be written to a log.
struct RecordBatch: Sendable {
  var records = RecordArena()
  /// What is noted in the log together with the records.
  var marks = LogMarks()

  mutating func removeAll() {
    records.removeAll()
    marks = LogMarks()
  }
}

/// Writes batches of records to a log, in order.
protocol BatchSink {
  /// Takes a batch and empties it.
  func put(_ batch: inout RecordBatch) throws
}

/// Appends each batch at once. It can be read when `put` returns, and is as durable as any append
/// to the log.
final class DirectWriter: BatchSink {
  private var appender: BatchAppender

  init(_ log: EventLog) {
    appender = BatchAppender(log)
  }

  func put(_ batch: inout RecordBatch) throws {
    try appender.append(batch)
    batch.removeAll()
  }
}

/// Appends batches of records to a log and stores its snapshots on a thread of its own, while the
/// next batch is prepared.
///
/// The batches are appended in order, each in a transaction that begins and ends on that thread.
/// Memory: three batches.
final class BatchWriter: BatchSink, Sendable {
  private struct State {
    /// Held until the thread takes it; the thread has released it when it signals its end. A draft
    /// is deleted with its last reference, which must not be left to a thread that outlives the
    /// import.
    var log: EventLog?
    var waiting: [RecordBatch] = []
    /// Appended batches, whose contents the producer releases. Freeing memory on a thread other
    /// than the one that allocated it slows down both.
    var done: [RecordBatch] = []
    var failure: (any Error)?
    var isComplete = false
  }

  private let state: Mutex<State>
  /// The number of batches that may be passed before one is appended.
  private let room = DispatchSemaphore(value: 2)
  /// The number of batches to append, plus one at the end.
  private let handedOver = DispatchSemaphore(value: 0)
  /// Appends each batch at once if there is no thread.
  private let alone: Mutex<BatchAppender?> = Mutex(nil)

  private init(_ log: EventLog) {
    state = Mutex(State(log: log))
  }

  /// Runs `body`, which passes batches, and returns when all of them are in the log.
  ///
  /// If the system provides no thread, each batch is appended when it is passed.
  /// - Throws: The error of appending a batch, after which no further batch is appended; otherwise
  ///   the error of `body`, after appending everything that it had passed.
  static func run<R>(_ log: EventLog, _ body: (BatchWriter) throws -> R) throws -> R {
    let writer = BatchWriter(log)
    let thread = WorkerThread { writer.work() }
    if thread == nil { writer.alone.withLock { $0 = BatchAppender(log) } }
    let result = Result { try body(writer) }
    writer.state.withLock { $0.isComplete = true }
    writer.handedOver.signal()
    thread?.join()
    if let failure = writer.state.withLock({ $0.failure }) { throw failure }
    return try result.get()
  }

  /// Takes a batch to append, and empties it. Waits if too many are pending.
  ///
  /// - Throws: The error of appending an earlier batch.
  func put(_ batch: inout RecordBatch) throws {
    guard try !appendAlone(batch) else { return batch.removeAll() }
    room.wait()
    do {
      try state.withLock { state in
        if let failure = state.failure { throw failure }
        state.waiting.append(batch)
        // Clear the other reference first, so that emptying the batch keeps its memory.
        batch = state.done.popLast() ?? RecordBatch()
      }
    } catch {
      room.signal()
      throw error
    }
    handedOver.signal()
    batch.removeAll()
  }

  /// Appends a batch at once and returns true, if there is no thread.
  private func appendAlone(_ batch: RecordBatch) throws -> Bool {
    try alone.withLock { appender in
      try appender?.append(batch)
      return appender != nil
    }
  }

  // MARK: On the thread

  // Profiles find the thread's work by this name, even with whole-module optimization.
  @inline(never)
  private func work() {
    guard var appender = state.withLock({ $0.log.take() }).map(BatchAppender.init) else { return }
    var hasFailed = false
    while true {
      guard var batch = next() else { return }
      do {
        if !hasFailed { try appender.append(batch) }
        // The producer reuses the memory of the batch, so this thread must not refer to it any
        // more.
        state.withLock { state in
          state.done.append(batch)
          batch = RecordBatch()
        }
      } catch {
        hasFailed = true
        state.withLock { $0.failure = error }
      }
      room.signal()
    }
  }

  /// The next batch to append; nil after the last.
  private func next() -> RecordBatch? {
    while true {
      handedOver.wait()
      let (batch, isOver) = state.withLock { state in
        (
          state.waiting.isEmpty ? nil : state.waiting.removeFirst(),
          state.waiting.isEmpty && state.isComplete
        )
      }
      if let batch { return batch }
      if isOver { return nil }
    }
  }
}

/// Appends batches to a log, and stores its snapshots.
private struct BatchAppender {
  private let log: EventLog
  private var keeper: SnapshotKeeper

  init(_ log: EventLog) {
    self.log = log
    keeper = SnapshotKeeper(log)
  }

  mutating func append(_ batch: RecordBatch) throws {
    let range = try log.append(batch.records, marks: batch.marks)
    keeper.follow(batch.records, numbered: range)
  }
}
