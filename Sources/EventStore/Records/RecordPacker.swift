import RawBytes

/// Collects records of an arena until there are enough for a pack. Their bytes stay there until it
/// is written.
struct RecordPacker {
  /// The most bytes of a pack that has several records: eight pages of LMDB's without the head of
  /// the first, so that hardly anything of them is left empty.
  static let most = 8 * 4096 - 16

  /// Each with its place in the arena.
  private var records: [(header: RecordHeader, index: Int)] = []
  /// The clock of the first record that has one.
  private var start: Int64?
  /// How many bytes the records take in a pack, without where each ends.
  private var recordBytes = 0

  /// Whether there is nothing to store.
  var isEmpty: Bool { records.isEmpty }

  /// How many bytes a pack of what is here takes.
  var size: Int { PackLayout.headBytes + records.count * PackLayout.endBytes + recordBytes }

  /// Whether a record can stand in a pack together with those that are here.
  func hasRoom(for header: RecordHeader, bytes: Int) -> Bool {
    guard !isEmpty else { return true }
    return size + PackLayout.endBytes + recordSize(of: header, bytes: bytes) <= Self.most
  }

  private func recordSize(of header: RecordHeader, bytes: Int) -> Int {
    PackLayout.size(of: header, after: start ?? header.clock ?? 0, bytes: bytes)
  }

  /// Adds the record that is at an index of the arena and has so many bytes.
  mutating func add(_ header: RecordHeader, at index: Int, bytes: Int) {
    records.append((header, index))
    recordBytes += recordSize(of: header, bytes: bytes)
    start = start ?? header.clock
  }

  /// Writes the pack in its place.
  ///
  /// - Parameters:
  ///   - arena: That of the records.
  ///   - space: As many bytes as `size` says.
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
    for (place, record) in records.enumerated() {
      end += PackLayout.write(
        record.header, after: start, arena.bytes(at: record.index), to: &space, at: end)
      // A record has at most 64 MiB, and only one can be that long.
      space.write(
        bigEndian: UInt32(truncatingIfNeeded: end),
        at: PackLayout.headBytes + place * PackLayout.endBytes)
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
