import RawBytes
import XMPPStanza

/// Takes the elements apart that nearly all of a stream is made of: complete, with short names
/// without prefixes and with nothing between their tags but text.
///
/// It only recognises. Whatever is unusual about an element (a prefix, a comment, a white space
/// that XML would normalise) and every error it leaves to libxml2, which takes several times as
/// long. What it takes is what libxml2 makes of the same bytes.
struct PlainReader: ~Copyable {
  private var tables = PlainTables()
  /// How many elements are open.
  private var depth = 0
  private var elements = 0
  private var limits: StreamLimits

  /// The most attributes of an element: each is compared with those before it.
  private static let maximumAttributes = 16
  /// libxml2 takes no more than 256 elements inside one another, and no value of 10 MB.
  private static let maximumDepth = 128
  private static let maximumBytes = 8 << 20

  init(limits: StreamLimits) {
    self.limits = limits
    self.limits.depth = min(limits.depth, Self.maximumDepth)
    self.limits.attributesPerElement = min(limits.attributesPerElement, Self.maximumAttributes)
    self.limits.bytesPerElement = min(limits.bytesPerElement, Self.maximumBytes)
  }

  /// Reads the element that some bytes begin with.
  ///
  /// - Returns: How many bytes it has; nil where it is for libxml2.
  mutating func read(_ bytes: PaddedBytes) -> Int? {
    tables.clear()
    (depth, elements) = (0, 0)
    var index = 0
    repeat {
      guard bytes[index] == UInt8(ascii: "<") else { return nil }
      index &+= 1
      if depth > 0, bytes[index] == UInt8(ascii: "/") {
        guard readEndTag(bytes, &index) else { return nil }
      } else {
        guard readStartTag(bytes, &index) else { return nil }
      }
      guard depth == 0 || readText(bytes, &index) else { return nil }
    } while depth > 0
    return index <= limits.bytesPerElement ? index : nil
  }

  /// The element that was read last, valid until another one is read.
  ///
  /// - Parameter bytes: Its bytes, which it was read from, and which it does not keep.
  func element(borrowing bytes: RawSpan) -> XMPPElement {
    tables.element(borrowing: bytes)
  }

  // Each index moves past bytes only that are not zero, and so never past the end.

  // MARK: Tags

  /// Passes over the end tag of the open element, whose `<` was passed; false where another thing
  /// stands there.
  @inline(__always)
  private mutating func readEndTag(_ bytes: PaddedBytes, _ index: inout Int) -> Bool {
    let name = tables.openName
    // The byte after the `/` is there, and there is no zero in a name.
    guard bytes.has(name, at: index &+ 1), bytes[index &+ 1 &+ name.count] == UInt8(ascii: ">")
    else { return false }
    index &+= 2 &+ name.count
    tables.close()
    depth &-= 1
    return true
  }

  /// Passes over a start tag whose `<` was passed; false where it is unusual.
  @inline(__always)
  private mutating func readStartTag(_ bytes: PaddedBytes, _ index: inout Int) -> Bool {
    guard depth < limits.depth, elements < limits.elementsPerStanza,
      let name = bytes.name(at: &index)
    else { return false }
    tables.open(name)
    elements &+= 1
    guard readAttributes(bytes, &index) else { return false }
    let isEnded = bytes[index] == UInt8(ascii: "/")
    if isEnded { index &+= 1 }
    guard bytes[index] == UInt8(ascii: ">") else { return false }
    index &+= 1
    if isEnded { tables.close() } else { depth &+= 1 }
    return true
  }

  @inline(__always)
  private mutating func readAttributes(_ bytes: PaddedBytes, _ index: inout Int) -> Bool {
    var room = limits.attributesPerElement
    var declares = false
    while bytes[index] == UInt8(ascii: " ") {
      index &+= 1
      switch bytes[index] {
      case UInt8(ascii: " "), UInt8(ascii: "/"), UInt8(ascii: ">"): continue
      default: break
      }
      guard room > 0, let name = bytes.name(at: &index), bytes[index] == UInt8(ascii: "=")
      else { return false }
      room &-= 1
      let quote = bytes[index &+ 1]
      guard quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else { return false }
      index &+= 2
      let start = index
      guard let isEscaped = passValue(bytes, &index, quote) else { return false }
      let value = Range(uncheckedBounds: (start, index))
      index &+= 1
      if name == .xmlns {
        guard !declares, !isEscaped, bytes.isPlainNamespace(value) else { return false }
        declares = true
        tables.declare(value)
      } else {
        guard tables.addAttribute(name, value, isEscaped: isEscaped) else { return false }
      }
    }
    return true
  }

  // MARK: Values and texts

  /// Passes over a value to its closing quote.
  ///
  /// - Returns: Whether there are references in it; nil where something is in it that XML would
  ///   read differently or not at all.
  @inline(__always)
  private mutating func passValue(
    _ bytes: PaddedBytes, _ index: inout Int, _ quote: UInt8
  ) -> Bool? {
    let start = index
    var isEscaped = false
    // The marks of all bytes, and of some after them, one over the other.
    var seen: UInt32 = 0
    while true {
      seen |= bytes.marksBeyondASCII(at: index).bits
      let marks = bytes.marksInValue(at: index)
      guard !marks.isEmpty else {
        index &+= PaddedBytes.padding
        continue
      }
      index &+= marks.first
      switch bytes[index] {
      case quote:
        let value = Range(uncheckedBounds: (start, index))
        guard seen == 0 || bytes.slice(value).isXMLText else { return nil }
        return isEscaped
      case UInt8(ascii: "&"):
        guard let found = bytes.all.reference(at: index) else { return nil }
        isEscaped = true
        index &+= found.count
      case 0..<0x20, UInt8(ascii: "<"): return nil
      default: index &+= 1
      }
    }
  }

  /// Passes over the text before the next `<`; false where something is in it that XML would read
  /// differently or not at all.
  @inline(__always)
  private mutating func readText(_ bytes: PaddedBytes, _ index: inout Int) -> Bool {
    let start = index
    var isEscaped = false
    var seen: UInt32 = 0
    while true {
      seen |= bytes.marksBeyondASCII(at: index).bits
      let marks = bytes.marksInText(at: index)
      guard !marks.isEmpty else {
        index &+= PaddedBytes.padding
        continue
      }
      index &+= marks.first
      switch bytes[index] {
      case UInt8(ascii: "<"):
        if index > start {
          let text = Range(uncheckedBounds: (start, index))
          guard seen == 0 || bytes.slice(text).isXMLText else { return false }
          tables.addText(text, isEscaped: isEscaped)
        }
        return true
      case UInt8(ascii: "&"):
        guard let found = bytes.all.reference(at: index) else { return false }
        isEscaped = true
        index &+= found.count
      // `]]>` is refused.
      case UInt8(ascii: "]") where bytes[index &+ 1] != UInt8(ascii: "]"): index &+= 1
      case UInt8(ascii: "\n"), UInt8(ascii: "\t"): index &+= 1
      default: return false
      }
    }
  }
}

extension PaddedBytes {
  /// Whether a plain element may declare the namespace that stands here: characters of ASCII, none
  /// of them a space.
  fileprivate func isPlainNamespace(_ place: Range<Int>) -> Bool {
    var index = place.lowerBound
    while index < place.upperBound {
      let marks = marksOfNoGraphics(at: index)
      index &+= marks.isEmpty ? Self.padding : marks.first
      guard marks.isEmpty else { break }
    }
    // What stands after it may be anything.
    guard !place.isEmpty, index >= place.upperBound else { return false }
    return !isRefused(slice(place))
  }

  private static let declarations = "http://www.w3.org/2000/xmlns/"
  /// That of the shortest of those that are refused: most namespaces are shorter still, and are not
  /// compared.
  private static var leastRefused: Int { declarations.utf8.count }

  /// Whether no plain element may be in a namespace: XML forbids it, or it may be a stream's own.
  @inline(__always)
  private func isRefused(_ namespace: RawSpan) -> Bool {
    namespace.byteCount >= Self.leastRefused
      && (Namespace.xml.hasBytes(namespace) || Namespace.streams.hasBytes(namespace)
        || Self.declarations.hasBytes(namespace))
  }
}
