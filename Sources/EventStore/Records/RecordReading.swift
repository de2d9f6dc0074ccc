extension LogTransaction where Self: ~Copyable {
  /// The number of the last record, which is also how many there are; 0 in an empty log.
  ///
  /// - Throws: `EventLogError.corrupt` where records are missing in between.
  package var lastSequence: UInt64 {
    get throws(EventLogError) {
      guard let entry = try Cursor(databases.records, in: self).last() else { return 0 }
      let last = try UInt64(storedKey: entry.key)
      let count = try count(databases.records)
      guard last == UInt64(count) else {
        throw .corrupt(
          sequence: last, what: "it is the last of \(count) records: there is a gap")
      }
      return last
    }
  }

  /// A record's header; nil where the log has no record of that number.
  package func header(at sequence: UInt64) throws(EventLogError) -> RecordHeader? {
    try get(databases.records, sequence) { (value) throws(EventLogError) in
      try LogFormat.readHeader(value, sequence: sequence)
    }
  }
}

extension ReadTransaction {
  // MARK: Records

  /// A record with a copy of its bytes; nil where the log has none of that number.
  package func record(at sequence: UInt64) throws(EventLogError) -> StoredRecord? {
    try get(databases.records, sequence) { (value) throws(EventLogError) in
      StoredRecord(
        header: try LogFormat.readHeader(value, sequence: sequence),
        bytes: Array(value[LogFormat.recordHeaderBytes...]))
    }
  }

  /// Hands every record of a range to `body`, in order, without a copy.
  ///
  /// The bytes are valid until `body` returns. A range that reaches beyond the log is cut to it.
  /// - Throws: `EventLogError.corrupt` at a gap or an unreadable record, and what `body` throws.
  package func forEachRecord(
    in range: ClosedRange<UInt64>, _ body: (RecordHeader, RawSpan) throws -> Void
  ) throws {
    let last = min(range.upperBound, try lastSequence)
    var expected = max(1, range.lowerBound)
    guard expected <= last else { return }
    try scan(databases.records, from: expected) { key, value in
      let sequence = try UInt64(storedKey: key)
      guard sequence == expected else {
        throw EventLogError.corrupt(sequence: expected, what: "it is missing")
      }
      let header = try LogFormat.readHeader(value, sequence: sequence)
      try body(header, value.bytes.extracting(LogFormat.recordHeaderBytes...))
      expected += 1
      return sequence < last
    }
    guard expected == last + 1 else {
      throw EventLogError.corrupt(sequence: expected, what: "it is missing")
    }
  }

  /// Hands every stored event of a range to `body`, in order, without a copy, and without looking
  /// at the records.
  ///
  /// The bytes are valid until `body` returns. Ask `EventLog.derivedIsCurrent` first, or rather
  /// this transaction's `meta`: events of another version must not be read.
  package func forEachEvent(
    in range: ClosedRange<UInt64>, _ body: (EventHeader, RawSpan) throws -> Void
  ) throws {
    try scan(databases.events, from: max(1, range.lowerBound)) { key, value in
      let sequence = try UInt64(storedKey: key)
      guard sequence <= range.upperBound else { return false }
      let header = try LogFormat.readEventHeader(value, sequence: sequence)
      try body(header, value.bytes.extracting(LogFormat.eventHeaderBytes...))
      return true
    }
  }

  // MARK: Time

  /// The last record at or before a time, in milliseconds since 1970; 0 where all are later.
  ///
  /// A record whose own time is unknown counts as of the newest time before it; those before the
  /// first known time are of no time at all. Complexity: a binary search.
  package func lastSequence(atOrBefore time: Int64) throws(EventLogError) -> UInt64 {
    var low: UInt64 = 0
    var high = try lastSequence
    while low < high {
      let middle = low + (high - low + 1) / 2
      guard let header = try header(at: middle) else {
        throw .corrupt(sequence: middle, what: "it is missing")
      }
      if let clock = header.clock, clock > time { high = middle - 1 } else { low = middle }
    }
    guard low > 0 else { return 0 }
    // Only records of no time can have led here without one that is early enough.
    return try header(at: low)?.clock == nil ? 0 : low
  }
}
