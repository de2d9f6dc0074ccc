import XMPPStanza

/// An element that is being read.
struct DinoElement {
  let name: XMLName
  var attributes: [XMLAttribute] = []
  var content: [XMPPElement.Content] = []

  var node: XMPPElement { XMPPElement(name, attributes: attributes, content: content) }
}

/// A tag as Dino prints it: `<{namespace}:name {namespace}:attribute='value'>`.
struct DinoTag {
  private(set) var element: DinoElement
  /// Whether it ends with `/>`.
  private(set) var isEmpty = false

  private static let xmlns = "http://www.w3.org/2000/xmlns/"

  /// Reads a whole start tag; nil for any other text.
  init?(_ text: ArraySlice<UInt8>) {
    var scanner = ByteScanner(text)
    guard scanner.skip("<"), let name = Self.name(&scanner) else { return nil }
    element = DinoElement(name: name)
    while !scanner.rest.isEmpty {
      if scanner.rest.elementsEqual(" />".utf8) {
        isEmpty = true
        return
      }
      if scanner.rest.elementsEqual(">".utf8) { return }
      guard scanner.skip(" "), let attribute = Self.name(&scanner), scanner.skip("='") else {
        return nil
      }
      let value = scanner.take { $0 != UInt8(ascii: "'") }
      guard scanner.skip("'") else { return nil }
      guard attribute.namespace != Self.xmlns else { continue }
      // An attribute without a prefix is printed in the namespace of its element.
      let namespace = attribute.namespace == name.namespace ? "" : attribute.namespace
      let text = Self.unescaped(String(decoding: value, as: UTF8.self))
      element.attributes.append(XMLAttribute(XMLName(attribute.local, in: namespace), text))
    }
    return nil
  }

  /// Whether the tag at the beginning of a text ends in the text. A value may contain line ends,
  /// but no quote.
  static func isWhole(_ text: ArraySlice<UInt8>) -> Bool {
    var isQuoted = false
    for byte in text {
      if byte == UInt8(ascii: "'") { isQuoted.toggle() }
      if byte == UInt8(ascii: ">"), !isQuoted { return true }
    }
    return false
  }

  /// The end tag of an element.
  static func end(of name: XMLName) -> [UInt8] {
    Array("</{\(name.namespace)}:\(name.local)>".utf8)
  }

  private static func name(_ scanner: inout ByteScanner) -> XMLName? {
    guard scanner.skip("{"), let namespace = scanner.take(upTo: "}:", limit: 1024) else {
      return nil
    }
    let local = scanner.take {
      $0.isLetter || $0.isDigit || $0 >= 0x80 || "-_.:".utf8.contains($0)
    }
    guard let first = local.first, first.isLetter || first >= 0x80 || first == UInt8(ascii: "_")
    else { return nil }
    return XMLName(
      String(decoding: local, as: UTF8.self), in: String(decoding: namespace, as: UTF8.self))
  }

  private static func unescaped(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
    var output = ""
    var rest = text[...]
    while let start = rest.firstIndex(of: "&") {
      output += rest[..<start]
      rest = rest[start...]
      guard let end = rest.prefix(12).firstIndex(of: ";"),
        let character = character(rest[rest.index(after: start)..<end])
      else {
        output += rest.prefix(1)
        rest = rest.dropFirst()
        continue
      }
      output += character
      rest = rest[rest.index(after: end)...]
    }
    return output + rest
  }

  private static func character(_ entity: Substring) -> String? {
    switch entity {
    case "lt": return "<"
    case "gt": return ">"
    case "amp": return "&"
    case "quot": return "\""
    case "apos": return "'"
    default:
      guard entity.hasPrefix("#") else { return nil }
      let number = entity.dropFirst()
      let value =
        number.hasPrefix("x") ? UInt32(number.dropFirst(), radix: 16) : UInt32(number)
      return value.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
    }
  }
}
