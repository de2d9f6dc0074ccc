import XMPPStanza

/// What a person wants to see of a story: terms separated by spaces, all of which must hold.
///
/// `-` before a term negates it, and quotation marks keep spaces. `kind:iq`, `way:out`,
/// `on:phone`, `is:finding` and `who:bob` select by field; anything else is a text to find.
package struct StoryQuery: Hashable, Sendable {
  /// What a term asks.
  package enum Condition: Hashable, Sendable {
    /// The record holds this.
    case kind(RecordContent)
    /// It went this way: `in`, `out` or `none`.
    case way(Way)
    /// Its connection has this label, resource or number, or one that begins so.
    case on(String)
    /// It has this property.
    case property(Property)
    /// It concerns a contact whose address or name contains this.
    case who(String)
    /// Its texts contain this, in whatever case.
    case text(String)
  }

  /// The way of a record.
  package enum Way: String, Hashable, Sendable, CaseIterable {
    case `in`, out, none
  }

  /// What `is:` can ask.
  package enum Property: String, Hashable, Sendable, CaseIterable {
    /// It has a finding; of a severity.
    case finding, error, warning, info
    /// It changed something that lasts, or is odd.
    case lasting
    /// It changed something, or is odd.
    case change
  }

  /// A term.
  package struct Term: Hashable, Sendable {
    package let condition: Condition
    package let isNegated: Bool
  }

  /// The terms, in the order in which they were written.
  package let terms: [Term]

  /// A term that cannot be understood.
  package struct Malformed: Error, Hashable, Sendable, CustomStringConvertible {
    /// The term, as it was written.
    package let term: String
    /// Why, in a sentence.
    package let description: String
  }

  /// Whether a term looks for a text in the words of records.
  package var looksForText: Bool {
    terms.contains { term in
      if case .text = term.condition { true } else { false }
    }
  }

  /// Reads a query; an empty one selects everything.
  ///
  /// - Throws: `Malformed` at the first term whose value its field does not have.
  package init(parsing text: String) throws(Malformed) {
    var terms: [Term] = []
    for word in Self.words(of: text) {
      let condition = word.isQuoted ? .text(word.text) : try Self.condition(word.text)
      terms.append(Term(condition: condition, isNegated: word.isNegated))
    }
    self.terms = terms
  }

  private static func condition(_ term: String) throws(Malformed) -> Condition {
    guard let colon = term.firstIndex(of: ":") else { return .text(term) }
    let value = String(term[term.index(after: colon)...])
    switch term[..<colon] {
    case "kind":
      guard let kind = RecordContent(name: value) else {
        throw refusal(term, RecordContent.allCases.map(\.name))
      }
      return .kind(kind)
    case "way":
      guard let way = Way(rawValue: value) else {
        throw refusal(term, Way.allCases.map(\.rawValue))
      }
      return .way(way)
    case "is":
      guard let property = Property(rawValue: value) else {
        throw refusal(term, Property.allCases.map(\.rawValue))
      }
      return .property(property)
    case "on":
      guard !value.isEmpty else { throw Malformed(term: term, description: "on: needs a device") }
      return .on(value)
    case "who":
      guard !value.isEmpty else { throw Malformed(term: term, description: "who: needs a contact") }
      return .who(value)
    // Other words with a colon are texts, such as an address with a port.
    default: return .text(term)
    }
  }

  private static func refusal(_ term: String, _ values: [String]) -> Malformed {
    let field = term.prefix { $0 != ":" }
    return Malformed(
      term: term,
      description: "“\(term)” selects nothing: \(field): takes " + values.joined(separator: ", "))
  }

  /// A word of a query.
  private struct Word {
    var text = ""
    var isNegated = false
    /// It began with a quotation mark, so that a colon in it means nothing.
    var isQuoted = false
  }

  /// The words of a text. Quotation marks keep spaces wherever they stand, as in `who:"Zhang San"`;
  /// one that is still open counts up to the end, because it is still being typed.
  private static func words(of text: String) -> [Word] {
    var words: [Word] = []
    var word = Word()
    var isInside = false
    func end() {
      let isMinus = word.isNegated && word.text.isEmpty && !word.isQuoted
      if isMinus { word = Word(text: "-") }
      if !word.text.isEmpty { words.append(word) }
      word = Word()
    }
    for character in text {
      let isFirst = word.text.isEmpty && !word.isQuoted
      switch character {
      case "\"":
        if isFirst { word.isQuoted = true }
        isInside.toggle()
      case "-" where isFirst && !word.isNegated: word.isNegated = true
      case _ where character.isWhitespace && !isInside: end()
      case _: word.text.append(character)
      }
    }
    end()
    return words
  }
}
