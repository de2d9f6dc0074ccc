public import XMPPStanza

/// Which requests are accepted without asking the user.
public enum AutoAccept: String, Hashable, Sendable, CaseIterable {
  /// None.
  case never
  /// Those of contacts whose presence we see or asked to see.
  case knownContacts = "known-contacts"
  /// All of them. This shows the user's presence to strangers.
  case all

  /// Decides on a contact's request, with the reason to log; nil if no request is open.
  ///
  /// A request from an earlier session that was not sent again is not decided on, because it may
  /// have been answered.
  public func decide(on jid: BareJID, in roster: Roster) -> AutoAcceptDecision? {
    guard case .open(let request)? = roster.contact(jid)?.request else { return nil }
    let (isAccepted, reason) = verdict(on: jid, in: roster)
    return AutoAcceptDecision(
      contact: jid, request: request.since.record, isAccepted: isAccepted, reason: reason)
  }

  private func verdict(on jid: BareJID, in roster: Roster) -> (Bool, String) {
    if roster.blocked.contains(where: { $0.covers(jid) }) {
      return (false, "\(jid) is blocked: nothing is accepted without asking the user.")
    }
    switch self {
    case .never: return (false, "The user answers each request.")
    case .all: return (true, "Every request is accepted.")
    case .knownContacts:
      if roster.item(jid)?.subscription.includesTo == true {
        return (true, "We see the presence of \(jid), and known contacts are accepted.")
      }
      if roster.contact(jid)?.outgoing != nil {
        return (true, "We asked to see the presence of \(jid), and known contacts are accepted.")
      }
      return (false, "\(jid) is not known: we neither see its presence nor asked to.")
    }
  }
}

/// A policy's decision on a request, to be logged and carried out by `RosterCommand.accept`.
public struct AutoAcceptDecision: Hashable, Sendable {
  /// The contact that sent the request.
  public let contact: BareJID
  /// The record that contained the request.
  public let request: UInt64
  /// Whether to accept; otherwise the user is asked.
  public let isAccepted: Bool
  /// The reason, as a sentence for people.
  public let reason: String
}

extension JID {
  /// Whether blocking this address blocks the contact (XEP-0191 §3.1).
  fileprivate func covers(_ jid: BareJID) -> Bool {
    resource == nil && (bare == jid || bare.text == jid.domain)
  }
}
