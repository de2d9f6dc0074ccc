/// Bytes after which sixteen zeros stand, so that eight or sixteen of them can be loaded at any
/// index, and what looks for an end finds one.
///
/// No zero is part of anything that is looked for: who goes on only past bytes that are not zero
/// stays within the bytes, or comes to their end and no further.
struct PaddedBytes {
  static let padding = 16

  private let start: UnsafeRawPointer
  let count: Int

  /// - Parameter bytes: They end with the zeros.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress, bytes.count >= Self.padding else { return nil }
    self.start = start
    count = bytes.count - Self.padding
  }

  /// A byte, or the zero after the last one.
  @inline(__always)
  subscript(index: Int) -> UInt8 { start.load(fromByteOffset: index, as: UInt8.self) }

  /// Eight bytes; the index is at most eight after the end.
  @inline(__always)
  func eight(at index: Int) -> EightBytes {
    let value = start.loadUnaligned(fromByteOffset: index, as: UInt64.self)
    return EightBytes(value: UInt64(littleEndian: value))
  }

  /// The bytes up to an index.
  func prefix(_ end: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start, count: end)
  }

  func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count)
  }
}

/// Eight bytes that are looked at as one number.
///
/// What `below` and `equal` give has a mark in the upper bit of the lowest byte that is meant.
/// Bytes above it may be marked wrongly, as they can have been borrowed from, and so may bytes
/// beyond ASCII, which `marks` takes out.
struct EightBytes {
  /// The first byte is the lowest.
  let value: UInt64

  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let uppers: UInt64 = 0x8080_8080_8080_8080

  /// Marks what is below a byte of ASCII.
  @inline(__always)
  func below(_ byte: UInt8) -> UInt64 { value &- UInt64(byte) &* Self.ones }

  /// Marks a byte of ASCII.
  @inline(__always)
  func equal(_ byte: UInt8) -> UInt64 { (value ^ (UInt64(byte) &* Self.ones)) &- Self.ones }

  /// What is left of marks.
  @inline(__always)
  func marks(_ found: UInt64) -> UInt64 { found & ~value & Self.uppers }

  /// The index of the byte that has the lowest mark; there is one.
  @inline(__always)
  static func firstMark(_ marks: UInt64) -> Int { marks.trailingZeroBitCount / 8 }

  /// Marks in what is no letter of ASCII; above the lowest mark there may be wrong ones.
  var marksOfOthers: UInt64 {
    let small = value | 0x20 &* Self.ones
    // The first sum has the upper bit from `a` on, the second from after `z` on. A letter carries
    // nothing into the byte above it.
    let letters = (small &+ 0x1F &* Self.ones) & ~(small &+ 0x05 &* Self.ones) & ~value
    return ~letters & Self.uppers
  }

  /// Marks in what is no character of ASCII or does not show, such as a space; above the lowest
  /// mark there may be wrong ones.
  var marksOfNoGraphics: UInt64 {
    // The sum has the upper bit for what is beyond ASCII or the last of it.
    (below(0x21) | (value &+ Self.ones) | value) & Self.uppers
  }

  /// The first bytes, fewer than eight, with zeros after them.
  @inline(__always)
  func first(_ count: Int) -> UInt64 {
    value & ((1 &<< UInt64(truncatingIfNeeded: 8 &* count)) &- 1)
  }

  /// Whether none of eight bytes is beyond ASCII.
  static func isASCII(_ value: UInt64) -> Bool { value & uppers == 0 }
}

extension PaddedBytes {
  /// Passes over a name of ASCII without a prefix (XML 1.0 §2.3); nil where there is none, or it is
  /// too long to be packed.
  @inline(__always)
  func name(at index: inout Int) -> PlainName? {
    // Most names are up to seven letters.
    let eight = eight(at: index)
    let others = eight.marksOfOthers
    guard others != 0 else { return longName(at: &index) }
    let count = EightBytes.firstMark(others)
    guard count > 0, !self[index &+ count].isOtherInName else { return longName(at: &index) }
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
    if low.marksOfOthers == 0 { end = index + 8 }
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
