package import RosterCore

/// Two stages of one direction of a subscription that cannot both be right.
///
/// Of the nine pairs of stages, three agree, and each of the other six is a mismatch of its own.
package enum SubscriptionMismatch: String, Hashable, Sendable, CaseIterable {
  /// The owner has a request that the subscriber does not make.
  case staleRequest = "stale-request"
  /// The owner shows its presence to an account whose roster does not say so.
  case unnoticedSubscription = "unnoticed-subscription"
  /// The subscriber waits for the answer to a request that the owner does not have.
  case unseenRequest = "unseen-request"
  /// The subscriber waits although the owner lets it see its presence.
  case unseenAcceptance = "unseen-acceptance"
  /// The subscriber's roster says that it sees a presence that the owner does not show to it.
  case unseenEnd = "unseen-end"
  /// The subscriber's roster says that it sees the owner's presence, but its request still awaits
  /// the owner's answer.
  case unansweredRequest = "unanswered-request"

  /// Nil if both ends are in the same stage.
  package init?(subscriber: SubscriptionStage, owner: SubscriptionStage) {
    switch (subscriber, owner) {
    case (.none, .none), (.pending, .pending), (.active, .active): return nil
    case (.none, .pending): self = .staleRequest
    case (.none, .active): self = .unnoticedSubscription
    case (.pending, .none): self = .unseenRequest
    case (.pending, .active): self = .unseenAcceptance
    case (.active, .none): self = .unseenEnd
    case (.active, .pending): self = .unansweredRequest
    }
  }

  /// Nil if one stage is possible at both ends.
  package init?(subscriber: PossibleStages, owner: PossibleStages) {
    guard subscriber.isDisjoint(with: owner), let first = subscriber.lowest,
      let second = owner.lowest
    else { return nil }
    self.init(subscriber: first, owner: second)
  }

  /// The end that is right if the logs do not say more.
  ///
  /// The owner's server decides who sees its presence (RFC 6121 §3.1.5, §3.2.1); whether an account
  /// asks for it, its own server does (§3.1.2, §3.3.2).
  package var authority: SubscriptionSide {
    switch self {
    case .staleRequest, .unseenRequest: .subscriber
    case .unnoticedSubscription, .unseenAcceptance, .unseenEnd, .unansweredRequest: .owner
    }
  }

  /// The ways to make both ends agree again, each by stanzas that RFC 6121 Appendix A.2 lets the
  /// server of its sender route from the state that it is in.
  ///
  /// A `subscribe` to an owner that shows its presence already is answered by the owner's server
  /// alone (RFC 6121 §3.1.3).
  package var repairs: [SubscriptionRepair] {
    switch self {
    case .staleRequest:
      [
        SubscriptionRepair(.end, (.subscriber, .unsubscribe)),
        SubscriptionRepair(.end, (.owner, .unsubscribed)),
      ]
    case .unnoticedSubscription, .unseenAcceptance:
      [
        SubscriptionRepair(.restore, (.subscriber, .subscribe)),
        SubscriptionRepair(.end, (.subscriber, .unsubscribe)),
      ]
    case .unseenRequest:
      [
        SubscriptionRepair(.askAgain, (.subscriber, .subscribe)),
        SubscriptionRepair(.end, (.subscriber, .unsubscribe)),
      ]
    case .unseenEnd:
      [
        SubscriptionRepair(.end, (.subscriber, .unsubscribe)),
        SubscriptionRepair(.restore, (.subscriber, .subscribe), (.owner, .subscribed)),
      ]
    case .unansweredRequest:
      [
        SubscriptionRepair(.restore, (.owner, .subscribed)),
        SubscriptionRepair(.end, (.owner, .unsubscribed)),
      ]
    }
  }
}

/// Stanzas that make the two ends of a subscription agree again.
package struct SubscriptionRepair: Hashable, Sendable {
  /// What the two ends agree on afterward.
  package enum Purpose: String, Hashable, Sendable, CaseIterable {
    /// The subscriber sees the presence of the owner.
    case restore
    /// The request awaits the owner's answer.
    case askAgain = "ask-again"
    /// There is no subscription and no request.
    case end
  }

  /// A stanza, and the account that sends it to the other.
  package struct Step: Hashable, Sendable {
    package let sender: SubscriptionSide
    package let kind: SubscriptionStanza.Kind
  }

  package let purpose: Purpose
  /// The stanzas, in the order in which they are sent.
  package let steps: [Step]

  fileprivate init(
    _ purpose: Purpose, _ steps: (SubscriptionSide, SubscriptionStanza.Kind)...
  ) {
    self.purpose = purpose
    self.steps = steps.map { Step(sender: $0.0, kind: $0.1) }
  }
}
