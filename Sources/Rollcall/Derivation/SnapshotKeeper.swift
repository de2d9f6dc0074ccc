package import EventStore
import RawBytes
import RosterCore

extension EventLog {
  /// Stores the snapshots that are due after an append.
  package func keepSnapshots() {
    var keeper = SnapshotKeeper(self)
    keeper.follow()
  }
}

/// Follows a log as it grows, and stores its state whenever a snapshot is due.
///
/// The records are durable even if that fails; failures are noted in the log's `deferredFailures`.
/// A snapshot that cannot be stored is tried again some hundred records later. A log that cannot be
/// read is tried again as it grows, but not after several failures in a row.
package struct SnapshotKeeper: Sendable {
  private let log: EventLog
  /// Nil at first and after a failure.
  private var head: SnapshotFollower?
  /// The number of consecutive failures.
  private var failures = 0

  private static let mostFailures = 3

  /// A keeper for a log that is open for writing. Continues after its last snapshot.
  package init(_ log: EventLog) {
    self.log = log
  }

  /// Follows the log to its end. Complexity: linear in what was appended since the last call.
  package mutating func follow() { follow { try $0.follow() } }

  /// Follows records that have just been appended. They are not read again if they continue at the
  /// keeper's position.
  ///
  /// - Parameter range: The numbers of the records.
  mutating func follow(_ records: RecordArena, numbered range: Range<UInt64>) {
    follow { try $0.follow(records, numbered: range) }
  }

  private mutating func follow(_ step: (inout SnapshotFollower) throws -> Void) {
    guard failures < Self.mostFailures else { return }
    do {
      // The only reference, so that the state is changed in place.
      var following = try head.take() ?? SnapshotFollower(log)
      try step(&following)
      head = following
      failures = 0
    } catch {
      failures += 1
      log.deferredFailures.note(.snapshots, error)
    }
  }
}

/// The state at the end of a growing log.
private struct SnapshotFollower: Sendable {
  private let timeline: Timeline
  private var state: Timeline.State
  private var pacing: SnapshotPacing

  /// Snapshots are taken only at multiples of this number, however many records arrive at a time.
  private static let interval: UInt64 = 256

  /// Whether a snapshot may be taken at a record.
  private static func isSnapshotPosition(_ record: UInt64) -> Bool {
    record.isMultiple(of: interval)
  }

  /// Whether there are snapshots before a record; if not, the log need not be reduced for them.
  private static func canHaveSnapshots(before record: UInt64) -> Bool { record > interval }

  init(_ log: EventLog) throws {
    timeline = Timeline(log)
    pacing = SnapshotPacing()
    guard let roster = try timeline.snapshot(atOrBefore: .max), let base = roster.base else {
      state = Timeline.State()
      return
    }
    state = Timeline.State(roster)
    state.time = try log.read { try $0.header(at: roster.position)?.clock }
    state.roster.beginIncrement(to: base)
    pacing.begin(after: state.roster.snapshot.count, depth: base.depth)
  }

  /// Reduces what was appended since the last call, and stores the snapshots that are due.
  mutating func follow() throws {
    let last = try timeline.log.read { try $0.lastSequence }
    guard Self.canHaveSnapshots(before: last + 1) else { return }
    while state.roster.position < last {
      var end = state.roster.position
      repeat {
        let first = end + 1
        end = min(last, (end / Self.interval + 1) * Self.interval)
        try count(first...end)
      } while end < last && !pacing.isDue && !pacing.isIncrementDue
      try timeline.advance(&state, to: end)
      try storeIfDue()
    }
  }

  /// Reduces records that have just been appended with these numbers.
  mutating func follow(_ records: RecordArena, numbered range: Range<UInt64>) throws {
    guard Self.canHaveSnapshots(before: range.upperBound) else { return }
    // Records that were not derived, or that others appended, must be read from the log.
    guard range.lowerBound == state.roster.position + 1, !range.isEmpty,
      try timeline.log.derivedIsCurrent
    else { return try follow() }
    var stamp = RecordStamp(record: range.lowerBound - 1)
    for index in 0..<records.count {
      let record = records[index]
      stamp = RecordStamp(record: stamp.record + 1)
      pacing.appended(bytes: record.bytes.byteCount)
      // The time as the log has it, which never runs backwards.
      if let time = record.time {
        state.time = max(time, state.time ?? time)
        stamp.time = state.time
        stamp.isHeld = state.time.map { RecordHeader.isHeld(at: $0, insteadOf: time) } ?? false
      }
      if let event = record.event {
        try RosterReducer.reduce(
          &state.roster, event, at: stamp,
          on: ConnectionID(number: record.connection), reporting: .nothing)
      } else {
        state.roster.move(to: stamp.record)
      }
      try storeIfDue()
    }
  }

  private mutating func storeIfDue() throws {
    guard Self.isSnapshotPosition(state.roster.position) else { return }
    if pacing.isDue {
      let bytes = state.roster.takeSnapshot()
      let before = pacing
      guard pacing.admits(stateBytes: bytes.count) else { return }
      if !store(bytes, depth: 0) { pacing = before.postponed }
    } else if pacing.isIncrementDue, let base = state.roster.base,
      base.depth + 1 < SnapshotBase.mostDepth,
      // Another process may have removed it.
      try timeline.log.read({ try $0.hasSnapshot(of: base.sequence) }),
      let bytes = state.roster.increment
    {
      let before = pacing
      guard pacing.admits(incrementBytes: bytes.count) else { return }
      if !store(bytes, depth: base.depth + 1) { pacing = before.postponed }
    }
  }

  /// - Returns: Whether it was stored.
  private mutating func store(_ bytes: [UInt8], depth: UInt64) -> Bool {
    let snapshot = SnapshotDraft(
      sequence: state.roster.position, version: .current, state: bytes)
    do {
      try timeline.log.store([snapshot])
    } catch {
      timeline.log.deferredFailures.note(.snapshots, error)
      return false
    }
    state.roster.beginIncrement(
      to: SnapshotBase(
        sequence: snapshot.sequence, identity: snapshot.checksum.prefix, depth: depth))
    return true
  }

  private mutating func count(_ range: ClosedRange<UInt64>) throws {
    try timeline.log.forEachRecord(in: range) { _, bytes in
      pacing.appended(bytes: bytes.byteCount)
    }
  }
}
