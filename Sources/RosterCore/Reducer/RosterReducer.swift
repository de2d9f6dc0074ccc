import XMPPStanza

/// Derives the state of an account from events, one at a time.
///
/// Total and deterministic: for every state and event there is a new state, and it depends on
/// nothing but the arguments. Nothing else changes a roster. Rules are numbered as in RFC 6121
/// unless another text is named.
package enum RosterReducer {
  /// The version of the reduction; kept states of another version must be derived anew.
  package static let version: UInt32 = 13

  /// Reduces one event into the state, in place.
  ///
  /// Complexity: O(1) amortised, but linear in the contacts for a result and where a session begins
  /// or ends.
  ///
  /// - Parameter connection: Which connection of the account it happened on.
  package static func reduce(
    _ roster: inout Roster, _ event: RosterEvent, at stamp: RecordStamp,
    on connection: ConnectionID = .first
  ) -> RosterOutcome {
    Reduction.reduce(
      into: &roster, at: stamp, on: event.isOfConnection ? connection : nil, tells: true
    ) {
      $0.eventHappened(event)
    }
  }

  /// Reduces one event into the state, in place, where nobody asks what it did.
  package static func advance(
    _ roster: inout Roster, by event: RosterEvent, at stamp: RecordStamp,
    on connection: ConnectionID = .first
  ) {
    _ = Reduction.reduce(
      into: &roster, at: stamp, on: event.isOfConnection ? connection : nil, tells: false
    ) {
      $0.eventHappened(event)
    }
  }

  /// The same of an event in its stored form. What most events are is read in place.
  ///
  /// - Throws: `CodecError` where these bytes are no event, and then the roster is as it was.
  package static func advance(
    _ roster: inout Roster, byStored event: RawSpan, at stamp: RecordStamp,
    on connection: ConnectionID = .first
  ) throws(CodecError) {
    let other = try CanonicalInput.read(event) {
      (input) throws(CodecError) -> RosterEvent? in
      guard let presence = try StoredPresence(from: &input) else { return try input.read() }
      // What is left over is refused after this, and nothing must have happened.
      guard input.rest == 0 else { return nil }
      _ = Reduction.reduce(into: &roster, at: stamp, on: connection, tells: false) {
        $0.presenceHappened(presence)
      }
      return nil
    }
    if let other { advance(&roster, by: other, at: stamp, on: connection) }
  }
}

extension RosterEvent {
  /// Whether it happened on a connection.
  fileprivate var isOfConnection: Bool { if case .annotation = self { false } else { true } }
}
