import CLMDB

/// A cursor that adds values behind the last one of a database whose keys are record numbers.
///
/// It stays where it has added the last one: the next one's place is found without a search from
/// the root. It must go before its transaction ends.
struct AppendCursor: ~Copyable {
  private let raw: OpaquePointer

  init(
    _ transaction: borrowing WriteTransaction, _ database: MDB_dbi
  ) throws(EventLogError) {
    var opened: OpaquePointer?
    try check(mdb_cursor_open(transaction.raw, database, &opened), "write")
    guard let opened else { throw .lmdb(doing: "write", code: MDB_PANIC) }
    raw = opened
  }

  deinit { mdb_cursor_close(raw) }

  /// Adds a value and lets `fill` write it in place, without a copy.
  func append(
    sequence: UInt64, byteCount: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void
  ) throws(EventLogError) {
    try Store.withKey(sequence) { (bytes) throws(EventLogError) in
      var key = MDB_val(bytes)
      var value = MDB_val(mv_size: byteCount, mv_data: nil)
      let code = mdb_cursor_put(raw, &key, &value, UInt32(MDB_APPEND | MDB_RESERVE))
      if code == MDB_KEYEXIST {
        throw .corrupt(sequence: sequence, what: "something is stored under it or behind it")
      }
      try check(code, "write")
      fill(UnsafeMutableRawBufferPointer(start: value.mv_data, count: value.mv_size))
    }
  }
}

/// Where a transaction adds records and their events.
struct LogEnds: ~Copyable {
  let records: AppendCursor
  let events: AppendCursor

  init(of transaction: borrowing WriteTransaction) throws(EventLogError) {
    let records = try AppendCursor(transaction, transaction.databases.records)
    let events = try AppendCursor(transaction, transaction.databases.events)
    self.records = records
    self.events = events
  }
}
