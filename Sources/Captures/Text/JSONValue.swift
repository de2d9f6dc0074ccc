/// A JSON document: what every command gives for `--json`, and what a line of JSON Lines says.
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// A number without fraction or exponent that fits.
  case integer(Int64)
  /// Any other number.
  case decimal(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// A text, or null where there is none.
  package init(_ text: String?) {
    self = text.map { .string($0) } ?? .null
  }

  /// A record number.
  package init(_ record: UInt64) {
    self = .integer(Int64(clamping: record))
  }

  /// A record number, or null where there is none.
  package init(_ record: UInt64?) {
    self = record.map { JSONValue($0) } ?? .null
  }

  /// A list of texts.
  package init(_ texts: some Sequence<String>) {
    self = .array(texts.map { .string($0) })
  }

  /// A record's time, or null where the source had no clock.
  package init(time: Int64?) {
    self.init(time.map(Timestamp.text))
  }

  /// The text of a string; nil for anything else.
  var string: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// An object with more members; what is no object stays as it is.
  package func adding(_ members: [String: JSONValue]) -> JSONValue {
    guard case .object(let own) = self else { return self }
    return .object(own.merging(members) { _, added in added })
  }

  // MARK: Writing

  /// The document as one line, keys in order, so that equal documents are equal bytes.
  ///
  /// Control characters and those that turn the direction of a line are escaped, also where JSON
  /// does not ask for it: the line may be read on a terminal.
  package var text: String {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends what `text` gives, in UTF-8.
  package func write(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .integer(let value): bytes += String(value).utf8
    // JSON has no word for what is no number.
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
        // All of them are in the basic plane.
        let digits = String(scalar.value, radix: 16)
        bytes += (#"\u"# + String(repeating: "0", count: 4 - digits.count) + digits).utf8
      default: bytes += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
      }
    }
  }
}

extension Unicode.Scalar {
  /// Whether the character moves a terminal's cursor, begins a command to it, or turns the
  /// direction of a line: what a contact wrote must do none of these.
  package var isObeyedByTerminals: Bool {
    switch value {
    case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
