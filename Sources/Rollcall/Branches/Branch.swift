import EventStore
package import RosterCore
import XMPPStanza

/// An alternative history of a log.
///
/// Records keep their numbers even if others are left out. An inserted record is numbered after the
/// record that it follows, and every record has the time of its position.
package struct Branch: Sendable {
  /// The log.
  package let timeline: Timeline
  /// The changes to the history.
  package let edits: BranchEdits
  /// How the client of the branch behaves.
  package let policy: ClientPolicy
  /// The last record of the log that is included.
  package let head: UInt64
  /// How records are numbered during the comparison.
  package let numbering: Numbering

  /// Numbers records, and those inserted after them, in one order.
  package struct Numbering: Hashable, Sendable {
    /// The distance between the numbers of the log's own records: a power of ten.
    package let step: UInt64

    /// Leaves room for this many records after each.
    init(room: UInt64) {
      var step: UInt64 = 1
      while step <= room, room > 0 { step *= 10 }
      self.step = step
    }

    /// The number of a record, or of one inserted after it.
    func number(_ record: UInt64, inserted: UInt64 = 0) -> UInt64 { record * step + inserted }

    /// The record of a number, and which of those inserted after it is meant, from 1.
    package func place(_ number: UInt64) -> (record: UInt64, inserted: UInt64) {
      (number / step, number % step)
    }

    /// The number as shown to people: `12`, or `12+1` for the first record inserted after 12.
    package func label(_ number: UInt64) -> String {
      let (record, inserted) = place(number)
      return inserted == 0 ? "\(record)" : "\(record)+\(inserted)"
    }
  }

  /// A branch of a log up to a point.
  /// - Throws: `BranchError` if the edits do not fit the log, and the log's errors.
  package init(
    of timeline: Timeline, upTo point: LogPoint, edits: BranchEdits, policy: ClientPolicy
  ) throws {
    head = try timeline.record(at: point)
    try edits.check(head: head)
    self.timeline = timeline
    self.edits = edits
    self.policy = policy
    var room: [UInt64: UInt64] = [:]
    for insert in edits.inserts {
      room[insert.after, default: 0] += try insert.records.read { try $0.lastSequence }
    }
    numbering = Numbering(room: room.values.max() ?? 0)
  }

  /// Where the two histories diverge, and how their ends differ.
  package struct Comparison: Sendable {
    /// The first position at which a record has a different effect.
    package struct Divergence: Sendable {
      /// The record of the log.
      package var record: UInt64
      /// Its effect in the log.
      package var happened: [Timeline.Moment]
      /// The effect at this position in the branch.
      package var instead: [Timeline.Moment]
    }

    /// The final state of the log, numbered like the branch.
    package var actual = Timeline.State()
    /// The final state of the branch.
    package var branched = Timeline.State()
    /// Nil if every record has the same effect.
    package var divergence: Divergence?
    /// The differences in the final state, each with the record of the branch that caused it.
    package var differences: [StateDiff.Item] = []
    /// Findings that only the branch has.
    package var added: [Finding] = []
    /// Findings that only the log has.
    package var removed: [Finding] = []

    /// Whether the results differ.
    package var differs: Bool { !differences.isEmpty || !added.isEmpty || !removed.isEmpty }
  }

  /// Replays both histories. Complexity: linear in the events of both, from the last snapshot that
  /// they share. Memory grows with the inserted records and with the findings after the divergence.
  ///
  /// - Parameter step: Is called with each record of the log before it is replayed; what it throws
  ///   ends the replay.
  package func compare(_ step: (UInt64) throws -> Void = { _ in }) throws -> Comparison {
    var end = try sharedState()
    var replay = BranchReplay(branch: self, places: try places(), from: end.roster)
    try timeline.follow(&end, to: head) { _, next in
      try step(next.stamp.record)
      try replay.advance(next)
    }
    let time = head > 0 ? try timeline.log.read { try $0.header(at: head)?.clock } : nil
    var comparison = try replay.finish(at: end, time)
    comparison.differences = try differences(comparison)
    return comparison
  }

  /// The last stored state before the first edit; the state before all records if there is none, if
  /// the records of the branch have other numbers, or if the policy can change any of them.
  private func sharedState() throws -> Timeline.State {
    guard policy == .strict, numbering.step == 1, let first = edits.first, first > 0,
      let roster = try timeline.snapshot(atOrBefore: first - 1)
    else { return Timeline.State() }
    return Timeline.State(roster)
  }

  private func differences(_ comparison: Comparison) throws -> [StateDiff.Item] {
    let differences = comparison.actual.roster.differences(to: comparison.branched.roster)
    return try timeline.log.read { transaction in
      try differences.map { difference in
        let cause = try difference.record.map { number in
          // Before the first record, use its time, because no earlier one is known.
          let place = max(1, numbering.place(number).record)
          return RecordStamp(record: number, time: try transaction.header(at: place)?.time)
        }
        return StateDiff.Item(difference: difference, cause: cause)
      }
    }
  }

  // MARK: The edited positions

  /// A position whose content differs from the log's.
  struct Place: Sendable {
    var record: UInt64
    var time: Int64?
    /// The record that is there instead; nil if the log's own record stays.
    var swapped: Content?
    /// The records inserted after it.
    var inserted: [Content] = []
  }

  /// The content of a record from another position.
  struct Content: Sendable {
    var connection: ConnectionID
    var direction: RecordDirection
    /// The event's canonical bytes; nil if the record has no meaning.
    var event: [UInt8]?
  }

  private func places() throws -> [UInt64: Place] {
    var places: [UInt64: Place] = [:]
    let reader = RecordReader()
    let touched = Set(edits.swaps.flatMap { [$0.0, $0.1] } + edits.inserts.map(\.after))
    try timeline.log.read { transaction in
      for record in touched {
        let header = try transaction.header(at: max(record, 1))
        var place = Place(record: record, time: header?.time)
        if let partner = edits.partner(of: record), let other = try transaction.record(at: partner)
        {
          let decoded = reader.decode(other.header.kind, other.header.direction, other.bytes)
          place.swapped = Content(
            connection: ConnectionID(number: other.header.connection),
            direction: other.header.direction, event: decoded.event)
        }
        places[record] = place
      }
    }
    for insert in edits.inserts {
      places[insert.after]?.inserted += try Self.records(of: insert.records, reader)
    }
    return places
  }

  private static func records(
    of log: EventLog, _ reader: RecordReader
  ) throws -> [Content] {
    var records: [Content] = []
    try log.forEachRecord(in: 1...UInt64.max) { header, bytes in
      guard !header.kind.isCaptureHeader(bytes) else { return }
      let event = reader.decode(header, bytes).event
      records.append(
        Content(
          connection: ConnectionID(number: header.connection), direction: header.direction,
          event: event))
    }
    return records
  }
}
