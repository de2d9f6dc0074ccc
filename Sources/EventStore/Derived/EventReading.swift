extension ReadTransaction {
  /// Passes every event of a range to `body`, in order: the stored ones, and where they cannot be
  /// used, those derived again from the records.
  ///
  /// The bytes are valid until `body` returns. Check `EventLog.derivedIsCurrent` first, or better
  /// this transaction's `meta`, because events of another version must not be read.
  ///
  /// - Parameters:
  ///   - most: The number of bytes after which no further pack is read. At least one pack is.
  ///   - derive: Derives the event of a record.
  /// - Returns: The next record; nil at the end of the range or of the log.
  /// - Throws: Errors of `derive` and `body`, and `EventLogError`.
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

  /// Calls `body` with the stored events of chosen records, in order. Leaves out records without an
  /// event, and events that cannot be used.
  ///
  /// The bytes are valid until `body` returns. Check this transaction's `meta` first, because
  /// events of another version must not be read.
  ///
  /// - Parameter sequences: The numbers of the records, in order; the log has all of them.
  package func forEachStoredEvent(
    of sequences: ArraySlice<UInt64>, _ body: (EventHeader, RawSpan) throws -> Void
  ) throws {
    var rest = sequences
    while let first = rest.first, let last = rest.last {
      let covered = try block(of: .events, databases.events, in: first...last)
      let here = rest.prefix { $0 <= covered.records.upperBound }
      rest = rest.dropFirst(here.count)
      guard let block = covered.block, let end = here.last else {
        damage.note(.events, covered.records)
        continue
      }
      var wanted = here
      try EventPack(block).forEach(in: first...end) { header, event in
        wanted = wanted.drop { $0 < header.sequence }
        if wanted.first == header.sequence { try body(header, event) }
      }
    }
  }
}

extension EventHeader {
  /// The header of an event that is derived again from a record.
  package init(_ header: RecordHeader) {
    self.init(
      sequence: header.sequence, direction: header.direction, kind: header.kind,
      connection: header.connection, time: header.time, isHeld: header.isHeld)
  }
}
