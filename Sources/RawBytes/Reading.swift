// `RawSpan` gives access to bytes in place, and the compiler ensures that no span outlives its
// memory. This target contains all unsafe code that reads, compares and writes such bytes, and each
// step states why it is safe. Callers use checked offsets, or write `unchecked` and state why the
// offset is valid.
extension RawSpan? {
  /// The bytes, or an empty span.
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
    // Any byte is a valid `UInt8`, and the offset is checked.
    unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }

  /// The integer whose first byte is the lowest.
  @inlinable @inline(__always)
  package func littleEndian<Integer: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: Integer.Type = Integer.self
  ) -> Integer {
    // Any bytes form a valid integer, and the offset is checked.
    Integer(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: type))
  }

  /// The integer whose first byte is the highest.
  @inlinable @inline(__always)
  package func bigEndian<Integer: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: Integer.Type = Integer.self
  ) -> Integer {
    Integer(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: type))
  }

  /// The bytes from one offset to another.
  @inlinable @inline(__always)
  package subscript(range: Range<Int>) -> RawSpan {
    @_lifetime(copy self) get { extracting(range) }
  }
}

// Accessors without bounds checks, for bytes that are read dozens of times per element. The caller
// has already established that the offset is valid, and says why.
extension RawSpan {
  /// The byte at an offset, which must be valid.
  @inlinable @inline(__always)
  package subscript(unchecked offset: Int) -> UInt8 {
    unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
  }

  /// The integer whose first byte is the lowest; all its bytes must be in the span.
  @inlinable @inline(__always)
  package func littleEndian<Integer: FixedWidthInteger & BitwiseCopyable>(
    uncheckedAt offset: Int, as type: Integer.Type = Integer.self
  ) -> Integer {
    Integer(littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: type))
  }

  /// The bytes from one offset to another; both must be in the span or at its end.
  @inlinable @inline(__always)
  package subscript(unchecked range: Range<Int>) -> RawSpan {
    @_lifetime(copy self) get { extracting(unchecked: range) }
  }

  /// Applies a function to the sixteen bytes at an offset, which must be in the span. Returns one
  /// bit per byte.
  ///
  /// - Parameter marks: Reads sixteen bytes at an address.
  @inlinable @inline(__always)
  package func marks(uncheckedAt offset: Int, _ marks: (UnsafeRawPointer) -> UInt32) -> UInt32 {
    // A span that contains bytes has an address.
    withUnsafeBytes { marks($0.baseAddress.unsafelyUnwrapped + offset) }
  }
}
