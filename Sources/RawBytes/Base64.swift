/// Base64 as messages carry pictures and recordings (RFC 4648 §4).
package enum Base64 {
  /// The maximum number of bytes that are decoded, which is as many as a record has.
  package static let maximumCount = 16 << 20

  /// Decodes a text; nil if it is not Base64 or contains no bytes.
  ///
  /// White space is ignored wherever it is: some encoders end lines with CR LF, which arrives as a
  /// character reference and a line feed. Everything else is strict. Padding must be complete, no
  /// other character may occur, and the bits after the last byte must be zero (RFC 4648 §3.3 and
  /// §3.5), because a text that merely resembles Base64 is a text.
  ///
  /// Complexity: linear in the text.
  package static func decode(_ text: RawSpan) -> [UInt8]? {
    // Twice the maximum, because white space makes a text longer.
    guard text.byteCount / 4 * 3 <= 2 * maximumCount else { return nil }
    let values = values.span
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.byteCount / 4 * 3)
    var (group, digits, padding) = (0 as UInt32, 0, 0)
    for offset in 0..<text.byteCount {
      let value = values[Int(text[offset])]
      if value == space { continue }
      if value == pad {
        padding += 1
        guard padding <= 2 else { return nil }
        continue
      }
      guard value < 64, padding == 0 else { return nil }
      group = group << 6 | UInt32(value)
      digits += 1
      guard digits == 4 else { continue }
      bytes.append(UInt8(truncatingIfNeeded: group >> 16))
      bytes.append(UInt8(truncatingIfNeeded: group >> 8))
      bytes.append(UInt8(truncatingIfNeeded: group))
      (group, digits) = (0, 0)
    }
    switch (digits, padding) {
    case (0, 0): break
    case (2, 2) where group & 0xF == 0:
      bytes.append(UInt8(truncatingIfNeeded: group >> 4))
    case (3, 1) where group & 0x3 == 0:
      bytes.append(UInt8(truncatingIfNeeded: group >> 10))
      bytes.append(UInt8(truncatingIfNeeded: group >> 2))
    default: return nil
    }
    return bytes.isEmpty || bytes.count > maximumCount ? nil : bytes
  }

  /// Encodes bytes, with padding and without line breaks. Complexity: linear in the bytes.
  package static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start...].prefix(3)
      let word = group.reduce(0 as Int) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for digit in 0..<4 {
        let isPadding = digit > group.count
        text.append(isPadding ? UInt8(ascii: "=") : digits[word >> (18 - 6 * digit) & 0x3F])
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Marks of characters that are not digits.
  private static let (space, pad, none): (UInt8, UInt8, UInt8) = (64, 65, 66)

  /// The value of each character as a digit, or its mark.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: none, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
    for character in " \t\r\n".utf8 { values[Int(character)] = space }
    values[Int(UInt8(ascii: "="))] = pad
    return values
  }()
}
