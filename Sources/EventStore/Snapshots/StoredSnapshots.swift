import CLMDB
import RawBytes

// Snapshots are states after some of the records, so that a later state can be computed without
// reducing all records from the first one on. They are derived: they can be dropped at any time,
// and they are not part of the chain of digests.

extension WriteTransaction {
  /// Stores a snapshot, replacing one of the same record.
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
  /// Stores snapshots in one transaction, replacing those of the same records.
  ///
  /// - Throws: `EventLogError`, for example if the log does not have the record of a snapshot;
  ///   nothing is then stored.
  package func store(_ snapshots: some Collection<SnapshotDraft>) throws(EventLogError) {
    guard access == .readWrite else { throw .readOnly(path: path) }
    try environment.write { (transaction) throws(EventLogError) in
      for snapshot in snapshots { try transaction.add(snapshot) }
    }
  }

  /// Deletes all snapshots of all versions. Their pages in the file are reused.
  package func dropSnapshots() throws(EventLogError) {
    guard access == .readWrite else { throw .readOnly(path: path) }
    try environment.write { (transaction) throws(EventLogError) in
      try transaction.dropSnapshots()
    }
  }
}

extension ReadTransaction {
  /// Passes the newest usable snapshot of a version at or before a record to `body`.
  ///
  /// The bytes are not copied and are valid until `body` returns. Complexity: a look-up, a step for
  /// each newer snapshot of another version, and the checksum of the state.
  /// - Parameter unusable: Called for each damaged snapshot of this version that was skipped.
  /// - Returns: The result of `body`; nil if there is no such snapshot.
  /// - Throws: `EventLogError`, and any error of `body`.
  package func snapshot<R>(
    atOrBefore sequence: UInt64, version: SnapshotVersion,
    unusable: (UInt64, SnapshotDamage) -> Void = { _, _ in },
    _ body: (SnapshotHeader, RawSpan) throws -> R
  ) throws -> R? {
    var result: R?
    try scanBack(databases.snapshots, from: sequence) { key, value in
      // Compare the version first, because the checksum costs the most.
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

  /// Whether there is a snapshot of a record, damaged or not. Complexity: a look-up.
  package func hasSnapshot(of sequence: UInt64) throws -> Bool {
    var exists = false
    try scanBack(databases.snapshots, from: sequence) { key, _ in
      exists = try UInt64(storedKey: key) == sequence
      return false
    }
    return exists
  }

  /// Passes every snapshot of every version, damaged or not, to `body`, in order.
  ///
  /// The bytes are those of the state; they are empty if the snapshot is too short to have one.
  package func forEachSnapshot(_ body: (SnapshotCheck, RawSpan) throws -> Void) throws {
    try scan(databases.snapshots) { key, value in
      let head = min(value.byteCount, LogFormat.snapshotHeaderBytes)
      try body(check(key, value), value.extracting(head...))
      return true
    }
  }

  /// Checks a stored snapshot of any version.
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

  /// The number and size of the snapshots. Complexity: O(1).
  package var snapshotFigures: SnapshotFigures {
    get throws(EventLogError) {
      let figures = try figures(of: databases.snapshots)
      let pages = figures.ms_branch_pages + figures.ms_leaf_pages + figures.ms_overflow_pages
      return SnapshotFigures(
        count: figures.ms_entries, bytes: pages * Int(figures.ms_psize))
    }
  }
}
