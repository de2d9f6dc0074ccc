extension String {
  /// Whether these are the bytes of the text.
  func hasBytes(_ bytes: UnsafeRawBufferPointer) -> Bool {
    utf8.withContiguousStorageIfAvailable {
      UnsafeRawBufferPointer($0).isSame(as: bytes)
    } ?? utf8.elementsEqual(bytes)
  }
}

extension UnsafeRawBufferPointer {
  /// Whether both have the same bytes.
  package func isSame(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    var index = 0
    // Within the count of both: eight bytes at once, and then the last eight, or all of fewer.
    while index + 8 <= count {
      guard
        loadUnaligned(fromByteOffset: index, as: UInt64.self)
          == other.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      else { return false }
      index += 8
    }
    if count >= 8 {
      return loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        == other.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
    }
    while index < count {
      guard self[index] == other[index] else { return false }
      index += 1
    }
    return true
  }

  /// A hash for tables in which a collision costs little: nobody is kept from making one. Its upper
  /// bits are the best. It depends on nothing but the bytes.
  package var quickHash: UInt64 {
    var hash = UInt64(truncatingIfNeeded: count)
    var index = 0
    // Within `count`: eight bytes at once, and then the last eight, or all of fewer.
    while index + 8 <= count {
      let eight = loadUnaligned(fromByteOffset: index, as: UInt64.self)
      hash = Self.mixed(hash ^ UInt64(littleEndian: eight))
      index += 8
    }
    if count >= 8 {
      let eight = loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
      return Self.mixed(hash ^ UInt64(littleEndian: eight))
    }
    var rest: UInt64 = 0
    while index < count {
      rest = rest << 8 | UInt64(self[index])
      index += 1
    }
    return Self.mixed(hash ^ rest)
  }

  private static func mixed(_ value: UInt64) -> UInt64 {
    // A product with an odd constant carries what is low upwards, the shift what is high down.
    let product = value &* 0x9E37_79B9_7F4A_7C15
    return product ^ (product >> 32)
  }
}
