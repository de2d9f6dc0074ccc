import RawBytes

/// The sort key of a name: bytes that define a total order of names, the same on every machine.
///
/// Han characters sort by syllable, tone and scalar, between Latin words by their letters; numbers
/// sort by value. In `#`, numbers come before symbols, other scripts and empty names. Names that
/// are still equal sort by their UTF-8.
public struct SortKey: Hashable, Comparable, Sendable {
  /// The key as bytes; compared as unsigned, a prefix first.
  public let bytes: [UInt8]
  /// The section in which the name is listed.
  public let section: SectionKey

  // Each part begins with a byte for its class; each letter is its own class. The end of a word
  // sorts below every letter, so that 王 comes before 网络 before 旺, and `ann` before `anna`.
  private static let number: UInt8 = 0x10
  private static let symbol: UInt8 = 0x20
  private static let endOfWord: UInt8 = 0x02
  private static let latinWord: UInt8 = 0x01
  private static let other: UInt8 = 0x80
  private static let nameless: UInt8 = 0xFF

  /// The key of a name with its reading. If the user gave the reading, pass the displayed name as
  /// `name`. Complexity: O(n).
  public init(_ reading: Reading, name: String? = nil) {
    let name = name ?? reading.name
    section = reading.section
    bytes = [UInt8](capacity: Self.capacity(for: reading) + name.utf8.count) { bytes in
      Self.write(reading, into: &bytes)
      // Ends the reading.
      bytes.append(0)
      for byte in name.utf8 { bytes.append(byte) }
    }
    prefix = Prefix(bytes)
  }

  /// An upper bound for the bytes of a reading and the zero after it.
  private static func capacity(for reading: Reading) -> Int {
    var capacity = 5
    for element in reading.elements {
      switch element {
      case .letter(_, let isFirst): capacity += isFirst ? 3 : 1
      case .han: capacity += Syllable.longest + 5
      case .number(_, let count): capacity += Int(count) + 2
      case .symbol, .other: capacity += 4
      }
    }
    return capacity
  }

  private static func write(_ reading: Reading, into bytes: inout OutputSpan<UInt8>) {
    bytes.append(reading.section.rank)
    var isInWord = false
    for element in reading.elements {
      if isInWord, !continuesWord(element) { endLatinWord(in: &bytes) }
      isInWord = write(element, of: reading, into: &bytes)
    }
    if isInWord { endLatinWord(in: &bytes) }
    if reading.elements.isEmpty { bytes.append(nameless) }
  }

  /// Writes an element and returns whether a Latin word is open after it.
  private static func write(
    _ element: Reading.Element, of reading: Reading, into bytes: inout OutputSpan<UInt8>
  ) -> Bool {
    switch element {
    case .letter(let letter, _):
      bytes.append(letter)
      return true
    case .han(let han):
      if let syllable = han.reading {
        for letter in syllable.spelling { bytes.append(letter) }
        bytes.append(endOfWord)
        bytes.append(UInt8(syllable.tone) + 1)
      } else {
        bytes.append(other)
      }
      append(scalar: han.raw, to: &bytes)
    case .number(let start, let length):
      // A number with more digits is greater. Beyond 255 digits, the length no longer
      // distinguishes.
      let significant = reading.digits(start, length).drop { $0 == UInt8(ascii: "0") }
      bytes.append(number)
      bytes.append(UInt8(clamping: significant.count))
      for digit in significant { bytes.append(digit) }
    case .symbol(let scalar):
      bytes.append(symbol)
      append(scalar: scalar, to: &bytes)
    case .other(let scalar):
      bytes.append(other)
      append(scalar: scalar, to: &bytes)
    }
    return false
  }

  private static func continuesWord(_ element: Reading.Element) -> Bool {
    if case .letter(_, isFirst: false) = element { true } else { false }
  }

  private static func endLatinWord(in bytes: inout OutputSpan<UInt8>) {
    bytes.append(endOfWord)
    bytes.append(latinWord)
  }

  private static func append(scalar: UInt32, to bytes: inout OutputSpan<UInt8>) {
    bytes.append(UInt8(truncatingIfNeeded: scalar >> 16))
    bytes.append(UInt8(truncatingIfNeeded: scalar >> 8))
    bytes.append(UInt8(truncatingIfNeeded: scalar))
  }

  /// The key of a row without a name.
  static let empty = SortKey()

  private init() {
    bytes = []
    section = .other
    prefix = Prefix([])
  }

  /// The beginning of the key, which decides most comparisons.
  let prefix: Prefix

  /// The first sixteen bytes, padded with zeros, as two numbers. One number of 128 bits would be
  /// aligned to sixteen bytes, and so would every object that contains a key, which makes each
  /// allocation more expensive.
  struct Prefix: Comparable, Sendable {
    private let high: UInt64
    private let low: UInt64

    init(_ bytes: [UInt8]) {
      (high, low) = (Self.word(bytes, at: 0), Self.word(bytes, at: 8))
    }

    private static func word(_ bytes: [UInt8], at start: Int) -> UInt64 {
      if start + 8 <= bytes.count { return bytes.span.bytes.bigEndian(at: start) }
      var word: UInt64 = 0
      for index in start..<(start + 8) {
        word = word << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0)
      }
      return word
    }

    static func < (left: Prefix, right: Prefix) -> Bool {
      left.high == right.high ? left.low < right.low : left.high < right.high
    }
  }

  /// Orders by bytes.
  public static func < (left: SortKey, right: SortKey) -> Bool {
    if left.prefix != right.prefix { return left.prefix < right.prefix }
    return left.bytes.lexicographicallyPrecedes(right.bytes)
  }

  /// Whether the bytes are equal.
  public static func == (left: SortKey, right: SortKey) -> Bool {
    left.prefix == right.prefix && left.bytes == right.bytes
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}
