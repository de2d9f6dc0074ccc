package import EventStore
import RosterCore

extension SnapshotVersion {
  /// Of the states that this program derives.
  package static let current = SnapshotVersion(
    events: DecodedRecord.version, reducer: RosterReducer.version, codec: Roster.codecVersion)
}

/// A state that snapshots gave.
struct KeptState {
  let roster: Roster
  /// The newest of them, on which an increment can be put.
  let base: SnapshotBase
}

extension Timeline {
  /// The state of the newest snapshot at or before a record and after a state that is at hand; nil
  /// where there is none that can be used.
  func snapshot(atOrBefore record: UInt64, after known: Roster = Roster()) throws -> KeptState? {
    // Snapshots are of the whole log.
    guard connection == nil else { return nil }
    return try log.read { (transaction) -> KeptState? in
      var newest = record
      while newest > known.position {
        var chain = SnapshotChain(from: known)
        switch try chain.read(atOrBefore: newest, in: transaction) {
        case .none: return nil
        case .state(let state): return state
        case .unusable(let sequence): newest = sequence - 1
        case .damaged(let sequence):
          // One that does not hold what it should is as good as none.
          log.derivedDamage.note(.snapshots, sequence...sequence)
          newest = sequence - 1
        }
      }
      return nil
    }
  }
}

/// Reads a snapshot, and where it is an increment, those before it that it rests on.
private struct SnapshotChain {
  /// A state that is at hand, on which an increment to it or to an earlier one is put.
  let known: Roster
  /// Their bytes, the newest first.
  private var increments: [[UInt8]] = []
  private var top: SnapshotBase?

  enum Outcome {
    case none
    case state(KeptState)
    /// This one rests on one that is not there any more, or was said to be damaged.
    case unusable(UInt64)
    case damaged(UInt64)
  }

  private enum Link {
    case whole(Roster?)
    case increment(SnapshotBase, [UInt8])
  }

  init(from known: Roster) {
    self.known = known
  }

  mutating func read(
    atOrBefore newest: UInt64, in transaction: borrowing ReadTransaction
  ) throws -> Outcome {
    var next = newest
    while true {
      let found = try transaction.snapshot(atOrBefore: next, version: .current) {
        header, bytes in
        (header.sequence, header.sequence > known.position ? Self.link(bytes) : nil)
      }
      guard let (sequence, link) = found, sequence > known.position else {
        return top.map { .unusable($0.sequence) } ?? .none
      }
      let newest = top?.sequence ?? sequence
      // It was the one that is wanted, or is the one that this rests on.
      guard increments.isEmpty || sequence == next else { return .unusable(newest) }
      switch link {
      case nil: return .damaged(sequence)
      case .whole(let roster):
        guard let roster, roster.position == sequence else { return .damaged(sequence) }
        return state(from: roster, top ?? SnapshotBase(sequence: sequence, depth: 0))
      case .increment(let base, let bytes):
        guard base.sequence < sequence, increments.count < SnapshotBase.mostDepth else {
          return .damaged(sequence)
        }
        increments.append(bytes)
        top = top ?? SnapshotBase(sequence: sequence, depth: base.depth + 1)
        if base.sequence <= known.position { return state(from: known, top) }
        next = base.sequence
      }
    }
  }

  /// Its digest was looked at.
  private static func link(_ bytes: RawSpan) -> Link? {
    guard let kind = try? SnapshotKind(of: bytes) else { return nil }
    guard let base = kind.base else { return .whole(try? Roster(snapshot: bytes, isSound: true)) }
    return .increment(base, bytes.withUnsafeBytes { Array($0) })
  }

  /// The state after all increments.
  private func state(from start: consuming Roster, _ top: SnapshotBase?) -> Outcome {
    guard let top else { return .none }
    var roster = start
    do {
      for bytes in increments.reversed() {
        roster = try roster.adding(bytes.span.bytes, isSound: true)
      }
    } catch {
      return .damaged(top.sequence)
    }
    guard roster.position == top.sequence else { return .damaged(top.sequence) }
    return .state(KeptState(roster: roster, base: top))
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
  /// The last snapshot, on which an increment can be put; nil where there is none.
  private var base: SnapshotBase?

  /// How many records are followed at a time: a snapshot is no nearer to where it is due.
  private static let step: UInt64 = 1000

  /// A keeper of a log that is open for writing, which goes on after its last snapshot.
  package init(_ log: EventLog) throws {
    timeline = Timeline(log)
    pacing = SnapshotPacing()
    guard let kept = try timeline.snapshot(atOrBefore: .max) else {
      state = Timeline.State()
      return
    }
    state = Timeline.State(kept.roster)
    state.time = try log.read { try $0.header(at: kept.roster.position)?.clock }
    state.roster.beginIncrement()
    base = kept.base
    pacing.begin(after: state.roster.snapshot.count, depth: kept.base.depth)
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
    if pacing.isDue {
      let bytes = state.roster.snapshot
      guard pacing.admits(stateBytes: bytes.count) else { return }
      // What is read back has nothing in it that is gone, and details that need not be encoded
      // again for the next one.
      state.roster = try Roster(snapshot: bytes.span.bytes, isSound: true)
      try store(bytes, depth: 0)
    } else if pacing.isIncrementDue, let base, base.depth + 1 < SnapshotBase.mostDepth,
      // Another process may have thrown it away.
      try timeline.log.read({ try $0.hasSnapshot(of: base.sequence) }),
      let bytes = state.roster.increment(to: base)
    {
      guard pacing.admits(incrementBytes: bytes.count) else { return }
      try store(bytes, depth: base.depth + 1)
    }
  }

  private mutating func store(_ bytes: [UInt8], depth: UInt64) throws {
    let position = state.roster.position
    try timeline.log.store([
      SnapshotDraft(sequence: position, version: .current, state: bytes)
    ])
    base = SnapshotBase(sequence: position, depth: depth)
    state.roster.beginIncrement()
  }

  private mutating func count(_ range: ClosedRange<UInt64>) throws {
    try timeline.log.forEachRecord(in: range) { _, bytes in
      pacing.appended(bytes: bytes.byteCount)
    }
  }
}
