// Rosters hold thousands of texts, so they are compared eight bytes at a time.
extension RawSpan {
  /// Whether both have the same bytes.
  @inlinable package func isSame(as other: RawSpan) -> Bool {
    guard byteCount == other.byteCount else { return false }
    guard byteCount >= 8 else {
      // The indices are those of both.
      for index in 0..<byteCount
      where self[unchecked: index] != other[unchecked: index] {
        return false
      }
      return true
    }
    var offset = 0
    while offset < byteCount {
      // Eight bytes of both are there; the last ones overlap those before.
      let place = min(offset, byteCount - 8)
      let (mine, others): (UInt64, UInt64) =
        (littleEndian(uncheckedAt: place), other.littleEndian(uncheckedAt: place))
      if mine != others { return false }
      offset += 8
    }
    return true
  }

  /// Whether these bytes come before others; a text comes before what it is the beginning of.
  @inlinable package func precedes(_ other: RawSpan) -> Bool {
    var offset = 0
    while offset < min(byteCount, other.byteCount) {
      let (mine, others) = (rank(at: offset), other.rank(at: offset))
      if mine != others { return mine < others }
      offset += 8
    }
    return byteCount < other.byteCount
  }

  /// The eight bytes from here, in an order in which numbers compare as the bytes do; after the
  /// end there are zeros.
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
      // Eight bytes are there.
      all |= littleEndian(uncheckedAt: min(offset, byteCount - 8))
      offset += 8
    }
    return all & 0x8080_8080_8080_8080 == 0
  }

  /// A hash that starts from a number; who does not know the number cannot make texts that meet.
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
    // Whatever is left, with some of the bytes before it.
    return Self.mixed(hash ^ littleEndian(uncheckedAt: byteCount - 8))
  }

  /// A number whose bits depend on all bits of another.
  @inlinable package static func mixed(_ value: UInt64) -> UInt64 {
    // A product with an odd constant carries what is low upwards, the shift what is high down.
    let product = value &* 0x9E37_79B9_7F4A_7C15
    return product ^ (product >> 32)
  }
}

/// Where a text comes in the order of their bytes: most pairs differ in the first sixteen.
package struct ByteRank {
  private let first: UInt64
  private let second: UInt64
  /// The index of the text in the list that is put in order.
  package let index: Int

  private init(_ bytes: RawSpan, _ index: Int) {
    (first, second) = (bytes.rank(at: 0), bytes.rank(at: 8))
    self.index = index
  }

  /// The order of texts; equal ones stay as they are listed. Complexity: O(n log n).
  ///
  /// - Parameters:
  ///   - rank: Hands the bytes of a text to a closure.
  ///   - precedes: Whether one text comes before another.
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
