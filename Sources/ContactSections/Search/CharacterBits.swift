// Most contacts that a query does not match are passed over by a look at bits.

/// Which characters the readings of names hold: a query that needs what is not there matches none.
struct NameBits: Hashable, Sendable {
  /// From the lowest bit: the letters a to z that begin a syllable or stand in a Latin word, the
  /// letters that stand anywhere, the digits.
  private var characters: UInt64 = 0
  /// All other scalars, many of them by the same bit.
  private var scalars: UInt64 = 0

  /// Nothing.
  init() {}

  /// What a name holds, however it is read and typed.
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

  /// What a query needs, wherever and however it matches.
  init(neededBy units: [NameQuery.Unit], boundaries: [Bool]) {
    for (place, unit) in units.enumerated() {
      switch unit {
      case .letter(let letter):
        insert(letter)
        if place == 0 || boundaries[place] { insert(first: letter) }
      // It is a v or a u.
      case .umlaut: continue
      case .digit(let digit): insert(digit: digit)
      case .scalar(let scalar): insert(scalar: scalar)
      }
    }
  }

  /// Whether it holds all that another holds; wrongly so at times, since scalars share bits.
  func holds(_ needed: NameBits) -> Bool {
    needed.characters & ~characters == 0 && needed.scalars & ~scalars == 0
  }

  /// What this or another holds.
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
      // An ü is typed `v`, `u` or `yu`, and some that are written u are typed `v`.
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
    // Fibonacci hashing: neighbours in a block get bits far apart.
    scalars |= 1 << ((UInt64(scalar) &* 0x9E37_79B9_7F4A_7C15) >> 58)
  }
}

/// Which characters an address holds, or a text that is looked for in one.
struct AddressBits: Hashable, Sendable {
  private var bits: UInt64 = 0

  /// Upper and lower case are the same. What is not ASCII may be any character in lower case, so
  /// that it has all bits.
  init(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      if byte >= 0x80 { bits = .max }
      // Letters have bit 6, and bit 5 is their case.
      bits |= 1 << UInt64(byte & 0x1F | (~byte & 0x40) >> 1)
    }
  }

  /// Whether it holds all that another holds; wrongly so at times, since characters share bits.
  func holds(_ needed: AddressBits) -> Bool { needed.bits & ~bits == 0 }
}
