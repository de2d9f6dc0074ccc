import Captures
import EventStore
import Foundation
import TestSupport
import Testing

@testable import Rollcall

/// A log has one recorder at a time, and only the end of that recorder ends its sessions.
@Suite("One recorder for each log") struct OneRecorderTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("alice.rollcall") }

  init() throws { folder = try TemporaryFolder() }

  private func begin(_ session: RosterSession) throws {
    try session.opened(as: JID(parsing: "alice@example.test/phone"), at: 1000)
    try session.received("<presence from='bob@example.test/pc'/>".utf8, at: 1001)
    try session.flush()
  }

  /// How often the log notes that a recorder ended without closing its session.
  private func endings() throws -> Int {
    var count = 0
    try Timeline(ofLogAt: path).log.forEachRecord(in: 1...UInt64.max) { _, bytes in
      if bytes.withUnsafeBytes({ Array($0) }) == RosterRecorder.recorderDied.bytes { count += 1 }
    }
    return count
  }

  @Test("A second session on one log is refused, and the first continues undisturbed")
  func second() throws {
    let session = try RosterSession(recordingTo: path)
    try begin(session)
    for _ in 0..<2 {
      let error = #expect(throws: RollcallError.self) { try RosterSession(recordingTo: path) }
      #expect(error?.reason == .inUse)
      #expect(error?.description.contains("another session of this process") == true)
    }
    let steps = try session.received("<presence from='bob@example.test/pad'/>".utf8, at: 1002)
    #expect(steps.map(\.stamp.record) == [3])
    #expect(session.roster.isConnected)
    try session.close()
    #expect(try endings() == 0)
    #expect(try folder.names == ["alice.rollcall", "alice.rollcall-lock"])
    let next = try RosterSession(recordingTo: path)
    #expect(!next.roster.isConnected)
    try next.received("<message/>".utf8, at: 1003)
    try next.close()
    #expect(try endings() == 1)
  }

  @Test("A session in memory, a reader and a bookmark need no lease")
  func others() throws {
    let session = try RosterSession(recordingTo: path)
    try begin(session)
    withExtendedLifetime(RosterSession()) {}
    let log = try EventLog.open(
      at: path, access: .readWrite, eventVersion: RecordReader.version)
    _ = try Timeline(log).addBookmark("here", at: .record(2))
    #expect(try Timeline(log).state(at: .head(minus: 0)).roster.isConnected)
    let steps = try session.received("<message/>".utf8, at: 1002)
    #expect(steps.map(\.part).first == .others && steps.map(\.stamp.record) == [3, 4])
    try session.close()
    #expect(try endings() == 0)
  }

  @Test("A log that cannot be opened does not exclude other recorders")
  func failed() throws {
    try Data("no log".utf8).write(to: URL(filePath: path))
    let error = #expect(throws: RollcallError.self) { try RosterSession(recordingTo: path) }
    #expect(error?.reason == .damaged)
    #expect(try folder.names == ["alice.rollcall"])
    try FileManager.default.removeItem(atPath: path)
    try begin(RosterSession(recordingTo: path))
  }

  @Test("If the log or its folder is removed, the session reports it and accepts nothing more")
  func removed() async throws {
    for isWhole in [false, true] {
      let own = folder.file("folder \(isWhole)")
      try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: false)
      let session = try RosterSession(recordingTo: own + "/a.rollcall")
      try begin(session)
      try FileManager.default.removeItem(atPath: isWhole ? own : own + "/a.rollcall")
      try session.received("<message/>".utf8, at: 1002)
      let error = await #expect(throws: RollcallError.self) { try await session.durable() }
      #expect(error?.reason == .removed)
      #expect(error?.description.contains("a.rollcall was removed") == true)
      let next = #expect(throws: RollcallError.self) {
        try session.received("<message/>".utf8, at: 1003)
      }
      #expect(next?.reason == .removed)
    }
  }
}
