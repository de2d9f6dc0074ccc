extension [UInt8] {
  /// A copy of bytes that stand elsewhere.
  @inlinable package init(_ bytes: RawSpan) {
    self = bytes.withUnsafeBytes { Array($0) }
  }

  /// Appends what `fill` writes into the space that it is given, and of which it says how much it
  /// has written: all of these bytes.
  @inlinable @inline(__always)
  package mutating func append(atMost count: Int, _ fill: (inout MutableRawSpan) -> Int) {
    append(addingCapacity: count) { output in
      output.withUnsafeMutableBufferPointer { buffer, filled in
        // There is room for so many bytes, and `fill` writes those that it says it has written.
        var space = MutableRawSpan(_unsafeBytes: UnsafeMutableRawBufferPointer(buffer))
        filled += fill(&space)
      }
    }
  }

  /// Appends bytes that stand elsewhere. `append(contentsOf:)` takes them for any sequence, and
  /// costs several times as much where they are few.
  @inlinable @inline(__always)
  package mutating func append(bytes: RawSpan) {
    append(atMost: bytes.byteCount) { space in
      space.write(bytes, at: 0)
      return bytes.byteCount
    }
  }
}

extension [UInt8] {
  /// Puts bytes in place of as many from an index on.
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

  /// Writes bytes from an offset on.
  @inlinable @inline(__always)
  package mutating func write(_ bytes: RawSpan, at offset: Int) {
    // It is looked at whether the part is there, which takes as many bytes as are written.
    var part = _mutatingExtracting(offset..<(offset + bytes.byteCount))
    bytes.withUnsafeBytes { bytes in part.withUnsafeMutableBytes { $0.copyMemory(from: bytes) } }
  }

  /// Copies the sixteen bytes from an offset of others on to an offset here, all of which are
  /// there.
  @inlinable @inline(__always)
  package mutating func write(
    sixteenOf bytes: RawSpan, uncheckedFrom start: Int, uncheckedAt offset: Int
  ) {
    storeBytes(
      of: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: SIMD16<UInt8>.self),
      toUncheckedByteOffset: offset, as: SIMD16<UInt8>.self)
  }

  /// Writes an integer, its highest byte first.
  @inlinable @inline(__always)
  package mutating func write<Integer: FixedWidthInteger & BitwiseCopyable>(
    bigEndian value: Integer, at offset: Int
  ) {
    storeBytes(of: value.bigEndian, toByteOffset: offset, as: Integer.self)
  }

  /// Writes an integer, its lowest byte first.
  @inlinable @inline(__always)
  package mutating func write<Integer: FixedWidthInteger & BitwiseCopyable>(
    littleEndian value: Integer, at offset: Int
  ) {
    storeBytes(of: value.littleEndian, toByteOffset: offset, as: Integer.self)
  }
}
