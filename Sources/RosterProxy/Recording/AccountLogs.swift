import Captures
import EventStore
import Foundation
import Rollcall
import RosterCore
import XMPPStanza

/// The logs of a folder, one or two per account, that connections record to.
///
/// Not thread-safe: used only on the proxy's thread.
final class AccountLogs {
  /// An open log.
  private struct Open {
    let recorder: RosterRecorder
    /// When it was last used, in milliseconds since 1970.
    var used: Int64
  }

  private let folder: String
  /// Keeps other proxies out of the folder; nil once everything is closed.
  private var lease: RecorderLease?
  /// Keep other recorders away from the logs that are open or have active connections.
  private var leases: [LogName: RecorderLease] = [:]
  private let threads: WriterThreads
  private var open: [LogName: Open] = [:]
  /// The active connections by log, including logs that are currently closed.
  private var active: [LogName: Set<ConnectionID>] = [:]
  /// The logs of the sessions that can be resumed (XEP-0198).
  private var resumable: [SessionKey: LogName] = [:]
  /// The logs of connections whose account is not known.
  var unbound: UnboundLogs
  /// The maximum number of open logs, unless more are busy at once.
  private static let openLimit = 128
  /// The number of logs whose records can be written to disk at once.
  private static let threadCount = 8
  private static let resumableLimit = 100_000

  /// - Throws: An error if the folder cannot be created, another proxy records to it, or the system
  ///   provides no thread.
  init(_ folder: String) throws {
    self.folder = folder
    unbound = UnboundLogs("\(folder)/unbound")
    threads = try WriterThreads(Self.threadCount)
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    lease = try RecorderLease(ofFolder: folder)
    // Only with the lease: until then another proxy may still record there.
    unbound.prune()
  }

  /// The recorder of one connection's log, created if needed. Only this proxy records there.
  func recorder(at path: String) throws -> RosterRecorder {
    try RosterRecorder(recordingTo: path, on: threads, holding: lease)
  }

  /// A new log in `unbound`, for a connection whose account is not known.
  func makeUnboundRecorder() throws -> (path: String, RosterRecorder) {
    let path = try unbound.begin()
    do {
      return (path, try recorder(at: path))
    } catch {
      unbound.ended(path)
      throw error
    }
  }

  /// The log for a stream that its server assigns to an account; nil if the account is of another
  /// domain than the server, so that the stream stays in `unbound`.
  func log(
    of account: BareJID, with server: StreamServer, at now: Int64
  ) throws -> LogName? {
    guard server.serves(account) else { return nil }
    let main = try recorder(of: LogName(of: account, .main), at: now).roster
    return LogName(of: account, isVerified: server.isVerified, main: LogName.Content(main))
  }

  /// The recorder of an account's log, opened if needed.
  func recorder(of log: LogName, at now: Int64) throws -> RosterRecorder {
    open[log]?.used = now
    if let known = open[log] { return known.recorder }
    close(open.count + 1 - Self.openLimit) { _ in true }
    let path = path(of: log)
    let lease = try leases[log] ?? RecorderLease(ofLogAt: path)
    let recorder = try RosterRecorder(
      recordingTo: path, continuing: active[log] ?? [], on: threads, holding: lease)
    open[log] = Open(recorder: recorder, used: now)
    leases[log] = lease
    return recorder
  }

  /// Begins a connection in an account's log, and returns its number.
  func begin(_ log: LogName, at now: Int64) throws -> ConnectionID {
    let connection = try recorder(of: log, at: now).nextConnection
    // Connections that have recorded nothing yet have a number, too.
    var number = connection.number
    while active[log]?.contains(ConnectionID(number: number)) == true { number += 1 }
    active[log, default: []].insert(ConnectionID(number: number))
    return ConnectionID(number: number)
  }

  func end(_ connection: ConnectionID, of log: LogName) {
    active[log]?.remove(connection)
    guard active[log]?.isEmpty == true else { return }
    active[log] = nil
    // A broken log accepts no more records, because its content is uncertain; read it anew next
    // time.
    if open[log]?.recorder.isBroken == true { open.removeValue(forKey: log) }
    releaseLease(of: log)
  }

  /// Releases the lease of a log that is closed and whose connections have ended.
  private func releaseLease(of log: LogName) {
    if open[log] == nil, active[log] == nil { leases[log] = nil }
  }

  /// Closes the logs that have been idle since a time.
  func closeUnused(since time: Int64) {
    close(open.count) { $0.used < time }
  }

  /// Closes some of the idle logs, the longest unused first.
  private func close(_ count: Int, where isToClose: (Open) -> Bool) {
    guard count > 0 else { return }
    let idle = open.filter { $0.value.recorder.isIdle && isToClose($0.value) }
      .sorted { $0.value.used < $1.value.used }
    for (name, log) in idle.prefix(count) {
      // Nothing is pending in it, so nothing can be lost.
      try? log.recorder.close()
      open[name] = nil
      releaseLease(of: name)
    }
  }

  /// The number of open logs.
  var openCount: Int { open.count }

  /// Writes everything pending, and closes all logs.
  func close() throws {
    defer { (open, leases, lease) = ([:], [:], nil) }
    for log in open.values { try log.recorder.close() }
  }

  // MARK: Sessions

  /// The key of a session: the mark of its id in the log, and its server, because another server
  /// may have assigned, or may claim, the same id.
  private struct SessionKey: Hashable {
    let mark: String
    let server: StreamServer
  }

  /// The log of the session to which a server assigned an id; nil if it is not known.
  func log(ofSession id: String, with server: StreamServer) -> LogName? {
    resumable[SessionKey(mark: Credentials.mark(ofID: id), server: server)]
  }

  func remember(session id: String, with server: StreamServer, in log: LogName) {
    if resumable.count >= Self.resumableLimit { resumable.removeAll() }
    resumable[SessionKey(mark: Credentials.mark(ofID: id), server: server)] = log
  }

  /// Reads from the logs which sessions can be resumed, because their clients do not know that the
  /// proxy was restarted. No server keeps a session for longer than a day.
  func restoreSessions(at now: Date) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder)
    where name.hasSuffix(".rollcall") {
      let path = "\(folder)/\(name)"
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      guard let written = attributes?[.modificationDate] as? Date,
        now.timeIntervalSince(written) < 86_400
      else {
        continue
      }
      // A damaged log is reported when it is written to.
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
