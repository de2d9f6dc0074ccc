package import Captures
package import EventStore
import RawBytes
package import RosterCore
import XMPPStream

/// The roster of an account while it is recorded, over one or several connections, and the way of
/// its records into the log.
///
/// Not thread-safe: use it where the streams are handled.
package final class RosterRecorder {
  /// The current roster.
  package private(set) var roster = Roster()

  let hub = UpdateHub()
  /// Nil in memory, and after closing.
  private var recording: Recording?
  private var isClosed = false
  private var credentials = Credentials()
  private let policy: RecordingPolicy
  private var filter: RecordingFilter
  /// Whether the log says what this recorder keeps, or need not.
  private var isPolicyNoted = true
  private var encoder = EventEncoder()
  private var isAccountKnown = false
  /// Whether this recorder has not recorded anything yet.
  private var isFresh = true
  /// The state of the log if the previous recorder ended without closing its sessions. In `roster`
  /// those sessions are already over; a record that says so precedes the first new one.
  private var rosterBeforeImpliedClose: Roster?
  /// The newest time in the log; no later record has an earlier time.
  private var clock: Int64?
  /// The connections whose sessions in the log continue, although this recorder has recorded
  /// nothing of them.
  private let continuing: Set<ConnectionID>

  /// A roster that is kept in memory only.
  init() {
    (continuing, policy) = ([], .everything)
    filter = RecordingFilter(policy)
  }

  /// A roster that is recorded to a log, which is created or continued. Sessions in it that were
  /// not closed, for example after a crash, are over. While another recorder is running, the log is
  /// refused.
  ///
  /// - Parameters:
  ///   - policy: What is kept. A recorder with several connections keeps everything.
  ///   - continuing: The connections whose sessions continue.
  ///   - threads: The threads that write to the log; nil for a thread of its own.
  ///   - lease: The lease that keeps other recorders away from the log, if the caller already holds
  ///     it.
  /// - Throws: `RollcallError` if the log cannot be opened or read, or if another recorder has it.
  ///
  /// Complexity: linear in the events after the log's last snapshot.
  package init(
    recordingTo path: String, keeping policy: RecordingPolicy = .everything,
    continuing: Set<ConnectionID> = [], on threads: WriterThreads? = nil,
    holding lease: RecorderLease? = nil
  ) throws(RollcallError) {
    (self.continuing, self.policy) = (continuing, policy)
    filter = RecordingFilter(policy)
    do {
      // Before anything is read: only the holder of the lease may decide that a session in the log
      // is over.
      let lease = try lease ?? RecorderLease(ofLogAt: path)
      let recording = try Recording(path, on: threads, holding: lease)
      self.recording = recording
      isPolicyNoted = try policy == .everything && !recording.log.meta.hasPolicy
      try goOn(from: recording.state())
    } catch {
      throw RollcallError(error)
    }
  }

  /// The number of the next new connection.
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

  /// Whether nothing is being written or waits to be written.
  package var isIdle: Bool { recording?.writer.isIdle ?? true }

  /// Whether nothing more can be recorded, because the last write may or may not be on the disk.
  package var isBroken: Bool { recording?.writer.isBroken ?? false }

  /// Waits until everything passed so far is on the disk.
  ///
  /// - Throws: `RollcallError` if it cannot be written. The next call tries again.
  nonisolated(nonsending) package func durable() async throws(RollcallError) {
    guard let recording else { return }
    do {
      try await recording.writer.durable()
    } catch {
      throw RollcallError(error)
    }
  }

  /// Waits like `durable()`, but blocks this thread.
  package func flush() throws(RollcallError) {
    try writing { try $0.writer.flush() }
  }

  /// Writes everything passed so far, closes the log, and ends all observers. Nothing more can be
  /// passed after that.
  package func close() throws(RollcallError) {
    isClosed = true
    hub.close()
    defer { recording = nil }
    if let sign = filter.owed(before: nil) { try write(sign, on: .first) }
    try writing { try $0.writer.close() }
  }

  /// The contents of the log; nil in memory.
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

  /// Returns the answers to waiting commands that a record implies. The event is nil if the record
  /// does not concern the stream.
  typealias Answers = (SessionEvent?, RecordStamp) -> [CommandAnswer]

  /// Records a part of what one side of a connection sent.
  ///
  /// - Returns: Its step, preceded by steps for anything else that came into the log.
  /// - Throws: `RollcallError` if too much waits to be written and writing fails. The part is then
  ///   not recorded.
  package func take(
    _ part: StreamIntake.Part, _ direction: Direction, at time: Int64?,
    on connection: ConnectionID
  ) throws(RollcallError) -> [SessionStep] {
    let isOpen = roster.isOpen(connection)
    return try prepare(time)
      + [record(part, direction, time, on: connection, isAuthenticated: isOpen) { _, _ in [] }]
  }

  /// Records a lifecycle event of a connection.
  package func note(
    _ lifecycle: Lifecycle, at time: Int64?, on connection: ConnectionID
  ) throws(RollcallError) -> [SessionStep] {
    try prepare(time)
      + [record(.lifecycle(lifecycle), .session, time, on: connection) { _, _ in [] }]
  }

  /// Does what must precede a record.
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
    let shown = part ?? .element(content)
    if !isPolicyNoted {
      isPolicyNoted = true
      try write((.lifecycle(.recorded(policy)), time), on: connection)
    }
    if let sign = filter.owed(before: content) { try write(sign, on: connection) }
    guard let content = filter.kept(of: (content, time)) else {
      let stamp = RecordStamp(record: roster.position, time: clock)
      return SessionStep(
        part: shown, stamp: stamp, isRecorded: false, outcome: RosterOutcome(), answers: [])
    }
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
      part: shown, stamp: stamp, isRecorded: true, outcome: outcome, answers: answers)
    if step.tells { hub.tell(.step(step, roster)) }
    return step
  }

  /// Records what means nothing to the roster.
  private func write(
    _ part: RecordingFilter.Part, on connection: ConnectionID
  ) throws(RollcallError) {
    let draft = RecordDraft(
      part.content, time: part.time, on: connection.number, encodedBy: &encoder)
    try writing { try $0.writer.put(draft, as: roster.position + 1) }
    isFresh = false
    roster.move(to: stamp(part.time).record)
  }

  /// Removing credentials can make an element longer than the limit that it was received under.
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
        &roster, event.span.bytes, at: stamp, on: connection)
    } catch {
      throw RollcallError(error)
    }
  }

  /// The number of the next record, and its time in the log. The log's clock never runs backwards,
  /// and the roster uses the same time.
  private func stamp(_ time: Int64?) -> RecordStamp {
    let number = roster.position + 1
    guard let time else { return RecordStamp(record: number) }
    let now = max(time, clock ?? time)
    clock = now
    return RecordStamp(
      record: number, time: now, isHeld: RecordHeader.isHeld(at: now, insteadOf: time))
  }

  // MARK: What else is in the log

  private static let closedError = RollcallError(.closed, "the session is closed")

  /// Includes what others have appended to the log.
  ///
  /// - Returns: A step for it, if there is anything.
  /// - Throws: Also if nothing more can be recorded.
  func catchUp() throws(RollcallError) -> [SessionStep] {
    guard !isClosed else { throw Self.closedError }
    var steps: [SessionStep] = []
    try writing { recording in
      try recording.writer.makeRoom()
      guard let (state, outcome) = try recording.catchUp(from: rosterBeforeImpliedClose ?? roster)
      else { return }
      try goOn(from: state)
      hub.tell(.snapshot(roster, missed: 0))
      let stamp = RecordStamp(record: state.roster.position, time: state.time)
      steps = [
        SessionStep(
          part: .others, stamp: stamp, isRecorded: true, outcome: outcome, answers: [])
      ]
    }
    return steps
  }

  /// Continues from the state of the log. A session that was open in it before this recorder has
  /// recorded anything does not belong to this recorder and is over.
  private func goOn(from state: Timeline.State) throws(RollcallError) {
    (roster, clock) = (state.roster, state.time)
    let isUnclosed = isFresh && !open(in: state.roster).isEmpty
    rosterBeforeImpliedClose = isUnclosed ? state.roster : nil
    for connection in isUnclosed ? open(in: state.roster) : [] {
      encoder.encode(.closed(isLost: true))
      let stamp = RecordStamp(record: roster.position, time: clock)
      _ = try reduce(encoder.event, at: stamp, on: connection)
    }
  }

  /// The connections that are open in a roster and do not continue.
  private func open(in roster: Roster) -> [ConnectionID] {
    roster.connections.filter { $0.isOpen && !continuing.contains($0.id) }.map(\.id)
  }

  /// The record for a session that was never closed.
  static let recorderDied = Lifecycle.closed(reason: "the recorder ended without a word")

  /// Records that the sessions that were never closed are over.
  func closeLast(_ time: Int64?) throws(RollcallError) -> [SessionStep] {
    guard let before = rosterBeforeImpliedClose.take() else { return [] }
    roster = before
    var steps: [SessionStep] = []
    for connection in open(in: before) {
      steps.append(
        try record(.lifecycle(Self.recorderDied), .session, time, on: connection) { _, _ in [] })
    }
    return steps
  }
}

extension SessionStep.Part {
  /// The part of a step for recorded content.
  fileprivate static func element(_ content: CapturedRecord.Content) -> Self {
    guard case .element(_, let node, _) = content else { return .session }
    return .element(node)
  }
}

extension SessionStep {
  /// Whether observers should receive the step.
  package var tells: Bool {
    !outcome.isEmpty || !answers.isEmpty
  }
}
