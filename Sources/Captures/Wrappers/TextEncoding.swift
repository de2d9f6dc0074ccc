/// The encoding of a file that is not in UTF-8.
package enum TextEncoding: Hashable, Sendable {
  case utf16LittleEndian
  case utf16BigEndian
  /// An encoding that the system's iconv knows by this name.
  case named(String)

  /// Detects UTF-16 by its byte order mark (RFC 2781 §3.2), or by a zero in every other byte, as
  /// Latin letters have; nil for any other text.
  package init?(_ head: [UInt8]) {
    if head.starts(with: [0xFF, 0xFE]) {
      self = .utf16LittleEndian
    } else if head.starts(with: [0xFE, 0xFF]) {
      self = .utf16BigEndian
    } else if let zeros = Self.offsetOfZeros(head) {
      self = zeros == 1 ? .utf16LittleEndian : .utf16BigEndian
    } else {
      return nil
    }
  }

  /// The byte, 0 or 1, that is zero in nearly every pair while the other hardly ever is; nil if
  /// there is none.
  private static func offsetOfZeros(_ head: [UInt8]) -> Int? {
    let pairs = head.count / 2
    guard pairs >= 4, head.contains(0) else { return nil }
    let zeros = [0, 1].map { offset in
      (0..<pairs).count { head[2 * $0 + offset] == 0 }
    }
    return [0, 1].first { zeros[$0] * 10 > pairs * 8 && zeros[1 - $0] * 10 < pairs }
  }

  /// Looks up an encoding by a name that iconv knows, such as `windows-1252`; nil for any other
  /// name.
  package init?(named name: String) {
    guard Conversion(from: name) != nil else { return nil }
    self = .named(name)
  }

  /// The first bytes of a file as UTF-8.
  package func decoded(_ head: [UInt8]) -> [UInt8] {
    var decoder = TextDecoder(self)
    return decoder.decode(head)
  }

  /// A warning for a log whose first bytes have characters beyond ASCII that are not in UTF-8; nil
  /// for any other log.
  package static func suspicion(in head: [UInt8], _ format: CaptureFormat) -> CaptureProblem? {
    guard format.isOfLines, TextEncoding(head) == nil,
      let first = head.firstIndex(where: { $0 >= 0x80 }), isMostlyInvalid(head[first...])
    else { return nil }
    return CaptureProblem(
      line: 1 + head[..<first].count { $0 == UInt8(ascii: "\n") },
      message: """
        the text is not in UTF-8; if names look wrong or stanzas are missing, say its encoding, \
        such as --encoding windows-1252, GB18030 or Shift_JIS
        """)
  }

  /// Whether invalid UTF-8 sequences are at least as frequent as valid characters beyond ASCII:
  /// some bytes of other encodings look like a valid character by chance.
  private static func isMostlyInvalid(_ bytes: ArraySlice<UInt8>) -> Bool {
    var (characters, others) = (0, 0)
    var rest = bytes
    while let byte = rest.popFirst() {
      guard byte >= 0x80 else { continue }
      let count = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : 1
      let following = rest.prefix(count)
      if (0xC2..<0xF5).contains(byte), following.count == count,
        following.allSatisfy({ $0 & 0xC0 == 0x80 })
      {
        characters += 1
        rest = rest.dropFirst(count)
      } else {
        // Count a character that was cut off once.
        others += 1
        rest = rest.drop { $0 & 0xC0 == 0x80 }
      }
    }
    return others > 0 && others >= characters
  }
}

/// Converts the bytes of a file to UTF-8, in chunks of any size. Invalid sequences become U+FFFD.
struct TextDecoder {
  private enum State {
    case utf16(UTF16State)
    case conversion(Conversion?)
  }

  private var state: State

  init(_ encoding: TextEncoding) {
    switch encoding {
    case .utf16LittleEndian: state = .utf16(UTF16State(isLittle: true))
    case .utf16BigEndian: state = .utf16(UTF16State(isLittle: false))
    case .named(let name):
      state = .conversion(Conversion(from: name))
    }
  }

  mutating func decode(_ chunk: [UInt8]) -> [UInt8] {
    switch state {
    case .conversion(let conversion): return conversion?.convert(chunk) ?? chunk
    case .utf16(var utf16):
      let output = utf16.decode(chunk)
      state = .utf16(utf16)
      return output
    }
  }
}

/// A decoder of UTF-16 that arrives in chunks.
private struct UTF16State {
  let isLittle: Bool
  private var oddByte: UInt8?
  private var surrogate: UInt16?
  private var isStart = true

  init(isLittle: Bool) {
    self.isLittle = isLittle
  }

  mutating func decode(_ chunk: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(chunk.count)
    for byte in chunk {
      guard let first = oddByte else {
        oddByte = byte
        continue
      }
      oddByte = nil
      let (high, low) = isLittle ? (byte, first) : (first, byte)
      append(UInt16(high) << 8 | UInt16(low), &output)
    }
    return output
  }

  private mutating func append(_ unit: UInt16, _ output: inout [UInt8]) {
    defer { isStart = false }
    if isStart, unit == 0xFEFF { return }
    if let high = surrogate {
      surrogate = nil
      if UTF16.isTrailSurrogate(unit) {
        let value = 0x10000 + (UInt32(high & 0x3FF) << 10 | UInt32(unit & 0x3FF))
        if let scalar = Unicode.Scalar(value) { output += String(Character(scalar)).utf8 }
        return
      }
      output += "\u{FFFD}".utf8
    }
    if unit < 0x80 {
      output.append(UInt8(unit))
    } else if UTF16.isLeadSurrogate(unit) {
      surrogate = unit
    } else if let scalar = Unicode.Scalar(unit) {
      output += String(Character(scalar)).utf8
    } else {
      output += "\u{FFFD}".utf8
    }
  }
}
