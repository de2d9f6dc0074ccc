/// Something derived of consecutive records, as it is stored under the number of the first one.
///
/// It is a view of bytes that are LMDB's own, and valid as long as they are.
///
///     0  16     checksum: XXH3 of what follows, with a seed of a label and of the number of the
///               first record that it covers
///     16 UInt64 the last record that it covers
///     24        what is derived
///
/// Every record of a log whose derived parts are complete is covered by one block of events and one
/// of the index, whether there is anything to say of it.
struct DerivedBlock {
  /// The records that it covers.
  let covers: ClosedRange<UInt64>
  /// What is derived of them.
  let content: UnsafeRawBufferPointer

  static let headBytes = Checksum.size + 8

  /// Nil where the bytes are not what was written.
  ///
  /// Complexity: linear in them.
  init?(_ value: UnsafeRawBufferPointer, first: UInt64, of kind: Kind) {
    guard value.count >= Self.headBytes, first > 0 else { return nil }
    let last = value.loadBigEndian(at: Checksum.size, as: UInt64.self)
    let rest = UnsafeRawBufferPointer(rebasing: value[Checksum.size...])
    guard last >= first, Checksum(stored: value) == Self.checksum(of: rest, first: first, kind)
    else { return nil }
    covers = first...last
    content = UnsafeRawBufferPointer(rebasing: value[Self.headBytes...])
  }

  /// What kinds of blocks there are: one does not pass for the other.
  enum Kind: String {
    case events = "rollcall events, format 2"
    case index = "rollcall index, format 2"
  }

  /// Writes a block in its place, as many bytes as its content and the head take.
  static func write(
    _ kind: Kind, covering records: ClosedRange<UInt64>,
    to space: UnsafeMutableRawBufferPointer, _ fill: (UnsafeMutableRawBufferPointer) -> Void
  ) {
    space.storeBigEndian(records.upperBound, at: Checksum.size)
    fill(UnsafeMutableRawBufferPointer(rebasing: space[headBytes...]))
    let rest = UnsafeRawBufferPointer(rebasing: space[Checksum.size...])
    let checksum = checksum(of: rest, first: records.lowerBound, kind)
    space.storeBytes(of: checksum, as: Checksum.self)
  }

  private static func checksum(
    of rest: UnsafeRawBufferPointer, first: UInt64, _ kind: Kind
  ) -> Checksum {
    Checksum(of: rest, seed: Checksum.seed(kind.rawValue, first))
  }
}

extension ReadTransaction {
  /// The first of a range of records and those after it that one block covers, and the block; nil
  /// where none that can be used covers it, and the records up to where the next one begins.
  ///
  /// - Parameter range: Of records that the log has.
  func block(
    of kind: DerivedBlock.Kind, _ database: Database<UInt64>, in range: ClosedRange<UInt64>
  ) throws(EventLogError) -> (records: ClosedRange<UInt64>, block: DerivedBlock?) {
    let first = range.lowerBound
    let cursor = try Cursor(database, in: self)
    if let (key, value) = try cursor.last(atOrBefore: first),
      let block = (try? UInt64(storedKey: key)).flatMap({ DerivedBlock(value, first: $0, of: kind) }
      ),
      block.covers.contains(first)
    {
      return (first...min(block.covers.upperBound, range.upperBound), block)
    }
    guard let (key, _) = try cursor.first(atOrAfter: first + 1),
      let next = try? UInt64(storedKey: key), next <= range.upperBound
    else { return (range, nil) }
    return (first...(next - 1), nil)
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
      let (records, block) = try block(of: kind, database, in: next...range.upperBound)
      try body(records, block)
      next = records.upperBound + 1
    }
  }
}
