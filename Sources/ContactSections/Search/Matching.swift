/// One query matched with one name: the places of the query that the characters so far can have
/// taken, as bits. Those that took another reading than the one in context are apart.
struct Matching {
  let query: NameQuery
  let name: Reading

  /// Places of the query: those reached by readings in context, and those reached in any way.
  private struct Places {
    var inContext: UInt128 = 0
    var any: UInt128 = 0
    /// The whole query is taken.
    var isDoneInContext = false
    var isDone = false
  }

  /// Matches from a character on: nil where the name does not hold the query there, else whether
  /// another reading was needed.
  func run(from start: Int) -> Bool? {
    var places = Places(inContext: 1, any: 1)
    for element in name.elements[start...] {
      places = step(places, over: element)
      if places.isDoneInContext { return false }
      if places.any == 0 { break }
    }
    return places.isDone ? true : nil
  }

  private func step(_ before: Places, over element: Reading.Element) -> Places {
    var after = Places()
    after.isDone = before.isDone
    for place in query.units.indices where before.any >> UInt128(place) & 1 == 1 {
      let isInContext = before.inContext >> UInt128(place) & 1 == 1
      take(element, at: place) { length, isOther in
        let end = place + length
        after.any |= 1 << UInt128(end)
        if end == query.units.count { after.isDone = true }
        guard isInContext, !isOther else { return }
        after.inContext |= 1 << UInt128(end)
        if end == query.units.count { after.isDoneInContext = true }
      }
    }
    return after
  }

  /// Calls for every number of units that a character can take from a place on.
  private func take(
    _ element: Reading.Element, at place: Int, _ found: (_ length: Int, _ isOther: Bool) -> Void
  ) {
    switch element {
    case .letter(let letter, let isFirst):
      if query.boundaries[place], !isFirst { return }
      let isUmlaut = letter == UInt8(ascii: "u") && query.units[place] == .umlaut
      if query.units[place] == .letter(letter) || isUmlaut { found(1, false) }
    case .han(let han):
      if query.units[place] == .scalar(han.folded) || query.units[place] == .scalar(han.raw) {
        found(1, false)
      }
      if let reading = han.reading { take(reading, isOther: false, at: place, found) }
      han.forEachOtherReading { take($0, isOther: true, at: place, found) }
    case .number(let start, let count):
      takeNumber(name.digits(start, count), at: place, found)
    case .symbol(let scalar), .other(let scalar):
      if query.units[place] == .scalar(scalar) { found(1, false) }
    }
  }

  private func take(
    _ syllable: Syllable, isOther: Bool, at place: Int, _ found: (Int, Bool) -> Void
  ) {
    // However it is typed, it begins with one letter, and mostly with another than the query.
    guard isLetter(syllable.initial, at: place) else { return }
    for spelling in syllable.typed {
      let length = common(spelling, at: place)
      guard length > 0 else { continue }
      let isWhole = length == spelling.count
      let isLast = place + length == query.units.count && !query.boundaries[query.units.count]
      if isWhole || isLast { found(length, isOther) }
      if length > 1 { found(1, isOther) }
      if length > 2, spelling[1] == UInt8(ascii: "h") { found(2, isOther) }
      if length == 1, !isWhole, !isLast { found(1, isOther) }
      if length == 2, !isWhole, !isLast, spelling[1] == UInt8(ascii: "h") { found(2, isOther) }
    }
  }

  /// How many letters of a spelling stand at a place of the query, up to the next boundary.
  private func common(_ spelling: [UInt8], at place: Int) -> Int {
    var length = 0
    while length < spelling.count, place + length < query.units.count,
      length == 0 || !query.boundaries[place + length],
      isLetter(spelling[length], at: place + length)
    {
      length += 1
    }
    return length
  }

  private func isLetter(_ letter: UInt8, at place: Int) -> Bool {
    switch query.units[place] {
    case .letter(let asked): asked == letter
    case .umlaut: letter == UInt8(ascii: "v")
    case .digit, .scalar: false
    }
  }

  private func takeNumber(
    _ digits: ArraySlice<UInt8>, at place: Int, _ found: (Int, Bool) -> Void
  ) {
    for first in digits.indices where first == digits.startIndex || place == 0 {
      var length = 0
      while first + length < digits.endIndex, place + length < query.units.count,
        query.units[place + length] == .digit(digits[first + length])
      {
        length += 1
      }
      if first + length == digits.endIndex || place + length == query.units.count, length > 0 {
        found(length, false)
      }
    }
  }
}

extension Syllable {
  /// The ways to type a syllable: ü is `v`, `u` or `yu`, also where it is written u after j, q,
  /// x and y.
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
