import CLMDB
import Crypto

/// Which records concern which contact (`LogFormat` has the layout).
enum ContactIndex {
  // MARK: Writing

  /// Notes that a record concerns contacts, giving those that are new their ids. The entries wait
  /// in the memory, which the transaction writes before it is committed.
  static func add(
    _ contacts: [String], of sequence: UInt64, in transaction: borrowing WriteTransaction,
    _ memory: inout WriterMemory
  ) throws(EventLogError) {
    for contact in contacts {
      let id = try intern(contact, in: transaction, &memory)
      if !memory.entries.haveRoom(for: sequence) { try memory.entries.write(in: transaction) }
      memory.entries.add(id, of: sequence)
    }
  }

  private static func intern(
    _ contact: String, in transaction: borrowing WriteTransaction, _ memory: inout WriterMemory
  ) throws(EventLogError) -> UInt32 {
    if let known = memory.id(of: contact) { return known }
    let id: UInt32
    if let stored = try Self.id(of: contact, transaction.raw, transaction.databases) {
      id = stored
    } else {
      id = try store(contact, in: transaction)
    }
    memory.remember(id, of: contact)
    return id
  }

  private static func store(
    _ contact: String, in transaction: borrowing WriteTransaction
  ) throws(EventLogError) -> UInt32 {
    let raw = transaction.raw
    let contacts = transaction.databases.contacts
    // No contact is ever taken out alone, so the ids are dense.
    let id = UInt32(truncatingIfNeeded: try Store.count(raw, contacts) + 1)
    let name = Array(contact.utf8)
    guard (1...LogFormat.contactLimit).contains(name.count) else {
      throw .contactLength(bytes: name.count, limit: LogFormat.contactLimit)
    }
    var value = withUnsafeBytes(of: id.bigEndian) { Array($0) }
    if name.count > LogFormat.plainNameLimit { value += name }
    try key(of: name).withRawBytes { (key) throws(EventLogError) in
      try value.withRawBytes { (value) throws(EventLogError) in
        try Store.put(raw, contacts, key, value)
      }
    }
    return id
  }

  // MARK: Reading

  /// The id of a contact; nil where no record concerns it.
  static func id(
    of contact: String, _ raw: OpaquePointer, _ databases: Databases
  ) throws(EventLogError) -> UInt32? {
    try key(of: Array(contact.utf8)).withRawBytes { (key) throws(EventLogError) in
      try Store.get(raw, databases.contacts, key) { (value) throws(EventLogError) in
        guard value.count >= 4 else {
          throw .corrupt(sequence: 0, what: "the id of a contact cannot be read")
        }
        return value.loadBigEndian(at: 0, as: UInt32.self)
      }
    }
  }

  /// The same, but nil also where what is stored for the contact is not what is written for it.
  static func id(
    exactly contact: String, _ raw: OpaquePointer, _ databases: Databases
  ) throws(EventLogError) -> UInt32? {
    let name = Array(contact.utf8)
    let rest = name.count > LogFormat.plainNameLimit ? name : []
    let found = try key(of: name).withRawBytes { (key) throws(EventLogError) in
      try Store.get(raw, databases.contacts, key) { (value) -> UInt32? in
        guard value.count >= 4, value.dropFirst(4).elementsEqual(rest) else { return nil }
        return value.loadBigEndian(at: 0, as: UInt32.self)
      }
    }
    return found ?? nil
  }

  private static func key(of name: [UInt8]) -> [UInt8] {
    name.count <= LogFormat.plainNameLimit ? [0] + name : [1] + Array(SHA256.hash(data: name))
  }

  /// Runs `body` with the key of an entry.
  static func withKey<R, E: Error>(
    segment: UInt32, _ contact: UInt32, _ offset: UInt16,
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try withUnsafeTemporaryAllocation(byteCount: LogFormat.indexKeyBytes, alignment: 1) {
      (space) throws(E) in
      space.storeBigEndian(segment, at: 0)
      space.storeBigEndian(contact, at: 4)
      space.storeBigEndian(offset, at: 8)
      return try body(UnsafeRawBufferPointer(space))
    }
  }
}

extension ReadTransaction {
  /// The records of a range that concern a contact, in order.
  ///
  /// The contact is a prepared bare address; one that the log does not know has none. Complexity:
  /// one look-up for every 4,096 records of the range, and the answer's length.
  package func sequences(
    concerning contact: String, in range: ClosedRange<UInt64>
  ) throws(EventLogError) -> [UInt64] {
    let last = min(range.upperBound, try lastSequence)
    let first = max(1, range.lowerBound)
    guard first <= last, let id = try ContactIndex.id(of: contact, raw, databases) else {
      return []
    }
    var opened: OpaquePointer?
    try check(mdb_cursor_open(raw, databases.index, &opened), "read")
    guard let cursor = opened else { throw .lmdb(doing: "read", code: MDB_PANIC) }
    defer { mdb_cursor_close(cursor) }
    var found: [UInt64] = []
    for segment in LogFormat.segment(of: first)...LogFormat.segment(of: last) {
      let offset = segment == LogFormat.segment(of: first) ? LogFormat.offset(of: first) : 0
      try Self.collect(cursor, segment, id, from: offset, through: last, &found)
    }
    return found
  }

  private static func collect(
    _ cursor: OpaquePointer, _ segment: UInt32, _ contact: UInt32, from offset: UInt16,
    through last: UInt64, _ found: inout [UInt64]
  ) throws(EventLogError) {
    try ContactIndex.withKey(segment: segment, contact, offset) { (start) throws(EventLogError) in
      var key = MDB_val(start)
      var value = MDB_val()
      var code = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE)
      while code == MDB_SUCCESS {
        let entry = key.bytes
        guard entry.count == LogFormat.indexKeyBytes else {
          throw .corrupt(sequence: 0, what: "an entry of the contact index cannot be read")
        }
        let isSame =
          entry.loadBigEndian(at: 0, as: UInt32.self) == segment
          && entry.loadBigEndian(at: 4, as: UInt32.self) == contact
        guard isSame else { return }
        let sequence = LogFormat.sequence(
          segment: segment, offset: entry.loadBigEndian(at: 8, as: UInt16.self))
        guard sequence <= last else { return }
        found.append(sequence)
        code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
      }
      if code != MDB_NOTFOUND { try check(code, "read") }
    }
  }
}
