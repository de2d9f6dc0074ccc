import RawBytes

/// Counts the attributes of start tags before libxml2 sees them: it calls back only after a whole
/// tag, having compared each attribute with all others, so that the time of one tag grows with the
/// square of their number.
///
/// It looks at every byte that libxml2 is given, in order, and tells markup from text only as far
/// as counting needs. What is no XML it may count wrongly: libxml2 refuses it.
struct TagMeter {
  private enum Place {
    case text
    /// After a `<`.
    case markup
    /// In a start tag, with so many attributes so far.
    case tag(attributes: Int)
    /// In an attribute's value, which ends with this quote.
    case value(attributes: Int, quote: UInt8)
    /// In an end tag, or in what stands after `<?` or `<!`, which is refused unless it is a section
    /// of characters.
    case other
    /// After `<![`, with so many of the brackets that end it just before.
    case section(brackets: Int)
  }

  private var place = Place.text
  /// How many bytes stand before those that it looks at next, and before the last `<`.
  private var seen = 0
  private var openedAt = 0
  private let most: Int

  /// - Parameter most: How many attributes and declarations a tag may have.
  init(most: Int) {
    self.most = most
  }

  /// Looks at the next bytes.
  ///
  /// - Returns: The index before which a tag has as many attributes as it may; nil where none has
  ///   more.
  mutating func excess(in bytes: RawSpan) -> Int? {
    for index in bytes.byteOffsets {
      if case .text = place { openedAt = seen + index }
      guard !take(bytes[index]) else { return index }
    }
    seen += bytes.byteCount
    return nil
  }

  /// How many of the bytes that it has looked at are of a start tag that is not whole.
  var openBytes: Int {
    switch place {
    case .text, .other, .section: 0
    case .markup, .tag, .value: seen - openedAt
    }
  }

  /// Whether the byte begins the value of one attribute too many.
  private mutating func take(_ byte: UInt8) -> Bool {
    switch place {
    case .text: if byte == UInt8(ascii: "<") { place = .markup }
    case .markup:
      switch byte {
      case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "!"): place = .other
      default: place = .tag(attributes: 0)
      }
    case .tag(let attributes):
      switch byte {
      case UInt8(ascii: ">"): place = .text
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        guard attributes < most else { return true }
        place = .value(attributes: attributes + 1, quote: byte)
      default: break
      }
    case .value(let attributes, let quote):
      if byte == quote { place = .tag(attributes: attributes) }
    case .other:
      switch byte {
      case UInt8(ascii: ">"): place = .text
      case UInt8(ascii: "["): place = .section(brackets: 0)
      default: break
      }
    case .section(let brackets):
      switch byte {
      case UInt8(ascii: "]"): place = .section(brackets: min(2, brackets + 1))
      case UInt8(ascii: ">") where brackets == 2: place = .text
      default: place = .section(brackets: 0)
      }
    }
    return false
  }
}
