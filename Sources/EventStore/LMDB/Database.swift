import CLMDB
import RawBytes

/// A key as a database stores it: bytes whose order is the order of the keys, 1 to 511 by LMDB's
/// limit.
protocol StoredKey {
  /// Runs `body` with the stored bytes, which are valid until it returns.
  func withStoredBytes<R, E: Error>(
    _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R
}

/// One named database, whose keys are of one type and different from each other. It is valid while
/// its environment is open.
struct Database<Key: StoredKey>: Sendable {
  let handle: MDB_dbi
}

/// The number of a record is the key of all that is stored once for a record.
extension UInt64: StoredKey {
  func withStoredBytes<R, E: Error>(
    _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R {
    let bigEndian = bigEndian
    // They are those of a value of this function's own.
    return try withUnsafeBytes(of: bigEndian) { (bytes) throws(E) in try body(bytes.bytes) }
  }

  /// The number that a stored key holds.
  init(storedKey key: RawSpan) throws(EventLogError) {
    guard key.byteCount == 8 else {
      throw .corrupt(sequence: 0, what: "a key of \(key.byteCount) bytes")
    }
    self = key.bigEndian(at: 0)
  }
}
