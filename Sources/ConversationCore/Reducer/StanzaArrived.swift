import RawBytes
import XMPPStanza

/// The conversation and the sender of a stanza (rules 3, 4 and 7).
struct Envelope: Sendable {
  var key: ConversationKey
  var author: Author
  /// The nick of the sender in a room or in a private conversation.
  var nick: String?

  var isOurs: Bool { author.isUs }
  var occupant: Occupant? { if case .occupant(let occupant) = author { occupant } else { nil } }
}

/// A version of a message, by the number of the message and the record that showed it first.
struct MessageVersionID: Hashable, Sendable {
  var message: Int
  var record: UInt64
}

extension Conversations {
  /// Reduces a stanza that counts, whatever way it arrived.
  ///
  /// - Returns: The version of a message that it is; nil if it is none.
  @discardableResult
  mutating func stanzaArrived(
    _ stanza: MessageStanza, _ arrived: Arrival
  ) -> MessageVersionID? {
    var arrival = arrived
    guard let envelope = envelope(of: stanza, arrival) else { return nil }
    stamp(&arrival, by: stanza, envelope)
    arrival.list = list(of: arrival, envelope)
    guard stanza.type != .error else {
      if !envelope.isOurs { errorReceived(stanza, envelope, arrival) }
      return nil
    }
    if envelope.key.kind == .group { roomSpoke(stanza, envelope, arrival) }
    for note in stanza.notes { report(note, stanza, arrival) }
    if arrival.isWritten, stanza.content == nil, let id = stanza.id {
      otherSentIDs.insert(ExactText(id))
    }
    signsReceived(stanza, envelope, arrival)
    if let tombstone = stanza.tombstone, arrival.archived != nil || arrival.route == .history {
      return tombstoneReceived(tombstone, stanza, envelope, arrival)
    }
    guard let content = stanza.content else {
      for id in archiveIDs(of: stanza, envelope.key, arrival).own {
        if let time = arrival.time, archiveTimes[id] == nil { archiveTimes.update(id, time) }
      }
      return nil
    }
    return contentArrived(content, stanza, envelope, arrival)
  }

  private mutating func report(
    _ note: ContentNote, _ stanza: MessageStanza, _ arrival: Arrival
  ) {
    switch note {
    // A copy is the same stanza once more.
    case .mediaUnreadable where arrival.archived == nil:
      report(.mediaUnreadable, at: arrival.position, about: stanza.from)
    case .digestWrong where arrival.archived == nil:
      report(.digestWrong, at: arrival.position, about: stanza.from)
    case .mediaUnreadable, .digestWrong: break
    }
  }

  /// Reduces what a stanza says about other messages.
  private mutating func signsReceived(
    _ stanza: MessageStanza, _ envelope: Envelope, _ arrival: Arrival
  ) {
    if let items = stanza.pubsubItems, arrival.route == .live, !arrival.isWritten {
      itemsPublished(items, by: stanza.from, at: arrival.position)
    }
    if let id = stanza.receipt { receiptReceived(id, stanza, envelope, arrival) }
    if let marker = stanza.marker { markerReceived(marker, stanza, envelope, arrival) }
    if let retraction = stanza.retraction {
      retractionReceived(retraction, stanza, envelope, arrival)
    }
    if let reactions = stanza.reactions {
      reactionsReceived(reactions.id, reactions.emojis, stanza, envelope, arrival)
    }
    if let further = stanza.furtherSources {
      sourcesReceived(further, envelope)
    }
  }

  // MARK: Conversation and sender

  /// Rules 3, 4 and 7; nil if the log does not say whose it is or the stanza goes nowhere.
  private mutating func envelope(of stanza: MessageStanza, _ arrival: Arrival) -> Envelope? {
    let own = account.map { JID(prepared: $0, resource: nil) }
    guard let from = stanza.from ?? own,
      let to = stanza.to ?? (arrival.isWritten ? own : own ?? from)
    else { return nil }
    // A client writes no other address than its own.
    let isFromUs = arrival.isWritten || from.bare == account
    if stanza.type == .groupchat { return groupEnvelope(stanza, from, to, isFromUs, arrival) }
    let other = isFromUs ? to : from
    let author: Author = isFromUs ? .us : .them
    if let invitation = stanza.invitation, !invitation.isDirect, !isFromUs, from.resource == nil {
      return Envelope(key: .chat(invitation.inviter?.bare ?? from.bare), author: .them)
    }
    if let nick = other.resource, rooms[other.bare] != nil || stanza.isFromOccupant {
      return Envelope(
        key: .private(other), author: author,
        nick: isFromUs ? rooms[other.bare]?.nick : nick)
    }
    return Envelope(key: .chat(other.bare), author: author)
  }

  private mutating func groupEnvelope(
    _ stanza: MessageStanza, _ from: JID, _ to: JID, _ isFromUs: Bool, _ arrival: Arrival
  ) -> Envelope? {
    guard !isFromUs else {
      return Envelope(key: .group(to.bare), author: .us, nick: rooms[to.bare]?.nick)
    }
    guard let nick = from.resource else { return Envelope(key: .group(from.bare), author: .room) }
    let author: Author =
      isOurOccupant(stanza, nick, in: from.bare)
      ? .us : .occupant(occupant(stanza, nick, in: from.bare, arrival))
    return Envelope(key: .group(from.bare), author: author, nick: nick)
  }

  // MARK: Stamps (rule 9)

  /// Gives an arrival the stamp that counts, and decides whether it is delayed.
  private mutating func stamp(
    _ arrival: inout Arrival, by stanza: MessageStanza, _ envelope: Envelope
  ) {
    guard !arrival.isWritten, arrival.archived == nil else { return }
    var fromServer: [Int64] = []
    let isOfGroup = envelope.key.kind == .group
    var anonymous: [Int64] = []
    for delay in stanza.delays {
      let time = possible(delay.time, arrival.position, about: stanza.from)
      guard let time else { continue }
      if let from = delay.from {
        let isRoom = isOfGroup && from.bare == envelope.key.jid.bare
        if isRoom { arrival.route = arrival.route == .live ? .history : arrival.route }
        guard isOwnBare(from) || isOwnServer(from) || isRoom else { continue }
        fromServer.append(time)
        // A room has its own archive, and what our server kept of it is not there.
        if isRoom == isOfGroup { arrival.archiveStamp = min(time, arrival.archiveStamp ?? time) }
      } else {
        anonymous.append(time)
      }
    }
    if fromServer.isEmpty, !anonymous.isEmpty, isOfGroup, arrival.route == .live {
      arrival.route = .history
    }
    // A message that waited twice was written before the first wait.
    guard let stamp = fromServer.min() ?? anonymous.first else { return }
    arrival.stamp = stamp
    // The stamp of a carbon's wrapper does not make it later than it is.
    arrival.isInherentCopy = true
  }
  /// The list that an arrival is an item of; nil if it is none.
  private func list(of arrival: Arrival, _ envelope: Envelope) -> MessageList? {
    let session = sessions[arrival.position.connection]?.origin ?? arrival.stream
    switch arrival.route {
    case .archive: return nil
    // We may write a message to ourselves, which the server then shows to us.
    case .live: return arrival.isWritten ? nil : MessageList(session: session, kind: .live)
    case .carbon: return MessageList(session: session, kind: .carbons)
    case .history:
      let enterings = rooms[envelope.key.jid.bare]?.enterings ?? 0
      return MessageList(session: session, kind: .history(enterings))
    }
  }
}
