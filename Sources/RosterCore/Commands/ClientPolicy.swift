import XMPPStanza

/// How a client takes what the server and others send it: by the rules, or as some do that do not
/// follow them.
///
/// A policy turns each event into those that a client by the rules would have to see to do the
/// same. The reducer knows of none of this.
package enum ClientPolicy: String, Hashable, Sendable, CaseIterable {
  /// By the rules (RFC 6121).
  case strict
  /// Whoever pushes or answers is believed.
  case lenient
  /// What we ask the server to change is shown at once.
  case optimistic
  /// Pushes are not listened to.
  case fetchOnly = "fetch-only"

  /// The rule, a sentence for a person.
  package var rule: String {
    switch self {
    case .strict: "by the rules of RFC 6121, as everywhere else"
    case .lenient:
      "takes pushes of rosters and block lists from anybody, and any roster that comes as a "
        + "result, asked for or not (CVE-2015-8688)"
    case .optimistic:
      "shows its own roster sets when it sends them, and takes none back that the server refuses"
    case .fetchOnly: "ignores roster pushes: the roster is what the last fetch brought"
    }
  }
}

/// A policy at work: what it has to remember from one event to the next.
package struct PolicyReader {
  private let policy: ClientPolicy
  /// The roster gets and sets of ours, by id.
  private var asked: Set<String> = []

  /// The id of the stanzas that a policy adds. They are acknowledged and answered at once.
  private static let id = "rollcall-policy"

  /// A client that has seen nothing yet.
  package init(_ policy: ClientPolicy) {
    self.policy = policy
  }

  /// The events that a client by the rules would have to see to do what one of this policy does.
  package mutating func events(for event: RosterEvent, in roster: Roster) -> [RosterEvent] {
    guard case .stanza(let stanza) = event else { return [event] }
    switch policy {
    case .strict: return [event]
    case .lenient: return believing(stanza, roster).map { .stanza($0) }
    case .optimistic: return assuming(stanza, roster).map { .stanza($0) }
    case .fetchOnly:
      if case .pushReceived = stanza { return [] }
      return [event]
    }
  }

  // MARK: Lenient

  private mutating func believing(_ event: StanzaEvent, _ roster: Roster) -> [StanzaEvent] {
    switch event {
    case .pushReceived(var push):
      guard roster.refusal(ofPushFrom: push.from) != nil else { return [event] }
      push.from = nil
      // Who takes it also acknowledges it.
      return [.pushReceived(push)] + (push.id.map { [.answerSent(id: $0, to: nil)] } ?? [])
    case .blocked(_, let jids): return [.blocked(from: nil, jids)]
    case .unblocked(_, let jids): return [.unblocked(from: nil, jids)]
    case .querySent(let query):
      if case .roster = query.subject, let id = query.id { asked.insert(id) }
      return [event]
    case .setSent(let set):
      if let id = set.id { asked.insert(id) }
      return [event]
    case .answerReceived(let answer): return believing(answer)
    case .answerSent, .subscriptionReceived, .subscriptionSent, .availableReceived,
      .unavailableReceived, .presenceSent, .nicknamePublished, .vCardPublished, .rejected:
      return [event]
    }
  }

  private mutating func believing(_ answer: Answer) -> [StanzaEvent] {
    var believed = answer
    if let id = answer.id, asked.remove(id) != nil {
      believed.from = nil
      return [.answerReceived(believed)]
    }
    guard case .roster = answer.payload else { return [.answerReceived(answer)] }
    // It would count if it had been asked for.
    believed.id = Self.id
    believed.from = nil
    let get = Query(id: Self.id, to: nil, subject: .roster(version: ""))
    return [.querySent(get), .answerReceived(believed)]
  }

  // MARK: Optimistic

  private func assuming(_ event: StanzaEvent, _ roster: Roster) -> [StanzaEvent] {
    guard case .setSent(let set) = event, set.to == nil || set.to?.bare == roster.account else {
      return [event]
    }
    var events = [event]
    for item in set.query.items {
      var shown = item
      if case .set(let wanted) = item.change {
        // A set says nothing of the subscription (§2.1.5).
        let now = roster.item(wanted.jid)
        shown.change = .set(
          RosterItem(
            jid: wanted.jid, name: wanted.name, subscription: now?.subscription ?? .none,
            isPending: now?.isPending ?? false, isApproved: now?.isApproved ?? false,
            groups: wanted.groups))
      }
      let push = RosterPush(id: Self.id, from: nil, query: RosterQuery(items: [shown]))
      events += [.pushReceived(push), .answerSent(id: Self.id, to: nil)]
    }
    return events
  }
}
