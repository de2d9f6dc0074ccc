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
  public private(set) var roster = Roster()

  /// What is sent for commands.
  public var decider = RosterDecider(wantsMutualFriends: true)

  /// Nil in memory, and once the session is closed.
  private var recording: Recording?
  private var isClosed = false
  private let hub = UpdateHub()
  private var streams: [Direction: StreamIntake]
  private var addresses = AddressMemo()
  private var credentials = Credentials()
  private var ledger: CommandLedger
  private var pushes = Acknowledgements()
  private var isAccountKnown = false
  /// Whether the stream that is handed over here has a session: who logs in is done with it.
  private var hasSession = false
  /// Whether nothing was recorded by this session yet.
  private var isFresh = true
  /// What the log says, where the one that recorded to it before has ended without a word: nobody
  /// is online in `roster`, and the record that says so goes before the first one.
  private var unclosed: Roster?
  /// The newest time in the log, before which no record's time is.
  private var clock: Int64?

  /// A session that is kept in memory only.
  ///
  /// - Parameters:
  ///   - limits: What is too much of anything in the stream.
  ///   - idPrefix: What the ids of the requests begin with that commands become: nobody else may
  ///     use such ids in the stream.
  public convenience init(
    limits: SessionLimits = SessionLimits(), idPrefix: String = RosterSession.anyIDPrefix()
  ) {
    self.init(nil, limits, idPrefix)
  }

  /// A session that is recorded to a log, made where there is none and gone on with where there
  /// is one. Where the log's last session was not closed, as after a crash, it is over: nobody is
  /// online, and a record that says so goes into the log before the first one.
  ///
  /// - Parameters:
  ///   - path: The log's file, by custom named `*.rollcall`; LMDB keeps its lock file beside it. No
  ///     other program may write over it or cut it while the session has it open: that can end this
  ///     process by a signal.
  ///   - limits: What is too much of anything in the stream.
  ///   - idPrefix: What the ids of the requests begin with that commands become.
  /// - Throws: `RollcallError` where the log cannot be opened or read, where a
  ///   `Timeline(ofLogAt:)` of this process has it open for reading, or the system gives no thread
  ///   to write it with.
  ///
  /// Complexity: linear in the events after the log's last snapshot.
  public convenience init(
    recordingTo path: String, limits: SessionLimits = SessionLimits(),
    idPrefix: String = RosterSession.anyIDPrefix()
  ) throws(RollcallError) {
    let recording: Recording
    let state: Timeline.State
    do {
      recording = try Recording(path)
      state = try recording.state()
    } catch {
      throw RollcallError(error)
    }
    self.init(recording, limits, idPrefix)
    goOn(from: state)
  }

  private init(_ recording: Recording?, _ limits: SessionLimits, _ idPrefix: String) {
    self.recording = recording
    streams = [
      .inbound: StreamIntake(limits), .outbound: StreamIntake(limits),
    ]
    ledger = CommandLedger(prefix: idPrefix)
  }

  /// A prefix for ids that nobody else uses.
  public static func anyIDPrefix() -> String { "rollcall-\(UUID().uuidString.prefix(8))-" }

  // MARK: The stream

  /// Takes bytes that came from the server.
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

  /// What happens from now on, for one watcher: first the roster as it is.
  ///
  /// - Parameter limit: How many steps may wait for a watcher that is slow, at least 1.
  public func updates(limit: Int = 256) -> RosterUpdates {
    hub.watch(from: roster, limit: limit)
  }

  // MARK: The disk

  /// Waits until everything that was handed over before is on the disk.
  ///
  /// - Throws: `RollcallError` where it cannot be written. Nothing is lost by that: it is tried
  ///   again with what is handed over next, and when this is called again.
  nonisolated(nonsending) public func durable() async throws(RollcallError) {
    guard let recording else { return }
    do {
      try await recording.writer.durable()
    } catch {
      throw RollcallError(error)
    }
  }

  /// The same, where this thread may be held up.
  public func flush() throws(RollcallError) {
    try writing { try $0.writer.flush() }
  }

  /// Writes what was handed over, closes the log, and ends `updates` and `screens`. Nothing more
  /// can be handed over. A session that goes away without it does the same, and tells nobody where
  /// that fails.
  ///
  /// The log's file is let go of, but by a `timeline()` that is still in use.
  public func close() throws(RollcallError) {
    isClosed = true
    hub.close()
    defer { recording = nil }
    try writing { try $0.writer.close() }
  }

  /// What the log holds from its beginning: states of any moment, what happened to a contact, why.
  /// Nil for a session in memory.
  ///
  /// What was handed over before is in it. It can be used on any thread.
  ///
  /// - Throws: `RollcallError` where what was handed over cannot be written, and where the session
  ///   is closed.
  public func timeline() throws(RollcallError) -> Timeline? {
    guard !isClosed else { throw Self.closedError }
    try flush()
    return recording.map { Timeline($0.log) }
  }

  private func writing(_ body: (Recording) throws -> Void) throws(RollcallError) {
    guard let recording else { return }
    do {
      try body(recording)
    } catch {
      throw RollcallError(error)
    }
  }

  // MARK: One part after the other

  private func take(
    _ bytes: [UInt8], _ direction: Direction, _ time: Int64?
  ) throws(RollcallError) -> [SessionStep] {
    var steps = try catchUp()
    let parts = streams[direction]?.take(bytes) ?? []
    if !parts.isEmpty { steps += try closeLast(time) }
    for part in parts { steps.append(try record(part, direction, time)) }
    return steps
  }

  /// Takes what is of no stream.
  func take(
    _ content: CapturedRecord.Content, _ time: Int64?
  ) throws(RollcallError) -> [SessionStep] {
    try catchUp() + closeLast(time) + [record(content, .annotation, time)]
  }

  func take(
    _ lifecycle: Lifecycle, _ time: Int64?
  ) throws(RollcallError) -> [SessionStep] {
    var steps = try catchUp() + closeLast(time)
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
    try catchUp() + closeLast(time) + [record(part, direction, time)]
  }

  private func record(
    _ part: StreamIntake.Part, _ direction: Direction, _ time: Int64?
  ) throws(RollcallError) -> SessionStep {
    switch part {
    case .header(let tag):
      return try record(.streamHeader(direction, tag.node, bytes: tag.bytes), .header, time)
    case .end: return try record(.streamEnd(direction), .end, time)
    case .unreadable(let bytes, let reason):
      let unreadable = UnreadableBytes(
        bytes, direction, reason: reason, isAuthenticated: hasSession)
      return try record(.unreadable(unreadable), .unreadable(reason: reason), time)
    case .element(let element):
      let answers = answers(to: element.node, direction, time)
      let content = CapturedRecord.Content.element(
        direction, element.node, bytes: element.bytes)
      return try record(content, nil, time, answers)
    }
  }

  /// What an element means to the commands and pushes that wait for something.
  private func answers(
    to node: XMPPElement, _ direction: Direction, _ time: Int64?
  ) -> [CommandAnswer] {
    switch direction {
    case .outbound:
      ledger.sent(node, at: time)
      pushes.sent(node, on: roster)
      return []
    case .inbound:
      pushes.received(node, on: roster)
      guard case .iq(let iq)? = try? Stanza(node), roster.isOwnServer(iq.head.from) else {
        return []
      }
      return ledger.received(node).map { [$0] } ?? []
    }
  }

  private func record(
    _ content: CapturedRecord.Content, _ part: SessionStep.Part?, _ time: Int64?,
    _ answers: [CommandAnswer] = [], on connection: ConnectionID = .first
  ) throws(RollcallError) -> SessionStep {
    let content = credentials.removed(from: content) ?? content
    let decoded = DecodedRecord(content, &addresses)
    let (direction, kind, bytes) = content.stored
    guard bytes.count <= RecordDraft.byteLimit else { return try tooLong(bytes, content, time) }
    let draft = RecordDraft(
      time: time, direction: direction, kind: kind, connection: connection.number, bytes: bytes,
      decoded: decoded)
    try writing { try $0.writer.put(draft, as: roster.position + 1) }
    isFresh = false
    let stamp = self.stamp(time)
    let outcome = reduce(decoded.event, at: stamp, on: connection)
    follow(decoded.event, at: stamp)
    try writing { recording in
      if !isAccountKnown, let account = roster.account {
        isAccountKnown = true
        try recording.writer.put(account: account)
      }
      try recording.keepSnapshot(of: roster, appended: bytes.count)
    }
    let step = SessionStep(
      part: part ?? .element(content), stamp: stamp, outcome: outcome,
      answers: answers + sessionAnswers(to: decoded.event, at: stamp))
    if step.tells { hub.tell(.step(step, roster)) }
    return step
  }

  /// What was taken in can be longer when it is written without its credentials.
  private func tooLong(
    _ bytes: [UInt8], _ content: CapturedRecord.Content, _ time: Int64?
  ) throws(RollcallError) -> SessionStep {
    let reason = "the element is too long for a record"
    guard case .element(let direction, _, _) = content else { throw RollcallError(.log, reason) }
    let unreadable = UnreadableBytes(bytes, direction, reason: reason, isAuthenticated: false)
    return try record(.unreadable(unreadable), .unreadable(reason: reason), time)
  }

  private func reduce(
    _ event: RosterEvent?, at stamp: RecordStamp, on connection: ConnectionID
  ) -> RosterOutcome {
    guard let event else {
      roster.move(to: stamp.record)
      return RosterOutcome()
    }
    return RosterReducer.reduce(&roster, event, at: stamp, on: connection)
  }

  /// Whether this stream has a session by what just happened, as the reducer took it.
  private func follow(_ event: RosterEvent?, at stamp: RecordStamp) {
    guard case .session(let event)? = event else { return }
    switch event {
    case .negotiated, .closed: hasSession = false
    case .opened: hasSession = hasSession || roster.hasSession(openedAt: stamp.record)
    case .resumed: hasSession = roster.connections.contains { $0.id == .first && $0.isOpen }
    case .captureBegan, .featuresOffered, .authenticated, .resumable: break
    }
  }

  /// The answers of commands that a session took with it. Anybody can send what looks like the
  /// beginning of one: what counts is that one began.
  private func sessionAnswers(to event: RosterEvent?, at stamp: RecordStamp) -> [CommandAnswer] {
    guard case .session(.opened)? = event, roster.hasSession(openedAt: stamp.record) else {
      return []
    }
    pushes.sessionBegan()
    return ledger.sessionEnded()
  }

  /// The number of the next record, and the time that the log gives it: its clock never runs
  /// backwards, and the roster goes by it.
  private func stamp(_ time: Int64?) -> RecordStamp {
    let number = roster.position + 1
    guard let time else { return RecordStamp(record: number) }
    let now = max(time, clock ?? time)
    clock = now
    return RecordStamp(record: number, time: now)
  }

  // MARK: What else is in the log

  private static let closedError = RollcallError(.closed, "the session is closed")

  /// What somebody else has added to the log is part of the history.
  ///
  /// - Returns: A step for it where there is some.
  /// - Throws: Also where nothing more can be taken.
  private func catchUp() throws(RollcallError) -> [SessionStep] {
    guard !isClosed else { throw Self.closedError }
    var steps: [SessionStep] = []
    try writing { recording in
      try recording.writer.makeRoom()
      guard let (state, outcome) = try recording.catchUp(from: unclosed ?? roster) else { return }
      goOn(from: state)
      hub.tell(.snapshot(roster, missed: 0))
      let stamp = RecordStamp(record: state.roster.position, time: state.time)
      steps = [SessionStep(part: .others, stamp: stamp, outcome: outcome, answers: [])]
    }
    return steps
  }

  /// Takes what the log says. A session in it that was open before this one has recorded anything
  /// is not this one's, and over.
  private func goOn(from state: Timeline.State) {
    (roster, clock) = (state.roster, state.time)
    unclosed = isFresh && state.roster.isConnected ? state.roster : nil
    for connection in unclosed?.openConnections ?? [] {
      _ = RosterReducer.reduce(
        &roster, .session(.closed(isLost: true)),
        at: RecordStamp(record: roster.position, time: clock), on: connection)
    }
  }

  /// What is recorded of a session that nobody has closed.
  static let isOver = Lifecycle.closed(reason: "the recorder ended without a word")

  /// Records that the sessions are over which nobody has closed.
  private func closeLast(_ time: Int64?) throws(RollcallError) -> [SessionStep] {
    guard let before = unclosed.take() else { return [] }
    roster = before
    var steps: [SessionStep] = []
    for connection in before.openConnections {
      steps.append(try record(.lifecycle(Self.isOver), .session, time, on: connection))
    }
    return steps
  }
}

extension Roster {
  fileprivate var openConnections: [ConnectionID] { connections.filter(\.isOpen).map(\.id) }
}

extension SessionStep.Part {
  /// An element as it is recorded.
  fileprivate static func element(_ content: CapturedRecord.Content) -> Self {
    guard case .element(_, let node, _) = content else { return .session }
    return .element(node)
  }
}

extension SessionStep {
  /// Whether there is something to tell those who watch.
  package var tells: Bool {
    !outcome.changes.isEmpty || !outcome.findings.isEmpty || !answers.isEmpty
  }
}
