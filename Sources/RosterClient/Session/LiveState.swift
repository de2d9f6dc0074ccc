public import Foundation

/// What a session does at the moment, for a user who waits.
///
/// Later versions may add cases.
public enum LiveState: Hashable, Sendable {
  /// The session was not started, or its start failed for a reason that is not final.
  case idle
  /// It looks up the server, connects or logs in.
  case connecting
  /// Stanzas can be sent. If `resumed`, the session is the one of the last connection
  /// (XEP-0198 §5), otherwise a new one, which asks for the roster.
  case online(resumed: Bool)
  /// The connection was lost, and the session connects again at this time, or as soon as
  /// `reconnect` is called.
  case waiting(until: Date, because: LiveFailure)
  /// There is no connection until `resume` is called.
  case suspended
  /// The session ends its stream.
  case closing
  /// The session was closed. It is over.
  case closed
  /// The session is over for a reason that another attempt would not change.
  case failed(LiveFailure)

  /// Whether stanzas can be sent.
  public var isOnline: Bool { if case .online = self { true } else { false } }

  /// Whether the session is over: this is its last state.
  public var isOver: Bool {
    switch self {
    case .closed, .failed: true
    case .idle, .connecting, .online, .waiting, .suspended, .closing: false
    }
  }
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
