/// Gathers the elements of a name while it is read.
struct ReadingParts {
  private var elements: [Reading.Element] = []
  /// Han characters whose context is not yet complete.
  private var run: [(scalar: UInt32, entry: HanCharacter.Entry?)] = []
  private var headRun = HanRun()
  private var digits: [UInt8] = []
  private var isInWord = false
  /// Whether a visible character came, and whether the first one is an element: a mark is none.
  private var isVisible = false
  private var beginsWithElement = false

  mutating func append(_ scalar: Unicode.Scalar) {
    let kind = CharacterKind(scalar)
    if !isVisible { look(at: kind) }
    switch kind {
    case .han(let entry):
      endNumber()
      isInWord = false
      append(scalar.value, entry)
    case .latin(let letters):
      endNumber()
      endRun(.latin)
      for letter in letters.letters {
        elements.append(.letter(letter, isFirst: !isInWord))
        isInWord = true
      }
    case .number(let value):
      endRun(.other)
      isInWord = false
      digits += Array(String(value).utf8)
    case .symbol, .otherScript:
      endNumber()
      endRun(.other)
      isInWord = false
      elements.append(element(kind, scalar))
    case .space, .middleDot:
      endNumber()
      isInWord = false
      if case .space = kind { headRun.endSegment() }
    case .invisible, .mark: break
    }
  }

  private mutating func look(at first: CharacterKind) {
    switch first {
    case .space, .invisible: break
    case .mark, .middleDot: isVisible = true
    case .latin, .number, .han, .symbol, .otherScript:
      isVisible = true
      beginsWithElement = true
    }
  }

  /// The section of the name: that of its first visible character.
  func section(_ elements: [Reading.Element]) -> SectionKey {
    guard beginsWithElement, let first = elements.first else { return .other }
    return switch first {
    case .han(_, _, let syllable): syllable.map { SectionKey(letter: $0.initial) } ?? .other
    case .letter(let letter, _): SectionKey(letter: letter)
    case .number, .symbol, .other: .other
    }
  }

  /// The elements, when the name is at its end.
  mutating func finish() -> [Reading.Element] {
    endNumber()
    endRun(.nothing)
    return elements
  }

  private func element(_ kind: CharacterKind, _ scalar: Unicode.Scalar) -> Reading.Element {
    guard case .otherScript = kind else { return .symbol(scalar.value) }
    return .other(Self.lowercased(scalar))
  }

  /// A letter in lower case; where that is several, the first of them.
  static func lowercased(_ scalar: Unicode.Scalar) -> UInt32 {
    (scalar.properties.lowercaseMapping.unicodeScalars.first ?? scalar).value
  }

  private mutating func append(_ scalar: UInt32, _ entry: HanCharacter.Entry?) {
    run.append((scalar, entry))
    if elements.isEmpty, run.count <= HanRun.limit {
      headRun.append(scalar, state: entry?.state ?? .variant)
    }
  }

  private mutating func endNumber() {
    guard !digits.isEmpty else { return }
    elements.append(.number(digits: digits))
    digits = []
  }

  private mutating func endRun(_ follower: HanRun.Follower) {
    guard !run.isEmpty else { return }
    let folded = run.map {
      $0.entry?.state ?? .variant == .variant ? HanCharacter.folded($0.scalar) : $0.scalar
    }
    var readings = run.map { $0.entry?.reading }
    var start = 0
    if elements.isEmpty {
      headRun.close(run.count > HanRun.limit ? .han : follower)
      start = readHead(into: &readings)
    }
    while start < folded.count {
      start += readWord(in: folded, from: start, into: &readings)
    }
    for (index, character) in run.enumerated() {
      elements.append(.han(character.scalar, folded: folded[index], readings[index]))
    }
    run = []
  }

  /// Reads the head of the name; returns how many characters are settled.
  private func readHead(into readings: inout [Syllable?]) -> Int {
    let head = HeadReading(headRun)
    for index in 0..<head.length {
      readings[index] = head.reading(at: index) ?? readings[index]
    }
    guard head.length == 1, let surname = surnameAfterPrefix() else { return head.length }
    readings[1] = surname
    return 2
  }

  /// 老单, 小解, 阿曾, 小单老师: the surname stands second.
  private func surnameAfterPrefix() -> Syllable? {
    guard run.count > 1, NameFacts.isPrefix(headRun[0]),
      let surname = NameFacts.surname(run[1].scalar), surname.strength != .rare,
      headRun.count == 2 || WordBook.titles.holdsAll(of: headRun, from: 2, to: headRun.count)
    else { return nil }
    let inner = HanRun(from: 0, of: [headRun[0], headRun[1]])
    return WordBook.words.longest(in: inner) == nil ? surname.reading : nil
  }

  /// Reads the longest word at a place; returns how many characters it has, or 1.
  private func readWord(
    in folded: [UInt32], from start: Int, into readings: inout [Syllable?]
  ) -> Int {
    let words = WordBook.words
    guard run[start].entry?.state != .plain,
      let match = words.longest(in: HanRun(from: start, of: folded))
    else { return 1 }
    for index in 0..<match.length {
      readings[start + index] = words.reading(match, at: index) ?? readings[start + index]
    }
    return match.length
  }
}
