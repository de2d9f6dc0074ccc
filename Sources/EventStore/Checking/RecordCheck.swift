/// What looking at a stored record shows.
package struct CheckedRecord: Sendable {
  /// 0 where not even that can be read.
  package let sequence: UInt64
  /// Nil where it cannot be read.
  package let header: RecordHeader?
  /// What is wrong with the record, in a clause; nil where nothing is.
  package let flaw: String?
}

extension ReadTransaction {
  /// Hands every record to `body` with what is wrong with it, in order: whether one is missing,
  /// whether each digest follows from the one before and from the record's own bytes, and whether
  /// its time runs backwards. It goes on behind what is wrong.
  ///
  /// The bytes are valid until `body` returns, and none where the record cannot be read or is
  /// missing. Complexity: linear in the log's bytes, and no memory.
  package func forEachCheckedRecord(
    _ body: (CheckedRecord, RawSpan) throws -> Void
  ) throws {
    var expected: UInt64 = 1
    // Nil behind a record that has none: nothing can be held against it.
    var digest: RecordDigest? = .start
    var clock: Int64?
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0).bytes
    try Store.withStart(0) { start in
      try Store.scan(raw, databases.records, from: start) { key, value in
        guard let sequence = try? Store.sequence(key), sequence >= expected else {
          let flaw = "there is a record whose number is none"
          try body(CheckedRecord(sequence: 0, header: nil, flaw: flaw), nothing)
          return true
        }
        if sequence > expected {
          let flaw =
            sequence == expected + 1
            ? "it is missing" : "it and all up to \(sequence - 1) are missing"
          try body(CheckedRecord(sequence: expected, header: nil, flaw: flaw), nothing)
          digest = nil
        }
        expected = sequence + 1
        let header: RecordHeader
        do throws(EventLogError) {
          header = try LogFormat.readHeader(value, sequence: sequence)
        } catch {
          digest = nil
          var flaw = "\(error)"
          if case .corrupt(_, let what) = error { flaw = what }
          try body(CheckedRecord(sequence: sequence, header: nil, flaw: flaw), nothing)
          return true
        }
        let flaw = Self.flaw(of: header, value, after: digest, clock)
        digest = header.digest
        clock = header.clock ?? clock
        try body(
          CheckedRecord(sequence: sequence, header: header, flaw: flaw),
          value.bytes.extracting(LogFormat.recordHeaderBytes...))
        return true
      }
    }
  }

  private static func flaw(
    of header: RecordHeader, _ value: UnsafeRawBufferPointer, after previous: RecordDigest?,
    _ clock: Int64?
  ) -> String? {
    if let previous {
      // The header as it is stored: what no reader looks at is in the chain as well.
      let follows = RecordDigest.chain(
        after: previous,
        header: UnsafeRawBufferPointer(rebasing: value[..<LogFormat.chainedHeaderBytes]),
        bytes: UnsafeRawBufferPointer(rebasing: value[LogFormat.recordHeaderBytes...]))
      guard follows == header.digest else { return "its digest does not follow from its bytes" }
    }
    if let clock, header.clock.map({ $0 < clock }) ?? true { return "its time runs backwards" }
    return nil
  }
}
