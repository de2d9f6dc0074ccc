/// The role that a scalar plays in a contact's name.
enum CharacterKind {
  /// White space, which separates words.
  case space
  /// Not visible: controls, bidi marks, variation selectors.
  case invisible
  /// A mark on the preceding character.
  case mark
  /// The middle dot between the parts of a foreign name.
  case middleDot
  /// Up to four base letters a to z: æ is `ae`.
  case latin(BaseLetters)
  /// A digit or another numeric character.
  case number(Int)
  /// A Han character, or a form that represents one.
  case han(HanCharacter.Entry?)
  case symbol
  /// A letter of any other script.
  case otherScript

  init(_ scalar: Unicode.Scalar) {
    switch scalar.value {
    case 0x41...0x5A: self = .latin(BaseLetters(UInt8(scalar.value + 0x20)))
    case 0x61...0x7A: self = .latin(BaseLetters(UInt8(scalar.value)))
    case 0x30...0x39: self = .number(Int(scalar.value - 0x30))
    case 0x20, 0x09...0x0D: self = .space
    case 0x21...0x7E: self = .symbol
    case 0x3400..<0x4DC0, 0x4E00..<0xA000, 0x20000..<0x2A6E0:
      self = .han(HanCharacter.entry(scalar.value))
    case 0xC0..<0x250:
      // Latin letters except × and ÷. None of these characters has another kind that must be
      // checked first.
      if let letters = BaseLetters(of: scalar) { self = .latin(letters) } else { fallthrough }
    default: self.init(uncommon: scalar)
    }
  }

  /// Classifies a scalar outside the common ranges.
  ///
  /// Emoji come before compatibility forms: U+1F236 looks like Han but is an emoji. Compatibility
  /// forms come before categories: U+32A3, a circled Han character, represents that character.
  /// Punctuation, the commonest of these, never has another kind, so its other properties are not
  /// looked up.
  private init(uncommon scalar: Unicode.Scalar) {
    let properties = scalar.properties
    let category = properties.generalCategory
    if Self.isMiddleDot(scalar) {
      self = .middleDot
    } else if Self.isPunctuation(category) {
      self = .symbol
    } else if properties.isWhitespace {
      self = .space
    } else if category == .control || category == .format
      || properties.isDefaultIgnorableCodePoint
    {
      self = .invisible
    } else if properties.isEmoji {
      self = .symbol
    } else if let letters = BaseLetters(of: scalar) {
      self = .latin(letters)
    } else if let entry = HanCharacter.entry(scalar.value) {
      self = .han(entry)
    } else if properties.isIdeographic {
      self = .han(nil)
    } else if let value = properties.numericValue, value.magnitude < 1e15 {
      self = .number(Int(value))
    } else {
      self.init(category: category)
    }
  }

  private static func isPunctuation(_ category: Unicode.GeneralCategory) -> Bool {
    switch category {
    case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
      .initialPunctuation, .finalPunctuation, .otherPunctuation:
      true
    default: false
    }
  }

  private init(category: Unicode.GeneralCategory) {
    switch category {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .letterNumber:
      self = .otherScript
    case .nonspacingMark, .spacingMark, .enclosingMark: self = .mark
    case .decimalNumber, .otherNumber, .connectorPunctuation, .dashPunctuation, .openPunctuation,
      .closePunctuation, .initialPunctuation, .finalPunctuation, .otherPunctuation, .mathSymbol,
      .currencySymbol, .modifierSymbol, .otherSymbol, .privateUse, .unassigned, .surrogate:
      self = .symbol
    case .spaceSeparator, .lineSeparator, .paragraphSeparator: self = .space
    case .control, .format: self = .invisible
    @unknown default: self = .symbol
    }
  }

  /// Whether a scalar is one of the dots that people type as a middle dot: U+00B7, the hyphenation
  /// point, the bullets, and the two of katakana.
  private static func isMiddleDot(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xB7, 0x2027, 0x2022, 0x2219, 0x22C5, 0x30FB, 0xFF65: true
    default: false
    }
  }
}

/// Up to four letters a to z by which a letter beyond ASCII is sorted and found.
struct BaseLetters: Hashable, Sendable, Sequence, IteratorProtocol {
  /// The letters in little-endian order; unused bytes are 0.
  private var packed: UInt32

  init(_ letter: UInt8) { packed = UInt32(letter) }

  /// The base letters of a scalar; nil if it neither is nor represents a Latin letter.
  init?(of scalar: Unicode.Scalar) {
    let table = PackedTable(FoldTable.latin, width: 7)
    guard let record = table.firstRecord(of: scalar.value) else { return nil }
    packed = 0
    for place in (0..<4).reversed() {
      let letter = table.byte(record, at: 3 + place)
      packed = packed << 8 | (letter == UInt8(ascii: "$") ? 0 : UInt32(letter))
    }
  }

  var first: UInt8 { UInt8(truncatingIfNeeded: packed) }

  /// The letters in order.
  mutating func next() -> UInt8? {
    guard packed != 0 else { return nil }
    defer { packed >>= 8 }
    return first
  }
}
