import RawBytes

/// A block of data derived from consecutive records, stored under the number of the first one.
///
/// It is a view of LMDB's own bytes.
///
///     0  16     checksum: XXH3 of the bytes that follow, seeded with a label and the number of
///               the first covered record
///     16 UInt64 the last covered record
///     24        content
///
/// If a log's derived parts are complete, one block of events and one block of the index cover each
/// record, even a record without an event or contacts.
struct DerivedBlock: ~Escapable {
  /// The covered records.
  let covers: ClosedRange<UInt64>
  /// The data derived from them.
  let content: RawSpan

  static let headBytes = Checksum.size + 8

  /// Nil if the bytes are not what was written. Complexity: linear in the bytes.
  @_lifetime(copy value)
  init?(_ value: RawSpan, first: UInt64, of kind: Kind) {
    guard value.byteCount >= Self.headBytes, first > 0 else { return nil }
    let last = value.bigEndian(at: Checksum.size, as: UInt64.self)
    // Content counts records from the first one in 16 bits; no log comes near the last number.
    guard last >= first, last <= UInt64.max - UInt64(UInt16.max) - 1,
      Checksum(stored: value) == Self.checksum(of: value, first: first, kind)
    else { return nil }
    covers = first...last
    content = value.extracting(Self.headBytes...)
  }

  /// The kind of a block; its label goes into the checksum, so the kinds cannot be confused.
  enum Kind: String {
    case events = "rollcall events, format 2"
    case index = "rollcall index, format 2"
  }

  /// Writes the head of a block to a space of its size that already has the content.
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

/// A range of records and the block that covers it; the block is nil if no usable one does.
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
  /// Returns the longest beginning of a range that one block covers.
  ///
  /// If no usable block covers the first record, the result ends where the next block begins.
  /// - Parameter range: Records that the log has.
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

  /// Passes the blocks that cover a range of records to `body`, in order.
  ///
  /// `body` gets nil for records that no usable block covers.
  /// - Parameter range: Records that the log has.
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
