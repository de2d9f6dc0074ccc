import RawBytes
package import XMPPStanza

/// The connection of a line.
///
/// Its number is 1 if there is only one. Only the first line of a connection gives its name.
package struct NativeConnection: Hashable, Sendable {
  package var number: UInt32
  package var name: String?

  package init(number: UInt32, name: String? = nil) {
    self.number = number
    self.name = name
  }
}

/// Writes the lines of a native capture.
package enum NativeWriter {
  /// Appends the line of an element, a stream header or an end tag, with its line feed.
  ///
  /// - Parameters:
  ///   - time: Milliseconds since 1970 UTC; nil leaves it out.
  ///   - xml: UTF-8, as it is recorded.
  package static func append(
    time: Int64?, on connection: NativeConnection, _ direction: Direction, xml: RawSpan,
    to lines: inout [UInt8]
  ) {
    begin(time, connection, &lines)
    lines += direction == .inbound ? #""dir":"in","xml":""#.utf8 : #""dir":"out","xml":""#.utf8
    appendEscaped(xml, to: &lines)
    lines += "\"}\n".utf8
  }

  /// Appends the line of a record that is already a JSON object, with its line feed.
  package static func append(
    time: Int64?, on connection: NativeConnection, object: RawSpan, to lines: inout [UInt8]
  ) {
    begin(time, connection, &lines)
    lines.append(bytes: object.extracting(droppingFirst: 1))
    lines.append(0x0A)
  }

  private static func begin(
    _ time: Int64?, _ connection: NativeConnection, _ lines: inout [UInt8]
  ) {
    lines.append(UInt8(ascii: "{"))
    if let time {
      lines += "\"t\":".utf8
      lines += String(time).utf8
      lines.append(UInt8(ascii: ","))
    }
    if connection.number != 1 {
      lines += "\"c\":".utf8
      lines += String(connection.number).utf8
      lines.append(UInt8(ascii: ","))
    }
    if let name = connection.name {
      lines += "\"name\":\"".utf8
      name.withUTF8Bytes { appendEscaped($0, to: &lines) }
      lines += "\",".utf8
    }
  }

  // MARK: Strings of JSON

  /// The maximum length of an escaped byte: `\u001f`.
  private static let maximumEscapeBytes = 6
  /// The number of bytes that are escaped at a time.
  private static let pieceBytes = 4096

  /// Appends the content of a JSON string (RFC 8259 §7).
  ///
  /// Quotation marks, reverse solidi and control characters must be escaped. Control characters
  /// above U+007E need not be, but are, because a capture may be shown on a terminal.
  private static func appendEscaped(_ text: RawSpan, to lines: inout [UInt8]) {
    var start = 0
    while start < text.byteCount {
      var end = min(start + pieceBytes, text.byteCount)
      // Keep the two bytes of a character that begins with this one together.
      if end < text.byteCount, text[end - 1] == latin {
        end += 1
      }
      appendPiece(text[start..<end], to: &lines)
      start = end
    }
  }

  private static func appendPiece(_ piece: RawSpan, to lines: inout [UInt8]) {
    let isPlain = piece.offset(of: delete) == nil && piece.offset(of: latin) == nil
    lines.append(atMost: maximumEscapeBytes * piece.byteCount) {
      escape(piece, isPlain: isPlain, to: &$0)
    }
  }

  private static let delete: UInt8 = 0x7F
  /// The lead byte of U+0080 to U+00BF; the first half of these are control characters.
  private static let latin: UInt8 = 0xC2

  /// Escapes a text into a space that has room for `maximumEscapeBytes` times as many bytes.
  ///
  /// - Parameter isPlain: Whether the text has no control character above U+007E; few texts do.
  /// - Returns: The number of bytes that were written.
  private static func escape(
    _ text: RawSpan, isPlain: Bool, to space: inout MutableRawSpan
  ) -> Int {
    var (from, to) = (0, 0)
    while from < text.byteCount {
      if isPlain, from + 8 <= text.byteCount {
        // There is room for all bytes that remain to be read, so for these eight. Those that need
        // an escape are overwritten.
        let word: UInt64 = text.littleEndian(at: from)
        space.write(littleEndian: word, at: to)
        let plain = plainBytes(in: word)
        from += plain
        to += plain
        if plain == 8 { continue }
      }
      let byte = text[from]
      from += 1
      let next =
        byte == latin && from < text.byteCount
        ? text[from] : 0
      if (0x80...0x9F).contains(next) {
        from += 1
        writeNumericEscape(next, to: &space, &to)
      } else {
        escape(byte, to: &space, &to)
      }
    }
    return to
  }

  /// Returns how many of eight bytes, lowest first, come before one that must be escaped.
  ///
  /// Subtracting a limit from a byte below it sets the byte's highest bit, if it was clear. The
  /// borrow can change the bytes above, never those below, so only the lowest mark counts.
  private static func plainBytes(in word: UInt64) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    func below(_ limit: UInt64, _ word: UInt64) -> UInt64 { (word &- ones &* limit) & ~word }
    let escaped =
      below(0x20, word) | below(1, word ^ ones &* UInt64(UInt8(ascii: "\"")))
      | below(1, word ^ ones &* UInt64(UInt8(ascii: "\\")))
    return (escaped & (ones &* 0x80)).trailingZeroBitCount / 8
  }

  private static func escape(
    _ byte: UInt8, to space: inout MutableRawSpan, _ offset: inout Int
  ) {
    let letter: UInt8
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): letter = byte
    case 0x0A: letter = UInt8(ascii: "n")
    case 0x0D: letter = UInt8(ascii: "r")
    case 0x09: letter = UInt8(ascii: "t")
    case 0..<0x20, delete: return writeNumericEscape(byte, to: &space, &offset)
    default:
      space[offset] = byte
      offset += 1
      return
    }
    space[offset] = UInt8(ascii: "\\")
    space[offset + 1] = letter
    offset += 2
  }

  /// Writes a character by its number, such as `\u0085`.
  private static func writeNumericEscape(
    _ number: UInt8, to space: inout MutableRawSpan, _ offset: inout Int
  ) {
    for digit in [
      UInt8(ascii: "\\"), UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0"),
      hexadecimal(number >> 4), hexadecimal(number & 0x0F),
    ] {
      space[offset] = digit
      offset += 1
    }
  }

  private static func hexadecimal(_ digit: UInt8) -> UInt8 {
    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
  }
}
