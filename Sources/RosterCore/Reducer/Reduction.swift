import XMPPStanza

/// A record that is being reduced: the roster it changes, and what it has done so far.
///
/// There is a function for each thing that can happen, named for it, in a file for each kind.
struct Reduction: ~Copyable {
  var roster: Roster
  let stamp: RecordStamp
  /// Where the session of the record's connection is.
  private let place: Int
  private var outcome = RosterReducer.Outcome()

  init(of roster: consuming Roster, at stamp: RecordStamp) {
    place = roster.sessions.place(of: .first)
    roster.position = stamp.record
    self.roster = roster
    self.stamp = stamp
  }

  /// The roster after the record, and what the record did.
  consuming func finish() -> (Roster, RosterReducer.Outcome) {
    if roster.contacts.isCompactionDue {
      roster.contacts = roster.contacts.compacted(with: &roster.ownPresence)
    }
    return (roster, outcome)
  }

  /// The session of the record's connection.
  var session: Session {
    _read { yield roster.sessions[place] }
    _modify { yield &roster.sessions[place] }
  }

  // MARK: What it did

  mutating func changed(_ kind: consuming RosterChange.Kind) {
    let change = RosterChange(record: stamp.record, kind: kind)
    if outcome.changes.capacity > 0 {
      outcome.changes.append(change)
    } else {
      // Most records change one thing, and to make a list of it costs half of growing one.
      outcome.changes = [change]
    }
  }

  /// Makes room for so many changes.
  mutating func expectChanges(_ count: Int) {
    outcome.changes.reserveCapacity(outcome.changes.count + count)
  }

  mutating func report(
    _ kind: Finding.Kind, about contact: BareJID? = nil, cause: UInt64? = nil
  ) {
    outcome.findings.append(
      Finding(record: stamp.record, cause: cause, contact: contact, kind: kind))
  }

  // MARK: What happened

  mutating func eventHappened(_ event: RosterEvent) {
    reportOverdue()
    switch event {
    case .session(let event): sessionEventHappened(event)
    case .stanza(let event):
      // What another account's stream carries says nothing about this one.
      guard session.phase != .foreign else { return }
      assumeSession(from: event)
      stanzaEventHappened(event)
    }
  }

  private mutating func sessionEventHappened(_ event: SessionEvent) {
    switch event {
    case .captureBegan(let account, let inboundOnly):
      captureBegan(account, inboundOnly: inboundOnly)
    case .negotiated: negotiationBegan()
    case .featuresOffered(let features): session.features = features
    case .authenticated(let jid): authenticated(as: jid)
    case .opened(let jid, let from): sessionOpened(jid, from: from)
    case .resumed(let jid): sessionResumed(jid)
    case .closed(let isLost): streamClosed(isLost: isLost)
    }
  }

  private mutating func stanzaEventHappened(_ event: StanzaEvent) {
    switch event {
    case .querySent(let query): querySent(query)
    case .setSent(let set): setSent(set)
    case .answerReceived(let answer): answerReceived(answer)
    case .pushReceived(let push): pushReceived(push)
    case .answerSent(let id, let to): answerSent(id, to: to)
    case .subscriptionReceived(let stanza): subscriptionReceived(stanza)
    case .subscriptionSent(let stanza): subscriptionSent(stanza)
    case .availableReceived(let from, let availability):
      availableReceived(from: from, availability)
    case .unavailableReceived(let from): unavailableReceived(from: from)
    case .presenceSent(let to, let isAvailable):
      if to == nil { presenceBroadcast(isAvailable: isAvailable) }
    case .blocked(let from, let jids): blockPushReceived(jids, from: from)
    case .unblocked(let from, let jids): unblockPushReceived(jids, from: from)
    case .nicknamePublished(let jid, let nickname): nicknameLearned(nickname, of: jid)
    case .vCardPublished(let jid, let names): vCardLearned(names, of: jid)
    case .rejected(let rejection): report(.rejected(rejection))
    }
  }
}
