import XMPPStanza

// Requests of contacts that we answered by asking them in turn: the mirror of requests of ours that
// contacts answer so.
extension Reduction {
  /// Reports open requests of contacts that we asked later, and that have accepted ours: to the
  /// user both requests may look settled. Requests that cross do not answer each other.
  mutating func reportRequestsAskedBack() {
    for number in roster.contacts.sorted(roster.contacts.members(.openRequest)) {
      guard case .open(let request)? = roster.contacts.request(of: number),
        roster.contacts.outgoing(of: number) == nil,
        let ours = roster.contacts.lastOutgoingEnd(of: number), isAccepted(ours.way),
        request.since.isEarlier(than: ours.since, by: Timeout.crossing)
      else { continue }
      report(
        .subscription(.askedBack(ours: ours.since.record)), about: number,
        cause: request.since.record, by: .account)
    }
  }

  private func isAccepted(_ end: RosterChange.OutgoingEnd) -> Bool {
    switch end {
    case .accepted, .subscribed: true
    case .refused, .cancelled, .dropped, .removed, .neverShown: false
    }
  }
}
