package import Captures
package import EventStore
import RawBytes
package import RosterCore
package import XMPPStanza
import XMPPStream

extension RecordKind {
  /// A stanza or another complete top-level element of a stream.
  package static let element = RecordKind(rawValue: 1)
  /// The start tag of a stream.
  package static let streamHeader = RecordKind(rawValue: 2)
  /// The end tag of a stream.
  package static let streamEnd = RecordKind(rawValue: 3)
  /// What a capture contains about its stream besides the XML: a line of the native format.
  package static let lifecycle = RecordKind(rawValue: 4)
  /// A note in the log: an `AnnotationLine`, such as a `Bookmark` or a star.
  package static let annotation = RecordKind(rawValue: 5)

  /// Bytes that could not be read: `UnreadableBytes`. They do not affect the roster; an element
  /// beyond a limit is a finding.
  package static let unreadable = RecordKind(rawValue: 6)

  /// The kind in one word, for people.
  package var name: String {
    switch self {
    case .element: "element"
    case .streamHeader: "stream header"
    case .streamEnd: "stream end"
    case .lifecycle: "lifecycle"
    case .policy: "policy"
    case .annotation: "annotation"
    case .unreadable: "unreadable"
    default: "kind \(rawValue)"
    }
  }
}

/// Decodes the meaning of records from their raw bytes. All derived data is rebuilt this way.
package final class RecordReader {
  /// The version of all derived data; raised when the translation or the codec changes.
  package static let version = EventEncoder.version

  private let parser = StreamParser(root: .records, limits: .capture)
  private var encoder = EventEncoder()

  package init() {}

  /// Decodes the meaning of a record. A malformed one has none; it was kept because it was
  /// received.
  package func decode(
    _ kind: RecordKind, _ direction: RecordDirection, _ bytes: [UInt8]
  ) -> DerivedParts {
    encoder.removeAll()
    switch kind {
    case .element:
      guard let direction = Direction(direction), let node = element(bytes) else { break }
      encoder.encode(node, direction)
    case .streamHeader: encoder.encode(.negotiated)
    case .streamEnd:
      guard let direction = Direction(direction) else { break }
      encoder.encode(.ended(direction))
    case .lifecycle, .policy:
      if let lifecycle = Lifecycle(bytes) { encoder.encode(lifecycle) }
    case .annotation:
      if let line = AnnotationLine(bytes) { encoder.encode(line) }
    case .unreadable:
      if let unreadable = UnreadableBytes(line: bytes) { encoder.encode(unreadable) }
    default: break
    }
    return DerivedParts(encoder)
  }

  /// Decodes the meaning of a record at its place in the log.
  package func decode(_ header: RecordHeader, _ bytes: RawSpan) -> DerivedParts {
    decode(header.kind, header.direction, [UInt8](bytes))
  }

  /// Whether a record's bytes are valid for its kind, as far as this can be checked. Used to decide
  /// whether a damaged record is still readable.
  package func reads(_ header: RecordHeader, _ bytes: [UInt8]) -> Bool {
    switch header.kind {
    case .element: element(bytes) != nil
    case .lifecycle, .policy: Lifecycle(bytes) != nil
    case .annotation:
      AnnotationLine(bytes).map { $0.annotation != nil || $0.subject != nil } ?? false
    case .unreadable: UnreadableBytes(line: bytes) != nil
    case .streamHeader, .streamEnd: String(validating: bytes, as: UTF8.self) != nil
    default: false
    }
  }

  /// The element in a record's bytes; nil if there is none.
  package func element(_ bytes: [UInt8]) -> XMPPElement? {
    var found: XMPPElement?
    do {
      try parser.feed(bytes) { event in
        if case .element(let element) = event { found = element.node }
      }
      try parser.finish()
    } catch {
      // Only on failure, because a fresh context for each record would cost more than the records.
      parser.reset()
    }
    return found
  }
}

extension ReadTransaction {
  /// Whether the stored events and the contact index are complete and of this program's version, so
  /// that this transaction may read them.
  var hasCurrentEvents: Bool {
    get throws { try meta.eventVersion == RecordReader.version }
  }
}

extension DerivedParts {
  /// The last encoded event.
  init(_ encoder: borrowing EventEncoder) {
    self.init(event: encoder.event, contacts: encoder.contacts)
  }
}

extension EventEncoder {
  /// Encodes the meaning of a captured or recorded part of a stream.
  package mutating func encode(_ content: CapturedRecord.Content) {
    switch content {
    case .element(let direction, let node, _): encode(node, direction)
    case .streamHeader: encode(.negotiated)
    case .streamEnd(let direction): encode(.ended(direction))
    case .lifecycle(let lifecycle): encode(lifecycle)
    case .unreadable(let unreadable): encode(unreadable)
    case .annotation(let line): encode(line)
    }
  }

  fileprivate mutating func encode(_ lifecycle: Lifecycle) {
    removeAll()
    if let event = lifecycle.event { encode(event) }
  }

  fileprivate mutating func encode(_ line: AnnotationLine) {
    removeAll()
    if let subject = line.subject {
      encode(subject: subject)
    } else if let annotation = line.annotation {
      encode(annotation)
    }
  }

  /// Encodes a rejection for an element beyond a limit. Other unreadable bytes have no meaning.
  fileprivate mutating func encode(_ unreadable: UnreadableBytes) {
    removeAll()
    guard unreadable.isBeyondLimit else { return }
    encode(Rejection(kind: .limit, reason: unreadable.reason))
  }
}

extension Direction {
  /// Nil for a record without a direction.
  package init?(_ direction: RecordDirection) {
    switch direction {
    case .inbound: self = .inbound
    case .outbound: self = .outbound
    case .none: return nil
    }
  }
}

extension RecordDirection {
  package init(_ direction: Direction) {
    switch direction {
    case .inbound: self = .inbound
    case .outbound: self = .outbound
    }
  }
}
