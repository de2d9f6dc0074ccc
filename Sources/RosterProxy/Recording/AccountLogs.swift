import Captures
import EventStore
import Foundation
import Rollcall
import RosterCore
import XMPPStanza

/// The logs of a folder, one or two an account, that connections record to.
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
  /// Keeps other proxies away from the folder; nil once all is closed.
  private var lease: RecorderLease?
  /// Keep other recorders away from the logs that are open, or whose connections go on.
  private var leases: [LogName: RecorderLease] = [:]
  private let threads: WriterThreads
  private var open: [LogName: Open] = [:]
  /// The connections that go on, also where their log is closed meanwhile.
  private var alive: [LogName: Set<ConnectionID>] = [:]
  /// The logs of the sessions that can be gone on with (XEP-0198).
  private var resumable: [SessionKey: LogName] = [:]
  /// The logs of connections whose account is not known.
  var unbound: UnboundLogs
  /// How many logs are open at most, unless more are busy at once.
  private static let mostOpen = 128
  /// As many as get their records to the disk at once.
  private static let threadCount = 8
  private static let mostResumable = 100_000

  /// - Throws: If the folder cannot be made, another proxy records to it, or the system gives no
  ///   thread.
  init(_ folder: String) throws {
    self.folder = folder
    unbound = UnboundLogs("\(folder)/unbound")
    threads = try WriterThreads(Self.threadCount)
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    lease = try RecorderLease(ofFolder: folder)
    // Only now: another proxy may still record there.
    unbound.prune()
  }

  /// A log of one connection, made where there is none: nobody but this proxy records there.
  func recorder(at path: String) throws -> RosterRecorder {
    try RosterRecorder(recordingTo: path, on: threads, holding: lease)
  }

  /// A new log in `unbound`, for a connection whose account is not known.
  func recorderOfUnbound() throws -> (path: String, RosterRecorder) {
    let path = try unbound.begin()
    do {
      return (path, try recorder(at: path))
    } catch {
      unbound.ended(path)
      throw error
    }
  }

  /// The log for a stream that its server says is an account's; nil if the server is another
  /// domain's, so that the stream stays in `unbound`.
  func log(
    of account: BareJID, with server: StreamServer, at now: Int64
  ) throws -> LogName? {
    guard server.serves(account) else { return nil }
    let main = try recorder(of: LogName(of: account, .main), at: now).roster
    return LogName(of: account, isVerified: server.isVerified, main: LogName.Content(main))
  }

  /// A log of an account, opened if it is not open.
  func recorder(of log: LogName, at now: Int64) throws -> RosterRecorder {
    open[log]?.used = now
    if let known = open[log] { return known.recorder }
    close(open.count + 1 - Self.mostOpen) { _ in true }
    let path = path(of: log)
    let lease = try leases[log] ?? RecorderLease(ofLogAt: path)
    let recorder = try RosterRecorder(
      recordingTo: path, goingOn: alive[log] ?? [], on: threads, holding: lease)
    open[log] = Open(recorder: recorder, used: now)
    leases[log] = lease
    return recorder
  }

  /// The number of a connection that begins in an account's log.
  func begin(_ log: LogName, at now: Int64) throws -> ConnectionID {
    let connection = try recorder(of: log, at: now).nextConnection
    // Also those that have recorded nothing yet have one.
    var number = connection.number
    while alive[log]?.contains(ConnectionID(number: number)) == true { number += 1 }
    alive[log, default: []].insert(ConnectionID(number: number))
    return ConnectionID(number: number)
  }

  func end(_ connection: ConnectionID, of log: LogName) {
    alive[log]?.remove(connection)
    guard alive[log]?.isEmpty == true else { return }
    alive[log] = nil
    // One that takes nothing more, for nobody knows what is in it, is read anew for the next.
    if open[log]?.recorder.isBroken == true { open.removeValue(forKey: log) }
    releaseLease(of: log)
  }

  /// Lets other recorders have a log that is closed and whose connections have ended.
  private func releaseLease(of log: LogName) {
    if open[log] == nil, alive[log] == nil { leases[log] = nil }
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
    for (name, log) in idle.prefix(count) {
      // Nothing waits in it, so nothing can be lost.
      try? log.recorder.close()
      open[name] = nil
      releaseLease(of: name)
    }
  }

  /// How many are open.
  var openCount: Int { open.count }

  /// Writes what waits, and closes all.
  func close() throws {
    defer { (open, leases, lease) = ([:], [:], nil) }
    for log in open.values { try log.recorder.close() }
  }

  // MARK: Sessions

  /// What identifies a session: the mark of its id in the log, and its server, because another
  /// server may have given, or may claim, the same id.
  private struct SessionKey: Hashable {
    let mark: String
    let server: StreamServer
  }

  /// The log of the session to which a server gave this id; nil if it is not known.
  func log(ofSession id: String, with server: StreamServer) -> LogName? {
    resumable[SessionKey(mark: Credentials.mark(ofID: id), server: server)]
  }

  func remember(session id: String, with server: StreamServer, in log: LogName) {
    if resumable.count >= Self.mostResumable { resumable.removeAll() }
    resumable[SessionKey(mark: Credentials.mark(ofID: id), server: server)] = log
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
        let account = roster.account,
        let log = LogName.Kind.allCases.map({ LogName(of: account, $0) })
          .first(where: { $0.fileName == name })
      else { continue }
      let server = log.server(LogName.Content(roster))
      for mark in roster.resumptionMarks { resumable[SessionKey(mark: mark, server: server)] = log }
    }
  }

  // MARK: Files

  func path(of log: LogName) -> String { "\(folder)/\(log.fileName)" }
}
