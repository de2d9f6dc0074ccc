extension EventLog {
  /// About how many bytes of records a pass reads in one transaction, and who gathers them holds.
  package static let pieceBytes = 64 << 10

  /// Hands every record of a range to `body`, in order, in one short transaction after another: a
  /// reader that stands keeps the file from reusing its pages.
  ///
  /// The bytes are valid until `body` returns. The range is cut to what the log has when it begins.
  /// - Parameter between: What may take its time, such as to write what `body` made: no transaction
  ///   is open then.
  /// - Throws: `EventLogError.corrupt` at a gap or a damaged pack, and what `body` and `between`
  ///   throw.
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
