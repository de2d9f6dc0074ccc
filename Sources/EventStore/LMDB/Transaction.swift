import CLMDB

/// LMDB's own handle of a transaction, which only this module can use.
package struct TransactionHandle {
  let raw: OpaquePointer
}

/// An LMDB transaction, either read-only or read-write.
///
/// It cannot be copied and lives only inside a synchronous closure. So it cannot cross an `await`
/// and continue on another thread, which LMDB forbids.
package protocol Transaction: ~Copyable {
  var handle: TransactionHandle { get }
}

/// The returned bytes are LMDB's own; see `bytes(of:)` for how long they are valid.
extension Transaction where Self: ~Copyable {
  /// The value of a key; nil if there is none.
  @_lifetime(borrow self)
  func get<Key>(_ database: Database<Key>, _ key: Key) throws(EventLogError) -> RawSpan? {
    let raw = handle.raw
    var value = MDB_val()
    let code = key.withValue { key in mdb_get(raw, database.handle, &key, &value) }
    if code == MDB_NOTFOUND { return nil }
    try check(code, "read")
    return bytes(of: value)
  }

  /// Visits the entries from a key on, or from the first one, in order, until `body` returns false.
  ///
  /// `body` may throw any error, because it often runs a caller's own code.
  func scan<Key>(
    _ database: Database<Key>, from start: Key? = nil,
    _ body: (_ key: RawSpan, _ value: RawSpan) throws -> Bool
  ) throws {
    let cursor = try Cursor(database, in: self)
    var next = if let start { try cursor.first(atOrAfter: start) } else { try cursor.first() }
    while let entry = next {
      guard try body(entry.key, entry.value) else { return }
      next = try cursor.next()
    }
  }

  /// Visits the entries backward from the last one at or before a key, until `body` returns false.
  func scanBack<Key>(
    _ database: Database<Key>, from start: Key,
    _ body: (_ key: RawSpan, _ value: RawSpan) throws -> Bool
  ) throws {
    let cursor = try Cursor(database, in: self)
    var next = try cursor.last(atOrBefore: start)
    while let entry = next {
      guard try body(entry.key, entry.value) else { return }
      next = try cursor.previous()
    }
  }

  /// The number of entries in a database.
  func count(_ database: Database<some StoredKey>) throws(EventLogError) -> Int {
    try figures(of: database).ms_entries
  }

  /// LMDB's statistics of a database.
  func figures(of database: Database<some StoredKey>) throws(EventLogError) -> MDB_stat {
    var figures = MDB_stat()
    try check(mdb_stat(handle.raw, database.handle, &figures), "read")
    return figures
  }
}

func check(_ code: Int32, _ doing: String) throws(EventLogError) {
  guard code == MDB_SUCCESS else { throw .lmdb(doing: doing, code: code) }
}
