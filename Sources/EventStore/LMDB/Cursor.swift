import CLMDB

/// A place among the entries of a database, for reading. It must go before its transaction ends.
struct Cursor<Key: StoredKey>: ~Copyable {
  /// LMDB's own bytes: they are valid until the transaction writes or ends.
  typealias Entry = (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)

  private let raw: OpaquePointer

  init(
    _ database: Database<Key>, in transaction: borrowing some Transaction & ~Copyable
  ) throws(EventLogError) {
    raw = try openCursor(transaction.handle.raw, database.handle, to: "read")
  }

  deinit { mdb_cursor_close(raw) }

  func first() throws(EventLogError) -> Entry? { try move(MDB_FIRST) }
  func last() throws(EventLogError) -> Entry? { try move(MDB_LAST) }
  func next() throws(EventLogError) -> Entry? { try move(MDB_NEXT) }
  func previous() throws(EventLogError) -> Entry? { try move(MDB_PREV) }

  func first(atOrAfter key: Key) throws(EventLogError) -> Entry? {
    try key.withStoredBytes { (start) throws(EventLogError) -> Entry? in
      try move(MDB_SET_RANGE, from: MDB_val(start))
    }
  }

  func last(atOrBefore key: Key) throws(EventLogError) -> Entry? {
    guard let entry = try first(atOrAfter: key) else { return try last() }
    return key.withStoredBytes { $0.elementsEqual(entry.key) } ? entry : try previous()
  }

  private func move(
    _ operation: MDB_cursor_op, from start: MDB_val = MDB_val()
  ) throws(EventLogError) -> Entry? {
    var key = start
    var value = MDB_val()
    let code = mdb_cursor_get(raw, &key, &value, operation)
    if code == MDB_NOTFOUND { return nil }
    try check(code, "read")
    return (key.bytes, value.bytes)
  }
}

/// A place among the entries of a database, for writing: the place of an entry that follows the one
/// before is found without a search from the root. It must go before its transaction ends.
struct WriteCursor<Key: StoredKey>: ~Copyable {
  private let raw: OpaquePointer

  init(
    _ database: Database<Key>, in transaction: borrowing WriteTransaction
  ) throws(EventLogError) {
    raw = try openCursor(transaction.handle.raw, database.handle, to: "write")
    transaction.willWrite()
  }

  deinit { mdb_cursor_close(raw) }

  /// Stores an entry whose key says everything.
  func put(_ key: Key) throws(EventLogError) {
    try key.withStoredBytes { (bytes) throws(EventLogError) in
      var key = MDB_val(bytes)
      var value = MDB_val()
      try check(mdb_cursor_put(raw, &key, &value, 0), "write")
    }
  }
}

extension WriteCursor<UInt64> {
  /// Adds a value after the last one and lets `fill` write it in place, without a copy.
  func append(
    sequence: UInt64, byteCount: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void
  ) throws(EventLogError) {
    try sequence.withStoredBytes { (bytes) throws(EventLogError) in
      var key = MDB_val(bytes)
      var value = MDB_val(mv_size: byteCount, mv_data: nil)
      let code = mdb_cursor_put(raw, &key, &value, UInt32(MDB_APPEND | MDB_RESERVE))
      if code == MDB_KEYEXIST {
        throw .corrupt(sequence: sequence, what: "something is stored under it or after it")
      }
      try check(code, "write")
      fill(UnsafeMutableRawBufferPointer(start: value.mv_data, count: value.mv_size))
    }
  }
}

private func openCursor(
  _ transaction: OpaquePointer, _ database: MDB_dbi, to doing: String
) throws(EventLogError) -> OpaquePointer {
  var opened: OpaquePointer?
  try check(mdb_cursor_open(transaction, database, &opened), doing)
  guard let opened else { throw .lmdb(doing: doing, code: MDB_PANIC) }
  return opened
}
