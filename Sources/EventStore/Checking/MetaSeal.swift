import CLMDB
import Crypto

/// What an entry of the database `meta` is sealed with: nothing else in a log says what an account
/// or the name of an import has to be, so a byte that changes by itself could not be told.
enum MetaSeal {
  private static let prefix = Array("seal ".utf8)

  static func key(for key: [UInt8]) -> [UInt8] { prefix + key }

  static func seal(_ key: [UInt8], _ value: [UInt8]) -> [UInt8] {
    var hash = SHA256()
    hash.update(data: Array(LogFormat.metaSealLabel.utf8))
    hash.update(data: [UInt8(truncatingIfNeeded: key.count)])
    hash.update(data: key)
    hash.update(data: value)
    return Array(hash.finalize())
  }

  /// What is wrong with the entries of a log, in the order of their keys.
  ///
  /// A log of a program that knew no seals has none; where one is there, all must be.
  static func flaws(in entries: [[UInt8]: [UInt8]]) -> [String] {
    let isSealed = entries.keys.contains { $0.starts(with: prefix) }
    return entries.sorted { $0.key.lexicographicallyPrecedes($1.key) }.compactMap { key, value in
      let name = name(of: key)
      if key.starts(with: prefix) {
        let sealed = Array(key.dropFirst(prefix.count))
        return entries[sealed] == nil ? "the entry \(self.name(of: sealed)) is missing" : nil
      }
      guard isKnown(key) else { return "the entry \(name) is none that this program knows" }
      guard isSealed else { return nil }
      guard let stored = entries[self.key(for: key)] else {
        return "the entry \(name) has lost its seal"
      }
      return stored == seal(key, value) ? nil : "the entry \(name) is not what was written"
    } + missingImports(in: entries)
  }

  private static func isKnown(_ key: [UInt8]) -> Bool {
    ["format", "account", "events", "rebuild"].contains { key.elementsEqual($0.utf8) }
      || number(ofImport: key) != nil
  }

  private static func missingImports(in entries: [[UInt8]: [UInt8]]) -> [String] {
    let numbers = entries.keys.compactMap(number(ofImport:)).sorted()
    guard let hole = numbers.enumerated().first(where: { $0.offset != Int($0.element) }) else {
      return []
    }
    return ["the entry import \(hole.offset) is missing"]
  }

  private static func number(ofImport key: [UInt8]) -> UInt32? {
    let word = Array("import".utf8)
    guard key.count == word.count + 4, key.starts(with: word) else { return nil }
    return key.dropFirst(word.count).reduce(0) { $0 << 8 | UInt32($1) }
  }

  private static func name(of key: [UInt8]) -> String {
    if let number = number(ofImport: key) { return "import \(number)" }
    return "“\(String(decoding: key, as: UTF8.self))”"
  }
}

extension ReadTransaction {
  /// What is wrong with what the log says about itself, each in a clause; empty where nothing is.
  package var metaFlaws: [String] {
    get throws {
      var entries: [[UInt8]: [UInt8]] = [:]
      try [0].withRawBytes { start in
        try Store.scan(raw, databases.meta, from: start) { key, value in
          entries[Array(key)] = Array(value)
          return true
        }
      }
      return MetaSeal.flaws(in: entries)
    }
  }
}

extension MetaSeal {
  /// The account that these entries name, if it is what was written.
  static func account(in entries: [[UInt8]: [UInt8]]) -> String? {
    whole(Array("account".utf8), in: entries).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The imports that these entries name and that are what was written.
  static func imports(in entries: [[UInt8]: [UInt8]]) -> [ImportedSource] {
    let keys = entries.keys.compactMap { key in number(ofImport: key).map { ($0, key) } }
    return keys.sorted { $0.0 < $1.0 }.compactMap { _, key in
      whole(key, in: entries)?.withRawBytes { ImportedSource(stored: $0) }
    }
  }

  /// An entry's value, unless its seal is broken.
  private static func whole(_ key: [UInt8], in entries: [[UInt8]: [UInt8]]) -> [UInt8]? {
    guard let value = entries[key] else { return nil }
    guard let stored = entries[self.key(for: key)] else { return value }
    return stored == seal(key, value) ? value : nil
  }
}
