import RawBytes
package import XMPPStanza

/// What an event can mean to contacts that it does not name.
package enum EventMark: Hashable, Sendable {
  /// It is about a stream: the accounts that it names, and whether it binds a session.
  case session(accounts: [BareJID], isBinding: Bool)
  /// It answers a request with a whole roster.
  case roster
  /// It shows the block list, or a change of it.
  case blocking

  /// Reads an event in place; nil if it means something only to the contacts that it names.
  ///
  /// - Parameter event: The event's canonical bytes, for which a checksum vouches.
  package init?(stored event: RawSpan) throws(CodecError) {
    var input = CanonicalInput(event)
    input.isSound = true
    switch try StoredEvent(from: &input) {
    case .session(let event):
      self = .session(accounts: event.accounts, isBinding: event.isBinding)
    case .stanza(.answerReceived(let answer)):
      switch answer.payload {
      case .roster: self = .roster
      case .blockList: self = .blocking
      case .nothing, .other, .vCard, .nickname, .error: return nil
      }
    case .stanza(.blocked), .stanza(.unblocked): self = .blocking
    case .stanza, .annotation: return nil
    }
  }
}

extension SessionEvent {
  fileprivate var accounts: [BareJID] {
    switch self {
    case .captureBegan(let account, _): account.map { [$0.bare] } ?? []
    case .serverIdentified(let domain, _): domain.map { [$0] } ?? []
    case .authenticated(let jid): [jid.bare]
    case .opened(let jid, let from, _): [jid.bare] + (from.map { [$0.bare] } ?? [])
    case .resumed(let jid, _): jid.map { [$0.bare] } ?? []
    case .negotiated, .featuresOffered, .resumable, .ended, .streamFailed, .loginFailed, .closed:
      []
    }
  }

  fileprivate var isBinding: Bool {
    if case .opened = self { true } else { false }
  }
}
