import XMPPStanza

// Texts by their bytes. States hold thousands of them, so they are compared eight bytes at a time.

extension UnsafeRawBufferPointer {
  /// The eight bytes from here, in an order in which numbers compare as the bytes do; behind the
  /// end there are zeros.
  func word(at offset: Int) -> UInt64 {
    let rest = count - offset
    if rest >= 8 {
      return UInt64(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    guard rest > 0 else { return 0 }
    if count >= 8 {
      let last = UInt64(bigEndian: loadUnaligned(fromByteOffset: count - 8, as: UInt64.self))
      return last << UInt64(8 * (8 - rest))
    }
    var word: UInt64 = 0
    for place in offset..<count { word = word << 8 | UInt64(self[place]) }
    return word << UInt64(8 * (8 - rest))
  }

  /// Whether these bytes come before others; a text comes before what it is the beginning of.
  func precedes(_ other: Self) -> Bool {
    var offset = 0
    while offset < Swift.min(count, other.count) {
      let (mine, others) = (word(at: offset), other.word(at: offset))
      if mine != others { return mine < others }
      offset += 8
    }
    return count < other.count
  }

  func isSame(as other: Self) -> Bool {
    guard count == other.count else { return false }
    guard count >= 8 else {
      for place in 0..<count where self[place] != other[place] { return false }
      return true
    }
    var offset = 0
    while offset < count {
      // The last eight bytes overlap those before.
      let place = Swift.min(offset, count - 8)
      if bits(at: place) != other.bits(at: place) { return false }
      offset += 8
    }
    return true
  }

  var isASCII: Bool {
    guard count >= 8 else { return allSatisfy { $0 < 0x80 } }
    var all: UInt64 = 0
    var offset = 0
    while offset < count {
      all |= bits(at: Swift.min(offset, count - 8))
      offset += 8
    }
    return all & 0x8080_8080_8080_8080 == 0
  }

  /// A number by which texts can be spread over places, though not ones that were made to meet.
  @inline(__always)
  var mixed: UInt64 {
    var sum = UInt64(count)
    guard count >= 8 else {
      for byte in self { sum = (sum ^ UInt64(byte)) &* 0x9E37_79B9_7F4A_7C15 }
      return sum ^ sum >> 29
    }
    var offset = 0
    while offset < count {
      // The last eight bytes overlap those before.
      sum = (sum ^ bits(at: Swift.min(offset, count - 8))) &* 0x9E37_79B9_7F4A_7C15
      sum ^= sum >> 29
      offset += 8
    }
    return sum
  }

  @inline(__always)
  private func bits(at offset: Int) -> UInt64 {
    loadUnaligned(fromByteOffset: offset, as: UInt64.self)
  }
}

extension String {
  /// The text that these bytes are, nil where they are none.
  init?(utf8 bytes: UnsafeRawBufferPointer) {
    self.init(decoding: bytes, as: UTF8.self)
    // What is no text was repaired. This costs a fraction of `init(validating:as:)`.
    guard bytes.isASCII || withUTF8Bytes({ $0.isSame(as: bytes) }) else { return nil }
  }

  /// The text's bytes as they are: two texts that Swift takes for equal, as they differ in their
  /// normal form only, have different ones.
  @inline(__always)
  func withUTF8Bytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    if let result = utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) {
      return result
    }
    var text = self
    return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }

  func precedesByBytes(_ other: String) -> Bool {
    withUTF8Bytes { mine in other.withUTF8Bytes { mine.precedes($0) } }
  }
}

/// Where a text comes in the order of their bytes: most pairs differ in the first sixteen.
struct ByteRank {
  private let first: UInt64
  private let second: UInt64
  /// The index of the text in the list that is put in order.
  let index: Int

  private init(_ text: String, _ index: Int) {
    (first, second) = text.withUTF8Bytes { ($0.word(at: 0), $0.word(at: 8)) }
    self.index = index
  }

  /// The order of texts. Complexity: O(n log n).
  static func order(of texts: [String]) -> [ByteRank] {
    texts.enumerated().map { ByteRank($1, $0) }.sorted { a, b in
      if a.first != b.first { return a.first < b.first }
      if a.second != b.second { return a.second < b.second }
      return texts[a.index].precedesByBytes(texts[b.index])
    }
  }
}

/// A text by its bytes, where `String` takes canonically equivalent ones for equal.
struct ExactText: Hashable {
  let text: String

  static func == (a: Self, b: Self) -> Bool {
    a.text.withUTF8Bytes { mine in b.text.withUTF8Bytes { mine.isSame(as: $0) } }
  }

  func hash(into hasher: inout Hasher) {
    text.withUTF8Bytes { hasher.combine(bytes: $0) }
    hasher.combine(0xFF as UInt8)
  }
}

/// Texts by their bytes.
struct ExactTexts: Hashable {
  let texts: [String]

  static func == (a: Self, b: Self) -> Bool {
    a.texts.elementsEqual(b.texts) { ExactText(text: $0) == ExactText(text: $1) }
  }

  func hash(into hasher: inout Hasher) {
    for text in texts { ExactText(text: text).hash(into: &hasher) }
  }
}

extension [String] {
  /// Whether these can be an item's groups: none empty, in the order of their bytes, and none
  /// twice, also not in another normal form.
  var areGroups: Bool {
    // Most items have no group or one.
    guard count > 1 else { return first?.isEmpty != true }
    for (group, next) in zip(self, dropFirst()) where !group.precedesByBytes(next) { return false }
    guard first?.isEmpty != true else { return false }
    // Only texts beyond ASCII have normal forms.
    if allSatisfy({ $0.withUTF8Bytes(\.isASCII) }) { return true }
    return count == 2 ? self[0] != self[1] : Set(self).count == count
  }
}
