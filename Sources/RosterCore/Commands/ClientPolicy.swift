import RawBytes
import XMPPStanza

/// How a client treats what the server and others send: by the rules, or like a client that breaks
/// one of them.
///
/// A policy translates each event into the events that would make a client that follows the rules
/// do the same. The reducer does not know about policies.
package enum ClientPolicy: String, Hashable, Sendable, CaseIterable {
  /// Follows the rules (RFC 6121).
  case strict
  /// Believes pushes and answers from any sender.
  case lenient
  /// Shows at once what we ask the server to change.
  case optimistic
  /// Ignores pushes.
  case fetchOnly = "fetch-only"

  /// The rule, as a sentence for people.
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

/// Applies a policy, and remembers what it needs from one event to the next.
package struct PolicyReader {
  private let policy: ClientPolicy
  /// The ids of our roster gets and sets.
  private var asked: Set<String> = []
  private var encoder = EventEncoder()

  /// The id of the stanzas that a policy adds. They are acknowledged and answered at once.
  private static let id = "rollcall-policy"

  /// The state of a client that has seen nothing yet.
  package init(_ policy: ClientPolicy) {
    self.policy = policy
  }

  /// Translates an event into the events that would make a client that follows the rules do what
  /// one with this policy does.
  ///
  /// - Parameter event: The event's canonical bytes, like all that are returned.
  /// - Throws: `CodecError` if the bytes are not an event.
  package mutating func events(
    for event: [UInt8], in roster: Roster
  ) throws(CodecError) -> [[UInt8]] {
    guard policy != .strict else { return [event] }
    var input = CanonicalInput(event.span.bytes)
    guard case .stanza(let stanza) = try StoredEvent(from: &input) else { return [event] }
    switch policy {
    case .strict: return [event]
    case .lenient: return try believing(stanza, event, roster)
    case .optimistic: return assuming(stanza, event, roster)
    case .fetchOnly:
      if case .pushReceived = stanza { return [] }
      return [event]
    }
  }

  /// The event of a stanza that the policy adds.
  private mutating func added(_ stanza: XMPPElement, _ direction: Direction) -> [[UInt8]] {
    encoder.encode(stanza, direction)
    return encoder.event.map { [$0] } ?? []
  }

  // MARK: Lenient

  private mutating func believing(
    _ stanza: StoredStanza, _ event: [UInt8], _ roster: Roster
  ) throws(CodecError) -> [[UInt8]] {
    switch stanza {
    case .pushReceived(let push):
      guard roster.refusal(ofPushFrom: push.head.peer?.jid) != nil else { return [event] }
      let believed = try EventEncoder.fromServer(event.span.bytes)
      // A client that accepts a push also acknowledges it.
      guard let id = push.head.id else { return [believed] }
      return [believed] + added(.result(id: String(decoding: id)), .outbound)
    case .blocked, .unblocked: return [try EventEncoder.fromServer(event.span.bytes)]
    case .querySent(let query):
      if case .roster = query.subject, let id = query.id { asked.insert(id) }
      return [event]
    case .setSent(let set):
      if let id = set.head.id { asked.insert(String(decoding: id)) }
      return [event]
    case .answerReceived(let answer): return try believing(answer, event)
    case .answerSent, .subscriptionReceived, .subscriptionSent, .presenceReceived,
      .presenceErrorReceived, .presenceSent, .blockingSent, .nicknamePublished, .vCardPublished,
      .rejected:
      return [event]
    }
  }

  private mutating func believing(
    _ answer: StoredAnswer, _ event: [UInt8]
  ) throws(CodecError) -> [[UInt8]] {
    if let id = answer.head.id, asked.remove(String(decoding: id)) != nil {
      return [try EventEncoder.fromServer(event.span.bytes)]
    }
    guard case .roster = answer.payload else { return [event] }
    // Adds the request without which the answer would not count.
    return added(.rosterGet(id: Self.id, version: ""), .outbound) + [
      try EventEncoder.fromServer(event.span.bytes, id: Self.id)
    ]
  }

  // MARK: Optimistic

  private mutating func assuming(
    _ stanza: StoredStanza, _ event: [UInt8], _ roster: Roster
  ) -> [[UInt8]] {
    guard case .setSent(let set) = stanza else { return [event] }
    if let to = set.head.peer, roster.account?.text.hasBytes(to.bare) != true { return [event] }
    var events = [event]
    set.query.forEach { item in
      events += added(Self.push(of: item, in: roster), .inbound)
      events += added(.result(id: Self.id), .outbound)
    }
    return events
  }

  /// The push with which the server would show an item that we set.
  private static func push(of item: StoredItem, in roster: Roster) -> XMPPElement {
    guard let wanted = item.shown else { return .rosterSet(id: id, removing: item.jid) }
    // The server ignores the subscription of a set (§2.1.5).
    let now = roster.item(wanted.jid)
    return .rosterPush(
      id: id,
      RosterItem(
        jid: wanted.jid, name: wanted.name, subscription: now?.subscription ?? .none,
        isPending: now?.isPending ?? false, isApproved: now?.isApproved ?? false,
        groups: wanted.groups))
  }
}
