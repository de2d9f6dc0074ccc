/// What looking at a stored record shows.
package struct CheckedRecord: Sendable {
  /// 0 where not even that can be read.
  package let sequence: UInt64
  /// Nil where it cannot be read.
  package let header: RecordHeader?
  /// What is wrong with the record, in a clause; nil where nothing is.
  package let damage: String?
}

extension ReadTransaction {
  /// Hands every record to `body` with what is wrong with it, in order: whether one is missing,
  /// whether each digest follows from the one before and from the record's own bytes, and whether
  /// its time runs backwards. It goes on after what is wrong.
  ///
  /// The bytes are valid until `body` returns, and none where the record cannot be read or is
  /// missing. Complexity: linear in the log's bytes, and no memory.
  package func forEachCheckedRecord(
    _ body: (CheckedRecord, RawSpan) throws -> Void
  ) throws {
    var check = RecordCheck()
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    try scan(databases.records) { key, value in
      if let gap = check.gap(before: key) { try body(gap, nothing.bytes) }
      let record = check.record(key, value)
      let isReadable = record.header != nil
      try body(
        record,
        isReadable ? value.bytes.extracting(LogFormat.recordHeaderBytes...) : nothing.bytes)
      return true
    }
  }
}

/// Follows the chain of digests from record to record.
private struct RecordCheck {
  private var expected: UInt64 = 1
  /// Of the record before; nil where that has none, and nothing can be said of the next one's.
  private var digest: LogDigest? = RecordChain.start
  private var clock: Int64?

  /// The records that are missing before the one of a key, as one.
  mutating func gap(before key: UnsafeRawBufferPointer) -> CheckedRecord? {
    guard let sequence = Self.number(of: key), sequence > expected else { return nil }
    let damage =
      sequence == expected + 1 ? "it is missing" : "it and all up to \(sequence - 1) are missing"
    defer { (expected, digest) = (sequence, nil) }
    return CheckedRecord(sequence: expected, header: nil, damage: damage)
  }

  /// Looks at the next record that is there.
  mutating func record(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) -> CheckedRecord {
    guard let sequence = Self.number(of: key), sequence == expected else {
      return CheckedRecord(
        sequence: 0, header: nil, damage: "there is a record without a valid number")
    }
    expected = sequence + 1
    do throws(EventLogError) {
      let header = try LogFormat.readHeader(value, sequence: sequence)
      let damage = damage(of: header, value)
      digest = header.digest
      clock = header.clock ?? clock
      return CheckedRecord(sequence: sequence, header: header, damage: damage)
    } catch {
      digest = nil
      var damage = "\(error)"
      if case .corrupt(_, let what) = error { damage = what }
      return CheckedRecord(sequence: sequence, header: nil, damage: damage)
    }
  }

  /// The number of a record that another one can follow.
  private static func number(of key: UnsafeRawBufferPointer) -> UInt64? {
    guard let number = try? UInt64(storedKey: key), number < .max else { return nil }
    return number
  }

  private func damage(of header: RecordHeader, _ value: UnsafeRawBufferPointer) -> String? {
    if let digest {
      // The header as it is stored: what no reader looks at is in the chain as well.
      let follows = RecordChain.digest(
        after: digest,
        header: UnsafeRawBufferPointer(rebasing: value[..<LogFormat.chainedHeaderBytes]),
        bytes: UnsafeRawBufferPointer(rebasing: value[LogFormat.recordHeaderBytes...]))
      guard follows == header.digest else { return "its digest does not follow from its bytes" }
    }
    if let clock, header.clock.map({ $0 < clock }) ?? true { return "its time runs backwards" }
    return nil
  }
}
