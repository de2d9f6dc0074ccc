/// A JSON document: the output of a command with `--json`, or a line of JSON Lines.
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// A number without a fraction or an exponent that fits into 64 bits.
  case integer(Int64)
  /// Any other number.
  case decimal(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// A text, or null if there is none.
  package init(_ text: String?) {
    self = text.map { .string($0) } ?? .null
  }

  /// A record number.
  package init(_ record: UInt64) {
    self = .integer(Int64(clamping: record))
  }

  /// A record number, or null if there is none.
  package init(_ record: UInt64?) {
    self = record.map { JSONValue($0) } ?? .null
  }

  /// A list of texts.
  package init(_ texts: some Sequence<String>) {
    self = .array(texts.map { .string($0) })
  }

  /// A record's time, or null if the source had no clock.
  package init(time: Int64?) {
    self.init(time.map(Timestamp.text))
  }

  /// The text of a string; nil for anything else.
  var string: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// A copy of an object with more members; any other value is returned unchanged.
  package func adding(_ members: [String: JSONValue]) -> JSONValue {
    guard case .object(let own) = self else { return self }
    return .object(own.merging(members) { _, added in added })
  }

  // MARK: Writing

  /// The document as one line with sorted keys, so that equal documents have equal bytes.
  ///
  /// Control characters and those that change the direction of text are escaped even if JSON does
  /// not require it, because the line may be read on a terminal.
  package var text: String {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends `text` in UTF-8.
  package func write(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .integer(let value): bytes += String(value).utf8
    // JSON cannot write NaN or an infinity.
    case .decimal(let value): bytes += (value.isFinite ? String(value) : "null").utf8
    case .string(let value): Self.write(value, to: &bytes)
    case .array(let values):
      bytes.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.write(member.key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private static func write(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    defer { bytes.append(UInt8(ascii: "\"")) }
    let isPlain = text.utf8.allSatisfy {
      (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
    }
    guard !isPlain else {
      bytes += text.utf8
      return
    }
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": bytes += #"\""#.utf8
      case "\\": bytes += #"\\"#.utf8
      case "\n": bytes += #"\n"#.utf8
      case "\r": bytes += #"\r"#.utf8
      case "\t": bytes += #"\t"#.utf8
      case _ where scalar.isObeyedByTerminals:
        // All of them are in the basic multilingual plane.
        let digits = String(scalar.value, radix: 16)
        bytes += (#"\u"# + String(repeating: "0", count: 4 - digits.count) + digits).utf8
      default: bytes += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
      }
    }
  }
}

extension Unicode.Scalar {
  /// Whether the character moves a terminal's cursor, begins a command to it, or changes the
  /// direction of text. Text from a contact must not do any of this.
  package var isObeyedByTerminals: Bool {
    switch value {
    case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
