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
  /// What a capture says about its stream beside the XML: a line of the native format.
  package static let lifecycle = RecordKind(rawValue: 4)
  /// What somebody noted in the log: an `AnnotationLine`, such as a `Bookmark` or a star.
  package static let annotation = RecordKind(rawValue: 5)

  /// Bytes that nobody could read: `UnreadableBytes`. They mean nothing to the roster; that an
  /// element was beyond a limit is a finding.
  package static let unreadable = RecordKind(rawValue: 6)

  /// The kind in a word, for a person.
  package var name: String {
    switch self {
    case .element: "element"
    case .streamHeader: "stream header"
    case .streamEnd: "stream end"
    case .lifecycle: "lifecycle"
    case .annotation: "annotation"
    case .unreadable: "unreadable"
    default: "kind \(rawValue)"
    }
  }
}

/// What a record means: its event, and the contacts it concerns.
package struct DecodedRecord {
  /// Nil where it means nothing to the roster.
  package let event: RosterEvent?
  /// As prepared bare addresses, sorted; a bookmark concerns `Bookmark.subject`.
  package let contacts: [String]

  /// The version of everything derived; raised with the translation and with the codec.
  package static let version = StanzaTranslator.version

  /// What an element means.
  package init(_ node: XMPPElement, _ direction: Direction) {
    let (event, peer) = StanzaTranslator.read(node, direction)
    self.event = event
    contacts = Self.names(of: event, and: peer)
  }

  /// What something means that is not an element.
  package init(_ event: RosterEvent?) {
    self.event = event
    contacts = Self.names(of: event, and: nil)
  }

  /// What something means that was captured or is being recorded.
  init(_ content: CapturedRecord.Content) {
    switch content {
    case .element(let direction, let node, _): self.init(node, direction)
    case .streamHeader: self.init(.session(.negotiated))
    case .streamEnd(let direction): self.init(.session(.ended(direction)))
    case .lifecycle(let lifecycle): self.init(lifecycle.event)
    case .unreadable(let unreadable): self.init(unreadable.event)
    case .annotation(let line): self.init(annotation: line)
    }
  }

  /// The contacts of an event and one more, none twice.
  private static func names(of event: RosterEvent?, and peer: BareJID?) -> [String] {
    var jids = event?.contacts ?? []
    // Most records concern nobody or one contact.
    guard let first = jids.first else { return peer.map { [$0.text] } ?? [] }
    if jids.count == 1, peer == nil || peer == first { return [first.text] }
    if let peer, !jids.contains(peer) { jids.append(peer) }
    return Set(jids).map(\.text).sorted()
  }

  /// What an annotation means.
  package init(annotation line: AnnotationLine) {
    event = line.event
    contacts = line.subject.map { [$0] } ?? Self.names(of: event, and: nil)
  }

  /// The form in which a log stores it.
  package var parts: DerivedParts {
    DerivedParts(event: event?.canonicalBytes, contacts: contacts)
  }
}

/// Reads what records mean from their raw bytes, which is how every derived part is made anew.
package final class RecordReader {
  private let parser = StreamParser(root: .records, limits: .capture)

  package init() {}

  /// What a record means. One that is not well formed means nothing: it was kept because it was
  /// there.
  package func decode(
    _ kind: RecordKind, _ direction: RecordDirection, _ bytes: [UInt8]
  ) -> DecodedRecord {
    switch kind {
    case .element:
      guard let direction = Direction(direction), let node = element(bytes) else { break }
      return DecodedRecord(node, direction)
    case .streamHeader: return DecodedRecord(.session(.negotiated))
    case .streamEnd:
      guard let direction = Direction(direction) else { break }
      return DecodedRecord(.session(.ended(direction)))
    case .lifecycle: return DecodedRecord(Lifecycle(bytes)?.event)
    case .annotation:
      guard let line = AnnotationLine(bytes) else { break }
      return DecodedRecord(annotation: line)
    case .unreadable: return DecodedRecord(UnreadableBytes(line: bytes)?.event)
    default: break
    }
    return DecodedRecord(nil)
  }

  /// What a record means, from where the log has it.
  package func decode(_ header: RecordHeader, _ bytes: RawSpan) -> DecodedRecord {
    decode(header.kind, header.direction, [UInt8](bytes))
  }

  /// Whether a record's bytes are what its kind of record holds, as far as can be seen: whether one
  /// that has changed is still to be read.
  package func reads(_ header: RecordHeader, _ bytes: [UInt8]) -> Bool {
    switch header.kind {
    case .element: element(bytes) != nil
    case .lifecycle: Lifecycle(bytes) != nil
    case .annotation:
      AnnotationLine(bytes).map { $0.event != nil || $0.subject != nil } ?? false
    case .unreadable: UnreadableBytes(line: bytes) != nil
    case .streamHeader, .streamEnd: String(validating: bytes, as: UTF8.self) != nil
    default: false
    }
  }

  /// The element that a record's bytes hold, nil where they hold none.
  package func element(_ bytes: [UInt8]) -> XMPPElement? {
    var found: XMPPElement?
    do {
      try parser.feed(bytes) { event in
        if case .element(let element) = event { found = element.node }
      }
      try parser.finish()
    } catch {
      // Only then: a context of its own for each record would cost more than the records.
      parser.reset()
    }
    return found
  }
}

extension UnreadableBytes {
  /// What they mean: an element that was passed over is told of; nil for all others.
  package var event: RosterEvent? {
    isBeyondLimit ? .stanza(.rejected(Rejection(kind: .limit, reason: reason))) : nil
  }
}

extension Direction {
  /// Nil for a record that went neither way.
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
