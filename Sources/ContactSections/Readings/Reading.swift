/// The reading of a name, used for sorting and searching.
public struct Reading: Hashable, Sendable {
  /// One character of a name, or several that count as one.
  enum Element: Hashable, Sendable {
    case han(Han)
    /// A letter a to z, and whether it begins a word.
    case letter(UInt8, isFirst: Bool)
    /// A number: its first index in the name's digits, and how many digits it has.
    case number(start: Int32, count: Int32)
    case symbol(UInt32)
    /// A letter of another script, in lower case.
    case other(UInt32)
  }

  /// A Han character in a name.
  struct Han: Hashable, Sendable {
    /// The character as written in the name.
    let raw: UInt32
    /// The simplified form.
    let folded: UInt32
    /// The reading in this context; nil if no reading is known.
    let reading: Syllable?
    /// Whether the character may have other readings.
    let mayReadOtherwise: Bool

    /// Calls a closure with each other reading: those of the national standard, and the usual one
    /// if context selected a rarer one.
    func forEachOtherReading(_ body: (Syllable) -> Void) {
      guard mayReadOtherwise else { return }
      HanCharacter.forEachOtherReading(raw, body)
      if let usual = HanCharacter.entry(raw)?.reading, usual != reading { body(usual) }
    }
  }

  /// The name that was read.
  public let name: String
  let elements: [Element]
  /// The decimal digits of all numbers.
  private let digits: [UInt8]
  /// The section in which the name is listed.
  public let section: SectionKey

  /// The syllables of the Han characters, in order.
  public var syllables: [Syllable] {
    elements.compactMap { if case .han(let han) = $0 { han.reading } else { nil } }
  }

  init(name: String, elements: [Element], digits: [UInt8], section: SectionKey) {
    self.name = name
    self.elements = elements
    self.digits = digits
    self.section = section
  }

  /// The digits of a number.
  func digits(_ start: Int32, _ count: Int32) -> ArraySlice<UInt8> {
    digits[Int(start)..<Int(start + count)]
  }

  /// The name in Latin letters as far as possible: `zhāng sān`, `alice`, `wǒ ài beijing`.
  public var pinyin: String {
    var text = ""
    var wasLetter = false
    for element in elements {
      var isLetter = false
      var part = ""
      switch element {
      case .han(let han): part = han.reading?.marked ?? Self.text(han.raw)
      case .letter(let letter, let isFirst):
        part = Self.text(UInt32(letter))
        isLetter = true
        if isFirst { wasLetter = false }
      case .number(let start, let count):
        part = String(decoding: digits(start, count), as: UTF8.self)
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
