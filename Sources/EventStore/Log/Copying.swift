import RawBytes

/// Which records of a log are appended to another one, and what is noted with them.
package struct RecordSelection: Sendable {
  /// How many bytes of records, and their events, are copied at once, about, and how many records.
  static let bytesAtOnce = 1 << 20
  static let countAtOnce = 1 << 12

  /// The taken records by their own log's numbers, in order.
  package var records: [ClosedRange<UInt64>]
  /// The numbers that connections get; one that is not named keeps its own.
  package var connections: [UInt32: UInt32]
  /// What is noted of the account and of connections.
  package var marks: LogMarks
  /// What is noted of captures, each after those that are there or in the place of one of them.
  package var imports: [(source: ImportedSource, former: ImportedSource?)]

  package init(
    records: [ClosedRange<UInt64>], connections: [UInt32: UInt32] = [:],
    marks: LogMarks = LogMarks(), imports: [(source: ImportedSource, former: ImportedSource?)] = []
  ) {
    self.records = records
    self.connections = connections
    self.marks = marks
    self.imports = imports
  }
}

extension EventLog {
  /// Appends records of another log, in one transaction: all of it is durable when this returns,
  /// or none of it happened.
  ///
  /// The records are read some at a time, so memory is bounded whatever the other log's length.
  /// - Parameters:
  ///   - choose: Says which, inside the transaction: what it sees of this log is what the records
  ///     come after, whoever else writes. It must use neither log in another way.
  ///   - derive: Given each taken record in order; it must use neither log. Both are called again
  ///     from the start where the map has to grow.
  /// - Returns: The numbers that the records got.
  /// - Throws: `EventLogError`, and what `choose` and `derive` throw; the log is then as it was.
  @discardableResult
  package func append(
    recordsOf other: EventLog,
    choosing choose: (borrowing WriteTransaction, borrowing ReadTransaction) throws ->
      RecordSelection,
    _ derive: (RecordHeader, RawSpan) throws -> DerivedParts
  ) throws -> Range<UInt64> {
    guard access == .readWrite else { throw EventLogError.readOnly(path: path) }
    let version = eventVersion
    // The caller's error is carried past the transaction, whose own errors have one type.
    var failure: (any Error)?
    return try other.read { source in
      do {
        return try environment.write { (transaction) throws(EventLogError) in
          failure = nil
          do {
            let selection = try choose(transaction, source)
            return try transaction.append(selection, of: source, eventVersion: version, derive)
          } catch let error as EventLogError {
            throw error
          } catch {
            failure = error
            throw EventLogError.corrupt(sequence: 0, what: "nothing can be derived of a record")
          }
        }
      } catch {
        throw failure ?? error
      }
    }
  }
}

extension WriteTransaction {
  fileprivate func append(
    _ selection: RecordSelection, of source: borrowing ReadTransaction, eventVersion: UInt32,
    _ derive: (RecordHeader, RawSpan) throws -> DerivedParts
  ) throws -> Range<UInt64> {
    try note(selection.marks)
    for (source, former) in selection.imports { try add(source, replacing: former) }
    // What appends nothing changes nothing.
    guard !selection.records.isEmpty else {
      let next = try lastSequence + 1
      return next..<next
    }
    var appender = try RecordAppender(self, eventVersion: eventVersion)
    var some = RecordArena()
    for range in selection.records {
      try source.forEachRecord(in: range) { header, bytes in
        var draft = RecordDraft(header, bytes, try derive(header, bytes))
        draft.connection = selection.connections[draft.connection] ?? draft.connection
        some.add(draft)
        guard
          some.byteCount >= RecordSelection.bytesAtOnce || some.count >= RecordSelection.countAtOnce
        else { return }
        try appender.append(some, in: self)
        some.removeAll()
      }
    }
    try appender.append(some, in: self)
    try appender.finish(in: self)
    return appender.appended
  }
}

extension RecordDraft {
  fileprivate init(_ header: RecordHeader, _ bytes: RawSpan, _ parts: DerivedParts) {
    self.init(
      time: header.ownTime, direction: header.direction, kind: header.kind,
      connection: header.connection, bytes: [UInt8](bytes), event: parts.event,
      contacts: parts.contacts)
  }
}
