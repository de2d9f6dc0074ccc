import RawBytes

extension LogTransaction where Self: ~Copyable {
  /// The number of the last record, and so the number of records; 0 in an empty log.
  ///
  /// - Throws: `EventLogError.corrupt` if the last pack is damaged or packs before it are missing.
  package var lastSequence: UInt64 {
    get throws(EventLogError) { try lastPack?.sequences.upperBound ?? 0 }
  }

  /// The last pack, verified; nil in an empty log.
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

  /// The last pack, not verified again if this process has written it; nil in an empty log.
  ///
  /// Damage to such a pack is found when it is read.
  /// - Parameter own: The digest of the last pack written by this process, if known.
  @_lifetime(borrow self)
  func lastPack(after own: LogDigest?) throws(EventLogError) -> RecordPack? {
    if let own, let entry = try Cursor(databases.records, in: self).last() {
      let pack = try RecordPack(entry.value, first: try UInt64(storedKey: entry.key))
      if pack.digest == own { return pack }
    }
    return try lastPack
  }

  /// The pack that holds a record, or else the last one before it, verified; nil if there is none.
  ///
  /// See `Transaction.bytes(of:)` for how long it is valid. Complexity: two look-ups, and linear in
  /// the pack's bytes.
  @_lifetime(borrow self)
  func pack(holding sequence: UInt64) throws(EventLogError) -> RecordPack? {
    guard sequence > 0 else { return nil }
    var cursor = try PackCursor(before: sequence, in: self)
    return try cursor.next()
  }

  /// The stored digest of the pack that holds a record, not verified; nil if there is no such pack.
  func digestOfPack(holding sequence: UInt64) throws(EventLogError) -> LogDigest? {
    try uncheckedPack(holding: sequence)?.digest
  }

  /// The last record of a range, clamped to the log.
  ///
  /// The head of a pack shows that the log has the record; the pack is verified when it is read.
  /// Otherwise, each piece of a pass would verify the log's last pack again.
  func end(of range: ClosedRange<UInt64>) throws(EventLogError) -> UInt64 {
    if try uncheckedPack(holding: range.upperBound) != nil { return range.upperBound }
    return min(range.upperBound, try lastSequence)
  }

  /// The pack that holds a record, not verified; nil if there is none.
  @_lifetime(borrow self)
  private func uncheckedPack(holding sequence: UInt64) throws(EventLogError) -> RecordPack? {
    guard let entry = try Cursor(databases.records, in: self).last(atOrBefore: sequence)
    else { return nil }
    let pack = try RecordPack(entry.value, first: try UInt64(storedKey: entry.key))
    return pack.sequences.contains(sequence) ? pack : nil
  }

  /// A record's header; nil if the log does not have the record.
  package func header(at sequence: UInt64) throws(EventLogError) -> RecordHeader? {
    guard let pack = try pack(holding: sequence), pack.sequences.contains(sequence) else {
      return nil
    }
    return try pack.record(at: sequence).header
  }

  /// A record with a copy of its bytes; nil if the log does not have it.
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
  /// Passes every record of a range to `body`, in order, without a copy.
  ///
  /// The bytes are valid until `body` returns. The range is clamped to the log.
  /// - Parameter limit: The pass ends at the first pack boundary after this many bytes.
  /// - Returns: The next record; nil at the end of the range or the log.
  /// - Throws: `EventLogError.corrupt` at a gap or a damaged pack, and any error of `body`.
  @discardableResult
  package func forEachRecord(
    in range: ClosedRange<UInt64>, bytes limit: Int = .max,
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
      // Return here, because the cursor would verify the pack after the range.
      guard end < last else { return nil }
      if bytesSeen >= limit { return end + 1 }
    }
    return nil
  }

  /// Passes some records to `body`, without a copy; the bytes are valid until `body` returns.
  ///
  /// - Parameter sequences: The numbers of records that the log has, in order.
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

  /// The last record at or before a time, in milliseconds since 1970; 0 if all are later.
  ///
  /// A record without a time of its own has the newest time before it; records before the first
  /// known time have none. Complexity: a binary search.
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
    // If this record has no time, no record with a time is early enough.
    return try header(at: low)?.clock == nil ? 0 : low
  }
}
