import XMPPStanza

// A session that has the roster and never shows its presence: the server sends it neither the
// presence of contacts nor requests (RFC 6121 §2.2, §4.2). A script that only edits needs no
// presence, so without an earlier session of the same client that did, only a long session counts.
extension Reduction {
  /// A session that has the roster should show its presence.
  mutating func expectPresence() {
    guard session.initialPresence == .unsent, session.unshownSince == nil, !roster.isInboundOnly,
      session.showedBefore || session.openedAt > 0
    else { return }
    session.unshownSince = stamp
    expectAnswer()
  }

  /// Reports that a session has shown no presence for long.
  mutating func reportOverduePresence(of place: Int, _ now: Int64) {
    let session = roster.sessions[place]
    guard session.phase == .open, session.needsPresence,
      let due = session.unshownSince?.clock?.adding(session.presenceTimeout)
    else { return }
    guard now > due else {
      roster.nextTimeout = min(roster.nextTimeout, due)
      return
    }
    reportUnshownPresence(of: place)
  }

  /// Reports that a session that is over, or has lasted for long, has shown no presence.
  mutating func reportUnshownPresence(of place: Int) {
    let session = roster.sessions[place]
    guard let since = session.unshownSince else { return }
    roster.sessions[place].unshownSince = nil
    let margin = session.showedBefore ? Acceptance.margin : session.presenceTimeout
    // Without a subscription, there is no presence to be seen.
    guard session.needsPresence, since.isEarlier(than: stamp, by: margin),
      roster.contacts.members(.item).contains(where: { isSeen($0) }), !hasReceivedPresence(place)
    else { return }
    report(
      .presence(.unshown(hasEarlier: session.showedBefore)), cause: since.record,
      by: .session(place))
  }

  /// Whether the session has received a contact's presence, so that it has shown its own where the
  /// log does not have it.
  private func hasReceivedPresence(_ place: Int) -> Bool {
    roster.contacts.members(.presence).contains { number in
      roster.contacts.rows(of: number).contains { $0.told.contains(SessionSet(place)) }
    }
  }
}

extension Session {
  /// Whether its client needs presence: an earlier session of it showed its own, or a person edits
  /// the roster in this one. A script edits as soon as it has the roster.
  fileprivate var needsPresence: Bool {
    if showedBefore { return true }
    guard let since = unshownSince, let last = lastSet, last.sent.record > openedAt else {
      return false
    }
    return since.isEarlier(than: last.sent, by: Timeout.script)
  }

  /// How long the session may have the roster without showing its presence, in milliseconds of log
  /// time.
  fileprivate var presenceTimeout: Int64 { showedBefore ? Timeout.answer : Timeout.presence }
}
