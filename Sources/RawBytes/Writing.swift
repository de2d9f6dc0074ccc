extension [UInt8] {
  /// Copies the bytes of a span.
  @inlinable package init(_ bytes: RawSpan) {
    self = bytes.withUnsafeBytes { Array($0) }
  }

  /// Appends the bytes that `fill` writes. `fill` gets a space of `count` bytes and returns how
  /// many of them it has written, from the start on.
  @inlinable @inline(__always)
  package mutating func append(atMost count: Int, _ fill: (inout MutableRawSpan) -> Int) {
    append(addingCapacity: count) { output in
      output.withUnsafeMutableBufferPointer { buffer, filled in
        // The buffer has room for `count` bytes, and `fill` has written as many as it returns.
        var space = MutableRawSpan(_unsafeBytes: UnsafeMutableRawBufferPointer(buffer))
        filled += fill(&space)
      }
    }
  }

  /// Appends the bytes of a span. `append(contentsOf:)` treats them as an arbitrary sequence, which
  /// costs several times as much for few bytes.
  @inlinable @inline(__always)
  package mutating func append(bytes: RawSpan) {
    append(atMost: bytes.byteCount) { space in
      space.write(bytes, at: 0)
      return bytes.byteCount
    }
  }
}

extension [UInt8] {
  /// Replaces the bytes at an index by as many others.
  package mutating func replace(at start: Int, with bytes: RawSpan) {
    var all = mutableSpan
    var space = all.mutableBytes
    space.write(bytes, at: start)
  }
}

extension MutableRawSpan {
  /// The byte at an offset.
  @inlinable @inline(__always)
  package subscript(offset: Int) -> UInt8 {
    get { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
    set { storeBytes(of: newValue, toByteOffset: offset, as: UInt8.self) }
  }

  /// Writes bytes at an offset.
  @inlinable @inline(__always)
  package mutating func write(_ bytes: RawSpan, at offset: Int) {
    // Extracting checks the bounds, and `part` has exactly `bytes.byteCount` bytes.
    var part = _mutatingExtracting(offset..<(offset + bytes.byteCount))
    bytes.withUnsafeBytes { bytes in part.withUnsafeMutableBytes { $0.copyMemory(from: bytes) } }
  }

  /// Copies sixteen bytes of another span to an offset here; both ranges must be valid.
  @inlinable @inline(__always)
  package mutating func write(
    sixteenOf bytes: RawSpan, uncheckedFrom start: Int, uncheckedAt offset: Int
  ) {
    storeBytes(
      of: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: SIMD16<UInt8>.self),
      toUncheckedByteOffset: offset, as: SIMD16<UInt8>.self)
  }

  /// Writes an integer with its highest byte first.
  @inlinable @inline(__always)
  package mutating func write<Integer: FixedWidthInteger & BitwiseCopyable>(
    bigEndian value: Integer, at offset: Int
  ) {
    storeBytes(of: value.bigEndian, toByteOffset: offset, as: Integer.self)
  }

  /// Writes an integer with its lowest byte first.
  @inlinable @inline(__always)
  package mutating func write<Integer: FixedWidthInteger & BitwiseCopyable>(
    littleEndian value: Integer, at offset: Int
  ) {
    storeBytes(of: value.littleEndian, toByteOffset: offset, as: Integer.self)
  }
}
