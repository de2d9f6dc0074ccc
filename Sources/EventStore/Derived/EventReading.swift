extension ReadTransaction {
  /// Hands every event of a range to `body`, in order: those that are stored, and where they cannot
  /// be used, those that are made anew of the records.
  ///
  /// The bytes are valid until `body` returns. Ask `EventLog.derivedIsCurrent` first, or rather
  /// this transaction's `meta`: events of another version must not be read.
  ///
  /// - Parameters:
  ///   - most: At least one pack of events is handed over, and none after so many bytes.
  ///   - derive: The event of a record.
  /// - Returns: The record that comes next; nil where the range, or the log, is at its end.
  /// - Throws: What `derive` and `body` throw, and `EventLogError`.
  @discardableResult
  package func forEachEvent(
    in range: ClosedRange<UInt64>, bytes most: Int = .max,
    deriving derive: (RecordHeader, RawSpan) throws -> [UInt8]?,
    _ body: (EventHeader, RawSpan) throws -> Void
  ) throws -> UInt64? {
    let last = try end(of: range)
    var next = max(1, range.lowerBound)
    var bytesSeen = 0
    while next <= last {
      guard bytesSeen < most else { return next }
      let covered = try block(of: .events, databases.events, in: next...last)
      let records = covered.records
      next = records.upperBound + 1
      if let block = covered.block {
        bytesSeen += block.content.byteCount
        try EventPack(block).forEach(in: records, body)
        continue
      }
      damage.note(.events, records)
      let rest = try forEachRecord(in: records, bytes: most) { header, bytes in
        bytesSeen += bytes.byteCount
        guard let event = try derive(header, bytes) else { return }
        try body(EventHeader(header), event.span.bytes)
      }
      if let rest { return rest }
    }
    return nil
  }
}

extension EventHeader {
  init(_ header: RecordHeader) {
    self.init(
      sequence: header.sequence, direction: header.direction, kind: header.kind,
      connection: header.connection, time: header.time)
  }
}
