import DequeModule
import RawBytes
import XMPPStanza

// Streams and sessions: RFC 6120 §4 and §7, XEP-0198, XEP-0386, XEP-0388.
extension Reduction {
  mutating func captureBegan(_ account: JID?, inboundOnly: Bool) {
    roster.isInboundOnly = inboundOnly
    session.beginsCapture = true
    session.ends = StreamEnds()
    if session.phase == .foreign { session.phase = .unseen }
    guard let account else { return }
    _ = accountNamed(account)
  }

  /// A stream header while a session is open means that the old stream was lost, not closed.
  mutating func negotiationBegan() {
    session.ends = StreamEnds()
    connectionLost()
    sessionEnded(.negotiating)
  }

  /// A session that is open may be resumed on another stream.
  mutating func connectionLost() {
    if session.isAlive, session.phase == .open { session.lostAt = stamp }
  }

  /// Only a certificate proves that a server is the domain's (RFC 6120 §13.7.2). Without TLS, what
  /// follows may come from a machine in the middle.
  mutating func serverIdentified(_ domain: BareJID?, isVerified: Bool) {
    session.server = domain
    if isVerified {
      roster.hasVerifiedStream = true
    } else {
      report(.unverifiedServer(domain))
    }
  }

  mutating func authenticated(as jid: JID) {
    guard servesAccount(jid.bare), accountNamed(jid) else { return }
    sessionEnded(.negotiating)
    if session.phase == .foreign { session.phase = .negotiating }
  }

  /// A new session: the answers to the old one will never arrive, and presence starts again.
  mutating func sessionOpened(_ jid: JID, from: JID?, resumptionID: String?) {
    // In a session anyone can send us a result; before it, only the server can.
    guard session.phase != .open || mayBind(from) else {
      report(.answer(.spoofed(from: from, to: .bind)), about: from?.bare)
      return
    }
    guard servesAccount(jid.bare), accountNamed(jid) else { return }
    sessionEnded(.closed)
    session.isAlive = false
    endSessions(of: jid.resource)
    let over = roster.sessions.places { !$0.isAlive && !$0.mayStillBeAnswered }
    sessionsOver(over.union(SessionSet(place)))
    if jid.resource == nil, session.resource != nil { bound(jid) }
    session.ends = StreamEnds()
    session.openedAt = stamp.record
    session.askedBefore = hasAskedBefore(jid.resource)
    session.hasAsked = false
    session.showedBefore = hasShownBefore(jid.resource)
    session.unshownSince = nil
    session.settledIDs = []
    session.unansweredBlockPushes = 0
    session.pushableContacts = []
    session.resumptionID = resumptionID
    session.initialPresence = .unsent
    session.isAvailable = false
    session.directedTo = []
    session.fetchedAt = nil
    session.rosterRefusal = nil
    session.reportedCrowd = false
    session.told = []
    session.possibleRedeliveries = []
    session.resumed = nil
    session.refusals = []
    session.openBlocking = []
    session.sentAnswers = []
    session.unidentifiedRequests = []
    sessionStarted()
  }

  /// Whether an earlier session of the same client has asked for the roster.
  private func hasAskedBefore(_ resource: String?) -> Bool {
    roster.sessions.all.indices.contains { other in
      let earlier = roster.sessions[other]
      guard earlier.hasAsked || earlier.askedBefore else { return false }
      return other == place || resource != nil && earlier.resource.hasSameBytes(as: resource)
    }
  }

  /// Whether an earlier session of the same client has shown its presence.
  private func hasShownBefore(_ resource: String?) -> Bool {
    roster.sessions.all.indices.contains { other in
      let earlier = roster.sessions[other]
      guard earlier.initialPresence == .sent || earlier.showedBefore else { return false }
      return other == place || resource != nil && earlier.resource.hasSameBytes(as: resource)
    }
  }

  /// Two sessions never have the same resource: a server that binds it again has ended the other
  /// session (RFC 6120 §7.7.2.2).
  private mutating func endSessions(of resource: String?) {
    guard isShared, let resource else { return }
    for other in roster.sessions.all.indices
    where other != place && roster.sessions[other].isAlive
      && roster.sessions[other].resource.hasSameBytes(as: resource)
    {
      setPhase(.closed, of: other)
      roster.sessions[other].isAlive = false
    }
  }

  /// Ends sessions for good: what they still wait for will not arrive, and what only they received
  /// is no longer valid.
  mutating func sessionsOver(_ sessions: SessionSet) {
    for place in roster.sessions.all.indices where sessions.contains(SessionSet(place)) {
      abandonQueries(of: place)
      countUnacknowledgedPushes(of: place)
      settleAwaitedPushes(of: place)
      abandonEdits(of: place)
      reportUnfetched(of: place)
      reportUnshownPresence(of: place)
    }
    forgetPresence(toldTo: sessions)
    forgetDeliveries(to: sessions)
    // An ended session receives nothing more, but another one may continue.
    if !roster.sessions.all.contains(where: \.isAlive) { forgetExpectedCounterparts() }
  }

  private func mayBind(_ from: JID?) -> Bool {
    guard let from else { return true }
    guard let account = roster.account else { return false }
    return from.bare == account || from.isServer(of: account)
  }

  /// Continues a session over a new stream: everything from the old one is valid again.
  ///
  /// - Parameter id: The id of the session (XEP-0198 §5), if the log has it.
  mutating func sessionResumed(_ jid: JID?, id: String?) {
    guard servesAccount(jid?.bare ?? roster.account) else { return }
    if let jid {
      guard accountNamed(jid) else { return }
    } else if session.phase == .foreign {
      return
    }
    if let other = placeOfResumed(id: id, resource: jid?.resource) { adoptSession(at: other) }
    awaitPushesAgain()
    session.ends = StreamEnds()
    session.possibleRedeliveries = session.told
    session.told = []
    session.resumed = stamp
    if session.phase != .open { sessionStarted() }
    if session.initialPresence == .waiting { initialPresenceSent() }
  }

  /// The slot of the session that a connection resumes, if another connection had it: in a server's
  /// log, every connection has its own name.
  private func placeOfResumed(id: String?, resource: String?) -> Int? {
    guard isShared, !session.isAlive else { return nil }
    let others = roster.sessions.all.indices.filter { $0 != place && roster.sessions[$0].isAlive }
    if let id, let named = others.first(where: { roster.sessions[$0].resumptionID == id }) {
      return named
    }
    if let resource {
      return others.first { roster.sessions[$0].resource.hasSameBytes(as: resource) }
    }
    // A lost session is likelier than one whose loss the server has not noticed.
    let lost = others.filter { roster.sessions[$0].phase != .open }
    if lost.count == 1 { return lost[0] }
    return lost.isEmpty && others.count == 1 ? others[0] : nil
  }

  /// A log that begins in mid-session shows stanzas without a stream header before them.
  mutating func assumeSession() {
    if session.phase == .unseen { sessionStarted() }
  }

  private mutating func sessionStarted() {
    session.isAlive = true
    session.lostAt = nil
    let wasConnected = roster.isConnected
    setPhase(.open, of: place)
    if !wasConnected { restartAbandonedTimeouts() }
    // While the connection was lost, nothing was overdue.
    if !session.pendingEdits.isEmpty { expectAnswer() }
  }

  /// Records that follow a refused stream without naming an account belong to that stream.
  mutating func sessionEnded(_ next: SessionPhase) {
    if session.phase != .foreign { setPhase(next, of: place) }
  }

  /// The account is connected while any of its sessions is open.
  private mutating func setPhase(_ phase: SessionPhase, of place: Int) {
    let (wasOpen, wasConnected) = (roster.sessions[place].phase == .open, roster.isConnected)
    let isOpen = phase == .open
    guard isOpen != wasOpen, reportsChanges else {
      roster.sessions[place].phase = phase
      return
    }
    let (before, openBefore) = (roster.sessions[place].shown, roster.openSessions)
    roster.sessions[place].phase = phase
    let isOnly = roster.isConnected != wasConnected
    if isOnly { changed(.connected) { _ in .connected(before: !isOpen, after: isOpen) } }
    connectionChanged(at: place, from: before, because: isOnly ? .onlyConnection : nil)
    shownPresenceChanged(from: openBefore)
  }

  /// Reports how a connection is shown, if that has changed.
  mutating func connectionChanged(
    at place: Int, from before: Connection?, because reason: RosterChange.Reason? = nil
  ) {
    guard reportsChanges else { return }
    let after = roster.sessions[place].shown
    guard before != after else { return }
    changed(.connections, because: reason) { _ in .connection(before: before, after: after) }
  }

  /// Gives up the session of a connection, whose slot another connection needs.
  mutating func connectionForgotten(at place: Int) {
    // Closed first, so that its presence counts as hidden by its end.
    setPhase(.closed, of: place)
    sessionsOver(SessionSet(place))
    let before = roster.sessions[place].shown
    changed(.connections) { _ in .connection(before: before, after: nil) }
  }

  /// Names the account, with the resource that the server bound if the log has it.
  private mutating func bound(_ jid: JID) {
    let (known, before) = (roster.account, session.shown)
    changed(.account) { _ in
      .account(
        before: known.map { JID(prepared: $0, resource: before.resource) }, after: jid)
    }
    roster.account = jid.bare
    session.resource = jid.resource
    connectionChanged(at: place, from: before)
  }

  /// Whether the stream's server may speak for an account. If the log says that the server is
  /// another domain's, the stream is refused.
  private mutating func servesAccount(_ account: BareJID?) -> Bool {
    guard let account, let server = session.server,
      !account.domain.hasSameBytes(as: server.text)
    else { return true }
    report(.otherDomain(account, server: server), about: account)
    sessionEnded(.foreign)
    return false
  }

  /// Learns the account, or refuses the stream of another account: a log is the history of one
  /// account.
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
    if isOtherResource {
      bound(jid)
    } else if roster.account == nil {
      bound(JID(prepared: jid.bare, resource: jid.resource ?? session.resource))
    }
    return true
  }
}
