import XMPPStanza

// Stanzas' events as they are stored, in place: what the reducer takes. Their texts are valid as
// long as the input is that they were read from; what is looked at becomes a `String` only where it
// is kept or told.

/// An address in place.
struct StoredJID {
  /// As prepared.
  let bare: UnsafeRawBufferPointer
  let resource: UnsafeRawBufferPointer?

  init(from input: inout CanonicalInput) throws(CodecError) {
    bare = try input.readTextBytes()
    resource = try input.readOptionalTextBytes()
  }

  /// The same as a value.
  var jid: JID {
    JID(prepared: BareJID(prepared: String(of: bare)), resource: resource.map { String(of: $0) })
  }
}

/// A stanza that means something to the roster, in place; what is rare is a value.
enum StoredStanza {
  case querySent(Query)
  case setSent(StoredSet)
  case answerReceived(StoredAnswer)
  case pushReceived(StoredPush)
  case answerSent(id: UnsafeRawBufferPointer, to: StoredJID?)
  case subscriptionReceived(StoredSubscription)
  case subscriptionSent(StoredSubscription)
  case presenceReceived(StoredPresence)
  case presenceSent(to: StoredJID?, isAvailable: Bool)
  case blocked(from: JID?, [JID])
  case unblocked(from: JID?, [JID])
  /// Of a bare address.
  case nicknamePublished(UnsafeRawBufferPointer, UnsafeRawBufferPointer?)
  case vCardPublished(UnsafeRawBufferPointer, VCardNames)
  case rejected(Rejection)
}

/// A `RosterSet` in place.
struct StoredSet {
  let id: UnsafeRawBufferPointer?
  let to: StoredJID?
  let query: StoredQuery

  init(from input: inout CanonicalInput) throws(CodecError) {
    id = try input.readOptionalTextBytes()
    to = try input.readOptionalAddress()
    query = try StoredQuery(from: &input)
  }
}

/// A `RosterPush` in place.
struct StoredPush {
  let id: UnsafeRawBufferPointer?
  let from: StoredJID?
  let query: StoredQuery

  init(from input: inout CanonicalInput) throws(CodecError) {
    id = try input.readOptionalTextBytes()
    from = try input.readOptionalAddress()
    query = try StoredQuery(from: &input)
  }
}

/// An `Answer` in place.
struct StoredAnswer {
  enum Payload {
    case nothing
    case other
    case roster(StoredQuery)
    case blockList([JID])
    case vCard(VCardNames)
    case nickname(UnsafeRawBufferPointer?)
    case error(condition: String?)
  }

  let id: UnsafeRawBufferPointer?
  let from: StoredJID?
  let payload: Payload

  init(from input: inout CanonicalInput) throws(CodecError) {
    id = try input.readOptionalTextBytes()
    from = try input.readOptionalAddress()
    switch try AnswerTag(from: &input) {
    case .nothing: payload = .nothing
    case .other: payload = .other
    case .roster: payload = .roster(try StoredQuery(from: &input))
    case .blockList: payload = .blockList(try input.readArray())
    case .vCard: payload = .vCard(try input.read())
    case .nickname: payload = .nickname(try input.readOptionalTextBytes())
    case .error: payload = .error(condition: try input.readOptionalText())
    }
  }
}

/// A `SubscriptionStanza` in place.
struct StoredSubscription {
  let kind: SubscriptionStanza.Kind
  let contact: UnsafeRawBufferPointer
  let status: UnsafeRawBufferPointer?
  let nickname: UnsafeRawBufferPointer?

  init(from input: inout CanonicalInput) throws(CodecError) {
    kind = try input.readName()
    contact = try input.readTextBytes()
    status = try input.readOptionalTextBytes()
    nickname = try input.readOptionalTextBytes()
  }

  /// The same as a value.
  var value: SubscriptionStanza {
    SubscriptionStanza(
      kind: kind, contact: BareJID(prepared: String(of: contact)),
      status: status.map { String(of: $0) }, nickname: nickname.map { String(of: $0) })
  }
}

/// A contact's presence in place.
struct StoredPresence {
  let from: StoredJID
  /// What it said; nil for an unavailable one.
  let availability: StoredAvailability?
}

/// An `Availability` in place.
struct StoredAvailability {
  let show: Show
  let priority: Int8
  let status: UnsafeRawBufferPointer?
  let delay: UnsafeRawBufferPointer?
  let malformed: UnsafeRawBufferPointer?

  init(from input: inout CanonicalInput) throws(CodecError) {
    show = try input.readShow()
    priority = Int8(bitPattern: try input.readTag())
    status = try input.readOptionalTextBytes()
    delay = try input.readOptionalTextBytes()
    malformed = try input.readOptionalTextBytes()
  }
}

extension Availability {
  /// A copy of what stands elsewhere.
  init(_ stored: StoredAvailability) {
    self.init(
      show: stored.show, priority: stored.priority, status: stored.status.map { String(of: $0) },
      delay: stored.delay.map { String(of: $0) },
      malformed: stored.malformed.map { String(of: $0) })
  }
}

// MARK: As values

extension StanzaEvent {
  /// The same as a value, to be looked at and kept.
  init(_ stored: StoredStanza) {
    switch stored {
    case .querySent(let query): self = .querySent(query)
    case .setSent(let set):
      self = .setSent(
        RosterSet(id: set.id.map { String(of: $0) }, to: set.to?.jid, query: set.query.value))
    case .answerReceived(let answer): self = .answerReceived(answer.value)
    case .pushReceived(let push):
      self = .pushReceived(
        RosterPush(
          id: push.id.map { String(of: $0) }, from: push.from?.jid, query: push.query.value)
      )
    case .answerSent(let id, let to): self = .answerSent(id: String(of: id), to: to?.jid)
    case .subscriptionReceived(let stanza): self = .subscriptionReceived(stanza.value)
    case .subscriptionSent(let stanza): self = .subscriptionSent(stanza.value)
    case .presenceReceived(let presence):
      self =
        presence.availability.map { .availableReceived(from: presence.from.jid, Availability($0)) }
        ?? .unavailableReceived(from: presence.from.jid)
    case .presenceSent(let to, let isAvailable):
      self = .presenceSent(to: to?.jid, isAvailable: isAvailable)
    case .blocked(let from, let jids): self = .blocked(from: from, jids)
    case .unblocked(let from, let jids): self = .unblocked(from: from, jids)
    case .nicknamePublished(let contact, let nickname):
      self = .nicknamePublished(
        BareJID(prepared: String(of: contact)), nickname.map { String(of: $0) })
    case .vCardPublished(let contact, let names):
      self = .vCardPublished(BareJID(prepared: String(of: contact)), names)
    case .rejected(let rejection): self = .rejected(rejection)
    }
  }
}

extension StoredAnswer {
  fileprivate var value: Answer {
    let payload: Answer.Payload =
      switch payload {
      case .nothing: .nothing
      case .other: .other
      case .roster(let query): .roster(query.value)
      case .blockList(let jids): .blockList(jids)
      case .vCard(let names): .vCard(names)
      case .nickname(let name): .nickname(name.map { String(of: $0) })
      case .error(let condition): .error(condition: condition)
      }
    return Answer(id: id.map { String(of: $0) }, from: from?.jid, payload: payload)
  }
}

extension CanonicalInput {
  /// An address that may be missing, in place.
  mutating func readOptionalAddress() throws(CodecError) -> StoredJID? {
    try readFlag() ? try StoredJID(from: &self) : nil
  }
}

extension String {
  /// A copy of a text that was read from an event, which is UTF-8.
  init(of bytes: UnsafeRawBufferPointer) {
    self.init(decoding: bytes, as: UTF8.self)
  }
}
