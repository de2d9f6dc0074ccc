import Captures
@testable import EventStore
import Foundation
@testable import Rollcall
import Synchronization
import TestSupport
import Testing

/// Logs that share the threads that write to them.
@Suite("Writing to many logs on a few threads") struct WriterThreadsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func newLog(_ name: String) throws -> EventLog {
    try EventLog.create(at: folder.file("\(name).rollcall"), eventVersion: RecordReader.version)
  }

  private func draft(_ number: Int) -> RecordDraft {
    let xml = "<presence from='c\(number)@example.test/x'/>"
    return RecordDraft(
      time: nil, direction: .inbound, kind: .element, bytes: Array(xml.utf8),
      decoded: RecordReader().decode(.element, .inbound, Array(xml.utf8)))
  }

  private func numbers(in log: EventLog) throws -> [Int] {
    var found: [Int] = []
    try log.forEachRecord(in: 1...UInt64.max) { _, bytes in
      let text = bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
      if let number = text.firstMatch(of: /c([0-9]+)@/).flatMap({ Int($0.1) }) {
        found.append(number)
      }
    }
    return found
  }

  @Test("Each log has its records in order, whatever else is written", arguments: 1...3)
  func orders(_ count: Int) async throws {
    let threads = try WriterThreads(count)
    var random = SeededGenerator(seed: UInt64(count))
    let logs = try (0..<12).map { try newLog("\(count)-\($0)") }
    let writers = try logs.map { try LogWriter($0, isAccountNoted: true, on: threads) }
    var next = writers.map { _ in 0 }
    for _ in 0..<2000 {
      let place = Int.random(in: 0..<writers.count, using: &random)
      next[place] += 1
      try writers[place].put(draft(next[place]), as: UInt64(next[place]))
      if Int.random(in: 0..<100, using: &random) == 0 { try await writers[place].durable() }
    }
    for (place, writer) in writers.enumerated() {
      if place % 2 == 0 { try await writer.durable() }
      try writer.close()
      #expect(try numbers(in: logs[place]) == Array(1...next[place]), "seed \(count)")
      #expect(throws: RollcallError.self) { try writer.put(draft(0), as: 1) }
    }
  }

  @Test("A log that is closed can be opened at once", arguments: [0, 1, 40])
  func reopening(_ records: Int) throws {
    let threads = try WriterThreads(2)
    let path = folder.file("again.rollcall")
    for round in 0..<20 {
      // If it were still open, opening it would fail.
      let recorder = try RosterRecorder(recordingTo: path, on: threads)
      for _ in 0..<records {
        _ = try recorder.note(.connected(to: "x"), at: nil, on: .first)
      }
      #expect(recorder.roster.position == UInt64((round + 1) * records))
      try recorder.close()
    }
  }

  @Test("A log that cannot be written blocks no other, and reports it to waiters")
  func failing() async throws {
    struct Full: Error {}
    let threads = try WriterThreads(1)
    let (bad, good) = (try newLog("bad"), try newLog("good"))
    let isFull = Mutex(true)
    let failing = try LogWriter(bad, isAccountNoted: true, on: threads) { log, batch in
      if isFull.withLock({ $0 }) { throw Full() }
      return try LogWriter.append(log, batch)
    }
    let writer = try LogWriter(good, isAccountNoted: true, on: threads)
    for number in 1...10 {
      try failing.put(draft(number), as: UInt64(number))
      try writer.put(draft(number), as: UInt64(number))
    }
    try await writer.durable()
    await #expect(throws: Full.self) { try await failing.durable() }
    isFull.withLock { $0 = false }
    try await failing.durable()
    for (log, writer) in [(good, writer), (bad, failing)] {
      try writer.close()
      #expect(try numbers(in: log) == Array(1...10))
    }
  }

  @Test("A write with an unknown outcome ends the log, but no thread")
  func unknown() async throws {
    let threads = try WriterThreads(1)
    let log = try newLog("unknown")
    let writer = try LogWriter(log, isAccountNoted: true, on: threads) { _, _ in
      throw EventLogError.outcomeUnknown(path: "x", cause: "y")
    }
    try writer.put(draft(1), as: 1)
    await #expect(throws: EventLogError.self) { try await writer.durable() }
    #expect(throws: EventLogError.self) { try writer.put(draft(2), as: 2) }
    #expect(throws: EventLogError.self) { try writer.close() }
    let other = try LogWriter(try newLog("other"), isAccountNoted: true, on: threads)
    try other.put(draft(1), as: 1)
    try other.close()
  }
}
