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

  /// How many records one read transaction goes over. A reader that is held keeps the file from
  /// reusing its pages, and `body` may wait as long as a person who reads page by page.
  private static let slice: UInt64 = 4096

  /// Reduces every event up to a point, and hands each to `body` with what it did and the state
  /// after it.
  ///
  /// The events are the stored ones where this program made them, so that no XML is parsed;
  /// otherwise they are derived again from the raw bytes, never misread. `body` runs outside of
  /// every transaction.
  /// - Returns: The state at the point.
  @discardableResult
  package func replay(
    upTo point: Point, _ body: (Moment, Roster) throws -> Void
  ) throws -> State {
    var state = State()
    let last = try log.read { transaction in
      let last = try resolve(point, in: transaction)
      state.time = last == 0 ? nil : try transaction.header(at: last)?.clock
      return last
    }
    let reader = RecordReader()
    var done: UInt64 = 0
    while done < last {
      let end = min(last, done + Self.slice)
      for step in try steps(done + 1...end, reader) {
        let outcome = RosterReducer.reduce(&state.roster, step.event, at: step.stamp)
        try body(
          Moment(
            stamp: step.stamp, direction: step.direction, event: step.event, outcome: outcome),
          state.roster)
      }
      done = end
    }
    // The point may lie behind the last record that meant anything.
    state.roster.move(to: last)
    return state
  }

  /// An event and its record.
  private struct Step {
    var stamp: RecordStamp
    var direction: RecordDirection
    var event: RosterEvent
  }

  private func steps(
    _ range: ClosedRange<UInt64>, _ reader: RecordReader
  ) throws -> [Step] {
    try log.read { transaction in
      var steps: [Step] = []
      // Asked for each slice: a program of another version may have come in between.
      guard try transaction.meta.eventVersion == RecordMeaning.version else {
        try transaction.forEachRecord(in: range) { header, bytes in
          guard let event = reader.meaning(header, bytes).event else { return }
          let stamp = RecordStamp(record: header.sequence, time: header.time)
          steps.append(Step(stamp: stamp, direction: header.direction, event: event))
        }
        return steps
      }
      try transaction.forEachEvent(in: range) { header, bytes in
        let stamp = RecordStamp(record: header.sequence, time: header.time)
        do {
          let event = try RosterEvent.decode(bytes)
          steps.append(Step(stamp: stamp, direction: header.direction, event: event))
        } catch {
          throw EventLogError.corrupt(
            sequence: header.sequence, what: "its stored event cannot be read: \(error)")
        }
      }
      return steps
    }
  }

  /// The numbers of the records of a range that concern a contact.
  ///
  /// They are looked up in the index where this program made it, and otherwise found in the raw
  /// bytes: an index of another version is not complete.
  package func records(
    concerning contact: BareJID, in range: ClosedRange<UInt64>
  ) throws -> Set<UInt64> {
    var found: Set<UInt64> = []
    let reader = RecordReader()
    try log.read { transaction in
      guard try transaction.meta.eventVersion != RecordMeaning.version else {
        found = Set(try transaction.sequences(concerning: contact.text, in: range))
        return
      }
      try transaction.forEachRecord(in: range) { header, bytes in
        guard reader.meaning(header, bytes).contacts.contains(contact.text) else { return }
        found.insert(header.sequence)
      }
    }
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
      let newest = try transaction.header(at: head)?.clock
      guard head == 0 || newest != nil else { throw PointError.noTimes }
      return try transaction.lastSequence(atOrBefore: time)
    }
  }
}
