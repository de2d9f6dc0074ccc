import DequeModule
import XMPPStanza

// Ends of streams: each direction ends with its own closing tag (RFC 6120 §4.4), or with an error.
extension Reduction {
  /// A direction of the stream ended in order.
  mutating func streamEnded(_ direction: Direction) {
    session.ends[direction] = session.ends[direction] ?? StreamEnd(record: stamp.record)
    switch direction {
    case .inbound: streamOver()
    case .outbound: sendingEnded()
    }
  }

  /// The sender of a stream error ends its direction with it (RFC 6120 §4.9.1).
  mutating func streamFailed(_ direction: Direction, _ error: ErrorReport) {
    if session.phase != .foreign {
      noteNews(of: nil)
      streamErrorHappened(direction, error)
    }
    streamEnded(direction)
  }

  /// The client may try again, by another mechanism or under another resource. In a session, what
  /// looks like a refusal can come from anyone.
  mutating func loginFailed() {
    if session.phase != .foreign, session.phase != .open { noteNews(of: nil) }
  }

  /// A stanza was sent after its sender had ended the stream. Reported once for each direction of a
  /// stream, because all such stanzas have one cause.
  mutating func stanzaCameLate(_ direction: Direction, after end: StreamEnd) {
    guard !end.reportedLateStanza else { return }
    session.ends[direction]?.reportedLateStanza = true
    report(.lateStanza(direction), cause: end.record)
  }

  /// The connection is gone: another one may lead to another server. The end of the stream alone
  /// does not change whose server it is with.
  mutating func connectionClosed(isLost: Bool) {
    session.server = nil
    // A lost session may be resumed; one that either side has closed is over.
    if isLost, session.ends.ours == nil, session.ends.server == nil {
      connectionLost()
      sessionEnded(.closed)
    } else {
      streamOver()
    }
    // What follows the loss of a connection comes over another.
    if isLost { session.ends = StreamEnds() }
  }

  /// We send nothing more. What the server sends until its own end still counts: it answers what
  /// was sent before, and pushes what that changed.
  private mutating func sendingEnded() {
    sessionEnded(.closed)
    session.isAlive = false
    countUnacknowledgedPushes(of: place)
    reportUnfetched(of: place)
    reportUnshownPresence(of: place)
    guard isShared else { return }
    // Requests of which only this session was told may change unseen from now on.
    let isToldElsewhere = roster.sessions.all.contains {
      $0.phase == .open && $0.initialPresence == .sent
    }
    if isToldElsewhere { doubtOldRequests() }
  }

  /// Nothing more comes from the server.
  private mutating func streamOver() {
    sendingEnded()
    reportUnpushedEdits(of: place)
    abandonEdits(of: place)
    if isShared { forgetDeliveries(to: SessionSet(place)) }
  }

  /// A push that came just before the end of its stream, or before the loss, may have crossed it,
  /// so its acknowledgement is not missing. A client that owes others for longer has not answered
  /// this one either.
  mutating func forgetCrossedPushes(of place: Int) {
    let (now, lostAt) = (stamp, roster.sessions[place].lostAt)
    let mayAllHaveCrossed = roster.sessions[place].unacknowledged.allSatisfy { push in
      // Without times, only a loss shows that the client may not have had the chance to answer.
      lostAt.map { !push.received.isLongBefore($0, Timeout.answersCross) }
        ?? push.received.isFollowed(by: now, within: Timeout.crossing)
    }
    guard mayAllHaveCrossed, !roster.sessions[place].unacknowledged.isEmpty else { return }
    roster.sessions[place].unacknowledged = []
    unknownRequestReceived()
  }
}
