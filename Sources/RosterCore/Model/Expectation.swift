import XMPPStanza

/// What a subscription stanza does to an item, once the server shows it.
enum SubscriptionEffect: Hashable, Sendable, CaseIterable {
  /// We see the contact's presence: after its `subscribed`.
  case weSee
  /// We no longer see it, or no longer ask to: after its `unsubscribed`, or our `unsubscribe`.
  case weNoLongerSee
  /// The contact no longer sees our presence: after its `unsubscribe`, or our `unsubscribed`.
  case itNoLongerSees
  /// The contact sees our presence: after our `subscribed`.
  case itSees
  /// Our request waits for an answer: after our `subscribe`.
  case weAsk
  /// A later request is approved: after our `subscribed` (RFC 6121 §3.4).
  case weApprove

  /// The kind of stanza of ours, or of the contact, that has this effect.
  func kind(isOurs: Bool) -> SubscriptionStanza.Kind {
    switch self {
    case .weSee: .subscribed
    case .weNoLongerSee: isOurs ? .unsubscribe : .unsubscribed
    case .itNoLongerSees: isOurs ? .unsubscribed : .unsubscribe
    case .itSees, .weApprove: .subscribed
    case .weAsk: .subscribe
    }
  }
}

/// A stanza without its push so far, or a push without its stanza.
struct Expectation: Hashable, Sendable {
  var effect: SubscriptionEffect
  /// Whether the stanza is ours.
  var isOurs: Bool
  /// The record that came first.
  var stamp: RecordStamp
  /// The connection of that record, and its resource.
  var connection: ConnectionID
  var device: String?
  /// The subscription before.
  var before: RosterSubscription
}

/// The counterparts still expected of a contact's actions or ours. A stanza and the push that shows
/// its effect come in either order, because RFC 6121 §3.1.6, §3.2.3 and §3.3.3 leave it open and
/// servers differ.
struct ExpectedCounterparts: Hashable, Sendable {
  /// Pushes whose stanza is still to come; one of each effect at most.
  var stanzas: [Expectation] = []
  /// Stanzas that have come without a push yet that shows their effect; one of each effect at most.
  var pushes: [Expectation] = []
  /// The last record by which we ended a subscription or asked for the contact's removal, or at
  /// which it was reported that the contact ended one.
  var lastEnding: RecordStamp?

  var isEmpty: Bool { stanzas.isEmpty && pushes.isEmpty && lastEnding == nil }
}
