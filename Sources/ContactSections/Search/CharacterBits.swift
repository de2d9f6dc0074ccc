// A comparison of bits rules out most contacts that a query does not match.

/// The characters in the readings of names: a query that needs any other character cannot match.
struct NameBits: Hashable, Sendable {
  /// From the lowest bit: the letters a to z that begin a syllable or occur in a Latin word, the
  /// letters that occur anywhere, the digits.
  private var characters: UInt64 = 0
  /// All other scalars, many of which share a bit.
  private var scalars: UInt64 = 0

  /// An empty set.
  init() {}

  /// All characters of a name, in every reading and spelling.
  init(_ name: Reading) {
    for element in name.elements {
      switch element {
      case .letter(let letter, _):
        insert(letter)
        insert(first: letter)
      case .han(let han):
        insert(scalar: han.raw)
        if han.folded != han.raw { insert(scalar: han.folded) }
        if let reading = han.reading { insert(reading) }
        han.forEachOtherReading { insert($0) }
      case .number(let start, let count):
        for digit in name.digits(start, count) { insert(digit: digit) }
      case .symbol(let scalar), .other(let scalar): insert(scalar: scalar)
      }
    }
  }

  /// The characters that every match of a query needs.
  init(neededBy units: [NameQuery.Unit], boundaries: [Bool]) {
    for (index, unit) in units.enumerated() {
      switch unit {
      case .letter(let letter):
        insert(letter)
        if index == 0 || boundaries[index] { insert(first: letter) }
      // An umlaut matches a v or a u.
      case .umlaut: continue
      case .digit(let digit): insert(digit: digit)
      case .scalar(let scalar): insert(scalar: scalar)
      }
    }
  }

  /// Whether this set contains all of another. May be wrongly true, because scalars share bits.
  func holds(_ needed: NameBits) -> Bool {
    needed.characters & ~characters == 0 && needed.scalars & ~scalars == 0
  }

  /// The union of both sets.
  func union(_ other: NameBits) -> NameBits {
    var both = self
    both.characters |= other.characters
    both.scalars |= other.scalars
    return both
  }

  private mutating func insert(_ syllable: Syllable) {
    insert(first: syllable.initial)
    for letter in syllable.spelling {
      insert(letter)
      // An ü is typed `v`, `u` or `yu`, and some syllables written with u are typed with `v`.
      if letter == UInt8(ascii: "u") { insert(UInt8(ascii: "v")) }
      if letter == UInt8(ascii: "v") {
        insert(UInt8(ascii: "u"))
        insert(UInt8(ascii: "y"))
      }
    }
  }

  private mutating func insert(first letter: UInt8) {
    characters |= 1 << UInt64(letter &- UInt8(ascii: "a"))
  }

  private mutating func insert(_ letter: UInt8) {
    characters |= 1 << (26 + UInt64(letter &- UInt8(ascii: "a")))
  }

  private mutating func insert(digit: UInt8) {
    characters |= 1 << (52 + UInt64(digit &- UInt8(ascii: "0")))
  }

  private mutating func insert(scalar: UInt32) {
    // Fibonacci hashing: neighbors in a block get bits far apart.
    scalars |= 1 << ((UInt64(scalar) &* 0x9E37_79B9_7F4A_7C15) >> 58)
  }
}

/// The characters of an address, or of a text to find in one.
struct AddressBits: Hashable, Sendable {
  private var bits: UInt64 = 0

  /// Ignores case. A byte beyond ASCII sets all bits, because its lower case may be any character.
  init(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      if byte >= 0x80 { bits = .max }
      // Letters have bit 6, and bit 5 is their case.
      bits |= 1 << UInt64(byte & 0x1F | (~byte & 0x40) >> 1)
    }
  }

  /// Whether this set contains all of another. May be wrongly true, because characters share bits.
  func holds(_ needed: AddressBits) -> Bool { needed.bits & ~bits == 0 }
}
