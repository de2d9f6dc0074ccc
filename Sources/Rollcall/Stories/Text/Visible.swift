import Captures

extension String {
  /// The text with control characters and invisible characters in words: what a contact wrote must
  /// not move the cursor, turn the line round, or look like another text.
  package var visible: String {
    let isPlain = utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    guard !isPlain, unicodeScalars.contains(where: \.isHidden) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      if scalar.isHidden {
        text += scalar.escaped(asASCII: true)
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

extension Unicode.Scalar {
  /// Whether the character does something instead of being seen: controls, what sets the direction
  /// of a line, separators, joiners, what is no character, and whatever else has no look of its
  /// own. What chooses how the character before it looks is part of that one.
  fileprivate var isHidden: Bool {
    if isUsualInLines { return false }
    if isObeyedByTerminals { return true }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default:
      properties.isNoncharacterCodePoint
        || properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
    }
  }

  /// Whether it is one of the visible characters that most lines consist of: ASCII, Latin
  /// letters, dashes and quotation marks, arrows, Chinese. Looking up the properties of each
  /// character took a seventh of the time of a replay.
  private var isUsualInLines: Bool {
    switch value {
    case 0x20..<0x7F, 0xAE..<0x300, 0x2010..<0x2028, 0x2190..<0x2200, 0x4E00..<0xA000: true
    default: false
    }
  }
}
