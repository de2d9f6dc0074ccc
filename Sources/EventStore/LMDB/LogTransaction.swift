import CLMDB
import RawBytes

/// The databases of a log, valid while its environment is open.
package struct Databases: Sendable {
  let meta: Database<MetaKey>
  let records: Database<UInt64>
  let events: Database<UInt64>
  let index: Database<UInt64>
  let snapshots: Database<UInt64>
  /// The databases of the log's owner, by name; empty in an ordinary log.
  let further: [String: Database<FurtherKey>]

  /// The number of databases that an environment has room for.
  static let capacity: MDB_dbi = 16

  /// Opens all databases but `meta`, which not every LMDB file has.
  init(
    meta: Database<MetaKey>, further names: [String],
    opening open: (String) throws(EventLogError) -> MDB_dbi
  ) throws(EventLogError) {
    self.meta = meta
    var further: [String: Database<FurtherKey>] = [:]
    for name in names { further[name] = Database(handle: try open(name)) }
    self.further = further
    snapshots = Database(handle: try open("snapshots"))
    records = Database(handle: try open("records"))
    events = Database(handle: try open("events"))
    index = Database(handle: try open("index"))
  }
}

/// A transaction of a log, for everything that both readers and writers can read.
package protocol LogTransaction: Transaction, ~Copyable {
  var databases: Databases { get }
}

/// A view of one state of a log, unaffected by concurrent writes.
///
/// It lives only inside the closure of `EventLog.read`. Keep that closure short: while a reader is
/// open, the pages that writers free cannot be reused, and the file grows.
package struct ReadTransaction: ~Copyable, LogTransaction {
  package let handle: TransactionHandle
  package let databases: Databases
  /// Collects damage to the derived parts.
  let damage: DerivedDamage

  init(_ raw: OpaquePointer, _ databases: Databases, _ damage: DerivedDamage) {
    handle = TransactionHandle(raw: raw)
    self.databases = databases
    self.damage = damage
  }

  deinit { mdb_txn_abort(handle.raw) }

  /// The number of the write transaction that produced this state.
  package var number: UInt64 { UInt64(mdb_txn_id(handle.raw)) }
}

/// The only write transaction of a log among all processes; aborted unless it is committed.
package struct WriteTransaction: ~Copyable, LogTransaction {
  package let handle: TransactionHandle
  package let databases: Databases
  let changes = Changes()

  /// Whether a transaction has written, and whether it has ended.
  final class Changes {
    /// Whether the transaction has written nothing.
    fileprivate(set) var isEmpty = true
    /// Whether the transaction has been committed, so that LMDB has freed it.
    fileprivate var isOver = false
  }

  init(_ raw: OpaquePointer, _ databases: Databases) {
    handle = TransactionHandle(raw: raw)
    self.databases = databases
  }

  deinit { if !changes.isOver { mdb_txn_abort(handle.raw) } }

  /// Notes that the transaction writes; every write calls it first.
  func willWrite() {
    changes.isEmpty = false
  }

  /// The transaction's number, which grows by one with each commit of any process.
  var id: Int { mdb_txn_id(handle.raw) }

  /// Commits durably; a draft becomes durable when it is published.
  ///
  /// The transaction is over even if this fails.
  consuming func commit(to doing: String = "commit") throws(EventLogError) {
    changes.isOver = true
    try check(mdb_txn_commit(handle.raw), doing)
  }

  func put<Key>(
    _ database: Database<Key>, _ key: Key, _ value: [UInt8]
  ) throws(EventLogError) {
    try put(database, key, byteCount: value.count) { $0.write(value.span.bytes, at: 0) }
  }

  /// Stores or replaces a value, which `fill` writes in place.
  func put<Key>(
    _ database: Database<Key>, _ key: Key, byteCount: Int,
    _ fill: (inout MutableRawSpan) -> Void
  ) throws(EventLogError) {
    let raw = handle.raw
    willWrite()
    try key.withValue { (key) throws(EventLogError) in
      var value = MDB_val(mv_size: byteCount, mv_data: nil)
      try check(mdb_put(raw, database.handle, &key, &value, UInt32(MDB_RESERVE)), "write")
      value.write(fill)
    }
  }

  /// Deletes an entry, if it exists.
  func delete<Key>(_ database: Database<Key>, _ key: Key) throws(EventLogError) {
    let raw = handle.raw
    willWrite()
    try key.withValue { (key) throws(EventLogError) in
      let code = mdb_del(raw, database.handle, &key, nil)
      if code != MDB_NOTFOUND { try check(code, "delete") }
    }
  }

  /// Deletes all entries of a database.
  func empty(
    _ database: Database<some StoredKey>, to doing: String
  ) throws(EventLogError) {
    willWrite()
    try check(mdb_drop(handle.raw, database.handle, 0), doing)
  }
}
