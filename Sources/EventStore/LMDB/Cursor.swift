import CLMDB
import RawBytes

/// A read cursor over the entries of a database.
///
/// Neither the cursor nor the entries that it finds outlive its transaction.
struct Cursor<Key: StoredKey>: ~Copyable, ~Escapable {
  /// An entry in LMDB's own memory; see `Transaction.bytes(of:)` for how long it is valid.
  struct Entry: ~Escapable {
    let key: RawSpan
    let value: RawSpan

    @_lifetime(copy key, copy value)
    fileprivate init(_ key: RawSpan, _ value: RawSpan) {
      self.key = key
      self.value = value
    }
  }

  private let raw: OpaquePointer

  @_lifetime(borrow transaction)
  init(
    _ database: Database<Key>, in transaction: borrowing some Transaction & ~Copyable
  ) throws(EventLogError) {
    raw = try openCursor(transaction.handle.raw, database.handle, to: "read")
  }

  deinit { mdb_cursor_close(raw) }

  @_lifetime(copy self)
  func first() throws(EventLogError) -> Entry? { try entry(move(MDB_FIRST)) }

  @_lifetime(copy self)
  func last() throws(EventLogError) -> Entry? { try entry(move(MDB_LAST)) }

  @_lifetime(copy self)
  func next() throws(EventLogError) -> Entry? { try entry(move(MDB_NEXT)) }

  @_lifetime(copy self)
  func previous() throws(EventLogError) -> Entry? { try entry(move(MDB_PREV)) }

  @_lifetime(copy self)
  func first(atOrAfter key: Key) throws(EventLogError) -> Entry? {
    entry(
      try key.withValue { (start) throws(EventLogError) in try move(MDB_SET_RANGE, from: start) })
  }

  @_lifetime(copy self)
  func last(atOrBefore key: Key) throws(EventLogError) -> Entry? {
    guard let entry = try first(atOrAfter: key) else { return try last() }
    return key.withStoredBytes { $0.isSame(as: entry.key) } ? entry : try previous()
  }

  private func move(
    _ operation: MDB_cursor_op, from start: MDB_val = MDB_val()
  ) throws(EventLogError) -> (key: MDB_val, value: MDB_val)? {
    var key = start
    var value = MDB_val()
    let code = mdb_cursor_get(raw, &key, &value, operation)
    if code == MDB_NOTFOUND { return nil }
    try check(code, "read")
    return (key, value)
  }

  @_lifetime(copy self)
  private func entry(_ found: (key: MDB_val, value: MDB_val)?) -> Entry? {
    guard let (key, value) = found else { return nil }
    return Entry(bytes(of: key), bytes(of: value))
  }
}

/// A write cursor over the entries of a database.
///
/// An entry that follows the previous one is written without a search from the root. The cursor
/// must be released before its transaction ends.
struct WriteCursor<Key: StoredKey>: ~Copyable {
  private let raw: OpaquePointer

  init(
    _ database: Database<Key>, in transaction: borrowing WriteTransaction
  ) throws(EventLogError) {
    raw = try openCursor(transaction.handle.raw, database.handle, to: "write")
    transaction.willWrite()
  }

  deinit { mdb_cursor_close(raw) }

  /// Stores an entry that has a key and an empty value.
  func put(_ key: Key) throws(EventLogError) {
    try key.withValue { (key) throws(EventLogError) in
      var value = MDB_val()
      try check(mdb_cursor_put(raw, &key, &value, 0), "write")
    }
  }
}

extension WriteCursor<UInt64> {
  /// Appends a value, which `fill` writes in place, without a copy.
  func append(
    sequence: UInt64, byteCount: Int, _ fill: (inout MutableRawSpan) -> Void
  ) throws(EventLogError) {
    try sequence.withValue { (key) throws(EventLogError) in
      var value = MDB_val(mv_size: byteCount, mv_data: nil)
      let code = mdb_cursor_put(raw, &key, &value, UInt32(MDB_APPEND | MDB_RESERVE))
      if code == MDB_KEYEXIST {
        throw .corrupt(sequence: sequence, what: "something is stored under it or after it")
      }
      try check(code, "write")
      value.write(fill)
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
