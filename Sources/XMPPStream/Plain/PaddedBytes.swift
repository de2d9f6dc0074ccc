import CByteMarks
import RawBytes

/// Bytes after which sixteen zeros stand, so that eight or sixteen of them can be loaded at any
/// index, and what looks for an end finds one.
///
/// No zero is part of anything that is looked for: who goes on only past bytes that are not zero
/// stays within the bytes, or comes to their end and no further.
struct PaddedBytes: ~Escapable {
  static let padding = 16

  /// With the zeros.
  private let bytes: RawSpan
  let count: Int

  /// - Parameter bytes: They end with the zeros.
  @_lifetime(copy bytes)
  init?(_ bytes: RawSpan) {
    guard bytes.byteCount >= Self.padding else { return nil }
    self.bytes = bytes
    count = bytes.byteCount - Self.padding
  }

  /// A byte, or the zero after the last one.
  @inline(__always)
  subscript(index: Int) -> UInt8 { bytes[unchecked: index] }

  /// Eight bytes; the index is at most eight after the end.
  @inline(__always)
  func eight(at index: Int) -> EightBytes {
    EightBytes(value: bytes.littleEndian(uncheckedAt: index))
  }

  /// All of them, without the zeros.
  var all: RawSpan {
    @_lifetime(copy self) get { bytes[unchecked: 0..<count] }
  }

  /// Some of them.
  @_lifetime(copy self)
  func slice(_ range: Range<Int>) -> RawSpan { bytes[unchecked: range] }
}

/// Eight bytes that are looked at as one number.
struct EightBytes {
  /// The first byte is the lowest.
  let value: UInt64

  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let uppers: UInt64 = 0x8080_8080_8080_8080

  /// How many letters of ASCII stand before another byte; at most eight.
  @inline(__always)
  var letters: Int {
    let small = value | 0x20 &* Self.ones
    // The first sum has the upper bit from `a` on, the second from after `z` on. A letter carries
    // nothing into the byte above it, so the lowest byte that is marked as another one is right.
    let letters = (small &+ 0x1F &* Self.ones) & ~(small &+ 0x05 &* Self.ones) & ~value
    return (~letters & Self.uppers).trailingZeroBitCount / 8
  }

  /// The first bytes, fewer than eight, with zeros after them.
  @inline(__always)
  func first(_ count: Int) -> UInt64 {
    value & ((1 &<< UInt64(truncatingIfNeeded: 8 &* count)) &- 1)
  }
}

/// Which of sixteen bytes are meant: a bit for each, the lowest for the first of them.
struct ByteMarks {
  let bits: UInt32

  /// How many bytes stand before the first that is meant; there is one.
  @inline(__always)
  var first: Int { bits.trailingZeroBitCount }

  @inline(__always)
  var isEmpty: Bool { bits == 0 }
}

// What is looked at is there up to sixteen bytes after the end.
extension PaddedBytes {
  /// What ends an attribute's value, and what may not stand in one as it is or is rare there: below
  /// `(`, and `<`.
  @inline(__always)
  func marksInValue(at index: Int) -> ByteMarks {
    ByteMarks(bits: bytes.marks(uncheckedAt: index) { rollcall_marks_in_value($0) })
  }

  /// What ends a text between tags, and what may not stand in one as it is: control characters,
  /// `<`, `&` and `]`.
  @inline(__always)
  func marksInText(at index: Int) -> ByteMarks {
    ByteMarks(bits: bytes.marks(uncheckedAt: index) { rollcall_marks_in_text($0) })
  }

  /// What is no character of ASCII or does not show, such as a space.
  @inline(__always)
  func marksOfNoGraphics(at index: Int) -> ByteMarks {
    ByteMarks(bits: bytes.marks(uncheckedAt: index) { rollcall_marks_of_no_graphics($0) })
  }

  /// What is beyond ASCII.
  @inline(__always)
  func marksBeyondASCII(at index: Int) -> ByteMarks {
    ByteMarks(bits: bytes.marks(uncheckedAt: index) { rollcall_marks_beyond_ascii($0) })
  }
}

extension PaddedBytes {
  /// Passes over a name of ASCII without a prefix (XML 1.0 §2.3); nil where there is none, or it is
  /// too long to be packed.
  @inline(__always)
  func name(at index: inout Int) -> PlainName? {
    // Most names are up to seven letters.
    let eight = eight(at: index)
    let count = eight.letters
    guard count > 0, count < 8, !self[index &+ count].isOtherInName else {
      return longName(at: &index)
    }
    index &+= count
    return PlainName(low: eight.first(count), high: 0, count: count)
  }

  /// The same for other names.
  @inline(never)
  private func longName(at index: inout Int) -> PlainName? {
    guard self[index].isLetter || self[index] == UInt8(ascii: "_") else { return nil }
    let (low, high) = (eight(at: index), eight(at: index + 8))
    var end = index + 1
    // Eight letters are quickly passed.
    if low.letters == 8 { end = index + 8 }
    while self[end].isLetter || self[end].isOtherInName { end += 1 }
    let count = end - index
    guard count <= 15 else { return nil }
    index = end
    return count < 8
      ? PlainName(low: low.first(count), high: 0, count: count)
      : PlainName(low: low.value, high: high.first(count - 8), count: count)
  }

  /// Whether a name that was read before stands here.
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

  /// Whether the byte is none of the letters, but may stand in a name; a colon would end a prefix.
  @inline(__always)
  fileprivate var isOtherInName: Bool {
    self &- UInt8(ascii: "0") < 10 || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
      || self == UInt8(ascii: "_")
  }
}
