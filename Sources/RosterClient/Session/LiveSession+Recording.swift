import Captures
import NIOCore
import Rollcall

// Everything is written to disk first, and only then sent to the server or to watchers.
extension LiveSession {
  /// Passes something on to be recorded.
  ///
  /// - Returns: False if that fails: the connection then ends.
  @discardableResult
  func record(_ body: () throws -> [SessionStep]) -> Bool {
    do {
      for step in try body() { news.append((step, session.roster)) }
      return true
    } catch {
      unrecordable(error)
      return false
    }
  }

  /// Drops what cannot be recorded, so that it is neither sent nor reported, and ends the
  /// connection.
  @discardableResult
  private func unrecordable(_ error: any Error) -> LiveFailure {
    (outbox, news) = ([], [])
    let failure = LiveFailure.recording(
      (error as? RollcallError) ?? RollcallError(.log, "\(error)"))
    ending = ConnectionEnd(failure: failure)
    return failure
  }

  /// Starts a task that sends, reports and reads what is pending, once it is on disk.
  func flush() {
    guard !isFlushing else { return }
    isFlushing = true
    inBackground { await $0.flushAll() }
  }

  private var hasWork: Bool {
    !outbox.isEmpty || !news.isEmpty || !answers.isEmpty || wantsRead
      || (ending != nil && machine != nil)
  }

  private func flushAll() async {
    while hasWork {
      let (bytes, told, answered, reads) = (outbox, news, answers, wantsRead)
      (outbox, news, answers, wantsRead) = ([], [], [], false)
      do {
        try await session.durable()
        write(bytes)
        for (step, roster) in told { tell(step, roster) }
        for (id, failure) in answered { self.answered(id, failure) }
        if reads, ending == nil { readOn() }
      } catch {
        let failure = unrecordable(error)
        for (id, _) in answered { self.answered(id, failure) }
      }
      // Everything before the end is reported first: it may be the answer that a caller waits for.
      let isTold = outbox.isEmpty && news.isEmpty && answers.isEmpty
      if isTold, let ending, machine != nil { await connectionEnded(ending.failure) }
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

  private func tell(_ step: SessionStep, _ roster: Roster) {
    self.roster = roster
    for answer in step.answers { told(answer) }
    if let fetching, roster.position >= fetching.since, roster.isRosterAnswered() {
      rosterSettled()
    }
    if step.tells { hub.tell(.step(step, roster)) }
  }

  /// A command was answered, or its answer is overdue.
  func told(_ answer: CommandAnswer) {
    asking.removeValue(forKey: answer.command)?.waiter.resume(returning: .success(answer.word))
    // A new session gives up the commands of the session before it, including its roster get: the
    // new session then has yet to send its own.
    let isGivenUp = answer.word == .timeout && machine?.isOnline != true
    if answer.command == fetching?.id, !isGivenUp { rosterSettled() }
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
    forgetInbox()
    ending = nil
    record { try session.note(.closed(reason: failure?.description), at: now) }
    // If even that could not be recorded, the session cannot continue.
    let failure = ending.take()?.failure ?? failure
    reconnection.ended(failure, wasLetIn: wasLetIn, at: now)
    let goesOn = phase.connects && failure?.isFinal != true && !reconnection.isHopeless
    let reason = failure ?? .lost(reason: "the server ended the stream")
    lastFailure = reason
    endWaits(reason, goesOn: goesOn)
    let isOpening = opening != nil
    opening.take()?.resume(returning: reason)
    if phase == .closing { return await end(nil) }
    // A caller that waits for a connection decides what follows.
    if isOpening || phase == .starting { return }
    if goesOn {
      inBackground { await $0.reconnect() }
    } else {
      await end(failure)
    }
  }

  /// Ends the session for good, and closes the log.
  func end(_ failure: LiveFailure?) async {
    guard phase != .over else { return }
    phase = .over
    beat?.cancel()
    self.failure = failure
    try? await session.durable()
    for (step, roster) in news { tell(step, roster) }
    news = []
    do {
      try session.close()
    } catch {
      self.failure = .recording(error)
    }
    endWaits(.over, goesOn: false)
    hub.close()
    isEnded = true
    let waiters = watchingEnd.values
    watchingEnd = [:]
    for waiter in waiters { waiter.resume() }
  }
}
