package import Captures
package import EventStore
import RawBytes
package import RosterCore
import XMPPStream

/// An account's roster as its records are made, and their way into its log, from one connection or
/// several.
///
/// Not thread-safe: keep it where the streams are handled.
package final class RosterRecorder {
  /// The roster as it is now.
  package private(set) var roster = Roster()

  let hub = UpdateHub()
  /// Nil in memory, and once it is closed.
  private var recording: Recording?
  private var isClosed = false
  private var credentials = Credentials()
  private var encoder = EventEncoder()
  private var isAccountKnown = false
  /// Whether nothing was recorded by this recorder yet.
  private var isFresh = true
  /// What the log says, where the one that recorded to it before has ended without a word: nobody
  /// is online in `roster`, and the record that says so goes before the first one.
  private var unclosed: Roster?
  /// The newest time in the log, before which no record's time is.
  private var clock: Int64?
  /// Whose sessions in the log go on, although this recorder has recorded nothing of them.
  private let goingOn: Set<ConnectionID>

  /// A roster that is kept in memory only.
  init() { goingOn = [] }

  /// A roster that is recorded to a log, made where there is none and gone on with where there is
  /// one. Sessions in it that were not closed, as after a crash, are over: as long as another
  /// recorder lives, the log is refused.
  ///
  /// - Parameters:
  ///   - goingOn: The connections whose sessions are not.
  ///   - threads: Who writes to the log; nil for a thread of its own.
  ///   - lease: What keeps other recorders away from the log, if the caller holds it already.
  /// - Throws: `RollcallError` where the log cannot be opened or read, or another recorder has it.
  ///
  /// Complexity: linear in the events after the log's last snapshot.
  package init(
    recordingTo path: String, goingOn: Set<ConnectionID> = [], on threads: WriterThreads? = nil,
    holding lease: RecorderLease? = nil
  ) throws(RollcallError) {
    self.goingOn = goingOn
    do {
      // Before anything is read: only who has it may say that a session in the log is over.
      let lease = try lease ?? RecorderLease(ofLogAt: path)
      let recording = try Recording(path, on: threads, holding: lease)
      self.recording = recording
      try goOn(from: recording.state())
    } catch {
      throw RollcallError(error)
    }
  }

  /// The number of the connection that begins next.
  package var nextConnection: ConnectionID {
    get throws(RollcallError) {
      var last = roster.connections.map(\.id.number).max() ?? 0
      try writing { recording in
        last = max(last, try recording.log.meta.connections.keys.max() ?? 0)
      }
      return ConnectionID(number: last + 1)
    }
  }

  // MARK: The disk

  /// Whether nothing waits to be written, or is being written.
  package var isIdle: Bool { recording?.writer.isIdle ?? true }

  /// Whether nothing more can be recorded: it is not known what the disk has of what was written
  /// last.
  package var isBroken: Bool { recording?.writer.isBroken ?? false }

  /// Waits until everything that was handed over before is on the disk.
  ///
  /// - Throws: `RollcallError` where it cannot be written; it is tried again when this is called
  ///   again.
  nonisolated(nonsending) package func durable() async throws(RollcallError) {
    guard let recording else { return }
    do {
      try await recording.writer.durable()
    } catch {
      throw RollcallError(error)
    }
  }

  /// The same, where this thread may be held up.
  package func flush() throws(RollcallError) {
    try writing { try $0.writer.flush() }
  }

  /// Writes what was handed over, closes the log, and ends what watches. Nothing more can be handed
  /// over.
  package func close() throws(RollcallError) {
    isClosed = true
    hub.close()
    defer { recording = nil }
    try writing { try $0.writer.close() }
  }

  /// What the log holds; nil in memory.
  func timeline() throws(RollcallError) -> Timeline? {
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

  // MARK: Records

  /// What a record means to the commands that wait for something: its event if it is about the
  /// stream.
  typealias Answers = (SessionEvent?, RecordStamp) -> [CommandAnswer]

  /// Takes a part of what one side of a connection said.
  ///
  /// - Returns: What it did, and ahead of it what else came into the log.
  /// - Throws: `RollcallError` where very much waits to be written and cannot be; it is not taken
  ///   then.
  package func take(
    _ part: StreamIntake.Part, _ direction: Direction, at time: Int64?,
    on connection: ConnectionID
  ) throws(RollcallError) -> [SessionStep] {
    let isOpen = roster.isOpen(connection)
    return try prepare(time)
      + [record(part, direction, time, on: connection, isAuthenticated: isOpen) { _, _ in [] }]
  }

  /// Takes what became of a connection.
  package func note(
    _ lifecycle: Lifecycle, at time: Int64?, on connection: ConnectionID
  ) throws(RollcallError) -> [SessionStep] {
    try prepare(time)
      + [record(.lifecycle(lifecycle), .session, time, on: connection) { _, _ in [] }]
  }

  /// Does what comes before a record.
  func prepare(_ time: Int64?) throws(RollcallError) -> [SessionStep] {
    try catchUp() + closeLast(time)
  }

  func record(
    _ part: StreamIntake.Part, _ direction: Direction, _ time: Int64?,
    on connection: ConnectionID, isAuthenticated: Bool, answers: Answers
  ) throws(RollcallError) -> SessionStep {
    let content: CapturedRecord.Content
    let told: SessionStep.Part?
    switch part {
    case .header(let tag):
      (content, told) = (.streamHeader(direction, tag.node, bytes: tag.bytes), .header)
    case .end: (content, told) = (.streamEnd(direction), .end)
    case .unreadable(let bytes, let reason):
      let unreadable = UnreadableBytes(
        bytes, direction, reason: reason, isAuthenticated: isAuthenticated)
      (content, told) = (.unreadable(unreadable), .unreadable(reason: reason))
    case .skipped(let element):
      let unreadable = UnreadableBytes(
        beyondLimit: element.kept, of: element.count, direction, reason: element.reason,
        isAuthenticated: isAuthenticated)
      content = .unreadable(unreadable)
      told = .skipped(isStanza: element.isStanza, reason: element.reason)
    case .element(let element):
      (content, told) = (.element(direction, element.node, bytes: element.bytes), nil)
    }
    return try record(content, told, time, on: connection, answers: answers)
  }

  func record(
    _ content: CapturedRecord.Content, _ part: SessionStep.Part?, _ time: Int64?,
    on connection: ConnectionID, answers: Answers
  ) throws(RollcallError) -> SessionStep {
    let content = credentials.removed(from: content) ?? content
    let draft = RecordDraft(content, time: time, on: connection.number, encodedBy: &encoder)
    guard draft.bytes.count <= RecordDraft.byteLimit else {
      return try tooLong(draft.bytes, content, time, on: connection)
    }
    try writing { try $0.writer.put(draft, as: roster.position + 1) }
    isFresh = false
    let stamp = self.stamp(time)
    let outcome = try reduce(draft.event, at: stamp, on: connection)
    let answers = answers(encoder.sessionEvent, stamp)
    try writing { recording in
      if !isAccountKnown, let account = roster.account {
        isAccountKnown = true
        try recording.writer.put(account: account)
      }
    }
    let step = SessionStep(
      part: part ?? .element(content), stamp: stamp, outcome: outcome, answers: answers)
    if step.tells { hub.tell(.step(step, roster)) }
    return step
  }

  /// What was taken in can be longer when it is written without its credentials.
  private func tooLong(
    _ bytes: [UInt8], _ content: CapturedRecord.Content, _ time: Int64?,
    on connection: ConnectionID
  ) throws(RollcallError) -> SessionStep {
    let reason = "the element is too long for a record"
    guard case .element(let direction, _, _) = content else { throw RollcallError(.log, reason) }
    let unreadable = UnreadableBytes(bytes, direction, reason: reason, isAuthenticated: false)
    return try record(
      .unreadable(unreadable), .unreadable(reason: reason), time, on: connection
    ) { _, _ in [] }
  }

  private func reduce(
    _ event: [UInt8]?, at stamp: RecordStamp, on connection: ConnectionID
  ) throws(RollcallError) -> RosterOutcome {
    guard let event else {
      roster.move(to: stamp.record)
      return RosterOutcome()
    }
    do {
      return try RosterReducer.reduce(
        &roster, event.span.bytes, isSound: true, at: stamp, on: connection)
    } catch {
      throw RollcallError(error)
    }
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
  func catchUp() throws(RollcallError) -> [SessionStep] {
    guard !isClosed else { throw Self.closedError }
    var steps: [SessionStep] = []
    try writing { recording in
      try recording.writer.makeRoom()
      guard let (state, outcome) = try recording.catchUp(from: unclosed ?? roster) else { return }
      try goOn(from: state)
      hub.tell(.snapshot(roster, missed: 0))
      let stamp = RecordStamp(record: state.roster.position, time: state.time)
      steps = [SessionStep(part: .others, stamp: stamp, outcome: outcome, answers: [])]
    }
    return steps
  }

  /// Takes what the log says. A session in it that was open before this one has recorded anything
  /// is not this one's, and over.
  private func goOn(from state: Timeline.State) throws(RollcallError) {
    (roster, clock) = (state.roster, state.time)
    let isUnclosed = isFresh && !open(in: state.roster).isEmpty
    unclosed = isUnclosed ? state.roster : nil
    for connection in isUnclosed ? open(in: state.roster) : [] {
      encoder.encode(.closed(isLost: true))
      let stamp = RecordStamp(record: roster.position, time: clock)
      _ = try reduce(encoder.event, at: stamp, on: connection)
    }
  }

  /// The connections that are open in it, and do not go on.
  private func open(in roster: Roster) -> [ConnectionID] {
    roster.connections.filter { $0.isOpen && !goingOn.contains($0.id) }.map(\.id)
  }

  /// What is recorded of a session that nobody has closed.
  static let isOver = Lifecycle.closed(reason: "the recorder ended without a word")

  /// Records that the sessions are over which nobody has closed.
  func closeLast(_ time: Int64?) throws(RollcallError) -> [SessionStep] {
    guard let before = unclosed.take() else { return [] }
    roster = before
    var steps: [SessionStep] = []
    for connection in open(in: before) {
      steps.append(
        try record(.lifecycle(Self.isOver), .session, time, on: connection) { _, _ in [] })
    }
    return steps
  }
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
