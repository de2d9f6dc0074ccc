package import EventStore
import RosterCore

extension SnapshotVersion {
  /// Of the states that this program derives.
  package static let current = SnapshotVersion(
    events: DecodedRecord.version, reducer: RosterReducer.version, codec: Roster.codecVersion)
}

extension Timeline {
  /// The state of the newest snapshot at or before a record and after another one; nil where
  /// there is none that can be used.
  func snapshot(atOrBefore record: UInt64, after known: UInt64) throws -> State? {
    // Snapshots are of the whole log.
    guard connection == nil else { return nil }
    return try log.read { (transaction) -> State? in
      var newest = record
      while newest > known {
        let found = try transaction.snapshot(atOrBefore: newest, version: .current) {
          header, bytes in
          (header.sequence, header.sequence > known ? try? Roster(snapshot: bytes) : nil)
        }
        guard let (sequence, roster) = found, sequence > known else { return nil }
        // One that does not hold what it should is as good as none.
        if let roster, roster.position == sequence { return State(roster) }
        log.derivedDamage.note(.snapshots, sequence...sequence)
        newest = sequence - 1
      }
      return nil
    }
  }
}

extension EventLog {
  /// Stores the snapshots that are due after records were appended, if that can be done: it is
  /// noted in `undone` where it cannot, for the records are durable all the same.
  func keepSnapshots() {
    do {
      var keeper = try SnapshotKeeper(self)
      try keeper.follow()
    } catch {
      undone.note(.snapshots, error)
    }
  }
}

/// Follows a log as it grows, and stores its state where a snapshot is due.
package struct SnapshotKeeper {
  private let timeline: Timeline
  private var state: Timeline.State
  private var pacing: SnapshotPacing

  /// How many records are followed at a time: a snapshot is no nearer to where it is due.
  private static let step: UInt64 = 1000

  /// A keeper of a log that is open for writing, which goes on after its last snapshot.
  package init(_ log: EventLog) throws {
    timeline = Timeline(log)
    state = try timeline.snapshot(atOrBefore: .max, after: 0) ?? Timeline.State()
    pacing = SnapshotPacing()
    let position = state.roster.position
    if position > 0 {
      state.time = try log.read { try $0.header(at: position)?.clock }
      pacing.begin(after: state.roster.snapshot.count)
    }
  }

  /// Reduces what was appended since the last time, and stores the snapshots that are due.
  ///
  /// Complexity: linear in what was appended.
  package mutating func follow() throws {
    let last = try timeline.log.read { try $0.lastSequence }
    while state.roster.position < last {
      let first = state.roster.position + 1
      let end = min(last, first - 1 + Self.step)
      try count(first...end)
      try timeline.advance(&state, to: end)
      try storeIfDue()
    }
  }

  /// The same for records that have just been appended, which are not read again where they go on
  /// where the keeper stands.
  ///
  /// - Parameter range: The numbers that the records got.
  mutating func follow(_ records: RecordArena, numbered range: Range<UInt64>) throws {
    // What was not derived has to be read with care, and what others appended has to be read.
    guard range.lowerBound == state.roster.position + 1, !range.isEmpty,
      try timeline.log.derivedIsCurrent
    else { return try follow() }
    var stamp = RecordStamp(record: range.lowerBound - 1)
    try records.forEach { record in
      stamp = RecordStamp(record: stamp.record + 1)
      pacing.appended(bytes: record.bytes.count)
      // As the log has it: the clock never runs backwards.
      if let time = record.time {
        state.time = max(time, state.time ?? time)
        stamp.time = state.time
      }
      guard let event = record.event else { return }
      try RosterReducer.advance(
        &state.roster, byStored: event.bytes, at: stamp,
        on: ConnectionID(number: record.connection))
    }
    // The last records may mean nothing.
    state.roster.move(to: range.upperBound - 1)
    try storeIfDue()
  }

  private mutating func storeIfDue() throws {
    guard pacing.isDue else { return }
    let bytes = state.roster.snapshot
    guard pacing.admits(stateBytes: bytes.count) else { return }
    let position = state.roster.position
    try timeline.log.store([
      SnapshotDraft(sequence: position, version: .current, state: bytes)
    ])
  }

  private mutating func count(_ range: ClosedRange<UInt64>) throws {
    try timeline.log.forEachRecord(in: range) { _, bytes in
      pacing.appended(bytes: bytes.byteCount)
    }
  }
}
