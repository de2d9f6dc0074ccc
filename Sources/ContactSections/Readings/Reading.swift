/// How a name is read: what it is sorted and searched by.
public struct Reading: Hashable, Sendable {
  /// A character of a name, or several that count as one.
  enum Element: Hashable, Sendable {
    /// A Han character: as it stands there, simplified, and its reading in this context; nil
    /// where nobody knows one.
    case han(UInt32, folded: UInt32, Syllable?)
    /// A letter a to z, and whether it begins a word.
    case letter(UInt8, isFirst: Bool)
    /// A number in decimal digits.
    case number(digits: [UInt8])
    case symbol(UInt32)
    /// A letter of another script, in lower case.
    case other(UInt32)
  }

  /// The name that is read.
  public let name: String
  let elements: [Element]
  /// The section that the name stands in.
  public let section: SectionKey

  /// The syllables of the Han characters, in order.
  public var syllables: [Syllable] {
    elements.compactMap { if case .han(_, _, let syllable) = $0 { syllable } else { nil } }
  }

  /// The name in Latin letters, as far as it has them: `zhāng sān`, `alice`, `wǒ ài beijing`.
  public var pinyin: String {
    var text = ""
    var wasLetter = false
    for element in elements {
      var isLetter = false
      var part = ""
      switch element {
      case .han(let raw, _, let syllable): part = syllable?.marked ?? Self.text(raw)
      case .letter(let letter, let isFirst):
        part = Self.text(UInt32(letter))
        isLetter = true
        if isFirst { wasLetter = false }
      case .number(let digits): part = String(decoding: digits, as: UTF8.self)
      case .symbol(let scalar), .other(let scalar): part = Self.text(scalar)
      }
      text += (text.isEmpty || isLetter && wasLetter ? "" : " ") + part
      wasLetter = isLetter
    }
    return text
  }

  private static func text(_ scalar: UInt32) -> String {
    Unicode.Scalar(scalar).map { String($0) } ?? ""
  }
}
