import CLMDB

// Conversions between LMDB's pointers and spans.

extension StoredKey {
  /// Runs `body` with the key as an LMDB value.
  func withValue<R, E: Error>(_ body: (inout MDB_val) throws(E) -> R) throws(E) -> R {
    try withStoredBytes { (bytes) throws(E) in
      try bytes.withUnsafeBytes { (bytes) throws(E) in
        // LMDB only reads a key, and only during the call. The pointer is mutable because LMDB uses
        // one struct for input and output.
        var key = MDB_val(
          mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
        return try body(&key)
      }
    }
  }
}

extension Transaction where Self: ~Copyable {
  /// The bytes of a value that LMDB has found.
  ///
  /// They stay valid until the transaction ends, which it cannot do while it is borrowed, or writes
  /// to their database: after such a write, the caller must not use them. LMDB promises validity
  /// only until any write, but it copies a page before changing it, and does not touch the pages of
  /// other databases.
  @_lifetime(borrow self)
  func bytes(of found: MDB_val) -> RawSpan {
    _overrideLifetime(found.pointer.bytes, borrowing: self)
  }
}

extension Cursor {
  /// The bytes of a value that the cursor has found, valid as long as the transaction's own are.
  @_lifetime(copy self)
  func bytes(of found: MDB_val) -> RawSpan { _overrideLifetime(found.pointer.bytes, copying: self) }
}

extension MDB_val {
  fileprivate var pointer: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: mv_data, count: mv_size)
  }

  /// Lets `fill` write the space that LMDB has just reserved for a value.
  func write(_ fill: (inout MutableRawSpan) -> Void) {
    // No other code refers to the space, and LMDB does not move it before its next call.
    var space = MutableRawSpan(
      _unsafeBytes: UnsafeMutableRawBufferPointer(start: mv_data, count: mv_size))
    fill(&space)
  }
}
