import RawBytes
import XMPPStanza

// Presence (§4). It is kept by bare address and resource, whether or not the roster has arrived.
extension Reduction {
  mutating func presenceReceived(_ presence: StoredPresence) {
    let address = presence.from.bare
    guard roster.account?.text.hasBytes(address) != true else {
      return ownPresenceReceived(presence)
    }
    switch presence.content {
    case .available(let availability):
      let number = roster.contacts.insert(address: address)
      let row = roster.contacts.row(
        of: availability, by: presence.from.resource.orEmpty, of: number, since: stamp,
        told: SessionSet(place))
      forgetReturnedError(of: number)
      presenceReceived(row, of: number)
    case .unavailable:
      guard let number = roster.contacts.number(ofAddress: address) else { return }
      resourceEnded(presence.from.resource, of: number)
    }
  }

  private mutating func ownPresenceReceived(_ presence: StoredPresence) {
    let resource = String?(decoding: presence.from.resource)
    switch presence.content {
    case .available(let availability):
      if let malformed = availability.malformed {
        report(.presence(.malformed(String(decoding: malformed))), about: roster.account)
      }
      ownPresenceReceived(Availability(availability), by: resource ?? "")
    case .unavailable(let status):
      if status != nil, isEndedByServer(resource) { noteNews(of: nil) }
      ownUnavailableReceived(from: resource)
    }
  }

  /// Whether a resource that went offline is the session's own although the session did not send
  /// that: the server ended its presence.
  private func isEndedByServer(_ resource: String?) -> Bool {
    let isOwn = session.resource == nil || session.resource.hasSameBytes(as: resource)
    return isOwn && (session.isAvailable || session.initialPresence == .unsent)
  }

  private mutating func presenceReceived(_ row: PresenceRow, of number: ContactNumber) {
    if isShared {
      let name = roster.contacts.text(row.resource) ?? ""
      let availability = roster.contacts.value(of: row).availability
      guard !isCopy(availability, by: name, of: number), !hasPendingPresenceLoss(of: number),
        !isOvertaken(.presence(resource: name, availability), of: number)
      else { return }
      expectCopies(
        .presence(resource: name, availability), of: number, where: \.receivesPresence)
    }
    let before = replacePresence(by: row, of: number)
    if reportsOutcome {
      if let malformed = roster.contacts.text(row.malformed) {
        report(.presence(.malformed(malformed)), about: number)
      }
      if before == nil { reportUninvited(roster.contacts.text(row.resource) ?? "", number) }
    }
    if let before, isIdle(row, after: before) {
      tally(
        .idlePresence, about: roster.contacts.address(of: number), at: stamp.record, of: place)
    } else if before.map({ !row.saysSame(as: $0) }) ?? true {
      forgetIdlePresence(of: number)
    }
    var after = row
    after.told.formUnion(before?.told ?? [])
    presenceChanged(of: number, from: before, to: after)
    if before == nil { boundResources(of: number) }
  }

  /// Whether the session received the same presence before. When a server resumes a session, it may
  /// send stanzas again.
  private func isIdle(_ row: PresenceRow, after before: PresenceRow) -> Bool {
    !roster.isInboundOnly && session.resumed == nil && before.told.contains(row.told)
      && row.saysSame(as: before)
  }

  /// Drops the oldest resource of an address that has more than are kept.
  private mutating func boundResources(of number: ContactNumber) {
    guard let excess = roster.contacts.excessResource(of: number),
      let dropped = removePresence(of: number, excess)
    else { return }
    presenceChanged(of: number, from: dropped, to: nil)
    reportCrowd(about: roster.contacts.address(of: number))
  }

  private mutating func boundOwnResources() {
    guard let excess = roster.ownPresence.excess,
      let dropped = roster.ownPresence.remove(excess)
    else { return }
    presenceChanged(of: nil, from: dropped, to: nil)
    reportCrowd(about: roster.account)
  }

  /// Reported once in a session: a sender that invents one resource invents thousands.
  private mutating func reportCrowd(about address: BareJID?) {
    guard !session.reportedCrowd else { return }
    session.reportedCrowd = true
    report(.presence(.crowded(limit: PresenceRows.limit)), about: address)
  }

  /// Whether another connection received the same presence before. Notes that this connection
  /// receives it too.
  private mutating func isCopy(
    _ availability: Availability, by name: String, of number: ContactNumber
  ) -> Bool {
    let mine = SessionSet(place)
    let isOnItsWay = isCopy(.presence(resource: name, availability), of: number)
    guard let resource = roster.contacts.number(of: name),
      var row = roster.contacts.row(of: resource, of: number)
    else { return isOnItsWay }
    let isTold = row.told.contains(mine)
    // A server sends a new session what the others know.
    guard isOnItsWay || !isTold && roster.contacts.value(of: row).availability == availability
    else { return false }
    guard !isTold else { return true }
    row.told.insert(mine)
    let before = replacePresence(by: row, of: number)
    presenceShownOrHidden(of: number, from: before, to: row)
    return true
  }

  private mutating func ownPresenceReceived(_ availability: Availability, by name: String) {
    // Our own resource receives its own presence too.
    guard !session.resource.hasSameBytes(as: name) else { return }
    var row = roster.contacts.row(of: availability, by: name, since: stamp, told: SessionSet(place))
    if let known = roster.ownPresence[row.resource] {
      let isTold = known.told.contains(row.told)
      row.told.formUnion(known.told)
      if !isTold, roster.contacts.value(of: known).availability == availability {
        row.since = known.since
        _ = roster.ownPresence.update(row)
        presenceShownOrHidden(of: nil, from: known, to: row)
        return
      }
    }
    let before = roster.ownPresence.update(row)
    presenceChanged(of: nil, from: before, to: row)
    if before == nil { boundOwnResources() }
  }

  /// Sessions that knew the resource before will receive it too.
  ///
  /// - Returns: The previous presence of the resource.
  private mutating func replacePresence(
    by row: PresenceRow, of number: ContactNumber
  ) -> PresenceRow? {
    // Most contacts have one resource.
    if let before = roster.contacts.replacePresence(by: row, of: number) { return before }
    guard roster.contacts.presence(of: number) != nil else {
      roster.contacts.setPresence(row, of: number)
      return nil
    }
    return roster.contacts.updateFurtherResources(of: number) { $0.update(row) }
  }

  /// We send our presence to one address only, as to a room that we enter or leave (§4.6).
  mutating func presenceDirected(to address: BareJID, isAvailable: Bool) {
    guard address != roster.account else { return }
    // Of a full list, addresses may have been dropped: it stays full, to say so.
    guard isAvailable || !session.hasForgottenAddresses else { return }
    session.directedTo.removeAll { $0 == address }
    guard isAvailable, !(roster.contacts.number(of: address).map { isSeen($0) } ?? false) else {
      return
    }
    if session.hasForgottenAddresses { session.directedTo.removeFirst() }
    session.directedTo.append(address)
  }

  private mutating func reportUninvited(_ name: String, _ number: ContactNumber) {
    guard roster.completeness == .complete else { return }
    // The push may still be pending when the contact's presence arrives.
    guard !isSeen(number), !isAsked(number) else { return }
    let jid = roster.contacts.address(of: number)
    // Rooms and people that we show our presence to answer with theirs.
    let mayBeInvited = roster.sessions.all.contains {
      $0.hasForgottenAddresses || $0.directedTo.contains(jid)
    }
    guard !mayBeInvited else { return }
    let from = JID(prepared: jid, resource: name.isEmpty ? nil : name)
    report(.presence(.uninvited(from: from)), about: jid)
  }

  /// `unavailable` ends one resource; from a bare address it ends all of them (§4.5).
  private mutating func resourceEnded(
    _ name: RawSpan?, of number: ContactNumber
  ) {
    if isShared {
      let resource = String?(decoding: name) ?? ""
      let content = Delivery.Content.presence(resource: resource, nil)
      guard !isCopy(content, of: number), !isOvertaken(content, of: number) else { return }
      expectCopies(content, of: number, where: \.receivesPresence)
    }
    guard let name else { return voidPresence(of: number) }
    guard let before = removePresence(of: number, by: name) else { return }
    presenceChanged(of: number, from: before, to: nil)
  }

  private mutating func ownUnavailableReceived(from name: String?) {
    guard let name else {
      let rows = roster.contacts.sorted(roster.ownPresence.all)
      roster.ownPresence = PresenceRows()
      for row in rows { presenceChanged(of: nil, from: row, to: nil) }
      return
    }
    guard let resource = roster.contacts.number(of: name),
      let before = roster.ownPresence.remove(resource)
    else { return }
    presenceChanged(of: nil, from: before, to: nil)
  }

  /// - Returns: The previous presence of the resource; nil if it was not available.
  private mutating func removePresence(
    of number: ContactNumber, by name: RawSpan
  ) -> PresenceRow? {
    guard roster.contacts.presence(of: number) != nil,
      let resource = roster.contacts.resource(named: name, of: number)
    else { return nil }
    return removePresence(of: number, resource)
  }

  /// - Returns: The previous presence of the resource; nil if it was not available.
  private mutating func removePresence(
    of number: ContactNumber, _ resource: TextNumber
  ) -> PresenceRow? {
    guard let first = roster.contacts.presence(of: number) else { return nil }
    let hasFurther = roster.contacts.hasFurtherResources(number)
    guard first.resource == resource else {
      guard hasFurther else { return nil }
      return roster.contacts.updateFurtherResources(of: number) { $0.remove(resource) }
    }
    // Another resource becomes the first one.
    let next =
      hasFurther
      ? roster.contacts.updateFurtherResources(of: number) { $0.removeAny() } : nil
    roster.contacts.setPresence(next, of: number)
    return first
  }

  // MARK: What voids presence

  /// Forgets a contact's presence, because we no longer receive it.
  mutating func voidPresence(of number: ContactNumber) {
    guard let first = roster.contacts.presence(of: number) else { return }
    roster.contacts.setPresence(nil, of: number)
    let further = roster.contacts.removeFurtherResources(of: number)
    // Each resource is a separate change, reported in order.
    guard reportsChanges, !further.isEmpty else {
      return presenceChanged(of: number, from: first, to: nil)
    }
    for row in roster.contacts.sorted([first] + further.all) {
      presenceChanged(of: number, from: row, to: nil)
    }
  }

  /// Forgets the presence that only these sessions received, because no session learns of its
  /// changes any more.
  ///
  /// - Parameter kept: Own resources that stay.
  mutating func forgetPresence(
    toldTo sessions: SessionSet, keeping kept: Set<TextNumber> = []
  ) {
    let told = roster.contacts.members(.presence)
    // Reported in order.
    let numbers = reportsOutcome ? roster.contacts.sorted(told) : told
    expectChanges(numbers.count)
    for number in numbers { forgetPresence(of: number, toldTo: sessions) }
    forgetOwnPresence(toldTo: sessions, keeping: kept)
  }

  private mutating func forgetPresence(of number: ContactNumber, toldTo sessions: SessionSet) {
    // With one connection, no other session received it.
    guard isShared else { return voidPresence(of: number) }
    let rows = roster.contacts.sorted(roster.contacts.rows(of: number))
    let kept = rows.compactMap { $0.without(sessions) }
    guard !kept.isEmpty else { return voidPresence(of: number) }
    roster.contacts.setPresence(kept.first, of: number)
    _ = roster.contacts.removeFurtherResources(of: number)
    if kept.count > 1 {
      roster.contacts.updateFurtherResources(of: number) {
        $0 = PresenceRows(Array(kept.dropFirst()))
      }
    }
    for row in rows {
      presenceShownOrHidden(of: number, from: row, to: row.without(sessions))
    }
  }

  /// Our own undirected presence: the first one of a session starts it (§4.2), and after an
  /// unavailable one we no longer receive the presence of others (§4.5).
  mutating func presenceBroadcast(isAvailable: Bool) {
    session.isAvailable = isAvailable
    guard isAvailable else {
      forgetPresence(toldTo: SessionSet(place), keeping: resourcesOfOtherSessions())
      return
    }
    guard session.initialPresence != .sent else { return }
    if session.phase == .open { initialPresenceSent() } else { session.initialPresence = .waiting }
  }

  /// The session's first available presence goes to the server, which sends every open request
  /// again (§3.1.3).
  mutating func initialPresenceSent() {
    session.initialPresence = .sent
    session.unshownSince = nil
    expectFetch()
    doubtOldRequests()
    if isShared { expectRequestsAgain() }
  }
}

// The presence that a state shows: what any open session received.
extension Reduction {
  /// Reports the new presence of a resource, if it is shown or was shown before.
  ///
  /// - Parameter number: The contact that the resource belongs to; nil for the account itself.
  private mutating func presenceChanged(
    of number: ContactNumber?, from before: PresenceRow?, to after: PresenceRow?
  ) {
    guard reportsChanges else { return }
    let open = roster.openSessions
    reportPresence(of: number, from: before?.ifTold(open), to: after?.ifTold(open))
  }

  /// Reports a resource that is now shown, or hidden, although it sent nothing new: the set of
  /// sessions that received its presence has changed.
  mutating func presenceShownOrHidden(
    of number: ContactNumber?, from before: PresenceRow?, to after: PresenceRow?
  ) {
    guard reportsChanges else { return }
    let open = roster.openSessions
    let (before, after) = (before?.ifTold(open), after?.ifTold(open))
    guard (before == nil) != (after == nil) else { return }
    reportPresence(of: number, from: before, to: after)
  }

  /// Reports the presence that is shown because another session is open now, or hidden because one
  /// no longer is.
  mutating func shownPresenceChanged(from before: SessionSet) {
    let open = roster.openSessions
    // Found before they are sorted: with other devices online, a session's end changes few or none.
    let affected = roster.contacts.members(.presence).filter { number in
      roster.contacts.rows(of: number).contains {
        ($0.ifTold(before) == nil) != ($0.ifTold(open) == nil)
      }
    }
    for number in reportsOutcome ? roster.contacts.sorted(affected) : affected {
      let rows = roster.contacts.rows(of: number)
      for row in rows.count > 1 ? roster.contacts.sorted(rows) : rows {
        shownPresenceChanged(of: number, row, from: before, to: open)
      }
    }
    for row in roster.contacts.sorted(roster.ownPresence.all) {
      shownPresenceChanged(of: nil, row, from: before, to: open)
    }
  }

  private mutating func shownPresenceChanged(
    of number: ContactNumber?, _ row: PresenceRow, from before: SessionSet, to after: SessionSet
  ) {
    let (old, new) = (row.ifTold(before), row.ifTold(after))
    guard (old == nil) != (new == nil) else { return }
    reportPresence(of: number, from: old, to: new, because: .session)
  }

  private mutating func reportPresence(
    of number: ContactNumber?, from before: PresenceRow?, to after: PresenceRow?,
    because reason: RosterChange.Reason? = nil
  ) {
    guard let part = (after ?? before)?.resource else { return }
    let field: StateField = number == nil ? .ownResources : .presence
    changed(field, of: number, part: part, because: reason) { contacts in
      let resource = contacts.text(part) ?? ""
      let old = before.map { contacts.value(of: $0) }
      let new = after.map { contacts.value(of: $0) }
      return number == nil
        ? .ownPresence(resource: resource, before: old, after: new)
        : .presence(resource: resource, before: old, after: new)
    }
  }
}
