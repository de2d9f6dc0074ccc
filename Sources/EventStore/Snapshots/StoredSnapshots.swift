import CLMDB
import RawBytes

// Snapshots are states after some of the records, so that the others can be had without reducing
// everything from the first record on. They are derived: they can be dropped at any time, and they
// are no part of the chain of digests.

extension WriteTransaction {
  /// Stores a snapshot. One that is there for the same record is replaced.
  func add(_ draft: borrowing SnapshotDraft) throws(EventLogError) {
    let (sequence, version, checksum) = (draft.sequence, draft.version, draft.checksum)
    let state = draft.state
    guard state.count <= LogFormat.stateLimit else {
      throw .stateTooLong(bytes: state.count, limit: LogFormat.stateLimit)
    }
    guard let pack = try digestOfPack(holding: sequence) else {
      throw .noRecordOfSnapshot(sequence: sequence, last: try lastSequence)
    }
    let size = LogFormat.snapshotHeaderBytes + state.count
    try put(databases.snapshots, sequence, byteCount: size) { space in
      LogFormat.writeSnapshot(
        version, state.span.bytes, checksum, sequence: sequence, pack: pack, to: &space)
    }
  }

  func dropSnapshots() throws(EventLogError) {
    try empty(databases.snapshots, to: "drop snapshots")
  }
}

extension EventLog {
  /// Stores snapshots in one transaction. One that is there for the same record is replaced.
  ///
  /// - Throws: `EventLogError`, also for a record that the log does not have; nothing is then
  ///   stored.
  package func store(_ snapshots: some Collection<SnapshotDraft>) throws(EventLogError) {
    guard access == .readWrite else { throw .readOnly(path: path) }
    try environment.write { (transaction) throws(EventLogError) in
      for snapshot in snapshots { try transaction.add(snapshot) }
    }
  }

  /// Throws all snapshots away, of whatever version. Their room in the file is used again.
  package func dropSnapshots() throws(EventLogError) {
    guard access == .readWrite else { throw .readOnly(path: path) }
    try environment.write { (transaction) throws(EventLogError) in
      try transaction.dropSnapshots()
    }
  }
}

extension ReadTransaction {
  /// Hands the newest snapshot of this version at or before a record to `body`, without a copy.
  ///
  /// The bytes are valid until `body` returns. Complexity: a look-up, a step for each newer
  /// snapshot of another version, and the checksum of the state.
  /// - Parameter unusable: Told of each snapshot of this version that was passed over, and why.
  /// - Returns: What `body` returns; nil where there is no such snapshot.
  /// - Throws: `EventLogError`, and what `body` throws.
  package func snapshot<R>(
    atOrBefore sequence: UInt64, version: SnapshotVersion,
    unusable: (UInt64, SnapshotDamage) -> Void = { _, _ in },
    _ body: (SnapshotHeader, RawSpan) throws -> R
  ) throws -> R? {
    var result: R?
    try scanBack(databases.snapshots, from: sequence) { key, value in
      // Before its checksum is made, which costs the most.
      let stored = LogFormat.readSnapshotHeader(value, sequence: 0)
      if let stored, stored.version != version { return true }
      switch check(key, value) {
      case .damaged(let sequence, let damage):
        unusable(sequence, damage)
        self.damage.note(.snapshots, sequence...sequence)
        return true
      case .sound(let header):
        result = try body(header, value.extracting(LogFormat.snapshotHeaderBytes...))
        return false
      }
    }
    return result
  }

  /// Whether there is a snapshot of a record, in whatever condition. Complexity: a look-up.
  package func hasSnapshot(of sequence: UInt64) throws -> Bool {
    var isThere = false
    try scanBack(databases.snapshots, from: sequence) { key, _ in
      isThere = try UInt64(storedKey: key) == sequence
      return false
    }
    return isThere
  }

  /// Hands every snapshot to `body`, in order, of whatever version and in whatever condition. The
  /// bytes are those of the state, none where the snapshot is too short to have one.
  package func forEachSnapshot(_ body: (SnapshotCheck, RawSpan) throws -> Void) throws {
    try scan(databases.snapshots) { key, value in
      let head = min(value.byteCount, LogFormat.snapshotHeaderBytes)
      try body(check(key, value), value.extracting(head...))
      return true
    }
  }

  /// Looks at a stored snapshot, whatever its version.
  private func check(_ key: RawSpan, _ value: RawSpan) -> SnapshotCheck {
    guard let sequence = try? UInt64(storedKey: key) else {
      return .damaged(sequence: 0, .unreadable)
    }
    guard let header = LogFormat.readSnapshotHeader(value, sequence: sequence) else {
      return .damaged(sequence: sequence, .unreadable)
    }
    guard let pack = try? digestOfPack(holding: sequence) else {
      return .damaged(sequence: sequence, .noRecord)
    }
    let stored = Checksum(stored: value, at: LogFormat.checkedBytes)
    let checksum = LogFormat.snapshotChecksum(
      of: value[0..<LogFormat.checkedBytes], sequence: sequence, pack: pack)
    guard stored == checksum else { return .damaged(sequence: sequence, .checksum) }
    guard header.checksum == Checksum(of: value.extracting(LogFormat.snapshotHeaderBytes...)) else {
      return .damaged(sequence: sequence, .state)
    }
    return .sound(header)
  }

  /// How many snapshots there are and what they take. Complexity: O(1).
  package var snapshotFigures: SnapshotFigures {
    get throws(EventLogError) {
      let figures = try figures(of: databases.snapshots)
      let pages = figures.ms_branch_pages + figures.ms_leaf_pages + figures.ms_overflow_pages
      return SnapshotFigures(
        count: figures.ms_entries, bytes: pages * Int(figures.ms_psize))
    }
  }
}
