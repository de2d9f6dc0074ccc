import Captures
import Foundation
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
    case account(BareJID, ConnectionID)
    case closed
  }

  private let logs: AccountLogs
  private var place = Place.none
  /// The session that the client wants to go on with.
  private var resuming: String?
  /// What has become part of the account's log, until it is on the disk there.
  private var moved: (recorder: RosterRecorder, path: String)?

  init(_ logs: AccountLogs) { self.logs = logs }

  /// Whose it is; nil as long as that is not known.
  var account: BareJID? {
    switch place {
    case .account(let account, _): account
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
    try take(.note(lifecycle, time), at: time)
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
    for file in [moved.path, "\(moved.path)-lock"] {
      try? FileManager.default.removeItem(atPath: file)
    }
  }

  /// Records the end. What was recorded of a connection that nobody was let in on stays where it
  /// is.
  func close(_ reason: String?, at time: Int64) throws {
    if case .closed = place { return }
    if case .none = place { return place = .closed }
    _ = try note(.closed(reason: reason), at: time)
    switch place {
    case .none, .closed: break
    case .unbound(let recorder, _, _): try recorder.close()
    case .account(let account, let connection):
      if moved != nil {
        try logs.recorder(of: account, at: time).flush()
        removeMoved()
      }
      logs.end(connection, of: account)
    }
    place = .closed
  }

  /// Records nothing more, for that has failed.
  func giveUp() {
    if case .account(let account, let connection) = place { logs.end(connection, of: account) }
    place = .closed
  }

  // MARK: Where it goes

  private func recorder(at time: Int64) throws -> RosterRecorder? {
    switch place {
    case .none, .closed: nil
    case .unbound(let recorder, _, _): recorder
    case .account(let account, _): try logs.recorder(of: account, at: time)
    }
  }

  private func take(_ entry: Entry, at time: Int64) throws -> [SessionStep] {
    switch place {
    case .closed: return []
    case .none:
      let path = try logs.unboundPath()
      let recorder = try logs.recorder(at: path)
      var kept = Kept()
      place = .unbound(recorder, path: path, kept.add(entry) ? kept : nil)
      return try recorder.take(entry, on: .first)
    case .unbound(let recorder, let path, var kept):
      // Only one of them has the entries, or each would copy them.
      place = .none
      if kept?.add(entry) == false { kept = nil }
      place = .unbound(recorder, path: path, kept)
      let steps = try recorder.take(entry, on: .first)
      guard let account = recorder.roster.account else { return steps }
      return try move(to: account, at: time)
    case .account(let account, let connection):
      return try logs.recorder(of: account, at: time).take(entry, on: connection)
    }
  }

  /// What was recorded becomes part of the account's log.
  private func move(to account: BareJID, at time: Int64) throws -> [SessionStep] {
    guard case .unbound(let own, let path, let kept?) = place else { return [] }
    let connection = try logs.begin(account, at: time)
    place = .account(account, connection)
    let recorder = try logs.recorder(of: account, at: time)
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
      if let account, let id = node.resumableSession { logs.remember(session: id, of: account) }
      guard node.resumes, let id = resuming, let account = logs.account(ofSession: id) else {
        return
      }
      _ = try move(to: account, at: time)
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
