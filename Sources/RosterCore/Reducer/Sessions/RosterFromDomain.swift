import XMPPStanza

// Rosters from the server's domain: what a server sends on behalf of an account has no sender, or
// the account's bare address (RFC 6120 §8.1.2.1). Old servers did otherwise, so such a roster
// counts; many clients ignore it.
extension Reduction {
  /// Reports the sender of the first whole roster of a log if it is the domain: later ones have the
  /// same cause.
  mutating func reportRosterFromDomain(_ answer: StoredAnswer) {
    guard roster.completeness != .complete, let account = roster.account,
      let from = answer.head.peer?.jid, from.isServer(of: account)
    else { return }
    report(.answer(.rosterFromDomain(from)))
  }
}
