/// What a session does at the moment, for a user who waits.
public enum LiveState: Hashable, Sendable {
  /// The session was not started, or its start failed for a reason that is not final.
  case idle
  /// It looks up the server, connects or logs in.
  case connecting
  /// Stanzas can be sent. After a resumption the session is the one of the last connection
  /// (XEP-0198 §5), otherwise a new one.
  case online(isResumed: Bool)
  /// The connection was lost, and the session connects again at this time, in milliseconds since
  /// 1970, or as soon as `connectNow` is called.
  case waiting(until: Int64, because: LiveFailure)
  /// The session ends its stream.
  case closing
  /// The session is over, with the reason; nil if it ended in order.
  case over(LiveFailure?)
}

/// The states of a session, for one watcher.
///
/// A watcher that is slow misses the older ones of the states that wait for it. Can be iterated
/// once.
public struct LiveStates: AsyncSequence, Sendable {
  /// The type of a state.
  public typealias Element = LiveState
  /// Never throws.
  public typealias Failure = Never

  let stream: AsyncStream<LiveState>

  /// Iterates over the states.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var iterator: AsyncStream<LiveState>.Iterator

    /// The next state; nil after the last one or if the task is cancelled.
    public mutating func next() async -> LiveState? { await iterator.next() }
  }

  /// Returns the iterator.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(iterator: stream.makeAsyncIterator())
  }
}
