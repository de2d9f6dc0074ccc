import RawBytes

/// Counts the attributes of start tags before libxml2 sees them. libxml2 calls back only after a
/// complete tag, having compared each attribute with all others, so that the time for one tag grows
/// with the square of their number.
///
/// It reads every byte that libxml2 is fed, in order, and distinguishes markup from text only as
/// far as counting requires. It may miscount malformed XML, which libxml2 refuses.
struct TagMeter {
  private enum State {
    case text
    /// After a `<`.
    case markup
    /// In a start tag, after this many attributes.
    case tag(attributes: Int)
    /// In an attribute's value, which ends with this quote.
    case value(attributes: Int, quote: UInt8)
    /// In an end tag, or after `<?` or `<!`, which are refused unless they begin a CDATA section.
    case other
    /// After `<![`, after this many of the brackets that end it.
    case section(brackets: Int)
  }

  private var state = State.text
  /// The number of bytes read before the current ones, and before the last `<`.
  private var seen = 0
  private var tagStart = 0
  private let attributeLimit: Int

  /// - Parameter attributeLimit: The maximum number of attributes and declarations of a tag.
  init(attributeLimit: Int) {
    self.attributeLimit = attributeLimit
  }

  /// Reads the next bytes.
  ///
  /// - Returns: The index of the quote that begins one attribute too many; nil if no tag exceeds
  ///   the limit.
  mutating func excess(in bytes: RawSpan) -> Int? {
    for index in bytes.byteOffsets {
      if case .text = state { tagStart = seen + index }
      guard !exceedsLimit(bytes[index]) else { return index }
    }
    seen += bytes.byteCount
    return nil
  }

  /// The number of bytes read that belong to an incomplete start tag.
  var openBytes: Int {
    switch state {
    case .text, .other, .section: 0
    case .markup, .tag, .value: seen - tagStart
    }
  }

  /// Reads a byte and returns whether it begins the value of one attribute too many.
  private mutating func exceedsLimit(_ byte: UInt8) -> Bool {
    switch state {
    case .text: if byte == UInt8(ascii: "<") { state = .markup }
    case .markup:
      switch byte {
      case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "!"): state = .other
      default: state = .tag(attributes: 0)
      }
    case .tag(let attributes):
      switch byte {
      case UInt8(ascii: ">"): state = .text
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        guard attributes < attributeLimit else { return true }
        state = .value(attributes: attributes + 1, quote: byte)
      default: break
      }
    case .value(let attributes, let quote):
      if byte == quote { state = .tag(attributes: attributes) }
    case .other:
      switch byte {
      case UInt8(ascii: ">"): state = .text
      case UInt8(ascii: "["): state = .section(brackets: 0)
      default: break
      }
    case .section(let brackets):
      switch byte {
      case UInt8(ascii: "]"): state = .section(brackets: min(2, brackets + 1))
      case UInt8(ascii: ">") where brackets == 2: state = .text
      default: state = .section(brackets: 0)
      }
    }
    return false
  }
}
