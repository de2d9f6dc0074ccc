import RawBytes
import XMPPStanza

/// Derives the state of an account from events, one at a time.
///
/// Total and deterministic: for every state and event there is a new state, and it depends on
/// nothing but the arguments. Nothing else changes a roster. Rules are numbered as in RFC 6121
/// unless another text is named.
package enum RosterReducer {
  /// The version of the reduction; kept states of another version must be derived anew.
  package static let version: UInt32 = 20

  /// Reduces one event into the state, in place.
  ///
  /// Complexity: O(1) amortised, but linear in the contacts for a result and where a session begins
  /// or ends.
  ///
  /// - Parameters:
  ///   - event: The canonical bytes of the event, which are read in place.
  ///   - isSound: Whether the bytes are surely what the encoder wrote, because it just did or a
  ///     checksum says so; then its texts are not looked through.
  ///   - connection: Which connection of the account it happened on.
  ///   - reporting: What is reported of what the event did.
  /// - Returns: What the event did, if `reporting` asks for it; else an empty outcome.
  /// - Throws: `CodecError` if the bytes are no event, and then the roster is as it was.
  @discardableResult
  package static func reduce(
    _ roster: inout Roster, _ event: RawSpan, isSound: Bool = false, at stamp: RecordStamp,
    on connection: ConnectionID = .first, reporting: Reporting = .everything
  ) throws(CodecError) -> RosterOutcome {
    let event = try StoredEvent(event, isSound: isSound)
    return Reduction.reduce(
      into: &roster, at: stamp, on: event.isOfConnection ? connection : nil, reporting: reporting
    ) {
      $0.eventHappened(event)
    }
  }

  /// Reduces one event into the state, in place, and reports to `causes` which things that states
  /// show it changed. Parameters, errors and complexity are those of the other function.
  package static func reduce(
    _ roster: inout Roster, _ event: RawSpan, isSound: Bool = false, at stamp: RecordStamp,
    on connection: ConnectionID = .first, reporting causes: inout ChangeCauses
  ) throws(CodecError) {
    let event = try StoredEvent(event, isSound: isSound)
    Reduction.reduce(
      into: &roster, at: stamp, on: event.isOfConnection ? connection : nil, reporting: &causes
    ) {
      $0.eventHappened(event)
    }
  }
}

extension StoredEvent {
  /// Reads an event from exactly these bytes.
  @_lifetime(copy bytes)
  fileprivate init(_ bytes: RawSpan, isSound: Bool) throws(CodecError) {
    var input = CanonicalInput(bytes)
    input.isSound = isSound
    self = try StoredEvent(from: &input)
    try input.finish()
  }

  /// Whether it happened on a connection.
  fileprivate var isOfConnection: Bool { if case .annotation = self { false } else { true } }
}

extension Roster {
  /// Whether there are several connections, so that one can be told what another was.
  package var isShared: Bool { sessions.all.count > 1 }

  /// Whether an event is received presence that concerns only its sender: it begins no session,
  /// comes before the end of the server's stream, and nothing is overdue. Reducing it changes
  /// nothing but what is known of the sender's presence.
  package func concernsSenderAlone(
    _ event: RawSpan, at stamp: RecordStamp, on connection: ConnectionID
  ) -> Bool {
    guard StoredEvent.isPresence(event) else { return false }
    if let time = stamp.clock, time > nextTimeout || time > nextNeglect { return false }
    // One more tally would report another.
    guard hasReceived, tallies.count < Tally.limit, let place = sessions.place(of: connection),
      !acceptances.contains(where: { $0.isDue(at: stamp, in: sessions[place]) })
    else { return false }
    // After the server's end, what it sends is reported.
    return sessions[place].phase != .unseen && sessions[place].ends.server == nil
  }

  /// Whether an event need not be reduced if it does not matter who is available: it makes no
  /// items, edits none and ends no request.
  ///
  /// With several connections, presence counts for the order in which each of them is told things.
  /// A roster that has several in the end (`isShared`) can lack what was left out before.
  package func canSkip(
    _ event: RawSpan, at stamp: RecordStamp, on connection: ConnectionID
  ) -> Bool {
    !isShared && concernsSenderAlone(event, at: stamp, on: connection)
  }
}
