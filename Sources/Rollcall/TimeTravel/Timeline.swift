import Captures
package import EventStore
package import RosterCore
package import XMPPStanza

/// A log read as the history of a roster.
package struct Timeline: Sendable {
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

  /// What one record did.
  package struct Moment: Sendable {
    package let stamp: RecordStamp
    package let connection: ConnectionID
    package let direction: RecordDirection
    package let event: RosterEvent
    package let outcome: RosterReducer.Outcome
  }

  /// A roster and the time of the record it is of.
  package struct State: Hashable, Sendable {
    package var roster = Roster()
    package var time: Int64?
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
    package var account: BareJID? { roster.account ?? noted }
  }

  /// The number of the record that a point names. Complexity: O(log n).
  package func record(at point: Point) throws -> UInt64 {
    try log.read { try resolve(point, in: $0) }
  }

  /// The state at a point. Complexity: linear in the events after the last snapshot before it.
  package func state(at point: Point) throws -> State {
    try state(after: record(at: point), from: nil)
  }

  /// The state after a record, reduced from the nearest state before it: one that is at hand, or
  /// a snapshot.
  func state(after record: UInt64, from known: State?) throws -> State {
    let position = known?.roster.position ?? 0
    var state = try snapshot(atOrBefore: record, after: position) ?? known ?? State()
    try advance(&state, to: record)
    return state
  }

  /// What a record did; nil where it means nothing to the roster.
  package func moment(of record: UInt64) throws -> Moment? {
    guard record > 0 else { return nil }
    var state = try state(after: record - 1, from: nil)
    var found: Moment?
    try advance(&state, to: record) { moment, _ in found = moment }
    return found
  }

  /// Reduces every event up to a point, and hands each to `body` with what it did and the state
  /// after it.
  /// - Returns: The state at the point.
  @discardableResult
  package func replay(
    upTo point: Point, _ body: (Moment, Roster) throws -> Void
  ) throws -> State {
    var state = State()
    try advance(&state, to: record(at: point), body)
    return state
  }

  /// How many records one read transaction goes over. A reader that is held keeps the file from
  /// reusing its pages, and `body` may wait as long as a person who reads page by page.
  private static let slice: UInt64 = 4096

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
      let first = state.roster.position + 1
      let end = min(last, first - 1 + Self.slice)
      for step in try steps(first...end, reader) {
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
    let reader = RecordReader()
    if state.roster.position == 0 { try begin(&state) }
    while state.roster.position < last {
      let first = state.roster.position + 1
      let end = min(last, first - 1 + Self.slice)
      var roster = Roster()
      swap(&roster, &state.roster)
      defer { swap(&roster, &state.roster) }
      try log.read { transaction in
        try forEachEvent(in: first...end, transaction, reader) { stamp, connection, _, event in
          switch event {
          case .made(let event):
            RosterReducer.advance(&roster, by: event, at: stamp, on: connection)
          case .stored(let bytes):
            try RosterReducer.advance(
              &roster, byStored: bytes, at: stamp, on: connection)
          }
        }
      }
      roster.move(to: end)
    }
    try addNotes(to: &state, upTo: last)
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

  /// Whether records of a connection are looked at.
  package func includes(_ number: UInt32) -> Bool {
    connection == nil || connection?.number == number
  }

  private func steps(
    _ range: ClosedRange<UInt64>, _ reader: RecordReader
  ) throws -> [Step] {
    try log.read { transaction in
      var steps: [Step] = []
      steps.reserveCapacity(range.count)
      try forEachEvent(in: range, transaction, reader) { stamp, connection, direction, event in
        let value =
          switch event {
          case .made(let event): event
          case .stored(let bytes): try RosterEvent.decode(bytes)
          }
        steps.append(
          Step(stamp: stamp, connection: connection, direction: direction, event: value))
      }
      return steps
    }
  }

  /// An event as it is found.
  private enum FoundEvent: ~Escapable {
    /// It was made of the record's bytes.
    case made(RosterEvent)
    /// In the form in which it is stored.
    case stored(RawSpan)
  }

  /// Hands the events of a range to `body`: the stored ones where this program made them, and
  /// others made anew of the raw bytes.
  ///
  /// - Throws: `EventLogError.corrupt` where `body` cannot read what is stored, and what it throws
  ///   else.
  private func forEachEvent(
    in range: ClosedRange<UInt64>, _ transaction: borrowing ReadTransaction,
    _ reader: RecordReader,
    _ body: (RecordStamp, ConnectionID, RecordDirection, borrowing FoundEvent) throws -> Void
  ) throws {
    // Asked for each slice: a program of another version may have come in between.
    guard try transaction.meta.eventVersion == DecodedRecord.version else {
      return try transaction.forEachRecord(in: range) { header, bytes in
        guard includes(header.connection), let event = reader.decode(header, bytes).event
        else { return }
        try body(
          RecordStamp(record: header.sequence, time: header.time),
          ConnectionID(number: header.connection), header.direction, .made(event))
      }
    }
    try transaction.forEachEvent(
      in: range, deriving: { reader.decode($0, $1).event?.canonicalBytes }
    ) { header, bytes in
      guard includes(header.connection) else { return }
      do {
        try body(
          RecordStamp(record: header.sequence, time: header.time),
          ConnectionID(number: header.connection), header.direction, .stored(bytes))
      } catch let error as CodecError {
        throw EventLogError.corrupt(
          sequence: header.sequence, what: "its stored event cannot be read: \(error)")
      }
    }
  }

  /// The numbers of the records of a range that concern a contact.
  ///
  /// The index says which may, where this program made it: the others are not looked at. An index
  /// of another version is not complete.
  package func records(
    concerning contact: BareJID, in range: ClosedRange<UInt64>
  ) throws -> Set<UInt64> {
    try log.read { try records(of: contact.text, in: range, $0) }
  }

  /// As `records(concerning:in:)`, for whatever the index has records of.
  func records(
    of subject: String, in range: ClosedRange<UInt64>, _ transaction: borrowing ReadTransaction
  ) throws -> Set<UInt64> {
    let reader = RecordReader()
    var found: Set<UInt64> = []
    func look(_ header: RecordHeader, _ bytes: RawSpan) {
      guard reader.decode(header, bytes).contacts.contains(where: { $0.hasSameBytes(as: subject) })
      else { return }
      found.insert(header.sequence)
    }
    guard try transaction.meta.eventVersion == DecodedRecord.version else {
      try transaction.forEachRecord(in: range, look)
      return found
    }
    let candidates = try transaction.sequences(concerning: subject, in: range)
    try transaction.forEachRecord(of: candidates, look)
    return found
  }

  /// The number of the record that a point names. Complexity: O(log n).
  package func resolve(
    _ point: Point, in transaction: borrowing ReadTransaction
  ) throws -> UInt64 {
    let head = try transaction.lastSequence
    switch point {
    case .record(let number):
      guard number <= head else { throw PointError.beyondHead(number, head: head) }
      return number
    case .head(let steps):
      guard steps <= head else { throw PointError.beforeStart(steps, head: head) }
      return head - steps
    case .time(let time):
      _ = try newestTime(upTo: head, in: transaction)
      return try transaction.lastSequence(atOrBefore: time)
    case .earlier(let span):
      let newest = try newestTime(upTo: head, in: transaction)
      let (time, isBeforeAll) = newest.subtractingReportingOverflow(span)
      return isBeforeAll ? 0 : try transaction.lastSequence(atOrBefore: time)
    case .clock(let clock):
      let newest = try newestTime(upTo: head, in: transaction)
      let today = newest - newest.quotientAndRemainder(Timestamp.day).remainder
      let time = today + clock
      return try transaction.lastSequence(
        atOrBefore: time > newest ? time - Timestamp.day : time)
    case .bookmark(let name):
      let known = try bookmarks(in: transaction)
      guard let bookmark = known.first(where: { $0.name == name }) else {
        throw PointError.noBookmark(name, known: known.map(\.name))
      }
      return bookmark.point
    }
  }

  /// The newest time in the log; in an empty log, which has only one point, any.
  private func newestTime(
    upTo head: UInt64, in transaction: borrowing ReadTransaction
  ) throws -> Int64 {
    guard head > 0 else { return 0 }
    guard let newest = try transaction.header(at: head)?.clock else { throw PointError.noTimes }
    return newest
  }
}
