import XMPPStanza

// Copies of what another connection has already received. A server sends every change to every
// device of an account, to each in its own time and order (RFC 6121 §2.1.6, §3.1.3, §4.4.2).
extension Reduction {
  /// Whether there are several connections, so that there can be copies.
  var isShared: Bool { roster.isShared }

  /// Whether this connection or another one has already received the same push or subscription
  /// stanza.
  ///
  /// Complexity: O(1) if there is only one connection and it cannot be resumed.
  mutating func isKnown(_ content: Delivery.Content, of number: ContactNumber) -> Bool {
    isRepeated(content, of: number) || isOvertaken(content, of: number)
  }

  /// Whether another connection has received the same, and this one not yet, or whether this one
  /// had received it before its resumption.
  mutating func isRepeated(_ content: Delivery.Content, of number: ContactNumber) -> Bool {
    let isToldAgain = isToldAgain(content, of: number)
    return isCopy(content, of: number) || isToldAgain
  }

  /// Whether a push shows what there was before the pushes that this connection has yet to receive:
  /// the server repeats what it has sent.
  func isBeforeComing(_ item: RosterItem?, of number: ContactNumber) -> Bool {
    let mine = SessionSet(place)
    return roster.contacts.deliveries(of: number).contains { delivery in
      guard delivery.waiting.contains(mine), case .push(_, let before, _) = delivery.content else {
        return false
      }
      return before == item
    }
  }

  /// The sessions that fetched the roster since another one received what this connection has yet
  /// to receive about a contact. Their results may include everything that the server sent before.
  func fetchedSinceComing(of number: ContactNumber) -> SessionSet {
    let mine = SessionSet(place)
    let coming = roster.contacts.deliveries(of: number).first { delivery in
      guard delivery.waiting.contains(mine), case .push = delivery.content else { return false }
      return true
    }
    guard let coming else { return [] }
    return roster.sessions.places { session in
      session.fetchedAt.map { $0.record > coming.record } ?? false
    }
  }

  /// Whether a push or presence is older than what another connection has received and this one has
  /// not yet. A server sends each connection everything in order.
  mutating func isOvertaken(
    _ content: Delivery.Content, of number: ContactNumber
  ) -> Bool {
    guard isShared else { return false }
    let deliveries = roster.contacts.deliveries(of: number)
    let mine = SessionSet(place)
    let coming = deliveries.filter { $0.waiting.contains(mine) && $0.replaces(content) }
    guard let last = coming.last else { return false }
    // After the limit, a delivery is no longer expected.
    if stamp.record - last.record < Delivery.lifetime { return true }
    keepDeliveries(of: number) { deliveries in
      for index in deliveries.indices where deliveries[index].replaces(content) {
        deliveries[index].waiting.remove(mine)
      }
    }
    return false
  }

  /// Whether there can be copies or repetitions, which must then be looked for.
  var canRepeat: Bool { isShared || session.resumptionID != nil }

  /// Whether a resumed session receives again what it had received before.
  private mutating func isToldAgain(
    _ content: Delivery.Content, of number: ContactNumber
  ) -> Bool {
    guard session.resumptionID != nil else { return false }
    let told = DeliveredItem(contact: roster.contacts.address(of: number), content: content)
    if let index = session.possibleRedeliveries.firstIndex(where: { $0.isSame(as: told) }) {
      session.possibleRedeliveries.removeFirst(index + 1)
      guard session.possibleRedeliveries.contains(where: told.isTakenBack) else { return true }
      // Either it is new, or what it contradicts is sent again as well and undoes it again.
      session.possibleRedeliveries.removeAll(where: told.isTakenBack)
    } else if session.possibleRedeliveries.count < DeliveredItem.limit {
      // All repetitions come before anything new. If there were more than are kept, it is unknown
      // whether this is one of them.
      session.possibleRedeliveries = []
    }
    if session.told.count == DeliveredItem.limit { session.told.removeFirst() }
    session.told.append(told)
    return false
  }

  /// Notes that we answered something that this session received about a contact, so we have
  /// received it and everything before it. A server that resumes the session repeats only what we
  /// did not acknowledge (XEP-0198 §5), and before anything else.
  mutating func answered(_ number: ContactNumber, _ isAnswered: (Delivery.Content) -> Bool) {
    guard session.resumptionID != nil else { return }
    let contact = roster.contacts.address(of: number)
    let isTaken = { (told: DeliveredItem) in told.contact == contact && isAnswered(told.content) }
    if let last = session.told.lastIndex(where: isTaken) {
      session.told.removeFirst(last + 1)
      session.possibleRedeliveries = []
    } else if let last = session.possibleRedeliveries.lastIndex(where: isTaken) {
      session.possibleRedeliveries.removeFirst(last + 1)
    }
  }

  /// Notes that we refused a contact. A request that the server sent before it received the refusal
  /// may still arrive.
  mutating func refusalSent(_ number: ContactNumber) {
    let known = roster.contacts.request(of: number)
    let begin = max(session.openedAt, session.resumed?.record ?? 0)
    // The refusal answers a request from this stream, and no request is sent twice.
    if case .open(let request)? = known, request.last.record > begin { return }
    let isOfBefore = known.map { $0.request.last.record < session.openedAt } ?? false
    guard isOfBefore || session.resumptionID != nil else { return }
    if session.refusals.count == Refusal.limit { session.refusals.removeFirst() }
    session.refusals.append(
      Refusal(
        contact: roster.contacts.address(of: number), sent: stamp, isOfBefore: isOfBefore))
  }

  /// Notes that the server answered what we sent at a record. It has therefore received everything
  /// that we sent before, and everything that it sends from now on is later than that.
  mutating func serverAnswered(_ sent: UInt64) {
    session.refusals.removeAll { $0.sent.record < sent }
    acceptancesReceived(before: sent)
    if let resumed = session.resumed, resumed.record < sent { session.resumed = nil }
  }

  /// Whether a request that arrives now may predate our refusal. After its first presence, a
  /// session receives the requests of earlier sessions; after a resumption, it receives what the
  /// server had queued (XEP-0198 §5). Both may be on their way while we refuse.
  func mayHaveCrossedRefusal(_ number: ContactNumber) -> Bool {
    let contact = roster.contacts.address(of: number)
    let isResumed = session.resumed.map { !isLongAgo($0) } ?? false
    return session.refusals.contains { refusal in
      refusal.contact == contact && (isResumed || refusal.isOfBefore && !isLongAgo(refusal.sent))
    }
  }

  /// Whether everything that was on its way at that time must have arrived by now.
  private func isLongAgo(_ then: RecordStamp) -> Bool {
    guard let time = then.clock, let now = stamp.clock else { return false }
    return now > time.adding(Timeout.answer)
  }

  /// Whether another connection has already received the same. It then no longer awaits this
  /// connection.
  mutating func isCopy(_ content: Delivery.Content, of number: ContactNumber) -> Bool {
    guard isShared else { return false }
    let deliveries = roster.contacts.deliveries(of: number)
    let mine = SessionSet(place)
    let found = deliveries.firstIndex { $0.waiting.contains(mine) && $0.isSame(as: content) }
    guard let found else { return false }
    // What a server writes to a lost connection waits for the session's resumption.
    guard session.phase == .open else { return true }
    keepDeliveries(of: number) { deliveries in
      for index in 0...found where deliveries[index].isInOrder(with: content) {
        deliveries[index].waiting.remove(mine)
      }
    }
    return true
  }

  /// Drops this connection's pending deliveries that the server sends in order with `content`,
  /// which no other connection has received yet.
  ///
  /// A server keeps that order on every connection, so the first connection to receive new content
  /// has already received everything that the others received.
  mutating func dropPendingDeliveries(like content: Delivery.Content, of number: ContactNumber) {
    let mine = SessionSet(place)
    let isWaiting = { (delivery: Delivery) in
      delivery.waiting.contains(mine) && delivery.isInOrder(with: content)
    }
    guard isShared, roster.contacts.deliveries(of: number).contains(where: isWaiting) else {
      return
    }
    keepDeliveries(of: number) { deliveries in
      for index in deliveries.indices where isWaiting(deliveries[index]) {
        deliveries[index].waiting.remove(mine)
      }
    }
  }

  /// Expects copies of `content` on the other connections that receive such content.
  ///
  /// - Parameters:
  ///   - asked: The get whose result contained it. The results of later gets contain it too.
  ///   - receivers: Sessions that have received it already.
  mutating func expectCopies(
    _ content: Delivery.Content, of number: ContactNumber, asked: UInt64? = nil,
    except receivers: SessionSet = [], where isTold: (Session) -> Bool
  ) {
    guard isShared else { return }
    let waiting = roster.sessions.places(where: isTold)
      .subtracting(receivers.union(SessionSet(place)))
    guard !waiting.isEmpty else { return }
    let delivery = Delivery(
      content: content, record: asked ?? stamp.record, waiting: waiting)
    keepDeliveries(of: number) { deliveries in
      if deliveries.count == Delivery.limit { deliveries.removeFirst() }
      deliveries.append(delivery)
    }
  }

  /// Expects every open request again. The server sends them all to a session that becomes
  /// available, including those that another session answers before they arrive (RFC 6121 §3.1.3).
  mutating func expectRequestsAgain() {
    let mine = SessionSet(place)
    for number in roster.contacts.members(.openRequest) {
      guard case .open(let request)? = roster.contacts.request(of: number) else { continue }
      let stanza = SubscriptionStanza(
        kind: .subscribe, contact: roster.contacts.address(of: number), status: request.status,
        nickname: request.nickname)
      let delivery = Delivery(
        content: .subscription(stanza), record: stamp.record, waiting: mine)
      keepDeliveries(of: number) { $0.append(delivery) }
    }
  }

  /// Whether what a result says about a contact is outdated by a later push that another connection
  /// has received and this one has not yet. Pushes from before the get are included in its result.
  ///
  /// - Parameter item: The item in the result; nil if the contact is not in it.
  mutating func isOvertaken(
    _ item: RosterItem?, _ number: ContactNumber, asked: UInt64?
  ) -> Bool {
    guard isShared else { return false }
    let deliveries = roster.contacts.deliveries(of: number)
    let mine = SessionSet(place)
    let pushes = deliveries.indices.compactMap { index -> Push? in
      guard deliveries[index].waiting.contains(mine),
        case .push(let after, let before, _) = deliveries[index].content
      else { return nil }
      return Push(
        index: index, before: before, after: after,
        isInResult: deliveries[index].record < asked ?? 0)
    }
    guard let first = pushes.first else { return false }
    let told = pushes.lastIndex { $0.after == item }
    let included = pushes.lastIndex(where: \.isInResult)
    if told == nil, included == nil, first.before == item { return true }
    // A value that is none of these is newer than all of them.
    let reached = told.map { max($0, included ?? 0) } ?? pushes.count - 1
    keepDeliveries(of: number) { deliveries in
      for push in pushes[...reached] { deliveries[push.index].waiting.remove(mine) }
    }
    return reached < pushes.count - 1
  }

  /// A push that this connection has yet to receive.
  private struct Push {
    let index: Int
    let before: RosterItem?
    let after: RosterItem?
    let isInResult: Bool
  }

  /// Whether this connection has yet to receive a push that another one received and that ends our
  /// subscription to the contact's presence. Presence that arrives before that push is outdated.
  func hasPendingPresenceLoss(of number: ContactNumber) -> Bool {
    let mine = SessionSet(place)
    let deliveries = roster.contacts.deliveries(of: number)
    return deliveries.contains { delivery in
      guard delivery.waiting.contains(mine),
        stamp.record - delivery.record < Delivery.lifetime,
        case .push(let item, let before, _) = delivery.content
      else { return false }
      return before?.subscription.includesTo == true && item?.subscription.includesTo != true
    }
  }

  /// Drops what is pending for sessions that no longer receive anything.
  mutating func forgetDeliveries(to sessions: SessionSet) {
    for number in roster.contacts.members(.deliveries) {
      let waiting = roster.contacts.deliveries(of: number)
      guard waiting.contains(where: { !$0.waiting.isDisjoint(with: sessions) }) else { continue }
      keepDeliveries(of: number) { deliveries in
        for index in deliveries.indices { deliveries[index].waiting.subtract(sessions) }
      }
    }
  }

  /// Changes the pending deliveries of a contact, and drops those that no session awaits.
  private mutating func keepDeliveries(
    of number: ContactNumber, _ change: (inout [Delivery]) -> Void
  ) {
    let (before, after) = roster.contacts.updateDetails(of: number) { details in
      let before = details.deliveries
      change(&details.deliveries)
      details.deliveries.removeAll { $0.waiting.isEmpty }
      return (before, details.deliveries)
    }
    for delivery in before { count(delivery, by: -1) }
    for delivery in after { count(delivery, by: 1) }
  }

  private mutating func count(_ delivery: Delivery, by difference: Int) {
    guard case .push = delivery.content else { return }
    for place in roster.sessions.all.indices where delivery.waiting.contains(SessionSet(place)) {
      roster.sessions[place].pendingPushCount += difference
      let last = roster.sessions[place].lastPendingPush
      roster.sessions[place].lastPendingPush = max(last, delivery.record)
    }
  }

  /// Whether other connections have received a later roster than this one.
  var hasPendingPushes: Bool {
    isShared && session.pendingPushCount > 0
      && stamp.record - session.lastPendingPush < Delivery.lifetime
  }
}
