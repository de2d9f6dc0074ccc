/// Collects records until there are enough for a pack. They stay where they are until it is
/// written.
struct RecordPacker {
  /// The most bytes of a pack that has several records: eight pages of LMDB's without the head of
  /// the first, so that hardly anything of them is left empty.
  static let most = 8 * 4096 - 16

  private var records: [(header: RecordHeader, bytes: UnsafeRawBufferPointer)] = []
  /// How many bytes the records take in a pack, without where each ends.
  private var recordBytes = 0

  /// Whether there is nothing to store.
  var isEmpty: Bool { records.isEmpty }

  /// How many bytes a pack of what is here takes.
  var size: Int { PackLayout.headBytes + records.count * PackLayout.endBytes + recordBytes }

  /// Whether a record can stand in a pack together with those that are here.
  func hasRoom(for header: RecordHeader, bytes: Int) -> Bool {
    isEmpty || size + PackLayout.endBytes + PackLayout.size(of: header, bytes: bytes) <= Self.most
  }

  /// Adds a record, whose bytes have to be valid until the pack is written.
  mutating func add(_ header: RecordHeader, _ bytes: UnsafeRawBufferPointer) {
    records.append((header, bytes))
    recordBytes += PackLayout.size(of: header, bytes: bytes.count)
  }

  /// Writes the pack in its place.
  ///
  /// - Parameter space: As many bytes as `size` says.
  /// - Returns: The pack's digest.
  func write(
    as number: UInt64, after previous: LogDigest, to space: UnsafeMutableRawBufferPointer
  ) -> LogDigest {
    space.storeBigEndian(number, at: PackLayout.numberOffset)
    space.storeBigEndian(UInt32(records.count), at: PackLayout.countOffset)
    var end = PackLayout.headBytes + records.count * PackLayout.endBytes
    for (index, record) in records.enumerated() {
      end += PackLayout.write(
        record.header, record.bytes, to: UnsafeMutableRawBufferPointer(rebasing: space[end...]))
      // A record has at most 64 MiB, and only one can be that long.
      space.storeBigEndian(
        UInt32(truncatingIfNeeded: end), at: PackLayout.headBytes + index * PackLayout.endBytes)
    }
    let digest = RecordChain.digest(
      after: previous, UnsafeRawBufferPointer(rebasing: space[LogDigest.size...]))
    space.storeBytes(of: digest, as: LogDigest.self)
    return digest
  }

  mutating func removeAll() {
    records.removeAll(keepingCapacity: true)
    recordBytes = 0
  }
}
