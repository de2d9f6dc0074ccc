import CLMDB
import Foundation
import TestSupport
import Testing

@testable import EventStore

/// Several users of one log: threads, processes, and processes that are killed.
@Suite("Sharing a log") struct SharingTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("a.rollcall")
  }

  // MARK: In one process

  #if os(Linux)
    /// A process that is killed while it makes the lock file leaves it like this.
    @Test("A lock file without the last transaction's number is repaired by the next sole user")
    func unfinishedLockFile() throws {
      do { try EventLog.create(at: path, eventVersion: 1).append([draft("1")]) }
      let lockPath = path + "-lock"
      var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: lockPath)))
      let offsets = stride(from: 8, to: 128, by: 8).filter { offset in
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) } == 2
      }
      let offset = try #require(offsets.first)
      bytes.replaceSubrange(offset..<offset + 8, with: [UInt8](repeating: 0, count: 8))
      try Data(bytes).write(to: URL(fileURLWithPath: lockPath))
      // A lock of an open file (`F_OFD_SETLK`), which conflicts with those of this process too.
      let other = open(lockPath, O_RDWR)
      var lock = flock()
      lock.l_type = Int16(F_RDLCK)
      lock.l_len = 1
      #expect(fcntl(other, 37, &lock) == 0)
      let raw = try Opening.openEnvironment(
        path, access: .readOnly, mapSize: 1 << 20, isSynced: true)
      #expect(Opening.lacksNumber(raw))
      mdb_env_close(raw)
      #expect(throws: EventLogError.self) {
        try EventLog.open(at: path, access: .readOnly, eventVersion: 1).last
      }
      close(other)
      #expect(try EventLog.open(at: path, access: .readOnly, eventVersion: 1).last == 1)
    }
  #endif

  @Test("A log that is opened a second time is shared")
  func secondOpen() throws {
    let first = try EventLog.create(at: path, eventVersion: 1)
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path)
    do {
      let second = try EventLog.open(at: "\(link)/a.rollcall", access: .readWrite, eventVersion: 1)
      try second.append([draft("1")])
    }
    let reader = try EventLog.open(at: path, access: .readOnly, eventVersion: 1)
    try first.append([draft("2")])
    #expect(try reader.last == 2)
    #expect(throws: EventLogError.readOnly(path: first.path)) { try reader.append([draft("3")]) }
  }

  @Test("A log that is open for reading only is not shared with a writer")
  func readerAndWriter() throws {
    do { try EventLog.create(at: path, eventVersion: 1).append([draft("1")]) }
    do {
      let reader = try EventLog.open(at: path, access: .readOnly, eventVersion: 1)
      #expect(throws: EventLogError.openForReadingOnly(path: path)) {
        try EventLog.open(at: path, access: .readWrite, eventVersion: 1)
      }
      #expect(try reader.last == 1)
    }
    let writer = try EventLog.open(at: path, access: .readWrite, eventVersion: 1)
    #expect(try writer.append([draft("2")]) == 2..<3)
  }

  @Test("A replaced file is not opened while the old one is open")
  func replacedFile() throws {
    let log = try EventLog.create(at: path, eventVersion: 1)
    try log.append([draft("1")])
    try FileManager.default.copyItem(atPath: path, toPath: folder.file("copy"))
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: folder.file("copy"), toPath: path)
    #expect(throws: EventLogError.replaced(path: path)) {
      try EventLog.open(at: path, access: .readOnly, eventVersion: 1)
    }
  }

  @Test("A transaction inside another one is refused")
  func nestedTransaction() throws {
    let log = try EventLog.create(at: path, eventVersion: 1)
    try log.append([draft("1")])
    try log.read { _ in
      #expect(throws: EventLogError.nestedTransaction) { try log.append([draft("2")]) }
      #expect(throws: EventLogError.nestedTransaction) { try log.last }
    }
    #expect(throws: EventLogError.nestedTransaction) {
      try log.rebuildDerived { _, _ in
        try log.append([draft("2")])
        return DerivedParts(event: nil, contacts: [])
      }
    }
    #expect(try log.append([draft("2")]) == 2..<3)
  }

  @Test("A reader sees one state, unaffected by concurrent writes")
  func oneState() throws {
    let log = try EventLog.create(at: path, eventVersion: 1)
    try log.append([draft("1")])
    let written = DispatchSemaphore(value: 0)
    try log.read { transaction in
      let last = try transaction.lastSequence
      #expect(last == 1)
      Thread.detachNewThread {
        _ = try? log.append([draft("2")])
        written.signal()
      }
      written.wait()
      let after = try transaction.lastSequence
      #expect(after == 1)
    }
    #expect(try log.last == 2)
  }

  @Test("Readers see only whole batches, while the map grows again and again")
  func readersBesideAWriter() async throws {
    let log = try EventLog.create(at: path, eventVersion: 1, mapSize: 1 << 20)
    let batches = 120
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 0..<batches {
          var generator = SeededGenerator(seed: UInt64(number))
          try log.append(randomDrafts(50, using: &generator))
        }
      }
      for _ in 0..<3 {
        group.addTask {
          var seen: UInt64 = 0
          while seen < UInt64(batches * 50) {
            let last = try log.read { transaction in
              let last = try transaction.lastSequence
              // This reads the map, which is moved between two transactions.
              try transaction.forEachRecord(in: (seen + 1)...UInt64.max) { _, _ in }
              return last
            }
            #expect(last % 50 == 0 && last >= seen)
            seen = last
            await Task.yield()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try log.damage().isEmpty)
  }

  @Test("Writers take turns: every batch is contiguous, and none is lost")
  func writersTakeTurns() async throws {
    let log = try EventLog.create(at: path, eventVersion: 1, mapSize: 1 << 20)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          for _ in 0..<25 {
            let text = String(repeating: "w\(writer)", count: 100)
            let range = try log.append(Array(repeating: draft(text), count: 20))
            #expect(range.count == 20)
          }
        }
      }
      try await group.waitForAll()
    }
    let contents = try log.contents()
    #expect(contents.count == 2000)
    for batch in stride(from: 0, to: 2000, by: 20) {
      #expect(Set(contents[batch..<batch + 20].map(\.bytes)).count == 1)
    }
  }

  // MARK: Between processes

  @Test("A process whose map is soon too small reads what another process writes")
  func twoProcesses() throws {
    do { _ = try EventLog.create(at: path, eventVersion: 1, mapSize: 1 << 20) }
    let reader = try EventLog.open(
      at: path, access: .readOnly, eventVersion: 1, mapSize: 1 << 20)
    let (process, output) = try ProbeProcess.start(["append", path, "80", "100"])
    var last: UInt64 = 0
    while last < 8000 {
      let now = try reader.last
      #expect(now % 100 == 0 && now >= last)
      // Read again after the writer has ended, because it may have written in between.
      if now < 8000, !process.isRunning, try reader.last == now {
        Issue.record("the writer ended at \(now)")
        break
      }
      last = now
    }
    #expect(try reader.damage().isEmpty)
    #expect(output.rest().last == "last 8000")
    process.waitUntilExit()
  }

  @Test("Two writing processes adopt each other's map and contacts")
  func twoWriters() throws {
    let log = try EventLog.create(at: path, eventVersion: 1, mapSize: 1 << 20)
    var expected: UInt64 = 0
    for _ in 0..<4 {
      expected += 10
      try log.append(
        (0..<10).map { draft("mine", event: [1], contacts: ["contact\($0)@example.test"]) })
      expected += 2000
      let outcome = try ProbeProcess.run(["append", path, "2", "1000"])
      #expect(outcome.lines.last == "last \(expected)")
    }
    #expect(try log.damage().isEmpty)
    let found = try log.read {
      try $0.sequences(concerning: "contact7@example.test", in: 1...UInt64.max)
    }
    var named: [UInt64] = []
    for round: UInt64 in 0..<4 {
      let before = round * 2010
      named.append(before + 8)
      for number: UInt64 in 0..<40 { named.append(before + 10 + number * 50 + 8) }
    }
    #expect(found == named)
  }

  @Test(
    "A killed writer leaves only whole batches, and all that it reported", arguments: 1...6)
  func killedWriter(round: Int) throws {
    do { _ = try EventLog.create(at: path, eventVersion: 1) }
    let (process, output) = try ProbeProcess.start(["append", path, "1000000", "137"])
    var lines = (0..<5 * round).compactMap { _ in output.next() }
    process.killNow()
    lines += output.rest()
    let reported = try #require(lines.last.flatMap { UInt64($0.dropFirst(5)) })
    #expect(reported >= 137 * 5 * UInt64(round))
    let log = try EventLog.open(at: path, access: .readWrite, eventVersion: 1)
    let last = try log.last
    #expect(last % 137 == 0)
    #expect(last == reported || last == reported + 137)
    #expect(try log.damage().isEmpty)
    #expect(try log.append([draft("after")]) == (last + 1)..<(last + 2))
    try log.rebuildDerived { _, _ in DerivedParts(event: [1], contacts: ["a@example.test"]) }
    #expect(try log.derived(contacts: []).events.count == Int(last) + 1)
  }

  /// Another process has the log open, so the lock file stays as the killed one left it.
  @Test("The pages that a killed reader held are reused after the log is opened")
  func killedReader() throws {
    do { try EventLog.create(at: path, eventVersion: 1).append([draft("1")]) }
    let (keeper, kept) = try ProbeProcess.start(["hold", path], input: Pipe())
    defer { keeper.killNow() }
    #expect(kept.next() == "open")
    let (reader, reading) = try ProbeProcess.start(["hold-reading", path], input: Pipe())
    #expect(reading.next() == "reading")
    reader.killNow()

    let log = try EventLog.open(at: path, access: .readWrite, eventVersion: 1)
    let state = Array(repeating: UInt8(1), count: 200_000)
    func storeAndDrop() throws -> Int {
      try log.store([
        SnapshotDraft(
          sequence: 1, version: SnapshotVersion(events: 1, reducer: 1, codec: 1), state: state)
      ])
      try log.dropSnapshots()
      return try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }
    let before = try storeAndDrop()
    for _ in 1...10 { #expect(try storeAndDrop() <= 3 * before) }
  }

  @Test("The slots of killed readers are freed for readers that need them")
  func killedReaders() throws {
    let log = try EventLog.create(at: path, eventVersion: 1)
    try log.append([draft("1")])
    let (readers, output) = try ProbeProcess.start(["fill-readers", path], input: Pipe())
    #expect(output.next() == "full")
    #expect(throws: EventLogError.tooManyReaders(path: log.path)) { try log.last }
    readers.killNow()
    #expect(try log.last == 1)
  }
}
