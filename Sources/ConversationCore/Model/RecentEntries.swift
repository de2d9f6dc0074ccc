/// A dictionary of a bounded size, which forgets the oldest entries beyond it.
struct RecentEntries<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// The number of entries that are kept.
  let limit: Int
  private var values: [Key: (value: Value, serial: Int)] = [:]
  /// The keys in the order in which they were added, from `first` on; those that were removed since
  /// may still be there.
  private var added: [(key: Key, serial: Int)] = []
  private var first = 0
  private var nextSerial = 0

  init(limit: Int) {
    self.limit = limit
  }

  var count: Int { values.count }

  subscript(key: Key) -> Value? { values[key]?.value }

  /// Adds an entry as the newest one. If the key is there, its value changes and its age does not.
  ///
  /// - Returns: The entry that is forgotten for it, if any.
  ///
  /// Complexity: constant on average.
  @discardableResult
  mutating func update(_ key: Key, _ value: Value) -> (key: Key, value: Value)? {
    if values[key] != nil {
      values[key]?.value = value
      return nil
    }
    values[key] = (value, nextSerial)
    added.append((key, nextSerial))
    nextSerial += 1
    return values.count > limit ? removeOldest() : nil
  }

  /// Removes an entry, if it is there. Complexity: constant on average.
  mutating func remove(_ key: Key) {
    values[key] = nil
    // What was removed is not kept for longer than as much again.
    if added.count - first > 2 * limit { compact() }
  }

  private mutating func removeOldest() -> (key: Key, value: Value)? {
    while first < added.count {
      let (key, serial) = added[first]
      first += 1
      guard let entry = values[key], entry.serial == serial else { continue }
      values[key] = nil
      if first > limit { compact() }
      return (key, entry.value)
    }
    return nil
  }

  private mutating func compact() {
    added.removeFirst(first)
    added.removeAll { values[$0.key]?.serial != $0.serial }
    first = 0
  }
}
