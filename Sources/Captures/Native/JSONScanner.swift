/// A value in a flat JSON object.
enum JSONValue: Hashable {
  /// A text in UTF-8, escapes replaced.
  case string([UInt8])
  /// A number without fraction or exponent that fits.
  case integer(Int64)
  /// Any other number.
  case decimal(Double)
  case bool(Bool)
  case null
  /// An array or object: it was checked and passed over.
  case nested

  /// The text of a string.
  var text: String? {
    guard case .string(let bytes) = self else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Why a line is no JSON object; the numbers are byte offsets in the line.
enum JSONError: Error, Hashable, CustomStringConvertible {
  case unexpected(at: Int)
  case unfinished
  case badString(at: Int)
  case badNumber(at: Int)
  case duplicateKey
  case tooDeep

  var description: String {
    switch self {
    case .unexpected(let offset): "the line is no JSON object (byte \(offset))"
    case .unfinished: "the JSON object does not end"
    case .badString(let offset): "a JSON string is malformed (byte \(offset))"
    case .badNumber(let offset): "a JSON number is malformed (byte \(offset))"
    case .duplicateKey: "a key occurs twice in a JSON object"
    case .tooDeep: "JSON values are nested too deeply"
    }
  }
}

/// A strict scanner (RFC 8259) for the one shape that captures have: a flat object a line.
///
/// A general decoder costs more a line than everything else that an import does.
struct JSONScanner {
  /// The fields of an object, in order; no key occurs twice.
  struct Object {
    fileprivate(set) var fields: [(key: String, value: JSONValue)] = []

    subscript(key: String) -> JSONValue? { fields.first { $0.key == key }?.value }
  }

  /// How deep an array or object that is passed over may be nested.
  static let maximumDepth = 64

  private let bytes: UnsafeBufferPointer<UInt8>
  private var index = 0

  private init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  /// Reads a line that holds one object and nothing else but white space.
  static func object(_ line: ArraySlice<UInt8>) throws(JSONError) -> Object {
    try line.withUnsafeBufferPointer { (bytes) throws(JSONError) in
      var scanner = JSONScanner(bytes)
      let object = try scanner.object()
      scanner.skipSpace()
      guard scanner.index == bytes.count else { throw scanner.unexpected }
      return object
    }
  }

  private var unexpected: JSONError {
    index < bytes.count ? .unexpected(at: index) : .unfinished
  }

  private mutating func skipSpace() {
    while index < bytes.count, bytes[index].isBlank { index += 1 }
  }

  /// Skips white space and gives the next byte without taking it.
  private mutating func peek() throws(JSONError) -> UInt8 {
    skipSpace()
    guard index < bytes.count else { throw .unfinished }
    return bytes[index]
  }

  private mutating func expect(_ byte: UInt8) throws(JSONError) {
    guard try peek() == byte else { throw unexpected }
    index += 1
  }

  private mutating func object() throws(JSONError) -> Object {
    var object = Object()
    try expect(UInt8(ascii: "{"))
    guard try peek() != UInt8(ascii: "}") else {
      index += 1
      return object
    }
    while true {
      guard try peek() == UInt8(ascii: "\"") else { throw unexpected }
      let key = String(decoding: try string(), as: UTF8.self)
      guard !object.fields.contains(where: { $0.key == key }) else { throw .duplicateKey }
      try expect(UInt8(ascii: ":"))
      object.fields.append((key, try value()))
      let separator = try peek()
      guard separator == UInt8(ascii: ",") || separator == UInt8(ascii: "}") else {
        throw unexpected
      }
      index += 1
      if separator == UInt8(ascii: "}") { return object }
    }
  }

  private mutating func value() throws(JSONError) -> JSONValue {
    switch try peek() {
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      try skipNested(depth: 1)
      return .nested
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    default: return try number()
    }
  }

  private mutating func literal(
    _ text: StaticString, _ value: JSONValue
  ) throws(JSONError) -> JSONValue {
    for offset in 0..<text.utf8CodeUnitCount {
      guard index < bytes.count else { throw .unfinished }
      guard bytes[index] == text.utf8Start[offset] else { throw unexpected }
      index += 1
    }
    return value
  }

  /// Passes over an array or object, which is checked as strictly as what is kept.
  private mutating func skipNested(depth: Int) throws(JSONError) {
    guard depth <= Self.maximumDepth else { throw .tooDeep }
    let isObject = try peek() == UInt8(ascii: "{")
    let close = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
    index += 1
    guard try peek() != close else {
      index += 1
      return
    }
    while true {
      if isObject {
        guard try peek() == UInt8(ascii: "\"") else { throw unexpected }
        _ = try string()
        try expect(UInt8(ascii: ":"))
      }
      switch try peek() {
      case UInt8(ascii: "{"), UInt8(ascii: "["): try skipNested(depth: depth + 1)
      default: _ = try value()
      }
      let separator = try peek()
      guard separator == UInt8(ascii: ",") || separator == close else { throw unexpected }
      index += 1
      if separator == close { return }
    }
  }

  // MARK: Numbers

  private mutating func number() throws(JSONError) -> JSONValue {
    let start = index
    while index < bytes.count, isNumeric(bytes[index]) { index += 1 }
    guard start < index else { throw unexpected }
    let text = bytes[start..<index]
    guard Self.isNumber(text) else { throw .badNumber(at: start) }
    let string = String(decoding: text, as: UTF8.self)
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

  /// Whether the bytes are a number as RFC 8259 §6 has it.
  private static func isNumber(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    var rest = text
    func digits(_ rest: inout Slice<UnsafeBufferPointer<UInt8>>) -> Int {
      let count = rest.prefix(while: \.isDigit).count
      rest = rest.dropFirst(count)
      return count
    }
    if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
    let startsWithZero = rest.first == UInt8(ascii: "0")
    let whole = digits(&rest)
    guard whole == 1 || (whole > 1 && !startsWithZero) else { return false }
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      guard digits(&rest) > 0 else { return false }
    }
    if let byte = rest.first, byte | 0x20 == UInt8(ascii: "e") {
      rest = rest.dropFirst()
      if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") {
        rest = rest.dropFirst()
      }
      guard digits(&rest) > 0 else { return false }
    }
    return rest.isEmpty
  }

  // MARK: Strings

  /// Reads a string whose opening quote is next.
  private mutating func string() throws(JSONError) -> [UInt8] {
    let start = index
    index += 1
    var output: [UInt8] = []
    var isASCII = true
    while true {
      let runStart = index
      var seen: UInt8 = 0
      while index < bytes.count {
        let byte = bytes[index]
        guard byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else { break }
        seen |= byte
        index += 1
      }
      if seen >= 0x80 { isASCII = false }
      output += bytes[runStart..<index]
      guard index < bytes.count else { throw .unfinished }
      switch bytes[index] {
      case UInt8(ascii: "\""):
        index += 1
        guard isASCII || String(validating: output, as: UTF8.self) != nil else {
          throw .badString(at: start)
        }
        return output
      case UInt8(ascii: "\\"):
        index += 1
        try escape(&output)
      default: throw .badString(at: index)
      }
    }
  }

  private mutating func escape(_ output: inout [UInt8]) throws(JSONError) {
    guard index < bytes.count else { throw .unfinished }
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

  /// The character of `\u4F60`, or of two of them that are a surrogate pair; half a pair is none.
  private mutating func unicodeEscape() throws(JSONError) -> Unicode.Scalar {
    let start = index
    let first = try hexadecimal()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, bytes[index...].starts(with: Array("\\u".utf8)) else {
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
    guard index + 4 <= bytes.count else { throw .unfinished }
    var value: UInt32 = 0
    for byte in bytes[index..<(index + 4)] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
        throw .badString(at: index)
      }
      value = value << 4 | UInt32(digit)
    }
    index += 4
    return value
  }
}
