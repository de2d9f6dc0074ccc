/// Collects the elements of a name while it is read.
struct ReadingParts {
  private var elements: [Reading.Element] = []
  /// The index of the first Han character whose context is incomplete. These characters are in
  /// `elements` already, with their usual readings.
  private var runStart: Int?
  /// Whether one of them may begin a word or a name that changes readings.
  private var runMayReadOtherwise = false
  private var headRun = HanRun()
  /// The digits of all numbers; those of the last one begin at `numberStart`.
  private var digits: [UInt8] = []
  private var numberStart = 0
  private var isInWord = false
  /// Whether a visible character was seen, and whether the first one is an element; a mark is not.
  private var isVisible = false
  private var beginsWithElement = false

  /// - Parameter capacity: The number of elements to reserve space for.
  init(capacity: Int) {
    elements.reserveCapacity(capacity)
  }

  mutating func append(_ scalar: Unicode.Scalar) {
    let kind = CharacterKind(scalar)
    if !isVisible { noteFirstVisible(kind) }
    switch kind {
    case .han(let entry):
      endNumber()
      isInWord = false
      append(scalar.value, entry)
    case .latin(let letters):
      endNumber()
      endRun(.latin)
      for letter in letters {
        elements.append(.letter(letter, isFirst: !isInWord))
        isInWord = true
      }
    case .number(let value):
      endRun(.other)
      isInWord = false
      if (0...9).contains(value) {
        digits.append(UInt8(ascii: "0") + UInt8(value))
      } else {
        digits += String(value).utf8
      }
    case .symbol, .otherScript:
      endNumber()
      if case .symbol = kind { endRun(HanRun.Follower(symbol: scalar)) } else { endRun(.other) }
      isInWord = false
      elements.append(element(kind, scalar))
    case .space, .middleDot:
      endNumber()
      isInWord = false
      if case .space = kind { headRun.endSegment() } else { headRun.noteMiddleDot() }
    case .invisible, .mark: break
    }
  }

  private mutating func noteFirstVisible(_ kind: CharacterKind) {
    switch kind {
    case .space, .invisible: break
    case .mark, .middleDot: isVisible = true
    case .latin, .number, .han, .symbol, .otherScript:
      isVisible = true
      beginsWithElement = true
    }
  }

  /// The section of the name, given by its first visible character.
  private var section: SectionKey {
    guard beginsWithElement, let first = elements.first else { return .other }
    return switch first {
    case .han(let han): han.reading.map { SectionKey(letter: $0.initial) } ?? .other
    case .letter(let letter, _): SectionKey(letter: letter)
    case .number, .symbol, .other: .other
    }
  }

  /// The reading, once all of the name was appended.
  mutating func finish(_ name: String) -> Reading {
    endNumber()
    endRun(.nothing)
    return Reading(name: name, elements: elements, digits: digits, section: section)
  }

  private func element(_ kind: CharacterKind, _ scalar: Unicode.Scalar) -> Reading.Element {
    guard case .otherScript = kind else { return .symbol(scalar.value) }
    return .other(Self.lowercased(scalar))
  }

  /// A letter in lower case; the first letter if the mapping has several.
  static func lowercased(_ scalar: Unicode.Scalar) -> UInt32 {
    (scalar.properties.lowercaseMapping.unicodeScalars.first ?? scalar).value
  }

  private mutating func append(_ scalar: UInt32, _ entry: HanCharacter.Entry?) {
    let state = entry?.state ?? .variant
    let folded = state == .variant ? HanCharacter.folded(scalar) : scalar
    if runStart == nil {
      runStart = elements.count
      runMayReadOtherwise = false
    }
    if state != .plain { runMayReadOtherwise = true }
    if runStart == 0, elements.count < HanRun.limit { headRun.append(scalar, folded: folded) }
    elements.append(
      .han(
        Reading.Han(
          raw: scalar, folded: folded, reading: entry?.reading, mayReadOtherwise: state != .plain)))
  }

  private mutating func endNumber() {
    let count = digits.count - numberStart
    guard count > 0 else { return }
    elements.append(.number(start: Int32(numberStart), count: Int32(count)))
    numberStart = digits.count
  }

  /// - Parameter follower: Evaluated only if a run is open.
  private mutating func endRun(_ follower: @autoclosure () -> HanRun.Follower) {
    guard let start = runStart else { return }
    runStart = nil
    guard runMayReadOtherwise else { return }
    var index = start
    if start == 0 {
      headRun.close(elements.count > HanRun.limit ? .han : follower())
      index = readHead()
    }
    while index < elements.count { index += readWord(at: index) }
  }

  /// Reads the head of the name and returns the number of characters whose reading is final.
  private mutating func readHead() -> Int {
    var settled = 1
    if mayReadOtherwise(at: 0) {
      let head = HeadReading(headRun)
      for index in 0..<head.length { setReading(head.reading(at: index), at: index) }
      settled = head.length
    }
    guard settled == 1, let surname = surnameAfterPrefix() else { return settled }
    setReading(surname, at: 1)
    return 2
  }

  /// The reading of a surname in second position: 老单, 小解, 阿曾, 小单老师.
  private func surnameAfterPrefix() -> Syllable? {
    guard elements.count > 1, NameFacts.isPrefix(headRun[0]),
      case .han(let second) = elements[1],
      let surname = NameFacts.surname(second.raw), surname.strength != .rare,
      headRun.count == 2 || WordBook.titles.holdsAll(of: headRun, from: 2, to: headRun.count)
    else { return nil }
    let both = HanRun(elements[...1])
    return WordBook.words.longest(in: both) == nil ? surname.reading : nil
  }

  /// Reads the longest word at an index and returns its length, or 1 if there is none.
  private mutating func readWord(at start: Int) -> Int {
    guard mayReadOtherwise(at: start),
      let match = WordBook.words.longest(in: HanRun(elements[start...]))
    else { return 1 }
    for index in 0..<match.length {
      setReading(WordBook.words.reading(match, at: index), at: start + index)
    }
    return match.length
  }

  private func mayReadOtherwise(at index: Int) -> Bool {
    if case .han(let han) = elements[index] { han.mayReadOtherwise } else { false }
  }

  private mutating func setReading(_ reading: Syllable?, at index: Int) {
    guard let reading, case .han(let han) = elements[index] else { return }
    elements[index] = .han(
      Reading.Han(raw: han.raw, folded: han.folded, reading: reading, mayReadOtherwise: true))
  }
}
