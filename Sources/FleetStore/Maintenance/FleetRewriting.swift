package import EventStore
import Foundation
import RawBytes
import RosterCore
package import XMPPStanza

/// What was saved of a damaged shard.
package struct ShardRecovery: Hashable, Sendable {
  package let shard: ShardNumber
  package let salvage: SalvageSummary
  /// The records of which it is not known whose they are.
  package let unattributed: Int
}

extension Fleet {
  /// Makes a new fleet from what can be read of a damaged one, shard by shard. The damaged files
  /// are only read, and never by LMDB.
  ///
  /// What the new fleet notes about its sources is what the old one does, so storing continues with
  /// the lines after it: what was lost in a shard is not read from the spools again.
  ///
  /// - Parameter tell: Receives the outcome of each shard, or why it cannot be read.
  package static func recover(
    _ folder: String, into target: String,
    _ tell: (ShardNumber, Result<ShardRecovery, any Error>) throws -> Void
  ) throws {
    guard !FileManager.default.fileExists(atPath: target) else {
      throw EventLogError.alreadyExists(path: target)
    }
    let note = try FleetNote.read(in: folder)
    try FileManager.default.createDirectory(
      atPath: target, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let lease = try RecorderLease(ofFolder: target)
    try note.write(in: target)
    let fleet = try Fleet(target)
    for number in FleetShard.numbers(in: folder) {
      let path = FleetShard.path(of: number, in: folder)
      try tell(number, Result { try fleet.recover(number, from: path) })
    }
    withExtendedLifetime(lease) {}
  }

  private func recover(_ number: ShardNumber, from path: String) throws -> ShardRecovery {
    // A record of a changed pack may be another account's, and nothing in it would show that.
    let damaged = try LogSalvage(path, further: ShardTable.all) { _, _ in false }
    let shard = try FleetShard.draft(number, for: self.path(of: number))
    var rebuilder = ShardRebuilder(shard, sources: sourceNumbers)
    let salvage = try damaged.forEachRecord { try rebuilder.add($0.header, $0.bytes) }
    try rebuilder.flush()
    try shard.log.publish()
    return ShardRecovery(
      shard: number, salvage: salvage, unattributed: rebuilder.unattributed)
  }

  /// Removes an account and all its records from the fleet. What other accounts' records say about
  /// it stays.
  ///
  /// Its shard is written anew, with a chain of its own, and takes the place of the old file when
  /// it is complete.
  /// - Returns: The number of records that were removed.
  /// - Throws: `FleetError.noAccount`; `EventLogError.recorded` while a process stores in the
  ///   fleet.
  package func erase(_ account: BareJID) throws -> UInt64 {
    let lease = try RecorderLease(ofFolder: folder)
    defer { withExtendedLifetime(lease) {} }
    let number = ShardNumber(of: account)
    guard shards.contains(number) else { throw FleetError.noAccount(account.text) }
    let draftPath = "\(folder)/erasing-\(number.fileName)"
    for name in [draftPath, draftPath + "-lock"] { unlink(name) }
    let erased = try rewrite(number, leavingOut: account, to: draftPath)
    let path = path(of: number)
    unlink(draftPath + "-lock")
    guard rename(draftPath, path) == 0 else { throw DurableFile.error(path) }
    unlink(path + "-lock")
    try DurableFile.syncFolder(folder)
    return erased
  }

  /// Writes a shard without an account to another path, durably.
  private func rewrite(
    _ number: ShardNumber, leavingOut account: BareJID, to path: String
  ) throws -> UInt64 {
    let shard = try open(number)
    guard let view = try shard.view(of: account) else { throw FleetError.noAccount(account.text) }
    let target = try FleetShard.draft(number, for: path)
    var rebuilder = ShardRebuilder(target, sources: sourceNumbers)
    var connections: Set<UInt32> = []
    try shard.log.forEachRecord(in: 1...UInt64.max) { header, bytes in
      let bytes = [UInt8](bytes)
      if header.kind == ShardRecord.connectionKind,
        case .connection(let owner, _, _) = try ShardRecord.decode(bytes.span.bytes),
        owner == account
      {
        connections.insert(header.connection)
      }
      guard !connections.contains(header.connection) else { return }
      try rebuilder.add(header, bytes)
    }
    try rebuilder.flush()
    try target.log.publish()
    return view.row.records
  }
}
