import EventStore
import FleetStore
import Foundation
import Rollcall
import TestSupport
import Testing
import XMPPStanza

@Suite("Looking after a fleet") struct MaintenanceTests {
  /// Verifies all shards; the damage of each that has any.
  private func damage(in folder: String) throws -> [String] {
    let fleet = try Fleet(folder)
    return try fleet.shards.flatMap { number in
      try fleet.verify(number).damage.map { "\(number.fileName): \($0)" }
    }
  }

  @Test(
    "A fleet that was stored in any number of runs is intact",
    arguments: Seeds.chosen(or: 1...6))
  func intact(_ seed: UInt64) throws {
    let spool = RandomSpool(seed: seed)
    let test = try FleetCase()
    let size = spool.segments.reduce(0) { $0 + $1.bytes.count }
    for part in 1...3 {
      try test.write(spool.segments, upTo: part * size / 3)
      try test.store()
      let damage = try damage(in: test.fleet)
      #expect(damage == [], "seed \(seed), part \(part)")
    }
  }

  @Test("What reads the log of one account refuses a part of a fleet, and calls it no damage")
  func ofManyAccounts() throws {
    let test = try FleetCase()
    try test.write([TapLine.first("aa"), TapLine.stored("ann@a.test", [])], "aa-000001.jsonl")
    try test.store()
    let fleet = try Fleet(test.fleet)
    let path = fleet.path(of: ShardNumber(of: try BareJID(parsing: "ann@a.test")))
    let readings: [() throws -> Void] = [
      { _ = try EventLog.pageDamage(at: path) }, { try EventLog.checkPages(of: path) },
      { _ = try LogSalvage(path) { _, _ in true } },
    ]
    for reading in readings {
      let error = #expect(throws: EventLogError.self) { try reading() }
      #expect(error?.description.contains("is a part of a fleet") == true)
    }
  }

  @Test("Any changed byte of a shard is found or harmless")
  func changed() throws {
    let spool = RandomSpool(seed: 5, accounts: 1)
    let test = try FleetCase()
    try test.write(spool.segments)
    try test.store()
    let fleet = try Fleet(test.fleet)
    let path = fleet.path(of: try #require(fleet.shards.first))
    let before = try Data(contentsOf: URL(filePath: path))
    let own = try FleetCase.export(test.log(of: spool.accounts[0]))
    var generator = SeededGenerator(seed: 5)
    var found = 0
    for _ in 0..<60 {
      var bytes = before
      let place = Int.random(in: 0..<bytes.count, using: &generator)
      bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      try bytes.write(to: URL(filePath: path))
      let damage = (try? damage(in: test.fleet)) ?? ["it cannot be opened"]
      if damage.isEmpty {
        #expect(try FleetCase.export(test.log(of: spool.accounts[0])) == own, "byte \(place)")
      } else {
        found += 1
      }
    }
    #expect(found > 0)
    try before.write(to: URL(filePath: path))
    #expect(try damage(in: test.fleet) == [])
  }

  @Test(
    "A recovered fleet has everything, and storing continues in it",
    arguments: Seeds.chosen(or: 1...4))
  func recovered(_ seed: UInt64) throws {
    let spool = RandomSpool(seed: seed)
    let test = try FleetCase()
    let size = spool.segments.reduce(0) { $0 + $1.bytes.count }
    try test.write(spool.segments, upTo: size / 2)
    try test.store()
    let old = test.folder.file("old")
    try FileManager.default.moveItem(atPath: test.fleet, toPath: old)
    try Fleet.recover(old, into: test.fleet) { number, result in
      let recovery = try result.get()
      #expect(recovery.salvage.firstBad == nil, "\(number.fileName)")
      #expect(recovery.unattributed == 0)
    }
    let damage = try damage(in: test.fleet)
    #expect(damage == [], "seed \(seed)")
    try test.write(spool.segments)
    try test.store()
    try test.check(spool, seed: seed)
  }

  @Test("An erased account is gone, and the others are as before")
  func erased() throws {
    let spool = RandomSpool(seed: 8, accounts: 6)
    let test = try FleetCase()
    try test.write(spool.segments)
    try test.store()
    let (gone, others) = (spool.accounts[0], spool.accounts.dropFirst())
    let before = try others.map { try FleetCase.export(test.log(of: $0)) }
    let jid = try BareJID(parsing: gone)
    #expect(try Fleet(test.fleet).erase(jid) > 0)
    #expect(throws: FleetError.noAccount(gone)) { try Fleet(test.fleet).erase(jid) }
    #expect(throws: FleetError.noAccount(gone)) { try test.log(of: gone) }
    let after = try others.map { try FleetCase.export(test.log(of: $0)) }
    #expect(after == before)
    #expect(try damage(in: test.fleet) == [])
    let shard = try Data(
      contentsOf: URL(filePath: Fleet(test.fleet).path(of: ShardNumber(of: jid))))
    #expect(shard.range(of: Data("\(gone)/r".utf8)) == nil)
    #expect(try test.store().records == 0)
  }
}
