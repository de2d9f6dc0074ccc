import Captures
import Rollcall
import RosterCore
import XMPPStanza
import XMPPStream

/// The recording of one connection: in a log of its own until its account is known, and then in the
/// account's log.
///
/// Not thread-safe: used only on the proxy's thread.
final class ConnectionRecording {
  fileprivate enum Entry {
    case part(StreamIntake.Part, Direction, Int64)
    case note(Lifecycle, Int64)

    /// The approximate size in memory.
    var size: Int {
      switch self {
      case .part(.header(let element), _, _), .part(.element(let element), _, _):
        2 * element.bytes.count + Self.overhead
      case .part(.unreadable(let bytes, _), _, _): bytes.count + Self.overhead
      case .part(.skipped(let element), _, _): element.kept.count + Self.overhead
      case .part(.end, _, _), .note: Self.overhead
      }
    }

    private static let overhead = 1024
  }

  /// The entries to copy into the account's log once it is known. A login needs few.
  private struct Kept {
    private(set) var entries: [Entry] = []
    private(set) var bytes = 0
    private static let byteLimit = 4 << 20

    /// - Returns: False if this is too much to keep.
    mutating func add(_ entry: Entry) -> Bool {
      entries.append(entry)
      bytes += entry.size
      return bytes <= Self.byteLimit
    }
  }

  private enum Destination {
    /// Nothing has been recorded yet.
    case none
    /// A log of its own. Once the entries to copy are too much to keep, they are nil, and the
    /// recording stays there.
    case unbound(RosterRecorder, path: String, Kept?)
    case account(LogName, ConnectionID)
    case closed
  }

  private let logs: AccountLogs
  private var destination = Destination.none
  /// The server of the stream, once it is known.
  private var server: StreamServer?
  /// The id of the session that the client asks to resume.
  private var resuming: String?
  /// The connection's own log after it was copied into the account's, until the copy is on disk.
  private var moved: (recorder: RosterRecorder, path: String)?

  init(_ logs: AccountLogs) { self.logs = logs }

  /// The account; nil until it is known.
  var account: BareJID? {
    switch destination {
    case .account(let log, _): log.account
    case .none, .unbound, .closed: nil
    }
  }

  /// The path of the account's log; nil until the account is known.
  var path: String? {
    switch destination {
    case .account(let log, _): logs.path(of: log)
    case .none, .unbound, .closed: nil
    }
  }

  /// The path of the connection's own log; nil if nothing was recorded, or the account is known.
  var unboundPath: String? {
    switch destination {
    case .unbound(_, let path, _): path
    case .none, .account, .closed: nil
    }
  }

  /// The number of bytes that are kept until the account is known.
  var heldBytes: Int {
    switch destination {
    case .unbound(_, _, let kept): kept?.bytes ?? 0
    case .none, .account, .closed: 0
    }
  }

  /// Records a part of one side's stream.
  ///
  /// - Returns: The steps that resulted.
  func take(
    _ part: StreamIntake.Part, _ direction: Direction, at time: Int64
  ) throws -> [SessionStep] {
    let steps = try take(.part(part, direction, time), at: time)
    if case .element(let element) = part { try trackResumption(element.node, direction, at: time) }
    return steps
  }

  /// Records an event of the connection's lifecycle.
  func note(_ lifecycle: Lifecycle, at time: Int64) throws -> [SessionStep] {
    if let server = StreamServer(lifecycle) { self.server = server }
    return try take(.note(lifecycle, time), at: time)
  }

  /// Waits until everything recorded is on disk.
  nonisolated(nonsending) func durable(at time: Int64) async throws {
    let before = moved?.path
    try await recorder(at: time)?.durable()
    // A log that was moved during the wait is removed the next time.
    if moved?.path == before { removeMoved() }
  }

  /// Removes the connection's own log, once the account's log has its records on disk.
  private func removeMoved() {
    guard let moved = moved.take() else { return }
    try? moved.recorder.close()
    logs.unbound.moved(moved.path)
  }

  /// Records the end. A recording whose account never became known stays where it is.
  func close(_ reason: String?, at time: Int64) throws {
    if case .closed = destination { return }
    if case .none = destination { return destination = .closed }
    _ = try note(.closed(reason: reason), at: time)
    switch destination {
    case .none, .closed: break
    case .unbound(let recorder, let path, _):
      defer { logs.unbound.ended(path) }
      try recorder.close()
    case .account(let log, let connection):
      if moved != nil {
        try logs.recorder(of: log, at: time).flush()
        removeMoved()
      }
      logs.end(connection, of: log)
    }
    destination = .closed
  }

  /// Stops recording, because that has failed.
  func giveUp() {
    let before = destination
    destination = .closed
    switch before {
    case .account(let log, let connection): logs.end(connection, of: log)
    case .unbound(_, let path, _): logs.unbound.ended(path)
    case .none, .closed: break
    }
    // It is not certain that the account's log has the moved records.
    if let moved = moved.take() { logs.unbound.ended(moved.path) }
  }

  // MARK: Destination

  private func recorder(at time: Int64) throws -> RosterRecorder? {
    switch destination {
    case .none, .closed: nil
    case .unbound(let recorder, _, _): recorder
    case .account(let log, _): try logs.recorder(of: log, at: time)
    }
  }

  private func take(_ entry: Entry, at time: Int64) throws -> [SessionStep] {
    switch destination {
    case .closed: return []
    case .none:
      let (path, recorder) = try logs.makeUnboundRecorder()
      var kept = Kept()
      destination = .unbound(recorder, path: path, kept.add(entry) ? kept : nil)
      return try recorder.take(entry, on: .first)
    case .unbound(let recorder, let path, var kept):
      // Clear the other reference first, so that adding an entry does not copy all of them.
      destination = .none
      if kept?.add(entry) == false { kept = nil }
      destination = .unbound(recorder, path: path, kept)
      let steps = try recorder.take(entry, on: .first)
      // A recording that is no longer kept for copying stays here, and opens no other log.
      guard kept != nil, let account = recorder.roster.account, let server,
        let log = try logs.log(of: account, with: server, at: time)
      else { return steps }
      return try move(to: log, at: time) ?? steps
    case .account(let log, let connection):
      return try logs.recorder(of: log, at: time).take(entry, on: connection)
    }
  }

  /// Copies the recording into the account's log.
  ///
  /// - Returns: The steps of the last entry; nil if the recording cannot be moved.
  private func move(to log: LogName, at time: Int64) throws -> [SessionStep]? {
    guard case .unbound(let own, let path, let kept?) = destination else { return nil }
    let connection = try logs.begin(log, at: time)
    destination = .account(log, connection)
    let recorder = try logs.recorder(of: log, at: time)
    // The steps of earlier entries were reported when they arrived.
    var steps: [SessionStep] = []
    for entry in kept.entries { steps = try recorder.take(entry, on: connection) }
    moved = (own, path)
    return steps
  }

  /// Tracks the ids of sessions: a resumed session does not name its account, so its id identifies
  /// it.
  private func trackResumption(_ node: XMPPElement, _ direction: Direction, at time: Int64) throws {
    switch direction {
    case .outbound: resuming = node.resumedSession ?? resuming
    case .inbound:
      guard let server else { return }
      if case .account(let log, _) = destination, let id = node.resumableSession {
        logs.remember(session: id, with: server, in: log)
      }
      guard node.resumes, let id = resuming, let log = logs.log(ofSession: id, with: server)
      else { return }
      _ = try move(to: log, at: time)
    }
  }
}

extension RosterRecorder {
  fileprivate func take(
    _ entry: ConnectionRecording.Entry, on connection: ConnectionID
  ) throws -> [SessionStep] {
    switch entry {
    case .part(let part, let direction, let time):
      try take(part, direction, at: time, on: connection)
    case .note(let lifecycle, let time): try note(lifecycle, at: time, on: connection)
    }
  }
}

// Stream management (XEP-0198), by itself or within SASL 2 (XEP-0388).
extension XMPPElement {
  /// The id of the session that a client asks to resume.
  fileprivate var resumedSession: String? {
    first { $0.name.local == "resume" && $0.isOfStreamManagement }?.attribute("previd")
  }

  /// The id by which the new session can be resumed.
  fileprivate var resumableSession: String? {
    first { $0.name.local == "enabled" && $0.isOfStreamManagement }?.attribute("id")
  }

  /// Whether a server confirms with it that a session was resumed.
  fileprivate var resumes: Bool {
    first { $0.name.local == "resumed" && $0.isOfStreamManagement } != nil
  }

  private var isOfStreamManagement: Bool {
    [Namespace.streamManagement, Namespace.streamManagement2].contains(name.namespace)
  }

  /// The first match among this element and, within SASL 2 and bind 2, its descendants.
  private func first(_ isWanted: (XMPPElement) -> Bool) -> XMPPElement? {
    if isWanted(self) { return self }
    guard [Namespace.sasl2, Namespace.bind2].contains(name.namespace) else { return nil }
    for child in children {
      if let found = child.first(isWanted) { return found }
    }
    return nil
  }
}
