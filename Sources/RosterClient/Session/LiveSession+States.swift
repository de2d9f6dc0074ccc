import NIOCore

// What the user waits for.
extension LiveSession {
  /// Returns the states of the session from now on, for one watcher.
  ///
  /// The sequence begins with the current state, and ends after `over`. Does not wait.
  ///
  /// - Parameter limit: How many states may wait for a watcher that is slow, at least 1. Older ones
  ///   are left out then: the last one is always there.
  public func states(limit: Int = 16) -> LiveStates {
    let (stream, continuation) = AsyncStream.makeStream(
      of: LiveState.self, bufferingPolicy: .bufferingNewest(max(1, limit)))
    continuation.yield(state)
    if isEnded {
      continuation.finish()
    } else {
      stateWatchers.append(continuation)
    }
    return LiveStates(stream: stream)
  }

  /// Connects at once if the session waits to connect again: the network is back, for example, or
  /// the user does not want to wait. Does nothing in any other state.
  public func connectNow() { wake.take()?.succeed() }

  /// Tells the watchers.
  func enter(_ next: LiveState) {
    guard next != state else { return }
    state = next
    stateWatchers.removeAll { watcher in
      if case .terminated = watcher.yield(next) { true } else { false }
    }
  }

  /// Ends the sequences of states.
  func closeStates() {
    for watcher in stateWatchers { watcher.finish() }
    stateWatchers = []
  }

  /// Waits before another connection, until the time has passed, the session is closed or the
  /// application wants to connect at once.
  func pause(for delay: Int64, because failure: LiveFailure) async {
    enter(.waiting(until: now + delay, because: failure))
    let promise = loop.makePromise(of: Void.self)
    let timer = loop.scheduleTask(in: .milliseconds(delay)) { promise.succeed() }
    wake = promise
    try? await promise.futureResult.get()
    timer.cancel()
    wake = nil
  }
}
