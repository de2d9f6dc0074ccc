import Captures
package import EventStore
public import RosterCore
public import XMPPStanza

/// A log read as the history of a roster: what was, at any record or time, and what each record
/// did.
///
/// Reading holds nothing up: the log may be written meanwhile, by this process or another, and what
/// is asked for is answered up to the record that was the last when it was asked.
public struct Timeline: Sendable {
  /// The log that is read.
  package let log: EventLog
  /// The only connection that is looked at, so that states show what that device knows; nil for
  /// all.
  package let connection: ConnectionID?

  /// The history in a log.
  package init(_ log: EventLog, narrowedTo connection: ConnectionID? = nil) {
    self.log = log
    self.connection = connection
  }

  /// The history in a log that lies at a path. It is opened for reading; a session that records to
  /// it may have it open, too, if it was begun before. As long as a timeline that was opened first
  /// is in use, no session of this process can record to the log: begin the session first, and
  /// take its `timeline()`.
  ///
  /// - Throws: `RollcallError` where it cannot be opened.
  public init(ofLogAt path: String) throws(RollcallError) {
    do {
      self.init(
        try EventLog.open(at: path, access: .readOnly, eventVersion: DecodedRecord.version))
    } catch {
      throw RollcallError(error)
    }
  }

  /// What one record did.
  public struct Moment: Sendable {
    /// Which record it is, and its time.
    public let stamp: RecordStamp
    /// The connection that it went over.
    public let connection: ConnectionID
    package let direction: RecordDirection
    package let event: RosterEvent
    /// What it changed, and what is odd about it.
    public let outcome: RosterOutcome

    /// Which way it went; nil for what is said of the stream itself.
    public var way: Direction? { Direction(direction) }

    /// What the record means, in a clause for a person: “the server pushes: bob@example.test both”.
    public var clause: String { event.clause }
  }

  /// A roster and the time of the record it is of.
  public struct State: Hashable, Sendable {
    /// The roster.
    public package(set) var roster = Roster()
    /// Milliseconds since 1970 UTC, by the log's clock; nil where no record so far has a time.
    public package(set) var time: Int64?
    /// Whose log it is, where the log notes that.
    var noted: BareJID?
    /// What the log calls the connections, by number.
    var names: [UInt32: String] = [:]

    /// Before all records.
    package init() {}

    init(_ roster: Roster) {
      self.roster = roster
    }

    /// The account: also before the record that names it, where the log knows whose it is.
    public var account: BareJID? { roster.account ?? noted }
  }

  /// The state at a point.
  ///
  /// - Throws: `PointError` where there is no such point; another error, a sentence for a person,
  ///   where the log cannot be read.
  ///
  /// Complexity: linear in the events after the last snapshot before it.
  public func state(at point: LogPoint) throws -> State {
    try state(after: record(at: point), from: nil)
  }

  /// The state after a record, reduced from the nearest state before it: one that is at hand, or
  /// a snapshot.
  func state(after record: UInt64, from known: State?) throws -> State {
    // Held once, it is changed in place.
    var state =
      try snapshot(atOrBefore: record, after: known?.roster ?? Roster()).map { State($0) }
      ?? known ?? State()
    try advance(&state, to: record)
    return state
  }

  /// What a record did; nil where it means nothing to the roster, or there is none.
  ///
  /// - Throws: An error, a sentence for a person, where the log cannot be read.
  ///
  /// Complexity: linear in the events after the last snapshot before it.
  public func moment(of record: UInt64) throws -> Moment? {
    guard record > 0, try record <= log.read({ try $0.lastSequence }) else { return nil }
    var state = try state(after: record - 1, from: nil)
    var found: Moment?
    try advance(&state, to: record) { moment, _ in found = moment }
    return found
  }

  /// Reduces every event up to a point, and hands each to `body` with what it did and the state
  /// after it.
  ///
  /// - Returns: The state at the point.
  /// - Throws: `PointError` where there is no such point; what `body` throws; another error, a
  ///   sentence for a person, where the log cannot be read.
  ///
  /// Complexity: linear in the events up to the point. `body` runs outside of every transaction.
  @discardableResult
  public func replay(
    upTo point: LogPoint, _ body: (Moment, Roster) throws -> Void
  ) throws -> State {
    var state = State()
    try advance(&state, to: record(at: point), body)
    return state
  }

  /// How many records one read transaction goes over. A reader that is held keeps the file from
  /// reusing its pages, and `body` may wait as long as a person who reads page by page.
  private static let slice = 4096

  /// Takes a state on to a later record, and hands every event on the way to `body` with what it
  /// did and the state after it.
  ///
  /// The events are the stored ones where this program made them, so that no XML is parsed;
  /// otherwise they are derived again from the raw bytes, never misread. `body` runs outside of
  /// every transaction.
  package func advance(
    _ state: inout State, to last: UInt64, _ body: (Moment, Roster) throws -> Void
  ) throws {
    let reader = RecordReader()
    if state.roster.position == 0 { try begin(&state) }
    while state.roster.position < last {
      let (steps, end) = try steps(state.roster.position + 1...last, reader)
      for step in steps {
        let outcome = RosterReducer.reduce(
          &state.roster, step.event, at: step.stamp, on: step.connection)
        try body(
          Moment(
            stamp: step.stamp, connection: step.connection, direction: step.direction,
            event: step.event, outcome: outcome),
          state.roster)
      }
      // The last records may mean nothing.
      state.roster.move(to: end)
    }
    try addNotes(to: &state, upTo: last)
  }

  /// Takes a state on to a later record, where nobody asks what the records on the way did.
  ///
  /// Complexity: as the other method of this name, at a fraction of its cost.
  package func advance(_ state: inout State, to last: UInt64) throws {
    if state.roster.position == 0 { try begin(&state) }
    try follow(&state.roster, to: last, asksForPresence: true)
    try addNotes(to: &state, upTo: last)
  }

  /// Hands a roster to `body` after each event up to a record, where nobody asks what the records
  /// did, nor who is available: the roster need not say it.
  ///
  /// Complexity: linear in the events.
  /// - Parameter body: It runs inside a transaction, and is to be short. It is not to change the
  ///   roster: what is handed over in another way is copied, which costs more than most events.
  func forEachRoster(
    after start: State, upTo last: UInt64, _ body: (inout Roster) -> Void
  ) throws {
    var state = start
    if state.roster.position == 0 { try begin(&state) }
    try follow(&state.roster, to: last, asksForPresence: false, body)
  }

  private func follow(
    _ roster: inout Roster, to last: UInt64, asksForPresence: Bool,
    _ body: (inout Roster) -> Void = { _ in }
  ) throws {
    let reader = RecordReader()
    while roster.position < last {
      let range = roster.position + 1...last
      let end = try log.read { transaction in
        try forEachEvent(in: range, transaction, reader) { stamp, connection, _, event in
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

  /// An event and its record.
  private struct Step {
    var stamp: RecordStamp
    var connection: ConnectionID
    var direction: RecordDirection
    var event: RosterEvent
  }

  /// Whether a record is looked at: what the user says is of no connection.
  private func includes(_ kind: RecordKind, of connection: UInt32) -> Bool {
    kind == .annotation || includes(connection)
  }

  /// Whether records of a connection are looked at.
  package func includes(_ number: UInt32) -> Bool {
    connection == nil || connection?.number == number
  }

  /// The next events of a range, and the last record that was looked at.
  private func steps(
    _ range: ClosedRange<UInt64>, _ reader: RecordReader
  ) throws -> ([Step], UInt64) {
    try log.read { transaction in
      var steps: [Step] = []
      let end = try forEachEvent(in: range, transaction, reader) {
        stamp, connection, direction, event in
        let value =
          switch event {
          case .made(let event): event
          case .stored(let bytes): try RosterEvent.decode(bytes)
          }
        steps.append(
          Step(stamp: stamp, connection: connection, direction: direction, event: value))
      }
      return (steps, end)
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
    in range: ClosedRange<UInt64>, _ transaction: borrowing ReadTransaction,
    _ reader: RecordReader,
    _ body: (RecordStamp, ConnectionID, RecordDirection, borrowing FoundEvent) throws -> Void
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
        throw EventLogError.corrupt(
          sequence: header.sequence, what: "its stored event cannot be read: \(error)")
      }
    }
    return next.map { $0 - 1 } ?? range.upperBound
  }

  /// The numbers of the records of a range that concern a contact.
  ///
  /// The index says which may, where this program made it: the others are not looked at. An index
  /// of another version is not complete.
  package func records(
    concerning contact: BareJID, in range: ClosedRange<UInt64>
  ) throws -> Set<UInt64> {
    try records(of: contact.text, in: range)
  }

  /// As `records(concerning:in:)`, for whatever the index has records of.
  func records(of subject: String, in range: ClosedRange<UInt64>) throws -> Set<UInt64> {
    let reader = RecordReader()
    var found: Set<UInt64> = []
    func look(_ header: RecordHeader, _ bytes: RawSpan) {
      guard reader.decode(header, bytes).contacts.contains(where: { $0.hasSameBytes(as: subject) })
      else { return }
      found.insert(header.sequence)
    }
    guard var candidates = try candidates(of: subject, in: range)?[...] else {
      try log.forEachRecord(in: range, look)
      return found
    }
    while !candidates.isEmpty {
      try log.read { try $0.forEachRecord(of: candidates.prefix(Self.slice), look) }
      candidates = candidates.dropFirst(Self.slice)
    }
    return found
  }

  /// What the index has of a subject; nil where it is not to be used.
  private func candidates(
    of subject: String, in range: ClosedRange<UInt64>
  ) throws -> [UInt64]? {
    try log.read { transaction in
      guard try transaction.meta.eventVersion == DecodedRecord.version else { return nil }
      return try transaction.sequences(concerning: subject, in: range)
    }
  }
}
