// Bytes in place are `RawSpan`s: the compiler sees to it that none outlives what it is of. What is
// unsafe of reading, comparing and writing them stands in this target, each step with its proof.
// Who uses it looks at bytes by offsets that are checked, or says `unchecked`, and why that is
// right.
extension RawSpan? {
  /// The bytes, or none.
  @inlinable package var orEmpty: RawSpan {
    @_lifetime(copy self)
    get {
      guard let self else { return RawSpan() }
      return self
    }
  }
}

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

  /// These bytes from one offset to another.
  @inlinable @inline(__always)
  package subscript(range: Range<Int>) -> RawSpan {
    @_lifetime(copy self) get { extracting(range) }
  }
}

// What is looked at dozens of times an element is not looked at for being there: who asks for it
// has seen that it is, and says why.
extension RawSpan {
  /// The byte at an offset that is one of these.
  @inlinable @inline(__always)
  package subscript(unchecked offset: Int) -> UInt8 {
    unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
  }

  /// The integer of which the first byte is the lowest, where all its bytes are some of these.
  @inlinable @inline(__always)
  package func littleEndian<Integer: FixedWidthInteger & BitwiseCopyable>(
    uncheckedAt offset: Int, as type: Integer.Type = Integer.self
  ) -> Integer {
    Integer(littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: type))
  }

  /// These bytes from one offset to another, both of which are in them or at their end.
  @inlinable @inline(__always)
  package subscript(unchecked range: Range<Int>) -> RawSpan {
    @_lifetime(copy self) get { extracting(unchecked: range) }
  }

  /// What a function says of the sixteen bytes from an offset on, which are some of these: a bit
  /// for each.
  ///
  /// - Parameter marks: Looks at sixteen bytes from an address on.
  @inlinable @inline(__always)
  package func marks(uncheckedAt offset: Int, _ marks: (UnsafeRawPointer) -> UInt32) -> UInt32 {
    // Where there are bytes, they have an address.
    withUnsafeBytes { marks($0.baseAddress.unsafelyUnwrapped + offset) }
  }
}
