extension ReadTransaction {
  /// Hands every event of a range to `body`, in order: those that are stored, and where they cannot
  /// be used, those that are made anew of the records.
  ///
  /// The bytes are valid until `body` returns. Ask `EventLog.derivedIsCurrent` first, or rather
  /// this transaction's `meta`: events of another version must not be read.
  ///
  /// - Parameter derive: The event of a record.
  /// - Throws: What `derive` and `body` throw, and `EventLogError`.
  package func forEachEvent(
    in range: ClosedRange<UInt64>, deriving derive: (RecordHeader, RawSpan) throws -> [UInt8]?,
    _ body: (EventHeader, RawSpan) throws -> Void
  ) throws {
    let last = min(range.upperBound, try lastSequence)
    let first = max(1, range.lowerBound)
    guard first <= last else { return }
    try forEachBlock(of: .events, databases.events, in: first...last) { records, block in
      if let block {
        return try EventPack(block).forEach(in: records) { try body($0, $1.bytes) }
      }
      damage.note(.events, records)
      try forEachRecord(in: records) { header, bytes in
        guard let event = try derive(header, bytes) else { return }
        try body(EventHeader(header), event.span.bytes)
      }
    }
  }
}

extension EventHeader {
  init(_ header: RecordHeader) {
    self.init(
      sequence: header.sequence, direction: header.direction, kind: header.kind,
      connection: header.connection, time: header.time)
  }
}
