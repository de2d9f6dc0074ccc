import Captures
import RosterCore
import XMPPStanza

/// Leaves out of the stream of a connection what a policy does not keep.
struct RecordingFilter {
  /// A part of the stream with its time.
  typealias Part = (content: CapturedRecord.Content, time: Int64?)

  private let policy: RecordingPolicy
  private var news = AcknowledgementNews()
  /// The last acknowledgement that was left out, unless another element was recorded after it.
  private var lastSign: Part?
  private var encoder = EventEncoder()

  init(_ policy: RecordingPolicy) { self.policy = policy }

  /// Notes the next part of the stream, whose credentials were removed.
  ///
  /// - Returns: What is recorded of it; nil if nothing is.
  mutating func kept(of part: Part) -> CapturedRecord.Content? {
    guard policy != .everything else { return part.content }
    switch part.content {
    case .element(let direction, let node, _):
      switch policy.acknowledgements {
      case .all: break
      case .news:
        if news.isOld(node, direction) {
          lastSign = part
          return nil
        }
      }
      let content = kept(of: node, direction, part.content)
      if content != nil { lastSign = nil }
      return content
    case .streamHeader, .lifecycle: news.streamChanged()
    case .unreadable(let unreadable):
      // They may be a part of a message.
      if policy.messages != .all { return .unreadable(unreadable.withoutBytes) }
    case .streamEnd, .annotation: break
    }
    return part.content
  }

  private mutating func kept(
    of node: XMPPElement, _ direction: Direction, _ content: CapturedRecord.Content
  ) -> CapturedRecord.Content? {
    guard policy.messages != .all, node.is("message", in: Namespace.client) else { return content }
    if policy.messages == .none {
      encoder.encode(node, direction)
      guard encoder.storedEvent != nil else { return nil }
    }
    guard let head = MessageHead.head(of: node, withBody: policy.messages != .none) else {
      return content
    }
    return .element(direction, head, bytes: head.serialized())
  }

  /// Returns what is recorded before a part: the last acknowledgement of a connection is news once
  /// the connection ends, because it says until when the connection was alive.
  ///
  /// - Parameter content: The part; nil if the recording ends.
  mutating func owed(before content: CapturedRecord.Content?) -> Part? {
    if case .element = content { nil } else { lastSign.take() }
  }
}
