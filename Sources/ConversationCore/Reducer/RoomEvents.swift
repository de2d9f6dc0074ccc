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
      case .unavailable: occupantLeft(presence, nick, in: from.bare)
      case .subscribe, .subscribed, .unsubscribe, .unsubscribed, .probe, .error: break
      }
    }
  }

  /// We ask to enter a room. Who was in it before has to be told anew.
  private mutating func roomEntering(_ occupant: JID, at position: RecordPosition) {
    _ = number(of: .group(occupant.bare))
    var room = rooms[occupant.bare] ?? Room()
    room.requestedNick = occupant.resource
    if !room.isJoined { room.stays = [:] }
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
      room.stays[key] = Room.Stay(number: newStay(), occupantID: presence.occupantID)
    }
    // Rooms from before status 110 only reflect the nick that we asked for.
    let isUs =
      presence.statuses.contains(110)
      || !room.isJoined && room.requestedNick.map { ExactText($0) } == key
    if isUs {
      if !room.isJoined {
        room.joins += 1
        if room.firstJoin == nil { room.firstJoin = position }
      }
      room.isJoined = true
      room.stream = sessions[position.connection]?.stream
      room.nick = nick
      room.occupantID = presence.occupantID ?? room.occupantID
      room.requestedNick = nil
    }
    rooms[jid] = room
  }

  private mutating func occupantLeft(_ presence: PresenceStanza, _ nick: String, in jid: BareJID) {
    guard var room = rooms[jid] else { return }
    let stay = room.stays.removeValue(forKey: ExactText(nick))
    let isUs = presence.statuses.contains(110) || room.nick.map { ExactText($0) } == ExactText(nick)
    // A changed nick continues the stay (XEP-0045 §7.6).
    if presence.statuses.contains(303), let newNick = presence.newNick {
      room.stays[ExactText(newNick)] = stay
      if isUs { room.nick = newNick }
    } else if isUs {
      (room.isJoined, room.stays, room.stream) = (false, [:], nil)
    }
    rooms[jid] = room
  }

  private mutating func newStay() -> Int {
    nextStay += 1
    return nextStay - 1
  }

  /// Our rooms are left when the session ends that was in them.
  mutating func roomsLeft() {
    for (jid, room) in rooms {
      var left = room
      (left.isJoined, left.stays) = (false, [:])
      if room.isJoined { left.suspendedStays = room.stays }
      rooms[jid] = left
    }
  }

  /// A session that is resumed is in its rooms as before, even if another one was bound while it
  /// was lost (XEP-0198 §5).
  mutating func roomsContinued(from stream: StreamID, on resumed: StreamID) {
    for (jid, room) in rooms where room.stream == stream {
      var continued = room
      continued.stream = resumed
      if !room.isJoined { (continued.isJoined, continued.stays) = (true, room.suspendedStays) }
      rooms[jid] = continued
    }
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
      messages[number].current.content.isSame(as: content)
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
    let stay = room.stays[key] ?? Room.Stay(number: newStay(), occupantID: stanza.occupantID)
    room.stays[key] = stay
    rooms[jid] = room
    return Occupant(id: stanza.occupantID ?? stay.occupantID, nick: key, stay: stay.number)
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
