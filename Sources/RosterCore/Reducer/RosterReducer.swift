import RawBytes
import XMPPStanza

/// Derives the state of an account from events, one at a time.
///
/// Total and deterministic: for every state and event there is a new state, and it depends on
/// nothing but the arguments. Nothing else changes a roster. Rules are numbered as in RFC 6121
/// unless another text is named.
package enum RosterReducer {
  /// The version of the rules; stored states of another version must be derived again.
  package static let version: UInt32 = 20

  /// Reduces one event into the state, in place.
  ///
  /// Complexity: O(1) amortized, but linear in the contacts for a roster result and for the
  /// beginning or end of a session.
  ///
  /// - Parameters:
  ///   - event: The canonical bytes of the event, which are read in place. The encoder has just
  ///     written them, or a checksum vouches for them: its texts are not checked.
  ///   - connection: The connection of the account on which it happened.
  ///   - reporting: What is reported of what the event did.
  /// - Returns: What the event did, if `reporting` asks for it; otherwise an empty outcome.
  /// - Throws: `CodecError` if the bytes are not an event; the roster is then unchanged.
  @discardableResult
  package static func reduce(
    _ roster: inout Roster, _ event: RawSpan, at stamp: RecordStamp,
    on connection: ConnectionID = .first, reporting: Reporting = .everything
  ) throws(CodecError) -> RosterOutcome {
    let event = try StoredEvent(event)
    return Reduction.reduce(
      into: &roster, at: stamp, on: event.isOfConnection ? connection : nil, reporting: reporting
    ) {
      $0.eventHappened(event)
    }
  }
}

extension StoredEvent {
  /// Reads an event from exactly these bytes.
  @_lifetime(copy bytes)
  fileprivate init(_ bytes: RawSpan) throws(CodecError) {
    var input = CanonicalInput(bytes)
    input.isSound = true
    self = try StoredEvent(from: &input)
    try input.finish()
  }

  /// Whether it happened on a connection.
  fileprivate var isOfConnection: Bool { if case .annotation = self { false } else { true } }
}

extension Roster {
  /// Whether there are several connections, so that one can receive what another received before.
  package var isShared: Bool { sessions.all.count > 1 }

  /// Whether an event is received presence that concerns only its sender: it begins no session,
  /// comes before the end of the server's stream, and nothing is overdue. Reducing it changes
  /// nothing but the sender's presence.
  package func concernsSenderAlone(
    _ event: RawSpan, at stamp: RecordStamp, on connection: ConnectionID
  ) -> Bool {
    guard StoredEvent.isPresence(event) else { return false }
    if let time = stamp.clock, time > nextTimeout || time > nextNeglect { return false }
    // At the limit, a new tally ends and reports another one.
    guard hasReceived, tallies.count < Tally.limit, let place = sessions.place(of: connection),
      !acceptances.contains(where: { $0.isDue(at: stamp, in: sessions[place]) })
    else { return false }
    // After the server's end, what it sends is reported.
    return sessions[place].phase != .unseen && sessions[place].ends.server == nil
  }

  /// Whether an event need not be reduced if it does not matter who is available: it adds no item,
  /// edits none and ends no request.
  ///
  /// With several connections, presence matters for the order in which each of them receives
  /// stanzas. A roster that has several at the end (`isShared`) can lack what was skipped before.
  package func canSkip(
    _ event: RawSpan, at stamp: RecordStamp, on connection: ConnectionID
  ) -> Bool {
    !isShared && concernsSenderAlone(event, at: stamp, on: connection)
  }
}
