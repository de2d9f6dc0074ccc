/// Finds the section and the reading of a name.
///
/// The results depend on the name alone, so they are the same on every machine.
public enum PinyinReader {
  /// The section of a name, given by its first visible character.
  ///
  /// Latin letters are listed under their base letter. Han characters are listed under the first
  /// letter of their reading, which takes words and surnames at the head of the name into account.
  /// Everything else, and an empty name, is listed under `#`. Complexity: O(1) after leading
  /// invisible characters.
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

  /// The reading of a name, character by character. Complexity: O(n log w) for w known words.
  public static func reading(of name: String) -> Reading {
    // A Han character takes three bytes, a letter takes one.
    var parts = ReadingParts(capacity: min(name.utf8.count, 32))
    for scalar in name.unicodeScalars { parts.append(scalar) }
    return parts.finish(name)
  }
}
