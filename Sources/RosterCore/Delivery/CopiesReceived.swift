import XMPPStanza

// What one connection is told after another: a server sends what happens to every device of an
// account, to each in its own time and order (RFC 6121 §2.1.6, §3.1.3, §4.4.2).
extension Reduction {
  /// Whether there are several connections, so that there can be copies.
  var isShared: Bool { roster.isShared }

  /// Whether this connection, or another one, was told the same push or subscription before.
  ///
  /// Complexity: O(1) where there is one connection that cannot be resumed.
  mutating func isKnown(_ content: Delivery.Content, of number: ContactNumber) -> Bool {
    let isToldAgain = isToldAgain(content, of: number)
    return isCopy(content, of: number) || isToldAgain || isOvertaken(content, of: number)
  }

  /// Whether a push or presence is older than what another connection has seen, and what is still
  /// on its way to this one: a server tells each connection everything in order.
  mutating func isOvertaken(
    _ content: Delivery.Content, of number: ContactNumber
  ) -> Bool {
    guard isShared else { return false }
    let deliveries = roster.contacts.deliveries(of: number)
    let mine = SessionSet(place)
    let coming = deliveries.filter { $0.waiting.contains(mine) && $0.replaces(content) }
    guard let last = coming.last else { return false }
    // What has not come by now never will.
    if stamp.record - last.record < Delivery.patience { return true }
    keepDeliveries(of: number) { deliveries in
      for index in deliveries.indices where deliveries[index].replaces(content) {
        deliveries[index].waiting.remove(mine)
      }
    }
    return false
  }

  /// Whether there can be copies or repetitions, so that it has to be looked for them.
  var canRepeat: Bool { isShared || session.resumptionID != nil }

  /// Whether a session that was resumed is told once more what it was told before.
  private mutating func isToldAgain(
    _ content: Delivery.Content, of number: ContactNumber
  ) -> Bool {
    guard session.resumptionID != nil else { return false }
    let told = Told(contact: roster.contacts.address(of: number), content: content)
    if let index = session.mayComeAgain.firstIndex(where: { $0.isSame(as: told) }) {
      session.mayComeAgain.removeFirst(index + 1)
      guard session.mayComeAgain.contains(where: told.isTakenBack) else { return true }
      // Either it is new, or what took it back is told once more, too, and takes it back again.
      session.mayComeAgain.removeAll(where: told.isTakenBack)
    } else if session.mayComeAgain.count < Told.limit {
      // What is told once more comes before all that is new. Of more than is kept, nobody can say
      // which this is.
      session.mayComeAgain = []
    }
    if session.told.count == Told.limit { session.told.removeFirst() }
    session.told.append(told)
    return false
  }

  /// We answer something that this session was told of a contact, so that we have it, and all that
  /// came before it: a server that resumes the session tells it again only what we do not have
  /// (XEP-0198 §5), and before anything else.
  mutating func answered(_ number: ContactNumber, _ isAnswered: (Delivery.Content) -> Bool) {
    guard session.resumptionID != nil else { return }
    let contact = roster.contacts.address(of: number)
    let isTaken = { (told: Told) in told.contact == contact && isAnswered(told.content) }
    if let last = session.told.lastIndex(where: isTaken) {
      session.told.removeFirst(last + 1)
      session.mayComeAgain = []
    } else if let last = session.mayComeAgain.lastIndex(where: isTaken) {
      session.mayComeAgain.removeFirst(last + 1)
    }
  }

  /// We refuse a contact: a request of its that the server sent before it has this will come yet.
  mutating func refusalSent(_ number: ContactNumber) {
    let known = roster.contacts.request(of: number)
    let begin = max(session.openedAt, session.resumed?.record ?? 0)
    // It answers what this stream has told, and no request is told twice.
    if case .open(let request)? = known, request.last.record > begin { return }
    let isOfBefore = known.map { $0.request.last.record < session.openedAt } ?? false
    guard isOfBefore || session.resumptionID != nil else { return }
    if session.refusals.count == Refusal.limit { session.refusals.removeFirst() }
    session.refusals.append(
      Refusal(
        contact: roster.contacts.address(of: number), sent: stamp, isOfBefore: isOfBefore))
  }

  /// The server answered what we sent at a record, so it has all that we sent before, and what it
  /// tells from now on it tells after that.
  mutating func serverAnswered(_ sent: UInt64) {
    session.refusals.removeAll { $0.sent.record < sent }
    if let resumed = session.resumed, resumed.record < sent { session.resumed = nil }
  }

  /// Whether a request that comes now may be of before our refusal. A session is told those of
  /// earlier sessions after its first presence, and one that was resumed what the server had for it
  /// meanwhile (XEP-0198 §5): both may be on their way while we refuse.
  func mayHaveCrossedRefusal(_ number: ContactNumber) -> Bool {
    let contact = roster.contacts.address(of: number)
    let isResumed = session.resumed.map { !isLongAgo($0) } ?? false
    return session.refusals.contains { refusal in
      refusal.contact == contact && (isResumed || refusal.isOfBefore && !isLongAgo(refusal.sent))
    }
  }

  /// Whether what was on its way then has come by now.
  private func isLongAgo(_ then: RecordStamp) -> Bool {
    guard let time = then.time, let now = stamp.time else { return false }
    return now > time.adding(Timeout.answer)
  }

  /// Whether another connection was told the same before. It is no longer on its way to this one.
  mutating func isCopy(_ content: Delivery.Content, of number: ContactNumber) -> Bool {
    guard isShared else { return false }
    let deliveries = roster.contacts.deliveries(of: number)
    let mine = SessionSet(place)
    let found = deliveries.firstIndex { $0.waiting.contains(mine) && $0.isSame(as: content) }
    guard let found else { return false }
    // What a server writes to a connection that is lost waits for the session's resumption.
    guard session.phase == .open else { return true }
    keepDeliveries(of: number) { deliveries in
      for index in 0...found where deliveries[index].isInOrder(with: content) {
        deliveries[index].waiting.remove(mine)
      }
    }
    return true
  }

  /// A connection that is told of a contact what no other was told has been told all that they
  /// were: a server tells each of them in order.
  mutating func nothingIsOnItsWay(like content: Delivery.Content, of number: ContactNumber) {
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

  /// The other connections that are told such things will be told this, too.
  ///
  /// - Parameter asked: The get whose result it was in: who asks later is given it, too.
  mutating func expectCopies(
    _ content: Delivery.Content, of number: ContactNumber, asked: UInt64? = nil,
    where isTold: (Session) -> Bool
  ) {
    guard isShared else { return }
    let waiting = roster.sessions.places(where: isTold).subtracting(SessionSet(place))
    guard !waiting.isEmpty else { return }
    let delivery = Delivery(
      content: content, record: asked ?? stamp.record, waiting: waiting)
    keepDeliveries(of: number) { deliveries in
      if deliveries.count == Delivery.limit { deliveries.removeFirst() }
      deliveries.append(delivery)
    }
  }

  /// The server sends a session that shows its presence every open request, also those that another
  /// session answers before they are there (RFC 6121 §3.1.3).
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

  /// Whether a result says of a contact what a later push to another connection has overtaken: that
  /// push is still to come here. What was pushed before the get is in its result.
  ///
  /// - Parameter item: What the result lists; nil where the contact is not in it.
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
    // What is none of these values is newer than all of them.
    let reached = told.map { max($0, included ?? 0) } ?? pushes.count - 1
    keepDeliveries(of: number) { deliveries in
      for push in pushes[...reached] { deliveries[push.index].waiting.remove(mine) }
    }
    return reached < pushes.count - 1
  }

  /// A push that is on its way.
  private struct Push {
    let index: Int
    let before: RosterItem?
    let after: RosterItem?
    let isInResult: Bool
  }

  /// Whether a push is still on its way to this connection that says that we no longer see the
  /// contact's presence, as another one was told: what comes before it is of earlier.
  func isLosingSight(of number: ContactNumber) -> Bool {
    let mine = SessionSet(place)
    let deliveries = roster.contacts.deliveries(of: number)
    return deliveries.contains { delivery in
      guard delivery.waiting.contains(mine),
        stamp.record - delivery.record < Delivery.patience,
        case .push(let item, let before, _) = delivery.content
      else { return false }
      return before?.subscription.includesTo == true && item?.subscription.includesTo != true
    }
  }

  /// What is on its way to sessions that are told no more.
  mutating func forgetDeliveries(to sessions: SessionSet) {
    for number in roster.contacts.members(.deliveries) {
      let waiting = roster.contacts.deliveries(of: number)
      guard waiting.contains(where: { !$0.waiting.isDisjoint(with: sessions) }) else { continue }
      keepDeliveries(of: number) { deliveries in
        for index in deliveries.indices { deliveries[index].waiting.subtract(sessions) }
      }
    }
  }

  /// Changes what is on its way, and drops what nobody waits for.
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
      roster.sessions[place].pushesToCome += difference
      let last = roster.sessions[place].lastPushToCome
      roster.sessions[place].lastPushToCome = max(last, delivery.record)
    }
  }

  /// Whether others were told of a later roster than this connection.
  var isBehind: Bool {
    isShared && session.pushesToCome > 0
      && stamp.record - session.lastPushToCome < Delivery.patience
  }
}
