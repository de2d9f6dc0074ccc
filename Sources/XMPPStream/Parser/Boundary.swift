import XMPPStanza

/// What comes next while no element is open.
///
/// The parser examines these few bytes itself. Only that way can it distinguish white space from
/// text, find the exact first byte of an element, and recognize a new stream header before libxml2,
/// which would report an error.
enum Boundary: Hashable {
  /// Only white space up to this index, or too few bytes after it to decide.
  case undecided(Int)
  /// A start or end tag whose `<` is at this index.
  case tag(Int)
  /// An XML declaration that ends before this index.
  case declaration(end: Int)
  /// Something that is not allowed here.
  case refused(StreamError.Kind, at: Int)

  /// Examines `bytes` from `start` on. `isFirst` is true at the beginning of the stream.
  init(_ bytes: [UInt8], from start: Int, isFirst: Bool) {
    var index = start
    while index < bytes.count, bytes[index].isXMLSpace { index += 1 }
    guard index < bytes.count else {
      self = .undecided(index)
      return
    }
    switch bytes[index] {
    case UInt8(ascii: "<"): self = Self.markup(bytes, at: index)
    case 0x00, 0xFE, 0xFF: self = .refused(.unsupportedEncoding, at: index)
    // RFC 6120 §11.6: no byte order mark.
    case 0xEF where isFirst && index == start: self = .refused(.unsupportedEncoding, at: index)
    default: self = .refused(.textBetweenElements, at: index)
    }
  }

  private static func markup(_ bytes: [UInt8], at index: Int) -> Boundary {
    guard index + 1 < bytes.count else { return .undecided(index) }
    switch bytes[index + 1] {
    // UTF-16 without a byte order mark.
    case 0x00: return .refused(.unsupportedEncoding, at: index)
    case UInt8(ascii: "?"): return instruction(bytes, at: index)
    case UInt8(ascii: "!"):
      guard index + 2 < bytes.count else { return .undecided(index) }
      switch bytes[index + 2] {
      case UInt8(ascii: "-"): return .refused(.restrictedXML(.comment), at: index)
      case UInt8(ascii: "["): return .refused(.textBetweenElements, at: index)
      default: return .refused(.restrictedXML(.documentType), at: index)
      }
    default: return .tag(index)
    }
  }

  private static func instruction(_ bytes: [UInt8], at index: Int) -> Boundary {
    let head = Array("<?xml".utf8)
    for (offset, expected) in head.enumerated() {
      guard index + offset < bytes.count else { return .undecided(index) }
      guard bytes[index + offset] == expected else {
        return .refused(.restrictedXML(.processingInstruction), at: index)
      }
    }
    let body = index + head.count
    guard body < bytes.count else { return .undecided(index) }
    guard bytes[body].isXMLSpace else {
      return .refused(.restrictedXML(.processingInstruction), at: index)
    }
    guard let end = XMLDeclaration.end(in: bytes, from: body) else {
      guard bytes.count - index <= XMLDeclaration.maximumBytes else {
        return .refused(.notWellFormed(code: 0), at: index)
      }
      return .undecided(index)
    }
    guard let declaration = XMLDeclaration(bytes[body..<(end - 2)]) else {
      return .refused(.notWellFormed(code: 0), at: index)
    }
    guard declaration.isUTF8 else { return .refused(.unsupportedEncoding, at: index) }
    return .declaration(end: end)
  }
}

/// The XML declaration of a stream (XML 1.0 §2.8, RFC 6120 §11.5).
struct XMLDeclaration {
  /// The encoding that the declaration names.
  private(set) var encoding: String?

  /// The maximum length, which leaves room for a few extra blanks.
  static let maximumBytes = 256

  /// Whether the stream declares UTF-8 or no encoding.
  var isUTF8: Bool { encoding.map { $0.lowercased() == "utf-8" } ?? true }

  /// The index after the `?>`; nil if it is not within the maximum length.
  static func end(in bytes: [UInt8], from start: Int) -> Int? {
    var index = start
    while index + 1 < min(bytes.count, start + maximumBytes) {
      if bytes[index] == UInt8(ascii: "?"), bytes[index + 1] == UInt8(ascii: ">") {
        return index + 2
      }
      index += 1
    }
    return nil
  }

  /// Reads the text between `<?xml` and `?>`; nil if it is malformed.
  init?(_ body: ArraySlice<UInt8>) {
    guard let text = String(validating: body, as: UTF8.self) else { return nil }
    var rest = Substring(text)
    var names: [Substring] = []
    while true {
      let trimmed = rest.drop(while: { $0.isWhitespace })
      guard !trimmed.isEmpty else { break }
      guard trimmed.startIndex > rest.startIndex, let equals = trimmed.firstIndex(of: "=")
      else { return nil }
      let name = Substring(trimmed[..<equals].trimmedOfXMLSpace)
      let quoted = trimmed[trimmed.index(after: equals)...].drop(while: { $0.isWhitespace })
      guard let quote = quoted.first, quote == "\"" || quote == "'",
        let end = quoted.dropFirst().firstIndex(of: quote)
      else { return nil }
      let value = quoted[quoted.index(after: quoted.startIndex)..<end]
      switch name {
      case "version": guard value.hasPrefix("1.") else { return nil }
      case "encoding": encoding = String(value)
      case "standalone": guard value == "yes" || value == "no" else { return nil }
      default: return nil
      }
      names.append(name)
      rest = quoted[quoted.index(after: end)...]
    }
    // The order is fixed, and the version is not optional.
    guard names.first == "version",
      ["version", "encoding", "standalone"].filter(names.contains) == names
    else { return nil }
  }
}
