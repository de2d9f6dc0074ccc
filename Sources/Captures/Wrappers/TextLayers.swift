import XMPPStanza

/// The changes that mails, web pages and terminals make to each line of a text.
enum TextLayers {
  /// The line without its quote marks, `> `, of which at most `depth` are removed.
  static func unquoted(_ line: ArraySlice<UInt8>, by depth: Int) -> ArraySlice<UInt8> {
    var rest = line
    for _ in 0..<depth {
      guard let next = withoutMark(rest) else { break }
      rest = next
    }
    return rest.count < line.count && rest.first == UInt8(ascii: " ") ? rest.dropFirst() : rest
  }

  /// The number of quote marks at the start of a line.
  static func quoteDepth(of line: ArraySlice<UInt8>) -> Int {
    var (rest, depth) = (line, 0)
    while let next = withoutMark(rest) { (rest, depth) = (next, depth + 1) }
    return depth
  }

  private static func withoutMark(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let marked = line.drop { $0 == UInt8(ascii: " ") }
    guard marked.first == UInt8(ascii: ">"), line.count - marked.count <= 1 else { return nil }
    return marked.dropFirst()
  }

  /// The line without the first `count` white-space characters, if it begins with them.
  static func unindented(_ line: ArraySlice<UInt8>, by count: Int) -> ArraySlice<UInt8> {
    line.dropFirst(line.prefix(count).prefix(while: \.isXMLSpace).count)
  }

  /// The number of white-space characters at the start of a line.
  static func indentation(of line: ArraySlice<UInt8>) -> Int {
    line.prefix(while: \.isXMLSpace).count
  }

  private static let entities: [(name: [UInt8], text: [UInt8])] = [
    ("lt;", "<"), ("gt;", ">"), ("quot;", "\""), ("apos;", "'"), ("nbsp;", " "), ("amp;", "&"),
  ].map { (Array($0.0.utf8), Array($0.1.utf8)) }

  /// The line with each HTML entity, named or numbered, replaced once.
  @Sendable static func withoutEntities(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard var mark = line.position(of: UInt8(ascii: "&")) else { return line }
    var output: [UInt8] = []
    output.reserveCapacity(line.count)
    var rest = line
    while true {
      output += rest[..<mark]
      let after = rest[mark...].dropFirst()
      if let entity = entities.first(where: { after.starts(with: $0.name) }) {
        output += entity.text
        rest = after.dropFirst(entity.name.count)
      } else if let (text, length) = numbered(after) {
        output += text
        rest = after.dropFirst(length)
      } else {
        output.append(UInt8(ascii: "&"))
        rest = after
      }
      guard let next = rest.position(of: UInt8(ascii: "&")) else { break }
      mark = next
    }
    return (output + rest)[...]
  }

  /// The text of a reference such as `#39;` or `#x27;`, and the reference's length.
  private static func numbered(_ text: ArraySlice<UInt8>) -> ([UInt8], Int)? {
    guard text.first == UInt8(ascii: "#"),
      let end = text.prefix(10).firstIndex(of: UInt8(ascii: ";"))
    else { return nil }
    let digits = String(decoding: text[..<end].dropFirst(), as: UTF8.self)
    let value =
      digits.hasPrefix("x") || digits.hasPrefix("X")
      ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    guard let scalar = value.flatMap({ Unicode.Scalar($0) }) else { return nil }
    return (Array(String(Character(scalar)).utf8), text[..<end].count + 1)
  }

  // MARK: Always

  /// The line with characters repaired that no program writes there.
  ///
  /// Replaces no-break spaces and typographic quotes in tags and no-break spaces before the first
  /// of them, and the `#011` that syslog servers write for a tab.
  static func repaired(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let line = withoutOctalEscapes(line)
    guard line.position(of: blank) != nil || line.position(of: punctuation) != nil else {
      return line
    }
    return withPlainTags(line)
  }

  /// Whether `repaired` may change any line of a text.
  static func needsRepair(_ text: [UInt8]) -> Bool {
    [blank, punctuation, tab].contains { text[...].position(of: $0) != nil }
  }

  /// Replaces rsyslog's octal escapes in a line that has `#011` for a tab before its first element.
  /// References such as `&#010;` are kept.
  private static func withoutOctalEscapes(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let first = line.prefix(512).position(of: tab),
      line[..<first].position(of: UInt8(ascii: "<")) == nil
    else { return line }
    var output: [UInt8] = []
    output.reserveCapacity(line.count)
    var rest = line
    while let mark = rest.position(of: UInt8(ascii: "#")) {
      output += rest[..<mark]
      let digits = rest[mark...].dropFirst().prefix(3)
      let value = digits.reduce(0) { $0 * 8 + Int($1 & 7) }
      let isOctal =
        digits.count == 3
        && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }
      if isOctal, value < 32, output.last != UInt8(ascii: "&") {
        output.append(UInt8(value))
        rest = rest[mark...].dropFirst(4)
      } else {
        output.append(UInt8(ascii: "#"))
        rest = rest[mark...].dropFirst()
      }
    }
    return (output + rest)[...]
  }

  private static let quotes: [(bytes: [UInt8], plain: UInt8)] = [
    ("‘", "'"), ("’", "'"), ("“", "\""), ("”", "\""), ("″", "\""), ("′", "'"),
  ].map { (Array($0.0.utf8), Array($0.1.utf8)[0]) }
  private static let blank: [UInt8] = [0xC2, 0xA0]
  /// The first two bytes of all typographic quotes.
  private static let punctuation: [UInt8] = [0xE2, 0x80]
  private static let tab = Array("#011".utf8)

  /// The line with plain quotes and spaces in its tags. Attribute values in plain quotes and text
  /// between tags are kept.
  private static func withPlainTags(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var output: [UInt8] = []
    output.reserveCapacity(line.count)
    var (isBefore, isInTag) = (true, false)
    var quote: UInt8?
    var rest = line
    while let byte = rest.first {
      switch byte {
      case UInt8(ascii: "<") where quote == nil: (isBefore, isInTag) = (false, true)
      case UInt8(ascii: ">") where quote == nil: isInTag = false
      case UInt8(ascii: "'"), UInt8(ascii: "\""):
        guard isInTag else { break }
        if quote == nil { quote = byte } else if quote == byte { quote = nil }
      case 0xC2 where (isBefore || isInTag && quote == nil) && rest.starts(with: blank):
        output.append(UInt8(ascii: " "))
        rest = rest.dropFirst(2)
        continue
      case 0xE2 where isInTag && quote == nil:
        guard let found = quotes.first(where: { rest.starts(with: $0.bytes) }) else { break }
        output.append(found.plain)
        rest = rest.dropFirst(found.bytes.count)
        continue
      default: break
      }
      output.append(byte)
      rest = rest.dropFirst()
    }
    return output[...]
  }
}

/// Joins the lines of a text in quoted-printable, and decodes its escapes.
final class QuotedPrintableStep: LineStep {
  private let maximumBytes: Int
  private var carry: CarriedLine?

  init(_ maximumBytes: Int) {
    self.maximumBytes = maximumBytes
  }

  func process(_ line: CarriedLine, _ emit: Emit) throws {
    let trimmed = line.bytes.prefix(
      line.bytes.count - line.bytes.reversed().prefix(while: \.isXMLSpace).count)
    let hasSoftBreak = trimmed.last == UInt8(ascii: "=")
    let bytes = Self.decoded(hasSoftBreak ? trimmed.dropLast() : line.bytes)
    var whole = carry ?? line.cleared
    carry = nil
    whole.bytes += bytes
    if hasSoftBreak, whole.bytes.count <= maximumBytes { carry = whole } else { try emit(whole) }
  }

  func finish(_ emit: Emit) throws {
    if let carry { try emit(carry) }
    carry = nil
  }

  static func decoded(_ line: ArraySlice<UInt8>) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(line.count)
    var rest = line
    while let mark = rest.position(of: UInt8(ascii: "=")) {
      output += rest[..<mark]
      let digits = rest[mark...].dropFirst().prefix(2)
      if digits.count == 2, let high = digits.first?.hexValue, let low = digits.last?.hexValue {
        output.append(high << 4 | low)
        rest = rest[mark...].dropFirst(3)
      } else {
        output.append(UInt8(ascii: "="))
        rest = rest[mark...].dropFirst()
      }
    }
    return output + rest
  }
}
