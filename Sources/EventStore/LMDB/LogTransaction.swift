import CLMDB
import RawBytes

/// The databases of a log, valid while its environment is open.
package struct Databases: Sendable {
  let meta: Database<MetaKey>
  let records: Database<UInt64>
  let events: Database<UInt64>
  let index: Database<UInt64>
  let snapshots: Database<UInt64>

  /// How many an environment has room for.
  static let most: MDB_dbi = 16

  /// Opens all but `meta`, which not every LMDB file has.
  init(
    meta: Database<MetaKey>, opening open: (String) throws(EventLogError) -> MDB_dbi
  ) throws(EventLogError) {
    self.meta = meta
    snapshots = Database(handle: try open("snapshots"))
    records = Database(handle: try open("records"))
    events = Database(handle: try open("events"))
    index = Database(handle: try open("index"))
  }
}

/// A transaction of a log: what can be read is the same whether it also writes.
package protocol LogTransaction: Transaction, ~Copyable {
  var databases: Databases { get }
}

/// A look at one state of a log, which stays as it is whatever is written meanwhile.
///
/// It lives only inside the closure of `EventLog.read`. Keep that short: while a reader stands,
/// pages that writers free cannot be used again, and the file grows.
package struct ReadTransaction: ~Copyable, LogTransaction {
  package let handle: TransactionHandle
  package let databases: Databases
  /// Where what is found damaged of the derived parts is noted.
  let damage: DerivedDamage

  init(_ raw: OpaquePointer, _ databases: Databases, _ damage: DerivedDamage) {
    handle = TransactionHandle(raw: raw)
    self.databases = databases
    self.damage = damage
  }

  deinit { mdb_txn_abort(handle.raw) }

  /// The write transaction whose outcome is seen here.
  var number: UInt64 { UInt64(mdb_txn_id(handle.raw)) }
}

/// The one write transaction of a log, in whatever process: aborted unless it is committed.
package struct WriteTransaction: ~Copyable, LogTransaction {
  package let handle: TransactionHandle
  package let databases: Databases
  let changes = Changes()

  /// What became of a transaction.
  final class Changes {
    /// Whether it has written nothing.
    fileprivate(set) var isEmpty = true
    /// Whether LMDB has taken it away.
    fileprivate var isOver = false
  }

  init(_ raw: OpaquePointer, _ databases: Databases) {
    handle = TransactionHandle(raw: raw)
    self.databases = databases
  }

  deinit { if !changes.isOver { mdb_txn_abort(handle.raw) } }

  /// Whoever writes says so first.
  func willWrite() {
    changes.isEmpty = false
  }

  /// Counts up by one with each commit, of whatever process.
  var id: Int { mdb_txn_id(handle.raw) }

  /// Makes everything durable, in a draft when that is published. The transaction is over, also
  /// where this fails.
  consuming func commit(to doing: String = "commit") throws(EventLogError) {
    changes.isOver = true
    try check(mdb_txn_commit(handle.raw), doing)
  }

  func put<Key>(
    _ database: Database<Key>, _ key: Key, _ value: [UInt8]
  ) throws(EventLogError) {
    try put(database, key, byteCount: value.count) { $0.write(value.span.bytes, at: 0) }
  }

  /// Stores a value, whatever was there, and lets `fill` write it in place.
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

  /// Takes an entry away, if it is there.
  func delete<Key>(_ database: Database<Key>, _ key: Key) throws(EventLogError) {
    let raw = handle.raw
    willWrite()
    try key.withValue { (key) throws(EventLogError) in
      let code = mdb_del(raw, database.handle, &key, nil)
      if code != MDB_NOTFOUND { try check(code, "delete") }
    }
  }

  /// Takes all entries of a database away.
  func empty(
    _ database: Database<some StoredKey>, to doing: String
  ) throws(EventLogError) {
    willWrite()
    try check(mdb_drop(handle.raw, database.handle, 0), doing)
  }
}
