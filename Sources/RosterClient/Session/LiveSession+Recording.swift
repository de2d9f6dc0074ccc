import Captures
import NIOCore
import Rollcall

// First to the disk, then to the wire and to who watches.
extension LiveSession {
  /// Hands something over to be recorded.
  ///
  /// - Returns: False where it cannot be: the connection ends then.
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

  /// What cannot be recorded is neither sent nor told.
  @discardableResult
  private func unrecordable(_ error: any Error) -> LiveFailure {
    (outbox, news) = ([], [])
    let failure = LiveFailure.recording(
      (error as? RollcallError) ?? RollcallError(.log, "\(error)"))
    ending = ConnectionEnd(failure: failure)
    return failure
  }

  /// Sees to it that what waits is written, told and read, once it is on the disk.
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
        for (id, failure) in answered {
          requesting.removeValue(forKey: id)?.resume(returning: failure)
        }
        if reads, ending == nil { readOn() }
      } catch {
        let failure = unrecordable(error)
        for (id, _) in answered { requesting.removeValue(forKey: id)?.resume(returning: failure) }
      }
      if outbox.isEmpty, let ending, machine != nil { await connectionEnded(ending.failure) }
    }
    isFlushing = false
  }

  private func write(_ bytes: [[UInt8]]) {
    guard let channel, !bytes.isEmpty else { return }
    for bytes in bytes { channel.write(ByteBuffer(bytes: bytes), promise: nil) }
    channel.flush()
  }

  /// Reads, unless the server does not take what is written: else it could have the answers pile up
  /// to all that it asks. Then reading waits until writing does not.
  private func readOn() {
    guard let channel else { return }
    waitsForWriting = !channel.isWritable
    if channel.isWritable { channel.read() }
  }

  /// The server takes what is written again, or no longer.
  func writabilityChanged(on number: Int) {
    guard number == connections, waitsForWriting, ending == nil else { return }
    readOn()
  }

  private func tell(_ step: SessionStep, _ roster: Roster) {
    self.roster = roster
    for answer in step.answers { told(answer) }
    if step.tells { hub.tell(.step(step, roster)) }
  }

  /// A command was answered.
  func told(_ answer: CommandAnswer) {
    asking.removeValue(forKey: answer.command)?.resume(returning: answer.word)
  }

  // MARK: The end

  private func connectionEnded(_ failure: LiveFailure?) async {
    timer?.cancel()
    let wasLetIn = machine?.wasLetIn ?? false
    // Once there was a session, only what it can be resumed by counts.
    resumption =
      machine?.hadSession == true ? machine?.resumption : machine?.resumption ?? resumption
    machine = nil
    // What it says from now on is of no interest.
    connections += 1
    channel.take()?.close(promise: nil)
    ending = nil
    record { try session.note(.closed(reason: failure?.description), at: now) }
    // Where not even that can be recorded, nothing more can.
    let failure = ending.take()?.failure ?? failure
    reconnection.ended(failure, wasLetIn: wasLetIn, at: now)
    for waiter in requesting.values { waiter.resume(returning: failure ?? .notOnline) }
    requesting = [:]
    if let opening = opening.take() {
      opening.resume(returning: failure ?? .lost(reason: "the server ended the stream"))
      // Who waits for it decides what follows, unless it has been decided.
      if phase == .closing { await end(nil) }
    } else if phase == .closing {
      await end(nil)
    } else if let failure, failure.isFinal || reconnection.isHopeless {
      await end(failure)
    } else {
      inBackground { await $0.reconnect() }
    }
  }

  /// Nothing more happens.
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
    for waiter in asking.values { waiter.resume(returning: .timeout) }
    asking = [:]
    hub.close()
    for waiter in watchingEnd { waiter.resume() }
    watchingEnd = []
  }
}
