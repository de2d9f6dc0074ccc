import RawBytes
import XMPPStanza

// Blocks that we ask for: the server confirms them, and pushes them to all our devices
// (XEP-0191 §3.3). They change nothing themselves.
extension Reduction {
  mutating func blockingSent(_ request: BlockingRequest) {
    guard request.id != nil, owner.isOwnAccount(request.to) else { return }
    if session.openBlocking.count == OpenBlocking.limit { session.openBlocking.removeFirst() }
    session.openBlocking.append(OpenBlocking(request: request, sent: stamp))
  }

  /// The server answers a request to block or unblock.
  ///
  /// - Returns: Whether it is the answer to one.
  mutating func blockingAnswered(by answer: StoredAnswer) -> Bool {
    guard owner.isOwnServer(answer.head.peer?.jid),
      let index = session.openBlocking.firstIndex(where: { $0.request.id.hasBytes(answer.head.id) })
    else { return false }
    let open = session.openBlocking.remove(at: index)
    serverAnswered(open.sent.record)
    if case .error = answer.payload { return true }
    let request = open.request
    // The list that a result confirms is not known to be whole.
    for jid in request.jids.isEmpty ? roster.blocked.sorted() : request.jids {
      guard roster.blocked.contains(jid) != request.isBlock else { continue }
      noteBlocking(open, of: jid, on: place)
      setBlocked(jid, request.isBlock)
    }
    return true
  }

  /// A push shows that an address is blocked, or is not any more: the request for that may still
  /// wait for its answer.
  mutating func noteOrigin(ofBlocking jid: JID, _ isBlocked: Bool) {
    guard reportsOutcome, roster.blocked.contains(jid) != isBlocked else { return }
    for place in roster.sessions.all.indices {
      let open = roster.sessions[place].openBlocking.first { open in
        open.request.isBlock == isBlocked
          && (open.request.jids.isEmpty || open.request.jids.contains(jid))
      }
      if let open { return noteBlocking(open, of: jid, on: place) }
    }
  }

  private mutating func noteBlocking(_ open: OpenBlocking, of jid: JID, on place: Int) {
    guard reportsOutcome else { return }
    outcome.origins.append(
      ChangeOrigin(
        contact: jid.bare, cause: open.sent.record, effect: stamp.record, noted: stamp.record,
        connection: roster.sessions[place].connection, device: roster.sessions[place].resource,
        kind: .blocking))
  }
}
