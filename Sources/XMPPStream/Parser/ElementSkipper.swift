import XMPPStanza

/// Passes over a top-level element that is beyond a limit, so that the stream can go on after it.
///
/// The element is taken to be well formed, as a server makes it of what others send: tags are
/// counted, and nothing of them is compared or kept but what the element is called and its first
/// bytes.
package struct ElementSkipper: Hashable, Sendable {
  /// The most of the element's first bytes that are kept.
  package static let limit = 64 << 10

  /// Why the element cannot be taken.
  package let reason: StreamError.Kind
  /// The element's first bytes, at most `limit`.
  package private(set) var kept: [UInt8] = []
  /// How many bytes of the element came.
  package private(set) var count = 0
  private var place = Place.text
  /// How many elements are open.
  private var depth = 0
  /// The declaration of a default namespace in the element's own tag.
  private var namespace: [UInt8]?
  /// The element's own name, as written.
  private var name: [UInt8] = []

  private enum Place: Hashable {
    case text
    /// After a `<`.
    case markup
    /// In an element's name.
    case name
    /// In a start tag outside of values, after this attribute's name or a part of it; whether the
    /// last byte was a slash.
    case tag(attribute: [UInt8], isSlash: Bool)
    /// In the value of an attribute, which ends with this quote.
    case value(attribute: [UInt8], quote: UInt8)
    case endTag
    /// After `<!`, which begins a section of characters: nothing else of this kind is allowed.
    case declaration
    /// In a section of characters, with so many of the brackets that end it just before.
    case section(brackets: Int)
    /// After the element.
    case done
  }

  /// An element that is refused for this reason; its bytes, from the `<` on, go to `skip`.
  package init(refusedFor reason: StreamError.Kind) {
    self.reason = reason
  }

  /// Whether the element has ended.
  package var isDone: Bool { place == .done }

  /// Whether the element, whose own tag has ended, is a stanza (RFC 6120 §8): so it is counted
  /// (XEP-0198 §4).
  package var isStanza: Bool {
    ["iq", "message", "presence"].contains { name.elementsEqual($0.utf8) }
      && namespace.map { $0.elementsEqual(Namespace.client.utf8) } ?? true
  }

  /// Whether the element is the header of a stream, which has no end to skip to.
  package var isHeader: Bool { name.elementsEqual("stream:stream".utf8) }

  /// Passes over bytes of the element.
  ///
  /// - Returns: What comes after it; nothing while it has not ended.
  ///
  /// Complexity: linear in the bytes of the element.
  package mutating func skip(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var index = bytes.startIndex
    while index < bytes.endIndex, place != .done {
      take(bytes[index])
      index += 1
    }
    let taken = bytes[..<index]
    kept += taken.prefix(Self.limit - kept.count)
    count += taken.count
    return bytes[index...]
  }

  private mutating func take(_ byte: UInt8) {
    switch place {
    case .text: if byte == UInt8(ascii: "<") { place = .markup }
    case .markup:
      switch byte {
      case UInt8(ascii: "/"): place = .endTag
      case UInt8(ascii: "!"): place = .declaration
      default:
        if depth == 0 { name = [byte] }
        place = .name
      }
    case .name:
      switch byte {
      case UInt8(ascii: ">"): tagEnded(isEmptyElement: false)
      case UInt8(ascii: "/"): place = .tag(attribute: [], isSlash: true)
      case _ where byte.isXMLSpace: place = .tag(attribute: [], isSlash: false)
      default: if depth == 0, name.count < Self.nameLimit { name.append(byte) }
      }
    case .tag(let attribute, let isSlash): take(byte, inTagAfter: attribute, isSlash)
    case .value(let attribute, let quote):
      if byte == quote {
        place = .tag(attribute: [], isSlash: false)
      } else if depth == 0, attribute.elementsEqual("xmlns".utf8),
        namespace?.count ?? 0 < Self.nameLimit
      {
        namespace?.append(byte)
      }
    case .endTag:
      guard byte == UInt8(ascii: ">") else { break }
      depth -= 1
      place = depth == 0 ? .done : .text
    case .declaration: if byte == UInt8(ascii: "[") { place = .section(brackets: 0) }
    case .section(let brackets):
      switch byte {
      case UInt8(ascii: "]"): place = .section(brackets: min(2, brackets + 1))
      case UInt8(ascii: ">") where brackets == 2: place = .text
      default: place = .section(brackets: 0)
      }
    case .done: break
    }
  }

  private mutating func take(
    _ byte: UInt8, inTagAfter attribute: [UInt8], _ isSlash: Bool
  ) {
    switch byte {
    case UInt8(ascii: ">"): tagEnded(isEmptyElement: isSlash)
    case UInt8(ascii: "/"): place = .tag(attribute: [], isSlash: true)
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      if depth == 0, attribute.elementsEqual("xmlns".utf8) { namespace = [] }
      place = .value(attribute: attribute, quote: byte)
    case UInt8(ascii: "="): break
    case _ where byte.isXMLSpace: break
    default:
      // Only the element's own tag says what it is.
      guard depth == 0, attribute.count < Self.nameLimit else { break }
      place = .tag(attribute: attribute + [byte], isSlash: false)
    }
  }

  private mutating func tagEnded(isEmptyElement: Bool) {
    if !isEmptyElement { depth += 1 }
    place = depth == 0 ? .done : .text
  }

  /// Longer than any name that matters here.
  private static let nameLimit = 32
}
