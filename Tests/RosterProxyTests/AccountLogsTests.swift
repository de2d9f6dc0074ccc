import Foundation
import Rollcall
import TestSupport
import Testing

@testable import RosterProxy

/// When others may record to a proxy's folder and its logs.
@Suite("The leases of a proxy") struct AccountLogsTests {
  private let folder: TemporaryFolder
  private let alice: LogName

  init() throws {
    folder = try TemporaryFolder()
    alice = LogName(of: try BareJID(parsing: "alice@example.test"), .main)
  }

  private func isFree(_ logs: AccountLogs) -> Bool {
    do throws(RollcallError) {
      try RosterSession(recordingTo: logs.path(of: alice)).close()
      return true
    } catch {
      #expect(error.reason == .inUse, "\(error)")
      return false
    }
  }

  @Test("A second proxy on a folder is refused until the first has closed its logs")
  func secondProxy() throws {
    let first = try AccountLogs(folder.path)
    do {
      let second = try AccountLogs(folder.path)
      Issue.record("a second proxy")
      try second.close()
    } catch {
      #expect("\(error)".contains("\(folder.path) is being recorded to by another session"))
    }
    try first.close()
    try AccountLogs(folder.path).close()
    #expect(try folder.names.filter { $0.hasSuffix("-lease") } == [])
  }

  @Test("A log is the proxy's while it is open or has an active connection")
  func account() throws {
    let logs = try AccountLogs(folder.path)
    let (one, two) = (try logs.begin(alice, at: 1), try logs.begin(alice, at: 1))
    #expect(!isFree(logs))
    try logs.recorder(of: alice, at: 1).flush()
    logs.end(one, of: alice)
    logs.closeUnused(since: .max)
    #expect(logs.openCount == 0)
    // It is idle, but its connection may send something at any time.
    #expect(!isFree(logs))
    logs.end(two, of: alice)
    #expect(isFree(logs))
    let three = try logs.begin(alice, at: 2)
    logs.end(three, of: alice)
    #expect(!isFree(logs), "it is still open")
    try logs.close()
    #expect(isFree(logs))
  }

  @Test("A log of another recorder is not the proxy's until that recorder ends")
  func recordedElsewhere() throws {
    let logs = try AccountLogs(folder.path)
    let session = try RosterSession(recordingTo: logs.path(of: alice))
    #expect(throws: (any Error).self) { try logs.begin(alice, at: 1) }
    try session.close()
    _ = try logs.begin(alice, at: 2)
    try logs.close()
  }
}
