/// Matches a query with a name by a set of query positions that the characters so far can reach.
/// Positions reached through a reading other than the contextual one are tracked separately.
struct Matching {
  let query: NameQuery
  let name: Reading

  /// Query positions as bits: those reached by contextual readings, and those reached in any way.
  private struct Positions {
    var inContext: UInt128 = 0
    var any: UInt128 = 0
    /// Whether the whole query is matched.
    var isDoneInContext = false
    var isDone = false
  }

  /// Matches from a character on. Returns nil if the query does not match there, otherwise whether
  /// another reading was needed.
  func run(from start: Int) -> Bool? {
    var positions = Positions(inContext: 1, any: 1)
    for element in name.elements[start...] {
      positions = step(positions, over: element)
      if positions.isDoneInContext { return false }
      if positions.any == 0 { break }
    }
    return positions.isDone ? true : nil
  }

  private func step(_ before: Positions, over element: Reading.Element) -> Positions {
    var after = Positions()
    after.isDone = before.isDone
    for position in query.units.indices where before.any >> UInt128(position) & 1 == 1 {
      let isInContext = before.inContext >> UInt128(position) & 1 == 1
      match(element, at: position) { length, isOther in
        let end = position + length
        after.any |= 1 << UInt128(end)
        if end == query.units.count { after.isDone = true }
        guard isInContext, !isOther else { return }
        after.inContext |= 1 << UInt128(end)
        if end == query.units.count { after.isDoneInContext = true }
      }
    }
    return after
  }

  /// Calls `found` with each number of units that a character can match from a position on.
  private func match(
    _ element: Reading.Element, at position: Int, _ found: (_ length: Int, _ isOther: Bool) -> Void
  ) {
    switch element {
    case .letter(let letter, let isFirst):
      if query.boundaries[position], !isFirst { return }
      let isUmlaut = letter == UInt8(ascii: "u") && query.units[position] == .umlaut
      if query.units[position] == .letter(letter) || isUmlaut { found(1, false) }
    case .han(let han):
      if query.units[position] == .scalar(han.folded) || query.units[position] == .scalar(han.raw) {
        found(1, false)
      }
      if let reading = han.reading { match(reading, isOther: false, at: position, found) }
      han.forEachOtherReading { match($0, isOther: true, at: position, found) }
    case .number(let start, let count):
      matchNumber(name.digits(start, count), at: position, found)
    case .symbol(let scalar), .other(let scalar):
      if query.units[position] == .scalar(scalar) { found(1, false) }
    }
  }

  private func match(
    _ syllable: Syllable, isOther: Bool, at position: Int, _ found: (Int, Bool) -> Void
  ) {
    // Every spelling begins with the same letter, which usually differs from the query's.
    guard isLetter(syllable.initial, at: position) else { return }
    for spelling in syllable.typed {
      let length = common(spelling, at: position)
      guard length > 0 else { continue }
      let isWhole = length == spelling.count
      let isLast = position + length == query.units.count && !query.boundaries[query.units.count]
      if isWhole || isLast { found(length, isOther) }
      if length > 1 { found(1, isOther) }
      if length > 2, spelling[1] == UInt8(ascii: "h") { found(2, isOther) }
      if length == 1, !isWhole, !isLast { found(1, isOther) }
      if length == 2, !isWhole, !isLast, spelling[1] == UInt8(ascii: "h") { found(2, isOther) }
    }
  }

  /// The number of letters of a spelling that match the query at a position, up to the next
  /// boundary.
  private func common(_ spelling: [UInt8], at position: Int) -> Int {
    var length = 0
    while length < spelling.count, position + length < query.units.count,
      length == 0 || !query.boundaries[position + length],
      isLetter(spelling[length], at: position + length)
    {
      length += 1
    }
    return length
  }

  private func isLetter(_ letter: UInt8, at position: Int) -> Bool {
    switch query.units[position] {
    case .letter(let asked): asked == letter
    case .umlaut: letter == UInt8(ascii: "v")
    case .digit, .scalar: false
    }
  }

  private func matchNumber(
    _ digits: ArraySlice<UInt8>, at position: Int, _ found: (Int, Bool) -> Void
  ) {
    for first in digits.indices where first == digits.startIndex || position == 0 {
      var length = 0
      while first + length < digits.endIndex, position + length < query.units.count,
        query.units[position + length] == .digit(digits[first + length])
      {
        length += 1
      }
      if first + length == digits.endIndex || position + length == query.units.count, length > 0 {
        found(length, false)
      }
    }
  }
}

extension Syllable {
  /// The ways to type a syllable: ü is typed `v`, `u` or `yu`, and `v` also where it is written u
  /// after j, q, x and y.
  var typed: [[UInt8]] {
    let letters = Array(spelling)
    guard letters.count > 1 else { return [letters] }
    let (v, u, y) = (UInt8(ascii: "v"), UInt8(ascii: "u"), UInt8(ascii: "y"))
    let rest = letters[2...]
    if letters[1] == v {
      return [letters, [letters[0], u] + rest, [letters[0], y, u] + rest]
    }
    if letters[1] == u,
      [UInt8(ascii: "j"), UInt8(ascii: "q"), UInt8(ascii: "x"), y]
        .contains(letters[0])
    {
      return [letters, [letters[0], v] + rest]
    }
    return [letters]
  }
}
