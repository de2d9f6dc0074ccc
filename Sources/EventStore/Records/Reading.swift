import CLMDB

extension ReadTransaction {
  /// What the log says about itself.
  package var meta: LogMeta {
    get throws(EventLogError) { try MetaTable(raw: raw, database: databases.meta).all() }
  }

  /// The number of the last record, which is also how many there are; 0 in an empty log.
  ///
  /// - Throws: `EventLogError.corrupt` where records are missing in between.
  package var lastSequence: UInt64 {
    get throws(EventLogError) { try Store.lastSequence(raw, databases.records) }
  }

  // MARK: Records

  /// A record with a copy of its bytes; nil where the log has none of that number.
  package func record(at sequence: UInt64) throws(EventLogError) -> StoredRecord? {
    try Store.get(raw, databases.records, sequence: sequence) { (value) throws(EventLogError) in
      StoredRecord(
        header: try LogFormat.readHeader(value, sequence: sequence),
        bytes: Array(value[LogFormat.recordHeaderBytes...]))
    }
  }

  /// A record's header; nil where the log has no record of that number.
  package func header(at sequence: UInt64) throws(EventLogError) -> RecordHeader? {
    try Store.get(raw, databases.records, sequence: sequence) { (value) throws(EventLogError) in
      try LogFormat.readHeader(value, sequence: sequence)
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
    try Store.withStart(expected) { start in
      try Store.scan(raw, databases.records, from: start) { key, value in
        let sequence = try Store.sequence(key)
        guard sequence == expected else {
          throw EventLogError.corrupt(sequence: expected, what: "it is missing")
        }
        let header = try LogFormat.readHeader(value, sequence: sequence)
        try body(header, value.bytes.extracting(LogFormat.recordHeaderBytes...))
        expected += 1
        return sequence < last
      }
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
    try Store.withStart(max(1, range.lowerBound)) { start in
      try Store.scan(raw, databases.events, from: start) { key, value in
        let sequence = try Store.sequence(key)
        guard sequence <= range.upperBound else { return false }
        let header = try LogFormat.readEventHeader(value, sequence: sequence)
        try body(header, value.bytes.extracting(LogFormat.eventHeaderBytes...))
        return true
      }
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

  // MARK: Checking

  /// Makes the chain of digests anew over a range and holds it against the stored one.
  ///
  /// - Throws: `EventLogError.corrupt` at the first record that is not what was written.
  package func verifyChain(in range: ClosedRange<UInt64>) throws {
    let first = max(1, range.lowerBound)
    var digest = RecordDigest.start
    if first > 1 {
      guard let before = try header(at: first - 1) else { return }
      digest = before.digest
    }
    var clock: Int64?
    try forEachRecord(in: first...max(first, range.upperBound)) { header, bytes in
      digest = RecordDigest.chain(after: digest, header: header, bytes: bytes)
      guard digest == header.digest else {
        throw EventLogError.corrupt(
          sequence: header.sequence, what: "its digest does not follow from its bytes")
      }
      if let earlier = clock, header.clock.map({ $0 < earlier }) ?? true {
        throw EventLogError.corrupt(sequence: header.sequence, what: "its time runs backwards")
      }
      clock = header.clock
    }
  }
}

extension Store {
  /// As `withKey`, for bodies that may throw anything.
  static func withStart(
    _ sequence: UInt64, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    try withUnsafeBytes(of: sequence.bigEndian, body)
  }

  /// The record number that a key holds.
  static func sequence(_ key: UnsafeRawBufferPointer) throws(EventLogError) -> UInt64 {
    guard key.count == 8 else {
      throw .corrupt(sequence: 0, what: "a key of \(key.count) bytes")
    }
    return key.loadBigEndian(at: 0, as: UInt64.self)
  }
}
