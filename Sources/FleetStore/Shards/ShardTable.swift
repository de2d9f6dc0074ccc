import EventStore
import RawBytes
import RosterCore

/// The databases that a shard has besides those of a log. All of it is derived from the shard's
/// records, and written in the transaction that appends them.
package enum ShardTable {
  /// The number of an account → `AccountRow`.
  static let accounts = "accounts"
  /// The address of an account → its number.
  static let numbers = "numbers"
  /// The number of an account → the snapshot of its roster after its last record.
  static let heads = "heads"
  /// The address of a contact, the number of the account → `EndRow`.
  static let ends = "ends"
  /// The number of a connection → `ConnectionRow`.
  static let connections = "connections"
  /// The account, the source and its name for a connection → the number of the connection.
  static let links = "links"
  /// The source and the number that it has for a connection which has not ended → `OpenRow`.
  static let open = "open"
  /// The number of a source → `PositionRow`.
  static let positions = "positions"

  package static let all = [
    accounts, numbers, heads, ends, connections, links, open, positions,
  ]

  /// The version of what is derived: of the rows here, and of the index by account. A shard of
  /// another version must be made anew from its records.
  static let version: UInt32 = 2
}

/// The keys of the tables.
enum ShardKey {
  /// A key begins with at most this much of a text: LMDB's keys have 511 bytes.
  static let textBytes = 440

  /// A text as the beginning of a key: the text and a zero byte, which no address has. The rest of
  /// a text that is too long is replaced by its digest.
  static func text(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    guard bytes.count > textBytes else { return bytes + [0] }
    return bytes.prefix(textBytes) + [1] + LogDigest(of: bytes.span.bytes).bytes.prefix(16) + [0]
  }

  static func number(_ number: UInt32) -> [UInt8] {
    [
      UInt8(truncatingIfNeeded: number >> 24), UInt8(truncatingIfNeeded: number >> 16),
      UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number),
    ]
  }

  static func end(_ contact: String, _ account: AccountNumber) -> [UInt8] {
    text(contact) + number(account)
  }

  static func link(_ account: AccountNumber, _ source: SourceNumber, _ name: String) -> [UInt8] {
    number(account) + number(source) + text(name)
  }

  static func open(_ source: SourceNumber, _ connection: Int64) -> [UInt8] {
    let bits = UInt64(bitPattern: connection)
    return number(source) + number(UInt32(truncatingIfNeeded: bits >> 32))
      + number(UInt32(truncatingIfNeeded: bits))
  }

  /// The number at the end of a key.
  static func lastNumber(_ key: RawSpan) -> UInt32? {
    guard key.byteCount >= 4 else { return nil }
    return key.bigEndian(at: key.byteCount - 4, as: UInt32.self)
  }
}

/// The number of an account in its shard, from 1.
package typealias AccountNumber = UInt32
/// The number of a source in the fleet, from 1.
package typealias SourceNumber = UInt32
