import Captures
import NIOCore
import Rollcall

/// A step of the recording that is not reported before it is on disk.
struct PendingStep {
  var step: SessionStep
  /// The roster after it.
  var roster: Roster
  /// Whether the step is a part of the server's stream within the session.
  var isArrival = false
}

/// An answer that is not reported before it is on disk.
struct NamedAnswer {
  var name: String
  var answer: RequestAnswer
  /// The record of the answer; nil if no part of the stream is the answer.
  var stamp: RecordStamp?
}

// Everything is written to disk first, and only then sent to the server or to watchers.
extension LiveSession {
  /// Passes something on to be recorded.
  ///
  /// - Returns: False if that fails: the connection then ends.
  @discardableResult
  func record(_ body: () throws -> [SessionStep]) -> Bool {
    do {
      for step in try body() {
        pendingSteps.append(PendingStep(step: step, roster: session.roster))
      }
      return true
    } catch {
      unrecordable(error)
      return false
    }
  }

  /// Drops what cannot be recorded, so that it is neither sent nor reported, and ends the
  /// connection. The answers that depend on it become the failure.
  private func unrecordable(_ error: any Error) {
    let failure = LiveFailure.recording(RollcallError(error))
    (outbox, pendingSteps) = ([], [])
    answers = answers.map { NamedAnswer(name: $0.name, answer: .failed(failure)) }
    ending = ConnectionEnd(failure: failure)
  }

  /// Why the connection ends, if that is because something could not be recorded.
  var recordingFailure: LiveFailure? {
    guard let failure = ending?.failure, case .recording = failure else { return nil }
    return failure
  }

  /// Starts a task that sends, reports and reads what is pending, once it is on disk.
  func flush() {
    guard !isFlushing else { return }
    isFlushing = true
    inBackground { await $0.flushAll() }
  }

  private var hasWork: Bool {
    !outbox.isEmpty || !pendingSteps.isEmpty || !answers.isEmpty || wantsRead
      || (ending != nil && machine != nil)
  }

  private func flushAll() async {
    while hasWork {
      let (bytes, steps, answered, reads) = (outbox, pendingSteps, answers, wantsRead)
      (outbox, pendingSteps, answers, wantsRead) = ([], [], [], false)
      do {
        try await session.durable()
        write(bytes)
        for step in steps { report(step) }
        for answer in answered { self.answered(answer) }
        if reads, ending == nil { readNextRound() }
      } catch {
        answers = answered + answers
        unrecordable(error)
        // At once: if nothing can be recorded any more, there is no later time.
        let failed = answers
        answers = []
        for answer in failed { self.answered(answer) }
      }
      // Everything before the end is reported first: it may be the answer that a caller waits for.
      let isReported = outbox.isEmpty && pendingSteps.isEmpty && answers.isEmpty
      if isReported, let ending, machine != nil { await connectionEnded(ending.failure) }
    }
    isFlushing = false
  }

  private func write(_ bytes: [[UInt8]]) {
    guard let channel, !bytes.isEmpty else { return }
    for bytes in bytes {
      let promise = loop.makePromise(of: Void.self)
      promise.futureResult.whenSuccess { self.assumeIsolated { $0.written += 1 } }
      channel.write(ByteBuffer(bytes: bytes), promise: promise)
    }
    channel.flush()
  }

  /// The number of bytes that the system has not accepted yet.
  var unwrittenBytes: Int {
    (try? channel?.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
  }

  private func report(_ pending: PendingStep) {
    let (step, roster) = (pending.step, pending.roster)
    self.roster = roster
    if pending.isArrival { stanzaArrived(step) }
    for answer in step.answers { commandAnswered(answer) }
    if let pendingFetch, roster.position >= pendingFetch.since, roster.isRosterAnswered() {
      rosterSettled()
    }
    if step.tells { hub.tell(.step(step, roster)) }
  }

  /// A command was answered, or its answer is overdue.
  func commandAnswered(_ answer: CommandAnswer) {
    if answer.outcome == .timeout {
      endOverdueCommand(answer.command)
    } else {
      pendingCommands.removeValue(forKey: answer.command)?.waiter.resume(
        returning: .success(answer.outcome))
    }
    // A new session gives up the commands of the session before it, including its roster get: the
    // new session then has yet to send its own.
    let isGivenUp = answer.outcome == .timeout && machine?.isOnline != true
    if answer.command == pendingFetch?.id, !isGivenUp { rosterSettled() }
  }

  // MARK: The end

  private func connectionEnded(_ failure: LiveFailure?) async {
    timer?.cancel()
    let wasLetIn = machine?.wasLetIn ?? false
    // After a session on this connection, only its own resumption counts.
    resumption =
      machine?.hadSession == true ? machine?.resumption : machine?.resumption ?? resumption
    machine = nil
    // Later events of the old connection are ignored.
    connections += 1
    channel.take()?.close(promise: nil)
    clearInbox()
    ending = nil
    record { try session.note(.closed(reason: failure?.description), at: now) }
    // If even that could not be recorded, the session cannot continue.
    let failure = ending.take()?.failure ?? failure
    reconnection.ended(failure, wasLetIn: wasLetIn, at: now)
    let willReconnect = phase.connects && failure?.isFinal != true && !reconnection.isHopeless
    let reason =
      failure ?? (phase == .closing ? .over : .lost(reason: "the server ended the stream"))
    lastFailure = reason
    endWaits(reason, willReconnect: willReconnect)
    endDropWaits()
    let isOpening = connectionWaiter != nil
    connectionWaiter.take()?.resume(returning: reason)
    if phase == .closing { return await end(nil) }
    // A caller that waits for a connection decides what follows.
    if isOpening || phase == .starting { return }
    if willReconnect {
      inBackground { await $0.reconnect(after: reason) }
    } else {
      await end(failure)
    }
  }

  /// Ends the session for good, and closes the log.
  func end(_ failure: LiveFailure?) async {
    guard phase != .over else { return }
    phase = .over
    endUploads()
    beat?.cancel()
    self.failure = failure
    try? await session.durable()
    for step in pendingSteps { report(step) }
    pendingSteps = []
    do {
      try session.close()
    } catch {
      self.failure = .recording(error)
    }
    endWaits(.over, willReconnect: false)
    endDropWaits()
    closeStanzas()
    enter(self.failure.map { .failed($0) } ?? .closed)
    hub.close()
    closeStates()
    isEnded = true
    let waiters = endWaiters.values
    endWaiters = [:]
    for waiter in waiters { waiter.resume() }
  }
}
