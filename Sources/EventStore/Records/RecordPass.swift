extension EventLog {
  /// The approximate number of bytes of records that a pass reads in one transaction.
  package static let pieceBytes = 64 << 10

  /// Passes every record of a range to `body`, in order, in a series of short transactions.
  ///
  /// A long transaction would keep freed pages from being reused. The bytes are valid until `body`
  /// returns. The range is clamped to the records that the log has at the beginning.
  /// - Parameter between: Called after each transaction, for slow work such as writing output.
  /// - Throws: `EventLogError.corrupt` at a gap or a damaged pack, and any error of `body` or
  ///   `between`.
  package func forEachRecord(
    in range: ClosedRange<UInt64>, _ body: (RecordHeader, RawSpan) throws -> Void,
    between: () throws -> Void = {}
  ) throws {
    let last = min(range.upperBound, try read { try $0.lastSequence })
    var next: UInt64? = range.lowerBound
    while let first = next, first <= last {
      next = try read { transaction in
        try transaction.forEachRecord(in: first...last, bytes: Self.pieceBytes, body)
      }
      try between()
    }
  }
}
