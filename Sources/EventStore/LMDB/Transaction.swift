import CLMDB

/// LMDB's own handle of a transaction, of no use outside this module.
package struct TransactionHandle {
  let raw: OpaquePointer
}

/// A transaction of LMDB, whether it reads only or writes as well.
///
/// It is not copied and lives only inside a synchronous closure, so it cannot cross an `await` and
/// go on in another thread, which LMDB forbids.
package protocol Transaction: ~Copyable {
  var handle: TransactionHandle { get }
}

/// The bytes that are handed to a closure are LMDB's own: they are valid until the closure ends.
extension Transaction where Self: ~Copyable {
  /// What `body` makes of the value of a key; nil where there is none.
  func get<Key, R>(
    _ database: Database<Key>, _ key: Key,
    _ body: (UnsafeRawBufferPointer) throws(EventLogError) -> R
  ) throws(EventLogError) -> R? {
    let raw = handle.raw
    return try key.withStoredBytes { (bytes) throws(EventLogError) -> R? in
      var key = MDB_val(bytes)
      var value = MDB_val()
      let code = mdb_get(raw, database.handle, &key, &value)
      if code == MDB_NOTFOUND { return nil }
      try check(code, "read")
      return try body(value.bytes)
    }
  }

  /// Goes through the entries from a key on, or from the first one, in order, for as long as
  /// `body` says so.
  ///
  /// `body` may throw anything: it is often a caller's own.
  func scan<Key>(
    _ database: Database<Key>, from start: Key? = nil,
    _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    let cursor = try Cursor(database, in: self)
    var entry = if let start { try cursor.first(atOrAfter: start) } else { try cursor.first() }
    while let (key, value) = entry {
      guard try body(key, value) else { return }
      entry = try cursor.next()
    }
  }

  /// Goes back through the entries from the last one at or before a key, for as long as `body` says
  /// so.
  func scanBack<Key>(
    _ database: Database<Key>, from start: Key,
    _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    let cursor = try Cursor(database, in: self)
    var entry = try cursor.last(atOrBefore: start)
    while let (key, value) = entry {
      guard try body(key, value) else { return }
      entry = try cursor.previous()
    }
  }

  /// How many entries a database has.
  func count(_ database: Database<some StoredKey>) throws(EventLogError) -> Int {
    try figures(of: database).ms_entries
  }

  /// LMDB's figures of a database.
  func figures(of database: Database<some StoredKey>) throws(EventLogError) -> MDB_stat {
    var figures = MDB_stat()
    try check(mdb_stat(handle.raw, database.handle, &figures), "read")
    return figures
  }
}

func check(_ code: Int32, _ doing: String) throws(EventLogError) {
  guard code == MDB_SUCCESS else { throw .lmdb(doing: doing, code: code) }
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
