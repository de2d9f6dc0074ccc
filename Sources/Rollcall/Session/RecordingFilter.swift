import Captures
import SessionCore

/// Leaves out of the stream of a connection what a policy does not keep.
struct RecordingFilter {
  /// A part of the stream with its time.
  typealias Part = (content: CapturedRecord.Content, time: Int64?)

  private let policy: RecordingPolicy
  private var news = AcknowledgementNews()
  /// The last acknowledgement that was left out, unless another element has followed it.
  private var lastSign: Part?

  init(_ policy: RecordingPolicy) { self.policy = policy }

  /// Notes the next part of the stream, whose credentials were removed.
  ///
  /// - Returns: What is recorded of it; nil if nothing is.
  mutating func kept(of part: Part) -> CapturedRecord.Content? {
    switch policy.acknowledgements {
    case .all: break
    case .news:
      if isOld(part.content) {
        lastSign = part
        return nil
      }
    }
    return part.content
  }

  private mutating func isOld(_ content: CapturedRecord.Content) -> Bool {
    switch content {
    case .element(let direction, let node, _):
      guard !news.isOld(node, direction) else { return true }
      lastSign = nil
    case .streamHeader, .lifecycle: news = AcknowledgementNews()
    case .streamEnd, .annotation, .unreadable: break
    }
    return false
  }

  /// Returns what is recorded before a part: the last acknowledgement of a connection is news once
  /// the connection ends, because it says until when the connection was alive.
  ///
  /// - Parameter content: The part; nil if the recording ends.
  mutating func owed(before content: CapturedRecord.Content?) -> Part? {
    if case .element = content { nil } else { lastSign.take() }
  }
}
