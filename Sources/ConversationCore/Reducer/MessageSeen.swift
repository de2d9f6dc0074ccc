import RawBytes
import XMPPStanza

/// How a stanza arrived.
struct Arrival: Sendable {
  var position: RecordPosition
  var route: Route
  var stream: StreamID
  /// Whether we wrote the stanza on this connection.
  var isWritten = false
  /// The trusted stamp, in milliseconds since 1970 (rule 9).
  var stamp: Int64?
  /// The earliest stamp that names the server of the conversation's archive: the room, or our own
  /// server.
  var archiveStamp: Int64?
  /// The list of messages that it is an item of, unless we wrote it or an archive shows it.
  var list: MessageList?
  /// Whether it is a copy by its nature (rule 10c).
  var isInherentCopy = false
  /// The place in an archive, for an archive result.
  var archived: PlaceInArchive?

  /// The id that an archive gave, and the connection's query that brought it.
  struct PlaceInArchive: Sendable {
    var id: ArchiveID
    /// The index of the open query, or of the loose page if the log does not have the query.
    var query: Int
    var isLoose: Bool
  }

  /// The time of the message, as far as it is known.
  var time: Int64? { stamp ?? (archived == nil ? position.time : nil) }
}

// Which stanzas count (rules 2, 5 and 6).
extension Conversations {
  /// Reduces a `<message/>`: it, or the message in a wrapper that counts.
  mutating func messageSeen(
    _ stanza: MessageStanza, _ direction: Direction, at position: RecordPosition
  ) {
    var arrival = Arrival(
      position: position, route: .live, stream: withSession(position.connection) { $0.stream })
    noteStart(at: position)
    guard direction == .inbound else {
      arrival.isWritten = true
      stanzaSent(at: position)
      var stanza = stanza
      stanza.from = stanza.from ?? sessions[position.connection]?.jid
      if let written = stanzaArrived(stanza, arrival) { messageWritten(written, at: position) }
      return
    }
    stanzaReceived(at: position)
    if let carbon = stanza.carbon {
      if carbonCounts(carbon, in: stanza) {
        let received = carbonReceived(carbon, arrival, delays: stanza.delays)
        if let received { messageReceived(received, at: position) }
        return
      }
      report(.carbonForged, at: position, about: stanza.from)
    }
    if let archived = stanza.archived {
      if let place = place(of: archived, in: stanza, at: position) {
        archiveResultReceived(archived, place, arrival)
        return
      }
      reportUnaskedResult(from: stanza.from, at: position)
    }
    if let received = stanzaArrived(stanza, arrival) { messageReceived(received, at: position) }
  }

  /// Rule 5: whether a wrapper of XEP-0280 is from our server.
  private func carbonCounts(_ carbon: MessageStanza.Carbon, in stanza: MessageStanza) -> Bool {
    guard let account else { return false }
    if let from = stanza.from, !isOwnBare(from) { return false }
    guard carbon.isSent, let inner = carbon.message?.stanza.from else { return true }
    return inner.bare == account
  }

  /// Reduces a carbon; `delays` are the stamps of its wrapper, which may have waited for us.
  private mutating func carbonReceived(
    _ carbon: MessageStanza.Carbon, _ arrival: Arrival, delays: [MessageStanza.DelayStamp]
  ) -> MessageVersionID? {
    guard var stanza = carbon.message?.stanza, stanza.type != .groupchat else { return nil }
    if carbon.isSent, stanza.from == nil, let account {
      stanza.from = JID(prepared: account, resource: nil)
    }
    var arrival = arrival
    arrival.route = .carbon
    arrival.isInherentCopy = true
    if let delay = carbon.message?.delay, delay.time != nil {
      // It counts like the stamps of our server on the carbon itself: the earliest one counts.
      let server = account.map { JID(prepared: $0, resource: nil) }
      stanza.delays.insert(MessageStanza.DelayStamp(from: server, time: delay.time), at: 0)
    }
    stanza.delays += delays
    return stanzaArrived(stanza, arrival)
  }

  /// Rule 6: the place of an archive result, if a query of ours is open that it can answer; nil if
  /// it does not count.
  private mutating func place(
    of archived: MessageStanza.ArchivedMessage, in stanza: MessageStanza,
    at position: RecordPosition
  ) -> Arrival.PlaceInArchive? {
    guard let account, !archived.id.isEmpty else { return nil }
    let isOwn = stanza.from.map { isOwnBare($0) } ?? true
    let archive = isOwn ? account : stanza.from?.bare
    guard let archive, isOwn || stanza.from?.resource == nil else { return nil }
    let id = ArchiveID(archived.id, in: archive)
    let trustsLoosePages = isOneWay && isOwn
    return withSession(position.connection) { session in
      let query = session.queries.firstIndex { query in
        guard case .archive(let request) = query.subject.kind else { return false }
        let asked = query.to?.bare ?? account
        return asked == archive
          && (request.queryID == nil
            || request.queryID.hasSameBytes(as: archived.queryID))
      }
      if let query { return Arrival.PlaceInArchive(id: id, query: query, isLoose: false) }
      guard trustsLoosePages else { return nil }
      if let page = session.loosePages.firstIndex(where: {
        $0.queryID.hasSameBytes(as: archived.queryID)
      }) {
        return Arrival.PlaceInArchive(id: id, query: page, isLoose: true)
      }
      session.loosePages.append(LoosePage(queryID: archived.queryID, page: ArchivePage()))
      return Arrival.PlaceInArchive(id: id, query: session.loosePages.count - 1, isLoose: true)
    }
  }

  /// Rule 6: a result that answers no open query. Our own server cannot be impersonated, because it
  /// stamps the sender of whatever it delivers (RFC 6120 §8.1.2.1): what it sends itself is only
  /// misplaced, and is about no contact.
  private mutating func reportUnaskedResult(from: JID?, at position: RecordPosition) {
    let isOwn = from.map { isOwnBare($0) } ?? true
    let isOfArchive = isOwn || from?.resource == nil
    // In a log that begins in the middle of a session, the query may have been sent before.
    guard !isOfArchive || withSession(position.connection, { $0.phase }) != .unseen else { return }
    report(.archiveForged, at: position, about: isOwn ? nil : from)
  }

  private mutating func archiveResultReceived(
    _ archived: MessageStanza.ArchivedMessage, _ place: Arrival.PlaceInArchive, _ arrival: Arrival
  ) {
    var arrival = arrival
    arrival.route = .archive
    arrival.isInherentCopy = true
    arrival.archived = place
    var time: Int64?
    if let delay = archived.message?.delay {
      time = possible(delay.time, arrival.position, about: archived.message?.stanza.from)
    }
    arrival.stamp = time
    withPage(place, on: arrival.position.connection) { page in
      page.results.append(
        ArchivePage.Result(id: place.id.id, time: time, message: nil))
    }
    guard let stanza = archived.message?.stanza else { return }
    stanzaArrived(stanza, arrival)
  }

  /// Changes the page that an archive result belongs to.
  mutating func withPage(
    _ place: Arrival.PlaceInArchive, on connection: ConnectionID,
    _ body: (inout ArchivePage) -> Void
  ) {
    withSession(connection) { session in
      if place.isLoose {
        guard session.loosePages.indices.contains(place.query) else { return }
        body(&session.loosePages[place.query].page)
      } else {
        guard session.queries.indices.contains(place.query) else { return }
        body(&session.queries[place.query].subject.page)
      }
    }
  }

  /// A stamp that can be true; anything else is reported (rule 9).
  mutating func possible(
    _ stamp: Int64?, _ position: RecordPosition, about contact: JID?
  ) -> Int64? {
    guard let stamp, stamp <= (position.time ?? .max - 60_000) + 60_000 else {
      report(.stampImpossible, at: position, about: contact)
      return nil
    }
    return stamp
  }

  /// Notes a stanza that arrives before a session was seen to begin.
  private mutating func noteStart(at position: RecordPosition) {
    let phase = withSession(position.connection) { $0.phase }
    if phase == .unseen { beganInTheMiddle = true }
  }
}
