import RawBytes
import XMPPStanza

/// Reads the elements of which nearly every stream consists: complete, with short names without
/// prefixes, and with nothing but text between their tags.
///
/// It leaves everything unusual (a prefix, a comment, white space that XML would normalize) and
/// every error to libxml2, which takes several times as long. For the elements it reads, its result
/// equals libxml2's.
struct PlainReader: ~Copyable {
  private var tables = PlainTables()
  /// The number of open elements.
  private var depth = 0
  private var elements = 0
  private var limits: StreamLimits

  /// The maximum number of attributes of an element: each is compared with those before it.
  private static let maximumAttributes = 16
  /// The limits of libxml2 are 256 nested elements and values of 10 MB; these are stricter.
  private static let maximumDepth = 128
  private static let maximumBytes = 8 << 20

  init(limits: StreamLimits) {
    self.limits = limits
    self.limits.depth = min(limits.depth, Self.maximumDepth)
    self.limits.attributesPerElement = min(limits.attributesPerElement, Self.maximumAttributes)
    self.limits.bytesPerElement = min(limits.bytesPerElement, Self.maximumBytes)
  }

  /// Reads the element at the beginning of some bytes.
  ///
  /// - Returns: The length of the element; nil if libxml2 must read it.
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

  /// The last element read, valid until another one is read.
  ///
  /// - Parameter bytes: The bytes from which the element was read; it borrows them.
  func element(borrowing bytes: RawSpan) -> XMPPElement {
    tables.element(borrowing: bytes)
  }

  // Each index advances only past nonzero bytes, and so never beyond the end.

  // MARK: Tags

  /// Reads the end tag of the open element after its `<`; false if something else comes there.
  @inline(__always)
  private mutating func readEndTag(_ bytes: PaddedBytes, _ index: inout Int) -> Bool {
    let name = tables.openName
    // The byte after the `/` exists, because no name contains a zero.
    guard bytes.has(name, at: index &+ 1), bytes[index &+ 1 &+ name.count] == UInt8(ascii: ">")
    else { return false }
    index &+= 2 &+ name.count
    tables.close()
    depth &-= 1
    return true
  }

  /// Reads a start tag after its `<`; false if it is unusual.
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
    var remaining = limits.attributesPerElement
    var hasDeclaration = false
    while bytes[index] == UInt8(ascii: " ") {
      index &+= 1
      switch bytes[index] {
      case UInt8(ascii: " "), UInt8(ascii: "/"), UInt8(ascii: ">"): continue
      default: break
      }
      guard remaining > 0, let name = bytes.name(at: &index), bytes[index] == UInt8(ascii: "=")
      else { return false }
      remaining &-= 1
      let quote = bytes[index &+ 1]
      guard quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else { return false }
      index &+= 2
      let start = index
      guard let isEscaped = readValue(bytes, &index, quote) else { return false }
      let value = Range(uncheckedBounds: (start, index))
      index &+= 1
      if name == .xmlns {
        guard !hasDeclaration, !isEscaped, bytes.isPlainNamespace(value) else { return false }
        hasDeclaration = true
        tables.declare(value)
      } else {
        guard tables.addAttribute(name, value, isEscaped: isEscaped) else { return false }
      }
    }
    return true
  }

  // MARK: Values and texts

  /// Reads a value up to its closing quote.
  ///
  /// - Returns: Whether the value contains references; nil if it contains something that XML would
  ///   change or forbid.
  @inline(__always)
  private mutating func readValue(
    _ bytes: PaddedBytes, _ index: inout Int, _ quote: UInt8
  ) -> Bool? {
    let start = index
    var isEscaped = false
    // The combined marks of all bytes, and of some bytes after them.
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

  /// Reads the text before the next `<`; false if it contains something that XML would change or
  /// forbid.
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
      // `]]>` is not allowed.
      case UInt8(ascii: "]") where bytes[index &+ 1] != UInt8(ascii: "]"): index &+= 1
      case UInt8(ascii: "\n"), UInt8(ascii: "\t"): index &+= 1
      default: return false
      }
    }
  }
}

extension PaddedBytes {
  /// Whether a plain element may declare the namespace in a range: visible ASCII characters only.
  fileprivate func isPlainNamespace(_ range: Range<Int>) -> Bool {
    var index = range.lowerBound
    while index < range.upperBound {
      let marks = marksOfNoGraphics(at: index)
      index &+= marks.isEmpty ? Self.padding : marks.first
      guard marks.isEmpty else { break }
    }
    // The bytes after the range are irrelevant.
    guard !range.isEmpty, index >= range.upperBound else { return false }
    return !isRefused(slice(range))
  }

  private static let declarations = "http://www.w3.org/2000/xmlns/"
  /// The length of the shortest refused namespace. Most namespaces are shorter and need no
  /// comparison.
  private static var shortestRefused: Int { declarations.utf8.count }

  /// Whether no plain element may be in a namespace: XML forbids it, or the stream itself uses it.
  @inline(__always)
  private func isRefused(_ namespace: RawSpan) -> Bool {
    namespace.byteCount >= Self.shortestRefused
      && (Namespace.xml.hasBytes(namespace) || Namespace.streams.hasBytes(namespace)
        || Self.declarations.hasBytes(namespace))
  }
}
