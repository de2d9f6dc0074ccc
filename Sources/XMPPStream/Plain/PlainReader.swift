import XMPPStanza

/// Takes the elements apart that nearly all of a stream is made of: complete, with short names
/// without prefixes and with nothing between their tags but text.
///
/// It only recognises. Whatever is unusual about an element (a prefix, a comment, a white space
/// that XML would normalise) and every error it leaves to libxml2, which takes several times as
/// long. What it takes is what libxml2 makes of the same bytes.
struct PlainReader: ~Copyable {
  private struct Attribute {
    var name: PlainName
    var value: Range<Int>
  }

  /// An element whose end tag is still to come.
  private struct Open {
    var name: PlainName
    /// The default namespace in it.
    var namespace: Int
  }

  /// The most elements inside one another, and the most attributes of one.
  private static let maximum = 16
  // There is room for `maximum` of either, and only the first `depth` and `attributeCount` are
  // there.
  private let open = UnsafeMutablePointer<Open>.allocate(capacity: maximum)
  private var depth = 0
  private let attributes = UnsafeMutablePointer<Attribute>.allocate(capacity: maximum)
  private var attributeCount = 0

  deinit {
    open.deallocate()
    attributes.deallocate()
  }

  /// Reads the element that some bytes begin with.
  ///
  /// - Returns: The element and how many bytes it has; nil where it is for libxml2. The builder has
  ///   no element open in either case.
  mutating func read(
    _ bytes: UnsafeRawBufferPointer, into builder: inout ElementBuilder
  ) -> (element: ElementBuilder.Result, count: Int)? {
    guard bytes.first == UInt8(ascii: "<") else { return nil }
    var index = 0
    builder.makeRoomForNames()
    guard let element = readElement(bytes, &index, &builder),
      UnsafeRawBufferPointer(rebasing: bytes[..<index]).isXMLText
    else {
      builder.abandon()
      return nil
    }
    return (element, index)
  }

  // Each index is compared with `count` before a byte is read there.

  private mutating func readElement(
    _ bytes: UnsafeRawBufferPointer, _ index: inout Int, _ builder: inout ElementBuilder
  ) -> ElementBuilder.Result? {
    depth = 0
    while true {
      guard index + 1 < bytes.count else { return nil }
      let isEnded: Bool?
      if depth > 0, bytes[index + 1] == UInt8(ascii: "/") {
        isEnded = readEndTag(bytes, &index)
      } else {
        isEnded = readStartTag(bytes, &index, &builder)
      }
      guard let isEnded else { return nil }
      if isEnded {
        depth -= 1
        if let element = builder.end() { return element }
      }
      guard Self.readText(bytes, &index, &builder) else { return nil }
    }
  }

  // MARK: Tags

  /// Passes over the end tag of the open element; nil where another thing stands there.
  private func readEndTag(_ bytes: UnsafeRawBufferPointer, _ index: inout Int) -> Bool? {
    index += 2
    guard PlainName(bytes, &index) == open[depth - 1].name, index < bytes.count,
      bytes[index] == UInt8(ascii: ">")
    else { return nil }
    index += 1
    return true
  }

  /// Passes over a start tag; nil where it is unusual, else whether it is an end tag as well.
  private mutating func readStartTag(
    _ bytes: UnsafeRawBufferPointer, _ index: inout Int, _ builder: inout ElementBuilder
  ) -> Bool? {
    index += 1
    guard depth < Self.maximum, let name = PlainName(bytes, &index) else { return nil }
    let inherited = depth > 0 ? open[depth - 1].namespace : PlainNames.client
    var namespace: Int?
    attributeCount = 0
    while index < bytes.count, bytes[index] == UInt8(ascii: " ") {
      index += 1
      guard index < bytes.count else { return nil }
      switch bytes[index] {
      case UInt8(ascii: " "), UInt8(ascii: "/"), UInt8(ascii: ">"): continue
      default: break
      }
      guard let attribute = Self.readAttribute(bytes, &index) else { return nil }
      if attribute.name == .xmlns {
        let uri = UnsafeRawBufferPointer(rebasing: bytes[attribute.value])
        guard namespace == nil, let number = builder.namespace(plain: uri) else { return nil }
        namespace = number
      } else {
        guard keep(attribute) else { return nil }
      }
    }
    let isEnded = index < bytes.count && bytes[index] == UInt8(ascii: "/")
    if isEnded { index += 1 }
    guard index < bytes.count, bytes[index] == UInt8(ascii: ">") else { return nil }
    index += 1
    (open + depth).initialize(to: Open(name: name, namespace: namespace ?? inherited))
    depth += 1
    return start(bytes, declarations: namespace == nil ? 0 : 1, &builder) ? isEnded : nil
  }

  /// Hands the start tag that was read to the builder; false where it is not one to read here.
  private func start(
    _ bytes: UnsafeRawBufferPointer, declarations: Int, _ builder: inout ElementBuilder
  ) -> Bool {
    let element = open[depth - 1]
    guard
      builder.start(
        plain: element.name, in: element.namespace, attributes: attributeCount + declarations)
    else { return false }
    for number in 0..<attributeCount {
      let value = bytes.characters(attributes[number].value)
      guard builder.addAttribute(plain: attributes[number].name, value) else { return false }
    }
    return true
  }

  /// Keeps an attribute of the start tag that is being read; false where there are too many, or two
  /// of a name.
  private mutating func keep(_ attribute: Attribute) -> Bool {
    guard attributeCount < Self.maximum else { return false }
    for number in 0..<attributeCount where attributes[number].name == attribute.name {
      return false
    }
    (attributes + attributeCount).initialize(to: attribute)
    attributeCount += 1
    return true
  }

  private static func readAttribute(
    _ bytes: UnsafeRawBufferPointer, _ index: inout Int
  ) -> Attribute? {
    guard let name = PlainName(bytes, &index), index + 1 < bytes.count,
      bytes[index] == UInt8(ascii: "=")
    else { return nil }
    let quote = bytes[index + 1]
    guard quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\""),
      let end = endOfValue(bytes, from: index + 2, quote)
    else { return nil }
    let value = (index + 2)..<end
    index = end + 1
    return Attribute(name: name, value: value)
  }

  // MARK: Values and texts

  /// Where the value that goes on at an index has its closing quote; nil where something is in it
  /// that XML would read differently or not at all.
  private static func endOfValue(
    _ bytes: UnsafeRawBufferPointer, from start: Int, _ quote: UInt8
  ) -> Int? {
    var index = start
    while index + 8 <= bytes.count {
      let eight = EightBytes(bytes, at: index)
      let marks = eight.marks(
        eight.control | eight.equal(quote) | eight.equal(UInt8(ascii: "<"))
          | eight.equal(UInt8(ascii: "&")))
      if marks != 0 {
        index += EightBytes.firstMark(marks)
        break
      }
      index += 8
    }
    while index < bytes.count {
      switch bytes[index] {
      case quote: return index
      case 0..<0x20, UInt8(ascii: "<"), UInt8(ascii: "&"): return nil
      default: index += 1
      }
    }
    return nil
  }

  /// Passes over the text before the next `<`; false where something is in it that XML would read
  /// differently or not at all.
  private static func readText(
    _ bytes: UnsafeRawBufferPointer, _ index: inout Int, _ builder: inout ElementBuilder
  ) -> Bool {
    var start = index
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "<"):
        if index > start { builder.append(text: bytes.characters(start..<index)) }
        return true
      case UInt8(ascii: "&"):
        builder.append(text: bytes.characters(start..<index))
        guard let character = readReference(bytes, &index) else { return false }
        withUnsafePointer(to: character) {
          builder.append(text: UnsafeBufferPointer(start: $0, count: 1))
        }
        start = index
        continue
      // `]]>` is refused.
      case UInt8(ascii: "]"):
        guard index + 1 < bytes.count, bytes[index + 1] != UInt8(ascii: "]") else { return false }
      case UInt8(ascii: "\n"), UInt8(ascii: "\t"): break
      case 0..<0x20: return false
      default: break
      }
      index = endOfPlainText(bytes, from: index + 1)
    }
    return false
  }

  private static let references: [(text: [UInt8], character: UInt8)] = [
    (Array("&amp;".utf8), UInt8(ascii: "&")), (Array("&lt;".utf8), UInt8(ascii: "<")),
    (Array("&gt;".utf8), UInt8(ascii: ">")), (Array("&apos;".utf8), UInt8(ascii: "'")),
    (Array("&quot;".utf8), UInt8(ascii: "\"")),
  ]

  /// Passes over a reference to one of the five characters that XML has names for; nil for another.
  private static func readReference(
    _ bytes: UnsafeRawBufferPointer, _ index: inout Int
  ) -> UInt8? {
    for (text, character) in references where bytes[index...].starts(with: text) {
      index += text.count
      return character
    }
    return nil
  }

  /// Passes over bytes, eight at once, that stand for themselves in a text.
  private static func endOfPlainText(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    while index + 8 <= bytes.count {
      let eight = EightBytes(bytes, at: index)
      let marks = eight.marks(
        eight.control | eight.equal(UInt8(ascii: "<")) | eight.equal(UInt8(ascii: "&"))
          | eight.equal(UInt8(ascii: "]")))
      guard marks == 0 else { return index + EightBytes.firstMark(marks) }
      index += 8
    }
    return index
  }
}

extension UnsafeRawBufferPointer {
  /// Some of the bytes, which are here, as what they are: characters of UTF-8.
  fileprivate func characters(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeRawBufferPointer(rebasing: self[range]).assumingMemoryBound(to: UInt8.self)
  }
}
