import XMPPStanza

/// Derives the state of an account from events, one at a time.
///
/// Total and deterministic: for every state and event there is a new state, and it depends on
/// nothing but the arguments. Rules are numbered as in RFC 6121 unless another text is named.
public enum RosterReducer {
  /// The version of the reduction; kept states of another version must be derived anew.
  public static let version: UInt32 = 2

  /// What one event did.
  public struct Outcome: Hashable, Sendable {
    /// What changed, in the order it did.
    public internal(set) var changes: [RosterChange] = []
    /// What was odd.
    public internal(set) var findings: [Finding] = []

    /// Of a record that means nothing to the roster.
    package init() {}
  }

  /// Reduces one event into the state, in place.
  ///
  /// Complexity: O(log n) in the contacts; linear in the items of a result.
  package static func reduce(
    _ roster: inout Roster, _ event: RosterEvent, at stamp: RecordStamp
  ) -> Outcome {
    var step = Step(stamp: stamp)
    roster.position = stamp.record
    roster.meetDeadlines(&step)
    roster.apply(event, &step)
    return step.outcome
  }
}

/// The record that is being reduced, and what it has done so far.
struct Step {
  let stamp: RecordStamp
  var outcome = RosterReducer.Outcome()

  init(stamp: RecordStamp) {
    self.stamp = stamp
  }

  mutating func change(_ kind: consuming RosterChange.Kind) {
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

  mutating func find(
    _ code: Finding.Code, about contact: BareJID? = nil, cause: UInt64? = nil, _ sentence: String
  ) {
    outcome.findings.append(
      Finding(
        code: code, record: stamp.record, cause: cause, contact: contact, sentence: sentence))
  }
}

extension Roster {
  fileprivate mutating func apply(_ event: RosterEvent, _ step: inout Step) {
    switch event {
    case .session(let event): apply(event, &step)
    case .stanza(let event):
      // What another account's stream carries says nothing about this one.
      guard stream.phase != .foreign else { return }
      takeSessionForGranted(by: event, &step)
      apply(event, &step)
    }
  }

  private mutating func apply(_ event: SessionEvent, _ step: inout Step) {
    switch event {
    case .captureBegan(let account, let inboundOnly):
      beginCapture(account, inboundOnly: inboundOnly, &step)
    case .negotiated: negotiate(&step)
    case .featuresOffered(let features): stream.features = features
    case .authenticated(let jid): authenticate(jid, &step)
    case .opened(let jid, let from): open(jid, from: from, &step)
    case .resumed(let jid): resume(jid, &step)
    case .closed(let isLost): close(isLost: isLost, &step)
    }
  }

  private mutating func apply(_ event: StanzaEvent, _ step: inout Step) {
    switch event {
    case .querySent(let query): send(query, &step)
    case .setSent(let set): send(set, &step)
    case .answerReceived(let answer): receive(answer, &step)
    case .pushReceived(let push): receive(push, &step)
    case .answerSent(let id, let to): acknowledge(id, to: to)
    case .subscriptionReceived(let stanza): receive(stanza, &step)
    case .subscriptionSent(let stanza): send(stanza, &step)
    case .availableReceived(let from, let availability): receive(availability, from, &step)
    case .unavailableReceived(let from): receiveUnavailable(from, &step)
    case .presenceSent(let to, let isAvailable):
      if to == nil { broadcast(isAvailable: isAvailable, &step) }
    case .blocked(let from, let jids): block(jids, from: from, &step)
    case .unblocked(let from, let jids): unblock(jids, from: from, &step)
    case .nicknamePublished(let jid, let nickname): setNickname(nickname, of: jid, &step)
    case .vCardPublished(let jid, let names): setVCard(names, of: jid, &step)
    case .rejected(let rejection): report(rejection, &step)
    }
  }

  private func report(_ rejection: Rejection, _ step: inout Step) {
    let code: Finding.Code
    switch rejection.kind {
    case .address: code = .unpreparedAddress
    case .type: code = .unknownType
    case .nobody: code = .addresslessSubscription
    case .payload: code = .malformedPayload
    }
    step.find(code, "The element was ignored: \(rejection.reason).")
  }
}
