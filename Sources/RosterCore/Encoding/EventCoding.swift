import RawBytes
import XMPPStanza

// The canonical bytes of events. A change of them must raise `EventEncoder.version`.
extension RosterEvent {
  /// Reads an event from exactly these bytes.
  package init(stored event: RawSpan) throws(CodecError) {
    var input = CanonicalInput(event)
    try self.init(from: &input)
    try input.finish()
  }

  /// Reads an event.
  package init(from input: inout CanonicalInput) throws(CodecError) {
    switch try StoredEvent(from: &input) {
    case .session(let event): self = .session(event)
    case .stanza(let stanza): self = .stanza(StanzaEvent(stanza))
    case .annotation(let annotation): self = .annotation(annotation)
    }
  }
}

/// The first byte of each event; numbers are never given twice.
enum EventTag: UInt8 {
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
  case streamFailed = 11
  case loginFailed = 12
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
  case presenceErrorReceived = 37
  case blocked = 48
  case unblocked = 49
  case nicknamePublished = 50
  case rejected = 51
  case vCardPublished = 52
  case blockingSent = 53
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
    case .pushReceived: self = .pushReceived(try StoredSet(from: &input))
    case .answerSent:
      self = .answerSent(
        id: try input.readTextBytes(), to: try input.readOptionalAddress(),
        error: try input.readOptional())
    case .subscriptionReceived:
      self = .subscriptionReceived(try StoredSubscription(from: &input))
    case .subscriptionSent: self = .subscriptionSent(try StoredSubscription(from: &input))
    case .availableReceived:
      self = .presenceReceived(
        StoredPresence(
          from: try StoredJID(from: &input), .available(try StoredAvailability(from: &input))))
    case .unavailableReceived:
      self = .presenceReceived(
        StoredPresence(
          from: try StoredJID(from: &input),
          .unavailable(status: try input.readOptionalTextBytes())))
    case .presenceErrorReceived:
      self = .presenceErrorReceived(from: try StoredJID(from: &input), try input.read())
    case .presenceSent:
      self = .presenceSent(
        to: try input.readOptionalAddress(), isAvailable: try input.readFlag())
    case .blocked: self = .blocked(from: try input.readOptional(), try input.readArray())
    case .unblocked: self = .unblocked(from: try input.readOptional(), try input.readArray())
    case .blockingSent: self = .blockingSent(try input.read())
    case .nicknamePublished:
      self = .nicknamePublished(try input.readTextBytes(), try input.readOptionalTextBytes())
    case .vCardPublished:
      self = .vCardPublished(try input.readTextBytes(), try input.read())
    case .rejected:
      self = .rejected(Rejection(kind: try input.readName(), reason: try input.readText()))
    case .captureBegan, .negotiated, .serverIdentified, .featuresOffered, .authenticated, .opened,
      .resumable,
      .resumed, .ended, .streamFailed, .loginFailed, .closed, .annotation, nil:
      return nil
    }
  }
}

extension CanonicalOutput {
  mutating func write(_ tag: EventTag) { write(tag: tag.rawValue) }

  mutating func write(_ rejection: Rejection) {
    write(EventTag.rejected)
    write(rejection.kind.rawValue)
    write(rejection.reason)
  }

  mutating func write(_ address: PreparedAddress) {
    write(counted: address.bare)
    write(optional: address.resource)
  }

  mutating func write(optional address: PreparedAddress?) {
    write(address != nil)
    if let address { write(address) }
  }
}

extension SessionEvent {
  /// The event that these bytes are; nil if they are another event, or none.
  package init?(stored event: RawSpan) {
    var input = CanonicalInput(event)
    guard let tag = try? input.readTag(),
      let event = try? SessionEvent(tag: tag, from: &input)
    else { return nil }
    self = event
  }

  package func encode(to output: inout CanonicalOutput) {
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
    case .streamFailed(let direction, let report):
      output.write(EventTag.streamFailed)
      output.write(direction == .inbound)
      output.write(report)
    case .loginFailed(let report):
      output.write(EventTag.loginFailed)
      output.write(report)
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
    case .streamFailed:
      self = .streamFailed(try input.readFlag() ? .inbound : .outbound, try input.read())
    case .loginFailed: self = .loginFailed(try input.read())
    case .closed: self = .closed(isLost: try input.readFlag())
    case .querySent, .setSent, .answerReceived, .pushReceived, .answerSent,
      .subscriptionReceived, .subscriptionSent, .availableReceived, .unavailableReceived,
      .presenceErrorReceived, .presenceSent, .blocked, .unblocked, .blockingSent,
      .nicknamePublished, .rejected, .vCardPublished, .annotation, nil:
      return nil
    }
  }
}
