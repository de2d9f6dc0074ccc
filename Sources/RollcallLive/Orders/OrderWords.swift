import Rollcall

/// The words of an order, taken from its beginning.
struct OrderWords {
  /// The order that the words are for, in errors.
  var verb = ""
  private var words: ArraySlice<String>

  /// Splits a line into words. White space in quotation marks or after a backslash is part of a
  /// word; an apostrophe is a letter.
  init(_ line: String) throws(OrderError) {
    var words: [String] = []
    var word: String?
    var isQuoted = false
    var isEscaped = false
    for character in line {
      if isEscaped {
        word = (word ?? "") + String(character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        isQuoted.toggle()
        word = word ?? ""
      } else if character.isWhitespace, !isQuoted {
        if let done = word { words.append(done) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    guard !isQuoted, !isEscaped else { throw .openQuote }
    self.words = (words + [word].compactMap { $0 })[...]
  }

  /// Takes the next word; nil if none is left.
  mutating func next() -> String? { words.popFirst() }

  /// Takes all words that are left.
  mutating func rest() -> [String] {
    defer { words = [] }
    return Array(words)
  }

  /// Takes all words that are left as one text.
  mutating func text() -> String { rest().joined(separator: " ") }

  /// Takes all words that are left as one text that must not be empty.
  mutating func requiredText() throws(OrderError) -> String {
    let text = text()
    guard !text.isEmpty else { throw .missingText(verb) }
    return text
  }

  /// Takes a contact.
  mutating func contact(_ naming: (String) throws -> BareJID) throws -> BareJID {
    guard let name = next() else { throw OrderError.missingContact(verb) }
    return try naming(name)
  }

  /// Takes a contact that need not be known yet.
  mutating func newContact(_ naming: (String) throws -> BareJID) throws -> BareJID {
    guard let text = next() else { throw OrderError.missingContact(verb) }
    if text.contains("@"), let jid = try? BareJID(parsing: text) { return jid }
    return try naming(text)
  }

  /// Takes a file.
  mutating func file() throws(OrderError) -> String {
    guard let path = next() else { throw .missingFile(verb) }
    return path
  }

  /// Takes all words that are left, each of the form `key=value`.
  ///
  /// - Parameters:
  ///   - keys: The keys that may be given once.
  ///   - repeated: The key that may be given several times.
  mutating func values(
    _ keys: [String], repeated: String? = nil
  ) throws(OrderError) -> (single: [String: String], several: [String]) {
    var single: [String: String] = [:]
    var several: [String] = []
    for word in rest() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { throw .unexpected(word) }
      let (key, value) = (String(parts[0]), String(parts[1]))
      if key == repeated {
        several.append(value)
      } else if keys.contains(key), single[key] == nil {
        single[key] = value
      } else {
        throw .unexpected(word)
      }
    }
    return (single, several)
  }
}
