import DequeModule
import RawBytes
import XMPPStanza

// Pushes that one device received and another did not: a server pushes each change to every
// resource that has requested the roster (RFC 6121 §2.1.6).
extension Reduction {
  /// The record's session received a push about a contact.
  ///
  /// - Parameter item: The item in the push; nil for a removal.
  mutating func pushArrived(_ item: RosterItem?, about contact: BareJID) -> PushArrival {
    guard !roster.awaitedPushes.isEmpty else { return .first }
    let (mine, now) = (SessionSet(place), stamp)
    let awaited = roster.awaitedPushes
    let isSame = { (push: AwaitedPush) in push.contact == contact && push.item == item }
    guard let last = awaited.lastIndex(where: { isSame($0) && $0.waiting.contains(mine) }) else {
      let late = awaited.firstIndex { isSame($0) && $0.mayStillCome(to: mine, at: now) }
      guard let late else { return .first }
      roster.awaitedPushes[late].passed.remove(mine)
      forgetReceivedPushes()
      return .late
    }
    for index in awaited.indices[...last] where awaited[index].waiting.contains(mine) {
      if awaited[index].contact == contact {
        roster.awaitedPushes[index].waiting.remove(mine)
        // What it did not receive before is outdated by now.
        if index < last { roster.awaitedPushes[index].pass(mine, at: stamp) }
      } else if awaited[index].connection == awaited[last].connection {
        roster.awaitedPushes[index].overtaken.insert(mine)
      }
    }
    let others = roster.awaitedPushes[last].waiting
    forgetReceivedPushes()
    return .awaited(others: others)
  }

  /// Expects a push on the other sessions to which the server has to send it, now or once they are
  /// resumed.
  ///
  /// - Parameter learned: Sessions that may know it already from a result.
  mutating func awaitPush(
    _ item: RosterItem?, about contact: BareJID, except learned: SessionSet
  ) {
    guard isShared, !roster.isInboundOnly else { return }
    let waiting = roster.sessions.places { $0.isInterested || $0.isLost && $0.hasFetched }
      .subtracting(learned.union(SessionSet(place)))
    guard !waiting.isEmpty else { return }
    append(
      AwaitedPush(
        contact: contact, item: item, shown: stamp, since: stamp, connection: session.connection,
        device: session.resource, waiting: waiting))
  }

  /// Ends the wait for pushes that changed a contact if a push changes it back. The result of a
  /// session that fetched the roster shortly before may include all of them, although it showed
  /// nothing new.
  ///
  /// - Returns: The sessions of such results.
  mutating func restored(to item: RosterItem?, _ number: ContactNumber) -> SessionSet {
    let now = stamp
    let isRecent = { (then: RecordStamp) in !then.isLongBefore(now, Delivery.delay) }
    // What the server sent before this session was resumed may be as old as its loss.
    let isQueued = session.resumed.map(isRecent) ?? false
    let learned = roster.sessions.places { session in
      session.fetchedAt.map { isQueued || isRecent($0) } ?? false
    }
    let changed = roster.contacts.deliveries(of: number).first { delivery in
      guard case .push(_, item, _) = delivery.content else { return false }
      return !delivery.waiting.isDisjoint(with: learned)
    }
    guard let changed else { return [] }
    let contact = roster.contacts.address(of: number)
    for index in roster.awaitedPushes.indices
    where roster.awaitedPushes[index].contact == contact
      && roster.awaitedPushes[index].shown.record >= changed.record
    {
      roster.awaitedPushes[index].waiting.subtract(learned)
    }
    forgetReceivedPushes()
    return learned
  }

  private mutating func append(_ push: AwaitedPush) {
    makeRoom(for: push.waiting)
    roster.awaitedPushes.append(push)
  }

  /// Lets those of some sessions that await as many pushes as they can no longer await the oldest.
  private mutating func makeRoom(for sessions: SessionSet) {
    guard roster.awaitedPushes.count >= AwaitedPush.limit else { return }
    roster.awaitedPushes.removeAll { $0.waiting.isEmpty }
    for place in roster.sessions.all.indices where sessions.contains(SessionSet(place)) {
      let mine = SessionSet(place)
      let awaited = roster.awaitedPushes.indices.filter {
        roster.awaitedPushes[$0].waiting.contains(mine)
      }
      guard awaited.count >= AwaitedPush.limit, let oldest = awaited.first else { continue }
      roster.awaitedPushes[oldest].waiting.remove(mine)
    }
    forgetReceivedPushes()
  }

  /// The record's session is resumed: what it did not receive before, the server sends now
  /// (XEP-0198 §5). What it should have received before something that it did receive is not among
  /// that.
  mutating func awaitPushesAgain() {
    let mine = SessionSet(place)
    let waiting = roster.awaitedPushes.filter { $0.waiting.contains(mine) }
    guard !waiting.isEmpty else { return }
    for index in roster.awaitedPushes.indices { roster.awaitedPushes[index].waiting.remove(mine) }
    forgetReceivedPushes()
    for var push in waiting {
      if !isMissed(push, by: place) { push.since = stamp }
      push.waiting = mine
      push.passed = []
      push.overtaken.formIntersection(mine)
      append(push)
    }
  }

  /// The server told the record's session that a version is the latest. If the log has a later one
  /// and the push that brought it to another device, this session awaits that push (RFC 6121
  /// §2.6.3 lets the server send what has changed since as pushes).
  ///
  /// Versions may return if they are digests, so the other device must have heard of all that
  /// happened since.
  mutating func awaitPushes(since version: String) {
    guard isShared, let last = roster.lastVersionPush, !roster.version.hasSameBytes(as: version),
      roster.knownVersions.contains(where: { $0.hasSameBytes(as: version) }),
      let receiver = roster.sessions.place(of: last.connection),
      roster.sessions[receiver].isInterested,
      last.connection != session.connection, !last.device.hasSameBytes(as: session.resource),
      let number = roster.contacts.number(of: last.contact)
    else { return }
    append(
      AwaitedPush(
        contact: last.contact, item: roster.contacts.entry(of: number)?.item, shown: last.shown,
        since: stamp, connection: last.connection, device: last.device, waiting: SessionSet(place)))
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
    where !roster.sessions[place].isAlive && !roster.sessions[place].mayStillBeAnswered {
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
      guard isIncluded(push) else { continue }
      roster.awaitedPushes[index].passed.remove(mine)
      guard roster.awaitedPushes[index].waiting.remove(mine) != nil else { continue }
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
    guard !roster.hasSeveralRecorders, let last = roster.sessions[place].lastReceived else {
      return false
    }
    guard last.clock != nil, push.since.clock != nil else {
      // Records of one recorder are in order, even without times.
      let (records, isOver) = last.record.subtractingReportingOverflow(push.since.record)
      return !isOver && records >= AwaitedPush.margin.records
    }
    return push.since.isEarlier(than: last, by: AwaitedPush.margin.time)
  }

  private mutating func forgetReceivedPushes() {
    let now = stamp
    roster.awaitedPushes.removeAll {
      $0.waiting.isEmpty && !$0.mayStillCome(to: $0.passed, at: now)
    }
  }
}

extension Roster {
  /// Whether the log was merged from captures that were recorded apart.
  fileprivate var hasSeveralRecorders: Bool {
    sessions.all.indices.count { sessions[$0].beginsCapture } > 1
  }
}
