import XMPPStanza

/// The reason that a program's log gives for the end of a connection.
enum EndReason {
  /// The maximum length in bytes: anyone may choose the words of a stream error.
  private static let maximumBytes = 256

  /// Returns the reason after the message that reports the end, which a colon separates from it.
  ///
  /// Nil if there is none.
  static func following(_ text: ArraySlice<UInt8>) -> String? {
    guard text.starts(with: ": ".utf8) else { return nil }
    return reason(text.dropFirst(2))
  }

  /// The number of bytes that are kept of a text, which end with a whole character.
  private static func length(of text: ArraySlice<UInt8>) -> Int {
    guard text.count > maximumBytes else { return text.count }
    // A character has at most three bytes after its first one.
    return (maximumBytes - 3...maximumBytes).last {
      !UTF8.isContinuation(text[text.startIndex + $0])
    } ?? maximumBytes
  }

  /// Returns the reason in a whole text; nil if it is blank.
  static func reason(_ text: ArraySlice<UInt8>) -> String? {
    let words = String(decoding: text.prefix(length(of: text)), as: UTF8.self).trimmedOfXMLSpace
    return words.isEmpty ? nil : words
  }
}
