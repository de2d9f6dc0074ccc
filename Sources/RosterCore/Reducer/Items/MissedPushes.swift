import DequeModule
import XMPPStanza

// Pushes that one device received and another did not: a server pushes each change to every
// resource that has requested the roster (RFC 6121 §2.1.6).
extension Reduction {
  /// A session received a push about a contact.
  ///
  /// - Parameters:
  ///   - item: The item in the push; nil for a removal.
  ///   - isNews: Whether no other session has received the same before.
  mutating func pushArrived(_ item: RosterItem?, about contact: BareJID, isNews: Bool) {
    guard !roster.awaitedPushes.isEmpty else { return }
    let mine = SessionSet(place)
    let awaited = roster.awaitedPushes
    let last = awaited.lastIndex {
      $0.waiting.contains(mine) && $0.contact == contact && $0.item == item
    }
    guard let last else {
      // What it did not receive before is outdated by now.
      if isNews { settleAwaitedPushes(of: place) { $0.contact == contact } }
      return
    }
    for index in awaited.indices[...last] where awaited[index].waiting.contains(mine) {
      if awaited[index].contact == contact {
        roster.awaitedPushes[index].waiting.remove(mine)
      } else if awaited[index].connection == awaited[last].connection {
        roster.awaitedPushes[index].overtaken.insert(mine)
      }
    }
    forgetReceivedPushes()
  }

  /// Expects a push on the other sessions to which the server has to send it.
  mutating func awaitPush(_ item: RosterItem?, about contact: BareJID) {
    guard isShared, !roster.isInboundOnly else { return }
    let waiting = roster.sessions.places(where: \.isInterested).subtracting(SessionSet(place))
    guard !waiting.isEmpty else { return }
    if roster.awaitedPushes.count >= AwaitedPush.limit { roster.awaitedPushes.removeFirst() }
    roster.awaitedPushes.append(
      AwaitedPush(
        contact: contact, item: item, shown: stamp, connection: session.connection,
        device: session.resource, waiting: waiting))
  }

  /// Notes that the server has sent something on the record's connection, which it sent after all
  /// that the session has received so far.
  ///
  /// What negotiates a new stream says nothing about the session, which may still be resumed with
  /// all that it did not receive before (XEP-0198 §5).
  mutating func noteReceived() {
    guard session.phase == .open || session.mayStillBeAnswered && session.lostAt == nil else {
      return
    }
    if isShared { session.lastReceived = stamp }
    markOverdueAcceptances()
  }

  /// Decides about the pushes that sessions await which will not receive any more.
  mutating func settleAwaitedPushesOfEnded() {
    guard !roster.awaitedPushes.isEmpty else { return }
    for place in roster.sessions.all.indices
    where roster.sessions[place].phase != .open && !roster.sessions[place].mayStillBeAnswered {
      settleAwaitedPushes(of: place)
    }
  }

  /// Decides about pushes that a session awaits: those are missed that were sent before something
  /// that it has received. Of the others, nothing is known.
  mutating func settleAwaitedPushes(
    of place: Int, where isIncluded: (AwaitedPush) -> Bool = { _ in true }
  ) {
    guard !roster.awaitedPushes.isEmpty else { return }
    let mine = SessionSet(place)
    for index in roster.awaitedPushes.indices {
      let push = roster.awaitedPushes[index]
      guard push.waiting.contains(mine), isIncluded(push) else { continue }
      roster.awaitedPushes[index].waiting.remove(mine)
      guard isMissed(push, by: place) else { continue }
      tally(
        .missedPushes, about: push.contact, at: push.shown.record, of: place,
        receivedBy: push.device)
    }
    forgetReceivedPushes()
  }

  private func isMissed(_ push: AwaitedPush, by place: Int) -> Bool {
    if push.overtaken.contains(SessionSet(place)) { return true }
    // Captures that were recorded apart may have different clocks.
    guard !roster.hasSeveralRecorders, let last = roster.sessions[place].lastReceived?.time,
      let shown = push.shown.time
    else { return false }
    return last >= shown.adding(AwaitedPush.margin)
  }

  private mutating func forgetReceivedPushes() {
    roster.awaitedPushes.removeAll { $0.waiting.isEmpty }
  }
}

extension Roster {
  /// Whether the log was merged from captures that were recorded apart.
  fileprivate var hasSeveralRecorders: Bool {
    sessions.all.indices.count { sessions[$0].beginsCapture } > 1
  }
}
