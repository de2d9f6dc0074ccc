/// The reading of the first characters of a name, decided by the characters after them.
struct HeadReading {
  /// The number of characters that the decision covers; the others are read independently.
  private(set) var length = 1
  private var word: (book: WordBook, match: WordBook.Match)?
  private var single: Syllable?

  /// The reading of a covered character; nil if the character keeps its own reading.
  func reading(at index: Int) -> Syllable? {
    if let word { return word.book.reading(word.match, at: index) }
    return index == 0 ? single : nil
  }

  /// Applies the first rule that matches: compound surname, surname before a title, word, surname,
  /// reading at the head of a longer name. Words and people are both considered, because either
  /// alone is wrong: 曾经 is a word, 曾国藩 and 曾经理 are people.
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

  /// Whether a surname, a given name of that length and a title make up the whole name.
  private static func isTitled(_ run: HanRun, givenName given: Int) -> Bool {
    WordBook.titles.holdsAll(of: run, from: given + 1, to: run.count)
      || WordBook.titles.holdsAll(of: run, from: given + 1, to: run.segment)
  }

  /// A suffix for a house or the place named after it (氏, 家庄, 家族), whatever follows.
  private static func house(_ run: HanRun) -> WordBook.Match? {
    WordBook.houses.longest(in: run, from: 1)
  }

  /// Whether the characters after a surname look like a person's name; no word begins here.
  private static func isPerson(_ run: HanRun, in strength: NameFacts.Strength) -> Bool {
    if strength == .always { return true }
    if run.count == 1 { return run.follower == .latin || run.follower == .separator }
    if house(run) != nil || isTitled(run, givenName: 0) { return true }
    return switch strength {
    case .always: true
    case .usual:
      run.headIsSeparate
        || (1...2).contains { given in
          isName(run, givenName: given) && (1...given).contains { isGiven(run[$0]) }
        }
    case .rare:
      (1...2).contains { given in
        isName(run, givenName: given) && (1...given).allSatisfy { isGiven(run[$0]) }
      }
    }
  }

  /// Whether the characters are a person's name although a word begins them.
  ///
  /// 曾经理 is a person although 曾经 is a word, because 理 alone is not a title. 单一凡 is a person because
  /// it has the length of a name and both other characters occur in given names. 仇家庄 is a place
  /// although 仇家 is a word; 华氏温度 is not.
  private static func isPerson(
    _ run: HanRun, in strength: NameFacts.Strength, despite word: WordBook.Match
  ) -> Bool {
    guard word.length == 2, run.count > 2 else { return false }
    return isTitled(run, givenName: 0) || house(run)?.length ?? 0 > 1
      || run.count == 3 && isGiven(run[1]) && isGiven(run[2])
  }

  private static func isGiven(_ scalar: UInt32) -> Bool { NameFacts.isInGivenNames(scalar) }

  /// Whether a surname and a given name of that length are the whole run, or everything before a
  /// space or a title.
  private static func isName(_ run: HanRun, givenName given: Int) -> Bool {
    run.count == given + 1 || run.segment == given + 1 || isTitled(run, givenName: given)
  }
}
