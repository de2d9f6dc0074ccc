import HashTreeCollections
import XMPPStanza

// Streams and sessions: RFC 6120 §4 and §7, XEP-0198, XEP-0386, XEP-0388.
extension Reduction {
  mutating func captureBegan(_ account: JID?, inboundOnly: Bool) {
    session.isInboundOnly = inboundOnly
    if session.phase == .foreign { session.phase = .unseen }
    guard let account else { return }
    _ = accountNamed(account)
  }

  /// A stream header while a session is open means that the old stream was lost without a word.
  mutating func negotiationBegan() {
    sessionEnded(.negotiating)
  }

  mutating func authenticated(as jid: JID) {
    guard accountNamed(jid) else { return }
    sessionEnded(.negotiating)
    if session.phase == .foreign { session.phase = .negotiating }
  }

  /// A new session: the answers of the old one will never come, and presence starts afresh.
  mutating func sessionOpened(_ jid: JID, from: JID?) {
    // In a session anybody can send us a result; before it, only the server can.
    guard session.phase != .open || mayBind(from) else {
      report(.answer(.spoofed(from: from, to: .bind)), about: from?.bare)
      return
    }
    guard accountNamed(jid) else { return }
    sessionEnded(.closed)
    abandonQueries()
    reportUnacknowledgedPushes()
    abandonEdits()
    voidAllPresence()
    forgetExpectedCounterparts()
    if jid.resource == nil, session.resource != nil {
      changed(.account(jid))
      session.resource = nil
    }
    session.openedAt = stamp.record
    session.sentInitialPresence = false
    session.reportedUnusedVersion = false
    sessionStarted()
  }

  private func mayBind(_ from: JID?) -> Bool {
    guard let from else { return true }
    guard let account = roster.account else { return false }
    return from.bare == account || from.isServer(of: account)
  }

  /// The same session over a new stream: everything of the old one is valid again.
  mutating func sessionResumed(_ jid: JID?) {
    if let jid {
      guard accountNamed(jid) else { return }
    } else if session.phase == .foreign {
      return
    }
    if session.phase != .open { sessionStarted() }
  }

  mutating func streamClosed(isLost: Bool) {
    sessionEnded(.closed)
    // A lost session may be resumed and then go on; one that was closed in order is over.
    guard !isLost else { return }
    reportUnacknowledgedPushes()
    abandonEdits()
  }

  /// A log that begins in mid-session shows stanzas without a stream header before them.
  /// An element that was not taken tells nothing, not even that there is a session.
  mutating func assumeSession(from event: StanzaEvent) {
    guard session.phase == .unseen else { return }
    if case .rejected = event { return }
    sessionStarted()
  }

  private mutating func sessionStarted() {
    session.phase = .open
    changed(.connected(true))
  }

  /// What follows a refused stream without naming its account belongs to it.
  private mutating func sessionEnded(_ next: Session.Phase) {
    if session.phase == .open { changed(.connected(false)) }
    if session.phase != .foreign { session.phase = next }
  }

  /// Learns the account, or refuses another's and with it its stream: one log is one account's
  /// history.
  ///
  /// - Returns: Whether the account is ours.
  private mutating func accountNamed(_ jid: JID) -> Bool {
    guard roster.account == nil || roster.account == jid.bare else {
      report(.foreignAccount(jid.bare, log: roster.account), about: jid.bare)
      sessionEnded(.foreign)
      return false
    }
    let isOtherResource =
      jid.resource != nil && !jid.resource.hasSameBytes(as: session.resource)
    if roster.account != jid.bare || isOtherResource { changed(.account(jid)) }
    roster.account = jid.bare
    if let bound = jid.resource { session.resource = bound }
    return true
  }
}
