/// Collects records until there are enough for a pack.
struct RecordPacker {
  /// The most bytes of a pack that has several records: eight pages of LMDB's without the head of
  /// the first, so that hardly anything of them is left empty.
  static let most = 8 * 4096 - 16

  private var bodies: [UInt8] = []
  /// Where each record ends in `bodies`.
  private var ends: [UInt32] = []

  /// Whether there is nothing to store.
  var isEmpty: Bool { ends.isEmpty }

  /// How many bytes a pack of what is here takes.
  var size: Int { PackLayout.headBytes + ends.count * PackLayout.endBytes + bodies.count }

  /// Whether a record can stand in a pack together with those that are here.
  func hasRoom(for header: RecordHeader, bytes: Int) -> Bool {
    isEmpty || size + PackLayout.endBytes + PackLayout.size(of: header, bytes: bytes) <= Self.most
  }

  /// Adds a record.
  mutating func add(_ header: RecordHeader, _ bytes: UnsafeRawBufferPointer) {
    PackLayout.write(header, bytes, to: &bodies)
    // A record has at most 64 MiB, and only one can be that long.
    ends.append(UInt32(truncatingIfNeeded: bodies.count))
  }

  /// Writes the pack in its place.
  ///
  /// - Parameter space: As many bytes as `size` says.
  /// - Returns: The pack's digest.
  func write(
    as number: UInt64, after previous: LogDigest, to space: UnsafeMutableRawBufferPointer
  ) -> LogDigest {
    space.storeBigEndian(number, at: PackLayout.numberOffset)
    space.storeBigEndian(UInt32(ends.count), at: PackLayout.countOffset)
    let start = PackLayout.headBytes + ends.count * PackLayout.endBytes
    for (index, end) in ends.enumerated() {
      space.storeBigEndian(
        UInt32(start) + end, at: PackLayout.headBytes + index * PackLayout.endBytes)
    }
    UnsafeMutableRawBufferPointer(rebasing: space[start...]).copyBytes(from: bodies)
    let digest = RecordChain.digest(
      after: previous, UnsafeRawBufferPointer(rebasing: space[LogDigest.size...]))
    space.storeBytes(of: digest, as: LogDigest.self)
    return digest
  }

  mutating func removeAll() {
    bodies.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }
}
