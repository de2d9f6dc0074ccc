/// A set of page numbers.
struct PageSet {
  private var words: [UInt64] = []

  func contains(_ page: UInt64) -> Bool {
    let word = Int(page >> 6)
    return word < words.count && words[word] & (1 << (page & 63)) != 0
  }

  /// Inserts a page; returns false if the set already contains it.
  ///
  /// The set grows to the page's number, which the caller has compared with the file's size.
  @discardableResult
  mutating func insert(_ page: UInt64) -> Bool {
    let word = Int(page >> 6)
    if word >= words.count {
      words += [UInt64](repeating: 0, count: word + 1 - words.count)
    }
    let bit: UInt64 = 1 << (page & 63)
    defer { words[word] |= bit }
    return words[word] & bit == 0
  }
}
