import Captures
import EventStore
import Foundation
// The roster's types are part of this API.
@_exported public import RosterCore
@_exported public import XMPPStanza
import XMPPStream

/// A roster that is derived from the bytes an application sends and receives, and recorded at the
/// same time.
///
/// Pass it the bytes of the stream in each direction, in order, in chunks of any size. It removes
/// credentials, records each part in the log if there is one, and returns what each part changed.
/// It also decides what to send for a command, and matches the answers. It has no clock and opens
/// no socket.
///
/// Recording does not wait for the disk. To wait until the records are durable, call `durable()`.
/// Records that arrive in a burst share a commit.
///
/// Not thread-safe: use it where the stream is handled. `updates` can be read anywhere.
public final class RosterSession {
  /// The current roster.
  public var roster: Roster { recorder.roster }

  /// Decides what is sent for commands.
  public var decider = RosterDecider(wantsMutualFriends: true)

  private let recorder: RosterRecorder
  private var streams: [Direction: StreamIntake]
  private var ledger: CommandLedger
  private var pushes = Acknowledgements()
  /// Whether the stream has a session, so that login is complete.
  private var hasSession = false

  /// A session that is kept in memory only.
  ///
  /// - Parameters:
  ///   - limits: The limits on what is accepted from the stream.
  ///   - idPrefix: The beginning of the ids of all requests that commands become. Nothing else in
  ///     the stream may use such ids.
  public convenience init(
    limits: SessionLimits = SessionLimits(), idPrefix: String = RosterSession.anyIDPrefix()
  ) {
    self.init(RosterRecorder(), limits, idPrefix)
  }

  /// A session that is recorded to a log, which is created or continued. If the log's last session
  /// was not closed, for example after a crash, it is over: no contact is online, and a record that
  /// says so precedes the first new one.
  ///
  /// - Parameters:
  ///   - path: The log's file, by convention named `*.rollcall`. LMDB keeps its lock file next to
  ///     it, and the session its lease, which keeps other recorders away until the session is
  ///     closed. While the session has the log open, no other program may overwrite or truncate it,
  ///     because that can end this process by a signal.
  ///   - policy: What of the stream is kept.
  ///   - limits: The limits on what is accepted from the stream.
  ///   - idPrefix: The beginning of the ids of all requests that commands become.
  /// - Throws: `RollcallError` if the log cannot be opened or read, if a `Timeline(ofLogAt:)` of
  ///   this process has it open for reading, or if the system provides no thread to write it; with
  ///   the reason `inUse` while another session, of this process or another, records to it.
  ///
  /// Complexity: linear in the events after the log's last snapshot.
  public convenience init(
    recordingTo path: String, keeping policy: RecordingPolicy = .everything,
    limits: SessionLimits = SessionLimits(), idPrefix: String = RosterSession.anyIDPrefix()
  ) throws(RollcallError) {
    self.init(try RosterRecorder(recordingTo: path, keeping: policy), limits, idPrefix)
  }

  private init(_ recorder: RosterRecorder, _ limits: SessionLimits, _ idPrefix: String) {
    self.recorder = recorder
    streams = [
      .inbound: StreamIntake(limits), .outbound: StreamIntake(limits),
    ]
    ledger = CommandLedger(prefix: idPrefix)
  }

  /// A unique prefix for ids.
  public static func anyIDPrefix() -> String { "rollcall-\(UUID().uuidString.prefix(8))-" }

  // MARK: The stream

  /// Takes bytes that came from the server. What the server sends after the end of its stream is
  /// recorded but ignored until another stream begins (RFC 6120 §4.4).
  ///
  /// - Parameters:
  ///   - bytes: Any chunk of the stream: headers, white space, several elements, part of an
  ///     element, the end of the stream. If the application never sees the stream's header,
  ///     elements alone are enough.
  ///   - time: Milliseconds since 1970 UTC; nil if not known.
  /// - Returns: A step for each part that these bytes complete, in order.
  /// - Throws: `RollcallError` if too much waits to be written and the log cannot be written. These
  ///   bytes are then not taken.
  ///
  /// Complexity: linear in the bytes. One step is O(log n) for n contacts, but linear in them for a
  /// roster result and at the beginning or end of a session.
  @discardableResult
  public func received(
    _ bytes: some Sequence<UInt8>, at time: Int64?
  ) throws(RollcallError) -> [SessionStep] {
    try take(Array(bytes), .inbound, time)
  }

  /// Takes bytes that go to the server; otherwise like `received`.
  @discardableResult
  public func sent(
    _ bytes: some Sequence<UInt8>, at time: Int64?
  ) throws(RollcallError) -> [SessionStep] {
    try take(Array(bytes), .outbound, time)
  }

  /// Notes that the server bound a resource, which begins a new session.
  ///
  /// Not needed if the bind result itself is passed to `received`.
  @discardableResult
  public func opened(as jid: JID, at time: Int64?) throws(RollcallError) -> [SessionStep] {
    try take(.opened(jid), time)
  }

  /// Notes that the session continues on a new stream (XEP-0198).
  ///
  /// Not needed if the server's `resumed` itself is passed to `received`.
  @discardableResult
  public func resumed(at time: Int64?) throws(RollcallError) -> [SessionStep] {
    try take(.resumed(nil), time)
  }

  /// Notes that the connection is lost. The rest of an incomplete element is recorded as unreadable
  /// bytes.
  @discardableResult
  public func closed(at time: Int64?) throws(RollcallError) -> [SessionStep] {
    try take(.closed(reason: nil), time)
  }

  // MARK: What to send

  /// Decides what to send for a command. Nothing changes until the server confirms it.
  ///
  /// Write the elements' bytes to the stream in their order, and pass them to `sent`. A later step
  /// contains the answer. Of more than 1024 unanswered commands, the oldest is dropped.
  ///
  /// A command that replaces an item (see `RosterCommand`) is refused until the server has answered
  /// this session's roster get, which may be the one of `fetch`, with a roster or with *unchanged*
  /// for a version that the log contains. A resumed session still knows its roster; a new one does
  /// not.
  ///
  /// - Throws: `CommandRefusal` if the command makes no sense in this state.
  ///
  /// Complexity: linear in the contacts for groups, O(log n) otherwise.
  public func decide(_ command: RosterCommand) throws(CommandRefusal) -> DecidedCommand {
    try ledger.decide(command, by: decider, on: roster)
  }

  /// The answers to the server's pushes that have yet to be sent (RFC 6121 §2.1.6). An answer is
  /// removed when it, or an error in its place, is passed to `sent`. Of more than 1024 the oldest
  /// is dropped.
  public var acknowledgements: [OutgoingElement] { pushes.waiting.map { OutgoingElement($0) } }

  /// Drops and returns the commands that were not answered within a minute. Only the caller learns
  /// about them, because `updates` contains only the effects of records.
  ///
  /// - Parameter time: Milliseconds since 1970 UTC, by the clock of `sent`. For what was sent at an
  ///   unknown time, the minute begins with the first call.
  public func timeouts(at time: Int64) -> [CommandAnswer] { ledger.overdue(at: time) }

  // MARK: Watching

  /// The updates from now on, for one observer, beginning with the current roster. The sequence
  /// ends with the session; if the session is already closed, it ends after the roster.
  ///
  /// - Parameter limit: The number of steps that may wait for a slow observer, at least 1.
  public func updates(limit: Int = 256) -> RosterUpdates {
    recorder.hub.watch(from: roster, limit: limit)
  }

  // MARK: The disk

  /// Waits until everything passed so far is on the disk.
  ///
  /// The longest wait is that for the disk. Cancelling the task ends the wait, but the data is
  /// still written.
  ///
  /// - Throws: `RollcallError` if it cannot be written, or with the reason `cancelled`. Nothing is
  ///   lost in either case: writing is tried again with the next data and when this is called
  ///   again.
  nonisolated(nonsending) public func durable() async throws(RollcallError) {
    try await recorder.durable()
  }

  /// Waits like `durable()`, but blocks this thread.
  public func flush() throws(RollcallError) {
    try recorder.flush()
  }

  /// Writes everything passed so far, closes the log, and ends `updates` and `screens`. Nothing
  /// more can be passed after that. A session that is released without this call does the same, but
  /// cannot report a failure.
  ///
  /// Closes the log's file, unless a `timeline()` is still in use.
  public func close() throws(RollcallError) {
    try recorder.close()
  }

  /// The contents of the log from its beginning: the state at any moment, what happened to a
  /// contact, and why. Nil for a session in memory.
  ///
  /// Includes everything passed so far. Can be used on any thread.
  ///
  /// - Throws: `RollcallError` if what was passed cannot be written, or if the session is closed.
  public func timeline() throws(RollcallError) -> Timeline? {
    try recorder.timeline()
  }

  // MARK: One part after the other

  private func take(
    _ bytes: [UInt8], _ direction: Direction, _ time: Int64?
  ) throws(RollcallError) -> [SessionStep] {
    var steps = try recorder.catchUp()
    let parts = streams[direction]?.take(bytes) ?? []
    if !parts.isEmpty { steps += try recorder.closeLast(time) }
    for part in parts { steps.append(try record(part, direction, time)) }
    return steps
  }

  /// Records what does not belong to a stream.
  func take(
    _ content: CapturedRecord.Content, _ time: Int64?
  ) throws(RollcallError) -> [SessionStep] {
    try recorder.prepare(time) + [record(content, .annotation, time)]
  }

  func take(
    _ lifecycle: Lifecycle, _ time: Int64?
  ) throws(RollcallError) -> [SessionStep] {
    var steps = try recorder.prepare(time)
    // As long as the connection exists, the rest of an element may still arrive.
    if case .closed = lifecycle {
      for direction in [Direction.inbound, .outbound] {
        guard let rest = streams[direction]?.finish() else { continue }
        steps.append(try record(rest, direction, time))
      }
    }
    return steps + [try record(.lifecycle(lifecycle), .session, time)]
  }

  /// Records a part that the caller has already extracted from the bytes.
  func take(
    _ part: StreamIntake.Part, _ direction: Direction, _ time: Int64?
  ) throws(RollcallError) -> [SessionStep] {
    try recorder.prepare(time) + [record(part, direction, time)]
  }

  private func record(
    _ part: StreamIntake.Part, _ direction: Direction, _ time: Int64?
  ) throws(RollcallError) -> SessionStep {
    var answers: [CommandAnswer] = []
    if case .element(let element) = part {
      answers = self.answers(to: element.node, direction, time)
    }
    return try recorder.record(
      part, direction, time, on: .first, isAuthenticated: hasSession
    ) { event, stamp in answers + follow(event, at: stamp) }
  }

  private func record(
    _ content: CapturedRecord.Content, _ part: SessionStep.Part, _ time: Int64?
  ) throws(RollcallError) -> SessionStep {
    try recorder.record(content, part, time, on: .first) { follow($0, at: $1) }
  }

  /// The answers to waiting commands and pushes that an element implies.
  private func answers(
    to node: XMPPElement, _ direction: Direction, _ time: Int64?
  ) -> [CommandAnswer] {
    guard let iq = IQ(node) else { return [] }
    switch direction {
    case .outbound:
      ledger.sent(iq, at: time)
      pushes.sent(iq, on: roster)
      return []
    case .inbound:
      guard !roster.hasEnded(.inbound, on: .first) else { return [] }
      if !roster.hasEnded(.outbound, on: .first) { pushes.received(iq, on: roster) }
      guard roster.isOwnServer(iq.from) else { return [] }
      return ledger.received(iq).map { [$0] } ?? []
    }
  }

  /// Follows an event after the reducer has processed it, and returns the answers that it implies.
  private func follow(_ event: SessionEvent?, at stamp: RecordStamp) -> [CommandAnswer] {
    switch event {
    case .negotiated, .ended, .streamFailed, .closed: hasSession = false
    case .opened:
      // Any peer can send what looks like the beginning of a session, so check that one really
      // began.
      guard roster.hasSession(openedAt: stamp.record) else { return [] }
      hasSession = true
      pushes.sessionBegan()
      // The commands of the previous session ended with it.
      return ledger.sessionEnded()
    case .resumed: hasSession = roster.connections.contains { $0.id == .first && $0.isOpen }
    case .captureBegan, .serverIdentified, .featuresOffered, .authenticated, .loginFailed,
      .resumable, nil:
      break
    }
    return []
  }
}
