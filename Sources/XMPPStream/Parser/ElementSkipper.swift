import XMPPStanza

/// Skips a top-level element that exceeds a limit, so that the stream can continue after it.
///
/// Assumes that the element is well formed, because the server serialized it. Tags are counted but
/// not compared, and only the element's name and its first bytes are kept.
package struct ElementSkipper: Hashable, Sendable {
  /// The maximum number of kept bytes.
  package static let limit = 64 << 10

  /// Why the element is refused.
  package let reason: StreamError.Kind
  /// The first bytes of the element, at most `limit`.
  package private(set) var kept: [UInt8] = []
  /// The number of bytes of the element so far.
  package private(set) var count = 0
  private var state = State.text
  /// The number of open elements.
  private var depth = 0
  /// The default namespace that the element's own tag declares.
  private var namespace: [UInt8]?
  /// The name of the element as written.
  private var name: [UInt8] = []

  private enum State: Hashable {
    case text
    /// After a `<`.
    case markup
    /// In an element's name.
    case name
    /// In a start tag outside of values, after this attribute's name or a part of it. The flag says
    /// whether the last byte was a slash.
    case tag(attribute: [UInt8], isSlash: Bool)
    /// In the value of an attribute, which ends with this quote.
    case value(attribute: [UInt8], quote: UInt8)
    case endTag
    /// After `<!`, which can only begin a CDATA section: nothing else of this kind is allowed.
    case declaration
    /// In a CDATA section, after this many of the brackets that end it.
    case section(brackets: Int)
    /// After the element.
    case done
  }

  /// A skipper for an element that is refused for this reason; pass its bytes, from the `<` on, to
  /// `skip`.
  package init(refusedFor reason: StreamError.Kind) {
    self.reason = reason
  }

  /// Whether the element is complete.
  package var isDone: Bool { state == .done }

  /// Whether the element, whose own tag must be complete, is a stanza (RFC 6120 §8), and so counts
  /// for stream management (XEP-0198 §4).
  package var isStanza: Bool {
    ["iq", "message", "presence"].contains { name.elementsEqual($0.utf8) }
      && namespace.map { $0.elementsEqual(Namespace.client.utf8) } ?? true
  }

  /// Whether the element is a stream header, which has no end to skip to.
  package var isHeader: Bool { name.elementsEqual("stream:stream".utf8) }

  /// Skips bytes of the element.
  ///
  /// - Returns: The bytes after the element; empty while it is incomplete.
  ///
  /// Complexity: linear in the bytes of the element.
  package mutating func skip(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var index = bytes.startIndex
    while index < bytes.endIndex, state != .done {
      consume(bytes[index])
      index += 1
    }
    let skipped = bytes[..<index]
    kept += skipped.prefix(Self.limit - kept.count)
    count += skipped.count
    return bytes[index...]
  }

  private mutating func consume(_ byte: UInt8) {
    switch state {
    case .text: if byte == UInt8(ascii: "<") { state = .markup }
    case .markup:
      switch byte {
      case UInt8(ascii: "/"): state = .endTag
      case UInt8(ascii: "!"): state = .declaration
      default:
        if depth == 0 { name = [byte] }
        state = .name
      }
    case .name:
      switch byte {
      case UInt8(ascii: ">"): tagEnded(isEmptyElement: false)
      case UInt8(ascii: "/"): state = .tag(attribute: [], isSlash: true)
      case _ where byte.isXMLSpace: state = .tag(attribute: [], isSlash: false)
      default: if depth == 0, name.count < Self.nameLimit { name.append(byte) }
      }
    case .tag(let attribute, let isSlash): consume(byte, inTagAfter: attribute, isSlash)
    case .value(let attribute, let quote):
      if byte == quote {
        state = .tag(attribute: [], isSlash: false)
      } else if depth == 0, attribute.elementsEqual("xmlns".utf8),
        namespace?.count ?? 0 < Self.nameLimit
      {
        namespace?.append(byte)
      }
    case .endTag:
      guard byte == UInt8(ascii: ">") else { break }
      depth -= 1
      state = depth == 0 ? .done : .text
    case .declaration: if byte == UInt8(ascii: "[") { state = .section(brackets: 0) }
    case .section(let brackets):
      switch byte {
      case UInt8(ascii: "]"): state = .section(brackets: min(2, brackets + 1))
      case UInt8(ascii: ">") where brackets == 2: state = .text
      default: state = .section(brackets: 0)
      }
    case .done: break
    }
  }

  private mutating func consume(
    _ byte: UInt8, inTagAfter attribute: [UInt8], _ isSlash: Bool
  ) {
    switch byte {
    case UInt8(ascii: ">"): tagEnded(isEmptyElement: isSlash)
    case UInt8(ascii: "/"): state = .tag(attribute: [], isSlash: true)
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      if depth == 0, attribute.elementsEqual("xmlns".utf8) { namespace = [] }
      state = .value(attribute: attribute, quote: byte)
    case UInt8(ascii: "="): break
    case _ where byte.isXMLSpace: break
    default:
      // Only the element's own tag determines what it is.
      guard depth == 0, attribute.count < Self.nameLimit else { break }
      state = .tag(attribute: attribute + [byte], isSlash: false)
    }
  }

  private mutating func tagEnded(isEmptyElement: Bool) {
    if !isEmptyElement { depth += 1 }
    state = depth == 0 ? .done : .text
  }

  /// Longer than any name of interest.
  private static let nameLimit = 32
}
