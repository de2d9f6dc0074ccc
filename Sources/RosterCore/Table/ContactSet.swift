/// Contacts of one table, a bit for each.
struct ContactSet: Sendable {
  /// From the lowest number on.
  private(set) var words: [UInt64] = []

  /// A set of nobody.
  init() {}

  /// Those of the first contacts that have a part, by what each of them has.
  init(having part: ContactPart, among contacts: [ContactParts]) {
    words.reserveCapacity((contacts.count + 63) / 64)
    for first in stride(from: 0, to: contacts.count, by: 64) {
      var word: UInt64 = 0
      for start in stride(from: first, to: min(first + 64, contacts.count), by: 8) {
        word |= ContactParts.marks(of: part, among: contacts, from: start) << UInt64(start - first)
      }
      words.append(word)
    }
  }

  /// How many there are. Complexity: linear in the highest number.
  var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

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

  /// The contacts in the order of their numbers. Complexity: linear in the highest number.
  var members: [ContactNumber] {
    var members: [ContactNumber] = []
    for word in words.indices {
      var rest = words[word]
      while rest != 0 {
        members.append(ContactNumber(rawValue: UInt32(word << 6 | rest.trailingZeroBitCount)))
        rest &= rest - 1
      }
    }
    return members
  }

  /// Adds all contacts of another set. Complexity: linear in the highest number.
  mutating func formUnion(_ other: ContactSet) {
    let missing = other.words.count - words.count
    if missing > 0 { words.append(contentsOf: repeatElement(0, count: missing)) }
    for (place, word) in other.words.enumerated() { words[place] |= word }
  }

  private static func place(of number: ContactNumber) -> (word: Int, bit: UInt64) {
    (Int(number.rawValue >> 6), 1 << UInt64(number.rawValue & 63))
  }
}
