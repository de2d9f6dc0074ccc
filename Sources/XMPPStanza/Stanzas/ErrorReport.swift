import RawBytes

/// What an error says: a stanza's (RFC 6120 §8.3), a stream's (§4.9) or a login's (§6.5).
///
/// Everyone who can send an error chooses its words, so both parts are limited.
package struct ErrorReport: Sendable {
  /// The name of the defined condition; nil if the error has none.
  package var condition: String?
  /// What the error says in words, on one line; nil if it says nothing.
  package var text: String?

  /// The most bytes of UTF-8 that a condition or a text has. A longer one ends with “…”.
  package static let textLimit = 512

  /// A report of these parts, which are kept as they are.
  package init(condition: String? = nil, text: String? = nil) {
    (self.condition, self.text) = (condition, text)
  }

  /// Reads the element that has the condition as a child. Complexity: linear in its text.
  ///
  /// Errors from before XMPP 1.0 have no condition and their words as text of the element itself.
  ///
  /// - Parameters:
  ///   - error: The element; nil, which says nothing, if an answer of type `error` has none.
  ///   - namespaces: The namespaces of conditions and texts.
  package init(_ error: XMPPElement?, in namespaces: String...) {
    guard let error else { return }
    var texts: [String] = []
    for child in error.children where namespaces.contains(child.name.namespace) {
      if child.name.local == "text" {
        texts.append(child.text)
      } else if condition == nil {
        condition = child.name.local.limited
      }
    }
    if condition == nil { texts.append(error.text) }
    text = texts.lazy.map(\.onOneLine).first { !$0.isEmpty }?.limited
  }

  /// The report in a clause: `not-allowed: “Your list is full”`.
  package var clause: String {
    let words = text.map { "“\($0)”" }
    guard let condition else { return words ?? "no condition" }
    return words.map { "\(condition): \($0)" } ?? condition
  }
}

extension ErrorReport: Hashable {
  /// Whether both say the same, by their bytes.
  package static func == (a: ErrorReport, b: ErrorReport) -> Bool {
    a.condition.hasSameBytes(as: b.condition) && a.text.hasSameBytes(as: b.text)
  }

  /// Feeds both parts into a hasher.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(bytesOf: condition)
    hasher.combine(bytesOf: text)
  }
}

extension String {
  /// The text without white space at its ends, and with one space for each run of it.
  fileprivate var onOneLine: String {
    let words = utf8.split(whereSeparator: \.isXMLSpace)
    return words.map { String(Substring($0)) }.joined(separator: " ")
  }

  /// The text, cut after a character so that it does not exceed the limit.
  fileprivate var limited: String {
    guard utf8.count > ErrorReport.textLimit else { return self }
    let end = "…"
    var count = end.utf8.count
    let kept = prefix { character in
      count += character.utf8.count
      return count <= ErrorReport.textLimit
    }
    return kept + end
  }
}
