// Bytes in place are `RawSpan`s: the compiler sees to it that none outlives what it is of. What is
// unsafe of reading, comparing and writing them stands in this target, each step with its proof;
// everything above it looks at bytes by offsets that are checked.
extension RawSpan {
  /// The byte at an offset.
  @inlinable @inline(__always)
  package subscript(offset: Int) -> UInt8 {
    // Any byte is a `UInt8`, and the offset is checked.
    unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }

  /// The integer of which the first byte is the lowest.
  @inlinable @inline(__always)
  package func littleEndian<Integer: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: Integer.Type = Integer.self
  ) -> Integer {
    // Any bytes are an integer, and their place is checked.
    Integer(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: type))
  }

  /// The integer of which the first byte is the highest.
  @inlinable @inline(__always)
  package func bigEndian<Integer: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: Integer.Type = Integer.self
  ) -> Integer {
    Integer(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: type))
  }

  /// The eight bytes from here on, without a look at whether they are there.
  @inlinable @inline(__always)
  func word(uncheckedAt offset: Int) -> UInt64 {
    UInt64(littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
  }

  /// The byte at an offset, without a look at whether it is there.
  @inlinable @inline(__always)
  func byte(uncheckedAt offset: Int) -> UInt8 {
    unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
  }

  /// These bytes from one offset to another.
  @inlinable @inline(__always)
  @_lifetime(copy self)
  package subscript(range: Range<Int>) -> RawSpan {
    @_lifetime(copy self) get { extracting(range) }
  }
}
