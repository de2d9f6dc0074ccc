// Texts by their bytes, as servers hold them: Swift takes canonically equivalent texts for equal,
// whose bytes differ in their normal form.
extension String {
  /// The text that these bytes are, nil where they are not UTF-8.
  package init?(utf8 bytes: UnsafeRawBufferPointer) {
    self.init(decoding: bytes, as: UTF8.self)
    // What is not UTF-8 was repaired. This costs a fraction of `init(validating:as:)`.
    guard bytes.isASCII || hasBytes(bytes) else { return nil }
  }

  /// Hands the text's bytes to `body`; they are valid while it runs.
  @inlinable @inline(__always)
  package func withUTF8Bytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    if let result = utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) {
      return result
    }
    var text = self
    return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }

  /// Whether these are the bytes of the text.
  @inlinable package func hasBytes(_ bytes: UnsafeRawBufferPointer) -> Bool {
    // Most differ in their length, which is known without a look at the bytes.
    utf8.count == bytes.count && withUTF8Bytes { $0.isSame(as: bytes) }
  }

  /// Whether another text has the same bytes.
  @inlinable package func hasSameBytes(as other: String) -> Bool {
    withUTF8Bytes { other.hasBytes($0) }
  }

  /// Whether the text comes before another in the order of their bytes.
  @inlinable package func precedesByBytes(_ other: String) -> Bool {
    withUTF8Bytes { mine in other.withUTF8Bytes { mine.precedes($0) } }
  }
}

extension String? {
  /// Whether both are nil, or these are the bytes of the text.
  @inlinable package func hasBytes(_ bytes: UnsafeRawBufferPointer?) -> Bool {
    switch (self, bytes) {
    case (nil, nil): true
    case (let text?, let bytes?): text.hasBytes(bytes)
    case (nil, _?), (_?, nil): false
    }
  }

  /// Whether both are nil or have the same bytes.
  @inlinable package func hasSameBytes(as other: String?) -> Bool {
    switch (self, other) {
    case (nil, nil): true
    case (let mine?, let others?): mine.hasSameBytes(as: others)
    case (nil, _?), (_?, nil): false
    }
  }
}

extension [String] {
  /// Whether another list has texts of the same bytes in the same order.
  @inlinable package func hasSameBytes(as other: [String]) -> Bool {
    count == other.count && zip(self, other).allSatisfy { $0.hasSameBytes(as: $1) }
  }

  /// The texts that are not empty, none twice, in the order of their bytes.
  package var sortedSet: [String] {
    guard count > 1 else { return first?.isEmpty == true ? [] : self }
    if isSortedSet { return self }
    var set: [String] = []
    for text in filter({ !$0.isEmpty }).sorted(by: { $0.precedesByBytes($1) })
    where set.last?.hasSameBytes(as: text) != true {
      set.append(text)
    }
    return set
  }

  /// Whether none is empty, and each comes before the next one.
  package var isSortedSet: Bool {
    first?.isEmpty != true && zip(self, dropFirst()).allSatisfy { $0.precedesByBytes($1) }
  }
}

extension Hasher {
  /// Feeds the bytes of a text, so that texts of the same bytes hash alike.
  package mutating func combine(bytesOf text: String?) {
    guard let text else { return combine(0 as UInt8) }
    text.withUTF8Bytes { combine(bytes: $0) }
    combine(0xFF as UInt8)
  }
}

/// Where a text comes in the order of their bytes: most pairs differ in the first sixteen.
package struct ByteRank {
  private let first: UInt64
  private let second: UInt64
  /// The index of the text in the list that is put in order.
  package let index: Int

  private init(_ bytes: UnsafeRawBufferPointer, _ index: Int) {
    (first, second) = (bytes.rank(at: 0), bytes.rank(at: 8))
    self.index = index
  }

  /// The order of texts; equal ones stay as they are listed. Complexity: O(n log n).
  package static func order(of texts: [String]) -> [ByteRank] {
    order(
      of: texts.count, rank: { index, rank in texts[index].withUTF8Bytes(rank) },
      precedes: { texts[$0].precedesByBytes(texts[$1]) })
  }

  /// The order of texts that stand elsewhere.
  ///
  /// - Parameters:
  ///   - rank: Hands the bytes of a text to a closure.
  ///   - precedes: Whether one text comes before another.
  package static func order(
    of count: Int, rank: (Int, (UnsafeRawBufferPointer) -> ByteRank) -> ByteRank,
    precedes: (Int, Int) -> Bool
  ) -> [ByteRank] {
    (0..<count).map { index in rank(index) { ByteRank($0, index) } }.sorted { a, b in
      if a.first != b.first { return a.first < b.first }
      if a.second != b.second { return a.second < b.second }
      return precedes(a.index, b.index)
    }
  }
}
