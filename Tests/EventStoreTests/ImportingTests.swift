import EventStore
import Foundation
import Rollcall
import RosterCore
import Synchronization
import TestSupport
import Testing

/// Reading states from a log while another process imports a capture into it.
///
/// The capture comes through a pipe, so the test decides how long the import runs.
@Suite("Reading while a capture is imported") struct ImportingTests {
  private static let batch = 50

  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("a.rollcall")
    _ = try EventLog.create(at: path, eventVersion: RecordReader.version)
  }

  /// An import in another process that reads from a pipe.
  private final class Import {
    let process: Process
    private let input = Pipe()
    private let output: ProbeOutput
    /// The number of records written to the pipe.
    private(set) var records: UInt64 = 0

    init(into path: String) throws {
      (process, output) = try ProbeProcess.start(
        ["import", path, "\(ImportingTests.batch)"], input: input)
      try feed(#"{"rollcall-capture":1,"account":"alice@example.test/a"}"#)
    }

    private func feed(_ line: String) throws {
      try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
      records += 1
    }

    /// Feeds pushes, each of a contact with the record's number in its name.
    func feedPushes(_ count: Int) throws {
      for _ in 0..<count {
        let item = "<item jid='c\(records + 1)@example.test' subscription='both'/>"
        let query = "<query xmlns='jabber:iq:roster'>\(item)</query>"
        let push = "<iq type='set' id='p\(records)'>\(query)</iq>"
        try feed("{\"t\":\(records),\"dir\":\"in\",\"xml\":\"\(push)\"}")
      }
    }

    /// Ends the capture and returns the output of the import.
    func finish() throws -> [String] {
      try input.fileHandleForWriting.close()
      let lines = output.rest()
      process.waitUntilExit()
      return lines
    }
  }

  private final class Reached: Sendable {
    let last = Mutex<UInt64>(0)
  }

  private func opened() throws -> EventLog {
    try EventLog.open(at: path, access: .readOnly, eventVersion: RecordReader.version)
  }

  /// Waits until a log has this many records, or the process that imports into it has ended.
  private static func wait(
    for log: EventLog, of process: Process, to reach: UInt64
  ) throws -> UInt64 {
    while try log.last < reach, process.isRunning { usleep(1000) }
    return try log.last
  }

  /// Expects a state after whole batches of the capture.
  private func expectPrefix(_ state: Timeline.State, isOver: Bool) {
    let position = state.roster.position
    if !isOver { #expect(position % UInt64(Self.batch) == 0, "\(position)") }
    let items = state.roster.sortedItems.map(\.jid.text)
    let expected = position < 2 ? [] : (2...position).map { "c\($0)@example.test" }
    #expect(items == expected.sorted(), "after \(position)")
  }

  @Test("Current and past states are right during an import")
  func statesMeanwhile() throws {
    let importing = try Import(into: path)
    let log = try opened()
    var seen: UInt64 = 0
    for _ in 0..<5 {
      try importing.feedPushes(1500)
      // Records in the last partial read, and in an incomplete batch, may not be stored yet.
      let reached = try Self.wait(
        for: log, of: importing.process, to: importing.records - 1000)
      #expect(reached > seen, "the import makes no progress next to a reader")
      seen = reached
      #expect(importing.process.isRunning)
      let state = try Timeline(log).state(at: .head(minus: 0))
      #expect(state.roster.position >= reached)
      expectPrefix(state, isOver: false)
      let earlier = try Timeline(log).state(at: .record(reached / 2))
      #expect(earlier.roster.position == reached / 2, "a past state is wrong")
    }
    #expect(try importing.finish() == ["records \(importing.records)"])
    #expect(try log.last == importing.records)
    expectPrefix(try Timeline(log).state(at: .head(minus: 0)), isOver: true)
    #expect(try log.damage().isEmpty)
  }

  @Test("A slow reader does not delay an import")
  func slowReader() throws {
    let importing = try Import(into: path)
    let log = try opened()
    try importing.feedPushes(2000)
    let before = try Self.wait(for: log, of: importing.process, to: 1000)
    try #require(before >= 1000)
    try log.read { transaction in
      let last = try transaction.lastSequence
      try importing.feedPushes(3000)
      let reached = Reached()
      let done = DispatchSemaphore(value: 0)
      let process = importing.process
      // Use another thread, because a transaction cannot be begun inside another one.
      Thread.detachNewThread {
        let now = try? Self.wait(for: log, of: process, to: last + 1500)
        reached.last.withLock { $0 = now ?? 0 }
        done.signal()
      }
      done.wait()
      #expect(reached.last.withLock { $0 } >= last + 1500, "the import waits for the reader")
      let after = try transaction.lastSequence
      #expect(after == last, "the reader sees what was appended meanwhile")
      let damage = try transaction.damage()
      #expect(damage.isEmpty)
    }
    #expect(try importing.finish() == ["records \(importing.records)"])
  }

  /// Does not wait for the import, so the states are those that happen to be reached.
  @Test("At any moment of an import, a state has whole batches")
  func statesByChance() throws {
    let importing = try Import(into: path)
    let log = try opened()
    for _ in 0..<40 {
      try importing.feedPushes(100)
      expectPrefix(try Timeline(log).state(at: .head(minus: 0)), isOver: false)
    }
    #expect(try importing.finish() == ["records \(importing.records)"])
    expectPrefix(try Timeline(log).state(at: .head(minus: 0)), isOver: true)
  }
}
