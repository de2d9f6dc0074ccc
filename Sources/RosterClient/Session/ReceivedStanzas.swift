public import Rollcall
import XMPPStanza

/// A stanza that arrived in a session.
public struct ReceivedStanza: Hashable, Sendable {
  /// The stanza as it arrived, without credentials. The log may have only its head, or nothing of
  /// it; see `RecordingPolicy`.
  public let element: XMPPElement
  /// Its record. If nothing of it is in the log, the last record before it.
  public let stamp: RecordStamp
  /// The number of stanzas that arrived just before this one and were left out because the watcher
  /// was too slow. The log has of them what its policy keeps: by default not what messages say.
  public let missed: Int
}

/// The stanzas that arrive in a session, in order, for one watcher.
///
/// A slow watcher blocks nothing. Can be iterated once.
public struct ReceivedStanzas: AsyncSequence, Sendable {
  /// The type of a stanza.
  public typealias Element = ReceivedStanza
  /// Never throws.
  public typealias Failure = Never

  let stream: AsyncStream<ReceivedStanza>

  /// Iterates over the stanzas.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var iterator: AsyncStream<ReceivedStanza>.Iterator

    /// The next stanza; nil if the session is over or the task is cancelled.
    public mutating func next() async -> ReceivedStanza? { await iterator.next() }
  }

  /// Returns the iterator.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(iterator: stream.makeAsyncIterator())
  }
}

/// The session's end of a sequence of stanzas.
final class StanzaWatcher {
  private let continuation: AsyncStream<ReceivedStanza>.Continuation
  /// The number of stanzas that were left out since the last one that was not.
  private var missed = 0

  init(_ continuation: AsyncStream<ReceivedStanza>.Continuation) {
    self.continuation = continuation
  }

  func tell(_ element: XMPPElement, _ stamp: RecordStamp) {
    let stanza = ReceivedStanza(element: element, stamp: stamp, missed: missed)
    switch continuation.yield(stanza) {
    case .enqueued: missed = 0
    case .dropped: missed += 1
    case .terminated: break
    @unknown default: missed += 1
    }
  }

  func close() { continuation.finish() }
}
