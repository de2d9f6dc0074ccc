import NIOCore
public import Rollcall

/// Resumes a waiting caller with the failure, or with nil for success.
typealias FailureWaiter = CheckedContinuation<LiveFailure?, Never>

/// A command whose answer a caller waits for.
struct PendingCommand {
  typealias Waiter = CheckedContinuation<Result<CommandAnswer.Outcome?, LiveError>, Never>

  /// The number of the wait.
  var wait: Int
  /// The stanzas that were sent for the command.
  var stanzas: [[UInt8]]
  /// When it was sent, in milliseconds since 1970.
  var sent: Int64
  var waiter: Waiter
}

/// A request other than a command, such as a ping, or a stanza, whose answer a caller waits for.
struct PendingRequest {
  typealias Waiter = CheckedContinuation<Result<StanzaAnswer, RequestFailure>, Never>

  /// The number of the wait.
  var wait: Int
  /// The elements that were sent for it.
  var stanzas: [[UInt8]]
  /// When it was sent, in milliseconds since 1970.
  var sent: Int64
  var waiter: Waiter
}

// What callers wait for. Each wait ends when its task is cancelled, and a wait for the server also
// ends with the connection.
//
// A wait's conditions are checked in the step that begins it (see `waiting`): a step in between
// could end the connection, and would miss the wait that it has to end.
extension LiveSession {
  /// Carries out a command, and waits until the server has confirmed it.
  ///
  /// Only the roster shows the effect of what is sent as presence, such as an acceptance: for these
  /// commands it returns as soon as what was sent is on disk.
  ///
  /// A command that replaces an item (see `RosterCommand`) first waits until this session knows the
  /// roster: while `start` waits for it, and when a new session follows a lost connection.
  ///
  /// The longest wait is 65 seconds for the roster and 65 seconds for the answer. A lost connection
  /// and a cancelled task end it.
  ///
  /// - Throws: `LiveError`: `invalid` if the command makes no sense, `refused` if the server
  ///   refuses at least a part of it, `timeout` if it does not answer, `failure` if there is no
  ///   session, and `outcomeUnknown` if the connection was lost or the task cancelled after the
  ///   command was sent.
  public func perform(_ command: RosterCommand) async throws(LiveError) {
    while true {
      if Task.isCancelled { throw .failure(.cancelled) }
      let wait = nextWait()
      let answer = await waiting {
        ask(command, wait, $0)
      } onCancel: { session in
        guard let id = session.pendingCommands.first(where: { $1.wait == wait })?.key else {
          return
        }
        session.giveUp(id, resumption: session.machine?.resumption)
      }
      switch try answer.get() {
      case .result?: return
      case .refused(let error)?: throw .refused(error)
      case .timeout?: throw .timeout
      case nil: break
      }
      if let failure = await rosterAnswer() { throw .failure(failure) }
    }
  }

  /// Sends the stanzas of a command.
  ///
  /// - Parameter waiter: Receives the answer; nil if the roster has to be known first.
  private func ask(_ command: RosterCommand, _ wait: Int, _ waiter: PendingCommand.Waiter) {
    guard machine?.isOnline == true else {
      return waiter.resume(returning: .failure(.failure(.notOnline)))
    }
    let decided: DecidedCommand
    do throws(CommandRefusal) {
      decided = try session.decide(command)
    } catch {
      if case .rosterNotKnown = error, pendingFetch != nil {
        return waiter.resume(returning: .success(nil))
      }
      return waiter.resume(returning: .failure(.invalid(error)))
    }
    for element in decided.elements { send(element.bytes) }
    defer { flush() }
    guard ending == nil, machine?.isOnline == true else {
      return waiter.resume(returning: .failure(.outcomeUnknown(willBeSentAgain: false)))
    }
    pendingCommands[decided.id] = PendingCommand(
      wait: wait, stanzas: decided.elements.map(\.bytes), sent: now, waiter: waiter)
    guard !decided.isAnswered else { return }
    let name = "command \(wait)"
    unrecordedCommands[name] = decided.id
    answers.append(NamedAnswer(name: name, answer: .written))
  }

  /// Stops waiting for the answer to a command.
  ///
  /// - Parameter resumption: The session that can be resumed; nil if none can.
  func giveUp(_ command: CommandID, resumption: Resumption?) {
    guard let asked = pendingCommands.removeValue(forKey: command) else { return }
    let isSentAgain = resumption?.resends(anyOf: asked.stanzas) ?? false
    asked.waiter.resume(returning: .failure(.outcomeUnknown(willBeSentAgain: isSentAgain)))
  }

  /// Waits until the server has answered the roster request, or the answer is overdue.
  ///
  /// - Parameter cancel: Ends the wait with the given number when the task is cancelled.
  /// - Returns: The failure that ended the wait early; nil if there was none.
  func rosterAnswer(
    onCancel cancel: @escaping @Sendable (isolated LiveSession, Int) -> Void = {
      $0.rosterWaiters.removeValue(forKey: $1)?.resume(returning: .cancelled)
    }
  ) async -> LiveFailure? {
    let number = nextWait()
    return await waiting { (waiter: FailureWaiter) in
      guard pendingFetch != nil else { return waiter.resume(returning: nil) }
      // With a connection, the end of the connection ends the wait.
      guard machine != nil else { return waiter.resume(returning: lastFailure ?? .notOnline) }
      rosterWaiters[number] = waiter
    } onCancel: {
      cancel($0, number)
    }
  }

  /// Ends the wait for the roster: it is known, refused, or overdue.
  func rosterSettled() {
    pendingFetch = nil
    if phase == .starting { phase = .running }
    let waiters = rosterWaiters.values
    rosterWaiters = [:]
    for waiter in waiters { waiter.resume(returning: nil) }
  }

  /// Records a note of the user's that no server keeps, such as a star; works without a connection.
  ///
  /// When this returns, the annotation is on disk and in `roster`. It may wait for the disk only.
  /// If the task is cancelled, the annotation is recorded all the same.
  ///
  /// - Throws: `LiveFailure` if it cannot be recorded; `.cancelled` if the task was cancelled
  ///   before it was on disk.
  public func annotate(_ annotation: RosterAnnotation) async throws(LiveFailure) {
    let id = "annotation \(nextWait())"
    let failure = await waiting { (waiter: FailureWaiter) in
      do throws(RollcallError) {
        for step in try session.annotate(annotation, at: now) {
          pendingSteps.append(PendingStep(step: step, roster: session.roster))
        }
      } catch {
        return waiter.resume(returning: .recording(error))
      }
      answers.append(NamedAnswer(name: id, answer: .written))
      pendingAnnotations[id] = waiter
      flush()
    } onCancel: {
      $0.pendingAnnotations.removeValue(forKey: id)?.resume(returning: .cancelled)
    }
    if let failure { throw failure }
  }

  /// Notes that the user has seen all open requests, so that the badge is 0. See `annotate(_:)`.
  ///
  /// - Throws: `LiveFailure` as `annotate`.
  public func markAllRequestsSeen() async throws(LiveFailure) {
    let unseen = session.roster.unseenRequests
    if !unseen.isEmpty { try await annotate(.requestsSeen(unseen)) }
  }

  /// Changes the account's password.
  ///
  /// The session reconnects with the new password. Later sessions do so only if the caller stores
  /// it.
  ///
  /// If the connection is lost before the answer, the server may or may not have set the new
  /// password. The session then reconnects with the one of the two that the server accepts.
  ///
  /// The longest wait is 65 seconds. A lost connection and a cancelled task end it.
  ///
  /// - Throws: `LiveFailure` if the server refuses or there is no session. After `.cancelled`,
  ///   `.lost` and `.timeout` the server may have set the password.
  public func changePassword(to password: Password) async throws(LiveFailure) {
    do throws(RequestFailure) {
      _ = try await request { machine throws(LiveFailure) in
        guard !passwords.isChanging else { throw .passwordChangePending }
        let request = machine.passwordChanged(to: password)
        passwords.asked(for: password, as: request.name)
        return request
      }
    } catch {
      throw error.failure
    }
  }

  /// Waits until the server has answered everything sent before, and the answers are on disk.
  ///
  /// The longest wait is 65 seconds. A lost connection and a cancelled task end it.
  ///
  /// - Throws: `LiveFailure` if there is no session, or the session is lost meanwhile.
  public func ping() async throws(LiveFailure) {
    do throws(RequestFailure) {
      _ = try await request { $0.pinged() }
    } catch {
      throw error.failure
    }
  }

  /// Ends the waits whose answer is overdue.
  func endOverdueWaits() {
    // Includes commands whose callers have stopped waiting.
    for answer in session.timeouts(at: now) { commandAnswered(answer) }
    guard machine?.isOnline == true else { return }
    if let sent = pendingFetch?.sent, now - sent >= timeouts.answer { rosterSettled() }
    // If there are very many commands, the session drops the oldest, and with them their timeouts.
    for (id, asked) in pendingCommands where now - asked.sent >= timeouts.answer {
      endOverdueCommand(id)
    }
    for (name, request) in pendingRequests where now - request.sent >= timeouts.answer {
      giveUp(name, .timeout("an answer"), resumption: machine?.resumption)
    }
  }

  /// Ends the wait for the answer to a command, which is overdue. If a resumed session would still
  /// send the command, it is not over yet.
  func endOverdueCommand(_ id: CommandID) {
    guard let asked = pendingCommands[id] else { return }
    if machine?.resumption?.resends(anyOf: asked.stanzas) == true {
      return giveUp(id, resumption: machine?.resumption)
    }
    pendingCommands[id] = nil
    asked.waiter.resume(returning: .success(.timeout))
  }

  /// Ends the waits for a server whose connection was lost.
  ///
  /// - Parameter willReconnect: Whether the session may be resumed.
  func endWaits(_ failure: LiveFailure, willReconnect: Bool) {
    for command in pendingCommands.keys {
      giveUp(command, resumption: willReconnect ? resumption : nil)
    }
    for name in pendingRequests.keys {
      giveUp(name, failure, resumption: willReconnect ? resumption : nil)
    }
    let waiters = rosterWaiters.values
    rosterWaiters = [:]
    for waiter in waiters { waiter.resume(returning: failure) }
  }

  /// Ends the waits of `suspend` for the end of the connection.
  func endDropWaits() {
    let waiters = dropWaiters.values
    dropWaiters = [:]
    for waiter in waiters { waiter.resume() }
  }

  // MARK: One wait

  func nextWait() -> Int {
    waitCount += 1
    return waitCount
  }

  /// Waits until the continuation passed to `begin` is resumed.
  ///
  /// Other steps of the session may run between the call and `begin`; `begin` itself is one step.
  ///
  /// - Parameter cancel: Resumes the continuation unless it has been resumed; called when the task
  ///   is cancelled.
  func waiting<Value: Sendable>(
    _ begin: (CheckedContinuation<Value, Never>) -> Void,
    onCancel cancel: @escaping @Sendable (isolated LiveSession) -> Void
  ) async -> Value {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        begin(continuation)
        if Task.isCancelled { cancel(self) }
      }
    } onCancel: {
      // This runs after the continuation was stored where `cancel` looks for it.
      loop.execute { self.assumeIsolated { cancel($0) } }
    }
  }
}
