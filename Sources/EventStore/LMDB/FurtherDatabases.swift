import CLMDB
import RawBytes

/// A key of a further database: 1 to 511 bytes, which sort in the order of the keys.
struct FurtherKey: StoredKey {
  let bytes: [UInt8]

  func withStoredBytes<R, E: Error>(
    _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R {
    try body(bytes.span.bytes)
  }
}

/// The number of bytes that a key of a further database may have.
package enum FurtherLimit {
  package static let keyBytes = 511
}

// The databases that the owner of a log keeps in its file: the log gives them transactions and
// checks their pages, and knows nothing about their contents.
extension LogTransaction where Self: ~Copyable {
  private func further(_ name: String) throws(EventLogError) -> Database<FurtherKey> {
    guard let database = databases.further[name] else {
      throw .corrupt(what: "it has no database \(name)")
    }
    return database
  }

  /// The value under a key of a further database; nil if there is none.
  package func value(_ name: String, _ key: [UInt8]) throws(EventLogError) -> [UInt8]? {
    guard let found = try get(try further(name), FurtherKey(bytes: key)) else { return nil }
    return [UInt8](found)
  }

  /// Passes the entries of a further database to `body`, in the order of their keys, until it
  /// returns false.
  ///
  /// - Parameter start: The first key, or where it would be; nil for the beginning.
  package func forEachEntry(
    _ name: String, from start: [UInt8]? = nil,
    _ body: (_ key: RawSpan, _ value: RawSpan) throws -> Bool
  ) throws {
    try scan(try further(name), from: start.map { FurtherKey(bytes: $0) }, body)
  }

  /// The last key of a further database; nil if it is empty.
  package func lastKey(_ name: String) throws(EventLogError) -> [UInt8]? {
    let cursor = try Cursor(try further(name), in: self)
    guard let entry = try cursor.last() else { return nil }
    return [UInt8](entry.key)
  }

  /// The number of entries of a further database.
  package func entryCount(_ name: String) throws(EventLogError) -> Int {
    try count(try further(name))
  }
}

extension WriteTransaction {
  /// Stores or replaces the value under a key of a further database; nil removes it.
  package func set(
    _ name: String, _ key: [UInt8], to value: [UInt8]?
  ) throws(EventLogError) {
    guard let database = databases.further[name] else {
      throw .corrupt(what: "it has no database \(name)")
    }
    if let value {
      try put(database, FurtherKey(bytes: key), value)
    } else {
      try delete(database, FurtherKey(bytes: key))
    }
  }
}
