/// Compares the entries of the database `meta` with their checksums.
struct MetaCheck {
  let entries: [MetaKey: [UInt8]]

  /// The damage to the entries, each as a clause, in the order of their keys.
  var damage: [String] {
    let sorted = entries.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
    return sorted.compactMap { key, value in
      if let checked = key.checkedKey {
        return entries[checked] == nil ? "the entry \(checked) is missing" : nil
      }
      guard key.isKnown else { return "the entry \(key) is not known to this program" }
      guard let checksum = entries[key.ofChecksum] else {
        return "the entry \(key) has lost its checksum"
      }
      return checksum == key.checksum(of: value.span.bytes).bytes
        ? nil : "the entry \(key) is not what was written"
    } + missingImports
  }

  private var missingImports: [String] {
    let numbers = entries.keys.compactMap(\.importNumber).sorted()
    guard let hole = numbers.enumerated().first(where: { $0.offset != Int($0.element) }) else {
      return []
    }
    return ["the entry import \(hole.offset) is missing"]
  }

  /// The account, if its entry is undamaged.
  var account: String? { value(of: .account) }

  /// The imports whose entries are undamaged.
  var imports: [ImportedSource] {
    entries.keys.compactMap(\.importNumber).sorted().compactMap { value(of: .imported($0)) }
  }

  /// The names of connections whose entries are undamaged, by number.
  var connections: [UInt32: String] {
    var names: [UInt32: String] = [:]
    for number in entries.keys.compactMap(\.connectionNumber) {
      names[number] = value(of: .connection(number))
    }
    return names
  }

  /// The value of an entry; nil if it contradicts its checksum.
  private func value<Value>(of entry: MetaEntry<Value>) -> Value? {
    guard let stored = entries[entry.key] else { return nil }
    let checksum = entry.key.checksum(of: stored.span.bytes).bytes
    guard entries[entry.key.ofChecksum] == checksum else { return nil }
    return Value(stored: stored.span.bytes)
  }
}

extension ReadTransaction {
  /// The damage to the log's own entries, each as a clause; empty if there is none.
  package var metaDamage: [String] {
    get throws {
      MetaCheck(entries: try metaEntries()).damage
    }
  }
}
