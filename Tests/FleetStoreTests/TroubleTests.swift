import FleetStore
import Foundation
import TestSupport
import Testing
import XMPPStanza

@Suite("Trouble while spools are stored") struct TroubleTests {
  @Test(
    "A full disk ends the storing with an error, and the next runs store every line once",
    .enabled(if: SmallDisk.isPossible))
  func fullDisk() throws {
    let spool = RandomSpool(seed: 9)
    var test = try FleetCase()
    let disk = try SmallDisk(at: test.folder.file("disk"), size: "300k")
    test.fleet = "\(disk.path)/fleet"
    try test.write(spool.segments)
    var failures: [String] = []
    for size in stride(from: 300, through: 6000, by: 100) {
      try disk.enlarge(to: "\(size)k")
      do {
        try test.store()
        break
      } catch {
        failures.append("\(error)")
      }
    }
    #expect(failures.count > 2, "\(failures)")
    try test.check(spool, seed: 9)
  }

  @Test("A spool that was deleted while it is followed is another source when it is there again")
  func deleted() throws {
    let test = try FleetCase()
    let (first, second) = (RandomSpool(seed: 11), RandomSpool(seed: 12))
    try test.write(first.segments)
    do {
      let storer = try FleetStorer(test.fleet)
      try storer.add(spool: test.spool)
      while try storer.step(isFollowing: true) {}
      try FileManager.default.removeItem(atPath: test.spool)
      #expect(try !storer.step(isFollowing: true))
      #expect(throws: FleetError.noSpool(test.spool)) { try storer.step() }
      try FileManager.default.createDirectory(
        atPath: test.spool, withIntermediateDirectories: false)
      try test.write(second.segments)
      while try storer.step(isFollowing: true) {}
      try storer.finish()
    }
    #expect(try Fleet(test.fleet).note.sources.count == 2)
    // Each account has the lines of both, in this order.
    for account in first.accounts {
      let own = try FleetCase.export(test.log(of: account))
      let boots = (first.segments + second.segments).map { $0.name.prefix(8) }
      for boot in Set(boots) where first.capture.contains(account, boot) {
        #expect(own.contains(boot), "\(account), \(boot)")
      }
    }
  }

  @Test("A spool that was cut short or set back is refused, and nothing is lost")
  func setBack() throws {
    let spool = RandomSpool(seed: 13)
    let test = try FleetCase()
    try test.write(spool.segments)
    try test.store()
    let last = try #require(spool.segments.last)
    let path = "\(test.spool)/\(last.name)"
    try Data(last.bytes.prefix(200)).write(to: URL(filePath: path))
    #expect(throws: FleetError.self) { try test.store() }
    try FileManager.default.removeItem(atPath: path)
    #expect(throws: FleetError.self) { try test.store() }
    try test.check(spool, seed: 13)
  }

  @Test("Two segments with one number are refused")
  func twice() throws {
    let test = try FleetCase()
    try test.write(RandomSpool(seed: 14, runs: 1).segments)
    let other = RandomSpool.Segment(name: "ffffffff-000001.jsonl", bytes: [])
    try test.write([other, other])
    try Data("x\n".utf8).write(to: URL(filePath: "\(test.spool)/ffffffff-000001.jsonl"))
    #expect(throws: FleetError.self) { try test.store() }
  }
}

extension [UInt8] {
  /// Whether a line of a run of the server is about an account.
  fileprivate func contains(_ account: String, _ boot: Substring) -> Bool {
    let runs = String(decoding: self, as: UTF8.self).components(separatedBy: "{\"rollcall-tap\"")
    return runs.contains {
      $0.contains("\"boot\":\"\(boot)\"") && $0.contains("\"a\":\"\(account)\"")
    }
  }
}
