import EventStore
@testable import FleetStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// A fleet of any size without records, for measurements: a ring of accounts, each with thirty
/// contacts, in which some ends are broken.
struct GeneratedFleet {
  /// The neighbors on either side that an account has as contacts.
  static let neighbors = 15

  let accounts: Int
  /// The accounts that have lost that the one before them sees them.
  let broken: Set<Int>

  init(accounts: Int, broken: Int, seed: UInt64) {
    self.accounts = accounts
    var generator = SeededGenerator(seed: seed)
    var chosen: Set<Int> = []
    while chosen.count < broken {
      chosen.insert(Int.random(in: 0..<accounts, using: &generator))
    }
    self.broken = chosen
  }

  func name(_ index: Int) -> String {
    String(format: "user%07d@example.test", (index + accounts) % accounts)
  }

  /// Writes the fleet, shard by shard.
  func write(to folder: String) throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    var note = FleetNote()
    note.sources = [FleetNote.Source(id: "0", folder: folder, server: "ejabberd 23.01")]
    note.sources[0].newest = 1_795_168_200_000 + 86_400_000
    try note.write(in: folder)
    var shards = [[Int]](repeating: [], count: ShardNumber.count)
    for index in 0..<accounts {
      shards[Int(ShardNumber(of: BareJID(prepared: name(index))).value)].append(index)
    }
    for (number, members) in shards.enumerated() where !members.isEmpty {
      try write(members, to: FleetShard.create(ShardNumber(UInt8(number)), in: folder))
    }
  }

  private func write(_ members: [Int], to shard: FleetShard) throws {
    var ends: [(contact: String, number: AccountNumber, row: [UInt8])] = []
    var rows: [(AccountNumber, AccountRow)] = []
    for (position, index) in members.enumerated() {
      let number = AccountNumber(position + 1)
      var row = AccountRow(BareJID(prepared: name(index)))
      (row.records, row.isComplete, row.clock) = (3, true, 1_795_168_200_000)
      rows.append((number, row))
      for distance in 1...Self.neighbors {
        for neighbor in [index - distance, index + distance] {
          var facts = EndFacts()
          let isLost = neighbor == index - 1 && broken.contains(index)
          facts.subscription = isLost ? .to : .both
          let end = EndRow(facts: facts, record: 3, time: 1_795_168_200_000)
          ends.append((name(neighbor), number, end.canonicalBytes))
        }
      }
    }
    ends.sort { ($0.contact, $0.number) < ($1.contact, $1.number) }
    let heads = members.enumerated().filter { broken.contains($0.element + 1) }
    try shard.log.append(RecordArena()) { (transaction, _) throws(EventLogError) in
      for (number, row) in rows {
        try transaction.set(ShardTable.accounts, ShardKey.number(number), to: row.canonicalBytes)
        try transaction.set(
          ShardTable.numbers, ShardKey.text(row.account.text), to: ShardKey.number(number))
      }
      for end in ends {
        try transaction.set(ShardTable.ends, ShardKey.end(end.contact, end.number), to: end.row)
      }
      // The repairs read the rosters of the wrong ends.
      for (position, _) in heads {
        try transaction.set(
          ShardTable.heads, ShardKey.number(AccountNumber(position + 1)),
          to: HeadCoding.bytes(Roster()))
      }
    }
  }
}

@Suite("Generated fleets") struct GeneratedFleetTests {
  @Test("Exactly the broken pairs disagree, whatever the size of the fleet")
  func found() throws {
    let folder = try TemporaryFolder()
    let fleet = GeneratedFleet(accounts: 600, broken: 9, seed: 1)
    try fleet.write(to: folder.file("fleet"))
    var search = DisagreementSearch(try Fleet(folder.file("fleet"))) { number, error in
      Issue.record("\(number): \(error)")
    }
    var found: Set<String> = []
    try search.run { disagreement in
      #expect(disagreement.mismatch == .unseenEnd)
      found.insert(disagreement.owner.account.text)
    }
    #expect(found == Set(fleet.broken.map(fleet.name)))
    #expect(search.counts.pairs == 600 * GeneratedFleet.neighbors)
    #expect(search.counts.disagreements == 9)
  }

  /// Run `rollcall fleet disagreements` on what it writes to measure it.
  @Test(
    "A fleet of a chosen size is written to a chosen folder",
    .enabled(if: ProcessInfo.processInfo.environment["ROLLCALL_FLEET_ACCOUNTS"] != nil))
  func written() throws {
    let environment = ProcessInfo.processInfo.environment
    let accounts = try #require(environment["ROLLCALL_FLEET_ACCOUNTS"].flatMap { Int($0) })
    let folder = try #require(environment["ROLLCALL_FLEET_FOLDER"])
    try GeneratedFleet(accounts: accounts, broken: 159, seed: 1).write(to: folder)
  }
}
