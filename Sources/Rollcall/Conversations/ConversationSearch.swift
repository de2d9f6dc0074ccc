import ContactSections
package import ConversationCore

/// A search for messages by what they say.
///
/// The text is matched like the name of a contact on the contacts screen: at any character, by its
/// own characters, by pinyin, or by first letters.
package struct ConversationSearch: Sendable {
  private let query: NameQuery

  /// Prepares a search; nil if the text has nothing visible.
  package init?(_ text: String) {
    guard text.contains(where: { !$0.isWhitespace }) else { return nil }
    query = NameQuery(text)
  }

  /// Whether a message says the text now, or names a file so. A retracted or encrypted message says
  /// nothing.
  ///
  /// Complexity: O(n m) for a body of n characters and a text of m.
  package func matches(_ message: Message) -> Bool {
    matches(message.body) || message.attachments.contains { matches($0.name ?? "") }
  }

  private func matches(_ text: String) -> Bool {
    !text.isEmpty && query.match(PinyinReader.reading(of: text)) != nil
  }
}
