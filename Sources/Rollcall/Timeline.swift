package import EventLog
package import RosterCore
import XMPPStanza

/// A log read as the history of a roster.
package struct Timeline: Sendable {
  /// The log that is read.
  package let log: EventLog

  /// The history in a log.
  package init(_ log: EventLog) {
    self.log = log
  }

  /// What one record did.
  package struct Moment {
    package let stamp: RecordStamp
    package let direction: RecordDirection
    package let event: RosterEvent
    package let outcome: RosterReducer.Outcome
  }

  /// A roster and the time of the record it is of.
  package struct State {
    package var roster = Roster()
    package var time: Int64?

    package init() {}
  }

  /// The state at a point. Complexity: linear in the events before it.
  package func state(at point: Point) throws -> State {
    try replay(upTo: point) { _, _ in }
  }

  /// Reduces every event up to a point, and hands each to `body` with what it did and the state
  /// after it.
  ///
  /// The events are the stored ones where this program made them, so that no XML is parsed;
  /// otherwise they are derived again from the raw bytes, never misread.
  /// - Returns: The state at the point.
  @discardableResult
  package func replay(
    upTo point: Point, _ body: (Moment, Roster) throws -> Void
  ) throws -> State {
    try log.read { transaction in
      let last = try resolve(point, in: transaction)
      var state = State()
      let step = { (header: EventStamp, event: RosterEvent) in
        let stamp = RecordStamp(record: header.sequence, time: header.time)
        let outcome = RosterReducer.reduce(&state.roster, event, at: stamp)
        try body(
          Moment(stamp: stamp, direction: header.direction, event: event, outcome: outcome),
          state.roster)
      }
      if last > 0 {
        if try transaction.meta.eventVersion == RecordMeaning.version {
          try scanEvents(upTo: last, in: transaction, step)
        } else {
          try scanRecords(upTo: last, in: transaction, step)
        }
      }
      // The point may lie behind the last record that meant anything.
      state.roster.move(to: last)
      state.time = last == 0 ? nil : try transaction.header(at: last)?.clock
      return state
    }
  }

  /// What is known of an event's record.
  private struct EventStamp {
    var sequence: UInt64
    var time: Int64?
    var direction: RecordDirection
  }

  private func scanEvents(
    upTo last: UInt64, in transaction: borrowing ReadTransaction,
    _ step: (EventStamp, RosterEvent) throws -> Void
  ) throws {
    try transaction.forEachEvent(in: 1...last) { header, bytes in
      let event: RosterEvent
      do {
        event = try RosterEvent.decode(bytes)
      } catch {
        throw EventLogError.corrupt(
          sequence: header.sequence, what: "its stored event cannot be read: \(error)")
      }
      try step(
        EventStamp(sequence: header.sequence, time: header.time, direction: header.direction),
        event)
    }
  }

  private func scanRecords(
    upTo last: UInt64, in transaction: borrowing ReadTransaction,
    _ step: (EventStamp, RosterEvent) throws -> Void
  ) throws {
    let reader = RecordReader()
    try transaction.forEachRecord(in: 1...last) { header, bytes in
      guard let event = reader.meaning(header, bytes).event else { return }
      try step(
        EventStamp(sequence: header.sequence, time: header.time, direction: header.direction),
        event)
    }
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
      let newest = try transaction.header(at: head)?.clock
      guard head == 0 || newest != nil else { throw PointError.noTimes }
      return try transaction.lastSequence(atOrBefore: time)
    }
  }
}
