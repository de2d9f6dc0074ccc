/// Contacts of one table, a bit for each.
struct ContactSet {
  private var words: [UInt64] = []

  /// Whether a contact is among them. Complexity: O(1).
  func contains(_ number: ContactNumber) -> Bool {
    let (word, bit) = Self.place(of: number)
    return word < words.count && words[word] & bit != 0
  }

  /// Adds a contact. Complexity: O(1) amortised.
  ///
  /// - Returns: Whether it was not among them before.
  mutating func insert(_ number: ContactNumber) -> Bool {
    let (word, bit) = Self.place(of: number)
    if word >= words.count {
      words.append(contentsOf: repeatElement(0, count: word + 1 - words.count))
    }
    defer { words[word] |= bit }
    return words[word] & bit == 0
  }

  private static func place(of number: ContactNumber) -> (word: Int, bit: UInt64) {
    (Int(number.rawValue >> 6), 1 << UInt64(number.rawValue & 63))
  }
}
