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
        return try environment.write { (transaction) throws(EventLogError) in
          failure = nil
          let isEmpty = try transaction.lastSequence == 0
          let numbers = isEmpty ? [:] : meta.connectionNumbers(in: try transaction.meta)
          let names = meta.connections.map { (numbers[$0.key] ?? $0.key, $0.value) }
          try transaction.note(
            LogMarks(
              account: meta.account, connections: Dictionary(names) { first, _ in first }))
          for imported in meta.imports { try transaction.add(imported) }
          var appender = try RecordAppender(transaction, eventVersion: version)
          do {
            try source.forEachRecord(in: 1...UInt64.max) { header, bytes in
              var draft = RecordDraft(header, bytes, try derive(header, bytes))
              draft.connection = numbers[draft.connection] ?? draft.connection
              try appender.append(draft, in: transaction)
            }
          } catch let error as EventLogError {
            throw error
          } catch {
            failure = error
            throw EventLogError.corrupt(
              sequence: appender.appended.upperBound - 1,
              what: "nothing can be derived from the next one")
          }
          try appender.finish(in: transaction)
          return appender.appended
        }
      } catch {
        throw failure ?? error
      }
    }
  }
}

extension LogMeta {
  /// Which numbers the connections of this log that have a name get in another one: those that have
  /// the same name there are the same, the others come after all that are there. Connections
  /// without a name are one, however many captures went on with it.
  fileprivate func connectionNumbers(in other: LogMeta) -> [UInt32: UInt32] {
    let known = Dictionary(other.connections.map { ($0.value, $0.key) }) { first, _ in first }
    var last = max(connections.keys.max() ?? 1, other.connections.keys.max() ?? 1)
    var numbers: [UInt32: UInt32] = [:]
    for (number, name) in connections.sorted(by: { $0.key < $1.key }) {
      if known[name] == nil { last += 1 }
      numbers[number] = known[name] ?? last
    }
    return numbers
  }
}

extension RecordDraft {
  fileprivate init(_ header: RecordHeader, _ bytes: RawSpan, _ parts: DerivedParts) {
    self.init(
      time: header.sourceTime ?? header.time, direction: header.direction, kind: header.kind,
      connection: header.connection, bytes: bytes.withUnsafeBytes { Array($0) }, event: parts.event,
      contacts: parts.contacts)
  }
}
