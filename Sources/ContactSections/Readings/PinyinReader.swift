/// Says where a name stands in a list, and how it is read.
///
/// The answers rest on the name alone, so that they are the same on every machine.
public enum PinyinReader {
  /// The section of a name: that of its first visible character.
  ///
  /// Latin letters stand under their base letter; Han characters under the first letter of their
  /// reading, as a word or a surname where they begin one; all else, and nothing, under `#`.
  /// Complexity: O(1) beyond invisible characters at the head.
  public static func section(of name: String) -> SectionKey {
    let scalars = name.unicodeScalars
    var index = scalars.startIndex
    while index < scalars.endIndex {
      let scalar = scalars[index]
      scalars.formIndex(after: &index)
      switch CharacterKind(scalar) {
      case .space, .invisible: continue
      case .latin(let letters): return SectionKey(letter: letters.first)
      case .han(let entry):
        guard let entry else { return .other }
        return section(of: scalar.value, entry, before: scalars[index...])
      case .number, .symbol, .mark, .middleDot, .otherScript: return .other
      }
    }
    return .other
  }

  private static func section(
    of scalar: UInt32, _ entry: HanCharacter.Entry, before rest: Substring.UnicodeScalarView
  ) -> SectionKey {
    let context: Bool
    switch entry.state {
    case .plain: context = false
    case .several: context = true
    case .variant: context = HanCharacter.entry(HanCharacter.folded(scalar))?.state == .several
    }
    guard context else { return SectionKey(letter: entry.reading.initial) }
    let run = HanRun(head: scalar, state: entry.state, rest: rest)
    let reading = HeadReading(run).reading(at: 0) ?? entry.reading
    return SectionKey(letter: reading.initial)
  }

  /// How a name is read, character by character. Complexity: O(n log w) for w known words.
  public static func reading(of name: String) -> Reading {
    // A Han character takes three bytes, a letter one.
    var parts = ReadingParts(capacity: min(name.utf8.count, 32))
    for scalar in name.unicodeScalars { parts.append(scalar) }
    return parts.finish(name)
  }
}
