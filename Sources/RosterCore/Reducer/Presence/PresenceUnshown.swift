import XMPPStanza

// A session that has the roster and never shows its presence, although an earlier one of the same
// client did: the server sends it neither the presence of contacts nor requests (RFC 6121 §2.2,
// §4.2). A script that only edits needs no presence.
extension Reduction {
  /// A session that has the roster should show its presence, if its client ever did.
  mutating func expectPresence() {
    guard session.showedBefore, session.initialPresence == .unsent, session.unshownSince == nil,
      !roster.isInboundOnly
    else { return }
    session.unshownSince = stamp
    expectAnswer()
  }

  /// Reports that a session has shown no presence for a minute.
  mutating func reportOverduePresence(of place: Int, _ now: Int64) {
    guard roster.sessions[place].phase == .open,
      let due = roster.sessions[place].unshownSince?.time?.adding(Timeout.answer)
    else { return }
    guard now > due else {
      roster.nextTimeout = min(roster.nextTimeout, due)
      return
    }
    reportUnshownPresence(of: place)
  }

  /// Reports that a session that is over, or has lasted for long, has shown no presence.
  mutating func reportUnshownPresence(of place: Int) {
    guard let since = roster.sessions[place].unshownSince else { return }
    roster.sessions[place].unshownSince = nil
    // Without a subscription, there is no presence to be seen.
    guard since.isEarlier(than: stamp, by: Acceptance.margin),
      roster.contacts.members(.item).contains(where: { isSeen($0) })
    else { return }
    report(.presence(.unshown), cause: since.record, by: .session(place))
  }
}
