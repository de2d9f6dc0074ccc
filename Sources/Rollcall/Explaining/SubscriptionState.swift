public import RosterCore
public import XMPPStanza

/// Where a contact and the account stand with each other: the nine states of RFC 6121
/// Appendix A.1.
public enum SubscriptionState: String, Hashable, Sendable, CaseIterable {
  /// Neither sees the other's presence; who has asked for it is said.
  case none = "None"
  case nonePendingOut = "None + Pending Out"
  case nonePendingIn = "None + Pending In"
  case nonePendingOutIn = "None + Pending Out+In"
  /// We see its presence.
  case to = "To"
  case toPendingIn = "To + Pending In"
  /// It sees ours.
  case from = "From"
  case fromPendingOut = "From + Pending Out"
  /// Both see each other's.
  case both = "Both"

  /// The state of a contact. A request that the server has not sent again counts as pending: it
  /// may be.
  public init(of jid: BareJID, in roster: Roster) {
    let isOut = roster.outgoing[jid] != nil || roster.item(jid)?.isPending == true
    let isIn = roster.incoming[jid] != nil || roster.unconfirmed[jid] != nil
    switch (roster.item(jid)?.subscription ?? .none, isOut, isIn) {
    case (.none, false, false): self = .none
    case (.none, true, false): self = .nonePendingOut
    case (.none, false, true): self = .nonePendingIn
    case (.none, true, true): self = .nonePendingOutIn
    case (.to, _, false): self = .to
    case (.to, _, true): self = .toPendingIn
    case (.from, false, _): self = .from
    case (.from, true, _): self = .fromPendingOut
    case (.both, _, _): self = .both
    }
  }

  /// What has still to happen before both see each other's presence (§3.1), for a contact that is
  /// called “it”; nil where they do.
  var wayToBoth: String? {
    let asks = "it asks to see our presence (an inbound “subscribe”) and we send “subscribed”"
    let weAsk = "we send “subscribe” and it answers “subscribed”"
    let answers = "it answers our request by “subscribed”"
    let accept = "we answer its request by “subscribed”"
    return switch self {
    case .none: "\(weAsk), \(asks)"
    case .nonePendingOut: "\(answers), \(asks)"
    case .nonePendingIn: "\(accept), \(weAsk)"
    case .nonePendingOutIn: "\(accept), \(answers)"
    case .to: asks
    case .toPendingIn: accept
    case .from: weAsk
    case .fromPendingOut: answers
    case .both: nil
    }
  }
}
