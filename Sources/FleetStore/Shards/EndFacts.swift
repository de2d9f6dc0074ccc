package import Rollcall
package import RosterCore
package import XMPPStanza

/// What one account's roster says about one contact: an end of the two subscriptions between them.
package struct EndFacts: Hashable, Sendable {
  /// A request of the contact.
  package enum Incoming: UInt8, Hashable, Sendable, CaseIterable {
    case none
    /// It awaits our answer.
    case open
    /// It may have been answered or withdrawn.
    case unconfirmed
  }

  /// Our request to the contact.
  package enum Outgoing: UInt8, Hashable, Sendable, CaseIterable {
    case none
    /// The roster has not shown it.
    case unshown
    case shown
  }

  /// Nil if the contact is not in the roster.
  package var subscription: RosterSubscription?
  /// Whether the item says that our request awaits an answer.
  package var isPending = false
  package var isApproved = false
  package var incoming = Incoming.none
  package var outgoing = Outgoing.none
  /// Whether we accepted a request and the roster does not show it yet.
  package var hasUnshownAcceptance = false
  /// Whether the account blocks the contact or its domain.
  package var isBlocked = false

  package init() {}

  /// What a roster says about a contact.
  package init(of contact: BareJID, in roster: Roster) {
    if let item = roster.item(contact) {
      (subscription, isPending, isApproved) = (item.subscription, item.isPending, item.isApproved)
    }
    if roster.incoming[contact] != nil {
      incoming = .open
    } else if roster.unconfirmed[contact] != nil {
      incoming = .unconfirmed
    }
    if let request = roster.outgoing[contact] {
      outgoing = request.isReflected ? .shown : .unshown
    }
    hasUnshownAcceptance = roster.hasUnshownAcceptance(of: contact)
    isBlocked =
      roster.blocked.contains(JID(prepared: contact, resource: nil))
      || roster.blocked.contains(JID(prepared: BareJID(prepared: contact.domain), resource: nil))
  }

  /// All ends of an account: its contacts, and who asks it or is asked by it.
  package static func all(of roster: Roster) -> [BareJID: EndFacts] {
    var contacts: [BareJID: EndFacts] = [:]
    for item in roster.sortedItems { contacts[item.jid] = EndFacts(of: item.jid, in: roster) }
    for views in [roster.incoming.keys, roster.unconfirmed.keys, roster.outgoing.keys] {
      for contact in views where contacts[contact] == nil {
        contacts[contact] = EndFacts(of: contact, in: roster)
      }
    }
    return contacts
  }

  // The same rules as those for a roster (`PossibleStages.init(ofOurs:in:)`), from what is stored.

  /// The stages that our subscription to the contact's presence may be in.
  package func ours(isComplete: Bool) -> PossibleStages {
    if subscription?.includesTo == true { return .active }
    if subscription == nil, !isComplete { return .unknown }
    if isPending { return .pending }
    switch outgoing {
    case .none: return .none
    case .unshown: return [.none, .pending]
    case .shown: return .pending
    }
  }

  /// The stages that the contact's subscription to our presence may be in.
  package func theirs(isComplete: Bool, receivesRequests: Bool) -> PossibleStages {
    if subscription?.includesFrom == true { return .active }
    if hasUnshownAcceptance || (subscription == nil && !isComplete) { return .unknown }
    switch incoming {
    case .open: return .pending
    case .unconfirmed: return [.none, .pending]
    case .none: return receivesRequests ? .none : [.none, .pending]
    }
  }
}

/// An end as a shard stores it.
package struct EndRow: Hashable, Sendable, CanonicalCodable {
  package var facts: EndFacts
  /// The account's record that changed it last, as in a log of the account alone.
  package var record: UInt64
  /// The time of that record; nil if it has none.
  package var time: Int64?

  package init(facts: EndFacts, record: UInt64, time: Int64?) {
    (self.facts, self.record, self.time) = (facts, record, time)
  }

  private static let subscriptions: [RosterSubscription?] = [
    nil, RosterSubscription.none, .to, .from, .both,
  ]

  package func encode(to output: inout CanonicalOutput) {
    let subscription = Self.subscriptions.firstIndex(of: facts.subscription) ?? 0
    output.write(
      tag: UInt8(subscription) | facts.incoming.rawValue << 3 | facts.outgoing.rawValue << 5)
    var flags: UInt8 = 0
    if facts.isPending { flags |= 1 }
    if facts.isApproved { flags |= 2 }
    if facts.hasUnshownAcceptance { flags |= 4 }
    if facts.isBlocked { flags |= 8 }
    output.write(tag: flags)
    output.write(record)
    output.write(time: time)
  }

  package init(from input: inout CanonicalInput) throws(CodecError) {
    let (first, flags) = (try input.readTag(), try input.readTag())
    let subscription = Int(first & 7)
    guard subscription < Self.subscriptions.count, flags < 16, first < 128,
      let incoming = EndFacts.Incoming(rawValue: first >> 3 & 3),
      let outgoing = EndFacts.Outgoing(rawValue: first >> 5 & 3)
    else { throw input.invalid }
    facts = EndFacts()
    facts.subscription = Self.subscriptions[subscription]
    (facts.incoming, facts.outgoing) = (incoming, outgoing)
    facts.isPending = flags & 1 != 0
    facts.isApproved = flags & 2 != 0
    facts.hasUnshownAcceptance = flags & 4 != 0
    facts.isBlocked = flags & 8 != 0
    record = try input.readNumber()
    time = try input.readTime()
  }
}
