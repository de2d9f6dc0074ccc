import RawBytes
import XMPPStanza

// The stored form of events. A change of it must raise `StanzaTranslator.version`.
extension RosterEvent: CanonicalCodable {
  package func encode(to output: inout CanonicalOutput) {
    switch self {
    case .session(let event): event.encode(to: &output)
    case .stanza(let event): event.encode(to: &output)
    case .annotation(let annotation):
      output.write(EventTag.annotation)
      output.write(annotation)
    }
  }

  package init(from input: inout CanonicalInput) throws(CodecError) {
    switch try StoredEvent(from: &input) {
    case .session(let event): self = .session(event)
    case .stanza(let stanza): self = .stanza(StanzaEvent(stanza))
    case .annotation(let annotation): self = .annotation(annotation)
    }
  }
}

/// The first byte of each event; numbers are never given twice.
private enum EventTag: UInt8 {
  case captureBegan = 1
  case negotiated = 2
  case featuresOffered = 3
  case authenticated = 4
  case opened = 5
  case resumed = 6
  case closed = 7
  case resumable = 8
  case serverIdentified = 9
  case ended = 10
  case querySent = 16
  case setSent = 17
  case answerReceived = 18
  case pushReceived = 19
  case answerSent = 20
  case subscriptionReceived = 32
  case subscriptionSent = 33
  case availableReceived = 34
  case unavailableReceived = 35
  case presenceSent = 36
  case blocked = 48
  case unblocked = 49
  case nicknamePublished = 50
  case rejected = 51
  case vCardPublished = 52
  case annotation = 64
}

extension EventTag {
  /// The kind of the event that these bytes begin; nil where they begin none.
  fileprivate init?(of event: RawSpan) {
    guard !event.isEmpty else { return nil }
    self.init(rawValue: event[0])
  }
}

extension StoredEvent {
  /// Whether these bytes begin a presence that was received.
  static func isPresence(_ event: RawSpan) -> Bool {
    switch EventTag(of: event) {
    case .availableReceived, .unavailableReceived: true
    default: false
    }
  }
}

/// An event in place.
enum StoredEvent: ~Escapable {
  case session(SessionEvent)
  case stanza(StoredStanza)
  case annotation(RosterAnnotation)

  @_lifetime(copy input)
  init(from input: inout CanonicalInput) throws(CodecError) {
    let tag = try input.readTag()
    if let stanza = try StoredStanza(tag: tag, from: &input) {
      self = .stanza(stanza)
    } else if let event = try SessionEvent(tag: tag, from: &input) {
      self = .session(event)
    } else if EventTag(rawValue: tag) == .annotation {
      self = .annotation(try input.read())
    } else {
      throw input.invalid
    }
  }
}

extension StoredStanza {
  /// Reads a stanza after its tag; nil, and nothing is read, where the tag is not a stanza's.
  @_lifetime(copy input)
  fileprivate init?(tag: UInt8, from input: inout CanonicalInput) throws(CodecError) {
    switch EventTag(rawValue: tag) {
    case .querySent: self = .querySent(try input.read())
    case .setSent: self = .setSent(try StoredSet(from: &input))
    case .answerReceived: self = .answerReceived(try StoredAnswer(from: &input))
    case .pushReceived: self = .pushReceived(try StoredPush(from: &input))
    case .answerSent:
      self = .answerSent(id: try input.readTextBytes(), to: try input.readOptionalAddress())
    case .subscriptionReceived:
      self = .subscriptionReceived(try StoredSubscription(from: &input))
    case .subscriptionSent: self = .subscriptionSent(try StoredSubscription(from: &input))
    case .availableReceived:
      self = .presenceReceived(
        StoredPresence(
          from: try StoredJID(from: &input), availability: try StoredAvailability(from: &input)))
    case .unavailableReceived:
      self = .presenceReceived(
        StoredPresence(from: try StoredJID(from: &input), availability: nil))
    case .presenceSent:
      self = .presenceSent(
        to: try input.readOptionalAddress(), isAvailable: try input.readFlag())
    case .blocked: self = .blocked(from: try input.readOptional(), try input.readArray())
    case .unblocked: self = .unblocked(from: try input.readOptional(), try input.readArray())
    case .nicknamePublished:
      self = .nicknamePublished(try input.readTextBytes(), try input.readOptionalTextBytes())
    case .vCardPublished:
      self = .vCardPublished(try input.readTextBytes(), try input.read())
    case .rejected:
      self = .rejected(Rejection(kind: try input.readName(), reason: try input.readText()))
    case .captureBegan, .negotiated, .serverIdentified, .featuresOffered, .authenticated, .opened,
      .resumable,
      .resumed, .ended, .closed, .annotation, nil:
      return nil
    }
  }
}

extension CanonicalOutput {
  fileprivate mutating func write(_ tag: EventTag) {
    write(tag: tag.rawValue)
  }

  /// The event of an available presence, as its value is encoded.
  mutating func writeAvailable(from address: PreparedAddress, _ content: PresenceContent) {
    write(EventTag.availableReceived)
    write(address)
    write(content)
  }

  /// The event of a subscription stanza, as its value is encoded.
  mutating func writeSubscription(
    _ kind: SubscriptionStanza.Kind, _ direction: Direction, of contact: RawSpan,
    _ node: XMPPElement
  ) {
    switch direction {
    case .inbound: write(EventTag.subscriptionReceived)
    case .outbound: write(EventTag.subscriptionSent)
    }
    write(kind.rawValue)
    write(counted: contact)
    node.withFilledText(ofChild: "status", in: Namespace.client) { write(optional: $0) }
    node.withFilledText(ofChild: "nick", in: Namespace.nick, isTrimmed: true) {
      write(optional: $0)
    }
  }

  /// The event of an unavailable presence, as its value is encoded.
  mutating func writeUnavailable(from address: PreparedAddress) {
    write(EventTag.unavailableReceived)
    write(address)
  }

  /// The event of an answer of ours, as its value is encoded.
  mutating func writeAnswerSent(id: RawSpan, to address: PreparedAddress?) {
    write(EventTag.answerSent)
    write(counted: id)
    write(optional: address)
  }

  /// The event of an answer but for what it holds, as its value is encoded.
  mutating func writeAnswer(
    id: RawSpan?, from address: PreparedAddress?, _ tag: AnswerTag
  ) {
    write(EventTag.answerReceived)
    write(optional: id)
    write(optional: address)
    write(tag)
  }

  /// The event of a set of ours, or a push, but for its query, as its value is encoded.
  mutating func writeHead(
    ofSet direction: Direction, id: RawSpan?, peer: PreparedAddress?
  ) {
    switch direction {
    case .inbound: write(EventTag.pushReceived)
    case .outbound: write(EventTag.setSent)
    }
    write(optional: id)
    write(optional: peer)
  }

  private mutating func write(optional address: PreparedAddress?) {
    write(address != nil)
    if let address { write(address) }
  }

  private mutating func write(_ address: PreparedAddress) {
    write(counted: address.bare)
    write(optional: address.resource)
  }
}

extension SessionEvent {
  fileprivate func encode(to output: inout CanonicalOutput) {
    switch self {
    case .captureBegan(let account, let inboundOnly):
      output.write(EventTag.captureBegan)
      output.write(account)
      output.write(inboundOnly)
    case .negotiated: output.write(EventTag.negotiated)
    case .serverIdentified(let domain, let isVerified):
      output.write(EventTag.serverIdentified)
      output.write(domain)
      output.write(isVerified)
    case .featuresOffered(let features):
      output.write(EventTag.featuresOffered)
      output.write(features.versioning)
      output.write(features.preApproval)
    case .authenticated(let jid):
      output.write(EventTag.authenticated)
      output.write(jid)
    case .opened(let jid, let from, let resumptionID):
      output.write(EventTag.opened)
      output.write(jid)
      output.write(from)
      output.write(resumptionID)
    case .resumable(let id):
      output.write(EventTag.resumable)
      output.write(id)
    case .resumed(let jid, let id):
      output.write(EventTag.resumed)
      output.write(jid)
      output.write(id)
    case .ended(let direction):
      output.write(EventTag.ended)
      output.write(direction == .inbound)
    case .closed(let isLost):
      output.write(EventTag.closed)
      output.write(isLost)
    }
  }

  fileprivate init?(tag: UInt8, from input: inout CanonicalInput) throws(CodecError) {
    switch EventTag(rawValue: tag) {
    case .captureBegan:
      self = .captureBegan(account: try input.readOptional(), inboundOnly: try input.readFlag())
    case .negotiated: self = .negotiated
    case .serverIdentified:
      self = .serverIdentified(
        domain: try input.readOptional(), isVerified: try input.readFlag())
    case .featuresOffered:
      self = .featuresOffered(
        StreamFeatures(versioning: try input.readFlag(), preApproval: try input.readFlag()))
    case .authenticated: self = .authenticated(try input.read())
    case .opened:
      self = .opened(
        try input.read(), from: try input.readOptional(),
        resumptionID: try input.readOptionalText())
    case .resumable: self = .resumable(id: try input.readText())
    case .resumed:
      self = .resumed(try input.readOptional(), id: try input.readOptionalText())
    case .ended: self = .ended(try input.readFlag() ? .inbound : .outbound)
    case .closed: self = .closed(isLost: try input.readFlag())
    case .querySent, .setSent, .answerReceived, .pushReceived, .answerSent,
      .subscriptionReceived, .subscriptionSent, .availableReceived, .unavailableReceived,
      .presenceSent, .blocked, .unblocked, .nicknamePublished, .rejected, .vCardPublished,
      .annotation, nil:
      return nil
    }
  }
}

extension StanzaEvent {
  fileprivate func encode(to output: inout CanonicalOutput) {
    switch self {
    case .querySent(let query):
      output.write(EventTag.querySent)
      output.write(query)
    case .setSent(let set):
      output.write(EventTag.setSent)
      output.write(set.id)
      output.write(set.to)
      set.query.encode(to: &output)
    case .answerReceived(let answer):
      output.write(EventTag.answerReceived)
      answer.encode(to: &output)
    case .pushReceived(let push):
      output.write(EventTag.pushReceived)
      output.write(push.id)
      output.write(push.from)
      push.query.encode(to: &output)
    case .answerSent(let id, let to):
      output.write(EventTag.answerSent)
      output.write(id)
      output.write(to)
    case .subscriptionReceived(let stanza):
      output.write(EventTag.subscriptionReceived)
      output.write(stanza)
    case .subscriptionSent(let stanza):
      output.write(EventTag.subscriptionSent)
      output.write(stanza)
    case .availableReceived(let from, let availability):
      output.write(EventTag.availableReceived)
      output.write(from)
      output.write(availability)
    case .unavailableReceived(let from):
      output.write(EventTag.unavailableReceived)
      output.write(from)
    case .presenceSent(let to, let isAvailable):
      output.write(EventTag.presenceSent)
      output.write(to)
      output.write(isAvailable)
    case .blocked(let from, let jids):
      output.write(EventTag.blocked)
      output.write(from)
      output.write(jids)
    case .unblocked(let from, let jids):
      output.write(EventTag.unblocked)
      output.write(from)
      output.write(jids)
    case .nicknamePublished(let jid, let nickname):
      output.write(EventTag.nicknamePublished)
      output.write(jid)
      output.write(nickname)
    case .vCardPublished(let jid, let names):
      output.write(EventTag.vCardPublished)
      output.write(jid)
      output.write(names)
    case .rejected(let rejection):
      output.write(EventTag.rejected)
      output.write(rejection.kind.rawValue)
      output.write(rejection.reason)
    }
  }
}
