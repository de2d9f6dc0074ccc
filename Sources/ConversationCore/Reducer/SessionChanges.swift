import RawBytes
import XMPPStanza

// Streams, sessions and what the server has acknowledged (rule 14, XEP-0198).
extension Conversations {
  /// Reduces a step in the life of a stream.
  mutating func sessionChanged(_ sign: SessionSign, at position: RecordPosition) {
    switch sign {
    case .captureBegan(let jid, let isInboundOnly):
      account = account ?? jid?.bare
      isOneWay = isOneWay || isInboundOnly
    case .headerSeen:
      let phase = withSession(position.connection) { $0.phase }
      switch phase {
      case .open, .closed: streamBegan(at: position)
      case .unseen: withSession(position.connection) { $0.phase = .negotiating }
      case .negotiating, .foreign: break
      }
    case .ended(let direction):
      withSession(position.connection) { $0.ends[direction] = StreamEnd(record: position.record) }
    case .authenticated(let jid, let management):
      account = account ?? jid?.bare
      for element in management { managementSeen(element, .inbound, at: position) }
    case .bound(let jid, let management): sessionBound(jid, management, at: position)
    case .opened(let jid):
      let session = withSession(position.connection) { $0 }
      // The binding itself is usually in the log too.
      guard session.phase != .open || session.jid != jid else { return }
      sessionBound(jid, [], at: position)
      withSession(position.connection) { $0.isOpenedByLog = true }
    case .continued(let jid):
      withSession(position.connection) { session in
        session.phase = .open
        session.jid = jid ?? session.jid
      }
    case .resumed(let jid, let handled, let previousID):
      sessionResumed(handled, previousID, at: position)
      withSession(position.connection) { $0.jid = jid ?? $0.jid }
    case .closed: connectionClosed(position.connection, at: position)
    case .recorded(let policy): lacksTexts = lacksTexts || policy.messages != .all
    }
  }

  /// A new stream begins on a connection that had a session.
  private mutating func streamBegan(at position: RecordPosition) {
    connectionClosed(position.connection, at: position)
    pastSessions.append(withSession(position.connection) { $0 })
    if pastSessions.count > Self.pastSessionLimit {
      lacksAnswers = pastSessions.removeFirst().awaitsArchive || lacksAnswers
    }
    withSession(position.connection) { session in
      var next = StreamSession(
        stream: StreamID(
          connection: position.connection, number: session.stream.number + 1))
      next.phase = .negotiating
      session = next
    }
  }

  private mutating func sessionBound(
    _ jid: JID?, _ management: [ManagementElement], at position: RecordPosition
  ) {
    account = account ?? jid?.bare
    let session = withSession(position.connection) { $0 }
    if session.isOpenedByLog, session.phase == .open, session.jid == jid {
      withSession(position.connection) { $0.isOpenedByLog = false }
      for element in management { managementSeen(element, .inbound, at: position) }
      return
    }
    switch session.phase {
    // A log without stream headers shows a new stream by its binding.
    case .open, .closed: streamBegan(at: position)
    case .unseen, .negotiating, .foreign: break
    }
    // The server ends another session with the same resource (RFC 6120 §7.7.2.2).
    for (connection, other) in sessions.sorted(by: { $0.key < $1.key })
    where connection != position.connection && other.phase == .open && jid != nil
      && other.jid == jid
    {
      connectionClosed(connection, at: position)
    }
    roomsLeft()
    if !sessions.values.contains(where: { $0.phase == .open }) { reportBoundAnew(at: position) }
    withSession(position.connection) { session in
      session.phase = .open
      session.jid = jid
    }
    for element in management { managementSeen(element, .inbound, at: position) }
  }

  /// The connection of a session ends: what was not heard of may be lost.
  private mutating func connectionClosed(_ connection: ConnectionID, at position: RecordPosition) {
    guard let session = sessions[connection], session.phase != .closed else { return }
    withSession(connection) { session in
      session.phase = .closed
      session.unheard = []
    }
    let wasLost = !session.ends.isAny
    if wasLost {
      for number in session.unheard.compactMap(current) where messages[number].state == .sent {
        messages[number].state = .unconfirmed
        note(.state(.unconfirmed), of: number)
      }
    }
    guard session.phase == .open else { return }
    var ended = position
    ended.time = session.lastTime ?? position.time
    self.ended.append(
      EndedSession(
        stream: session.stream, position: ended, wasLost: wasLost,
        resumptionID: session.resumptionID))
  }

  // MARK: XEP-0198

  mutating func managementSeen(
    _ element: ManagementElement, _ direction: Direction, at position: RecordPosition
  ) {
    switch (element, direction) {
    case (.stanza, .outbound): stanzaSent(at: position)
    case (.stanza, .inbound): stanzaReceived(at: position)
    case (.enable, .outbound): withSession(position.connection) { $0.sent.beginCounting() }
    case (.enabled(let id, let isResumable), .inbound):
      withSession(position.connection) { session in
        if !session.sent.isCounting { session.sent.beginCounting() }
        session.received.beginCounting()
        session.resumptionID = isResumable ? id : nil
      }
    case (.acknowledged(let handled), .inbound): acknowledged(handled, position.connection)
    case (.acknowledged(let handled), .outbound):
      withSession(position.connection) { _ = $0.received.acknowledged(handled) }
    case (.resume(let id, let handled), .outbound):
      withSession(position.connection) { session in
        session.resumes = id.map { ResumptionRequest(previousID: $0, handled: handled) }
      }
    case (.resumed(let handled, let id), .inbound): sessionResumed(handled, id, at: position)
    case (.failed(let handled), .inbound): resumptionFailed(handled, at: position)
    case (.enable, .inbound), (.enabled, .outbound), (.resume, .inbound), (.resumed, .outbound),
      (.failed, .outbound):
      break
    }
  }

  /// Counts a stanza that we sent.
  mutating func stanzaSent(at position: RecordPosition) {
    withSession(position.connection) { $0.sent.stanzaPassed() }
  }

  /// Counts a stanza that we received.
  mutating func stanzaReceived(at position: RecordPosition) {
    withSession(position.connection) { $0.received.stanzaPassed() }
  }

  /// Notes a message that the last stanza from the server was.
  mutating func messageReceived(_ received: MessageVersionID, at position: RecordPosition) {
    guard received == original(of: received.message) else { return }
    withSession(position.connection) { session in
      if session.hasOurs { session.received.keep(received.message) }
    }
  }

  /// Notes a message that the last stanza of ours was.
  mutating func messageWritten(_ written: MessageVersionID, at position: RecordPosition) {
    withSession(position.connection) { session in
      session.unheard.append(written)
      session.sent.keep(written)
    }
  }

  /// The server has handled this number of our stanzas.
  private mutating func acknowledged(_ handled: UInt32, _ connection: ConnectionID) {
    acknowledge(withSession(connection) { $0.sent.acknowledged(handled) })
  }

  /// The server has handled these versions; an earlier one says nothing about a correction.
  private mutating func acknowledge(_ covered: [MessageVersionID]) {
    for number in covered.compactMap(current) { raise(number, to: .acknowledged) }
  }

  /// The message whose current version has an id; nil if it was corrected since. A correction may
  /// have been an entry of its own before its message was known.
  private func current(_ id: MessageVersionID) -> Int? {
    var number = id.message
    while let message = messages[number].foldedInto { number = message }
    return messages[number].current.record == id.record ? number : nil
  }

  /// Takes the session that an id resumes, or else the last one that was lost, from its connection.
  ///
  /// - Parameters:
  ///   - id: The server's id of the session; nil if the log lacks it.
  ///   - position: The record that says so.
  ///   - isResumed: Whether the server did; otherwise what it was asked stays without an answer.
  private mutating func takeSession(
    resumedBy id: String?, at position: RecordPosition, isResumed: Bool
  ) -> StreamSession? {
    let matches = { (session: StreamSession) -> Bool in
      guard let id else { return session.phase == .closed && !session.ends.isAny }
      return session.resumptionID.hasSameBytes(as: id)
    }
    // A log that does not say when a connection began has the resumption on the one that was lost.
    let connection = sessions.filter { matches($0.value) }.keys.max()
    if let connection {
      connectionClosed(connection, at: position)
      return withSession(connection) { session in
        defer {
          session.sent.forgetAll()
          session.received.forgetAll()
          (session.resends, session.redeliveries) = ([], [])
          if isResumed { session.queries = [] }
          session.resumptionID = nil
        }
        return session
      }
    }
    guard let past = pastSessions.lastIndex(where: matches) else { return nil }
    let session = pastSessions.remove(at: past)
    if !isResumed { lacksAnswers = session.awaitsArchive || lacksAnswers }
    return session
  }

  /// A session continues on this connection: what the other side has not handled is sent again.
  private mutating func sessionResumed(
    _ handled: UInt32?, _ previousID: String?, at position: RecordPosition
  ) {
    let request = withSession(position.connection) { $0.resumes }
    let id = previousID ?? request?.previousID
    let resumed = takeSession(resumedBy: id, at: position, isResumed: true)
    var (sent, received) = (
      resumed?.sent ?? CountedStanzas(), resumed?.received ?? CountedStanzas()
    )
    let doubted = sent.items.compactMap(current).filter { messages[$0].state == .unconfirmed }
    if let handled { acknowledge(sent.acknowledged(handled)) }
    for number in doubted where messages[number].state == .unconfirmed {
      messages[number].state = .sent
      note(.state(.sent), of: number)
    }
    // The session may have been resumed before, on a connection that was lost too early.
    let resends = sent.items.map(\.message).filter(hasNoIDs) + (resumed?.resends ?? [])
    sent.resumed(handled: handled)
    let isContinued = request?.handled != nil && received.isCounting
    var redeliveries: [Int] = []
    // Without our count, it is not known what the server sends again.
    if let handled = request?.handled {
      _ = received.acknowledged(handled)
      redeliveries = received.items + (resumed?.redeliveries ?? [])
    }
    received.resumed(handled: request?.handled)
    if let stream = resumed?.stream {
      ended.removeAll { $0.stream == stream }
      roomsContinued(from: stream, on: withSession(position.connection) { $0.stream })
    }
    withSession(position.connection) { session in
      session.phase = .open
      session.jid = resumed?.jid ?? session.jid
      if isContinued, let origin = resumed?.origin { session.origin = origin }
      (session.sent, session.received) = (sent, received)
      (session.resends, session.redeliveries) = (resends, redeliveries)
      session.queries = resumed?.queries ?? []
      session.resumptionID = resumed?.resumptionID ?? id
      session.resumes = nil
    }
  }

  /// The server refuses to resume, but may say what it handled.
  private mutating func resumptionFailed(_ handled: UInt32?, at position: RecordPosition) {
    guard let request = withSession(position.connection, { $0.resumes }) else { return }
    let earlier = takeSession(
      resumedBy: request.previousID, at: position, isResumed: false)
    guard let handled, var sent = earlier?.sent else { return }
    acknowledge(sent.acknowledged(handled))
  }
}
