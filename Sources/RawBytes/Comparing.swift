// Rosters hold thousands of texts, so they are compared eight bytes at a time.
extension RawSpan {
  /// Whether both spans have the same bytes.
  @inlinable package func isSame(as other: RawSpan) -> Bool {
    guard byteCount == other.byteCount else { return false }
    guard byteCount >= 8 else {
      // The spans have the same length, so the indices are valid for both.
      for index in 0..<byteCount
      where self[unchecked: index] != other[unchecked: index] {
        return false
      }
      return true
    }
    var offset = 0
    while offset < byteCount {
      // Both spans have eight bytes here; the last eight overlap those before.
      let start = min(offset, byteCount - 8)
      let (mine, others): (UInt64, UInt64) =
        (littleEndian(uncheckedAt: start), other.littleEndian(uncheckedAt: start))
      if mine != others { return false }
      offset += 8
    }
    return true
  }

  /// Whether these bytes come before others; a prefix comes before a longer text.
  @inlinable package func precedes(_ other: RawSpan) -> Bool {
    var offset = 0
    while offset < min(byteCount, other.byteCount) {
      let (mine, others) = (rank(at: offset), other.rank(at: offset))
      if mine != others { return mine < others }
      offset += 8
    }
    return byteCount < other.byteCount
  }

  /// The eight bytes at an offset as a number that compares as the bytes do, padded with zeros.
  @inlinable package func rank(at offset: Int) -> UInt64 {
    let rest = byteCount - offset
    if rest >= 8 { return bigEndian(at: offset) }
    guard rest > 0 else { return 0 }
    if byteCount >= 8 {
      return bigEndian(at: byteCount - 8, as: UInt64.self) << UInt64(8 * (8 - rest))
    }
    var word: UInt64 = 0
    for index in offset..<byteCount { word = word << 8 | UInt64(self[index]) }
    return word << UInt64(8 * (8 - rest))
  }

  /// Whether no byte is above 127.
  @inlinable package var isASCII: Bool {
    var all: UInt64 = 0
    guard byteCount >= 8 else {
      for index in 0..<byteCount { all |= UInt64(self[unchecked: index]) }
      return all < 0x80
    }
    var offset = 0
    while offset < byteCount {
      // The span has eight bytes here.
      all |= littleEndian(uncheckedAt: min(offset, byteCount - 8))
      offset += 8
    }
    return all & 0x8080_8080_8080_8080 == 0
  }

  /// A hash that depends on a seed: without knowing it, an attacker cannot construct collisions.
  @inlinable package func hash(from seed: UInt64) -> UInt64 {
    var hash = seed ^ UInt64(truncatingIfNeeded: byteCount)
    guard byteCount >= 8 else {
      var rest: UInt64 = 0
      for index in 0..<byteCount { rest = rest << 8 | UInt64(self[unchecked: index]) }
      return Self.mixed(hash ^ rest)
    }
    var offset = 0
    while offset + 8 <= byteCount {
      hash = Self.mixed(hash ^ littleEndian(uncheckedAt: offset))
      offset += 8
    }
    // The remaining bytes, together with some that were hashed already.
    return Self.mixed(hash ^ littleEndian(uncheckedAt: byteCount - 8))
  }

  /// A number whose bits depend on all bits of another.
  @inlinable package static func mixed(_ value: UInt64) -> UInt64 {
    // The product with an odd constant carries low bits upward, the shift carries high bits down.
    let product = value &* 0x9E37_79B9_7F4A_7C15
    return product ^ (product >> 32)
  }
}

/// The position of a text in byte order; the first sixteen bytes decide most comparisons.
package struct ByteRank {
  private let first: UInt64
  private let second: UInt64
  /// The index of the text in the list to sort.
  package let index: Int

  private init(_ bytes: RawSpan, _ index: Int) {
    (first, second) = (bytes.rank(at: 0), bytes.rank(at: 8))
    self.index = index
  }

  /// Sorts texts by their bytes; equal ones keep their order. Complexity: O(n log n).
  ///
  /// - Parameters:
  ///   - rank: Passes the bytes of the text at an index to a closure.
  ///   - precedes: Whether one text comes before another, if their first sixteen bytes are equal.
  package static func order(
    of count: Int, rank: (Int, (RawSpan) -> ByteRank) -> ByteRank,
    precedes: (Int, Int) -> Bool
  ) -> [ByteRank] {
    (0..<count).map { index in rank(index) { ByteRank($0, index) } }.sorted { a, b in
      if a.first != b.first { return a.first < b.first }
      if a.second != b.second { return a.second < b.second }
      return precedes(a.index, b.index)
    }
  }
}
