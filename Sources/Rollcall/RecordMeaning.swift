package import EventLog
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

  /// The kind in a word, for a person.
  package var name: String {
    switch self {
    case .element: "element"
    case .streamHeader: "stream header"
    case .streamEnd: "stream end"
    case .lifecycle: "lifecycle"
    default: "kind \(rawValue)"
    }
  }
}

/// What the bytes of a record mean: how every derived part of a log is made.
package final class RecordMeaning {
  /// The version of everything derived; raised with the translation and with the codec.
  package static let version = StanzaTranslator.version

  private let parser = StreamParser(root: .records, limits: .capture)

  package init() {}

  /// Everything derived from a record, from its raw bytes.
  package func derive(_ header: RecordHeader, _ bytes: [UInt8]) -> DerivedParts {
    if header.kind == .element, let direction = Direction(header.direction) {
      return element(bytes).map { Self.derive($0, direction) }
        ?? DerivedParts(event: nil, contacts: [])
    }
    return event(header, bytes).map(Self.derive) ?? DerivedParts(event: nil, contacts: [])
  }

  /// The event of a record, from its raw bytes.
  ///
  /// A record that is not well formed means nothing: it was kept because it was there.
  package func event(_ header: RecordHeader, _ bytes: [UInt8]) -> RosterEvent? {
    switch header.kind {
    case .element:
      guard let direction = Direction(header.direction), let node = element(bytes) else {
        return nil
      }
      return StanzaTranslator.translate(node, direction)
    case .streamHeader: return .session(.negotiated)
    case .streamEnd: return .session(.closed(isLost: false))
    case .lifecycle: return Lifecycle(bytes)?.event
    default: return nil
    }
  }

  /// The derived parts of an element that is parsed already.
  package static func derive(_ node: XMLNode, _ direction: Direction) -> DerivedParts {
    let event = StanzaTranslator.translate(node, direction)
    var contacts = event?.contacts ?? []
    let other = node.attribute(direction == .inbound ? "from" : "to")
    if let other, let jid = try? JID(parsing: other) { contacts.insert(jid.bare) }
    return DerivedParts(event: event?.canonicalBytes, contacts: contacts.map(\.text).sorted())
  }

  /// The derived parts of something that is not an element.
  package static func derive(_ event: RosterEvent) -> DerivedParts {
    DerivedParts(event: event.canonicalBytes, contacts: event.contacts.map(\.text).sorted())
  }

  /// The element that a record's bytes hold, nil where they hold none.
  package func element(_ bytes: [UInt8]) -> XMLNode? {
    var found: XMLNode?
    parser.reset()
    try? parser.feed(bytes) { event in
      if case .element(let element) = event { found = element.node }
    }
    return found
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

extension RosterEvent {
  /// The contacts that an event names.
  fileprivate var contacts: Set<BareJID> {
    guard case .stanza(let event) = self else { return [] }
    switch event {
    case .setSent(let set): return set.query.contacts
    case .pushReceived(let push): return push.query.contacts
    case .answerReceived(let answer):
      switch answer.payload {
      case .roster(let query): return query.contacts
      case .blockList(let jids): return Set(jids.map(\.bare))
      case .nothing, .other, .vCard, .nickname, .error: return []
      }
    case .subscriptionReceived(let stanza), .subscriptionSent(let stanza):
      return [stanza.contact]
    case .availableReceived(let from, _), .unavailableReceived(let from): return [from.bare]
    case .blocked(_, let jids), .unblocked(_, let jids): return Set(jids.map(\.bare))
    case .nicknamePublished(let jid, _): return [jid]
    case .querySent, .answerSent, .presenceSent, .rejected: return []
    }
  }
}

extension RosterQuery {
  fileprivate var contacts: Set<BareJID> { Set(items.map(\.jid)) }
}
