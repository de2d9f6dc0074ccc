package import RosterCore
package import XMPPStanza

/// How far one direction of a subscription has come at one of its two ends.
///
/// The nine states of RFC 6121 Appendix A.1 are the pairs of such stages: one for what the account
/// may see, one for what it shows.
package enum SubscriptionStage: String, Hashable, Sendable, CaseIterable {
  /// There is no subscription, and nothing asks for one.
  case none
  /// A request awaits its answer: pending out at the end that asked, pending in at the other.
  case pending
  /// The subscriber sees the presence of the owner.
  case active
}

extension SubscriptionState {
  /// How far our subscription to the contact's presence has come.
  package var outbound: SubscriptionStage {
    switch self {
    case .none, .nonePendingIn, .from: .none
    case .nonePendingOut, .nonePendingOutIn, .fromPendingOut: .pending
    case .to, .toPendingIn, .both: .active
    }
  }

  /// How far the contact's subscription to our presence has come.
  package var inbound: SubscriptionStage {
    switch self {
    case .none, .nonePendingOut, .to: .none
    case .nonePendingIn, .nonePendingOutIn, .toPendingIn: .pending
    case .from, .fromPendingOut, .both: .active
    }
  }
}

/// The stages that one end may be in, as far as its log says.
package struct PossibleStages: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package static let none = PossibleStages(rawValue: 1)
  package static let pending = PossibleStages(rawValue: 2)
  package static let active = PossibleStages(rawValue: 4)
  /// Nothing is known.
  package static let unknown: PossibleStages = [.none, .pending, .active]

  /// The only stage that is possible.
  package init(_ stage: SubscriptionStage) {
    self =
      switch stage {
      case .none: .none
      case .pending: .pending
      case .active: .active
      }
  }

  /// The lowest stage that is possible; nil if none is.
  package var lowest: SubscriptionStage? {
    SubscriptionStage.allCases.first { contains(PossibleStages($0)) }
  }
}

/// One of the two accounts of a subscription in one direction.
package enum SubscriptionSide: String, Hashable, Sendable, CaseIterable {
  /// The account that sees the presence, or asks to.
  case subscriber
  /// The account whose presence it is.
  case owner

  /// The account at the other end.
  package var opposite: SubscriptionSide { self == .subscriber ? .owner : .subscriber }
}

// What a roster says about one contact.
extension PossibleStages {
  /// The stages that our subscription to a contact's presence may be in.
  ///
  /// A request that the server has not shown in the roster may not have reached it.
  package init(ofOurs contact: BareJID, in roster: Roster) {
    let item = roster.item(contact)
    if let item, item.subscription.includesTo {
      self = .active
    } else if item == nil, roster.completeness != .complete {
      self = .unknown
    } else if item?.isPending == true {
      self = .pending
    } else if let request = roster.outgoing[contact] {
      self = request.isReflected ? .pending : [.none, .pending]
    } else {
      self = .none
    }
  }

  /// The stages that a contact's subscription to our presence may be in.
  ///
  /// A roster does not show requests of contacts (RFC 6121 §2.1.2.5): the server sends them to
  /// available resources only (§3.1.3). So a log that lacks one proves nothing until then.
  package init(ofTheirs contact: BareJID, in roster: Roster) {
    let item = roster.item(contact)
    if let item, item.subscription.includesFrom {
      self = .active
    } else if roster.hasUnshownAcceptance(of: contact)
      || (item == nil && roster.completeness != .complete)
    {
      self = .unknown
    } else if roster.incoming[contact] != nil {
      self = .pending
    } else if roster.unconfirmed[contact] != nil || !roster.receivesRequests {
      self = [.none, .pending]
    } else {
      self = .none
    }
  }
}
