import Captures
import EventStore
import Foundation
// What the roster is made of.
@_exported public import RosterCore
@_exported public import XMPPStanza
import XMPPStream

/// A roster that is derived from the bytes an application sends and receives, and recorded as it
/// is.
///
/// Hand it the bytes of the stream in each direction, in order, cut anywhere. It takes credentials
/// out, hands each part to the log where there is one, and gives what each part changed; and it
/// decides what to send for a command, and matches the answers. It knows no clock and opens no
/// socket.
///
/// Recording does not wait for the disk: `durable()` does, for who has to know. What comes in a
/// burst shares a commit.
///
/// Not thread-safe: keep it where the stream is handled. `updates` can be read anywhere.
public final class RosterSession {
  /// The roster as it is now.
  public var roster: Roster { recorder.roster }

  /// What is sent for commands.
  public var decider = RosterDecider(wantsMutualFriends: true)

  private let recorder: RosterRecorder
  private var streams: [Direction: StreamIntake]
  private var ledger: CommandLedger
  private var pushes = Acknowledgements()
  /// Whether the stream that is handed over here has a session: who logs in is done with it.
  private var hasSession = false

  /// A session that is kept in memory only.
  ///
  /// - Parameters:
  ///   - limits: What is too much of anything in the stream.
  ///   - idPrefix: What the ids of the requests begin with that commands become: nobody else may
  ///     use such ids in the stream.
  public convenience init(
    limits: SessionLimits = SessionLimits(), idPrefix: String = RosterSession.anyIDPrefix()
  ) {
    self.init(RosterRecorder(), limits, idPrefix)
  }

  /// A session that is recorded to a log, made where there is none and gone on with where there
  /// is one. Where the log's last session was not closed, as after a crash, it is over: nobody is
  /// online, and a record that says so goes into the log before the first one.
  ///
  /// - Parameters:
  ///   - path: The log's file, by custom named `*.rollcall`; LMDB keeps its lock file beside it,
  ///     and the session its lease, which keeps other recorders away until it is closed. No other
  ///     program may write over the log or cut it while the session has it open: that can end this
  ///     process by a signal.
  ///   - limits: What is too much of anything in the stream.
  ///   - idPrefix: What the ids of the requests begin with that commands become.
  /// - Throws: `RollcallError` where the log cannot be opened or read, where a
  ///   `Timeline(ofLogAt:)` of this process has it open for reading, or the system gives no thread
  ///   to write it with; with the reason `inUse` while another session, of this process or another,
  ///   records to it.
  ///
  /// Complexity: linear in the events after the log's last snapshot.
  public convenience init(
    recordingTo path: String, limits: SessionLimits = SessionLimits(),
    idPrefix: String = RosterSession.anyIDPrefix()
  ) throws(RollcallError) {
    self.init(try RosterRecorder(recordingTo: path), limits, idPrefix)
  }

  private init(_ recorder: RosterRecorder, _ limits: SessionLimits, _ idPrefix: String) {
    self.recorder = recorder
    streams = [
      .inbound: StreamIntake(limits), .outbound: StreamIntake(limits),
    ]
    ledger = CommandLedger(prefix: idPrefix)
  }

  /// A prefix for ids that nobody else uses.
  public static func anyIDPrefix() -> String { "rollcall-\(UUID().uuidString.prefix(8))-" }

  // MARK: The stream

  /// Takes bytes that came from the server. What it sends after the end of its stream is recorded
  /// and does not count, until another stream begins (RFC 6120 §4.4).
  ///
  /// - Parameters:
  ///   - bytes: Any piece of the stream, cut anywhere: headers, white space, several elements, part
  ///     of one, the end of the stream. Where somebody else keeps the stream's header to itself,
  ///     elements alone will do.
  ///   - time: Milliseconds since 1970 UTC; nil where it is not known.
  /// - Returns: What happened with each part that is complete by these bytes, in order.
  /// - Throws: `RollcallError` where very much waits to be written and the log cannot be written;
  ///   these bytes are not taken then.
  ///
  /// Complexity: linear in the bytes; one step is O(log n) for n contacts, but linear in them for a
  /// roster result and where a session begins or ends.
  @discardableResult
  public func received(
    _ bytes: some Sequence<UInt8>, at time: Int64?
  ) throws(RollcallError) -> [SessionStep] {
    try take(Array(bytes), .inbound, time)
  }

  /// Takes bytes that go to the server; otherwise as `received`.
  @discardableResult
  public func sent(
    _ bytes: some Sequence<UInt8>, at time: Int64?
  ) throws(RollcallError) -> [SessionStep] {
    try take(Array(bytes), .outbound, time)
  }

  /// Says that the server bound a resource: a new session has begun.
  ///
  /// Not needed where the bind result itself is handed over.
  @discardableResult
  public func opened(as jid: JID, at time: Int64?) throws(RollcallError) -> [SessionStep] {
    try take(.opened(jid), time)
  }

  /// Says that the session goes on over a new stream (XEP-0198).
  ///
  /// Not needed where the server's `resumed` itself is handed over.
  @discardableResult
  public func resumed(at time: Int64?) throws(RollcallError) -> [SessionStep] {
    try take(.resumed(nil), time)
  }

  /// Says that the connection is gone. What is left of elements that did not come to their end is
  /// recorded as what could not be read.
  @discardableResult
  public func closed(at time: Int64?) throws(RollcallError) -> [SessionStep] {
    try take(.closed(reason: nil), time)
  }

  // MARK: What to send

  /// Decides what to send for a command; nothing changes until the server says so.
  ///
  /// Write the elements' bytes into the stream in their order, and hand them to `sent`. A later
  /// step names the answer. Of more than 1024 commands that are not answered the oldest is given
  /// up.
  ///
  /// A command that replaces an item (see `RosterCommand`) is refused until the server has answered
  /// this session's roster get, which may be the one of `fetch`: by a roster, or by *unchanged* for
  /// a version that the log holds. A resumed session still knows its roster, a new one does not.
  ///
  /// - Throws: `CommandRefusal` where the command makes no sense in this state.
  ///
  /// Complexity: linear in the contacts for groups, O(log n) otherwise.
  public func decide(_ command: RosterCommand) throws(CommandRefusal) -> DecidedCommand {
    try ledger.decide(command, by: decider, on: roster)
  }

  /// The answers to the server's pushes that are still to be sent (RFC 6121 §2.1.6). Those that are
  /// handed to `sent`, or answered by an error there, are taken off it. Of more than 1024 the
  /// oldest is given up.
  public var acknowledgements: [OutgoingElement] { pushes.waiting.map { OutgoingElement($0) } }

  /// The commands that nobody has answered within a minute; they are given up. Only the caller is
  /// told: `updates` has what comes of records.
  ///
  /// - Parameter time: Milliseconds since 1970 UTC, by the clock of `sent`. The minute of what was
  ///   sent at a time that is not known begins with the first call.
  public func timeouts(at time: Int64) -> [CommandAnswer] { ledger.overdue(at: time) }

  // MARK: Watching

  /// What happens from now on, for one watcher: first the roster as it is. The sequence ends with
  /// the session; that of a session that is closed ends after the roster.
  ///
  /// - Parameter limit: How many steps may wait for a watcher that is slow, at least 1.
  public func updates(limit: Int = 256) -> RosterUpdates {
    recorder.hub.watch(from: roster, limit: limit)
  }

  // MARK: The disk

  /// Waits until everything that was handed over before is on the disk.
  ///
  /// The longest wait is that for the disk. A cancelled task ends it; what was handed over is
  /// written all the same.
  ///
  /// - Throws: `RollcallError` if it cannot be written, or with the reason `cancelled`. Nothing is
  ///   lost by that: it is tried again with what is handed over next, and when this is called
  ///   again.
  nonisolated(nonsending) public func durable() async throws(RollcallError) {
    try await recorder.durable()
  }

  /// The same, where this thread may be held up.
  public func flush() throws(RollcallError) {
    try recorder.flush()
  }

  /// Writes what was handed over, closes the log, and ends `updates` and `screens`. Nothing more
  /// can be handed over. A session that goes away without it does the same, and tells nobody where
  /// that fails.
  ///
  /// The log's file is let go of, but by a `timeline()` that is still in use.
  public func close() throws(RollcallError) {
    try recorder.close()
  }

  /// What the log holds from its beginning: states of any moment, what happened to a contact, why.
  /// Nil for a session in memory.
  ///
  /// What was handed over before is in it. It can be used on any thread.
  ///
  /// - Throws: `RollcallError` where what was handed over cannot be written, and where the session
  ///   is closed.
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

  /// Takes what is of no stream.
  func take(
    _ content: CapturedRecord.Content, _ time: Int64?
  ) throws(RollcallError) -> [SessionStep] {
    try recorder.prepare(time) + [record(content, .annotation, time)]
  }

  func take(
    _ lifecycle: Lifecycle, _ time: Int64?
  ) throws(RollcallError) -> [SessionStep] {
    var steps = try recorder.prepare(time)
    // While the connection is there, the rest of an element may still come.
    if case .closed = lifecycle {
      for direction in [Direction.inbound, .outbound] {
        guard let rest = streams[direction]?.finish() else { continue }
        steps.append(try record(rest, direction, time))
      }
    }
    return steps + [try record(.lifecycle(lifecycle), .session, time)]
  }

  /// Takes a part that somebody else has taken out of the bytes.
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

  /// What an element means to the commands and pushes that wait for something.
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
      guard roster.isOwnServer(iq.head.from) else { return [] }
      return ledger.received(iq).map { [$0] } ?? []
    }
  }

  /// Goes by what just happened, as the reducer took it, and gives the answers that it means.
  private func follow(_ event: SessionEvent?, at stamp: RecordStamp) -> [CommandAnswer] {
    switch event {
    case .negotiated, .ended, .closed: hasSession = false
    case .opened:
      // Anybody can send what looks like the beginning of one: what counts is that one began.
      guard roster.hasSession(openedAt: stamp.record) else { return [] }
      hasSession = true
      pushes.sessionBegan()
      // It took the commands before it with it.
      return ledger.sessionEnded()
    case .resumed: hasSession = roster.connections.contains { $0.id == .first && $0.isOpen }
    case .captureBegan, .serverIdentified, .featuresOffered, .authenticated, .resumable, nil: break
    }
    return []
  }
}
