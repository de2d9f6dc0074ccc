/// A table of words, compound surnames or titles, searched by the head of a run of characters.
struct WordBook {
  /// A word that was found.
  struct Match: Equatable {
    let record: Int
    let length: Int
  }

  private let table: PackedTable
  /// Whether the table has words of one character.
  private var holdsSingles = false

  private init(_ text: StaticString, width: Int) {
    table = PackedTable(text, width: width)
  }

  static var words: WordBook { WordBook(WordTable.words, width: 20) }
  static var compounds: WordBook { WordBook(WordTable.compounds, width: 20) }
  static var titles: WordBook { withSingles(WordTable.titles) }
  /// Suffixes that follow the surname of a house.
  static var houses: WordBook { withSingles(WordTable.houses) }

  private static func withSingles(_ text: StaticString) -> WordBook {
    var book = WordBook(text, width: 12)
    book.holdsSingles = true
    return book
  }

  /// The longest word at the beginning of these characters; words have one to four characters.
  /// Complexity: O(log n) for n words.
  func longest(in run: HanRun, from start: Int = 0) -> Match? {
    guard start < run.count else { return nil }
    let second = start + 1 < run.count ? run[start + 1] : 0
    var record = table.firstRecord {
      let scalar = table.triple($0, at: 0)
      return scalar < run[start] || scalar == run[start] && table.triple($0, at: 3) < second
    }
    var best = holdsSingles ? single(run[start]) : nil
    // Words with the same first two characters are adjacent, and there are few of them.
    while record < table.count, table.triple(record, at: 0) == run[start],
      table.triple(record, at: 3) == second, second != 0
    {
      if let length = length(of: record, in: run, from: start), length > best?.length ?? 0 {
        best = Match(record: record, length: length)
      }
      record += 1
    }
    return best
  }

  /// Whether these characters form one word.
  func holdsAll(of run: HanRun, from start: Int, to end: Int) -> Bool {
    guard end - start <= 4, start < end else { return false }
    return longest(in: run, from: start)?.length ?? 0 >= end - start
  }

  /// The reading of a character of a word; nil if the character keeps its own reading.
  func reading(_ match: Match, at index: Int) -> Syllable? {
    let code = table.pair(match.record, at: 12 + index * 2)
    return code == 0 ? nil : Syllable(code: code)
  }

  private func single(_ scalar: UInt32) -> Match? {
    guard let record = table.firstRecord(of: scalar), table.triple(record, at: 3) == 0 else {
      return nil
    }
    return Match(record: record, length: 1)
  }

  private func length(of record: Int, in run: HanRun, from start: Int) -> Int? {
    for place in 2..<4 {
      let scalar = table.triple(record, at: place * 3)
      if scalar == 0 { return place }
      guard start + place < run.count, run[start + place] == scalar else { return nil }
    }
    return 4
  }
}

/// Facts about single characters in names.
enum NameFacts {
  /// How likely a character is to be a surname.
  enum Strength: UInt32 {
    case rare, usual, always
  }

  private static var surnames: PackedTable { PackedTable(WordTable.surnames, width: 6) }
  private static var usual: PackedTable { PackedTable(WordTable.usual, width: 5) }

  /// The reading of a surname, if it differs from the usual one. Takes the form written in the
  /// name: 種 folds to 种 but is not a surname.
  static func surname(_ scalar: UInt32) -> (reading: Syllable, strength: Strength)? {
    guard let record = surnames.firstRecord(of: scalar) else { return nil }
    let value = surnames.triple(record, at: 3)
    guard let strength = Strength(rawValue: value % 3) else { return nil }
    return (Syllable(code: UInt16(value / 3)), strength)
  }

  /// The reading of a character at the head of a longer name.
  static func usualReading(_ scalar: UInt32) -> Syllable? {
    usual.firstRecord(of: scalar).map { Syllable(code: usual.pair($0, at: 3)) }
  }

  static func isInGivenNames(_ scalar: UInt32) -> Bool {
    PackedTable(WordTable.givenNames, width: 3).firstRecord(of: scalar) != nil
  }

  /// Whether a character can precede surnames, as 老 and 小 do.
  static func isPrefix(_ scalar: UInt32) -> Bool {
    PackedTable(WordTable.prefixes, width: 3).firstRecord(of: scalar) != nil
  }
}
