import CByteMarks
import RawBytes
import XMPPStanza
import XMPPStream

/// Takes the lines apart that nearly all of a native capture is made of:
/// `{"t":1763600000000,"dir":"in","xml":"<iq/>"}`, with blanks or without and its keys in any
/// order.
///
/// It only recognises: whatever is unusual about a line, and every error, is left to
/// `JSONScanner`, which takes several times as long.
struct NativeLine: ~Copyable {
  /// Milliseconds since 1970; nil where the line does not say.
  private(set) var time: Int64?
  private(set) var direction = Direction.inbound
  /// The number of its connection.
  private(set) var connection: UInt32 = 1
  /// The record's XML, escapes replaced. Whether it is UTF-8 has still to be checked.
  var xml: ArraySlice<UInt8> { text[..<textCount] }

  /// Hands over the same bytes with zeros after them, as `StreamParser.takeElement` asks for.
  func withPaddedXML<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
    // `readText` has put the zeros there.
    try body(text.span.bytes[0..<(textCount + StreamParser.padding)])
  }

  /// Used for line after line; only the first `textCount` bytes are of this one.
  private var text: [UInt8] = []
  private var textCount = 0

  /// Reads a line; where this gives false it is another one, and this value is void.
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

  /// Passes over what a native writer puts before the text of a connection that has number 1 and no
  /// name: a time of thirteen digits, as all since September 2001 have, and a direction, in this
  /// order and without blanks. Elsewhere it passes over nothing, and gives false.
  @inline(__always)
  private mutating func readUsualHead(
    of line: RawSpan, _ index: inout Int
  ) -> Bool {
    guard line.byteCount >= Self.usualHeadBytes,
      line.littleEndian(at: 0, as: UInt64.self) << 24 == Self.beforeTime << 24,
      line[5] != UInt8(ascii: "0"),
      let upper = Self.eightDigits(line.littleEndian(at: 5, as: UInt64.self)),
      // The other five, behind three zeros.
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

  /// How much of a line is looked at to see whether its head is the usual one.
  private static let usualHeadBytes = 38

  // Eight bytes each, the first of them lowest.

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

  /// Passes over a byte, and blanks before it, where it comes next.
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

  /// A text of one to three bytes, as the number that they make, the first of them lowest.
  @inline(__always)
  private static func word(in line: RawSpan, _ index: inout Int) -> UInt32? {
    // After the last word of a line there is more than its quote.
    guard skip(UInt8(ascii: "\""), in: line, &index), index &+ 4 <= line.byteCount else {
      return nil
    }
    let four: UInt32 = line.littleEndian(at: index)
    // Its quote has the lowest mark; bytes above it may be marked wrongly, as they can have been
    // borrowed from.
    let differences = four ^ 0x2222_2222
    let marks = (differences &- 0x0101_0101) & ~differences & 0x8080_8080
    let count = marks.trailingZeroBitCount / 8
    guard (1...3).contains(count) else { return nil }
    index &+= count &+ 1
    return four & (1 &<< UInt32(8 &* count) &- 1)
  }

  /// A number of at most 15 digits, which no calendar ends before.
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
    // JSON writes no zeros in front.
    guard index > start, line[start] != UInt8(ascii: "0") || index == start + 1 else { return nil }
    return number
  }

  /// The number that eight digits make, the first of them lowest; nil where they are none.
  @inline(__always)
  private static func eightDigits(_ eight: UInt64) -> Int64? {
    // What is above a 9 carries into the upper half of its byte.
    guard eight & 0xF0F0_F0F0_F0F0_F0F0 == 0x3030_3030_3030_3030,
      (eight &+ 0x0606_0606_0606_0606) & 0xF0F0_F0F0_F0F0_F0F0 == 0x3030_3030_3030_3030
    else { return nil }
    // Pairs of digits, then of pairs, and then of those: each sum of two parts is put where the
    // lower one was.
    var number = eight & 0x0F0F_0F0F_0F0F_0F0F
    number = (number &* 10 &+ number >> 8) & 0x00FF_00FF_00FF_00FF
    number = (number &* 100 &+ number >> 16) & 0x0000_FFFF_0000_FFFF
    number = (number &* 10_000 &+ number >> 32) & 0xFFFF_FFFF
    return Int64(number)
  }

  // MARK: The text

  private mutating func readText(in line: RawSpan, _ index: inout Int) -> Bool {
    guard Self.skip(UInt8(ascii: "\""), in: line, &index) else { return false }
    // An escape is longer than what it stands for, and what is copied at once may lie over the
    // end, as the zeros do.
    let room = line.byteCount + max(Self.blockBytes, StreamParser.padding)
    if text.count < room { text = Array(repeating: 0, count: room) }
    var span = text.mutableSpan
    var space = span.mutableBytes
    guard let count = Self.copyText(from: line, &index, to: &space) else {
      textCount = 0
      return false
    }
    // Sixteen of them, as `StreamParser.padding` asks for.
    space.write(littleEndian: 0 as UInt64, at: count)
    space.write(littleEndian: 0 as UInt64, at: count + 8)
    textCount = count
    return true
  }

  /// Copies a text whose opening quote has been passed, and passes the other one.
  ///
  /// - Parameter text: A block longer than the line.
  /// - Returns: How many bytes it has without its escapes; nil where it is unusual.
  private static func copyText(
    from line: RawSpan, _ index: inout Int, to text: inout MutableRawSpan
  ) -> Int? {
    // No line with a text is shorter than a block.
    guard line.byteCount >= blockBytes else { return nil }
    let lastBlock = line.byteCount &- blockBytes
    var (place, count) = (index, 0)
    // `count` never overtakes `place`, which is at most at the end: so all that is written has room
    // in `text`, no more than sixteen bytes are left out of the last block, and where a mark was
    // found there is a byte.
    while true {
      var marks: UInt32 = 0
      while place <= lastBlock {
        marks = line.marks(uncheckedAt: place) { rollcall_marks_in_json($0) }
        text.write(sixteenOf: line, uncheckedFrom: place, uncheckedAt: count)
        guard marks == 0 else { break }
        place &+= blockBytes
        count &+= blockBytes
      }
      if marks == 0 {
        // The last block, of which some bytes have been looked at.
        marks =
          line.marks(uncheckedAt: lastBlock) { rollcall_marks_in_json($0) }
          &>> UInt32(place &- lastBlock)
        guard marks != 0 else { return nil }
        let end = place &+ marks.trailingZeroBitCount
        text.write(line[unchecked: place..<end], at: count)
      }
      place &+= marks.trailingZeroBitCount
      count &+= marks.trailingZeroBitCount
      switch line[unchecked: place] {
      case UInt8(ascii: "\""):
        index = place &+ 1
        return count
      case UInt8(ascii: "\\"):
        guard place &+ 1 < line.byteCount, let byte = escape(line[place &+ 1]) else { return nil }
        text[count] = byte
        place &+= 2
        count &+= 1
      // A control character.
      default: return nil
      }
    }
  }

  /// What is looked at and copied at once.
  private static let blockBytes = 16

  /// What a character after a backslash stands for, but for `u`.
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
