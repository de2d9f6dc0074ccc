import BitCollections

/// Contacts of one table, a bit for each.
struct ContactSet: Sendable {
  private var numbers = BitSet()

  /// An empty set.
  init() {}

  /// The contacts among the first `count` for which `isMember` is true. Complexity: linear in
  /// `count`.
  init(of count: Int, where isMember: (Int) -> Bool) {
    for number in 0..<count where isMember(number) { numbers.insert(number) }
  }

  /// Whether the set contains a contact. Complexity: O(1).
  func contains(_ number: ContactNumber) -> Bool { numbers.contains(Int(number.rawValue)) }

  /// Adds a contact. Complexity: O(1) amortized.
  ///
  /// - Returns: Whether it was not in the set before.
  mutating func insert(_ number: ContactNumber) -> Bool {
    numbers.insert(Int(number.rawValue)).inserted
  }

  /// Adds a contact, or removes it. Complexity: O(1) amortized.
  ///
  /// - Returns: Whether that changed the set.
  mutating func set(_ number: ContactNumber, _ isMember: Bool) -> Bool {
    // Copies share memory until they change, so a call that changes nothing must not copy.
    guard contains(number) != isMember else { return false }
    if isMember {
      numbers.insert(Int(number.rawValue))
    } else {
      numbers.remove(Int(number.rawValue))
    }
    return true
  }

  /// Adds all contacts of another set. Complexity: linear in the highest number.
  mutating func formUnion(_ other: ContactSet) { numbers.formUnion(other.numbers) }

  /// Whether this is a subset of another set. Complexity: linear in the highest number.
  func isSubset(of other: ContactSet) -> Bool { numbers.isSubset(of: other.numbers) }

  /// The number of contacts. Complexity: linear in the highest number.
  var count: Int { numbers.count }

  /// The contacts in the order of their numbers. Complexity: linear in the highest number.
  var members: [ContactNumber] { numbers.map { ContactNumber(rawValue: UInt32($0)) } }
}
