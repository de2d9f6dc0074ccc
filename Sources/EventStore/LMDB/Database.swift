import CLMDB

/// A key as a database stores it: bytes whose order is the order of the keys, 1 to 511 by LMDB's
/// limit.
protocol StoredKey {
  /// Runs `body` with the stored bytes, which are valid until it returns.
  func withStoredBytes<R, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
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
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    let bigEndian = bigEndian
    return try withUnsafeBytes(of: bigEndian, body)
  }

  /// The number that a stored key holds.
  init(storedKey key: UnsafeRawBufferPointer) throws(EventLogError) {
    guard key.count == 8 else {
      throw .corrupt(sequence: 0, what: "a key of \(key.count) bytes")
    }
    self = key.loadBigEndian(at: 0, as: UInt64.self)
  }
}

extension [UInt8] {
  /// `withUnsafeBytes` with the error's type.
  func withRawBytes<R, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try withUnsafeBufferPointer { (buffer) throws(E) in try body(UnsafeRawBufferPointer(buffer)) }
  }

  // The two that follow are in `XMPPStanza` too, which the log knows nothing of.

  /// Appends what `fill` writes into the space that it is given, and of which it says how much it
  /// has written.
  @inline(__always)
  mutating func append(atMost count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) {
    append(addingCapacity: count) { output in
      output.withUnsafeMutableBufferPointer { $1 += fill(UnsafeMutableRawBufferPointer($0)) }
    }
  }

  /// Appends bytes that stand elsewhere. `append(contentsOf:)` takes them for any sequence, and
  /// costs several times as much where they are few.
  @inline(__always)
  mutating func append(bytes: UnsafeRawBufferPointer) {
    append(atMost: bytes.count) { space in
      space.copyMemory(from: bytes)
      return bytes.count
    }
  }
}
