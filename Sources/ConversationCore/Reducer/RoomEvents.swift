import RawBytes
import XMPPStanza

// Who is in a room (rules 29 to 31).
extension Conversations {
  /// Reduces a presence: entering and leaving rooms, and who is in them.
  mutating func presenceSeen(
    _ presence: PresenceStanza, _ direction: Direction, at position: RecordPosition
  ) {
    switch direction {
    case .outbound:
      guard let to = presence.to else { return }
      if presence.entersRoom, presence.kind == .available {
        roomEntering(to, at: position)
      } else if presence.kind == .available, let nick = to.resource, rooms[to.bare] != nil {
        rooms[to.bare]?.requestedNick = nick
      }
    case .inbound:
      guard let from = presence.from else { return }
      avatarAnnounced(presence, from, at: position)
      guard let nick = from.resource, rooms[from.bare] != nil else { return }
      switch presence.kind {
      case .available: occupantPresent(presence, nick, in: from.bare, at: position)
      case .unavailable: occupantLeft(presence, nick, in: from.bare, at: position)
      case .subscribe, .subscribed, .unsubscribe, .unsubscribed, .probe, .error: break
      }
    }
  }

  /// We ask to enter a room. Who was in it before has to be told anew.
  private mutating func roomEntering(_ occupant: JID, at position: RecordPosition) {
    _ = number(of: .group(occupant.bare))
    var room = rooms[occupant.bare] ?? Room()
    room.requestedNick = occupant.resource
    room.enterings += 1
    // A session that was lost is told of no one who comes or leaves.
    if room.isJoined, !room.streams.contains(where: isAlive) { room.suspend() }
    if !room.isJoined {
      room.hideStays()
      room.stays = [:]
    }
    rooms[occupant.bare] = room
  }

  private mutating func occupantPresent(
    _ presence: PresenceStanza, _ nick: String, in jid: BareJID, at position: RecordPosition
  ) {
    guard var room = rooms[jid] else { return }
    let key = ExactText(nick)
    if let known = room.stays[key] {
      if known.occupantID == nil { room.stays[key]?.occupantID = presence.occupantID }
    } else {
      _ = room.begin(newStay(), nick: key, occupantID: presence.occupantID)
    }
    // Rooms from before status 110 only reflect the nick that we asked for.
    let isUs =
      presence.statuses.contains(110)
      || !room.isJoined && room.requestedNick.map { ExactText($0) } == key
    if isUs {
      if !room.isJoined {
        room.joins += 1
        if room.requestedNick == nil { room.enterings += 1 }
        if room.firstJoin == nil { room.firstJoin = position }
        room.suspendedStays = [:]
        room.forgetHiddenStays()
      }
      room.isJoined = true
      let stream = withSession(position.connection) { $0.stream }
      room.streams = room.streams.filter { $0 != stream && mayContinue($0) } + [stream]
      room.nick = nick
      room.occupantID = presence.occupantID ?? room.occupantID
      room.requestedNick = nil
    }
    rooms[jid] = room
  }

  private mutating func occupantLeft(
    _ presence: PresenceStanza, _ nick: String, in jid: BareJID, at position: RecordPosition
  ) {
    guard var room = rooms[jid] else { return }
    let stay = room.stays.removeValue(forKey: ExactText(nick))
    let isUs = presence.statuses.contains(110) || room.nick.map { ExactText($0) } == ExactText(nick)
    // A changed nick continues the stay (XEP-0045 §7.6).
    if presence.statuses.contains(303), let newNick = presence.newNick {
      room.stays[ExactText(newNick)] = stay
      if isUs { room.nick = newNick }
    } else if isUs {
      let stream = withSession(position.connection) { $0.stream }
      room.streams.removeAll { $0 == stream }
      if room.streams.contains(where: isAlive) {
        // Another session of ours is still there with that nick.
        room.stays[ExactText(nick)] = stay
      } else {
        room.leave()
      }
    }
    rooms[jid] = room
  }

  private mutating func newStay() -> Int {
    nextStay += 1
    return nextStay - 1
  }

  /// A new session begins: the rooms in which only lost sessions are, are left.
  mutating func roomsLeft() {
    let isAnyOpen = sessions.values.contains { $0.phase == .open }
    for (jid, room) in rooms {
      if room.isJoined {
        if !room.streams.contains(where: isAlive) { rooms[jid]?.suspend() }
      } else if !isAnyOpen {
        rooms[jid]?.stays = [:]
      }
    }
  }

  /// A session that is resumed is in its rooms as before, even if another one was bound while it
  /// was lost (XEP-0198 §5). The stream that was lost is in none of them any more.
  mutating func roomsContinued(from stream: StreamID, on resumed: StreamID) {
    for (jid, room) in rooms where room.streams.contains(stream) {
      rooms[jid]?.resume(stream, on: resumed)
    }
  }

  /// Whether a stream may still carry stanzas.
  private func isAlive(_ stream: StreamID) -> Bool {
    sessions[stream.connection].map { $0.stream == stream && $0.isAlive } ?? false
  }

  /// Whether a stream is alive, or its session may be resumed.
  private func mayContinue(_ stream: StreamID) -> Bool {
    if isAlive(stream) { return true }
    let ended = sessions[stream.connection].map { [$0] } ?? []
    return (ended + pastSessions).contains { $0.stream == stream && $0.resumptionID != nil }
  }

  // MARK: Senders in a room

  /// Whether the occupant with a nick is us (rule 4).
  mutating func isOurOccupant(_ stanza: MessageStanza, _ nick: String, in jid: BareJID) -> Bool {
    if let real = stanza.realJID, let account { return real.bare == account }
    let room = rooms[jid] ?? Room()
    if let id = stanza.occupantID, let own = room.occupantID { return id == own }
    if let own = room.nick { return own.hasSameBytes(as: nick) }
    // Where the join is not in the log, the reflection of a message of ours shows our nick.
    guard let content = stanza.content, let conversation = byKey[.group(jid)] else { return false }
    let isReflection = awaitedReflections(of: stanza, in: conversation).contains { number in
      messages[number].current.content.mayEqual(content)
    }
    if isReflection { rooms[jid, default: Room()].nick = nick }
    return isReflection
  }

  /// The occupant with a nick. Only a live message is known to be from the present stay.
  mutating func occupant(
    _ stanza: MessageStanza, _ nick: String, in jid: BareJID, _ arrival: Arrival
  ) -> Occupant {
    let key = ExactText(nick)
    let isFromRoomNow =
      arrival.route == .live
      && !stanza.delays.contains { delay in delay.from.map { $0.bare == jid } ?? true }
    guard isFromRoomNow else { return Occupant(id: stanza.occupantID, nick: key) }
    var room = rooms[jid] ?? Room()
    let stay = room.stays[key] ?? room.begin(newStay(), nick: key, occupantID: stanza.occupantID)
    rooms[jid] = room
    return Occupant(
      id: stanza.occupantID ?? stay.occupantID, nick: key, stay: stay.number, line: stay.line)
  }

  /// Notes a room that a groupchat message came from, and its subject (rule 29).
  mutating func roomSpoke(_ stanza: MessageStanza, _ envelope: Envelope, _ arrival: Arrival) {
    let jid = envelope.key.jid.bare
    guard !arrival.isWritten else { return }
    var room = rooms[jid] ?? Room()
    defer { rooms[jid] = room }
    guard let subject = stanza.subject, !stanza.hasBody, stanza.thread == nil else { return }
    _ = number(of: envelope.key)
    if arrival.archived != nil {
      // What the archive has may be old.
      guard !room.hasLiveSubject, (arrival.stamp ?? .min) >= (room.subjectTime ?? .min) else {
        return
      }
    } else {
      room.hasLiveSubject = true
    }
    room.subjectTime = arrival.stamp
    room.subject = subject.isEmpty ? nil : subject
  }
}
