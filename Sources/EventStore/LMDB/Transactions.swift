import CLMDB

/// The handles of a log's databases, valid while its environment is open.
struct Databases {
  let meta: MDB_dbi
  let records: MDB_dbi
  let events: MDB_dbi
  let contacts: MDB_dbi
  let index: MDB_dbi
  /// Nil where a log of a program that knew no snapshots is read and not written.
  let snapshots: MDB_dbi?

  /// How many an environment has room for.
  static let most: MDB_dbi = 16

  /// Opens all but `meta` and `snapshots`, which not every LMDB file and not every log has.
  init(
    meta: MDB_dbi, snapshots: MDB_dbi?, opening open: (String) throws(EventLogError) -> MDB_dbi
  ) throws(EventLogError) {
    self.meta = meta
    self.snapshots = snapshots
    records = try open("records")
    events = try open("events")
    contacts = try open("contacts")
    index = try open("index")
  }
}

/// A look at one state of a log, which stays as it is whatever is written meanwhile.
///
/// It lives only inside the closure of `EventLog.read`. Keep that short: while a reader stands,
/// pages that writers free cannot be used again, and the file grows.
package struct ReadTransaction: ~Copyable {
  let raw: OpaquePointer
  let databases: Databases

  init(raw: OpaquePointer, databases: Databases) {
    self.raw = raw
    self.databases = databases
  }

  deinit { mdb_txn_abort(raw) }

  /// The write transaction whose outcome is seen here.
  var number: UInt64 { UInt64(mdb_txn_id(raw)) }
}

/// The one write transaction of a log: aborted unless it is committed.
struct WriteTransaction: ~Copyable {
  let raw: OpaquePointer
  let databases: Databases

  init(raw: OpaquePointer, databases: Databases) {
    self.raw = raw
    self.databases = databases
  }

  deinit { mdb_txn_abort(raw) }

  /// Counts up by one with each commit, of whatever process.
  var id: Int { mdb_txn_id(raw) }

  /// Makes everything durable. The transaction is over, also where this fails.
  consuming func commit() throws(EventLogError) {
    let raw = raw
    discard self
    try check(mdb_txn_commit(raw), "commit")
  }
}

func check(_ code: Int32, _ doing: String) throws(EventLogError) {
  guard code == MDB_SUCCESS else { throw .lmdb(doing: doing, code: code) }
}

/// What both transactions can do, over the raw handle. The bytes handed to a closure are LMDB's
/// own: they are valid until the closure ends.
enum Store {
  static func get<R>(
    _ transaction: OpaquePointer, _ database: MDB_dbi, _ key: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) throws(EventLogError) -> R
  ) throws(EventLogError) -> R? {
    var key = MDB_val(key)
    var value = MDB_val()
    let code = mdb_get(transaction, database, &key, &value)
    if code == MDB_NOTFOUND { return nil }
    try check(code, "read")
    return try body(value.bytes)
  }

  static func get<R>(
    _ transaction: OpaquePointer, _ database: MDB_dbi, sequence: UInt64,
    _ body: (UnsafeRawBufferPointer) throws(EventLogError) -> R
  ) throws(EventLogError) -> R? {
    try withKey(sequence) { (key) throws(EventLogError) in
      try get(transaction, database, key, body)
    }
  }

  static func put(
    _ transaction: OpaquePointer, _ database: MDB_dbi, _ key: UnsafeRawBufferPointer,
    _ value: UnsafeRawBufferPointer
  ) throws(EventLogError) {
    var key = MDB_val(key)
    var value = MDB_val(value)
    try check(mdb_put(transaction, database, &key, &value, 0), "write")
  }

  /// Stores a value under a record's number, whatever was there, and lets `fill` write it in
  /// place.
  static func put(
    _ transaction: OpaquePointer, _ database: MDB_dbi, sequence: UInt64, byteCount: Int,
    _ fill: (UnsafeMutableRawBufferPointer) -> Void
  ) throws(EventLogError) {
    try withKey(sequence) { (bytes) throws(EventLogError) in
      var key = MDB_val(bytes)
      var value = MDB_val(mv_size: byteCount, mv_data: nil)
      try check(mdb_put(transaction, database, &key, &value, UInt32(MDB_RESERVE)), "write")
      fill(UnsafeMutableRawBufferPointer(start: value.mv_data, count: value.mv_size))
    }
  }

  static func delete(
    _ transaction: OpaquePointer, _ database: MDB_dbi, _ key: UnsafeRawBufferPointer
  ) throws(EventLogError) {
    var key = MDB_val(key)
    let code = mdb_del(transaction, database, &key, nil)
    if code != MDB_NOTFOUND { try check(code, "delete") }
  }

  /// Goes through the entries from a key on, in order, for as long as `body` says so.
  ///
  /// `body` may throw anything: it is often a caller's own.
  static func scan(
    _ transaction: OpaquePointer, _ database: MDB_dbi, from start: UnsafeRawBufferPointer,
    _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    var opened: OpaquePointer?
    try check(mdb_cursor_open(transaction, database, &opened), "read")
    guard let cursor = opened else { throw EventLogError.lmdb(doing: "read", code: MDB_PANIC) }
    defer { mdb_cursor_close(cursor) }
    var key = MDB_val(start)
    var value = MDB_val()
    var code = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE)
    while code == MDB_SUCCESS {
      guard try body(key.bytes, value.bytes) else { return }
      code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
    }
    if code != MDB_NOTFOUND { try check(code, "read") }
  }

  /// Goes back through the entries from the last one at or before a record's number, for as long
  /// as `body` says so.
  static func scanBack(
    _ transaction: OpaquePointer, _ database: MDB_dbi, from sequence: UInt64,
    _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    var opened: OpaquePointer?
    try check(mdb_cursor_open(transaction, database, &opened), "read")
    guard let cursor = opened else { throw EventLogError.lmdb(doing: "read", code: MDB_PANIC) }
    defer { mdb_cursor_close(cursor) }
    try withUnsafeBytes(of: sequence.bigEndian) { start in
      var key = MDB_val(start)
      var value = MDB_val()
      var code = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE)
      if code == MDB_NOTFOUND {
        code = mdb_cursor_get(cursor, &key, &value, MDB_LAST)
      } else if code == MDB_SUCCESS, !key.bytes.elementsEqual(start) {
        code = mdb_cursor_get(cursor, &key, &value, MDB_PREV)
      }
      while code == MDB_SUCCESS {
        guard try body(key.bytes, value.bytes) else { return }
        code = mdb_cursor_get(cursor, &key, &value, MDB_PREV)
      }
      if code != MDB_NOTFOUND { try check(code, "read") }
    }
  }

  /// The number of the last record and how many there are.
  static func lastSequence(
    _ transaction: OpaquePointer, _ records: MDB_dbi
  ) throws(EventLogError) -> UInt64 {
    var opened: OpaquePointer?
    try check(mdb_cursor_open(transaction, records, &opened), "read")
    guard let cursor = opened else { throw .lmdb(doing: "read", code: MDB_PANIC) }
    defer { mdb_cursor_close(cursor) }
    var key = MDB_val()
    var value = MDB_val()
    let code = mdb_cursor_get(cursor, &key, &value, MDB_LAST)
    if code == MDB_NOTFOUND { return 0 }
    try check(code, "read")
    guard key.mv_size == 8 else {
      throw .corrupt(sequence: 0, what: "a key of \(key.mv_size) bytes")
    }
    let last = key.bytes.loadBigEndian(at: 0, as: UInt64.self)
    let count = try count(transaction, records)
    guard last == UInt64(count) else {
      throw .corrupt(sequence: last, what: "it is the last of \(count) records: there is a gap")
    }
    return last
  }

  static func count(
    _ transaction: OpaquePointer, _ database: MDB_dbi
  ) throws(EventLogError) -> Int {
    var figures = MDB_stat()
    try check(mdb_stat(transaction, database, &figures), "read")
    return figures.ms_entries
  }

  static func withKey<R>(
    _ sequence: UInt64, _ body: (UnsafeRawBufferPointer) throws(EventLogError) -> R
  ) throws(EventLogError) -> R {
    let bigEndian = sequence.bigEndian
    return try withUnsafeBytes(of: bigEndian, body)
  }
}

extension MDB_val {
  /// LMDB only reads what it is given here: the pointer is mutable because C has one struct for
  /// both ways.
  init(_ bytes: UnsafeRawBufferPointer) {
    self.init(
      mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
  }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: mv_data, count: mv_size) }
}

extension [UInt8] {
  /// `withUnsafeBytes` with the error's type.
  func withRawBytes<R, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try withUnsafeBufferPointer { (buffer) throws(E) in try body(UnsafeRawBufferPointer(buffer)) }
  }
}
