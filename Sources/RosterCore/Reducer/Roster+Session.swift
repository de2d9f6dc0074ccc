import HashTreeCollections
import XMPPStanza

// Streams: RFC 6120 §4 and §7, XEP-0198, XEP-0386, XEP-0388.
extension Roster {
  mutating func beginCapture(_ account: JID?, inboundOnly: Bool, _ step: inout Step) {
    stream.isInboundOnly = inboundOnly
    if stream.phase == .foreign { stream.phase = .unseen }
    guard let account else { return }
    _ = accepts(account, &step)
  }

  /// A stream header while a session is open means that the old stream was lost without a word.
  mutating func negotiate(_ step: inout Step) {
    endSession(.negotiating, &step)
  }

  mutating func authenticate(_ jid: JID, _ step: inout Step) {
    guard accepts(jid, &step) else { return }
    endSession(.negotiating, &step)
    if stream.phase == .foreign { stream.phase = .negotiating }
  }

  /// A new session: the answers of the old one will never come, and presence starts afresh.
  mutating func open(_ jid: JID, from: JID?, _ step: inout Step) {
    // In a session anybody can send us a result; before it, only the server can.
    guard stream.phase != .open || from.map(mayBind) ?? true else {
      step.find(
        .spoofedAnswer, about: from?.bare,
        "A bind result from \(from?.description ?? "nobody") was ignored: only our own server "
          + "binds (RFC 6120 §7.6.1).")
      return
    }
    guard accepts(jid, &step) else { return }
    endSession(.closed, &step)
    abandonQueries(&step)
    reportUnacknowledged(&step)
    abandonEdits(&step)
    voidAllPresence(&step)
    echoes = [:]
    if jid.resource == nil, resource != nil {
      step.change(.account(jid))
      resource = nil
    }
    stream.openedAt = step.stamp.record
    stream.sentInitialPresence = false
    stream.reportedUnusedVersion = false
    startSession(&step)
  }

  private func mayBind(_ from: JID) -> Bool {
    from.bare == account || (from.resource == nil && from.bare.text == account?.domain)
  }

  /// The same session over a new stream: everything of the old one is valid again.
  mutating func resume(_ jid: JID?, _ step: inout Step) {
    if let jid {
      guard accepts(jid, &step) else { return }
    } else if stream.phase == .foreign {
      return
    }
    if stream.phase != .open { startSession(&step) }
  }

  mutating func close(isLost: Bool, _ step: inout Step) {
    endSession(.closed, &step)
    // A lost session may be resumed and then go on; one that was closed in order is over.
    guard !isLost else { return }
    reportUnacknowledged(&step)
    abandonEdits(&step)
  }

  /// A log that begins in mid-session shows stanzas without a stream header before them.
  /// An element that was not taken tells nothing, not even that there is a session.
  mutating func takeSessionForGranted(by event: StanzaEvent, _ step: inout Step) {
    guard stream.phase == .unseen else { return }
    if case .rejected = event { return }
    startSession(&step)
  }

  private mutating func startSession(_ step: inout Step) {
    stream.phase = .open
    step.change(.connected(true))
  }

  /// What follows a refused stream without naming its account belongs to it.
  private mutating func endSession(_ next: StreamState.Phase, _ step: inout Step) {
    if stream.phase == .open { step.change(.connected(false)) }
    if stream.phase != .foreign { stream.phase = next }
  }

  /// Learns the account, or refuses another's and with it its stream: one log is one account's
  /// history.
  private mutating func accepts(_ jid: JID, _ step: inout Step) -> Bool {
    guard account == nil || account == jid.bare else {
      step.find(
        .foreignAccount, about: jid.bare,
        """
        A stream of \(jid.bare) in the log of \(account?.text ?? "nobody") was refused: \
        a log is the history of one account.
        """)
      endSession(.foreign, &step)
      return false
    }
    if account != jid.bare || (jid.resource != nil && jid.resource != resource) {
      step.change(.account(jid))
    }
    account = jid.bare
    if let bound = jid.resource { resource = bound }
    return true
  }

  private mutating func reportUnacknowledged(_ step: inout Step) {
    for push in unacknowledged { push.report(&step) }
    unacknowledged = []
  }
}

extension UnacknowledgedPush {
  func report(_ step: inout Step) {
    step.find(
      .unacknowledgedPush, about: contact, cause: received.record,
      """
      The push of record \(received.record) was never acknowledged: a client must answer each \
      push by a result of the same id (RFC 6121 §2.1.6).
      """)
  }
}
