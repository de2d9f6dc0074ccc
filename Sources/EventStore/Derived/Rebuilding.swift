extension EventLog {
  /// The number of records that a rebuild derives per transaction; others can append in between.
  private static let recordsPerTransaction: UInt64 = 2000

  /// Discards all derived data, snapshots included, and rebuilds the events and the contact index.
  ///
  /// The rebuild takes several transactions. Until the last one, the log is marked as incomplete,
  /// so a crash leaves nothing that could be misread. Records that any process appends in between
  /// are derived as well.
  ///
  /// - Parameter derive: Called with each record in order, inside a transaction: it must not use
  ///   the log, and it may be called again with the same records.
  /// - Throws: `EventLogError`, and any error of `derive`; the log then still has to be rebuilt.
  package func rebuildDerived(
    _ derive: (RecordHeader, RawSpan) throws -> DerivedParts
  ) throws {
    guard access == .readWrite else { throw EventLogError.readOnly(path: path) }
    let version = eventVersion
    try environment.write { (transaction) throws(EventLogError) in
      try Self.startRebuild(version, in: transaction)
    }
    var isDone = false
    while !isDone {
      // The caller's error is carried past the transaction, whose own errors have one type.
      var failure: (any Error)?
      do {
        isDone = try environment.write { (transaction) throws(EventLogError) in
          failure = nil
          return try Self.stepRebuild(version, in: transaction, derive) { failure = $0 }
        }
      } catch {
        throw failure ?? error
      }
    }
  }

  private static func startRebuild(
    _ version: UInt32, in transaction: borrowing WriteTransaction
  ) throws(EventLogError) {
    let databases = transaction.databases
    let doing = "empty the derived parts"
    try transaction.empty(databases.events, to: doing)
    try transaction.empty(databases.index, to: doing)
    try transaction.empty(databases.snapshots, to: doing)
    try transaction.set(.eventVersion, to: nil)
    try transaction.set(.rebuild, to: RebuildProgress(eventVersion: version, next: 1))
  }

  /// Rebuilds the next records; returns true if none are left.
  ///
  /// The progress is read from the log, because another process may be rebuilding it too.
  private static func stepRebuild(
    _ version: UInt32, in transaction: borrowing WriteTransaction,
    _ derive: (RecordHeader, RawSpan) throws -> DerivedParts, _ fail: (any Error) -> Void
  ) throws(EventLogError) -> Bool {
    guard let progress = try transaction.get(.rebuild), progress.eventVersion == version else {
      // Another process has finished the rebuild, or has begun one of another version.
      if try transaction.get(.eventVersion) == version { return true }
      try startRebuild(version, in: transaction)
      return false
    }
    let last = try transaction.lastSequence
    let isLastStep = progress.next > last || last - progress.next < recordsPerTransaction
    let end = isLastStep ? last : progress.next + recordsPerTransaction - 1
    try deriveAgain(progress.next, upTo: end, in: transaction, derive, fail)
    guard end == last else {
      try transaction.set(
        .rebuild, to: RebuildProgress(eventVersion: version, next: end + 1))
      return false
    }
    try transaction.set(.rebuild, to: nil)
    try transaction.set(.eventVersion, to: version)
    return true
  }

  private static func deriveAgain(
    _ first: UInt64, upTo end: UInt64, in transaction: borrowing WriteTransaction,
    _ derive: (RecordHeader, RawSpan) throws -> DerivedParts, _ fail: (any Error) -> Void
  ) throws(EventLogError) {
    guard first <= end else { return }
    var derived = try DerivedWriter(from: first, in: transaction)
    do {
      try transaction.forEachRecord(in: first...end) { header, bytes in
        let parts: DerivedParts
        do {
          parts = try derive(header, bytes)
        } catch {
          fail(error)
          throw EventLogError.corrupt(
            sequence: header.sequence, what: "nothing can be derived from it")
        }
        try derived.write(parts, of: header, in: transaction)
      }
    } catch let error as EventLogError {
      throw error
    } catch {
      // No other error is thrown above.
      throw .corrupt(sequence: first, what: "\(error)")
    }
    try derived.finish(in: transaction)
  }
}
