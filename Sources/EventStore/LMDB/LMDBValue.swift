import CLMDB

// Where pointers of LMDB become spans.

extension StoredKey {
  /// Runs `body` with the key as LMDB takes it.
  func withValue<R, E: Error>(_ body: (inout MDB_val) throws(E) -> R) throws(E) -> R {
    try withStoredBytes { (bytes) throws(E) in
      try bytes.withUnsafeBytes { (bytes) throws(E) in
        // LMDB only reads what it is given as a key, and only while it is called: the pointer is
        // mutable because C has one struct for both ways.
        var key = MDB_val(
          mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
        return try body(&key)
      }
    }
  }
}

extension Transaction where Self: ~Copyable {
  /// What LMDB has found, as many bytes as it says.
  ///
  /// They stay where they are until the transaction ends, which it does not while it is borrowed,
  /// or writes to their database: who writes there does not go on with what was there before. LMDB
  /// promises it until any write; but it copies a page before it changes it, and changes none of
  /// another database.
  @_lifetime(borrow self)
  func bytes(of found: MDB_val) -> RawSpan {
    _overrideLifetime(found.pointer.bytes, borrowing: self)
  }
}

extension Cursor {
  /// The same of what it has found: its own lifetime is that of the transaction.
  @_lifetime(copy self)
  func bytes(of found: MDB_val) -> RawSpan { _overrideLifetime(found.pointer.bytes, copying: self) }
}

extension MDB_val {
  fileprivate var pointer: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: mv_data, count: mv_size)
  }

  /// Lets `fill` write what stands in the place that LMDB has just made room in.
  func write(_ fill: (inout MutableRawSpan) -> Void) {
    // Nobody else knows of the place, and LMDB moves it no sooner than at its next call.
    var space = MutableRawSpan(
      _unsafeBytes: UnsafeMutableRawBufferPointer(start: mv_data, count: mv_size))
    fill(&space)
  }
}
