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

  @Test("A spool whose source file was lost is the same source")
  func lostFile() throws {
    let spool = RandomSpool(seed: 15)
    let test = try FleetCase()
    let size = spool.segments.reduce(0) { $0 + $1.bytes.count }
    try test.write(spool.segments, upTo: size * 2 / 3)
    try test.store()
    try FileManager.default.removeItem(atPath: "\(test.spool)/\(SpoolFolder.idFile)")
    #expect(try test.store().records == 0)
    try test.write(spool.segments)
    try FileManager.default.removeItem(atPath: "\(test.spool)/\(SpoolFolder.idFile)")
    try test.store()
    #expect(try Fleet(test.fleet).note.sources.count == 1)
    try test.check(spool, seed: 15)
  }

  @Test("Numbers of missing lines may be anything, and are kept if a process is killed")
  func gaps() throws {
    let test = try FleetCase()
    let gap = #"{"t":5,"gap":9223372036854775807}"#
    let lines = [
      #"{"rollcall-tap":1,"boot":"0a1b2c3d","segment":1,"server":"Prosody","what":"roster"}"#,
      gap, gap, #"{"t":9007199254740993000,"gap":-9223372036854775808}"#, #"{"t":77,"alive":1}"#,
    ]
    try Data((lines.joined(separator: "\n") + "\n").utf8)
      .write(to: URL(filePath: "\(test.spool)/0a1b2c3d-000001.jsonl"))
    #expect(try test.store().gapLines == Int.max)
    let source = try #require(try Fleet(test.fleet).note.sources.first)
    #expect(source.gapLines == Int.max)
    #expect(source.newest == 77)
  }

  @Test("The newest time is known again after a process was killed before it was noted")
  func newest() throws {
    struct Killed: Error {}
    let spool = RandomSpool(seed: 16)
    let (whole, test) = (try FleetCase(), try FleetCase())
    try whole.write(spool.segments)
    try whole.store()
    try test.write(spool.segments)
    #expect(throws: Killed.self) {
      try test.store { step in
        if case .willNote = step { throw Killed() }
      }
    }
    try test.store()
    let notes = try [whole, test].map { try Fleet($0.fleet).note.sources.map(\.newest) }
    #expect(notes[0] == notes[1])
    #expect(notes[0].first != .some(nil))
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
