/// Contacts of one table, to go over few among many: a bit for each, and above them a bit for each
/// word of bits that is not 0, and so on.
///
/// Copies share it like a `ChunkedArray`.
struct ContactIndex: Sendable {
  private var levels = [ChunkedArray<UInt64>](
    repeating: ChunkedArray(chunkBits: 3), count: levelCount)

  /// With three, the uppermost has a word for a quarter of a million contacts.
  private static let levelCount = 3

  /// An index of nobody.
  init() {}

  /// An index of these contacts. Complexity: linear in the highest number.
  init(_ set: ContactSet) {
    var words = set.words
    for level in levels.indices {
      for word in words { levels[level].append(word) }
      var above = [UInt64](repeating: 0, count: (words.count + 63) / 64)
      for (place, word) in words.enumerated() where word != 0 {
        above[place >> 6] |= 1 << UInt64(place & 63)
      }
      words = above
    }
  }

  /// Adds a contact or takes it out. Complexity: O(1) amortised.
  ///
  /// - Returns: Whether that changed anything.
  mutating func set(_ number: ContactNumber, _ isMember: Bool) -> Bool {
    var place = Int(number.rawValue)
    // Most that are taken out were never in.
    if !isMember, levels[0].count <= place >> 6 { return false }
    for level in levels.indices {
      let word = place >> 6
      let bit: UInt64 = 1 << UInt64(place & 63)
      while levels[level].count <= word { levels[level].append(0) }
      let before = levels[level][word]
      let after = isMember ? before | bit : before & ~bit
      guard before != after else { return false }
      levels[level][word] = after
      // Above, only whether there is any counts.
      guard (before == 0) != (after == 0) else { break }
      place = word
    }
    return true
  }

  /// Whether all of them are in a set. Complexity: linear in the highest number.
  func isSubset(of set: ContactSet) -> Bool {
    for place in 0..<levels[0].count {
      let others = place < set.words.count ? ~set.words[place] : .max
      if levels[0][place] & others != 0 { return false }
    }
    return true
  }

  /// The contacts in the order of their numbers. Complexity: linear in how many they are.
  var members: [ContactNumber] {
    var words = Array(0..<levels[levels.count - 1].count)
    for level in levels.reversed() {
      var places: [Int] = []
      for word in words {
        var rest = level[word]
        while rest != 0 {
          places.append(word << 6 | rest.trailingZeroBitCount)
          rest &= rest - 1
        }
      }
      words = places
    }
    return words.map { ContactNumber(rawValue: UInt32($0)) }
  }
}
