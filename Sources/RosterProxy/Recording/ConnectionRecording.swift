import Captures
import Rollcall
import RosterCore
import XMPPStanza
import XMPPStream

/// What is recorded of one connection: by itself, until it is known whose it is, and then in the
/// log of its account.
///
/// Not thread-safe: its proxy keeps it on one thread.
final class ConnectionRecording {
  fileprivate enum Entry {
    case part(StreamIntake.Part, Direction, Int64)
    case note(Lifecycle, Int64)

    /// About how much memory it takes.
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

  /// What is recorded by itself, to become part of the account's log: a login needs little.
  private struct Kept {
    private(set) var entries: [Entry] = []
    private(set) var bytes = 0
    private static let mostBytes = 4 << 20

    /// - Returns: Whether it is not too much to be kept.
    mutating func add(_ entry: Entry) -> Bool {
      entries.append(entry)
      bytes += entry.size
      return bytes <= Self.mostBytes
    }
  }

  private enum Place {
    /// Nothing was recorded yet.
    case none
    /// Nothing is kept any more of a session of which nobody says whose it is: it stays where it
    /// is.
    case unbound(RosterRecorder, path: String, Kept?)
    case account(LogName, ConnectionID)
    case closed
  }

  private let logs: AccountLogs
  private var place = Place.none
  /// Whose server the stream is with, once that is known.
  private var server: StreamServer?
  /// The session that the client wants to go on with.
  private var resuming: String?
  /// What has become part of the account's log, until it is on the disk there.
  private var moved: (recorder: RosterRecorder, path: String)?

  init(_ logs: AccountLogs) { self.logs = logs }

  /// Whose it is; nil as long as that is not known.
  var account: BareJID? {
    switch place {
    case .account(let log, _): log.account
    case .none, .unbound, .closed: nil
    }
  }

  /// The path of the account's log, once it is known whose it is.
  var path: String? {
    switch place {
    case .account(let log, _): logs.path(of: log)
    case .none, .unbound, .closed: nil
    }
  }

  /// How many bytes are kept until it is known whose they are.
  var heldBytes: Int {
    switch place {
    case .unbound(_, _, let kept): kept?.bytes ?? 0
    case .none, .account, .closed: 0
    }
  }

  /// Records a part of what one side said.
  ///
  /// - Returns: What it did.
  func take(
    _ part: StreamIntake.Part, _ direction: Direction, at time: Int64
  ) throws -> [SessionStep] {
    let steps = try take(.part(part, direction, time), at: time)
    if case .element(let element) = part { try follow(element.node, direction, at: time) }
    return steps
  }

  /// Records what became of the connection.
  func note(_ lifecycle: Lifecycle, at time: Int64) throws -> [SessionStep] {
    if let server = StreamServer(lifecycle) { self.server = server }
    return try take(.note(lifecycle, time), at: time)
  }

  /// Waits until all that was handed over is on the disk.
  nonisolated(nonsending) func durable(at time: Int64) async throws {
    let before = moved?.path
    try await recorder(at: time)?.durable()
    // What was moved meanwhile is waited for the next time.
    if moved?.path == before { removeMoved() }
  }

  /// First there, then no longer here.
  private func removeMoved() {
    guard let moved = moved.take() else { return }
    try? moved.recorder.close()
    logs.unbound.moved(moved.path)
  }

  /// Records the end. What was recorded of a connection that nobody was let in on stays where it
  /// is.
  func close(_ reason: String?, at time: Int64) throws {
    if case .closed = place { return }
    if case .none = place { return place = .closed }
    _ = try note(.closed(reason: reason), at: time)
    switch place {
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
    place = .closed
  }

  /// Records nothing more, for that has failed.
  func giveUp() {
    let before = place
    place = .closed
    switch before {
    case .account(let log, let connection): logs.end(connection, of: log)
    case .unbound(_, let path, _): logs.unbound.ended(path)
    case .none, .closed: break
    }
    // It is not known whether the account's log has what was moved.
    if let moved = moved.take() { logs.unbound.ended(moved.path) }
  }

  // MARK: Where it goes

  private func recorder(at time: Int64) throws -> RosterRecorder? {
    switch place {
    case .none, .closed: nil
    case .unbound(let recorder, _, _): recorder
    case .account(let log, _): try logs.recorder(of: log, at: time)
    }
  }

  private func take(_ entry: Entry, at time: Int64) throws -> [SessionStep] {
    switch place {
    case .closed: return []
    case .none:
      let (path, recorder) = try logs.recorderOfUnbound()
      var kept = Kept()
      place = .unbound(recorder, path: path, kept.add(entry) ? kept : nil)
      return try recorder.take(entry, on: .first)
    case .unbound(let recorder, let path, var kept):
      // Only one of them has the entries, or each would copy them.
      place = .none
      if kept?.add(entry) == false { kept = nil }
      place = .unbound(recorder, path: path, kept)
      let steps = try recorder.take(entry, on: .first)
      // What is no longer kept stays here, and opens no other log.
      guard kept != nil, let account = recorder.roster.account, let server,
        let log = try logs.log(of: account, with: server, at: time)
      else { return steps }
      return try move(to: log, at: time) ?? steps
    case .account(let log, let connection):
      return try logs.recorder(of: log, at: time).take(entry, on: connection)
    }
  }

  /// What was recorded becomes part of the account's log.
  ///
  /// - Returns: What the last of it did; nil if it cannot be moved.
  private func move(to log: LogName, at time: Int64) throws -> [SessionStep]? {
    guard case .unbound(let own, let path, let kept?) = place else { return nil }
    let connection = try logs.begin(log, at: time)
    place = .account(log, connection)
    let recorder = try logs.recorder(of: log, at: time)
    // What came before was told as it came.
    var steps: [SessionStep] = []
    for entry in kept.entries { steps = try recorder.take(entry, on: connection) }
    moved = (own, path)
    return steps
  }

  /// A session that is gone on with names nobody: whose it is, its id says.
  private func follow(_ node: XMPPElement, _ direction: Direction, at time: Int64) throws {
    switch direction {
    case .outbound: resuming = node.resumedSession ?? resuming
    case .inbound:
      guard let server else { return }
      if case .account(let log, _) = place, let id = node.resumableSession {
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
  /// The id of the session that a client wants to go on with.
  fileprivate var resumedSession: String? {
    first { $0.name.local == "resume" && $0.isOfStreamManagement }?.attribute("previd")
  }

  /// The id by which the session that begins can be gone on with.
  fileprivate var resumableSession: String? {
    first { $0.name.local == "enabled" && $0.isOfStreamManagement }?.attribute("id")
  }

  /// Whether a server says by it that the session goes on.
  fileprivate var resumes: Bool {
    first { $0.name.local == "resumed" && $0.isOfStreamManagement } != nil
  }

  private var isOfStreamManagement: Bool {
    [Namespace.streamManagement, Namespace.streamManagement2].contains(name.namespace)
  }

  /// This element, or one within what sets a stream up.
  private func first(_ isWanted: (XMPPElement) -> Bool) -> XMPPElement? {
    if isWanted(self) { return self }
    guard [Namespace.sasl2, Namespace.bind2].contains(name.namespace) else { return nil }
    for child in children {
      if let found = child.first(isWanted) { return found }
    }
    return nil
  }
}
