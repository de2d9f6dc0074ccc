import RawBytes
package import RosterCore
package import XMPPStanza

// The encoding of events that tests make as values. `EventEncoder` encodes elements.
extension RosterEvent: CanonicalCodable {
  package func encode(to output: inout CanonicalOutput) {
    switch self {
    case .session(let event): event.encode(to: &output)
    case .stanza(let event): event.encode(to: &output)
    case .annotation(let annotation):
      output.write(tag: 64)
      output.write(annotation)
    }
  }
}

extension StanzaEvent {
  fileprivate func encode(to output: inout CanonicalOutput) {
    switch self {
    case .querySent(let query):
      output.write(tag: 16)
      output.write(query)
    case .setSent(let set):
      output.write(tag: 17)
      set.encode(to: &output)
    case .answerReceived(let answer):
      output.write(tag: 18)
      answer.encode(to: &output)
    case .pushReceived(let push):
      output.write(tag: 19)
      push.encode(to: &output)
    case .answerSent(let id, let to, let error):
      output.write(tag: 20)
      output.write(id)
      output.write(to)
      output.write(error)
    case .subscriptionReceived(let stanza):
      output.write(tag: 32)
      output.write(stanza)
    case .subscriptionSent(let stanza):
      output.write(tag: 33)
      output.write(stanza)
    case .availableReceived(let from, let availability):
      output.write(tag: 34)
      output.write(from)
      output.write(availability)
    case .unavailableReceived(let from, let status):
      output.write(tag: 35)
      output.write(from)
      output.write(status)
    case .presenceErrorReceived(let from, let report):
      output.write(tag: 37)
      output.write(from)
      output.write(report)
    case .presenceSent(let to, let isAvailable):
      output.write(tag: 36)
      output.write(to)
      output.write(isAvailable)
    case .blocked(let from, let jids):
      output.write(tag: 48)
      output.write(from)
      output.write(jids)
    case .unblocked(let from, let jids):
      output.write(tag: 49)
      output.write(from)
      output.write(jids)
    case .blockingSent(let request):
      output.write(tag: 53)
      output.write(request)
    case .nicknamePublished(let jid, let nickname):
      output.write(tag: 50)
      output.write(jid)
      output.write(nickname)
    case .rejected(let rejection):
      output.write(tag: 51)
      output.write(rejection.kind.rawValue)
      output.write(rejection.reason)
    case .vCardPublished(let jid, let names):
      output.write(tag: 52)
      output.write(jid)
      output.write(names)
    }
  }
}

extension RosterSet {
  fileprivate func encode(to output: inout CanonicalOutput) {
    output.write(id)
    output.write(peer)
    query.encode(to: &output)
  }
}

extension Answer {
  fileprivate func encode(to output: inout CanonicalOutput) {
    output.write(id)
    output.write(from)
    switch payload {
    case .nothing: output.write(tag: 0)
    case .other: output.write(tag: 1)
    case .roster(let query):
      output.write(tag: 2)
      query.encode(to: &output)
    case .blockList(let jids):
      output.write(tag: 3)
      output.write(jids)
    case .vCard(let names):
      output.write(tag: 4)
      output.write(names)
    case .nickname(let name):
      output.write(tag: 5)
      output.write(name)
    case .error(let report):
      output.write(tag: 6)
      output.write(report)
    }
  }
}

extension RosterQuery {
  fileprivate func encode(to output: inout CanonicalOutput) {
    output.write(version)
    output.write(UInt64(items.count))
    for item in items {
      switch item.change {
      case .set(let item):
        output.write(tag: 0)
        output.write(item)
      case .remove(let jid):
        output.write(tag: 1)
        output.write(jid)
      }
      output.write(item.unknownSubscription)
    }
    output.write(malformed)
  }
}

// The contacts of an event, stated apart from the encoder, which tests compare with these.
extension RosterEvent {
  /// The contacts that the event names, in no order, and some perhaps twice.
  var contacts: [BareJID] {
    switch self {
    case .session: []
    case .stanza(let event): event.contacts
    case .annotation(let annotation): annotation.contacts
    }
  }
}

extension StanzaEvent {
  fileprivate var contacts: [BareJID] {
    switch self {
    case .setSent(let set), .pushReceived(let set): set.query.items.map(\.jid)
    case .answerReceived(let answer): answer.payload.contacts
    case .subscriptionReceived(let stanza), .subscriptionSent(let stanza): [stanza.contact]
    case .availableReceived(let from, _), .unavailableReceived(let from, _),
      .presenceErrorReceived(let from, _):
      [from.bare]
    case .blockingSent(let request): request.jids.map(\.bare)
    case .blocked(_, let jids), .unblocked(_, let jids): jids.map(\.bare)
    case .nicknamePublished(let jid, _), .vCardPublished(let jid, _): [jid]
    case .querySent, .answerSent, .presenceSent, .rejected: []
    }
  }
}

extension Answer.Payload {
  fileprivate var contacts: [BareJID] {
    switch self {
    case .roster(let query): query.items.map(\.jid)
    case .blockList(let jids): jids.map(\.bare)
    case .nothing, .other, .vCard, .nickname, .error: []
    }
  }
}

extension RosterEvent {
  /// What an element means; nil if it means nothing to the roster.
  package init?(_ element: XMPPElement, _ direction: Direction) {
    var encoder = EventEncoder()
    encoder.encode(element, direction)
    self.init(encodedIn: encoder)
  }

  /// The event that was encoded last; nil if there is none.
  init?(encodedIn encoder: EventEncoder) {
    guard let event = encoder.event else { return nil }
    do {
      try self.init(stored: event.span.bytes)
    } catch {
      fatalError("what was just encoded cannot be read: \(error)")
    }
  }
}

extension RosterReducer {
  /// Reduces an event that is a value.
  @discardableResult
  package static func reduce(
    _ roster: inout Roster, _ event: RosterEvent, at stamp: RecordStamp,
    on connection: ConnectionID = .first, reporting: Reporting = .everything
  ) -> RosterOutcome {
    reduce(&roster, event.canonicalBytes, at: stamp, on: connection, reporting: reporting)
  }

  /// Reduces an event that was just encoded.
  @discardableResult
  package static func reduce(
    _ roster: inout Roster, _ event: [UInt8], at stamp: RecordStamp,
    on connection: ConnectionID = .first, reporting: Reporting = .everything
  ) -> RosterOutcome {
    do {
      return try reduce(
        &roster, event.span.bytes, at: stamp, on: connection, reporting: reporting)
    } catch {
      fatalError("\(event) does not read back as it was written: \(error)")
    }
  }
}
