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
  /// Of several texts, the one in the language of the stanza is meant for its reader (RFC 6120
  /// §4.7.4, §8.3.2); if there is none, the first one counts.
  ///
  /// - Parameters:
  ///   - error: The element; nil, which says nothing, if an answer of type `error` has none.
  ///   - stanza: The stanza that has it; nil if it is none of a stanza.
  ///   - namespaces: The namespaces of conditions and texts.
  package init(
    _ error: XMPPElement?, of stanza: XMPPElement? = nil, in namespaces: String...
  ) {
    guard let error else { return }
    var texts: [(words: String, language: String?)] = []
    for child in error.children where namespaces.contains(child.name.namespace) {
      if child.name.local == "text" {
        texts.append((child.text.onOneLine, child.language))
      } else if condition == nil {
        condition = child.name.local.limited
      }
    }
    if condition == nil { texts.append((error.text.onOneLine, nil)) }
    texts.removeAll { $0.words.isEmpty }
    if texts.count > 1, let wanted = error.language ?? stanza?.language {
      let meant = texts.first { $0.language.map { $0 == wanted } ?? true }
      text = (meant ?? texts.first)?.words.limited
    } else {
      text = texts.first?.words.limited
    }
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

extension XMPPElement {
  /// The value of its own `xml:lang`, in lower case: language tags ignore case (RFC 5646 §2.1.1).
  fileprivate var language: String? {
    attributes.first { $0.name == XMLName("lang", in: Namespace.xml) }?.value.lowercased()
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
