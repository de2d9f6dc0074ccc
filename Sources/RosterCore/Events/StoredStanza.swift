import RawBytes
import XMPPStanza

// The events of stanzas in their stored form, in place, as the reducer receives them. Their texts
// are valid as long as the input that they were read from, and become a `String` only if they are
// kept or reported.

/// An address in place.
struct StoredJID: ~Escapable {
  /// The prepared bare address.
  let bare: RawSpan
  let resource: RawSpan?

  @_lifetime(copy input)
  init(from input: inout CanonicalInput) throws(CodecError) {
    bare = try input.readTextBytes()
    resource = try input.readOptionalTextBytes()
  }

  /// The address as a value.
  var jid: JID {
    JID(prepared: BareJID(prepared: String(decoding: bare)), resource: .init(decoding: resource))
  }
}

/// A stanza that means something to the roster, in place. Rare kinds are values.
enum StoredStanza: ~Escapable {
  case querySent(Query)
  case setSent(StoredSet)
  case answerReceived(StoredAnswer)
  case pushReceived(StoredSet)
  case answerSent(id: RawSpan, to: StoredJID?, error: ErrorReport?)
  case subscriptionReceived(StoredSubscription)
  case subscriptionSent(StoredSubscription)
  case presenceReceived(StoredPresence)
  case presenceErrorReceived(from: StoredJID, ErrorReport)
  case presenceSent(to: StoredJID?, isAvailable: Bool)
  case blocked(from: JID?, [JID])
  case unblocked(from: JID?, [JID])
  case blockingSent(BlockingRequest)
  /// Of a bare address.
  case nicknamePublished(RawSpan, RawSpan?)
  case vCardPublished(RawSpan, VCardNames)
  case rejected(Rejection)
}

/// The beginning of a request or an answer after its tag, in place.
struct StoredHead: ~Escapable {
  let id: RawSpan?
  /// The receiver of what we sent; the sender of what we received.
  let peer: StoredJID?

  @_lifetime(copy input)
  init(from input: inout CanonicalInput) throws(CodecError) {
    id = try input.readOptionalTextBytes()
    peer = try input.readOptionalAddress()
  }
}

extension CanonicalOutput {
  /// Writes the tag of a request or an answer, and what `StoredHead` reads.
  mutating func write(_ tag: EventTag, id: RawSpan?, peer: PreparedAddress?) {
    write(tag)
    write(optional: id)
    write(optional: peer)
  }

  /// Writes the tag of a push of the block list, and its sender.
  mutating func write(_ tag: EventTag, from: PreparedAddress?) {
    write(tag)
    write(optional: from)
  }
}

/// A `RosterSet` in place.
struct StoredSet: ~Escapable {
  let head: StoredHead
  let query: StoredQuery

  @_lifetime(copy input)
  init(from input: inout CanonicalInput) throws(CodecError) {
    head = try StoredHead(from: &input)
    query = try StoredQuery(from: &input)
  }

  /// A copy as a value.
  var value: RosterSet {
    RosterSet(id: .init(decoding: head.id), peer: head.peer?.jid, query: query.value)
  }
}

/// An `Answer` in place.
struct StoredAnswer: ~Escapable {
  enum Payload: ~Escapable {
    case nothing
    case other
    case roster(StoredQuery)
    case blockList([JID])
    case vCard(VCardNames)
    case nickname(RawSpan?)
    case error(ErrorReport)
  }

  let head: StoredHead
  let payload: Payload

  @_lifetime(copy input)
  init(from input: inout CanonicalInput) throws(CodecError) {
    head = try StoredHead(from: &input)
    switch try AnswerTag(from: &input) {
    case .nothing: payload = .nothing
    case .other: payload = .other
    case .roster: payload = .roster(try StoredQuery(from: &input))
    case .blockList: payload = .blockList(try input.readArray())
    case .vCard: payload = .vCard(try input.read())
    case .nickname: payload = .nickname(try input.readOptionalTextBytes())
    case .error: payload = .error(try input.read())
    }
  }
}

/// A `SubscriptionStanza` in place.
struct StoredSubscription: ~Escapable {
  let kind: SubscriptionStanza.Kind
  let contact: RawSpan
  let status: RawSpan?
  let nickname: RawSpan?

  @_lifetime(copy input)
  init(from input: inout CanonicalInput) throws(CodecError) {
    kind = try input.readName()
    contact = try input.readTextBytes()
    status = try input.readOptionalTextBytes()
    nickname = try input.readOptionalTextBytes()
  }

  /// The stanza as a value.
  var value: SubscriptionStanza {
    SubscriptionStanza(
      kind: kind, contact: BareJID(prepared: String(decoding: contact)),
      status: .init(decoding: status), nickname: .init(decoding: nickname))
  }
}

/// A contact's presence in place.
struct StoredPresence: ~Escapable {
  let from: StoredJID
  let content: Content

  /// What it says about the resource.
  enum Content: ~Escapable {
    case available(StoredAvailability)
    case unavailable(status: RawSpan?)
  }

  @_lifetime(copy from, copy content)
  init(from: StoredJID, _ content: Content) {
    self.from = from
    self.content = content
  }
}

/// An `Availability` in place.
struct StoredAvailability: ~Escapable {
  let show: Show
  let priority: Int8
  let status: RawSpan?
  let delay: RawSpan?
  let malformed: RawSpan?

  @_lifetime(copy input)
  init(from input: inout CanonicalInput) throws(CodecError) {
    show = try input.readShow()
    priority = Int8(bitPattern: try input.readTag())
    status = try input.readOptionalTextBytes()
    delay = try input.readOptionalTextBytes()
    malformed = try input.readOptionalTextBytes()
  }
}

extension Availability {
  /// A copy as a value.
  init(_ stored: StoredAvailability) {
    self.init(
      show: stored.show, priority: stored.priority, status: .init(decoding: stored.status),
      delay: .init(decoding: stored.delay),
      malformed: .init(decoding: stored.malformed))
  }
}

// MARK: As values

extension StanzaEvent {
  /// Copies a stanza out of its stored form.
  init(_ stored: StoredStanza) {
    switch stored {
    case .querySent(let query): self = .querySent(query)
    case .setSent(let set): self = .setSent(set.value)
    case .answerReceived(let answer): self = .answerReceived(answer.value)
    case .pushReceived(let push): self = .pushReceived(push.value)
    case .answerSent(let id, let to, let error):
      self = .answerSent(id: String(decoding: id), to: to?.jid, error: error)
    case .subscriptionReceived(let stanza): self = .subscriptionReceived(stanza.value)
    case .subscriptionSent(let stanza): self = .subscriptionSent(stanza.value)
    case .presenceReceived(let presence):
      switch presence.content {
      case .available(let availability):
        self = .availableReceived(from: presence.from.jid, Availability(availability))
      case .unavailable(let status):
        self = .unavailableReceived(from: presence.from.jid, status: .init(decoding: status))
      }
    case .presenceErrorReceived(let from, let report):
      self = .presenceErrorReceived(from: from.jid, report)
    case .presenceSent(let to, let isAvailable):
      self = .presenceSent(to: to?.jid, isAvailable: isAvailable)
    case .blocked(let from, let jids): self = .blocked(from: from, jids)
    case .unblocked(let from, let jids): self = .unblocked(from: from, jids)
    case .blockingSent(let request): self = .blockingSent(request)
    case .nicknamePublished(let contact, let nickname):
      self = .nicknamePublished(
        BareJID(prepared: String(decoding: contact)), .init(decoding: nickname))
    case .vCardPublished(let contact, let names):
      self = .vCardPublished(BareJID(prepared: String(decoding: contact)), names)
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
      case .nickname(let name): .nickname(.init(decoding: name))
      case .error(let report): .error(report)
      }
    return Answer(id: .init(decoding: head.id), from: head.peer?.jid, payload: payload)
  }
}

extension CanonicalInput {
  /// An address that may be missing, in place.
  @_lifetime(copy self)
  mutating func readOptionalAddress() throws(CodecError) -> StoredJID? {
    try readFlag() ? try StoredJID(from: &self) : nil
  }
}
