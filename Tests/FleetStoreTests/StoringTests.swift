import FleetStore
import Foundation
import TestSupport
import Testing
import XMPPStanza

@Suite("Storing spools in a fleet") struct StoringTests {
  @Test(
    "Every account's log, roster and ends are those of an import of the spool",
    arguments: Seeds.chosen(or: 1...12))
  func whole(_ seed: UInt64) throws {
    let spool = RandomSpool(seed: seed)
    let test = try FleetCase()
    try test.write(spool.segments)
    try test.store()
    try test.check(spool, seed: seed)
    #expect(try test.store().records == 0, "seed \(seed)")
  }

  /// The process was killed.
  private struct Killed: Error {}

  /// Ends the storing at a step.
  private final class Killer: @unchecked Sendable {
    private let lock = NSLock()
    private var left: Int

    init(after steps: Int) { left = steps }

    func step() throws {
      try lock.withLock {
        left -= 1
        if left < 0 { throw Killed() }
      }
    }
  }

  @Test(
    "Runs of any length, killed between any two steps, store every line once",
    arguments: Seeds.chosen(or: 1...12))
  func killed(_ seed: UInt64) throws {
    let spool = RandomSpool(seed: seed)
    let test = try FleetCase()
    var generator = SeededGenerator(seed: seed &+ 1_000_000)
    let size = spool.segments.reduce(0) { $0 + $1.bytes.count }
    var (written, kills) = (0, 0)
    while written < size {
      written += Int.random(in: 1...size / 4, using: &generator)
      try test.write(spool.segments, upTo: written)
      let killer = Killer(after: Int.random(in: 0..<14, using: &generator))
      do {
        try test.store { _ in try killer.step() }
      } catch is Killed {
        kills += 1
      }
    }
    try test.store()
    try test.check(spool, seed: seed)
    #expect(kills > 0, "seed \(seed)")
  }

  @Test("Ends say since when they are so, however the spool is cut into runs")
  func since() throws {
    let spool = RandomSpool(seed: 7)
    let (whole, cut) = (try FleetCase(), try FleetCase())
    try whole.write(spool.segments)
    try whole.store()
    let size = spool.segments.reduce(0) { $0 + $1.bytes.count }
    for written in stride(from: 0, through: size + 997, by: 997) {
      try cut.write(spool.segments, upTo: written)
      try cut.store()
    }
    for account in spool.accounts {
      #expect(try whole.ends(of: account) == cut.ends(of: account), "\(account)")
    }
  }

  @Test("Stored segments are deleted, except the last, and storing continues after them")
  func trim() throws {
    let spool = RandomSpool(seed: 3)
    let test = try FleetCase()
    for count in 1...spool.segments.count {
      try test.write(spool.segments.suffix(from: count - 1).prefix(1).map { $0 })
      let storer = try FleetStorer(test.fleet)
      try storer.add(spool: test.spool)
      while try storer.step() {}
      try storer.trim()
      let left = try FileManager.default.contentsOfDirectory(atPath: test.spool)
        .filter { !$0.hasPrefix(".") }
      #expect(left == [spool.segments[count - 1].name])
    }
    try test.check(spool, seed: 3)
  }

  @Test("A second process is refused, and reading is not")
  func lease() throws {
    let test = try FleetCase()
    try test.write(RandomSpool(seed: 1).segments)
    let storer = try FleetStorer(test.fleet)
    try storer.add(spool: test.spool)
    #expect(throws: (any Error).self) { try FleetStorer(test.fleet) }
    _ = try storer.step()
    #expect(try Fleet(test.fleet).shards.count > 0)
  }

  @Test("Two spools are two sources, and the same folder under another path is the same one")
  func sources() throws {
    let test = try FleetCase()
    let (first, second) = (RandomSpool(seed: 1), RandomSpool(seed: 2))
    try test.write(first.segments)
    let other = test.folder.file("other")
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
    for segment in second.segments {
      try Data(segment.bytes).write(to: URL(filePath: "\(other)/\(segment.name)"))
    }
    func store(_ spools: [String]) throws -> Int {
      let storer = try FleetStorer(test.fleet)
      for spool in spools { try storer.add(spool: spool) }
      while try storer.step() {}
      try storer.finish()
      return storer.counts.records
    }
    #expect(try store([test.spool, other]) > 0)
    #expect(try Fleet(test.fleet).note.sources.count == 2)
    try FileManager.default.moveItem(atPath: test.spool, toPath: test.folder.file("moved"))
    #expect(try store([test.folder.file("moved")]) == 0)
    #expect(try Fleet(test.fleet).note.sources.count == 2)
  }
}

extension FleetCase {
  func ends(of account: String) throws -> [String: EndRow] {
    let jid = try BareJID(parsing: account)
    let view = try Fleet(fleet).open(ShardNumber(of: jid)).view(of: jid)
    return Dictionary(
      uniqueKeysWithValues: (view?.ends ?? [:]).map { ($0.key.text, $0.value) })
  }
}
