import RawBytes

/// Collects the records of a pack; their bytes stay in the arena until the pack is written.
struct RecordPacker {
  /// The largest size of a pack with several records: eight pages of LMDB minus the header of the
  /// first, so that the pages are nearly full.
  static let capacity = 8 * 4096 - 16

  /// The records, each with its index in the arena.
  private var records: [(header: RecordHeader, index: Int)] = []
  /// The clock of the first record that has one.
  private var start: Int64?
  /// The size of the records in a pack, not counting their stored ends.
  private var recordBytes = 0

  /// Whether there are no records to store.
  var isEmpty: Bool { records.isEmpty }

  /// The size of a pack of the collected records, in bytes.
  var size: Int { PackLayout.headBytes + records.count * PackLayout.endBytes + recordBytes }

  /// Whether a record fits into the pack.
  func hasRoom(for header: RecordHeader, bytes: Int) -> Bool {
    guard !isEmpty else { return true }
    return size + PackLayout.endBytes + recordSize(of: header, bytes: bytes) <= Self.capacity
  }

  private func recordSize(of header: RecordHeader, bytes: Int) -> Int {
    PackLayout.size(of: header, after: start ?? header.clock ?? 0, bytes: bytes)
  }

  /// Adds the record at an index of the arena.
  ///
  /// - Parameter bytes: The record's number of bytes.
  mutating func add(_ header: RecordHeader, at index: Int, bytes: Int) {
    records.append((header, index))
    recordBytes += recordSize(of: header, bytes: bytes)
    start = start ?? header.clock
  }

  /// Writes the pack to its space.
  ///
  /// - Parameters:
  ///   - arena: The arena of the records.
  ///   - space: A space of `size` bytes.
  /// - Returns: The pack's digest.
  func write(
    as number: UInt64, after previous: LogDigest, from arena: RecordArena,
    to space: inout MutableRawSpan
  ) -> LogDigest {
    space.write(bigEndian: number, at: PackLayout.numberOffset)
    let start = start ?? 0
    space.write(bigEndian: start, at: PackLayout.clockOffset)
    space.write(bigEndian: UInt32(records.count), at: PackLayout.countOffset)
    var end = PackLayout.headBytes + records.count * PackLayout.endBytes
    for (position, record) in records.enumerated() {
      end += PackLayout.write(
        record.header, after: start, arena.bytes(at: record.index), to: &space, at: end)
      // No pack exceeds 32 bits: only a pack of a single record can be large, up to 64 MiB.
      space.write(
        bigEndian: UInt32(truncatingIfNeeded: end),
        at: PackLayout.headBytes + position * PackLayout.endBytes)
    }
    let digest = RecordChain.digest(
      after: previous, space.bytes.extracting(LogDigest.size...))
    space.storeBytes(of: digest, as: LogDigest.self)
    return digest
  }

  mutating func removeAll() {
    records.removeAll(keepingCapacity: true)
    start = nil
    recordBytes = 0
  }
}
