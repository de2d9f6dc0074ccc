import Dispatch
import EventStore
import Foundation
import RosterCore
import Synchronization

/// Records on their way into a log, and what they mean.
struct RecordBatch: Sendable {
  private(set) var drafts: [RecordDraft] = []
  /// One for each draft; nil for one that means nothing.
  private(set) var events: [RosterEvent?] = []
  private(set) var bytes = 0
  /// What is noted in the log together with the records.
  var marks = LogMarks()

  mutating func add(_ draft: RecordDraft, event: RosterEvent?) {
    bytes += draft.bytes.count
    drafts.append(draft)
    events.append(event)
  }

  mutating func removeAll() {
    drafts.removeAll(keepingCapacity: true)
    events.removeAll(keepingCapacity: true)
    bytes = 0
    marks = LogMarks()
  }
}

/// Appends batches of records to a log and stores its snapshots, on a thread of its own, while the
/// next batch is made.
///
/// The batches are appended in the order in which they come, each in a transaction that begins and
/// ends on that thread. Memory: three batches.
final class BatchWriter: Sendable {
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
  private let ended = DispatchSemaphore(value: 0)

  private init(_ log: EventLog) {
    state = Mutex(State(log: log))
  }

  /// Runs `body`, which hands batches over, and returns when all of them are in the log.
  ///
  /// - Throws: What appending a batch threw, and none after that one is appended; else what `body`
  ///   threw, and what it had handed over is appended.
  static func run<R>(_ log: EventLog, _ body: (BatchWriter) throws -> R) throws -> R {
    let writer = BatchWriter(log)
    Thread.detachNewThread {
      writer.work()
      writer.ended.signal()
    }
    let result = Result { try body(writer) }
    writer.state.withLock { $0.isComplete = true }
    writer.handedOver.signal()
    writer.ended.wait()
    if let failure = writer.state.withLock({ $0.failure }) { throw failure }
    return try result.get()
  }

  /// Hands a batch over to be appended, and empties it. Waits where too many are under way.
  ///
  /// - Throws: What appending one before it threw.
  func put(_ batch: inout RecordBatch) throws {
    room.wait()
    let emptied: RecordBatch?
    do {
      emptied = try state.withLock { state in
        if let failure = state.failure { throw failure }
        state.waiting.append(batch)
        return state.done.popLast()
      }
    } catch {
      room.signal()
      throw error
    }
    handedOver.signal()
    batch = emptied ?? RecordBatch()
    batch.removeAll()
  }

  // MARK: On the thread

  private func work() {
    guard let log = state.withLock({ $0.log.take() }) else { return }
    var keeper: SnapshotKeeper?
    var hasFailed = false
    while let batch = next() {
      do {
        if !hasFailed { try Self.append(batch, to: log, &keeper) }
        state.withLock { $0.done.append(batch) }
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

  private static func append(
    _ batch: RecordBatch, to log: EventLog, _ keeper: inout SnapshotKeeper?
  ) throws {
    let range = try log.append(batch.drafts, marks: batch.marks)
    // Held once, its state is changed in place.
    var following = try keeper.take() ?? SnapshotKeeper(log)
    try following.follow(batch.drafts, events: batch.events, numbered: range)
    keeper = following
  }
}
