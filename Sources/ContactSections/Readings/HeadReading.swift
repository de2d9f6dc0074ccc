/// How the first characters of a name are read, decided by what follows them.
struct HeadReading {
  /// The characters that the decision covers; the others are read for themselves.
  private(set) var length = 1
  private var word: (book: WordBook, match: WordBook.Match)?
  private var single: Syllable?

  /// The reading of a character that the decision covers; nil keeps its own.
  func reading(at index: Int) -> Syllable? {
    if let word { return word.book.reading(word.match, at: index) }
    return index == 0 ? single : nil
  }

  /// The first rule that applies: compound surname, surname before a title, word, surname,
  /// the reading that the character has at the head of anything. Both words and people are
  /// looked at, since either alone is wrong: 曾经 is a word, 曾国藩 and 曾经理 are people.
  init(_ run: HanRun) {
    let person = NameFacts.surname(run.rawHead)
    if let match = WordBook.compounds.longest(in: run) {
      self.init(WordBook.compounds, match)
    } else if let match = WordBook.words.longest(in: run) {
      if let person, Self.isPerson(run, in: person.strength, despite: match) {
        self.init(person.reading)
      } else {
        self.init(WordBook.words, match)
      }
    } else if let person, Self.isPerson(run, in: person.strength) {
      self.init(person.reading)
    } else {
      self.init(run.count > 1 ? NameFacts.usualReading(run[0]) : nil)
    }
  }

  private init(_ book: WordBook, _ match: WordBook.Match) {
    word = (book, match)
    length = match.length
  }

  private init(_ reading: Syllable?) { single = reading }

  /// Whether a surname, a given name of that many characters and a title are the whole name.
  private static func isTitled(_ run: HanRun, givenName given: Int) -> Bool {
    WordBook.titles.holdsAll(of: run, from: given + 1, to: run.count)
      || WordBook.titles.holdsAll(of: run, from: given + 1, to: run.segment)
  }

  /// 氏, 家庄, 家族: a house, or the place that it gave its name, whatever follows.
  private static func house(_ run: HanRun) -> WordBook.Match? {
    WordBook.houses.longest(in: run, from: 1)
  }

  /// Whether what follows a surname, which begins no word here, looks like a person.
  private static func isPerson(_ run: HanRun, in strength: NameFacts.Strength) -> Bool {
    if strength == .always { return true }
    if run.count == 1 { return run.follower == .latin || run.follower == .separator }
    if house(run) != nil || isTitled(run, givenName: 0) { return true }
    return switch strength {
    case .always: true
    case .usual:
      run.headStandsAlone
        || (1...2).contains { given in
          isName(run, givenName: given) && (1...given).contains { isGiven(run[$0]) }
        }
    case .rare:
      (1...2).contains { given in
        isName(run, givenName: given) && (1...given).allSatisfy { isGiven(run[$0]) }
      }
    }
  }

  /// 曾经理 is a person though 曾经 is a word, for 理 alone is no title; and so is 单一凡, which
  /// is as long as a name, and both other characters are such as given names are made of. 仇家庄 is
  /// a place of that name though 仇家 is a word, and 华氏温度 is none.
  private static func isPerson(
    _ run: HanRun, in strength: NameFacts.Strength, despite word: WordBook.Match
  ) -> Bool {
    guard word.length == 2, run.count > 2 else { return false }
    return isTitled(run, givenName: 0) || house(run)?.length ?? 0 > 1
      || run.count == 3 && isGiven(run[1]) && isGiven(run[2])
  }

  private static func isGiven(_ scalar: UInt32) -> Bool { NameFacts.isInGivenNames(scalar) }

  /// Whether a surname and a given name of so many characters are all there is, or all before a
  /// space or a title.
  private static func isName(_ run: HanRun, givenName given: Int) -> Bool {
    run.count == given + 1 || run.segment == given + 1 || isTitled(run, givenName: given)
  }
}
