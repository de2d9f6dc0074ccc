@testable import EventStore
import Foundation
@testable import Rollcall
import Synchronization
import TestSupport
import Testing

/// Records that are passed while the disk is busy share a commit, and none is lost.
@Suite("Recording without waiting") struct LogWriterTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func newLog() throws -> EventLog {
    try EventLog.create(
      at: folder.file("\(UUID()).rollcall"), eventVersion: RecordReader.version)
  }

  private func draft(_ number: Int) -> RecordDraft {
    let xml = "<presence from='c\(number)@example.test/x'/>"
    return RecordDraft(
      time: nil, direction: .inbound, kind: .element, bytes: Array(xml.utf8),
      decoded: RecordReader().decode(.element, .inbound, Array(xml.utf8)))
  }

  /// Passes the record with the next number.
  private func put(_ number: Int, in writer: LogWriter) throws {
    try writer.put(draft(number), as: UInt64(number) + 1)
  }

  private func bytes(of log: EventLog) throws -> [[UInt8]] {
    var found: [[UInt8]] = []
    try log.forEachRecord(in: 1...UInt64.max) { _, bytes in
      found.append(bytes.withUnsafeBytes { Array($0) })
    }
    return found
  }

  /// Runs `body` while another thread holds the log's write transaction.
  private func withBusyDisk(_ log: EventLog, _ body: () throws -> Void) throws {
    let empty = try newLog()
    let (began, over) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let thread = WorkerThread {
      _ = try? log.append(
        recordsOf: empty,
        choosing: { _, _ in
          began.signal()
          over.wait()
          return RecordSelection(records: [])
        }, { _, _ in DerivedParts(event: nil, contacts: []) })
    }
    guard let thread else { throw RollcallError(.log, "no thread") }
    began.wait()
    let result = Result { try body() }
    over.signal()
    thread.join()
    try result.get()
  }

  @Test("A burst of 400 records costs two commits at most")
  func burst() throws {
    let log = try newLog()
    let writer = try LogWriter(log, isAccountNoted: true)
    try withBusyDisk(log) { for number in 0..<400 { try put(number, in: writer) } }
    try writer.flush()
    #expect(try bytes(of: log) == (0..<400).map { draft($0).bytes })
    // A small commit has one pack, and these records fill fewer than two packs.
    let packs = try log.read { try $0.lastPack?.number }
    #expect((packs ?? 0) <= 3)
  }

  @Test("A waiter returns when everything passed before is durable")
  func durable() async throws {
    let log = try newLog()
    let writer = try LogWriter(log, isAccountNoted: true)
    try await writer.durable()
    for number in 0..<50 {
      try put(number, in: writer)
      guard number % 7 == 0 else { continue }
      try await writer.durable()
      #expect(writer.isDurable)
      #expect(try log.read { try $0.lastSequence } == UInt64(number + 1))
    }
    try writer.close()
    #expect(try log.read { try $0.lastSequence } == 50)
  }

  @Test("A cancelled task does not wait for the disk, and its records are still written")
  func cancelled() async throws {
    let log = try newLog()
    let disk = DispatchSemaphore(value: 0)
    let writer = try LogWriter(log, isAccountNoted: true) { log, batch in
      disk.wait()
      return try LogWriter.append(log, batch)
    }
    try put(0, in: writer)
    let waiting = Task { try await writer.durable() }
    waiting.cancel()
    let error = await #expect(throws: RollcallError.self) { try await waiting.value }
    #expect(error?.reason == .cancelled)
    disk.signal()
    try writer.close()
    #expect(try log.read { try $0.lastSequence } == 1)
  }

  @Test("A writer that is released has written everything")
  func goesAway() throws {
    let log = try newLog()
    do {
      let writer = try LogWriter(log, isAccountNoted: true)
      for number in 0..<30 { try put(number, in: writer) }
    }
    #expect(try log.read { try $0.lastSequence } == 30)
  }

  @Test("If too much waits, passing more waits for the disk")
  func backPressure() throws {
    let log = try newLog()
    let writer = try LogWriter(log, isAccountNoted: true)
    let long = RecordDraft(
      time: nil, direction: .inbound, kind: .element, bytes: [UInt8](repeating: 32, count: 1 << 20))
    for number in 1...UInt64(40) {
      try writer.makeRoom()
      try writer.put(long, as: number)
      #expect(writer.waitingBytes <= (9 << 20))
    }
    try writer.close()
    #expect(try log.read { try $0.lastSequence } == 40)
  }

  @Test("A failure to write is reported to each waiter, each time and at the end")
  func failure() throws {
    let log = try EventLog.draft(
      for: folder.file("gone.rollcall"), eventVersion: RecordReader.version)
    let writer = try LogWriter(log, isAccountNoted: true)
    try writer.put(draft(1), as: 1)
    try writer.flush()
    log.discard()
    for number in 2..<5 {
      try put(number, in: writer)
      #expect(throws: EventLogError.self) { try writer.flush() }
      #expect(!writer.isDurable)
    }
    #expect(throws: EventLogError.self) { try writer.close() }
  }

  @Test(
    "On a full disk records wait, and are written once there is space",
    .enabled(if: SmallDisk.isPossible, "mounting a small disk takes root on Linux"))
  func fullDisk() throws {
    let disk = try SmallDisk(at: folder.file("disk"), size: "1m")
    let path = disk.path + "/full.rollcall"
    var number = 0
    do {
      let session = try RosterSession(recordingTo: path)
      // Not enough for passing a record to wait for the disk.
      #expect(throws: RollcallError.self) {
        while number < 20_000 {
          for _ in 0..<500 {
            number += 1
            try session.received("<presence from='c\(number)@example.test/x'/>".utf8, at: nil)
          }
          try session.flush()
        }
      }
      try #require(number < 20_000)
      let waiting = number
      for _ in 0..<10 {
        number += 1
        try session.received("<presence from='c\(number)@example.test/x'/>".utf8, at: nil)
      }
      let error = #expect(throws: RollcallError.self) { try session.flush() }
      #expect(error?.reason == .diskFull)
      try disk.enlarge(to: "16m")
      try session.flush()
      #expect(session.roster.position == UInt64(waiting + 10))
      try session.close()
    }
    let log = try EventLog.open(
      at: path, access: .readOnly, eventVersion: RecordReader.version)
    let expected = (1...number).map { Array("<presence from='c\($0)@example.test/x'/>".utf8) }
    #expect(try bytes(of: log) == expected)
  }

  @Test("The writer notices what others have appended")
  func overtaken() throws {
    let log = try newLog()
    let writer = try LogWriter(log, isAccountNoted: true)
    try writer.put(draft(1), as: 1)
    try writer.flush()
    #expect(writer.overtaken == nil)
    try log.append([draft(2)])
    for number in 3...4 {
      try writer.put(draft(number), as: UInt64(number) - 1)
      try writer.flush()
      #expect(writer.overtaken == 2, "by the first of them, until somebody has looked")
    }
    writer.caughtUp()
    #expect(writer.overtaken == nil)
    try writer.put(draft(5), as: 5)
    try writer.flush()
    #expect(writer.overtaken == nil)
    #expect(try log.read { try $0.lastSequence } == 5)
  }

  @Test("If a write may have succeeded it is not repeated, and no more records are accepted")
  func outcomeUnknown() async throws {
    let log = try newLog()
    let isFailing = Atomic(true)
    let writer = try LogWriter(log, isAccountNoted: true) { log, batch in
      let range = try LogWriter.append(log, batch)
      guard isFailing.exchange(false, ordering: .relaxed) else { return range }
      // It was written, but the writer cannot know.
      throw EventLogError.outcomeUnknown(path: log.path, cause: "the sync failed")
    }
    try withBusyDisk(log) { for number in 0..<5 { try put(number, in: writer) } }
    #expect(throws: EventLogError.self) { try writer.flush() }
    #expect(throws: EventLogError.self) { try put(5, in: writer) }
    #expect(throws: EventLogError.self) { try writer.makeRoom() }
    await #expect(throws: EventLogError.self) { try await writer.durable() }
    #expect(throws: EventLogError.self) { try writer.close() }
    // The records passed until then share a commit.
    let written = try bytes(of: log)
    #expect((1...5).contains(written.count))
    #expect(written == (0..<written.count).map { draft($0).bytes })
  }

  @Test("A full disk is not tried again for each record, but for each waiter")
  func fewAttempts() throws {
    let log = try newLog()
    let attempts = Atomic(0)
    let isFull = Atomic(true)
    let writer = try LogWriter(log, isAccountNoted: true) { log, batch in
      attempts.add(1, ordering: .relaxed)
      if isFull.load(ordering: .relaxed) { throw EventLogError.diskFull(path: log.path) }
      return try LogWriter.append(log, batch)
    }
    for number in 0..<2000 { try put(number, in: writer) }
    // After 1, 2, 4 … more records, and then after each 1024.
    #expect(attempts.load(ordering: .relaxed) <= 13)
    for _ in 0..<3 {
      let before = attempts.load(ordering: .relaxed)
      #expect(throws: EventLogError.self) { try writer.flush() }
      #expect(attempts.load(ordering: .relaxed) > before)
    }
    isFull.store(false, ordering: .relaxed)
    try writer.close()
    #expect(try bytes(of: log) == (0..<2000).map { draft($0).bytes })
  }

  @Test("Several logs can be recorded at the same time")
  func several() async throws {
    let logs = try (0..<4).map { _ in try newLog() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, log) in logs.enumerated() {
        let drafts = (0..<100).map { draft(index * 1000 + $0) }
        group.addTask {
          let writer = try LogWriter(log, isAccountNoted: true)
          for (index, draft) in drafts.enumerated() { try writer.put(draft, as: UInt64(index) + 1) }
          try await writer.durable()
        }
      }
      try await group.waitForAll()
    }
    for (index, log) in logs.enumerated() {
      #expect(try bytes(of: log) == (0..<100).map { draft(index * 1000 + $0).bytes })
    }
  }
}
