import Foundation
import Rollcall
import RosterCore
import XMPPStanza

/// The logs of a folder, one an account, that connections record to.
///
/// Not thread-safe: its proxy keeps it on one thread.
final class AccountLogs {
  /// A log that is written.
  private struct Open {
    let recorder: RosterRecorder
    /// When it was last used, in milliseconds since 1970.
    var used: Int64
  }

  private let folder: String
  private var open: [BareJID: Open] = [:]
  /// The connections that go on, also where their log is closed meanwhile.
  private var alive: [BareJID: Set<ConnectionID>] = [:]
  /// Whose session can be gone on with by an id of the server's (XEP-0198).
  private var resumable: [String: BareJID] = [:]
  private var unboundCount = 0
  /// How many logs are open at most, unless more are busy at once: each has a thread.
  private static let mostOpen = 20
  private static let mostResumable = 100_000

  /// - Throws: Where the folder cannot be made.
  init(_ folder: String) throws {
    self.folder = folder
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
  }

  /// The log of an account, opened where it is not.
  func recorder(of account: BareJID, at now: Int64) throws -> RosterRecorder {
    open[account]?.used = now
    if let known = open[account] { return known.recorder }
    closeIdle()
    let recorder = try RosterRecorder(
      recordingTo: path(of: account), goingOn: alive[account] ?? [])
    open[account] = Open(recorder: recorder, used: now)
    return recorder
  }

  /// The number of a connection that begins in an account's log.
  func begin(_ account: BareJID, at now: Int64) throws -> ConnectionID {
    let connection = try recorder(of: account, at: now).nextConnection
    // Also those that have recorded nothing yet have one.
    var number = connection.number
    while alive[account]?.contains(ConnectionID(number: number)) == true { number += 1 }
    alive[account, default: []].insert(ConnectionID(number: number))
    return ConnectionID(number: number)
  }

  func end(_ connection: ConnectionID, of account: BareJID) {
    alive[account]?.remove(connection)
    if alive[account]?.isEmpty == true { alive[account] = nil }
  }

  /// Closes those that nothing waits in, the longest unused first, where many are open.
  private func closeIdle() {
    let surplus = open.count + 1 - Self.mostOpen
    guard surplus > 0 else { return }
    let idle = open.filter { $0.value.recorder.isIdle }.sorted { $0.value.used < $1.value.used }
    for (account, log) in idle.prefix(surplus) {
      // Nothing waits in it, so nothing can be lost.
      try? log.recorder.close()
      open[account] = nil
    }
  }

  /// Writes what waits, and closes all.
  func close() throws {
    defer { open = [:] }
    for log in open.values { try log.recorder.close() }
  }

  // MARK: Sessions

  /// Whose the session of this id is; nil where it is not known.
  func account(ofSession id: String) -> BareJID? { resumable[id] }

  func remember(session id: String, of account: BareJID) {
    if resumable.count >= Self.mostResumable { resumable.removeAll() }
    resumable[id] = account
  }

  // MARK: Files

  func path(of account: BareJID) -> String { "\(folder)/\(account.fileName).rollcall" }

  /// Where a connection is recorded until it is known whose it is.
  func unboundPath() throws -> String {
    try FileManager.default.createDirectory(
      atPath: "\(folder)/unbound", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    while true {
      unboundCount += 1
      let path = "\(folder)/unbound/\(getpid())-\(unboundCount).rollcall"
      if !FileManager.default.fileExists(atPath: path) { return path }
    }
  }
}

extension BareJID {
  /// The address as the name of a file: what a folder would take for something else is written as
  /// in an address of the web.
  fileprivate var fileName: String {
    let name = text.replacing("%", with: "%25").replacing("/", with: "%2f")
    return name.hasPrefix(".") ? "%2e" + name.dropFirst() : name
  }
}
