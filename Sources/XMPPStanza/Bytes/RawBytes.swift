// Bytes in place, and how they are appended. Rosters hold thousands of texts, so they are looked at
// eight bytes at a time.
extension UnsafeRawBufferPointer {
  /// Whether both have the same bytes.
  @inlinable package func isSame(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard count >= 8 else {
      for index in 0..<count where self[index] != other[index] { return false }
      return true
    }
    var offset = 0
    while offset < count {
      // The last eight bytes overlap those before.
      let place = Swift.min(offset, count - 8)
      if eight(at: place) != other.eight(at: place) { return false }
      offset += 8
    }
    return true
  }

  /// Whether these bytes come before others; a text comes before what it is the beginning of.
  @inlinable package func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
    var offset = 0
    while offset < Swift.min(count, other.count) {
      let (mine, others) = (rank(at: offset), other.rank(at: offset))
      if mine != others { return mine < others }
      offset += 8
    }
    return count < other.count
  }

  /// The eight bytes from here, in an order in which numbers compare as the bytes do; after the
  /// end there are zeros.
  @inlinable package func rank(at offset: Int) -> UInt64 {
    let rest = count - offset
    if rest >= 8 { return UInt64(bigEndian: eight(at: offset)) }
    guard rest > 0 else { return 0 }
    if count >= 8 {
      return UInt64(bigEndian: eight(at: count - 8)) << UInt64(8 * (8 - rest))
    }
    var word: UInt64 = 0
    for index in offset..<count { word = word << 8 | UInt64(self[index]) }
    return word << UInt64(8 * (8 - rest))
  }

  /// Whether no byte is above 127.
  @inlinable package var isASCII: Bool {
    guard count >= 8 else { return allSatisfy { $0 < 0x80 } }
    var all: UInt64 = 0
    var offset = 0
    while offset < count {
      all |= eight(at: Swift.min(offset, count - 8))
      offset += 8
    }
    return all & 0x8080_8080_8080_8080 == 0
  }

  /// A hash that starts from a number; who does not know the number cannot make texts that meet.
  @inlinable package func hash(from seed: UInt64) -> UInt64 {
    var hash = seed ^ UInt64(truncatingIfNeeded: count)
    guard count >= 8 else {
      var rest: UInt64 = 0
      for byte in self { rest = rest << 8 | UInt64(byte) }
      return Self.mixed(hash ^ rest)
    }
    var offset = 0
    while offset + 8 <= count {
      hash = Self.mixed(hash ^ UInt64(littleEndian: eight(at: offset)))
      offset += 8
    }
    // Whatever is left, with some of the bytes before it.
    return Self.mixed(hash ^ UInt64(littleEndian: eight(at: count - 8)))
  }

  /// A number whose bits depend on all bits of another.
  @inlinable package static func mixed(_ value: UInt64) -> UInt64 {
    // A product with an odd constant carries what is low upwards, the shift what is high down.
    let product = value &* 0x9E37_79B9_7F4A_7C15
    return product ^ (product >> 32)
  }

  /// Callers see to it that there are eight bytes from the offset on.
  @inlinable @inline(__always)
  package func eight(at offset: Int) -> UInt64 {
    loadUnaligned(fromByteOffset: offset, as: UInt64.self)
  }
}

extension [UInt8] {
  /// Appends what `fill` writes into the space that it is given, and of which it says how much it
  /// has written.
  @inlinable @inline(__always)
  package mutating func append(
    atMost count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int
  ) {
    append(addingCapacity: count) { output in
      output.withUnsafeMutableBufferPointer { $1 += fill(UnsafeMutableRawBufferPointer($0)) }
    }
  }

  /// Appends bytes that stand elsewhere. `append(contentsOf:)` takes them for any sequence, and
  /// costs several times as much where they are few.
  @inlinable @inline(__always)
  package mutating func append(bytes: UnsafeRawBufferPointer) {
    append(atMost: bytes.count) { space in
      space.copyMemory(from: bytes)
      return bytes.count
    }
  }
}
