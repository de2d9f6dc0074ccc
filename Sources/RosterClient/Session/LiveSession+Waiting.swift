import NIOCore
public import Rollcall

/// What resumes a caller: with why it failed, or with nil.
typealias FailureWaiter = CheckedContinuation<LiveFailure?, Never>

/// A command whose answer somebody waits for.
struct AskedCommand {
  typealias Waiter = CheckedContinuation<Result<CommandAnswer.Word?, LiveError>, Never>

  /// The number of the wait.
  var wait: Int
  /// What was sent for it.
  var stanzas: [[UInt8]]
  /// When it was sent, in milliseconds since 1970.
  var sent: Int64
  var waiter: Waiter
}

/// A request of the connection's own whose answer somebody waits for.
struct WaitingRequest {
  /// The number of the wait.
  var wait: Int
  /// When it was sent, in milliseconds since 1970.
  var sent: Int64
  var waiter: FailureWaiter
}

// What callers wait for. Each wait ends when its task is cancelled, and what waits for the server
// also ends with the connection.
//
// What a wait depends on is looked at in the step that begins it (see `waiting`): before that step
// another one may end the connection, and would not find the wait that it has to end.
extension LiveSession {
  /// Carries a command out, and waits for what the server says. What an acceptance, a rejection or
  /// a cancellation has done, only the roster tells: for them the word is `result` at once.
  ///
  /// A command that replaces an item (see `RosterCommand`) first waits until this session knows the
  /// roster: while `start` waits for it, and after a lost connection that a new session follows.
  ///
  /// The longest wait is 65 seconds for the roster and 65 seconds for the answer. A lost connection
  /// and a cancelled task end it.
  ///
  /// - Throws: `LiveError` if the command makes no sense, if there is no session, or if the outcome
  ///   is not known because the connection was lost or the task cancelled after it was sent.
  public func perform(_ command: RosterCommand) async throws(LiveError) -> CommandAnswer.Word {
    while true {
      if Task.isCancelled { throw .failure(.cancelled) }
      let wait = nextWait()
      let answer = await waiting {
        ask(command, wait, $0)
      } onCancel: { session in
        guard let id = session.asking.first(where: { $1.wait == wait })?.key else { return }
        session.giveUp(id, resumption: session.machine?.resumption)
      }
      if let word = try answer.get() { return word }
      if let failure = await rosterAnswer() { throw .failure(failure) }
    }
  }

  /// Sends what a command asks for.
  ///
  /// - Parameter waiter: Gets the answer; nil if the roster has to be known first.
  private func ask(_ command: RosterCommand, _ wait: Int, _ waiter: AskedCommand.Waiter) {
    guard machine?.isOnline == true else {
      return waiter.resume(returning: .failure(.failure(.notOnline)))
    }
    let decided: DecidedCommand
    do throws(CommandRefusal) {
      decided = try session.decide(command)
    } catch {
      if case .rosterNotKnown = error, fetching != nil {
        return waiter.resume(returning: .success(nil))
      }
      return waiter.resume(returning: .failure(.refusal(error)))
    }
    for element in decided.elements { send(element.bytes) }
    flush()
    guard ending == nil, machine?.isOnline == true else {
      return waiter.resume(returning: .failure(.outcomeUnknown(willBeSentAgain: false)))
    }
    guard decided.isAnswered else { return waiter.resume(returning: .success(.result)) }
    asking[decided.id] = AskedCommand(
      wait: wait, stanzas: decided.elements.map(\.bytes), sent: now, waiter: waiter)
  }

  /// Waits no longer for the answer to a command.
  ///
  /// - Parameter resumption: The session that can be resumed; nil if none can.
  func giveUp(_ command: CommandID, resumption: Resumption?) {
    guard let asked = asking.removeValue(forKey: command) else { return }
    let isSentAgain = resumption?.resends(anyOf: asked.stanzas) ?? false
    asked.waiter.resume(returning: .failure(.outcomeUnknown(willBeSentAgain: isSentAgain)))
  }

  /// Waits until the server has answered for the roster, or has not answered in time.
  ///
  /// - Parameter cancel: Ends the wait of this number when the task is cancelled.
  /// - Returns: Why the wait ended before; nil if it did not.
  func rosterAnswer(
    onCancel cancel: @escaping @Sendable (isolated LiveSession, Int) -> Void = {
      $0.awaitingRoster.removeValue(forKey: $1)?.resume(returning: .cancelled)
    }
  ) async -> LiveFailure? {
    let number = nextWait()
    return await waiting { (waiter: FailureWaiter) in
      guard fetching != nil else { return waiter.resume(returning: nil) }
      // Where there is a connection, its end ends the wait.
      guard machine != nil else { return waiter.resume(returning: lastFailure ?? .notOnline) }
      awaitingRoster[number] = waiter
    } onCancel: {
      cancel($0, number)
    }
  }

  /// Nothing more is waited for of the roster: it is known, refused, or overdue.
  func rosterSettled() {
    fetching = nil
    if phase == .starting { phase = .running }
    let waiters = awaitingRoster.values
    awaitingRoster = [:]
    for waiter in waiters { waiter.resume(returning: nil) }
  }

  /// Records what the user says and no server keeps, such as a star; also without a connection. It
  /// is on the disk, and `roster` has it, on return.
  ///
  /// The longest wait is that for the disk. If the task is cancelled it is recorded all the same.
  ///
  /// - Throws: `LiveFailure` if it cannot be recorded, `.cancelled` if the task was cancelled
  ///   before it was on the disk.
  public func annotate(_ annotation: RosterAnnotation) async throws(LiveFailure) {
    let id = "annotation \(nextWait())"
    let failure = await waiting { (waiter: FailureWaiter) in
      do throws(RollcallError) {
        for step in try session.annotate(annotation, at: now) {
          news.append((step, session.roster))
        }
      } catch {
        return waiter.resume(returning: .recording(error))
      }
      answers.append((id, nil))
      annotating[id] = waiter
      flush()
    } onCancel: {
      $0.annotating.removeValue(forKey: id)?.resume(returning: .cancelled)
    }
    if let failure { throw failure }
  }

  /// Gives the account another password. The session reconnects with it; later sessions do so only
  /// if the caller keeps it.
  ///
  /// If the connection is lost before the answer, the server may have taken the new password or
  /// not. The session then reconnects with the one of the two that the server accepts.
  ///
  /// The longest wait is 65 seconds. A lost connection and a cancelled task end it.
  ///
  /// - Throws: `LiveFailure` if the server refuses it or there is no session. After `.cancelled`,
  ///   `.lost` and `.timeout` the server may have taken the password.
  public func changePassword(to password: Password) async throws(LiveFailure) {
    try await request { machine throws(LiveFailure) in
      guard passwords.request == nil else { throw .passwordChangePending }
      let request = machine.passwordChanged(to: password)
      passwords.asked(for: password, by: request.id)
      return request
    }
  }

  /// Waits until the server has answered all that it was sent before, and that is on the disk.
  ///
  /// The longest wait is 65 seconds. A lost connection and a cancelled task end it.
  ///
  /// - Throws: `LiveFailure` if there is no session, or none any more.
  public func ping() async throws(LiveFailure) {
    try await request { $0.pinged() }
  }

  /// Sends a request of the connection's own, and waits for the answer.
  private func request(
    _ begin: (inout ClientMachine) throws(LiveFailure) -> (id: String, result: ClientResult)
  ) async throws(LiveFailure) {
    if Task.isCancelled { throw .cancelled }
    let wait = nextWait()
    let failure = await waiting { (waiter: FailureWaiter) in
      guard var machine, machine.isOnline else { return waiter.resume(returning: .notOnline) }
      do throws(LiveFailure) {
        let (id, result) = try begin(&machine)
        requesting[id] = WaitingRequest(wait: wait, sent: now, waiter: waiter)
        act { own in
          own = machine
          return result
        }
      } catch {
        return waiter.resume(returning: error)
      }
      flush()
    } onCancel: { session in
      guard let id = session.requesting.first(where: { $1.wait == wait })?.key else { return }
      session.requesting.removeValue(forKey: id)?.waiter.resume(returning: .cancelled)
    }
    if let failure { throw failure }
  }

  /// A request was answered, or an annotation is on the disk.
  func answered(_ id: String, _ failure: LiveFailure?) {
    passwords.answered(id, isDone: failure == nil)
    requesting.removeValue(forKey: id)?.waiter.resume(returning: failure)
    annotating.removeValue(forKey: id)?.resume(returning: failure)
  }

  /// Ends the waits whose answer is overdue.
  func endOverdueWaits() {
    // Also those whose caller waits no longer.
    for answer in session.timeouts(at: now) { told(answer) }
    guard machine?.isOnline == true else { return }
    if let sent = fetching?.sent, now - sent >= patience.answer { rosterSettled() }
    // A session forgets the oldest of very many commands, and their answers with them.
    for (id, asked) in asking where now - asked.sent >= patience.answer {
      asking[id] = nil
      asked.waiter.resume(returning: .success(.timeout))
    }
    for (id, request) in requesting where now - request.sent >= patience.answer {
      requesting[id] = nil
      request.waiter.resume(returning: .timeout("an answer"))
    }
  }

  /// Ends the waits for a server whose connection is gone.
  ///
  /// - Parameter goesOn: Whether the session may be resumed.
  func endWaits(_ failure: LiveFailure, goesOn: Bool) {
    for command in asking.keys { giveUp(command, resumption: goesOn ? resumption : nil) }
    let waiters = requesting.values.map(\.waiter) + awaitingRoster.values
    (requesting, awaitingRoster) = ([:], [:])
    for waiter in waiters { waiter.resume(returning: failure) }
  }

  // MARK: One wait

  func nextWait() -> Int {
    waits += 1
    return waits
  }

  /// Waits until the continuation that `begin` is given is resumed.
  ///
  /// Other steps of the session may come between the call and `begin`, which is one step.
  ///
  /// - Parameter cancel: Resumes the continuation if that has not been done; called when the task
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
      // After the continuation was put where `cancel` looks for it.
      loop.execute { self.assumeIsolated { cancel($0) } }
    }
  }
}
