import RawBytes
import XMPPStanza

/// Why a text is not JSON; the numbers are byte offsets in it.
package enum JSONError: Error, Hashable, CustomStringConvertible {
  case unexpected(at: Int)
  case unfinished
  case badString(at: Int)
  case badNumber(at: Int)
  case duplicateKey
  case tooDeep

  package var description: String {
    switch self {
    case .unexpected(let offset): "the line is not a JSON object (byte \(offset))"
    case .unfinished: "the JSON object does not end"
    case .badString(let offset): "a JSON string is malformed (byte \(offset))"
    case .badNumber(let offset): "a JSON number is malformed (byte \(offset))"
    case .duplicateKey: "a key occurs twice in a JSON object"
    case .tooDeep: "JSON values are nested too deeply"
    }
  }
}

/// A strict JSON scanner (RFC 8259).
///
/// A general decoder costs more per line than the rest of an import.
package struct JSONScanner: ~Escapable {
  /// How deep an array or object inside an object may be nested.
  static let maximumDepth = 64

  private let bytes: RawSpan
  private var index = 0

  @_lifetime(copy bytes)
  private init(_ bytes: RawSpan) {
    self.bytes = bytes
  }

  /// Reads a line, or a document of several lines, that holds one object and otherwise only white
  /// space.
  ///
  /// - Returns: The members of the object. A key that occurs twice in it is an error, because
  ///   nothing says which of the two is meant; in objects further inside, the last one counts.
  package static func object(
    _ line: ArraySlice<UInt8>
  ) throws(JSONError) -> [String: JSONValue] {
    var scanner = JSONScanner(line.span.bytes)
    guard try scanner.peek() == UInt8(ascii: "{") else { throw scanner.unexpected }
    let object = try scanner.object(depth: 0)
    scanner.skipSpace()
    guard scanner.index == line.count else { throw scanner.unexpected }
    return object
  }

  private var unexpected: JSONError {
    index < bytes.byteCount ? .unexpected(at: index) : .unfinished
  }

  private mutating func skipSpace() {
    while index < bytes.byteCount, bytes[index].isXMLSpace { index += 1 }
  }

  /// Skips white space and returns the next byte without consuming it.
  private mutating func peek() throws(JSONError) -> UInt8 {
    skipSpace()
    guard index < bytes.byteCount else { throw .unfinished }
    return bytes[index]
  }

  private mutating func expect(_ byte: UInt8) throws(JSONError) {
    guard try peek() == byte else { throw unexpected }
    index += 1
  }

  private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
    switch try peek() {
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
    case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    default: return try number()
    }
  }

  /// Reads an object whose brace is next.
  private mutating func object(depth: Int) throws(JSONError) -> [String: JSONValue] {
    guard depth <= Self.maximumDepth else { throw .tooDeep }
    var members: [String: JSONValue] = [:]
    index += 1
    guard try peek() != UInt8(ascii: "}") else {
      index += 1
      return members
    }
    repeat {
      guard try peek() == UInt8(ascii: "\"") else { throw unexpected }
      let key = try string()
      guard depth > 0 || members[key] == nil else { throw .duplicateKey }
      try expect(UInt8(ascii: ":"))
      members[key] = try value(depth: depth)
    } while try hasMore(before: UInt8(ascii: "}"))
    return members
  }

  /// Reads an array whose bracket is next.
  private mutating func array(depth: Int) throws(JSONError) -> [JSONValue] {
    guard depth <= Self.maximumDepth else { throw .tooDeep }
    var values: [JSONValue] = []
    index += 1
    guard try peek() != UInt8(ascii: "]") else {
      index += 1
      return values
    }
    repeat {
      values.append(try value(depth: depth))
    } while try hasMore(before: UInt8(ascii: "]"))
    return values
  }

  /// Takes a comma, after which another member comes, or the closing bracket.
  private mutating func hasMore(before close: UInt8) throws(JSONError) -> Bool {
    let separator = try peek()
    guard separator == UInt8(ascii: ",") || separator == close else { throw unexpected }
    index += 1
    return separator != close
  }

  private mutating func literal(
    _ text: StaticString, _ value: JSONValue
  ) throws(JSONError) -> JSONValue {
    let wanted = text.utf8Bytes
    for offset in wanted.byteOffsets {
      guard index < bytes.byteCount else { throw .unfinished }
      guard bytes[index] == wanted[offset] else { throw unexpected }
      index += 1
    }
    return value
  }

  // MARK: Numbers

  private mutating func number() throws(JSONError) -> JSONValue {
    let start = index
    while index < bytes.byteCount, isNumeric(bytes[index]) { index += 1 }
    guard start < index else { throw unexpected }
    let text = bytes[start..<index]
    guard Self.isNumber(text) else { throw .badNumber(at: start) }
    let string = String(decoding: text)
    if let integer = Int64(string) { return .integer(integer) }
    guard let decimal = Double(string), decimal.isFinite else {
      throw .badNumber(at: start)
    }
    return .decimal(decimal)
  }

  private func isNumeric(_ byte: UInt8) -> Bool {
    byte.isDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
      || byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e")
  }

  /// Whether the bytes are a number (RFC 8259 §6).
  private static func isNumber(_ text: RawSpan) -> Bool {
    var index = 0
    var next: UInt8? { index < text.byteCount ? text[index] : nil }
    func skipDigits() -> Int {
      let start = index
      while next?.isDigit == true { index += 1 }
      return index - start
    }
    if next == UInt8(ascii: "-") { index += 1 }
    let startsWithZero = next == UInt8(ascii: "0")
    let whole = skipDigits()
    guard whole == 1 || (whole > 1 && !startsWithZero) else { return false }
    if next == UInt8(ascii: ".") {
      index += 1
      guard skipDigits() > 0 else { return false }
    }
    if let byte = next, byte | 0x20 == UInt8(ascii: "e") {
      index += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
      guard skipDigits() > 0 else { return false }
    }
    return index == text.byteCount
  }

  // MARK: Strings

  /// Reads a string whose opening quote is next.
  private mutating func string() throws(JSONError) -> String {
    let start = index
    index += 1
    var output: [UInt8] = []
    while true {
      let runStart = index
      while index < bytes.byteCount {
        let byte = bytes[index]
        guard byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else { break }
        index += 1
      }
      output.append(bytes: bytes[runStart..<index])
      guard index < bytes.byteCount else { throw .unfinished }
      switch bytes[index] {
      case UInt8(ascii: "\""):
        index += 1
        guard let text = String(validating: output, as: UTF8.self) else {
          throw .badString(at: start)
        }
        return text
      case UInt8(ascii: "\\"):
        index += 1
        try escape(&output)
      default: throw .badString(at: index)
      }
    }
  }

  private mutating func escape(_ output: inout [UInt8]) throws(JSONError) {
    guard index < bytes.byteCount else { throw .unfinished }
    let byte = bytes[index]
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): output.append(byte)
    case UInt8(ascii: "b"): output.append(0x08)
    case UInt8(ascii: "f"): output.append(0x0C)
    case UInt8(ascii: "n"): output.append(0x0A)
    case UInt8(ascii: "r"): output.append(0x0D)
    case UInt8(ascii: "t"): output.append(0x09)
    case UInt8(ascii: "u"):
      output += String(Character(try unicodeEscape())).utf8
    default: throw .badString(at: index - 1)
    }
  }

  /// The character of `\u4F60`, or of two escapes that are a surrogate pair. Half a pair is an
  /// error.
  private mutating func unicodeEscape() throws(JSONError) -> Unicode.Scalar {
    let start = index
    let first = try hexadecimal()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, index + 2 <= bytes.byteCount, bytes[index] == UInt8(ascii: "\\"),
      bytes[index + 1] == UInt8(ascii: "u")
    else {
      throw .badString(at: start)
    }
    index += 2
    let second = try hexadecimal()
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
    else { throw .badString(at: start) }
    return scalar
  }

  private mutating func hexadecimal() throws(JSONError) -> UInt32 {
    guard index + 4 <= bytes.byteCount else { throw .unfinished }
    var value: UInt32 = 0
    for offset in index..<(index + 4) {
      guard let digit = bytes[offset].hexValue else { throw .badString(at: index) }
      value = value << 4 | UInt32(digit)
    }
    index += 4
    return value
  }
}

extension JSONScanner {
  /// Reads a value of any kind; nil if it is malformed.
  static func scalar(_ text: ArraySlice<UInt8>) -> JSONValue? {
    try? object((Array("{\"\":".utf8) + text + [UInt8(ascii: "}")])[...])[""]
  }
}
