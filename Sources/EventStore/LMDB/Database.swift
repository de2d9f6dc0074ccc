import CLMDB
import RawBytes

/// A key whose stored bytes sort in the order of the keys; LMDB allows 1 to 511 bytes.
protocol StoredKey {
  /// Runs `body` with the stored bytes, which are valid until `body` returns.
  func withStoredBytes<R, E: Error>(
    _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R
}

/// A named database with unique keys of one type, valid while its environment is open.
struct Database<Key: StoredKey>: Sendable {
  let handle: MDB_dbi
}

/// A record's number, the key of everything that is stored once per record.
extension UInt64: StoredKey {
  func withStoredBytes<R, E: Error>(
    _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R {
    let bigEndian = bigEndian
    // A local copy, so the pointer stays valid while `body` runs.
    return try withUnsafeBytes(of: bigEndian) { (bytes) throws(E) in try body(bytes.bytes) }
  }

  /// Decodes a stored key.
  init(storedKey key: RawSpan) throws(EventLogError) {
    guard key.byteCount == 8 else {
      throw .corrupt(what: "a key of \(key.byteCount) bytes")
    }
    self = key.bigEndian(at: 0)
  }
}
