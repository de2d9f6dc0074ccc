import Captures
import EventStore
import RawBytes
package import RosterCore
import XMPPStanza

// Going over the events of a log.
extension Timeline {
  /// How many records one read transaction goes over. A reader that is held keeps the file from
  /// reusing its pages, and `body` may wait as long as a person who reads page by page.
  static let slice = 4096

  /// Takes a state on to a later record, and hands every event on the way to `body` with what it
  /// did and the state after it.
  ///
  /// The events are the stored ones where this program made them, so that no XML is parsed;
  /// otherwise they are derived again from the raw bytes, never misread. `body` runs outside of
  /// every transaction.
  ///
  /// - Parameter named: The records that name the contact that is asked for. Presence that others
  ///   sent, most of what a log has, is not handed over where it concerns nobody else. Nil where
  ///   everybody is asked for.
  package func advance(
    _ state: inout State, to last: UInt64, naming named: Set<UInt64>? = nil,
    _ body: (Moment, Roster) throws -> Void
  ) throws {
    let reader = RecordReader()
    if state.roster.position == 0 { try begin(&state) }
    while state.roster.position < last {
      let steps = try steps(state.roster.position + 1...last, reader)
      for step in steps.all {
        let isNamed = named?.contains(step.stamp.record) ?? true
        if try !isNamed && steps.pass(step, over: &state.roster) { continue }
        let (event, outcome) = try steps.reduce(step, into: &state.roster)
        try body(
          Moment(
            stamp: step.stamp, connection: step.connection, direction: step.direction,
            event: event, outcome: outcome),
          state.roster)
      }
      // The last records may mean nothing.
      state.roster.move(to: steps.end)
    }
    try addNotes(to: &state, upTo: last)
  }

  /// Takes a state on to a later record, where nobody asks what the records on the way did.
  ///
  /// Complexity: as the other method of this name, at a fraction of its cost.
  package func advance(_ state: inout State, to last: UInt64) throws {
    if state.roster.position == 0 { try begin(&state) }
    try follow(&state.roster, to: last) { roster, event, stamp, connection in
      switch event {
      case .made(let event):
        RosterReducer.advance(&roster, by: event, at: stamp, on: connection)
      case .stored(let bytes):
        try RosterReducer.advance(
          &roster, byStored: bytes, isSound: true, at: stamp, on: connection)
      }
    }
    try addNotes(to: &state, upTo: last)
  }

  /// Takes a state on to a later record, and hands to `body` what each event on the way did, where
  /// nobody asks what the events say.
  ///
  /// Complexity: linear in the events. `body` runs inside a transaction, and is to be short.
  func advance(
    _ state: inout State, to last: UInt64, outcomes body: (RecordStamp, RosterOutcome) -> Void
  ) throws {
    if state.roster.position == 0 { try begin(&state) }
    try follow(&state.roster, to: last) { roster, event, stamp, connection in
      switch event {
      case .made(let event):
        body(stamp, RosterReducer.reduce(&roster, event, at: stamp, on: connection))
      case .stored(let bytes):
        body(
          stamp,
          try RosterReducer.reduce(
            &roster, stored: bytes, isSound: true, at: stamp, on: connection))
      }
    }
    try addNotes(to: &state, upTo: last)
  }

  /// Takes a state on to a later record, and notes which record on the way did what.
  ///
  /// Complexity: linear in the events.
  func advance(
    _ state: inout State, to last: UInt64, noting causes: inout ChangeCauses
  ) throws {
    if state.roster.position == 0 { try begin(&state) }
    try follow(&state.roster, to: last) { roster, event, stamp, connection in
      switch event {
      case .made(let event):
        RosterReducer.advance(&roster, by: event, at: stamp, on: connection, noting: &causes)
      case .stored(let bytes):
        try RosterReducer.advance(
          &roster, byStored: bytes, at: stamp, on: connection, noting: &causes)
      }
    }
    try addNotes(to: &state, upTo: last)
  }

  /// Hands a roster to `body` after each event up to a record, where nobody asks what the events
  /// did.
  ///
  /// Complexity: linear in the events. `body` runs inside a transaction, and is to be short.
  /// - Parameters:
  ///   - asksForPresence: Whether the roster has to say who is available; where not, see
  ///     `RosterReducer.advancePastPresence`.
  ///   - body: It is not to change the roster: what is handed over in another way is copied, which
  ///     costs more than most events.
  /// - Returns: The last of the rosters.
  func forEachRoster(
    after start: State, upTo last: UInt64, asksForPresence: Bool, _ body: (inout Roster) -> Void
  ) throws -> Roster {
    var state = start
    if state.roster.position == 0 { try begin(&state) }
    try follow(&state.roster, to: last) { roster, event, stamp, connection in
      switch event {
      case .made(let event):
        RosterReducer.advance(&roster, by: event, at: stamp, on: connection)
      case .stored(let bytes) where asksForPresence:
        try RosterReducer.advance(
          &roster, byStored: bytes, isSound: true, at: stamp, on: connection)
      case .stored(let bytes):
        try RosterReducer.advancePastPresence(
          &roster, byStored: bytes, at: stamp, on: connection)
      }
      body(&roster)
    }
    return state.roster
  }

  /// Takes a roster on to a later record: has `reduce` reduce each event on the way.
  private func follow(
    _ roster: inout Roster, to last: UInt64,
    _ reduce: (inout Roster, borrowing FoundEvent, RecordStamp, ConnectionID) throws -> Void
  ) throws {
    let reader = RecordReader()
    while roster.position < last {
      let range = roster.position + 1...last
      let end = try log.read { transaction in
        try forEachEvent(in: range, transaction, reader) { stamp, connection, _, event in
          try reduce(&roster, event, stamp, connection)
        }
      }
      // The last records may mean nothing.
      roster.move(to: end)
    }
  }

  /// Adds to a state what the log says beside its events.
  private func addNotes(to state: inout State, upTo last: UInt64) throws {
    try log.read { transaction in
      let meta = try transaction.meta
      state.time = last == 0 ? nil : try transaction.header(at: last)?.clock
      state.noted = meta.account.flatMap { try? BareJID(parsing: $0) }
      state.names = meta.connections
    }
  }

  /// A connection by itself need not say whose it is: the log does.
  private func begin(_ state: inout State) throws {
    guard let connection, let account = try log.meta.account.flatMap({ try? BareJID(parsing: $0) })
    else { return }
    let header = SessionEvent.captureBegan(
      account: JID(prepared: account, resource: nil), inboundOnly: false)
    _ = RosterReducer.reduce(
      &state.roster, .session(header), at: RecordStamp(record: 0), on: connection)
  }

  /// Events and their records.
  private struct Steps {
    struct Step {
      let stamp: RecordStamp
      let connection: ConnectionID
      let direction: RecordDirection
      let event: Event
    }

    enum Event {
      case made(RosterEvent)
      /// Where its stored form stands.
      case stored(Range<Int>)
    }

    private(set) var all: [Step] = []
    /// The stored forms, one after the other.
    private var bytes: [UInt8] = []
    /// The last record that was looked at.
    var end: UInt64 = 0

    mutating func add(
      _ stamp: RecordStamp, _ connection: ConnectionID, _ direction: RecordDirection,
      _ event: borrowing FoundEvent
    ) {
      let found: Event
      switch event {
      case .made(let event): found = .made(event)
      case .stored(let stored):
        let start = bytes.count
        bytes.append(bytes: stored)
        found = .stored(start..<bytes.count)
      }
      all.append(
        Step(stamp: stamp, connection: connection, direction: direction, event: found))
    }

    /// Reduces one of them, by its stored form where there is one.
    func reduce(
      _ step: Step, into roster: inout Roster
    ) throws -> (RosterEvent, RosterOutcome) {
      switch step.event {
      case .made(let event):
        let outcome = RosterReducer.reduce(&roster, event, at: step.stamp, on: step.connection)
        return (event, outcome)
      case .stored(let place):
        let stored = bytes.span.bytes.extracting(place)
        return try Timeline.reading(step.stamp.record) { () throws(CodecError) in
          let event = try RosterEvent.decode(stored)
          let outcome = try RosterReducer.reduce(
            &roster, stored: stored, isSound: true, at: step.stamp, on: step.connection)
          return (event, outcome)
        }
      }
    }

    /// Passes over one of them that is presence which concerns nobody but its sender: the roster
    /// goes on to it, and nothing is told.
    ///
    /// - Returns: Whether it is such.
    func pass(_ step: Step, over roster: inout Roster) throws -> Bool {
      guard case .stored(let place) = step.event else { return false }
      let stored = bytes.span.bytes.extracting(place)
      return try Timeline.reading(step.stamp.record) { () throws(CodecError) in
        try RosterReducer.advance(
          &roster, byPresence: stored, at: step.stamp, on: step.connection)
      }
    }
  }

  /// What `read` makes of a record's stored event, or an error that names the record.
  private static func reading<Result>(
    _ record: UInt64, _ read: () throws(CodecError) -> Result
  ) throws(EventLogError) -> Result {
    do {
      return try read()
    } catch {
      throw unreadable(record, error)
    }
  }

  private static func unreadable(_ record: UInt64, _ error: CodecError) -> EventLogError {
    .corrupt(sequence: record, what: "its stored event cannot be read: \(error)")
  }

  /// Whether a record is looked at: what the user says is of no connection.
  private func includes(_ kind: RecordKind, of connection: UInt32) -> Bool {
    kind == .annotation || includes(connection)
  }

  /// Whether records of a connection are looked at.
  package func includes(_ number: UInt32) -> Bool {
    connection == nil || connection?.number == number
  }

  /// The next events of a range.
  private func steps(
    _ range: ClosedRange<UInt64>, _ reader: RecordReader
  ) throws -> Steps {
    try log.read { transaction in
      var steps = Steps()
      steps.end = try forEachEvent(in: range, transaction, reader) {
        stamp, connection, direction, event in
        steps.add(stamp, connection, direction, event)
      }
      return steps
    }
  }

  /// An event as it is found.
  private enum FoundEvent: ~Escapable {
    /// It was made of the record's bytes.
    case made(RosterEvent)
    /// In the form in which it is stored, compared with its checksum or just encoded.
    case stored(RawSpan)
  }

  /// Hands the next events of a range to `body`: the stored ones where this program made them, and
  /// others made anew of the raw bytes.
  ///
  /// - Returns: The last record that was looked at: of no more records than a slice has, and no
  ///   more bytes than a piece.
  /// - Throws: `EventLogError.corrupt` where `body` cannot read what is stored, and what it throws
  ///   else.
  private func forEachEvent(
    in range: ClosedRange<UInt64>, _ transaction: borrowing ReadTransaction, _ reader: RecordReader,
    _ body: (
      RecordStamp, ConnectionID, RecordDirection, borrowing FoundEvent
    ) throws -> Void
  ) throws -> UInt64 {
    let range = range.lowerBound...min(range.upperBound, range.lowerBound + UInt64(Self.slice) - 1)
    // Asked for each slice: a program of another version may have come in between.
    guard try transaction.meta.eventVersion == DecodedRecord.version else {
      let next = try transaction.forEachRecord(in: range, bytes: EventLog.pieceBytes) {
        header, bytes in
        guard includes(header.kind, of: header.connection),
          let event = reader.decode(header, bytes).event
        else { return }
        try body(
          RecordStamp(record: header.sequence, time: header.time),
          ConnectionID(number: header.connection), header.direction, .made(event))
      }
      return next.map { $0 - 1 } ?? range.upperBound
    }
    let next = try transaction.forEachEvent(
      in: range, bytes: EventLog.pieceBytes,
      deriving: { reader.decode($0, $1).event?.canonicalBytes }
    ) { header, bytes in
      guard includes(header.kind, of: header.connection) else { return }
      do {
        try body(
          RecordStamp(record: header.sequence, time: header.time),
          ConnectionID(number: header.connection), header.direction, .stored(bytes))
      } catch let error as CodecError {
        throw Self.unreadable(header.sequence, error)
      }
    }
    return next.map { $0 - 1 } ?? range.upperBound
  }
}
