import CShims
import RawBytes
import XMPPStanza
import XMPPStream

/// A fast reader of the common lines of a native capture.
///
/// Nearly all lines are `{"t":1763600000000,"dir":"in","xml":"<iq/>"}`, with or without blanks and
/// with the keys in any order. Unusual lines and all errors are left to `JSONScanner`, which takes
/// several times as long.
struct NativeLine: ~Copyable {
  /// Milliseconds since 1970; nil if the line has no time.
  private(set) var time: Int64?
  private(set) var direction = Direction.inbound
  /// The number of its connection.
  private(set) var connection: UInt32 = 1
  /// The record's XML, with escapes replaced. It has not been checked to be UTF-8.
  var xml: ArraySlice<UInt8> { text[..<textCount] }

  /// Calls `body` with the XML followed by zeros, as `StreamParser.takeElement` requires.
  func withPaddedXML<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
    // `readText` has written the zeros.
    try body(text.span.bytes[0..<(textCount + StreamParser.padding)])
  }

  /// Reused for every line; only the first `textCount` bytes belong to the current one.
  private var text: [UInt8] = []
  private var textCount = 0

  /// Reads a line; returns false for an unusual one, which leaves this value meaningless.
  mutating func read(_ line: RawSpan) -> Bool {
    // Each index is compared with the number of bytes before it is used.
    connection = 1
    var index = 0
    if readUsualHead(of: line, &index), readText(in: line, &index), Self.isEnd(of: line, &index) {
      return true
    }
    time = nil
    index = 0
    var (hasTime, hasConnection, hasDirection, hasXML) = (false, false, false, false)
    guard Self.skip(UInt8(ascii: "{"), in: line, &index) else { return false }
    repeat {
      guard let key = Self.word(in: line, &index), Self.skip(UInt8(ascii: ":"), in: line, &index)
      else { return false }
      switch key {
      case 0x74 where !hasTime:  // t
        hasTime = true
        time = Self.number(in: line, &index)
        guard time != nil else { return false }
      case 0x63 where !hasConnection:  // c
        hasConnection = true
        guard let number = Self.number(in: line, &index), let exact = UInt32(exactly: number),
          exact > 0
        else { return false }
        connection = exact
      case 0x72_69_64 where !hasDirection:  // dir
        hasDirection = true
        switch Self.word(in: line, &index) {
        case 0x6E_69: direction = .inbound  // in
        case 0x74_75_6F: direction = .outbound  // out
        default: return false
        }
      case 0x6C_6D_78 where !hasXML:  // xml
        hasXML = true
        guard readText(in: line, &index) else { return false }
      default: return false
      }
    } while Self.skip(UInt8(ascii: ","), in: line, &index)
    return Self.isEnd(of: line, &index) && hasDirection && hasXML
  }

  /// Skips what a native writer puts before the text if the connection has number 1 and no name.
  ///
  /// That is a time of thirteen digits, as all since September 2001 have, and a direction, in this
  /// order and without blanks. Skips nothing and returns false if the line begins differently.
  @inline(__always)
  private mutating func readUsualHead(
    of line: RawSpan, _ index: inout Int
  ) -> Bool {
    guard line.byteCount >= Self.usualHeadBytes,
      line.littleEndian(at: 0, as: UInt64.self) << 24 == Self.beforeTime << 24,
      line[5] != UInt8(ascii: "0"),
      let upper = Self.eightDigits(line.littleEndian(at: 5, as: UInt64.self)),
      // The other five, after three zeros.
      let lower = Self.eightDigits(line.littleEndian(at: 13, as: UInt64.self) << 24 | 0x30_3030),
      line.littleEndian(at: 18, as: UInt64.self) == Self.beforeDirection
    else { return false }
    switch line.littleEndian(at: 26, as: UInt64.self) {
    case Self.inbound where line.littleEndian(at: 29, as: UInt64.self) == Self.beforeText:
      direction = .inbound
      index = 36
    case Self.outbound where line.littleEndian(at: 30, as: UInt64.self) == Self.beforeText:
      direction = .outbound
      index = 37
    default: return false
    }
    time = upper * 100_000 + lower
    return true
  }

  /// Whether the object and the line end here.
  private static func isEnd(of line: RawSpan, _ index: inout Int) -> Bool {
    guard skip(UInt8(ascii: "}"), in: line, &index) else { return false }
    skipBlanks(in: line, &index)
    return index == line.byteCount
  }

  /// The number of bytes that are read to see whether a line has the usual head.
  private static let usualHeadBytes = 38

  // Eight bytes each, in little-endian order.

  /// `{"t":`
  private static let beforeTime: UInt64 = 0x3A_22_74_22_7B
  /// `,"dir":"`
  private static let beforeDirection: UInt64 = 0x22_3A_22_72_69_64_22_2C
  /// `in","xml`
  private static let inbound: UInt64 = 0x6C_6D_78_22_2C_22_6E_69
  /// `out","xm`
  private static let outbound: UInt64 = 0x6D_78_22_2C_22_74_75_6F
  /// `,"xml":"`
  private static let beforeText: UInt64 = 0x22_3A_22_6C_6D_78_22_2C

  // MARK: Parts of a line

  private static func skipBlanks(in line: RawSpan, _ index: inout Int) {
    while index < line.byteCount, line[index].isXMLSpace { index += 1 }
  }

  /// Skips a byte and the blanks before it, if it comes next.
  @inline(__always)
  private static func skip(
    _ byte: UInt8, in line: RawSpan, _ index: inout Int
  ) -> Bool {
    // Hardly any line has blanks.
    if index < line.byteCount, line[index] != byte { skipBlanks(in: line, &index) }
    guard index < line.byteCount, line[index] == byte else { return false }
    index += 1
    return true
  }

  /// Reads a string of one to three bytes, as a little-endian number.
  @inline(__always)
  private static func word(in line: RawSpan, _ index: inout Int) -> UInt32? {
    // Even the last word of a line is followed by more than its quote.
    guard skip(UInt8(ascii: "\""), in: line, &index), index &+ 4 <= line.byteCount else {
      return nil
    }
    let four: UInt32 = line.littleEndian(at: index)
    // The lowest mark is at the closing quote; bytes above it may be marked wrongly, because of a
    // borrow.
    let differences = four ^ 0x2222_2222
    let marks = (differences &- 0x0101_0101) & ~differences & 0x8080_8080
    let count = marks.trailingZeroBitCount / 8
    guard (1...3).contains(count) else { return nil }
    index &+= count &+ 1
    return four & (1 &<< UInt32(8 &* count) &- 1)
  }

  /// Reads a number of at most 15 digits, enough for a time in any calendar.
  private static func number(in line: RawSpan, _ index: inout Int) -> Int64? {
    skipBlanks(in: line, &index)
    let start = index
    var number: Int64 = 0
    if index &+ 8 <= line.byteCount,
      let eight = eightDigits(line.littleEndian(at: index))
    {
      number = eight
      index &+= 8
    }
    while index < line.byteCount, index < start + 15, line[index].isDigit {
      number = number * 10 + Int64(line[index] - UInt8(ascii: "0"))
      index += 1
    }
    // JSON allows no leading zeros.
    guard index > start, line[start] != UInt8(ascii: "0") || index == start + 1 else { return nil }
    return number
  }

  /// Returns the number that eight digits make, the first in the lowest byte; nil for others.
  @inline(__always)
  private static func eightDigits(_ eight: UInt64) -> Int64? {
    // A value above 9 carries into the upper half of its byte.
    guard eight & 0xF0F0_F0F0_F0F0_F0F0 == 0x3030_3030_3030_3030,
      (eight &+ 0x0606_0606_0606_0606) & 0xF0F0_F0F0_F0F0_F0F0 == 0x3030_3030_3030_3030
    else { return nil }
    // Join digits into pairs, pairs into fours and those into eight: each sum replaces the lower of
    // its two parts.
    var number = eight & 0x0F0F_0F0F_0F0F_0F0F
    number = (number &* 10 &+ number >> 8) & 0x00FF_00FF_00FF_00FF
    number = (number &* 100 &+ number >> 16) & 0x0000_FFFF_0000_FFFF
    number = (number &* 10_000 &+ number >> 32) & 0xFFFF_FFFF
    return Int64(number)
  }

  // MARK: The text

  private mutating func readText(in line: RawSpan, _ index: inout Int) -> Bool {
    guard Self.skip(UInt8(ascii: "\""), in: line, &index) else { return false }
    // An escape is longer than its meaning. The last block that is copied may extend beyond the end
    // of the text, as the zeros do.
    let room = line.byteCount + max(Self.blockBytes, StreamParser.padding)
    if text.count < room { text = Array(repeating: 0, count: room) }
    var span = text.mutableSpan
    var space = span.mutableBytes
    guard let count = Self.copyText(from: line, &index, to: &space) else {
      textCount = 0
      return false
    }
    // Sixteen zeros, as `StreamParser.padding` requires.
    space.write(littleEndian: 0 as UInt64, at: count)
    space.write(littleEndian: 0 as UInt64, at: count + 8)
    textCount = count
    return true
  }

  /// Copies a text that begins at `index`, replaces its escapes and skips its closing quote.
  ///
  /// - Parameter text: Has room for a block more than the line.
  /// - Returns: The number of bytes that were written; nil if the text is unusual.
  private static func copyText(
    from line: RawSpan, _ index: inout Int, to text: inout MutableRawSpan
  ) -> Int? {
    // No line with a text is shorter than a block.
    guard line.byteCount >= blockBytes else { return nil }
    let lastBlock = line.byteCount &- blockBytes
    var (offset, count) = (index, 0)
    // `count` never overtakes `offset`, which never exceeds the length of the line. So `text` has
    // room for everything written, the last block skips at most sixteen bytes, and there is a byte
    // at every mark.
    while true {
      var marks: UInt32 = 0
      while offset <= lastBlock {
        marks = line.marks(uncheckedAt: offset) { rollcall_marks_in_json($0) }
        text.write(sixteenOf: line, uncheckedFrom: offset, uncheckedAt: count)
        guard marks == 0 else { break }
        offset &+= blockBytes
        count &+= blockBytes
      }
      if marks == 0 {
        // The last block, some bytes of which have been examined before.
        marks =
          line.marks(uncheckedAt: lastBlock) { rollcall_marks_in_json($0) }
          &>> UInt32(offset &- lastBlock)
        guard marks != 0 else { return nil }
        let end = offset &+ marks.trailingZeroBitCount
        text.write(line[unchecked: offset..<end], at: count)
      }
      offset &+= marks.trailingZeroBitCount
      count &+= marks.trailingZeroBitCount
      switch line[unchecked: offset] {
      case UInt8(ascii: "\""):
        index = offset &+ 1
        return count
      case UInt8(ascii: "\\"):
        guard offset &+ 1 < line.byteCount, let byte = escape(line[offset &+ 1]) else { return nil }
        text[count] = byte
        offset &+= 2
        count &+= 1
      // A control character.
      default: return nil
      }
    }
  }

  /// The number of bytes that are examined and copied at once.
  private static let blockBytes = 16

  /// Returns the meaning of a character after a backslash; nil for `u` and for invalid ones.
  private static func escape(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
  }
}
