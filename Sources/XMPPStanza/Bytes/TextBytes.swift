package import RawBytes

extension [String] {
  /// Whether another list has texts with equal bytes in the same order.
  package func hasSameBytes(as other: [String]) -> Bool {
    count == other.count && zip(self, other).allSatisfy { $0.hasSameBytes(as: $1) }
  }

  /// The texts without empty ones and duplicates, in byte order.
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

  /// Whether no text is empty and each comes before the next.
  package var isSortedSet: Bool {
    first?.isEmpty != true && zip(self, dropFirst()).allSatisfy { $0.precedesByBytes($1) }
  }
}

extension ByteRank {
  /// Sorts texts by their bytes; equal ones keep their order. Complexity: O(n log n).
  package static func order(of texts: [String]) -> [ByteRank] {
    order(
      of: texts.count, rank: { index, rank in texts[index].withUTF8Bytes(rank) },
      precedes: { texts[$0].precedesByBytes(texts[$1]) })
  }
}
