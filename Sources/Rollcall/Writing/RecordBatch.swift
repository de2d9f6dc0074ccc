import EventStore
import XMPPStanza

/// Records that are written to a log in one transaction.
struct RecordBatch: Sendable {
  var records = RecordArena()
  /// What is noted in the log together with the records.
  var marks = LogMarks()
  /// The account to note after the records, which are written even if noting it fails.
  var account: BareJID?
  /// The number of the first record if no one else has appended; nil if that does not matter.
  var first: UInt64?

  mutating func removeAll() {
    records.removeAll()
    (marks, account, first) = (LogMarks(), nil, nil)
  }
}

/// Appends batches to a log, and stores the snapshots that are then due.
struct BatchAppender: Sendable {
  /// Appends a batch's records and marks, all or none.
  ///
  /// - Returns: The numbers of the records.
  typealias Append = @Sendable (EventLog, RecordBatch) throws -> Range<UInt64>

  private let log: EventLog
  private let write: Append
  private var note: AccountNote
  private var keeper: SnapshotKeeper

  /// - Parameters:
  ///   - log: A log that is open for writing.
  ///   - isAccountNoted: Whether the log already has a note of its account.
  ///   - write: Appends a batch's records and marks.
  init(_ log: EventLog, isAccountNoted: Bool, _ write: @escaping Append) {
    self.log = log
    self.write = write
    note = AccountNote(isDone: isAccountNoted)
    keeper = SnapshotKeeper(log)
  }

  /// Makes a batch durable, and notes its account.
  ///
  /// - Returns: The numbers of the records.
  mutating func append(_ batch: RecordBatch) throws -> Range<UInt64> {
    let isEmpty = batch.records.count == 0 && batch.marks == LogMarks()
    let range = isEmpty ? 0..<0 : try write(log, batch)
    do {
      try note.note(batch.account) { try log.append([], marks: $0) }
    } catch {
      log.deferredFailures.note(.account, error)
    }
    return range
  }

  /// Stores the snapshots that are due after a batch.
  ///
  /// - Parameter range: What `append` returned for it.
  mutating func keepSnapshots(after batch: RecordBatch, numbered range: Range<UInt64>) {
    if !range.isEmpty { keeper.follow(batch.records, numbered: range) }
  }
}
