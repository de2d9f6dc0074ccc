package import EventStore
import RosterCore

/// Copies the intact records of a damaged log into a new one.
package struct LogRecovery {
  /// The number of records per commit.
  private static let batch = 1000

  /// The result of a recovery.
  package struct Summary: Sendable {
    /// What could be read, with the record numbers of the damaged log.
    package var salvage: SalvageSummary
    /// The account of the new log; nil if it is unknown.
    package var account: String?
    /// Whether all notes of the damaged log could be read: its account, the names of its
    /// connections, and its imports.
    package var notesAreWhole: Bool
  }

  /// Appends every record that can be read to an empty log, and notes the account and the imports
  /// as far as they can be read. The damaged file is only read, and never by LMDB.
  ///
  /// The records keep their bytes, times and order. After a lost record the numbers differ, and the
  /// new log has its own chain of digests.
  /// - Parameter progress: Called with the number of records appended so far.
  /// - Throws: `EventLogError`, for example if a process is using the damaged log.
  package static func run(
    _ path: String, into log: EventLog, progress: (UInt64) -> Void = { _ in }
  ) throws -> Summary {
    let reader = RecordReader()
    let damaged = try LogSalvage(path) { header, bytes in reader.reads(header, bytes) }
    var pending: [RecordDraft] = []
    var roster = Roster()
    var done: UInt64 = 0
    let salvage = try damaged.forEachRecord { record in
      let header = record.header
      let decoded = reader.decode(header.kind, header.direction, record.bytes)
      done += 1
      if let event = decoded.event {
        try RosterReducer.reduce(
          &roster, event.span.bytes,
          at: RecordStamp(record: done, time: header.time, isHeld: header.isHeld),
          on: ConnectionID(number: header.connection), reporting: .nothing)
      }
      pending.append(
        RecordDraft(
          time: header.ownTime, direction: header.direction,
          kind: header.kind, connection: header.connection, bytes: record.bytes,
          decoded: decoded))
      guard pending.count >= batch else { return }
      try log.append(pending)
      pending.removeAll(keepingCapacity: true)
      progress(done)
    }
    try log.append(pending)
    let account = damaged.account ?? roster.account?.text
    try log.append(
      [], marks: LogMarks(account: account, connections: damaged.connections))
    // Records may be missing, and later ones have been renumbered.
    for source in damaged.imports {
      try log.append(
        [], marks: LogMarks(imported: ImportedSource(digest: source.digest, name: source.name)))
    }
    log.keepSnapshots()
    return Summary(
      salvage: salvage, account: account, notesAreWhole: damaged.notesAreWhole)
  }
}
