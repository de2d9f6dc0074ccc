extension EventLog {
  /// Appends every record of another log, and notes its account and imports, in one transaction:
  /// all of it is durable when this returns, or none of it happened.
  ///
  /// The records are read one by one, so memory is bounded whatever the length of the other log.
  /// - Parameter derive: Given each record in order; it must use neither log, and is called again
  ///   from the first record on where the map has to grow.
  /// - Returns: The numbers that the records got.
  /// - Throws: `EventLogError`, and what `derive` throws; the log is then as it was.
  @discardableResult
  package func append(
    recordsOf other: EventLog, _ derive: (RecordHeader, RawSpan) throws -> DerivedParts
  ) throws -> Range<UInt64> {
    guard access == .readWrite else { throw EventLogError.readOnly(path: path) }
    let version = eventVersion
    // The caller's error is carried past the transaction, whose own errors have one type.
    var failure: (any Error)?
    return try other.read { source in
      let meta = try source.meta
      do {
        return try environment.write { (transaction, memory) throws(EventLogError) in
          failure = nil
          try transaction.note(LogMarks(account: meta.account))
          for imported in meta.imports { try transaction.add(imported) }
          var appender = try RecordAppender(transaction, eventVersion: version)
          do {
            try source.forEachRecord(in: 1...UInt64.max) { header, bytes in
              let draft = RecordDraft(header, bytes, try derive(header, bytes))
              try appender.append(draft, in: transaction, &memory)
            }
          } catch let error as EventLogError {
            throw error
          } catch {
            failure = error
            throw EventLogError.corrupt(
              sequence: appender.appended.upperBound - 1,
              what: "nothing can be derived from the next one")
          }
          return appender.appended
        }
      } catch {
        throw failure ?? error
      }
    }
  }
}

extension RecordDraft {
  fileprivate init(_ header: RecordHeader, _ bytes: RawSpan, _ parts: DerivedParts) {
    self.init(
      time: header.sourceTime ?? header.time, direction: header.direction, kind: header.kind,
      bytes: bytes.withUnsafeBytes { Array($0) }, event: parts.event, contacts: parts.contacts)
  }
}
