import Foundation
import NIOCore
import Rollcall

// What the user waits for.
extension LiveSession {
  /// Returns the states of the session from now on, for one watcher.
  ///
  /// The sequence begins with the current state, and ends after `closed` or `failed`. Does not
  /// wait.
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
      let number = nextWait()
      stateWatchers[number] = continuation
      continuation.onTermination = atEnd { $0.stateWatchers[number] = nil }
    }
    return LiveStates(stream: stream)
  }

  /// Returns what to do when a watcher no longer iterates over its sequence.
  func atEnd<End>(
    _ body: @escaping @Sendable (isolated LiveSession) -> Void
  ) -> @Sendable (End) -> Void {
    { [weak self, loop] _ in
      loop.execute { [weak self] in self?.assumeIsolated { body($0) } }
    }
  }

  /// Connects again at once.
  ///
  /// If the session waits to connect, the wait ends. If it is online and `start` has returned, it
  /// drops its connection and resumes the session over another one: call this when the device has
  /// moved to another network, because the old connection may be dead without the system saying so.
  /// Otherwise does nothing. Does not wait; `states` has what becomes of it.
  public func reconnect() {
    if !isSuspended, let wake = wake.take() {
      wake.succeed()
    } else if phase == .running, machine?.isOnline == true {
      connectsAtOnce = true
      drop(.lost(reason: "the application asked for another connection"))
    }
  }

  /// Drops the connection, until `resume` is called: for an application that goes to the background
  /// and that the system may stop at any moment.
  ///
  /// The stream is not ended, so a server with stream management (XEP-0198) keeps the session, with
  /// everything that arrives, for as long as it is willing to, and `resume` continues it. Contacts
  /// see that the user is offline only when the server gives up. Waits end as after a lost
  /// connection, but a `start` that has not returned continues after `resume`. Does nothing if the
  /// session was not started or is over; if it is suspended already, only waits.
  ///
  /// When this returns, everything is on disk. The log remains open, and other recorders are still
  /// refused. Waits for the disk only; a cancelled task does not wait.
  public func suspend() async {
    guard phase.connects else { return }
    if !isSuspended {
      isSuspended = true
      enter(.suspended)
      wake.take()?.succeed()
      drop(.suspended)
    }
    let number = nextWait()
    await waiting { (waiter: CheckedContinuation<Void, Never>) in
      guard machine != nil else { return waiter.resume() }
      dropWaiters[number] = waiter
    } onCancel: {
      $0.dropWaiters.removeValue(forKey: number)?.resume()
    }
    try? await session.durable()
  }

  /// Connects again after `suspend`, at once, and resumes the session if the server still has it.
  /// Does nothing if the session is not suspended. Does not wait; `states` has what becomes of it.
  public func resume() {
    guard isSuspended else { return }
    isSuspended = false
    connectsAtOnce = true
    if phase.connects { enter(.connecting) }
    wake.take()?.succeed()
  }

  /// Ends the connection without ending the stream.
  private func drop(_ reason: LiveFailure) {
    act { $0.disconnected(reason) }
    flush()
  }

  /// Tells the watchers.
  func enter(_ next: LiveState) {
    guard next != state else { return }
    state = next
    for watcher in stateWatchers.values { watcher.yield(next) }
    hub.tell(connection: next)
  }

  /// Ends the sequences of states.
  func closeStates() {
    for watcher in stateWatchers.values { watcher.finish() }
    stateWatchers = [:]
  }

  /// Waits before another connection, until the time has come, the session is closed or the
  /// application wants to connect at once. While the session is suspended, waits until it no longer
  /// is.
  func pause(because failure: LiveFailure) async {
    if isSuspended {
      await rest(for: nil)
    } else if !connectsAtOnce {
      let delay = Int64(
        Double(reconnection.delay(.random(in: 0..<1))) * timeouts.reconnection)
      enter(.waiting(until: Date(timeIntervalSinceNow: Double(delay) / 1000), because: failure))
      await rest(for: delay)
    }
  }

  /// Waits until `wake` succeeds, the task is cancelled, or the time in milliseconds has passed.
  func rest(for delay: Int64?) async {
    let promise = loop.makePromise(of: Void.self)
    let timer = delay.map { loop.scheduleTask(in: .milliseconds($0)) { promise.succeed() } }
    wake = promise
    try? await value(of: promise.futureResult)
    timer?.cancel()
    wake = nil
    promise.succeed()
  }
}
