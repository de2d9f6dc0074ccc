import XMPPStanza

/// Derives the state of an account from events, one at a time.
///
/// Total and deterministic: for every state and event there is a new state, and it depends on
/// nothing but the arguments. Nothing else changes a roster. Rules are numbered as in RFC 6121
/// unless another text is named.
package enum RosterReducer {
  /// The version of the reduction; kept states of another version must be derived anew.
  package static let version: UInt32 = 18

  /// Reduces one event into the state, in place, by its stored form: there is one way to read it.
  ///
  /// Complexity: O(1) amortised, but linear in the contacts for a result and where a session begins
  /// or ends.
  ///
  /// - Parameter connection: Which connection of the account it happened on.
  package static func reduce(
    _ roster: inout Roster, _ event: RosterEvent, at stamp: RecordStamp,
    on connection: ConnectionID = .first
  ) -> RosterOutcome {
    reduce(&roster, event, at: stamp, on: connection, telling: .everything)
  }

  /// Reduces one event into the state, in place, where nobody asks what it did.
  package static func advance(
    _ roster: inout Roster, by event: RosterEvent, at stamp: RecordStamp,
    on connection: ConnectionID = .first
  ) {
    _ = reduce(&roster, event, at: stamp, on: connection, telling: .nothing)
  }

  /// Reduces one event into the state, in place, and notes what it changed of what states show.
  package static func advance(
    _ roster: inout Roster, by event: RosterEvent, at stamp: RecordStamp,
    on connection: ConnectionID = .first, noting causes: inout ChangeCauses
  ) {
    Reduction.Telling.noting(&causes) { telling in
      _ = reduce(&roster, event, at: stamp, on: connection, telling: telling)
    }
  }

  private static func reduce(
    _ roster: inout Roster, _ event: RosterEvent, at stamp: RecordStamp,
    on connection: ConnectionID, telling: Reduction.Telling
  ) -> RosterOutcome {
    do {
      let bytes = event.canonicalBytes
      return try reduce(
        &roster, bytes.span.bytes, isSound: true, at: stamp, on: connection, telling: telling)
    } catch {
      // An event reads back as it was written, or it is none.
      let rejection = Rejection(kind: .payload, reason: "it cannot be stored: \(error)")
      return Reduction.reduce(into: &roster, at: stamp, on: nil, telling: telling) {
        $0.report(.rejected(rejection))
      }
    }
  }

  /// The same of an event in its stored form, which is read in place.
  ///
  /// - Parameter isSound: Whether the bytes are surely what the encoder wrote, because it just did
  ///   or a checksum says so; then its texts are not looked through.
  /// - Throws: `CodecError` where these bytes are no event, and then the roster is as it was.
  package static func reduce(
    _ roster: inout Roster, stored event: RawSpan, isSound: Bool = false, at stamp: RecordStamp,
    on connection: ConnectionID = .first
  ) throws(CodecError) -> RosterOutcome {
    try reduce(
      &roster, event, isSound: isSound, at: stamp, on: connection, telling: .everything)
  }

  /// The same of an event in its stored form, where nobody asks what it did.
  ///
  /// - Parameter isSound: As where it is asked.
  /// - Throws: `CodecError` where these bytes are no event, and then the roster is as it was.
  package static func advance(
    _ roster: inout Roster, byStored event: RawSpan, isSound: Bool = false,
    at stamp: RecordStamp, on connection: ConnectionID = .first
  ) throws(CodecError) {
    _ = try reduce(
      &roster, event, isSound: isSound, at: stamp, on: connection, telling: .nothing)
  }

  /// The same of a sound event in its stored form, which notes what it changed.
  ///
  /// - Throws: `CodecError` where these bytes are no event, and then the roster is as it was.
  package static func advance(
    _ roster: inout Roster, byStored event: RawSpan, at stamp: RecordStamp,
    on connection: ConnectionID, noting causes: inout ChangeCauses
  ) throws(CodecError) {
    try Reduction.Telling.noting(&causes) { (telling) throws(CodecError) in
      _ = try reduce(
        &roster, event, isSound: true, at: stamp, on: connection, telling: telling)
    }
  }

  /// The same of a sound event where nobody asks who is available, either: presence that decides
  /// nothing else is passed over, as is most of what a session says.
  ///
  /// It makes no items, edits none and ends no request. It can begin a session, in a log that
  /// begins in the middle of one, and be the first to come after something is overdue. With several
  /// connections it is a place in what each is told: where there are several in the end
  /// (`Roster.isShared`), what was passed over before may be missing.
  package static func advancePastPresence(
    _ roster: inout Roster, byStored event: RawSpan, at stamp: RecordStamp,
    on connection: ConnectionID
  ) throws(CodecError) {
    if StoredEvent.isPresence(event), !roster.isShared,
      roster.concernsSenderAlone(presenceOn: connection, at: stamp)
    {
      roster.position = stamp.record
    } else {
      try advance(&roster, byStored: event, isSound: true, at: stamp, on: connection)
    }
  }

  /// Reduces a sound event, of which nobody asks what it did, if it is received presence that
  /// concerns nobody but its sender.
  ///
  /// - Returns: Whether it is such; if not, the roster is as it was.
  package static func advance(
    _ roster: inout Roster, byPresence event: RawSpan, at stamp: RecordStamp,
    on connection: ConnectionID
  ) throws(CodecError) -> Bool {
    guard StoredEvent.isPresence(event),
      roster.concernsSenderAlone(presenceOn: connection, at: stamp)
    else { return false }
    try advance(&roster, byStored: event, isSound: true, at: stamp, on: connection)
    return true
  }

  private static func reduce(
    _ roster: inout Roster, _ event: RawSpan, isSound: Bool = false, at stamp: RecordStamp,
    on connection: ConnectionID, telling: Reduction.Telling
  ) throws(CodecError) -> RosterOutcome {
    var input = CanonicalInput(event)
    input.isSound = isSound
    let event = try StoredEvent(from: &input)
    try input.finish()
    return Reduction.reduce(
      into: &roster, at: stamp, on: event.isOfConnection ? connection : nil, telling: telling
    ) {
      $0.eventHappened(event)
    }
  }
}

extension StoredEvent {
  /// Whether it happened on a connection.
  fileprivate var isOfConnection: Bool { if case .annotation = self { false } else { true } }
}

extension Roster {
  /// Whether there are several connections, so that one can be told what another was.
  package var isShared: Bool { sessions.all.count > 1 }

  /// Whether presence that is received on a connection concerns nobody but its sender: it begins no
  /// session, comes before the end of the server's stream, and nothing is overdue.
  fileprivate func concernsSenderAlone(
    presenceOn connection: ConnectionID, at stamp: RecordStamp
  ) -> Bool {
    if let time = stamp.time, time > nextTimeout || time > nextNeglect { return false }
    guard hasReceived, let place = sessions.place(of: connection) else { return false }
    // After the server's end, what it sends is reported.
    return sessions[place].phase != .unseen && sessions[place].ends.server == nil
  }
}
