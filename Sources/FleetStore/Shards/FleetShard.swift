package import EventStore
import Foundation
import RawBytes
package import RosterCore
package import XMPPStanza

/// A shard: a log with the records of many accounts, and what is derived from them.
///
/// Every connection of every source has a number of its own here, and belongs to one account. The
/// log's index of contacts has each record under its account instead.
package final class FleetShard: Sendable {
  package let number: ShardNumber
  package let log: EventLog

  /// A shard is small, and 256 of them are open at a time.
  static let mapSize = 1 << 30

  /// The connection of the shard's own records; those of accounts are numbered from 2.
  static let ownConnection: UInt32 = 1

  init(_ number: ShardNumber, _ log: EventLog) {
    (self.number, self.log) = (number, log)
  }

  package static func path(of number: ShardNumber, in folder: String) -> String {
    "\(folder)/\(number.fileName)"
  }

  /// Opens a shard.
  ///
  /// - Throws: `EventLogError`; `FleetError.otherVersion` if another program made what is derived.
  package static func open(
    _ number: ShardNumber, in folder: String, access: LogAccess
  ) throws -> FleetShard {
    let path = path(of: number, in: folder)
    let log = try EventLog.open(
      at: path, access: access, eventVersion: ShardTable.version, mapSize: mapSize,
      further: ShardTable.all)
    guard try log.derivedIsCurrent else { throw FleetError.otherVersion(path) }
    return FleetShard(number, log)
  }

  /// Creates an empty shard, which is complete and durable or does not exist.
  package static func create(_ number: ShardNumber, in folder: String) throws -> FleetShard {
    FleetShard(
      number,
      try EventLog.create(
        at: path(of: number, in: folder), eventVersion: ShardTable.version, mapSize: mapSize,
        further: ShardTable.all))
  }

  /// Creates a shard that is not at its path until it is published.
  static func draft(_ number: ShardNumber, for path: String) throws -> FleetShard {
    FleetShard(
      number,
      try EventLog.draft(
        for: path, eventVersion: ShardTable.version, mapSize: mapSize, further: ShardTable.all))
  }

  /// The shards that a folder has.
  package static func numbers(in folder: String) -> [ShardNumber] {
    ShardNumber.all.filter {
      FileManager.default.fileExists(atPath: path(of: $0, in: folder))
    }
  }
}

// MARK: Reading

extension LogTransaction where Self: ~Copyable {
  /// Reads a row; nil if there is none.
  func row<Row: CanonicalCodable>(
    _ table: String, _ key: [UInt8], as _: Row.Type = Row.self
  ) throws(EventLogError) -> Row? {
    guard let bytes = try value(table, key) else { return nil }
    do throws(CodecError) {
      return try Row.decode(bytes.span.bytes)
    } catch {
      throw .corruptEntry("an entry of \(table) cannot be read: \(error)")
    }
  }

  /// The number of an account; nil if the shard has no record of it.
  package func number(of account: BareJID) throws(EventLogError) -> AccountNumber? {
    guard let bytes = try value(ShardTable.numbers, ShardKey.text(account.text)) else { return nil }
    guard let number = ShardKey.lastNumber(bytes.span.bytes) else {
      throw .corruptEntry("the number of an account cannot be read")
    }
    return number
  }

  package func account(_ number: AccountNumber) throws(EventLogError) -> AccountRow? {
    try row(ShardTable.accounts, ShardKey.number(number))
  }

  /// The roster of an account after its last record.
  package func head(_ number: AccountNumber) throws(EventLogError) -> Roster? {
    guard let bytes = try value(ShardTable.heads, ShardKey.number(number)) else { return nil }
    return try HeadCoding.roster(bytes.span.bytes)
  }

  /// Passes each account to `body`, in the order of their numbers, until it returns false.
  package func forEachAccount(
    from start: AccountNumber = 0, _ body: (AccountNumber, AccountRow) throws -> Bool
  ) throws {
    try forEachEntry(ShardTable.accounts, from: ShardKey.number(start)) { key, value in
      guard let number = ShardKey.lastNumber(key) else {
        throw EventLogError.corruptEntry("the number of an account cannot be read")
      }
      return try body(number, try Row.read(value, of: ShardTable.accounts))
    }
  }

  func connection(_ number: UInt32) throws(EventLogError) -> ConnectionRow? {
    try row(ShardTable.connections, ShardKey.number(number))
  }
}

/// Reads rows in place.
enum Row {
  static func read<Value: CanonicalCodable>(
    _ bytes: RawSpan, of table: String
  ) throws(EventLogError) -> Value {
    do throws(CodecError) {
      return try Value.decode(bytes)
    } catch {
      throw .corruptEntry("an entry of \(table) cannot be read: \(error)")
    }
  }
}

/// The stored form of a head: a checksum, because the reducer continues from these bytes, and a
/// snapshot.
enum HeadCoding {
  private static let seed: UInt64 = 0x686561642031  // “head 1”

  static func bytes(_ roster: Roster) -> [UInt8] {
    let snapshot = roster.snapshot
    let sum = snapshot.span.bytes.hash(from: seed)
    return (0..<8).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) } + snapshot
  }

  static func roster(_ bytes: RawSpan) throws(EventLogError) -> Roster {
    guard bytes.byteCount >= 8 else { throw .corruptEntry("a roster is cut short") }
    let snapshot = bytes.extracting(8...)
    guard snapshot.hash(from: seed) == bytes.littleEndian(at: 0, as: UInt64.self) else {
      throw .corruptEntry("a roster is not what was written")
    }
    do throws(CodecError) {
      return try Roster(snapshot: snapshot)
    } catch {
      throw .corruptEntry("a roster cannot be read: \(error)")
    }
  }
}

/// All that a shard has derived from the records of an account.
package struct AccountView: Sendable {
  package let number: AccountNumber
  package let row: AccountRow
  package let roster: Roster
  package let ends: [BareJID: EndRow]
}

extension FleetShard {
  /// What the shard has derived from an account's records; nil if it has none.
  ///
  /// Complexity: one look-up for each contact.
  package func view(of account: BareJID) throws -> AccountView? {
    try log.read { transaction in
      guard let number = try transaction.number(of: account) else { return nil }
      return try transaction.view(of: number)
    }
  }
}

extension LogTransaction where Self: ~Copyable {
  /// What the shard has derived from an account's records.
  package func view(of number: AccountNumber) throws -> AccountView {
    guard let row = try account(number), let roster = try head(number) else {
      throw EventLogError.corruptEntry("the account with number \(number) is missing")
    }
    var ends: [BareJID: EndRow] = [:]
    for contact in EndFacts.all(of: roster).keys {
      let key = ShardKey.end(contact.text, number)
      ends[contact] = try self.row(ShardTable.ends, key, as: EndRow.self)
    }
    return AccountView(number: number, row: row, roster: roster, ends: ends)
  }
}
