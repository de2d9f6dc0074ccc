import Rollcall

/// Why a request or a stanza was not answered with a result.
enum RequestFailure: Error {
  /// Nothing was sent.
  case notSent(LiveFailure)
  /// The answer is an error.
  case refused(StanzaError)
  /// The wait for the answer has ended; `willBeSentAgain` as in `LiveError.outcomeUnknown`.
  case unanswered(LiveFailure, willBeSentAgain: Bool)

  /// The failure for a caller of a request of the session's own.
  var failure: LiveFailure {
    switch self {
    case .notSent(let failure), .unanswered(let failure, _): failure
    case .refused(let error): .protocolViolation("it refused a request (\(error))")
    }
  }

  /// The error for a caller who sent a stanza.
  var error: LiveError {
    switch self {
    case .notSent(let failure): .failure(failure)
    case .refused(let error): .refused(error)
    case .unanswered(.timeout, willBeSentAgain: false): .timeout
    case .unanswered(_, let willBeSentAgain): .outcomeUnknown(willBeSentAgain: willBeSentAgain)
    }
  }
}

// Requests other than commands, and stanzas: what is sent and answered one by one.
extension LiveSession {
  /// Sends a request other than a command, or a stanza, and waits for the answer.
  func request(
    _ begin: (inout ClientMachine) throws(LiveFailure) -> (name: String, result: ClientResult)
  ) async throws(RequestFailure) -> StanzaAnswer {
    if Task.isCancelled { throw .notSent(.cancelled) }
    let wait = nextWait()
    let answer = await waiting { (waiter: PendingRequest.Waiter) in
      guard ending == nil, var machine, machine.isOnline else {
        return waiter.resume(returning: .failure(.notSent(.notOnline)))
      }
      do throws(LiveFailure) {
        let (name, result) = try begin(&machine)
        pendingRequests[name] = PendingRequest(
          wait: wait, stanzas: result.actions.compactMap(\.bytes), sent: now, waiter: waiter)
        act { own in
          own = machine
          return result
        }
      } catch {
        return waiter.resume(returning: .failure(.notSent(error)))
      }
      flush()
    } onCancel: { session in
      guard let name = session.pendingRequests.first(where: { $1.wait == wait })?.key else {
        return
      }
      session.giveUp(name, .cancelled, resumption: session.machine?.resumption)
    }
    return try answer.get()
  }

  /// Stops waiting for the answer to a request.
  ///
  /// - Parameter resumption: The session that can be resumed; nil if none can.
  func giveUp(_ name: String, _ failure: LiveFailure, resumption: Resumption?) {
    guard let asked = pendingRequests.removeValue(forKey: name) else { return }
    let isSentAgain = resumption?.resends(anyOf: asked.stanzas) ?? false
    asked.waiter.resume(
      returning: .failure(.unanswered(failure, willBeSentAgain: isSentAgain)))
  }

  /// A request or a stanza was answered, or an annotation or a command without an answer is on
  /// disk.
  func answered(_ answered: NamedAnswer) {
    let outcome = outcome(of: answered)
    let failure: LiveFailure? =
      if case .failure(let failure) = outcome { failure.failure } else { nil }
    passwords.answered(answered.name, isDone: failure == nil)
    pendingRequests.removeValue(forKey: answered.name)?.waiter.resume(returning: outcome)
    pendingAnnotations.removeValue(forKey: answered.name)?.resume(returning: failure)
    if let command = unrecordedCommands.removeValue(forKey: answered.name) {
      guard failure == nil else { return giveUp(command, resumption: nil) }
      pendingCommands.removeValue(forKey: command)?.waiter.resume(returning: .success(.result))
    }
  }

  private func outcome(of answered: NamedAnswer) -> Result<StanzaAnswer, RequestFailure> {
    switch answered.answer {
    case .result(let element):
      .success(.result(element, answered.stamp ?? RecordStamp(record: roster.position)))
    case .acknowledged: .success(.acknowledged)
    case .written: .success(.written)
    case .refused(let error): .failure(.refused(error))
    case .failed(.notOnline): .failure(.notSent(.notOnline))
    case .failed(let failure): .failure(.unanswered(failure, willBeSentAgain: false))
    }
  }
}
