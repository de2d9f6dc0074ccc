import RawBytes

/// The records of a log to append to another one, and the marks to note with them.
package struct RecordSelection: Sendable {
  /// The number of bytes, of records and their events, after which copied records are stored.
  static let bytesAtOnce = 1 << 20
  /// The number of records after which copied records are stored.
  static let countAtOnce = 1 << 12

  /// The selected records by the numbers of their own log, in order.
  package var records: [ClosedRange<UInt64>]
  /// New numbers for connections; a connection that is not listed keeps its number.
  package var connections: [UInt32: UInt32]
  /// The marks to note about the account and the connections.
  package var marks: LogMarks
  /// The captures to note, each either added to the log's imports or in place of a former one.
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
  /// Appends records of another log in one durable transaction, all or none.
  ///
  /// The records are copied in chunks, so memory use does not depend on the other log's length.
  /// - Parameters:
  ///   - choose: Selects the records inside the transaction, so it sees exactly the state of this
  ///     log that the records are appended to. It must use neither log in another way.
  ///   - derive: Called with each selected record in order; it must use neither log. Both closures
  ///     run again from the start if the map has to grow.
  /// - Returns: The numbers of the appended records.
  /// - Throws: `EventLogError`, and any error of `choose` or `derive`; the log is then unchanged.
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
            throw EventLogError.corrupt(what: "nothing can be derived from a record")
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
    // An appender can mark the log as incomplete even if it appends nothing.
    guard !selection.records.isEmpty else {
      let next = try lastSequence + 1
      return next..<next
    }
    var appender = try RecordAppender(self, eventVersion: eventVersion)
    var chunk = RecordArena()
    for range in selection.records {
      try source.forEachRecord(in: range) { header, bytes in
        var draft = RecordDraft(header, bytes, try derive(header, bytes))
        draft.connection = selection.connections[draft.connection] ?? draft.connection
        chunk.add(draft)
        guard
          chunk.byteCount >= RecordSelection.bytesAtOnce
            || chunk.count >= RecordSelection.countAtOnce
        else { return }
        try appender.append(chunk, in: self)
        chunk.removeAll()
      }
    }
    try appender.append(chunk, in: self)
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
