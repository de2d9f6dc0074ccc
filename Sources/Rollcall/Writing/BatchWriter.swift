import Dispatch
import EventStore
import Synchronization

/// Records on their way into a log.
struct RecordBatch: Sendable {
  var records = RecordArena()
  /// What is noted in the log together with the records.
  var marks = LogMarks()

  mutating func removeAll() {
    records.removeAll()
    marks = LogMarks()
  }
}

/// What takes batches of records for a log, in the order in which they come.
protocol BatchSink {
  /// Takes a batch over, and empties it.
  func put(_ batch: inout RecordBatch) throws
}

/// Appends each batch when it comes: it can be read when `put` returns, and is as durable as what
/// is appended to the log.
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

/// Appends batches of records to a log and stores its snapshots, on a thread of its own, while the
/// next batch is made.
///
/// The batches are appended in the order in which they come, each in a transaction that begins and
/// ends on that thread. Memory: three batches.
final class BatchWriter: BatchSink, Sendable {
  private struct State {
    /// Until the thread takes it, which has let go of it when it signals its end: a draft goes away
    /// with the last reference, and must not be left to a thread that outlives the import.
    var log: EventLog?
    var waiting: [RecordBatch] = []
    /// Batches that were appended: who made them lets go of what is in them. Memory that one thread
    /// takes and another one gives back costs both of them time.
    var done: [RecordBatch] = []
    var failure: (any Error)?
    var isComplete = false
  }

  private let state: Mutex<State>
  /// How many batches may be handed over before one has been appended.
  private let room = DispatchSemaphore(value: 2)
  /// How many there are to look at, and once more at the end.
  private let handedOver = DispatchSemaphore(value: 0)
  /// What appends a batch as soon as it comes, where there is no thread to do it.
  private let alone: Mutex<BatchAppender?> = Mutex(nil)

  private init(_ log: EventLog) {
    state = Mutex(State(log: log))
  }

  /// Runs `body`, which hands batches over, and returns when all of them are in the log.
  ///
  /// Where the system gives no thread, each batch is appended when it is handed over.
  /// - Throws: What appending a batch threw, and none after that one is appended; else what `body`
  ///   threw, and what it had handed over is appended.
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

  /// Hands a batch over to be appended, and empties it. Waits where too many are under way.
  ///
  /// - Throws: What appending one before it threw.
  func put(_ batch: inout RecordBatch) throws {
    guard try !appendAlone(batch) else { return batch.removeAll() }
    room.wait()
    do {
      try state.withLock { state in
        if let failure = state.failure { throw failure }
        state.waiting.append(batch)
        // Held by nothing else, or to empty it would give it new memory.
        batch = state.done.popLast() ?? RecordBatch()
      }
    } catch {
      room.signal()
      throw error
    }
    handedOver.signal()
    batch.removeAll()
  }

  /// Appends a batch at once where there is no thread to do it; says whether it did.
  private func appendAlone(_ batch: RecordBatch) throws -> Bool {
    try alone.withLock { appender in
      try appender?.append(batch)
      return appender != nil
    }
  }

  // MARK: On the thread

  // Also where the program is optimised as a whole, its work is counted by this name.
  @inline(never)
  private func work() {
    guard var appender = state.withLock({ $0.log.take() }).map(BatchAppender.init) else { return }
    var hasFailed = false
    while true {
      guard var batch = next() else { return }
      do {
        if !hasFailed { try appender.append(batch) }
        // Who gets it back uses its memory again, which nobody else may refer to then.
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

  /// The next batch to append; nil where there will be none.
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

/// Appends batches to a log, and keeps its snapshots.
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
