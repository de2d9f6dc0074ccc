import EventStore
import Foundation
import TestSupport
import Testing

/// Several users of one log: threads, processes, and one that is killed.
@Suite struct SharingTests {
  let scratch: Scratch
  let path: String

  init() throws {
    scratch = try Scratch()
    path = scratch.file()
  }

  // MARK: In one process

  @Test func aSecondOpenSharesTheFirst() throws {
    let first = try EventLog.create(at: path, eventVersion: 1)
    let link = scratch.file("link.rollcall")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    do {
      let second = try EventLog.open(at: link, access: .readWrite, eventVersion: 1)
      try second.append([draft("1")])
    }
    let reader = try EventLog.open(at: path, access: .readOnly, eventVersion: 1)
    try first.append([draft("2")])
    #expect(try reader.last == 2)
    #expect(throws: EventLogError.readOnly(path: first.path)) { try reader.append([draft("3")]) }
  }

  @Test func aReaderIsNotSharedWithAWriter() throws {
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

  @Test func aReplacedFileIsNotOpenedBesideTheOldOne() throws {
    let log = try EventLog.create(at: path, eventVersion: 1)
    try log.append([draft("1")])
    try FileManager.default.copyItem(atPath: path, toPath: scratch.file("copy"))
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: scratch.file("copy"), toPath: path)
    #expect(throws: EventLogError.replaced(path: path)) {
      try EventLog.open(at: path, access: .readOnly, eventVersion: 1)
    }
  }

  @Test func aTransactionInsideAnotherIsRefused() throws {
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

  @Test func aReaderSeesOneState() throws {
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

  /// Readers see whole batches only, while the map grows under them again and again.
  @Test func readersBesideAWriter() async throws {
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
              try transaction.verifyChain(in: max(1, min(seen, last))...max(1, last))
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
    try log.verify()
  }

  /// Many writers: every batch lies together, and none is lost.
  @Test func writersTakeTurns() async throws {
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

  /// This process reads, through a map that is soon too small, what another one writes.
  @Test func oneProcessWritesAndOneReads() throws {
    do { _ = try EventLog.create(at: path, eventVersion: 1, mapSize: 1 << 20) }
    let reader = try EventLog.open(
      at: path, access: .readOnly, eventVersion: 1, mapSize: 1 << 20)
    let (process, output) = try ProbeProcess.start(["append", path, "80", "100"])
    var last: UInt64 = 0
    while last < 8000 {
      let now = try reader.last
      #expect(now % 100 == 0 && now >= last)
      // Looked at again once the writer has ended: it may have written in between.
      if now < 8000, !process.isRunning, try reader.last == now {
        Issue.record("the writer ended at \(now)")
        break
      }
      last = now
    }
    try reader.verify()
    let text = String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
    #expect(text.hasSuffix("last 8000\n"))
    process.waitUntilExit()
  }

  /// Two processes write by turns: a map that the other has outgrown is adopted, and contacts
  /// that the other has named are known.
  @Test func twoProcessesWrite() throws {
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
    try log.verify()
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

  /// `kill -9` in the midst of appending leaves whole batches, and at least those that were
  /// reported as durable.
  @Test(arguments: 1...6)
  func aKilledWriterLeavesWholeBatches(round: Int) throws {
    do { _ = try EventLog.create(at: path, eventVersion: 1) }
    let (process, output) = try ProbeProcess.start(["append", path, "1000000", "137"])
    Thread.sleep(forTimeInterval: 0.1 + 0.037 * Double(round))
    kill(process.processIdentifier, SIGKILL)
    let text = String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let reported = text.split(separator: "\n").last.flatMap { UInt64($0.dropFirst(5)) } ?? 0
    let log = try EventLog.open(at: path, access: .readWrite, eventVersion: 1)
    let last = try log.last
    #expect(last % 137 == 0)
    #expect(last == reported || last == reported + 137)
    try log.verify()
    #expect(try log.append([draft("after")]) == (last + 1)..<(last + 2))
    try log.rebuildDerived { _, _ in DerivedParts(event: [1], contacts: ["a@example.test"]) }
    #expect(try log.derived(contacts: []).events.count == Int(last) + 1)
  }
}
