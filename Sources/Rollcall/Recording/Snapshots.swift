package import EventStore
import RawBytes
import RosterCore

extension SnapshotVersion {
  /// Of the states that this program derives.
  package static let current = SnapshotVersion(
    events: DecodedRecord.version, reducer: RosterReducer.version, codec: Roster.codecVersion)
}

extension SnapshotBase {
  /// A stored snapshot.
  ///
  /// - Parameter depth: How many increments it rests on itself.
  init(_ header: SnapshotHeader, depth: UInt64) {
    self.init(sequence: header.sequence, identity: header.checksum.prefix, depth: depth)
  }
}

extension Timeline {
  /// The state of the newest snapshot at or before a record and after a state that is at hand; nil
  /// where there is none that can be used.
  func snapshot(atOrBefore record: UInt64, after known: Roster = Roster()) throws -> Roster? {
    // Snapshots are of the whole log.
    guard connection == nil else { return nil }
    return try log.read { (transaction) -> Roster? in
      var newest = record
      while newest > known.position {
        var chain = SnapshotChain(from: known)
        switch try chain.read(atOrBefore: newest, in: transaction) {
        case .none: return nil
        case .state(let roster): return roster
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
  /// A state that is at hand: an increment to the snapshot that it came from is put on it.
  let known: Roster
  /// The whole one that was read. It is taken out to be changed: who alone refers to a roster
  /// changes it without copying it.
  private var whole: Roster?
  /// The newest first.
  private var increments: [(snapshot: SnapshotBase, bytes: [UInt8])] = []

  enum Outcome {
    case none
    /// It has its snapshot as its base.
    case state(Roster)
    /// This one rests on one that is not there any more, or was said to be damaged.
    case unusable(UInt64)
    case damaged(UInt64)
  }

  private enum Link {
    case whole
    case increment(SnapshotBase, [UInt8])
  }

  init(from known: Roster) {
    self.known = known
  }

  mutating func read(
    atOrBefore newest: UInt64, in transaction: borrowing ReadTransaction
  ) throws -> Outcome {
    var (next, wanted) = (newest, SnapshotBase?.none)
    while true {
      let found = try transaction.snapshot(atOrBefore: next, version: .current) {
        header, bytes in
        let isOfUse = wanted != nil || header.sequence > known.position
        return (header, isOfUse ? link(header, bytes) : nil)
      }
      guard let (header, link) = found else { return unusable }
      if let wanted {
        guard wanted.sequence == header.sequence, wanted.identity == header.checksum.prefix else {
          return unusable
        }
      } else if header.sequence <= known.position {
        return .none
      }
      switch link {
      case nil: return .damaged(header.sequence)
      case .whole: return state()
      case .increment(let base, let bytes):
        guard base.sequence < header.sequence, increments.count < SnapshotBase.mostDepth else {
          return .damaged(header.sequence)
        }
        increments.append((SnapshotBase(header, depth: base.depth + 1), bytes))
        if base == known.base { return state() }
        (next, wanted) = (base.sequence, base)
      }
    }
  }

  /// Without the one that the last increment rests on.
  private var unusable: Outcome {
    increments.first.map { .unusable($0.snapshot.sequence) } ?? .none
  }

  /// Reads a snapshot, whose checksum was looked at.
  private mutating func link(_ header: SnapshotHeader, _ bytes: RawSpan) -> Link? {
    guard let kind = try? SnapshotKind(of: bytes) else { return nil }
    if let base = kind.base { return .increment(base, [UInt8](bytes)) }
    guard var roster = try? Roster(snapshot: bytes, isSound: true),
      roster.position == header.sequence
    else { return nil }
    roster.base = SnapshotBase(header, depth: 0)
    whole = consume roster
    return .whole
  }

  /// The state after all increments.
  private mutating func state() -> Outcome {
    var roster = whole.take() ?? known
    for (snapshot, bytes) in increments.reversed() {
      do {
        try roster.add(bytes.span.bytes, isSound: true)
      } catch {
        return .damaged(snapshot.sequence)
      }
      guard roster.position == snapshot.sequence else { return .damaged(snapshot.sequence) }
      roster.base = snapshot
    }
    return .state(roster)
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
    var ahead = EventsAhead()
    func look(at index: Int) {
      let event = index < records.count ? records[index].event : nil
      ahead.look(at: event, for: &state.roster)
    }
    for index in 0..<EventsAhead.distance { look(at: index) }
    for index in 0..<records.count {
      look(at: index + EventsAhead.distance)
      let record = records[index]
      stamp = RecordStamp(record: stamp.record + 1)
      pacing.appended(bytes: record.bytes.byteCount)
      // As the log has it: the clock never runs backwards.
      if let time = record.time {
        state.time = max(time, state.time ?? time)
        stamp.time = state.time
      }
      guard let event = record.event else { continue }
      try RosterReducer.advance(
        &state.roster, byStored: event, isSound: true, at: stamp,
        on: ConnectionID(number: record.connection))
    }
    // The last records may mean nothing.
    state.roster.move(to: range.upperBound - 1)
    try storeIfDue()
  }

  private mutating func storeIfDue() throws {
    if pacing.isDue {
      let bytes = state.roster.takeSnapshot()
      guard pacing.admits(stateBytes: bytes.count) else { return }
      try store(bytes, depth: 0)
    } else if pacing.isIncrementDue, let base = state.roster.base,
      base.depth + 1 < SnapshotBase.mostDepth,
      // Another process may have thrown it away.
      try timeline.log.read({ try $0.hasSnapshot(of: base.sequence) }),
      let bytes = state.roster.increment
    {
      guard pacing.admits(incrementBytes: bytes.count) else { return }
      try store(bytes, depth: base.depth + 1)
    }
  }

  private mutating func store(_ bytes: [UInt8], depth: UInt64) throws {
    let snapshot = SnapshotDraft(
      sequence: state.roster.position, version: .current, state: bytes)
    try timeline.log.store([snapshot])
    state.roster.beginIncrement(
      to: SnapshotBase(
        sequence: snapshot.sequence, identity: snapshot.checksum.prefix, depth: depth))
  }

  private mutating func count(_ range: ClosedRange<UInt64>) throws {
    try timeline.log.forEachRecord(in: range) { _, bytes in
      pacing.appended(bytes: bytes.byteCount)
    }
  }
}
