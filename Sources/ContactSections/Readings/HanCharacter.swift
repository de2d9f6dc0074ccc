/// Table entries for single Han characters.
enum HanCharacter {
  /// Whether a character may have a reading other than its usual one.
  enum State {
    /// The character begins no word or name that changes its reading, and the national standard
    /// gives it one syllable.
    case plain
    /// The character may begin such a word or name, or the standard gives it several syllables.
    case several
    /// The character is a variant form of another character.
    case variant
  }

  /// A character's usual reading.
  struct Entry {
    let reading: Syllable
    let state: State

    init?(_ value: UInt16) {
      let state = value / 2500
      reading = Syllable(code: value &- state &* 2500)
      guard reading.code != 0 else { return nil }
      self.state = state == 0 ? .plain : state == 1 ? .several : .variant
    }
  }

  private static var main: PackedTable { PackedTable(HanTable.main, width: 2) }
  private static var extensionA: PackedTable { PackedTable(HanTable.extensionA, width: 2) }
  private static var extensionB: PackedTable { PackedTable(HanTable.extensionB, width: 2) }
  private static var sparse: PackedTable { PackedTable(HanTable.sparse, width: 5) }
  private static var folds: PackedTable { PackedTable(FoldTable.folds, width: 6) }
  private static var others: PackedTable { PackedTable(FoldTable.others, width: 5) }

  /// The entry of a character; nil if the scalar is not a Han character or has no known reading.
  static func entry(_ scalar: UInt32) -> Entry? {
    switch scalar {
    case 0x4E00..<0xA000: Entry(main.pair(Int(scalar - 0x4E00), at: 0))
    case 0x3400..<0x4DC0: Entry(extensionA.pair(Int(scalar - 0x3400), at: 0))
    case 0x20000..<0x2A6E0: Entry(extensionB.pair(Int(scalar - 0x20000), at: 0))
    case 0x2E80...: sparse.firstRecord(of: scalar).flatMap { Entry(sparse.pair($0, at: 3)) }
    default: nil
    }
  }

  /// The simplified form of a variant character, or the character itself if it is not a variant.
  static func folded(_ scalar: UInt32) -> UInt32 {
    folds.firstRecord(of: scalar).map { folds.triple($0, at: 3) } ?? scalar
  }

  /// Calls a closure with each further syllable that the national standard gives a character;
  /// toneless syllables only once.
  static func forEachOtherReading(_ scalar: UInt32, _ body: (Syllable) -> Void) {
    guard var record = others.firstRecord(of: scalar) else { return }
    while record < others.count, others.triple(record, at: 0) == scalar {
      body(Syllable(code: others.pair(record, at: 3)))
      record += 1
    }
  }
}
