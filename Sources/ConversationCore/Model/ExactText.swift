import RawBytes

/// A text that is compared by its bytes, such as an id or a nick.
///
/// Swift compares strings by canonical equivalence, but a server compares ids byte for byte.
package struct ExactText: Sendable {
  /// The text.
  package let text: String

  /// A text to compare by its bytes.
  package init(_ text: String) {
    self.text = text
  }
}

extension ExactText: Hashable {
  /// Whether both texts have equal bytes.
  package static func == (a: ExactText, b: ExactText) -> Bool { a.text.hasSameBytes(as: b.text) }

  /// Feeds the bytes into a hasher.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(bytesOf: text)
  }
}

extension ExactText: Comparable {
  /// Orders by bytes.
  package static func < (a: ExactText, b: ExactText) -> Bool { a.text.precedesByBytes(b.text) }
}
