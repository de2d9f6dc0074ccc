import RawBytes

extension LogTransaction where Self: ~Copyable {
  /// The number of the last record, which is also how many there are; 0 in an empty log.
  ///
  /// - Throws: `EventLogError.corrupt` where packs are missing in between.
  package var lastSequence: UInt64 {
    get throws(EventLogError) { try lastPack?.sequences.upperBound ?? 0 }
  }

  /// The last pack, compared with its digest; nil in an empty log.
  var lastPack: RecordPack? {
    @_lifetime(borrow self)
    get throws(EventLogError) {
      guard let pack = try pack(holding: .max) else { return nil }
      let count = try count(databases.records)
      guard pack.number == UInt64(count) else {
        throw .corrupt(
          sequence: pack.first, what: "its pack is the last of \(count), not \(pack.number)")
      }
      return pack
    }
  }

  /// The same after a pack that this process has written last, as far as it knows: where it is the
  /// last one, it is taken as it was written, and damage to it is left to those who read it.
  ///
  /// - Parameter own: That pack's digest.
  @_lifetime(borrow self)
  func lastPack(after own: LogDigest?) throws(EventLogError) -> RecordPack? {
    if let own, let entry = try Cursor(databases.records, in: self).last() {
      let pack = try RecordPack(entry.value, first: try UInt64(storedKey: entry.key))
      if pack.digest == own { return pack }
    }
    return try lastPack
  }

  /// The pack that holds a record, or else the last one before it, compared with its digest; nil
  /// where there is none. `Transaction.bytes(of:)` says how long it is valid.
  ///
  /// Complexity: two look-ups, and linear in the pack's bytes.
  @_lifetime(borrow self)
  func pack(holding sequence: UInt64) throws(EventLogError) -> RecordPack? {
    guard sequence > 0 else { return nil }
    var cursor = try PackCursor(before: sequence, in: self)
    return try cursor.next()
  }

  /// The digest that is stored with the pack that holds a record; nil where there is none. The pack
  /// itself is not looked at.
  func digestOfPack(holding sequence: UInt64) throws(EventLogError) -> LogDigest? {
    try uncheckedPack(holding: sequence)?.digest
  }

  /// The last record of a range that is cut to the log.
  ///
  /// That the log has a record is seen from the head of its pack, which is compared with its digest
  /// when it is read: who reads piece by piece would else compare the log's last pack for each.
  func end(of range: ClosedRange<UInt64>) throws(EventLogError) -> UInt64 {
    if try uncheckedPack(holding: range.upperBound) != nil { return range.upperBound }
    return min(range.upperBound, try lastSequence)
  }

  /// The pack that holds a record, not compared with its digest; nil where there is none.
  @_lifetime(borrow self)
  private func uncheckedPack(holding sequence: UInt64) throws(EventLogError) -> RecordPack? {
    guard let entry = try Cursor(databases.records, in: self).last(atOrBefore: sequence)
    else { return nil }
    let pack = try RecordPack(entry.value, first: try UInt64(storedKey: entry.key))
    return pack.sequences.contains(sequence) ? pack : nil
  }

  /// A record's header; nil where the log has no record of that number.
  package func header(at sequence: UInt64) throws(EventLogError) -> RecordHeader? {
    guard let pack = try pack(holding: sequence), pack.sequences.contains(sequence) else {
      return nil
    }
    return try pack.record(at: sequence).header
  }

  /// A record with a copy of its bytes; nil where the log has none of that number.
  package func record(at sequence: UInt64) throws(EventLogError) -> StoredRecord? {
    guard let pack = try pack(holding: sequence), pack.sequences.contains(sequence) else {
      return nil
    }
    let record = try pack.record(at: sequence)
    return StoredRecord(
      header: record.header, bytes: [UInt8](record.bytes), pack: PackSummary(pack))
  }
}

extension LogTransaction where Self: ~Copyable {
  /// Hands every record of a range to `body`, in order, without a copy.
  ///
  /// The bytes are valid until `body` returns. A range that reaches beyond the log is cut to it.
  /// - Parameter most: At least one pack is handed over, and none after so many bytes.
  /// - Returns: The record that comes next; nil where the range, or the log, is at its end.
  /// - Throws: `EventLogError.corrupt` at a gap or a damaged pack, and what `body` throws.
  @discardableResult
  package func forEachRecord(
    in range: ClosedRange<UInt64>, bytes most: Int = .max,
    _ body: (RecordHeader, RawSpan) throws -> Void
  ) throws -> UInt64? {
    let last = try end(of: range)
    let first = max(1, range.lowerBound)
    guard first <= last else { return nil }
    var bytesSeen = 0
    var cursor = try PackCursor(before: first, in: self)
    while let pack = try cursor.next(), pack.first <= last {
      for sequence in pack.sequences.clamped(to: first...last) {
        let record = try pack.record(at: sequence)
        bytesSeen += record.bytes.byteCount
        try body(record.header, record.bytes)
      }
      let end = pack.sequences.upperBound
      // The pack after it, which would be compared with its digest, is not looked at.
      guard end < last else { return nil }
      if bytesSeen >= most { return end + 1 }
    }
    return nil
  }

  /// Hands some records to `body`, without a copy; the bytes are valid until it returns.
  ///
  /// - Parameter sequences: In order, of records that the log has.
  package func forEachRecord(
    of sequences: some Sequence<UInt64>, _ body: (RecordHeader, RawSpan) throws -> Void
  ) throws {
    var pack: RecordPack?
    for sequence in sequences {
      if pack?.sequences.contains(sequence) != true { pack = try self.pack(holding: sequence) }
      guard let record = try pack?.record(at: sequence) else { continue }
      try body(record.header, record.bytes)
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
