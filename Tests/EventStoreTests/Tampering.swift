import CLMDB
@testable import EventStore
import Testing

/// Changes a closed log in ways that the library never would.
struct Tampering {
  private let path: String

  init(_ path: String) {
    self.path = path
  }

  func put(_ database: String, _ key: [UInt8], _ value: [UInt8]) {
    change(database) { transaction, handle in
      Self.withValue(key) { key in
        Self.withValue(value) { mdb_put(transaction, handle, key, $0, 0) }
      }
    }
  }

  func delete(_ database: String, _ key: [UInt8]) {
    change(database) { transaction, handle in
      Self.withValue(key) { mdb_del(transaction, handle, $0, nil) }
    }
  }

  /// The stored value of a key.
  func value(_ database: String, _ key: [UInt8]) throws -> [UInt8] {
    var found: [UInt8]?
    change(database) { transaction, handle in
      Self.withValue(key) { key in
        var value = MDB_val()
        let code = mdb_get(transaction, handle, key, &value)
        if code == 0 {
          found = Array(UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
        }
        return code
      }
    }
    return try #require(found)
  }

  /// Removes a whole database.
  func drop(_ database: String) {
    change(database) { transaction, handle in mdb_drop(transaction, handle, 1) }
  }

  /// Replaces a database with an empty one.
  func replace(_ database: String, flags: Int32) {
    drop(database)
    change(database, flags: UInt32(MDB_CREATE | flags)) { _, _ in 0 }
  }

  private func change(
    _ name: String, flags: UInt32 = 0, _ body: (OpaquePointer?, MDB_dbi) -> Int32
  ) {
    var environment: OpaquePointer?
    var transaction: OpaquePointer?
    var handle: MDB_dbi = 0
    #expect(mdb_env_create(&environment) == 0)
    #expect(mdb_env_set_maxdbs(environment, 8) == 0)
    #expect(mdb_env_open(environment, path, UInt32(MDB_NOSUBDIR), 0o600) == 0)
    #expect(mdb_txn_begin(environment, nil, 0, &transaction) == 0)
    #expect(mdb_dbi_open(transaction, name, flags, &handle) == 0)
    #expect(body(transaction, handle) == 0)
    noteNumber(transaction)
    #expect(mdb_txn_commit(transaction) == 0)
    mdb_env_close(environment)
  }

  /// Notes the transaction's number, without which the log would be refused.
  private func noteNumber(_ transaction: OpaquePointer?) {
    var meta: MDB_dbi = 0
    guard mdb_dbi_open(transaction, "meta", 0, &meta) == 0 else { return }
    let key = MetaEntry<UInt64>.transaction.key
    let number = UInt64(mdb_txn_id(transaction)).stored
    for (key, value) in [
      (key, number), (key.ofChecksum, key.checksum(of: number.span.bytes).bytes),
    ] {
      _ = Self.withValue(key.bytes) { key in
        Self.withValue(value) { mdb_put(transaction, meta, key, $0, 0) }
      }
    }
  }

  private static func withValue(
    _ bytes: [UInt8], _ body: (UnsafeMutablePointer<MDB_val>) -> Int32
  ) -> Int32 {
    var bytes = bytes
    return bytes.withUnsafeMutableBytes { buffer in
      var value = MDB_val(mv_size: buffer.count, mv_data: buffer.baseAddress)
      return body(&value)
    }
  }
}
