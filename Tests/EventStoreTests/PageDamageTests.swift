import EventStore
import Foundation
import TestSupport
import Testing

/// Checking the pages without LMDB.
@Suite("Damaged pages") struct PageDamageTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("a.rollcall")
  }

  private func expectSound(_ comment: Comment? = nil) throws {
    #expect(try EventLog.pageDamage(at: path) == [], comment)
  }

  private func snapshot(_ sequence: UInt64, bytes: Int) -> SnapshotDraft {
    SnapshotDraft(
      sequence: sequence, version: SnapshotVersion(events: 1, reducer: 1, codec: 1),
      state: Array(repeating: 5, count: bytes))
  }

  /// Appends, snapshots of various sizes, and rebuilds free and reuse pages in any order.
  @Test("A sound log has no damaged pages, whatever its history", arguments: 1...6)
  func soundLog(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let log = try EventLog.create(at: path, eventVersion: 1)
    try expectSound("an empty log")
    for round in 1...12 {
      let count = [1, 7, 300, 1200].randomElement(using: &generator) ?? 1
      let maxSize = [0, 40, 900, 30_000].randomElement(using: &generator) ?? 1
      try log.append(
        randomDrafts(maxSize > 900 ? count / 10 : count, using: &generator, bytes: 0...maxSize))
      let last = try log.last
      if last > 0, Bool.random(using: &generator) {
        try log.store(
          (0..<4).map { _ in
            snapshot(
              UInt64.random(in: 1...last, using: &generator),
              bytes: Int.random(in: 0...20_000, using: &generator))
          })
      }
      if round.isMultiple(of: 5) {
        try log.rebuildDerived { header, _ in
          DerivedParts(event: [1, 2], contacts: ["\(header.sequence % 30)@example.test"])
        }
      }
      try expectSound("seed \(seed), round \(round)")
    }
    #expect(try log.last > 100)
  }

  @Test("A log that is being written has no damaged pages")
  func logInUse() throws {
    do { _ = try EventLog.create(at: path, eventVersion: 1) }
    let (process, _) = try ProbeProcess.start(["append", path, "60", "100"])
    var checks = 0
    while process.isRunning {
      try expectSound("check \(checks)")
      checks += 1
    }
    process.waitUntilExit()
    #expect(checks > 0)
    try expectSound()
  }

  @Test("A file that is not a log is refused")
  func noLog() throws {
    #expect(throws: EventLogError.noSuchFile(path: path)) { try EventLog.pageDamage(at: path) }
    try Data("<presence/>".utf8).write(to: URL(fileURLWithPath: path))
    #expect(throws: EventLogError.notALog(path: path)) { try EventLog.pageDamage(at: path) }
  }

  /// Overwrites pages with another page, with zeros, and with noise.
  @Test("An overwritten page is reported unless it was not in use", arguments: 0..<3)
  func otherPage(kind: Int) throws {
    do {
      let log = try EventLog.create(at: path, eventVersion: 1)
      var generator = SeededGenerator(seed: 77)
      for _ in 0..<3 { try log.append(randomDrafts(200, using: &generator)) }
    }
    let sound = try Data(contentsOf: URL(fileURLWithPath: path))
    let contents = try EventLog.open(at: path, access: .readOnly, eventVersion: 1).contents()
    var generator = SeededGenerator(seed: 78)
    var found = 0
    for page in 2..<(sound.count / 4096) {
      var bytes = sound
      let place = page * 4096..<(page + 1) * 4096
      switch kind {
      case 0: bytes.replaceSubrange(place, with: sound[2 * 4096..<3 * 4096])
      case 1: bytes.replaceSubrange(place, with: Data(count: 4096))
      default:
        bytes.replaceSubrange(
          place, with: Data((0..<4096).map { _ in UInt8.random(in: 0...255, using: &generator) }))
      }
      try bytes.write(to: URL(fileURLWithPath: path))
      let damage = try EventLog.pageDamage(at: path)
      if damage.isEmpty {
        // The page was free, or part of a long value, whose damage the chain finds.
        let log = try EventLog.open(at: path, access: .readOnly, eventVersion: 1)
        if (try? log.damage()) == [:] { #expect(try log.contents() == contents) }
      } else {
        found += 1
        let names = damage.compactMap(\.page)
        #expect(names.contains(UInt64(page)) || names.isEmpty, "page \(page): \(damage)")
      }
    }
    #expect(found > 15)
  }
}
