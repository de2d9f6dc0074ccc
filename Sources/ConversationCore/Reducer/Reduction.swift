import XMPPStanza

extension Conversations {
  /// Reduces the meaning of a record.
  ///
  /// - Parameters:
  ///   - event: The meaning of the record.
  ///   - position: The record; its number is higher than that of any record before it.
  package mutating func reduce(_ event: ConversationEvent, at position: RecordPosition) {
    last = position
    if !effects.isEmpty { effects.removeAll(keepingCapacity: true) }
    if let direction = event.direction { noteTraffic(direction, at: position) }
    switch event {
    case .message(let stanza, let direction): messageSeen(stanza, direction, at: position)
    case .presence(let stanza, let direction):
      stanzaPassed(direction, at: position)
      presenceSeen(stanza, direction, at: position)
    case .query(let stanza, let direction):
      stanzaPassed(direction, at: position)
      querySeen(stanza, direction, at: position)
    case .management(let element, let direction):
      managementSeen(element, direction, at: position)
    case .session(let sign): sessionChanged(sign, at: position)
    case .other: break
    }
  }

  /// Changes the session of a connection.
  mutating func withSession<Result>(
    _ connection: ConnectionID, _ body: (inout StreamSession) -> Result
  ) -> Result {
    body(
      &sessions[
        connection,
        default: StreamSession(stream: StreamID(connection: connection, number: 0))])
  }

  /// Whether an address is our own bare address.
  func isOwnBare(_ jid: JID) -> Bool { jid.resource == nil && jid.bare == account }

  /// Whether an address is our server's.
  func isOwnServer(_ jid: JID) -> Bool {
    account.map { jid.isServer(of: $0) } ?? false
  }

  /// Counts a stanza of either side.
  private mutating func stanzaPassed(_ direction: Direction, at position: RecordPosition) {
    switch direction {
    case .outbound: stanzaSent(at: position)
    case .inbound: stanzaReceived(at: position)
    }
  }

  private mutating func noteTraffic(_ direction: Direction, at position: RecordPosition) {
    withSession(position.connection) { session in
      session.lastTime = position.time ?? session.lastTime
      switch direction {
      case .inbound: session.unheard.removeAll()
      case .outbound: session.hasOurs = true
      }
    }
  }
}

extension ConversationEvent {
  /// The side that sent the element; nil for what is said of the stream.
  fileprivate var direction: Direction? {
    switch self {
    case .message(_, let direction), .presence(_, let direction), .query(_, let direction),
      .management(_, let direction), .other(let direction):
      direction
    case .session(let sign):
      switch sign {
      case .authenticated, .bound, .resumed: .inbound
      case .captureBegan, .headerSeen, .ended, .closed, .opened, .continued, .recorded: nil
      }
    }
  }
}
