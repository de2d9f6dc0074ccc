import XMPPStanza

/// How much of an event's outcome is reported. Reporting everything takes longer than reducing.
package enum Reporting {
  case nothing
  /// Only which fields changed, without their values.
  case causes(ChangeCauses)
  /// All changes and findings.
  case everything
}

/// A record that is being reduced: the roster it changes, and what it has done so far.
///
/// There is a function for each kind of event, named after what happened, in a file for each group
/// of them.
struct Reduction: ~Copyable {
  /// The roster, valid as long as the reduction is: a stored property cannot be `inout`, and to
  /// move the roster in and out would cost as much as what most records do.
  private let target: UnsafeMutablePointer<Roster>
  let stamp: RecordStamp
  /// The slot of the session of the record's connection.
  private(set) var place = 0
  var outcome = RosterOutcome()

  private let reporting: Reporting

  private init(
    of target: UnsafeMutablePointer<Roster>, at stamp: RecordStamp, reporting: Reporting
  ) {
    self.target = target
    self.stamp = stamp
    self.reporting = reporting
  }

  /// Whether the outcome is reported.
  var reportsOutcome: Bool { if case .everything = reporting { true } else { false } }

  /// Whether changes are reported, with or without their values.
  var reportsChanges: Bool { if case .nothing = reporting { false } else { true } }

  private var causes: ChangeCauses? {
    if case .causes(let causes) = reporting { causes } else { nil }
  }

  /// Reduces what `body` says has happened into a roster, to which there must be no other access
  /// meanwhile.
  ///
  /// - Parameters:
  ///   - connection: The connection on which it happened; nil for an event without a connection.
  ///   - reporting: What is reported; unless it is everything, the outcome is empty.
  static func reduce(
    into roster: inout Roster, at stamp: RecordStamp, on connection: ConnectionID?,
    reporting: Reporting, _ body: (inout Reduction) -> Void
  ) -> RosterOutcome {
    withUnsafeMutablePointer(to: &roster) { target in
      // The reduction cannot be copied, and ends before the pointer becomes invalid.
      var reduction = Reduction(of: target, at: stamp, reporting: reporting)
      reduction.eventFollows()
      if let connection { reduction.selectSession(of: connection) }
      body(&reduction)
      reduction.compactIfDue()
      return reduction.reportsOutcome ? reduction.outcome : RosterOutcome()
    }
  }

  private func eventFollows() {
    let isNext = stamp.record == roster.position &+ 1
    if !isNext || roster.eventsSince == 0 { roster.eventsSince = stamp.record }
    roster.position = stamp.record
  }

  /// The roster as the record has changed it so far.
  var roster: Roster {
    @inline(__always) unsafeAddress { UnsafePointer(target) }
    @inline(__always) nonmutating unsafeMutableAddress { target }
  }

  private func compactIfDue() {
    // Causes are noted by the numbers of the table, which a compaction changes.
    guard causes == nil, roster.contacts.isCompactionDue else { return }
    roster.compact()
  }

  /// Selects the session of a connection; a new connection gets a slot.
  private mutating func selectSession(of connection: ConnectionID) {
    if let known = roster.sessions.place(of: connection) {
      place = known
    } else if let reused = roster.sessions.placeToReuse {
      place = reused
      connectionForgotten(at: reused)
      session = Session(connection: connection)
      connectionChanged(at: place, from: nil)
    } else {
      place = roster.sessions.add(connection)
      connectionChanged(at: place, from: nil)
    }
  }

  /// Continues a session that another connection had.
  mutating func adoptSession(at other: Int) {
    let (mine, others) = (roster.sessions[place].shown, roster.sessions[other].shown)
    swap(&roster.sessions[other].connection, &roster.sessions[place].connection)
    connectionChanged(at: other, from: mine)
    connectionChanged(at: place, from: others)
    place = other
  }

  /// The session of the record's connection.
  var session: Session {
    _read { yield target.pointee.sessions[place] }
    nonmutating _modify { yield &target.pointee.sessions[place] }
  }

  // MARK: What it did

  /// Reports a change of what a state shows.
  ///
  /// - Parameters:
  ///   - field: What changed.
  ///   - number: The contact that it is about; nil if it is about the account.
  ///   - part: For a change of presence, the name of the resource.
  ///   - reason: The reason, if the values do not say it.
  ///   - values: Returns the values, given the table of contacts.
  mutating func changed(
    _ field: StateField, of number: ContactNumber? = nil, part: TextNumber = .none,
    because reason: RosterChange.Reason? = nil, _ values: (ContactTable) -> FieldValues
  ) {
    causes?.note(field, of: number, part: part, at: stamp)
    guard reportsOutcome else { return }
    let contact = number.map { roster.contacts.address(of: $0) }
    report(contact, values(roster.contacts), because: reason)
  }

  /// Reports that an address was blocked or unblocked.
  mutating func blockingChanged(of jid: JID, _ isBlocked: Bool) {
    causes?.noteBlocking(of: jid, at: stamp)
    guard reportsOutcome else { return }
    report(jid.bare, .blocked(jid, before: !isBlocked, after: isBlocked))
  }

  private mutating func report(
    _ contact: BareJID?, _ values: consuming FieldValues,
    because reason: RosterChange.Reason? = nil
  ) {
    let change = RosterChange(
      record: stamp.record, contact: contact, values: values, reason: reason)
    if outcome.changes.capacity > 0 {
      outcome.changes.append(change)
    } else {
      // Most records have one change, and a literal costs half as much as growing an empty array.
      outcome.changes = [change]
    }
  }

  /// Reserves room for this number of changes.
  mutating func expectChanges(_ count: Int) {
    guard reportsOutcome else { return }
    outcome.changes.reserveCapacity(outcome.changes.count + count)
  }

  /// Who caused a finding.
  enum Origin {
    /// The record's session.
    case current
    /// The session in a slot of the table.
    case session(Int)
    /// A connection that may have another session by now, and its bound resource then.
    case connection(ConnectionID, String?)
    /// No session: people have not answered, or only the account is concerned.
    case account
  }

  /// Reports a finding about a contact.
  mutating func report(
    _ kind: Finding.Kind, about number: ContactNumber, cause: UInt64? = nil,
    by origin: Origin = .current
  ) {
    guard reportsOutcome else { return }
    report(kind, about: roster.contacts.address(of: number), cause: cause, by: origin)
  }

  /// Reports a finding.
  ///
  /// - Parameter extent: What the finding covers, if it stands for several cases.
  mutating func report(
    _ kind: Finding.Kind, about contact: BareJID? = nil, cause: UInt64? = nil,
    by origin: Origin = .current, extent: Finding.Extent? = nil
  ) {
    guard reportsOutcome else { return }
    let source = source(of: origin)
    outcome.findings.append(
      Finding(
        record: stamp.record, cause: cause, contact: contact, connection: source?.connection,
        device: isShared ? source?.device : nil, extent: extent, kind: kind))
  }

  /// The connection of an origin, and its bound resource; nil if there is none.
  func source(of origin: Origin) -> (connection: ConnectionID, device: String?)? {
    let place: Int
    switch origin {
    case .current: place = self.place
    case .session(let other): place = other
    case .connection(let connection, let device): return (connection, device)
    case .account: return nil
    }
    // An annotation can come before there is any session.
    guard roster.sessions.all.indices.contains(place) else { return nil }
    return (roster.sessions[place].connection, roster.sessions[place].resource)
  }

  /// Makes the record part of the story, even if it changes nothing and has no finding.
  mutating func noteNews(of contact: BareJID?) {
    guard reportsOutcome else { return }
    outcome.news = RosterOutcome.News(contact: contact == roster.account ? nil : contact)
  }

  // MARK: What happened

  mutating func eventHappened(_ event: StoredEvent) {
    switch event {
    case .annotation(let annotation): annotationMade(annotation)
    case .session(let event):
      if !roster.hasReceived { roster.hasReceived = event.isReceived }
      if event.isReceivedInSession { noteReceived() }
      sessionEventHappened(event)
      settleAwaitedPushesOfEnded()
      reportOverdue()
    case .stanza(let stanza):
      stanzaRecorded(stanza)
      reportOverdue()
    }
  }

  private mutating func stanzaRecorded(_ stanza: StoredStanza) {
    // The stream of another account says nothing about this one.
    guard session.phase != .foreign else { return }
    if let direction = stanza.direction, let end = session.ends[direction] {
      return stanzaCameLate(direction, after: end)
    }
    if stanza.impliesSession { assumeSession() }
    if !roster.hasReceived { roster.hasReceived = stanza.direction == .inbound }
    if stanza.direction == .inbound { noteReceived() }
    stanzaHappened(stanza)
  }

  private mutating func sessionEventHappened(_ event: SessionEvent) {
    switch event {
    case .captureBegan(let account, let inboundOnly):
      captureBegan(account, inboundOnly: inboundOnly)
    case .negotiated: negotiationBegan()
    case .serverIdentified(let domain, let isVerified):
      serverIdentified(domain, isVerified: isVerified)
    case .featuresOffered(let features): session.features = features
    case .authenticated(let jid): authenticated(as: jid)
    case .opened(let jid, let from, let resumptionID):
      sessionOpened(jid, from: from, resumptionID: resumptionID)
    case .resumable(let id): session.resumptionID = id
    case .resumed(let jid, let id): sessionResumed(jid, id: id)
    case .ended(let direction): streamEnded(direction)
    case .streamFailed(let direction, let error): streamFailed(direction, error)
    case .loginFailed: loginFailed()
    case .closed(let isLost): connectionClosed(isLost: isLost)
    }
  }

  // MARK: Stanzas

  private mutating func stanzaHappened(_ stanza: StoredStanza) {
    switch stanza {
    case .querySent(let query): querySent(query)
    case .setSent(let set): setSent(set)
    case .answerReceived(let answer): answerReceived(answer)
    case .pushReceived(let push): pushReceived(push)
    case .answerSent(let id, let to, let error): answerSent(id, to: to, error)
    case .subscriptionReceived(let stanza): subscriptionReceived(stanza)
    case .subscriptionSent(let stanza): subscriptionSent(stanza)
    case .presenceReceived(let presence): presenceReceived(presence)
    case .presenceErrorReceived(let from, let error): presenceErrorReceived(from: from, error)
    case .presenceSent(let to, let isAvailable):
      if let to {
        presenceDirected(to: to.jid.bare, isAvailable: isAvailable)
      } else {
        presenceBroadcast(isAvailable: isAvailable)
      }
    case .blocked(let from, let jids): blockPushReceived(jids, from: from)
    case .unblocked(let from, let jids): unblockPushReceived(jids, from: from)
    case .blockingSent(let request): blockingSent(request)
    case .nicknamePublished(let contact, let nickname):
      nicknameLearned(nickname, of: roster.contacts.insert(address: contact))
    case .vCardPublished(let contact, let names):
      vCardLearned(names, of: roster.contacts.insert(address: contact))
    case .rejected(let rejection):
      unknownRequestReceived()
      report(.rejected(rejection))
    }
  }
}

extension SessionEvent {
  /// Whether it is an element from the server that counts as received.
  fileprivate var isReceived: Bool {
    switch self {
    case .featuresOffered, .streamFailed(.inbound, _), .loginFailed: true
    case .captureBegan, .negotiated, .serverIdentified, .authenticated, .opened, .resumable,
      .resumed, .ended, .streamFailed(.outbound, _), .closed:
      false
    }
  }

  /// Whether it is an element from the server, or its end of the stream, that a session can
  /// receive: features and the refusal of a login are part of the negotiation before it
  /// (RFC 6120 §4.3).
  fileprivate var isReceivedInSession: Bool {
    switch self {
    case .streamFailed(.inbound, _), .ended(.inbound): true
    case .captureBegan, .negotiated, .serverIdentified, .featuresOffered, .authenticated, .opened,
      .resumable, .resumed, .ended(.outbound), .streamFailed(.outbound, _), .loginFailed, .closed:
      false
    }
  }
}

extension StoredStanza {
  /// Whether there is a session if it arrived or was sent.
  ///
  /// What was not taken tells nothing. An error may refuse to bind a resource, because few servers
  /// send the request along (RFC 6120 §7.6.2): if it answers a request of a session, that request
  /// has told of the session.
  fileprivate var impliesSession: Bool {
    switch self {
    case .rejected: false
    case .answerReceived(let answer): if case .error = answer.payload { false } else { true }
    case .querySent, .setSent, .pushReceived, .answerSent, .subscriptionReceived,
      .subscriptionSent, .presenceReceived, .presenceErrorReceived, .presenceSent, .blocked,
      .unblocked, .blockingSent, .nicknamePublished, .vCardPublished:
      true
    }
  }

  /// Whether the server sent it or we did; nil if it could not be taken.
  fileprivate var direction: Direction? {
    switch self {
    case .answerReceived, .pushReceived, .subscriptionReceived, .presenceReceived,
      .presenceErrorReceived, .blocked, .unblocked, .nicknamePublished, .vCardPublished:
      .inbound
    case .querySent, .setSent, .answerSent, .subscriptionSent, .presenceSent,
      .blockingSent:
      .outbound
    case .rejected: nil
    }
  }
}
