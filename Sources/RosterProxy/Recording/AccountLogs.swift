import Captures
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
  private let threads: WriterThreads
  private var open: [BareJID: Open] = [:]
  /// The connections that go on, also where their log is closed meanwhile.
  private var alive: [BareJID: Set<ConnectionID>] = [:]
  /// Whose session can be gone on with (XEP-0198), by what stands for its id in the log.
  private var resumable: [String: BareJID] = [:]
  private var unboundCount = 0
  /// How many logs are open at most, unless more are busy at once.
  private static let mostOpen = 128
  /// As many as get their records to the disk at once.
  private static let threadCount = 8
  private static let mostResumable = 100_000

  /// - Throws: Where the folder cannot be made, or the system gives no thread.
  init(_ folder: String) throws {
    self.folder = folder
    threads = try WriterThreads(Self.threadCount)
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
  }

  /// A log that is gone on with, or made where there is none.
  func recorder(at path: String, goingOn: Set<ConnectionID> = []) throws -> RosterRecorder {
    try RosterRecorder(recordingTo: path, goingOn: goingOn, on: threads)
  }

  /// The log of an account, opened where it is not.
  func recorder(of account: BareJID, at now: Int64) throws -> RosterRecorder {
    open[account]?.used = now
    if let known = open[account] { return known.recorder }
    close(open.count + 1 - Self.mostOpen) { _ in true }
    let recorder = try recorder(at: path(of: account), goingOn: alive[account] ?? [])
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
    guard alive[account]?.isEmpty == true else { return }
    alive[account] = nil
    // One that takes nothing more, for nobody knows what is in it, is read anew for the next.
    if open[account]?.recorder.isBroken == true { open.removeValue(forKey: account) }
  }

  /// Closes those in which nothing has happened since then.
  func closeUnused(since time: Int64) {
    close(open.count) { $0.used < time }
  }

  /// Closes some of those that nothing waits in, the longest unused first.
  private func close(_ count: Int, where isToClose: (Open) -> Bool) {
    guard count > 0 else { return }
    let idle = open.filter { $0.value.recorder.isIdle && isToClose($0.value) }
      .sorted { $0.value.used < $1.value.used }
    for (account, log) in idle.prefix(count) {
      // Nothing waits in it, so nothing can be lost.
      try? log.recorder.close()
      open[account] = nil
    }
  }

  /// How many are open.
  var openCount: Int { open.count }

  /// Writes what waits, and closes all.
  func close() throws {
    defer { open = [:] }
    for log in open.values { try log.recorder.close() }
  }

  // MARK: Sessions

  /// Whose the session of this id is; nil where it is not known.
  func account(ofSession id: String) -> BareJID? { resumable[Credentials.mark(ofID: id)] }

  func remember(session id: String, of account: BareJID) {
    if resumable.count >= Self.mostResumable { resumable.removeAll() }
    resumable[Credentials.mark(ofID: id)] = account
  }

  /// Learns from the logs whose sessions can be gone on with: their clients do not know that it is
  /// another proxy that they come back to. No server keeps a session for longer than a day.
  func recall(at now: Date) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder)
    where name.hasSuffix(".rollcall") {
      let path = "\(folder)/\(name)"
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      guard let written = attributes?[.modificationDate] as? Date,
        now.timeIntervalSince(written) < 86_400
      else {
        continue
      }
      // What is wrong with a log is told where it is written to.
      guard let roster = try? Timeline(ofLogAt: path).state(at: .head(minus: 0)).roster,
        let account = roster.account
      else { continue }
      for mark in roster.resumptionMarks { resumable[mark] = account }
    }
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
