import Captures
package import EventStore
import RawBytes
package import RosterCore
import XMPPStanza

// Reading the events of a log in order.
extension Timeline {
  /// The number of records that one read transaction covers. While a reader is open, the file
  /// cannot reuse its pages.
  static let slice = 4096

  /// An event between a state and a later record.
  package struct Step: ~Escapable {
    /// The record, and its time.
    package let stamp: RecordStamp
    package let connection: ConnectionID
    package let direction: RecordDirection
    /// The event's canonical bytes, which match a checksum or were just encoded.
    package let event: RawSpan

    @_lifetime(copy event)
    fileprivate init(_ place: EventSlice.Place, _ event: RawSpan) {
      (stamp, connection, direction) = (place.stamp, place.connection, place.direction)
      self.event = event
    }

    /// Reduces the event into a roster.
    ///
    /// - Throws: `EventLogError.corrupt`, which names the record, if it cannot be read.
    @discardableResult
    package func reduce(
      into roster: inout Roster, reporting: Reporting = .nothing
    ) throws(EventLogError) -> RosterOutcome {
      do {
        return try RosterReducer.reduce(
          &roster, event, at: stamp, on: connection, reporting: reporting)
      } catch {
        throw unreadable(error)
      }
    }

    /// Reduces the event into a roster, and returns the event with its outcome.
    ///
    /// - Throws: `EventLogError.corrupt`, which names the record, if it cannot be read.
    package func moment(
      reducedInto roster: inout Roster
    ) throws(EventLogError) -> Moment {
      let outcome = try reduce(into: &roster, reporting: .everything)
      return Moment(
        stamp: stamp, connection: connection, direction: direction, event: try value,
        outcome: outcome)
    }

    /// The event as a value.
    ///
    /// - Throws: `EventLogError.corrupt`, which names the record, if it cannot be read.
    var value: RosterEvent {
      get throws(EventLogError) {
        do {
          return try RosterEvent(stored: event)
        } catch {
          throw unreadable(error)
        }
      }
    }

    /// What the event can mean to contacts that it does not name; nil if it means nothing to them.
    ///
    /// - Throws: `EventLogError.corrupt`, which names the record, if it cannot be read.
    var mark: EventMark? {
      get throws(EventLogError) {
        do {
          return try EventMark(stored: event)
        } catch {
          throw unreadable(error)
        }
      }
    }

    private func unreadable(_ error: CodecError) -> EventLogError {
      .corrupt(sequence: stamp.record, what: "its stored event cannot be read: \(error)")
    }
  }

  /// Advances a state to a later record, and has `body` reduce every event in between into its
  /// roster. An event that `body` does not reduce is left out.
  ///
  /// The events are the stored ones if this program made them, so that no XML is parsed; otherwise
  /// they are encoded again from the raw bytes, never misread. `body` runs outside of every
  /// transaction.
  package func follow(
    _ state: inout State, to last: UInt64,
    _ body: (inout Roster, Step) throws -> Void
  ) throws {
    if state.roster.position == 0 { try begin(&state) }
    var events = EventSlice()
    while state.roster.position < last {
      try read(&events, in: state.roster.position + 1...last)
      for index in 0..<events.count {
        try body(&state.roster, events[index])
      }
      // The last records may have no events.
      state.roster.move(to: events.end)
    }
    try addNotes(to: &state, upTo: last)
  }

  /// Passes the events of a range to `body`, which runs outside of every transaction.
  func forEachStep(in range: ClosedRange<UInt64>, _ body: (Step) throws -> Void) throws {
    var events = EventSlice()
    var next = range.lowerBound
    while next <= range.upperBound {
      try read(&events, in: next...range.upperBound)
      for index in 0..<events.count { try body(events[index]) }
      next = events.end + 1
    }
  }

  /// Advances a state to a later record.
  ///
  /// Complexity: linear in the events in between.
  package func advance(_ state: inout State, to last: UInt64) throws {
    try follow(&state, to: last) { roster, step in try step.reduce(into: &roster) }
  }

  /// Advances a state to a later record, and passes every event in between to `body` with its
  /// outcome and the state after it.
  ///
  /// - Parameter named: The records that name the requested contact. Presence from others, which is
  ///   most of a log, is not passed on if it concerns only its sender. Nil to request all contacts.
  package func advance(
    _ state: inout State, to last: UInt64, naming named: Set<UInt64>? = nil,
    _ body: (Moment, Roster) throws -> Void
  ) throws {
    try follow(&state, to: last) { roster, step in
      if named?.contains(step.stamp.record) == false,
        roster.concernsSenderAlone(step.event, at: step.stamp, on: step.connection)
      {
        try step.reduce(into: &roster)
      } else {
        try body(explainingEnd(step.moment(reducedInto: &roster)), roster)
      }
    }
  }

  /// Adds why a connection ended. Only the record has the reason, because the roster does not
  /// depend on it.
  func explainingEnd(_ moment: Moment) throws -> Moment {
    guard case .session(let event) = moment.event,
      let reason = try endReason(of: event, at: moment.stamp.record)
    else { return moment }
    var moment = moment
    moment.endReason = reason
    return moment
  }

  /// Why a connection ended, in the words of the source, if the event is its end and the record
  /// says so.
  func endReason(of event: SessionEvent, at record: UInt64) throws -> String? {
    guard case .closed = event, let record = try log.read({ try $0.record(at: record) }),
      record.header.kind == .lifecycle, case .closed(let reason)? = Lifecycle(record.bytes)
    else { return nil }
    return reason
  }

  /// Adds to a state what the log notes besides its events.
  func addNotes(to state: inout State, upTo last: UInt64) throws {
    try log.read { transaction in
      let meta = try transaction.meta
      state.time = last == 0 ? nil : try transaction.header(at: last)?.clock
      state.noted = meta.account.flatMap { try? BareJID(parsing: $0) }
      state.names = meta.connections
    }
  }

  /// Begins with the log's account, which a single connection need not name.
  private func begin(_ state: inout State) throws {
    guard let connection, let account = try log.meta.account.flatMap({ try? BareJID(parsing: $0) })
    else { return }
    var encoder = EventEncoder()
    encoder.encode(
      .captureBegan(account: JID(prepared: account, resource: nil), inboundOnly: false))
    guard let header = encoder.storedEvent else { return }
    try RosterReducer.reduce(
      &state.roster, header, at: RecordStamp(record: 0), on: connection,
      reporting: .nothing)
  }

  /// Whether a record is read: the user's annotations belong to no connection.
  private func includes(_ kind: RecordKind, of connection: UInt32) -> Bool {
    kind == .annotation || includes(connection)
  }

  /// Whether records of a connection are read.
  package func includes(_ number: UInt32) -> Bool {
    connection == nil || connection?.number == number
  }

  /// Reads the next events of a range, at most those of one slice of records or one piece of bytes.
  private func read(_ events: inout EventSlice, in range: ClosedRange<UInt64>) throws {
    let range = range.lowerBound...min(range.upperBound, range.lowerBound + UInt64(Self.slice) - 1)
    events.removeAll()
    let reader = events.reader
    let next = try log.read { (transaction) throws -> UInt64? in
      // A program of another version may have written in between.
      if events.seen?.transaction != transaction.number {
        events.seen = (transaction.number, try transaction.hasCurrentEvents)
      }
      guard events.seen?.isCurrent == true else {
        return try transaction.forEachRecord(in: range, bytes: EventLog.pieceBytes) {
          header, bytes in
          guard includes(header.kind, of: header.connection),
            let event = reader.decode(header, bytes).event
          else { return }
          events.append(event.span.bytes, of: EventHeader(header))
        }
      }
      return try transaction.forEachEvent(
        in: range, bytes: EventLog.pieceBytes,
        deriving: { reader.decode($0, $1).event }
      ) { header, bytes in
        if includes(header.kind, of: header.connection) { events.append(bytes, of: header) }
      }
    }
    events.end = next.map { $0 - 1 } ?? range.upperBound
  }
}

/// The events of some consecutive records, copied out of the log so that no transaction is open
/// while they are reduced.
private struct EventSlice {
  struct Place {
    let stamp: RecordStamp
    let connection: ConnectionID
    let direction: RecordDirection
    /// The range of the event in the slice's bytes.
    let bytes: Range<Int>
  }

  let reader = RecordReader()
  /// The last transaction, and whether its stored events are of this version.
  var seen: (transaction: UInt64, isCurrent: Bool)?
  private var places: [Place] = []
  /// The events, one after the other.
  private var bytes: [UInt8] = []
  /// The last record that was read.
  var end: UInt64 = 0

  var count: Int { places.count }

  mutating func append(_ event: RawSpan, of header: EventHeader) {
    let start = bytes.count
    bytes.append(bytes: event)
    places.append(
      Place(
        stamp: RecordStamp(header),
        connection: ConnectionID(number: header.connection), direction: header.direction,
        bytes: start..<bytes.count))
  }

  mutating func removeAll() {
    places.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }

  subscript(index: Int) -> Timeline.Step {
    @_lifetime(borrow self)
    get {
      let place = places[index]
      return Timeline.Step(place, bytes.span.bytes.extracting(place.bytes))
    }
  }
}
