import RawBytes

/// Something derived of consecutive records, as it is stored under the number of the first one.
///
/// It is a view of bytes that are LMDB's own.
///
///     0  16     checksum: XXH3 of what follows, with a seed of a label and of the number of the
///               first record that it covers
///     16 UInt64 the last record that it covers
///     24        what is derived
///
/// Every record of a log whose derived parts are complete is covered by one block of events and one
/// of the index, whether there is anything to say of it.
struct DerivedBlock: ~Escapable {
  /// The records that it covers.
  let covers: ClosedRange<UInt64>
  /// What is derived of them.
  let content: RawSpan

  static let headBytes = Checksum.size + 8

  /// Nil where the bytes are not what was written.
  ///
  /// Complexity: linear in them.
  @_lifetime(copy value)
  init?(_ value: RawSpan, first: UInt64, of kind: Kind) {
    guard value.byteCount >= Self.headBytes, first > 0 else { return nil }
    let last = value.bigEndian(at: Checksum.size, as: UInt64.self)
    // Records are counted from the first one in 16 bits, and no log has so many that it comes to
    // the end of its numbers.
    guard last >= first, last <= UInt64.max - UInt64(UInt16.max) - 1,
      Checksum(stored: value) == Self.checksum(of: value, first: first, kind)
    else { return nil }
    covers = first...last
    content = value.extracting(Self.headBytes...)
  }

  /// What kinds of blocks there are: one does not pass for the other.
  enum Kind: String {
    case events = "rollcall events, format 2"
    case index = "rollcall index, format 2"
  }

  /// Writes the head of a block whose content stands after it, in as many bytes as both take.
  static func writeHead(
    _ kind: Kind, covering records: ClosedRange<UInt64>, to space: inout MutableRawSpan
  ) {
    space.write(bigEndian: records.upperBound, at: Checksum.size)
    let checksum = checksum(of: space.bytes, first: records.lowerBound, kind)
    space.storeBytes(of: checksum, as: Checksum.self)
  }

  private static func checksum(of block: RawSpan, first: UInt64, _ kind: Kind) -> Checksum {
    Checksum(
      of: block.extracting(Checksum.size...), seed: Checksum.seed(kind.rawValue, first))
  }
}

/// Records that one block covers, and the block; nil where none that can be used covers them.
struct CoveredRecords: ~Escapable {
  let records: ClosedRange<UInt64>
  let block: DerivedBlock?

  @_lifetime(copy block)
  fileprivate init(_ records: ClosedRange<UInt64>, _ block: DerivedBlock?) {
    self.records = records
    self.block = block
  }
}

extension ReadTransaction {
  /// The first of a range of records and those after it that one block covers; where none does
  /// that can be used, the records up to where the next one begins.
  ///
  /// - Parameter range: Of records that the log has.
  @_lifetime(borrow self)
  func block(
    of kind: DerivedBlock.Kind, _ database: Database<UInt64>, in range: ClosedRange<UInt64>
  ) throws(EventLogError) -> CoveredRecords {
    let first = range.lowerBound
    let cursor = try Cursor(database, in: self)
    if let entry = try cursor.last(atOrBefore: first),
      let start = try? UInt64(storedKey: entry.key),
      let block = DerivedBlock(entry.value, first: start, of: kind), block.covers.contains(first)
    {
      return CoveredRecords(first...min(block.covers.upperBound, range.upperBound), block)
    }
    guard let entry = try cursor.first(atOrAfter: first + 1),
      let next = try? UInt64(storedKey: entry.key), next <= range.upperBound
    else { return CoveredRecords(range, nil) }
    return CoveredRecords(first...(next - 1), nil)
  }

  /// Hands a range of records to `body`, in order: block after block, and nil where there is none
  /// that can be used.
  ///
  /// - Parameter range: Of records that the log has.
  func forEachBlock(
    of kind: DerivedBlock.Kind, _ database: Database<UInt64>, in range: ClosedRange<UInt64>,
    _ body: (ClosedRange<UInt64>, DerivedBlock?) throws -> Void
  ) throws {
    var next = range.lowerBound
    while next <= range.upperBound {
      let covered = try block(of: kind, database, in: next...range.upperBound)
      try body(covered.records, covered.block)
      next = covered.records.upperBound + 1
    }
  }
}
