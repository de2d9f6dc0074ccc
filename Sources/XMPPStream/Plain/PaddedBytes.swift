import CShims
import RawBytes

/// Bytes followed by sixteen zeros, so that eight or sixteen bytes can be loaded at any index, and
/// every search for an end stops.
///
/// Nothing that is searched for contains a zero: a search that advances only past nonzero bytes
/// never goes beyond the end.
struct PaddedBytes: ~Escapable {
  static let padding = 16

  /// The bytes with the zeros.
  private let bytes: RawSpan
  let count: Int

  /// - Parameter bytes: Bytes that end with sixteen zeros.
  @_lifetime(copy bytes)
  init?(_ bytes: RawSpan) {
    guard bytes.byteCount >= Self.padding else { return nil }
    self.bytes = bytes
    count = bytes.byteCount - Self.padding
  }

  /// The byte at an index, or the zero after the last one.
  @inline(__always)
  subscript(index: Int) -> UInt8 { bytes[unchecked: index] }

  /// Eight bytes at an index, which must be at most eight after the end.
  @inline(__always)
  func eight(at index: Int) -> EightBytes {
    EightBytes(value: bytes.littleEndian(uncheckedAt: index))
  }

  /// All bytes, without the zeros.
  var all: RawSpan {
    @_lifetime(copy self) get { bytes[unchecked: 0..<count] }
  }

  /// The bytes of a range.
  @_lifetime(copy self)
  func slice(_ range: Range<Int>) -> RawSpan { bytes[unchecked: range] }
}

/// Eight bytes that are processed as one number.
struct EightBytes {
  /// The bytes as a number, the first one lowest.
  let value: UInt64

  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let uppers: UInt64 = 0x8080_8080_8080_8080

  /// The number of leading ASCII letters; at most eight.
  @inline(__always)
  var letters: Int {
    let small = value | 0x20 &* Self.ones
    // The first sum has the upper bit from `a` on, the second from after `z` on. A letter carries
    // nothing into the byte above it, so the lowest byte marked as a non-letter is correct.
    let letters = (small &+ 0x1F &* Self.ones) & ~(small &+ 0x05 &* Self.ones) & ~value
    return (~letters & Self.uppers).trailingZeroBitCount / 8
  }

  /// The first `count` bytes, fewer than eight, followed by zeros.
  @inline(__always)
  func first(_ count: Int) -> UInt64 {
    value & ((1 &<< UInt64(truncatingIfNeeded: 8 &* count)) &- 1)
  }
}

/// A set of bytes among sixteen: one bit for each, the lowest for the first.
struct ByteMarks {
  let bits: UInt32

  /// The number of bytes before the first marked one, which must exist.
  @inline(__always)
  var first: Int { bits.trailingZeroBitCount }

  @inline(__always)
  var isEmpty: Bool { bits == 0 }
}

// The loads below are valid at every index, because sixteen zeros follow the end.
extension PaddedBytes {
  /// Marks the bytes that end an attribute's value, and those that are forbidden or rare in one:
  /// all below `(`, and `<`.
  @inline(__always)
  func marksInValue(at index: Int) -> ByteMarks {
    ByteMarks(bits: bytes.marks(uncheckedAt: index) { rollcall_marks_in_value($0) })
  }

  /// Marks the bytes that end a text between tags, and those that are not allowed in one: control
  /// characters, `<`, `&` and `]`.
  @inline(__always)
  func marksInText(at index: Int) -> ByteMarks {
    ByteMarks(bits: bytes.marks(uncheckedAt: index) { rollcall_marks_in_text($0) })
  }

  /// Marks the bytes that are not visible ASCII characters, such as spaces.
  @inline(__always)
  func marksOfNoGraphics(at index: Int) -> ByteMarks {
    ByteMarks(bits: bytes.marks(uncheckedAt: index) { rollcall_marks_of_no_graphics($0) })
  }

  /// Marks the bytes beyond ASCII.
  @inline(__always)
  func marksBeyondASCII(at index: Int) -> ByteMarks {
    ByteMarks(bits: bytes.marks(uncheckedAt: index) { rollcall_marks_beyond_ascii($0) })
  }
}

extension PaddedBytes {
  /// Reads an ASCII name without a prefix (XML 1.0 §2.3); nil if there is none, or it is too long
  /// to be packed.
  @inline(__always)
  func name(at index: inout Int) -> PlainName? {
    // Most names have at most seven letters.
    let eight = eight(at: index)
    let count = eight.letters
    guard count > 0, count < 8, !self[index &+ count].isOtherInName else {
      return longName(at: &index)
    }
    index &+= count
    return PlainName(low: eight.first(count), high: 0, count: count)
  }

  /// Reads a name of any packable length, or with characters other than letters.
  @inline(never)
  private func longName(at index: inout Int) -> PlainName? {
    guard self[index].isLetter || self[index] == UInt8(ascii: "_") else { return nil }
    let (low, high) = (eight(at: index), eight(at: index + 8))
    var end = index + 1
    // Skips eight letters at once.
    if low.letters == 8 { end = index + 8 }
    while self[end].isLetter || self[end].isOtherInName { end += 1 }
    let count = end - index
    guard count <= 15 else { return nil }
    index = end
    return count < 8
      ? PlainName(low: low.first(count), high: 0, count: count)
      : PlainName(low: low.value, high: high.first(count - 8), count: count)
  }

  /// Whether this name, which was read before, is at an index.
  @inline(__always)
  func has(_ name: PlainName, at index: Int) -> Bool {
    let count = name.count
    let low = eight(at: index)
    guard count >= 8 else { return low.first(count) == name.low }
    let rest = eight(at: index &+ 8).first(count &- 8)
    return low.value == name.low && PlainName(low: low.value, high: rest, count: count) == name
  }
}

extension UInt8 {
  fileprivate var isLetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }

  /// Whether the byte is allowed in a name but is not a letter; a colon would end a prefix.
  @inline(__always)
  fileprivate var isOtherInName: Bool {
    self &- UInt8(ascii: "0") < 10 || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
      || self == UInt8(ascii: "_")
  }
}
