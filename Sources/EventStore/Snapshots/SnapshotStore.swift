import CLMDB

/// States after some of the records, so that the others can be had without reducing everything
/// from the first record on (`LogFormat` has the layout).
///
/// They are derived: they can be dropped at any time, and they are no part of the chain of digests.
enum SnapshotStore {
  static func add(
    _ draft: borrowing SnapshotDraft, in transaction: borrowing WriteTransaction
  ) throws(EventLogError) {
    let (raw, records) = (transaction.raw, transaction.databases.records)
    let (sequence, version) = (draft.sequence, draft.version)
    let count = draft.state.count
    guard count <= LogFormat.stateLimit else {
      throw .stateTooLong(bytes: count, limit: LogFormat.stateLimit)
    }
    guard let digest = try recordDigest(raw, records, of: sequence) else {
      throw .noRecordOfSnapshot(
        sequence: sequence, last: try Store.lastSequence(raw, records))
    }
    try draft.state.withRawBytes { (state) throws(EventLogError) in
      try Store.put(
        raw, try database(transaction.databases), sequence: sequence,
        byteCount: LogFormat.snapshotHeaderBytes + count
      ) { space in
        LogFormat.writeSnapshot(version, state, sequence: sequence, record: digest, to: space)
      }
    }
  }

  static func drop(in transaction: borrowing WriteTransaction) throws(EventLogError) {
    try check(mdb_drop(transaction.raw, try database(transaction.databases), 0), "drop snapshots")
  }

  /// A log that is open for writing has the database.
  private static func database(_ databases: Databases) throws(EventLogError) -> MDB_dbi {
    guard let snapshots = databases.snapshots else {
      throw .lmdb(doing: "write a snapshot", code: MDB_BAD_DBI)
    }
    return snapshots
  }

  private static func recordDigest(
    _ raw: OpaquePointer, _ records: MDB_dbi, of sequence: UInt64
  ) throws(EventLogError) -> RecordDigest? {
    try Store.get(raw, records, sequence: sequence) { (value) throws(EventLogError) in
      try LogFormat.readHeader(value, sequence: sequence).digest
    }
  }

  /// Looks at a snapshot, whatever its version.
  static func look(
    at key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ raw: OpaquePointer,
    _ records: MDB_dbi
  ) -> SnapshotCheck {
    guard let sequence = try? Store.sequence(key) else {
      return .flawed(sequence: 0, .unreadable)
    }
    guard let header = LogFormat.readSnapshotHeader(value, sequence: sequence) else {
      return .flawed(sequence: sequence, .unreadable)
    }
    guard let record = try? recordDigest(raw, records, of: sequence) else {
      return .flawed(sequence: sequence, .noRecord)
    }
    let sealed = UnsafeRawBufferPointer(rebasing: value[..<LogFormat.sealedBytes])
    let seal = StateDigest(
      stored: UnsafeRawBufferPointer(rebasing: value[LogFormat.sealedBytes...]))
    guard seal == StateDigest(sealing: sealed, sequence: sequence, record: record) else {
      return .flawed(sequence: sequence, .seal)
    }
    let state = UnsafeRawBufferPointer(rebasing: value[LogFormat.snapshotHeaderBytes...])
    guard header.digest == StateDigest(of: state) else {
      return .flawed(sequence: sequence, .state)
    }
    return .sound(header)
  }
}

extension EventLog {
  /// Stores snapshots in one transaction. One that is there for the same record is replaced.
  ///
  /// - Throws: `EventLogError`, also for a record that the log does not have; nothing is then
  ///   stored.
  package func store(_ snapshots: some Collection<SnapshotDraft>) throws(EventLogError) {
    guard access == .readWrite else { throw .readOnly(path: path) }
    try environment.write { (transaction, _) throws(EventLogError) in
      for snapshot in snapshots { try SnapshotStore.add(snapshot, in: transaction) }
    }
  }

  /// Throws all snapshots away, of whatever version. Their room in the file is used again.
  package func dropSnapshots() throws(EventLogError) {
    guard access == .readWrite else { throw .readOnly(path: path) }
    try environment.write { (transaction, _) throws(EventLogError) in
      try SnapshotStore.drop(in: transaction)
    }
  }
}

extension ReadTransaction {
  /// Hands the newest snapshot of this version at or before a record to `body`, without a copy.
  ///
  /// The bytes are valid until `body` returns. Complexity: a look-up, a step for each newer
  /// snapshot of another version, and the digest of the state.
  /// - Parameter unusable: Told of each snapshot of this version that was passed over, and why.
  /// - Returns: What `body` returns; nil where there is no such snapshot.
  /// - Throws: `EventLogError`, and what `body` throws.
  package func snapshot<R>(
    atOrBefore sequence: UInt64, version: SnapshotVersion,
    unusable: (UInt64, SnapshotFlaw) -> Void = { _, _ in },
    _ body: (SnapshotHeader, RawSpan) throws -> R
  ) throws -> R? {
    guard let database = databases.snapshots else { return nil }
    var result: R?
    try Store.scanBack(raw, database, from: sequence) { key, value in
      // Before its digest is made, which costs the most.
      let stored = LogFormat.readSnapshotHeader(value, sequence: 0)
      if let stored, stored.version != version { return true }
      switch SnapshotStore.look(at: key, value, raw, databases.records) {
      case .flawed(let sequence, let flaw):
        unusable(sequence, flaw)
        return true
      case .sound(let header):
        result = try body(header, value.bytes.extracting(LogFormat.snapshotHeaderBytes...))
        return false
      }
    }
    return result
  }

  /// Hands every snapshot to `body`, in order, of whatever version and in whatever condition. The
  /// bytes are those of the state, none where the snapshot is too short to have one.
  package func forEachSnapshot(_ body: (SnapshotCheck, RawSpan) throws -> Void) throws {
    guard let database = databases.snapshots else { return }
    try Store.withStart(0) { start in
      try Store.scan(raw, database, from: start) { key, value in
        let head = min(value.count, LogFormat.snapshotHeaderBytes)
        try body(
          SnapshotStore.look(at: key, value, raw, databases.records),
          value.bytes.extracting(head...))
        return true
      }
    }
  }

  /// How many snapshots there are and what they take. Complexity: O(1).
  package var snapshotFigures: SnapshotFigures {
    get throws(EventLogError) {
      guard let database = databases.snapshots else { return SnapshotFigures(count: 0, bytes: 0) }
      var figures = MDB_stat()
      try check(mdb_stat(raw, database, &figures), "read")
      let pages = figures.ms_branch_pages + figures.ms_leaf_pages + figures.ms_overflow_pages
      return SnapshotFigures(
        count: figures.ms_entries, bytes: pages * Int(figures.ms_psize))
    }
  }
}
