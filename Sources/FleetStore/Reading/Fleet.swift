package import EventStore
import Foundation
import RosterCore
package import XMPPStanza
import RawBytes
import Rollcall

/// A fleet that is read.
package struct Fleet: Sendable {
  package let folder: String
  package let note: FleetNote

  /// - Throws: `FleetError` if the folder is not a fleet.
  package init(_ folder: String) throws {
    self.folder = folder
    note = try FleetNote.read(in: folder)
  }

  /// Whether a folder is a fleet.
  package static func isFleet(_ folder: String) -> Bool {
    FileManager.default.fileExists(atPath: FleetNote.path(in: folder))
  }

  /// The shards that have a file.
  package var shards: [ShardNumber] { FleetShard.numbers(in: folder) }

  package func path(of shard: ShardNumber) -> String { FleetShard.path(of: shard, in: folder) }

  package func open(_ shard: ShardNumber) throws -> FleetShard {
    try FleetShard.open(shard, in: folder, access: .readOnly)
  }

  /// The time up to which all sources have been stored, in milliseconds since 1970: the least of
  /// their newest times, because news from a server that is behind may still come.
  package var settledEnd: Int64? { note.sources.compactMap(\.newest).min() }

  /// The newest time of any source, in milliseconds since 1970; nil if no record has one.
  package var newest: Int64? { note.sources.compactMap(\.newest).max() }

  /// Appends the records of an account to an empty log, as an import of its lines does.
  ///
  /// - Throws: `FleetError.noAccount`.
  package func writeLog(of account: BareJID, into log: EventLog) throws {
    let shard = ShardNumber(of: account)
    guard shards.contains(shard) else { throw FleetError.noAccount(account.text) }
    try open(shard).writeLog(of: account, into: log)
  }

  /// What is derived of an account; nil if the fleet has no records of it.
  package func view(of account: BareJID) throws -> AccountView? {
    let shard = ShardNumber(of: account)
    return try shards.contains(shard) ? open(shard).view(of: account) : nil
  }
}

extension FleetShard {
  /// The number of records that are copied in one transaction.
  private static let copiedAtOnce = 2000

  /// Appends the records of an account to an empty log, as an import of its lines does.
  package func writeLog(of account: BareJID, into target: EventLog) throws {
    let (number, sequences) = try log.read { transaction in
      guard let number = try transaction.number(of: account) else {
        throw FleetError.noAccount(account.text)
      }
      let last = try transaction.lastSequence
      return (number, try transaction.sequences(concerning: account.text, in: 1...max(1, last)))
    }
    let reader = RecordReader()
    var own: [UInt32: ConnectionRow] = [:]
    var names: [UInt32: String] = [:]
    var start = 0
    while start < sequences.count {
      let part = sequences[start..<min(sequences.count, start + Self.copiedAtOnce)]
      start += part.count
      var drafts: [RecordDraft] = []
      try log.read { transaction in
        try transaction.forEachRecord(of: part) { header, bytes in
          guard !ShardRecord.isOwn(header.kind) else { return }
          let row = try own[header.connection] ?? transaction.connection(header.connection)
          guard let row else {
            throw EventLogError.corruptEntry(
              "the connection with number \(header.connection) is missing")
          }
          own[header.connection] = row
          // The index has hashes, which may be equal for two accounts.
          guard row.account == number else { return }
          if !row.name.isEmpty { names[row.own] = row.name }
          let bytes = [UInt8](bytes)
          drafts.append(
            RecordDraft(
              time: header.ownTime, direction: header.direction, kind: header.kind,
              connection: row.own, bytes: bytes,
              decoded: reader.decode(header.kind, header.direction, bytes)))
        }
      }
      try target.append(drafts)
    }
    try target.append([], marks: LogMarks(account: account.text, connections: names))
    target.keepSnapshots()
  }
}
