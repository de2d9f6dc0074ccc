/// Where a name stands among others: bytes whose order is the order of names, total and the same
/// on every machine.
///
/// Han characters stand by syllable, tone and scalar, among Latin words by their letters; numbers
/// by value; and in `#`, numbers before symbols, other scripts and the nameless. Names that all
/// this does not tell apart stand by their UTF-8.
public struct SortKey: Hashable, Comparable, Sendable {
  /// The key as bytes; they compare as unsigned, a prefix first.
  public let bytes: [UInt8]
  /// The section that the name stands in.
  public let section: SectionKey

  // Each part begins with a byte of its class; the letters are a class each. What ends a word is
  // below every letter, so that 王 comes before 网络 before 旺, and `ann` before `anna`.
  private static let number: UInt8 = 0x10
  private static let symbol: UInt8 = 0x20
  private static let endOfWord: UInt8 = 0x02
  private static let latinWord: UInt8 = 0x01
  private static let other: UInt8 = 0x80
  private static let nameless: UInt8 = 0xFF

  /// The key of a name that is read. Where a user gave the reading, `name` is what is read so.
  /// Complexity: O(n).
  public init(_ reading: Reading, name: String? = nil) {
    let name = name ?? reading.name
    section = reading.section
    // Most of what a screen of many contacts costs is this, so that the bytes are written into
    // room that is made before.
    let room = Self.room(for: reading)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(room + name.utf8.count)
    bytes.append(contentsOf: repeatElement(0, count: room))
    var span = bytes.mutableSpan
    let count = Self.write(reading, into: &span)
    // A zero ends the reading.
    bytes.removeLast(bytes.count - count - 1)
    bytes += name.utf8
    self.bytes = bytes
    prefix = Prefix(bytes)
  }

  /// No fewer bytes than a reading takes, and the zero after it.
  private static func room(for reading: Reading) -> Int {
    var room = 5
    for element in reading.elements {
      switch element {
      case .letter(_, let isFirst): room += isFirst ? 3 : 1
      case .han: room += Syllable.longest + 5
      case .number(_, let count): room += Int(count) + 2
      case .symbol, .other: room += 4
      }
    }
    return room
  }

  /// Writes a reading; returns how many bytes it takes.
  private static func write(_ reading: Reading, into bytes: inout MutableSpan<UInt8>) -> Int {
    var count = 0
    put(reading.section.rank, into: &bytes, &count)
    var isInWord = false
    for element in reading.elements {
      if isInWord, !continuesWord(element) { endLatinWord(in: &bytes, &count) }
      isInWord = write(element, of: reading, into: &bytes, &count)
    }
    if isInWord { endLatinWord(in: &bytes, &count) }
    if reading.elements.isEmpty { put(nameless, into: &bytes, &count) }
    return count
  }

  /// Writes an element; returns whether a Latin word is open then.
  private static func write(
    _ element: Reading.Element, of reading: Reading, into bytes: inout MutableSpan<UInt8>,
    _ count: inout Int
  ) -> Bool {
    switch element {
    case .letter(let letter, _):
      put(letter, into: &bytes, &count)
      return true
    case .han(let han):
      if let syllable = han.reading {
        for letter in syllable.spelling { put(letter, into: &bytes, &count) }
        put(endOfWord, into: &bytes, &count)
        put(UInt8(syllable.tone) + 1, into: &bytes, &count)
      } else {
        put(other, into: &bytes, &count)
      }
      put(scalar: han.raw, into: &bytes, &count)
    case .number(let start, let length):
      // More digits are a greater number; beyond 255 of them, the length says no more.
      let significant = reading.digits(start, length).drop { $0 == UInt8(ascii: "0") }
      put(number, into: &bytes, &count)
      put(UInt8(clamping: significant.count), into: &bytes, &count)
      for digit in significant { put(digit, into: &bytes, &count) }
    case .symbol(let scalar):
      put(symbol, into: &bytes, &count)
      put(scalar: scalar, into: &bytes, &count)
    case .other(let scalar):
      put(other, into: &bytes, &count)
      put(scalar: scalar, into: &bytes, &count)
    }
    return false
  }

  private static func continuesWord(_ element: Reading.Element) -> Bool {
    if case .letter(_, isFirst: false) = element { true } else { false }
  }

  private static func endLatinWord(in bytes: inout MutableSpan<UInt8>, _ count: inout Int) {
    put(endOfWord, into: &bytes, &count)
    put(latinWord, into: &bytes, &count)
  }

  private static func put(
    scalar: UInt32, into bytes: inout MutableSpan<UInt8>, _ count: inout Int
  ) {
    put(UInt8(truncatingIfNeeded: scalar >> 16), into: &bytes, &count)
    put(UInt8(truncatingIfNeeded: scalar >> 8), into: &bytes, &count)
    put(UInt8(truncatingIfNeeded: scalar), into: &bytes, &count)
  }

  private static func put(_ byte: UInt8, into bytes: inout MutableSpan<UInt8>, _ count: inout Int) {
    bytes[count] = byte
    count += 1
  }

  /// The key of what has no name.
  static let empty = SortKey()

  private init() {
    bytes = []
    section = .other
    prefix = Prefix([])
  }

  /// What settles most comparisons.
  let prefix: Prefix

  /// The first sixteen bytes, zeros after the end, as two numbers. One of 128 bits would be
  /// aligned to sixteen bytes, and so would every object that holds a key, which costs at each
  /// allocation.
  struct Prefix: Comparable, Sendable {
    private let high: UInt64
    private let low: UInt64

    init(_ bytes: [UInt8]) {
      (high, low) = (Self.word(bytes, at: 0), Self.word(bytes, at: 8))
    }

    private static func word(_ bytes: [UInt8], at start: Int) -> UInt64 {
      if start + 8 <= bytes.count {
        let word = bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: start, as: UInt64.self)
        return UInt64(bigEndian: word)
      }
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

  /// Orders by the bytes.
  public static func < (left: SortKey, right: SortKey) -> Bool {
    if left.prefix != right.prefix { return left.prefix < right.prefix }
    return left.bytes.lexicographicallyPrecedes(right.bytes)
  }

  /// Whether the bytes are the same.
  public static func == (left: SortKey, right: SortKey) -> Bool {
    left.prefix == right.prefix && left.bytes == right.bytes
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}
