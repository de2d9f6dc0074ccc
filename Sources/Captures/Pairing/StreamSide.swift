package import XMPPStanza
import XMPPStream

/// The direction of a file that has the bytes of one direction of a stream.
package struct StreamSide: Hashable, Sendable {
  /// The direction of its elements.
  package let direction: Direction
  /// Whether a stream header proves the direction; otherwise it is a guess from most elements.
  package let isCertain: Bool

  /// Examines the first bytes of a file; 64 KiB are enough.
  ///
  /// Nil if they are not the bytes of a stream, or have both directions.
  package init?(_ head: [UInt8]) {
    guard CaptureFormat.detect(head)?.id == "raw-stream" else { return nil }
    var guess = DirectionGuess()
    var headers: Set<Direction> = []
    var inbound = 0
    let reader = RawXMLReader(ReaderOptions(), side: .inbound)
    // The last element may be cut off, which is no error here.
    try? reader.read(head) { output in
      guard case .record(let record) = output else { return }
      switch record.content {
      case .streamHeader(_, let node, _):
        headers.insert(DirectionGuess.direction(ofHeader: node))
      case .element(_, let node, let bytes):
        let element = StreamEvent.element(StreamElement(node: node, bytes: bytes))
        inbound += guess.direction(of: element) == .inbound ? 1 : -1
      case .lifecycle, .streamEnd, .annotation, .unreadable: break
      }
    }
    switch (headers.contains(.inbound), headers.contains(.outbound)) {
    case (true, true): return nil
    case (true, false): (direction, isCertain) = (.inbound, true)
    case (false, true): (direction, isCertain) = (.outbound, true)
    case (false, false): (direction, isCertain) = (inbound > 0 ? .inbound : .outbound, false)
    }
  }
}
