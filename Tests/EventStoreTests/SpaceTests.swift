import EventStore
import Foundation
import TestSupport
import Testing

/// Lack of space in the map, on the disk and in the file.
@Suite("Lack of space") struct SpaceTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("a.rollcall")
  }

  @Test("The map grows with the log", arguments: [0, 1, 4096, 1 << 18, 1 << 20])
  func growingMap(mapSize: Int) throws {
    var generator = SeededGenerator(seed: 21)
    let log = try EventLog.create(at: path, eventVersion: 1, mapSize: mapSize)
    var expected: [Content] = []
    for size in [10, 500, 1, 3000, 20] {
      let drafts = randomDrafts(size, using: &generator)
      let first = UInt64(expected.count) + 1
      #expect(try log.append(drafts) == first..<(first + UInt64(size)))
      expected += drafts.contents(from: first)
    }
    #expect(try log.contents() == expected)
    #expect(try log.damage().isEmpty)
  }

  @Test("A batch that is retried because the map was too small is appended once")
  func replayedBatch() throws {
    let mapSize = 1 << 20
    let log = try EventLog.create(at: path, eventVersion: 1, mapSize: mapSize)
    let large = (0..<40).map { draft(String(repeating: "\($0 % 10)", count: 200_000)) }
    // Several times the size of the map.
    #expect(large.reduce(0) { $0 + $1.bytes.count } > 4 * mapSize)
    #expect(try log.append(large) == 1..<41)
    #expect(try log.contents() == large.contents())
  }

  /// The limits differ so that some are hit while LMDB writes pages and some at the meta page.
  @Test(
    "At the file-size limit, all durable records are kept, and another process can continue",
    arguments: [200_000, 262_144, 300_001, 1_000_000, 3_000_000])
  func largestFile(bytes: Int) throws {
    do { _ = try EventLog.create(at: path, eventVersion: 1) }
    let outcome = try ProbeProcess.run(["limit", path, "\(bytes)"])
    #expect(outcome.status == 0, "\(outcome.lines)")
    try #require(outcome.lines.count == 3, "\(outcome.lines)")
    let durable = outcome.lines[1].replacing("durable ", with: "")
    let refusal = EventLogError.fileSizeLimit(path: try canonical)
    #expect(outcome.lines[0] == "refused \(refusal)")
    #expect(outcome.lines[2] == "last \(durable)")
    let log = try EventLog.open(at: path, access: .readWrite, eventVersion: 1)
    #expect(try log.last == UInt64(durable))
    #expect(try log.damage().isEmpty)
    try log.append([draft("room again")])
  }

  private var canonical: String {
    get throws {
      URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    }
  }

  // MARK: A full disk

  @Test(
    "A full disk loses nothing, and appending continues once there is more space",
    .enabled(if: SmallDisk.isPossible, "mounting a small disk takes root on Linux"))
  func fullDisk() throws {
    let disk = try SmallDisk(at: folder.file("disk"), size: "1m")
    let path = disk.path + "/full.rollcall"
    do {
      let log = try EventLog.create(at: path, eventVersion: 1)
      var expected: [Content] = []
      var generator = SeededGenerator(seed: 4)
      #expect(throws: EventLogError.diskFull(path: log.path)) {
        while true {
          let drafts = randomDrafts(40, using: &generator)
          try log.append(drafts)
          expected += drafts.contents(from: UInt64(expected.count) + 1)
        }
      }
      #expect(expected.count > 100)
      #expect(throws: EventLogError.diskFull(path: log.path)) {
        try log.append(randomDrafts(400, using: &generator))
      }
      #expect(try log.contents() == expected)
      #expect(try log.damage().isEmpty)
      try disk.enlarge(to: "4m")
      let more = randomDrafts(400, using: &generator)
      try log.append(more)
      expected += more.contents(from: UInt64(expected.count) + 1)
      #expect(try log.contents() == expected)
    }
    let again = try EventLog.open(at: path, access: .readOnly, eventVersion: 1)
    #expect(try again.damage().isEmpty)
  }

  @Test(
    "A log for which the disk is too full leaves no files",
    .enabled(if: SmallDisk.isPossible, "mounting a small disk takes root on Linux"))
  func noRoomForALog() throws {
    let disk = try SmallDisk(at: folder.file("disk"), size: "16k")
    let path = disk.path + "/full.rollcall"
    #expect(throws: EventLogError.self) { try EventLog.create(at: path, eventVersion: 1) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path).isEmpty)
  }

  @Test(
    "A log on a read-only disk is read without a lock file",
    .enabled(if: SmallDisk.isPossible, "mounting a small disk takes root on Linux"))
  func readOnlyDisk() throws {
    let disk = try SmallDisk(at: folder.file("disk"), size: "1m")
    let path = disk.path + "/a.rollcall"
    do { try EventLog.create(at: path, eventVersion: 1).append([draft("1"), draft("2")]) }
    try FileManager.default.removeItem(atPath: path + "-lock")
    try disk.forbidWriting()
    do {
      let log = try EventLog.open(at: path, access: .readOnly, eventVersion: 1)
      #expect(try log.last == 2)
      #expect(try log.damage().isEmpty)
    }
    #expect(throws: EventLogError.self) {
      try EventLog.open(at: path, access: .readWrite, eventVersion: 1)
    }
  }
}
