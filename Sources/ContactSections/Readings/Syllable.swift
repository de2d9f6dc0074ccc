/// A Mandarin syllable with its tone. Syllables sort by letters, then by tone.
public struct Syllable: Hashable, Comparable, Sendable {
  /// Five times the number of the syllable, plus the tone minus one, as in the generated tables.
  let code: UInt16

  init(code: UInt16) { self.code = code }

  /// The length of the longest syllable in letters.
  static var longest: Int { 6 }

  private static var table: PackedTable { PackedTable(FoldTable.syllables, width: longest) }

  private static let padding = UInt8(ascii: "$")

  /// The tone, 1 to 4, or 5 for the neutral one.
  public var tone: Int { Int(code % 5) + 1 }

  /// The first letter, a to z.
  var initial: UInt8 { Self.table.byte(Int(code / 5), at: 0) }

  /// The letters a to z without the tone; ü is `v`.
  var spelling: some Sequence<UInt8> {
    (0..<Self.longest).lazy.map { Self.table.byte(Int(code / 5), at: $0) }
      .prefix { $0 != Self.padding }
  }

  /// The letters without the tone; ü is `v`, as on a keyboard: `zhang`, `lv`.
  public var letters: String { String(decoding: Array(spelling), as: UTF8.self) }

  /// The syllable as written, with its tone mark: `zhāng`, `lǜ`.
  public var marked: String {
    let letters = Array(spelling)
    let accented = markedIndex(in: letters)
    var text = String.UnicodeScalarView()
    for (index, letter) in letters.enumerated() {
      let scalar: Unicode.Scalar = letter == UInt8(ascii: "v") ? "ü" : Unicode.Scalar(letter)
      text.append(index == accented && tone < 5 ? Self.marked(scalar, tone: tone) : scalar)
    }
    return String(text)
  }

  /// Adds a tone mark to a vowel, or to an m or n that forms a syllable alone.
  private static func marked(_ letter: Unicode.Scalar, tone: Int) -> Unicode.Scalar {
    let forms: [Unicode.Scalar: [Unicode.Scalar]] = [
      "a": ["ā", "á", "ǎ", "à"], "e": ["ē", "é", "ě", "è"], "i": ["ī", "í", "ǐ", "ì"],
      "o": ["ō", "ó", "ǒ", "ò"], "u": ["ū", "ú", "ǔ", "ù"], "ü": ["ǖ", "ǘ", "ǚ", "ǜ"],
      "n": ["n", "ń", "ň", "ǹ"], "m": ["m", "ḿ", "m", "m"],
    ]
    return forms[letter]?[tone - 1] ?? letter
  }

  /// The index of the letter that takes the tone mark: a or e, else the o of ou, else the last
  /// vowel.
  private func markedIndex(in letters: [UInt8]) -> Int? {
    if let open = letters.firstIndex(where: { $0 == UInt8(ascii: "a") || $0 == UInt8(ascii: "e") })
    {
      return open
    }
    if letters.suffix(2) == [UInt8(ascii: "o"), UInt8(ascii: "u")] { return letters.count - 2 }
    let vowels: [UInt8] = [
      UInt8(ascii: "i"), UInt8(ascii: "o"), UInt8(ascii: "u"), UInt8(ascii: "v"),
    ]
    return letters.lastIndex { vowels.contains($0) } ?? letters.indices.first
  }

  /// Orders by letters, then by tone.
  public static func < (left: Syllable, right: Syllable) -> Bool { left.code < right.code }
}
