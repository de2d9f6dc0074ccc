import EventStore
import Synchronization
import XMPPStanza
import Foundation

/// Shards that stay open while single accounts are looked up in them.
final class ShardCache: Sendable {
  private let fleet: Fleet
  private let shards = Mutex<[ShardNumber: FleetShard]>([:])

  /// Each open shard takes a few megabytes.
  private static let capacity = 12

  init(_ fleet: Fleet) { self.fleet = fleet }

  func open(_ number: ShardNumber) throws -> FleetShard {
    if let shard = shards.withLock({ $0[number] }) { return shard }
    let shard = try fleet.open(number)
    shards.withLock { shards in
      if shards.count >= Self.capacity { shards.removeAll() }
      shards[number] = shard
    }
    return shard
  }

  /// The account of an entry.
  func account(of entry: PairEntry) throws -> BareJID? {
    try open(ShardNumber(entry.shard)).log.read { try $0.account(entry.account)?.account }
  }

  /// What is derived of an account; nil if the fleet has no records of it.
  func view(of account: BareJID) throws -> AccountView? {
    let number = ShardNumber(of: account)
    guard FileManager.default.fileExists(atPath: fleet.path(of: number)) else { return nil }
    return try open(number).view(of: account)
  }

  /// The end of an account with a contact.
  func end(of account: BareJID, with contact: BareJID) throws -> FoundEnd? {
    try open(ShardNumber(of: account)).end(of: account, with: contact)
  }
}

extension FleetShard {
  /// The end of an account with a contact; nil if there is none.
  func end(of account: BareJID, with contact: BareJID) throws -> FoundEnd? {
    try log.read { transaction in
      guard let number = try transaction.number(of: account),
        let row = try transaction.account(number),
        let end: EndRow = try transaction.row(
          ShardTable.ends, ShardKey.end(contact.text, number))
      else { return nil }
      return FoundEnd(account: account, contact: contact, row: end, isComplete: row.isComplete)
    }
  }
}
