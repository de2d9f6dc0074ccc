import EventStore
package import RosterCore
import XMPPStanza

/// Another course that a log could have taken, beside the one that it took.
///
/// Records keep their numbers, also where others are left out. One that was put in is numbered
/// after the record that it follows, and every record has the time of its place.
package struct Branch: Sendable {
  /// The log.
  package let timeline: Timeline
  /// What is otherwise.
  package let edits: BranchEdits
  /// How the branch is read.
  package let policy: ClientPolicy
  /// The last record of the log that is looked at.
  package let head: UInt64
  /// How records are numbered while both are compared.
  package let numbering: Numbering

  /// Records and what was put in after them, in one order of numbers.
  package struct Numbering: Hashable, Sendable {
    /// How far apart the numbers of the log's own records are: a power of ten.
    package let step: UInt64

    /// Leaves room for this many records after each.
    init(room: UInt64) {
      var step: UInt64 = 1
      while step <= room, room > 0 { step *= 10 }
      self.step = step
    }

    /// The number of a record, or of one put in after it.
    func number(_ record: UInt64, inserted: UInt64 = 0) -> UInt64 { record * step + inserted }

    /// What a number stands for: a record, and which of those put in after it, from 1.
    package func place(_ number: UInt64) -> (record: UInt64, inserted: UInt64) {
      (number / step, number % step)
    }

    /// As a person reads it: `12`, or `12+1` for the first that was put in after 12.
    package func label(_ number: UInt64) -> String {
      let (record, inserted) = place(number)
      return inserted == 0 ? "\(record)" : "\(record)+\(inserted)"
    }
  }

  /// A branch of what a log holds up to a point.
  /// - Throws: `BranchError` where the edits do not fit the log, and the log's errors.
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

  /// Where the two courses part, and what is otherwise at the end.
  package struct Comparison: Sendable {
    /// The first place at which a record does something else.
    package struct Divergence: Sendable {
      /// The record of the log.
      package var record: UInt64
      /// What it did.
      package var happened: [Timeline.Moment]
      /// What is done there in the branch.
      package var instead: [Timeline.Moment]
    }

    /// The end that the log has. Numbered as the branch is.
    package var actual = Timeline.State()
    /// The end that the branch has.
    package var branched = Timeline.State()
    /// Nil where every record does what it did.
    package var divergence: Divergence?
    /// What the branch's end shows otherwise, each with the branch's record that made it so.
    package var differences: [StateDiff.Item] = []
    /// Findings that only the branch has.
    package var added: [Finding] = []
    /// Findings that only the log has.
    package var removed: [Finding] = []

    /// Whether the two end otherwise.
    package var differs: Bool { !differences.isEmpty || !added.isEmpty || !removed.isEmpty }
  }

  /// Replays both. Complexity: linear in the events of both; memory grows with what was put in
  /// and with the findings after the divergence.
  package func compare() throws -> Comparison {
    var replay = BranchReplay(branch: self, places: try places())
    var end = Timeline.State()
    try timeline.follow(&end, to: head) { _, step in try replay.advance(step) }
    var comparison = try replay.finish(at: end)
    comparison.differences = try differences(comparison)
    return comparison
  }

  private func differences(_ comparison: Comparison) throws -> [StateDiff.Item] {
    let differences = comparison.actual.roster.differences(to: comparison.branched.roster)
    return try timeline.log.read { transaction in
      try differences.map { difference in
        let cause = try difference.record.map { number in
          // Before the first record there is no time but the first record's.
          let place = max(1, numbering.place(number).record)
          return RecordStamp(record: number, time: try transaction.header(at: place)?.time)
        }
        return StateDiff.Item(difference: difference, cause: cause)
      }
    }
  }

  // MARK: The places where something is otherwise

  /// A place with another content than the log's.
  struct Place: Sendable {
    var record: UInt64
    var time: Int64?
    /// The record that stands there instead; nil where it stands there itself.
    var swapped: Content?
    /// What comes after it.
    var inserted: [Content] = []
  }

  /// What a record of another place brings.
  struct Content: Sendable {
    var connection: ConnectionID
    var direction: RecordDirection
    /// The event's canonical bytes; nil if it means nothing.
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
