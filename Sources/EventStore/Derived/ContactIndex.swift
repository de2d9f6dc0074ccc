/// The key of a contact's id (`LogFormat` has the layout).
struct ContactKey: StoredKey {
  private let bytes: [UInt8]

  /// - Parameter name: The bytes of the contact's name.
  init(_ name: [UInt8]) {
    bytes =
      Self.isPlain(name) ? [0] + name : [1] + LogDigest(of: name.span.bytes).bytes
  }

  /// Whether a name is its own key.
  static func isPlain(_ name: [UInt8]) -> Bool { name.count <= LogFormat.plainNameLimit }

  func withStoredBytes<R, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try bytes.withRawBytes(body)
  }
}

/// The key of an entry of the contact index.
struct IndexKey: StoredKey {
  var segment: UInt32
  var contact: UInt32
  var offset: UInt16

  /// The number of the record.
  var sequence: UInt64 { LogFormat.sequence(segment: segment, offset: offset) }

  func withStoredBytes<R, E: Error>(
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

extension IndexKey {
  /// The key of the entry that says that a record concerns a contact.
  init(_ contact: UInt32, in sequence: UInt64) {
    self.init(
      segment: LogFormat.segment(of: sequence), contact: contact,
      offset: LogFormat.offset(of: sequence))
  }

  init(storedKey key: UnsafeRawBufferPointer) throws(EventLogError) {
    guard key.count == LogFormat.indexKeyBytes else {
      throw .corrupt(sequence: 0, what: "an entry of the contact index cannot be read")
    }
    self.init(
      segment: key.loadBigEndian(at: 0, as: UInt32.self),
      contact: key.loadBigEndian(at: 4, as: UInt32.self),
      offset: key.loadBigEndian(at: 8, as: UInt16.self))
  }
}

/// Notes which records concern which contacts.
enum ContactIndex {
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
    if let stored = try transaction.contactID(of: contact) {
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
    let contacts = transaction.databases.contacts
    // No contact is ever taken out alone, so the ids are dense.
    let id = UInt32(truncatingIfNeeded: try transaction.count(contacts) + 1)
    let name = Array(contact.utf8)
    guard (1...LogFormat.contactLimit).contains(name.count) else {
      throw .contactLength(bytes: name.count, limit: LogFormat.contactLimit)
    }
    try transaction.put(
      contacts, ContactKey(name), id.bigEndianBytes + (ContactKey.isPlain(name) ? [] : name))
    return id
  }
}

extension LogTransaction where Self: ~Copyable {
  /// The id of a contact; nil where no record concerns it.
  func contactID(of contact: String) throws(EventLogError) -> UInt32? {
    try get(databases.contacts, ContactKey(Array(contact.utf8))) {
      (value) throws(EventLogError) in
      guard value.count >= 4 else {
        throw .corrupt(sequence: 0, what: "the id of a contact cannot be read")
      }
      return value.loadBigEndian(at: 0, as: UInt32.self)
    }
  }

  /// The same, but nil also where what is stored for the contact is not what is written for it.
  func contactID(exactly contact: String) throws(EventLogError) -> UInt32? {
    let name = Array(contact.utf8)
    let rest = ContactKey.isPlain(name) ? [] : name
    let id = try get(databases.contacts, ContactKey(name)) { (value) -> UInt32? in
      guard value.count >= 4, value.dropFirst(4).elementsEqual(rest) else { return nil }
      return value.loadBigEndian(at: 0, as: UInt32.self)
    }
    return id ?? nil
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
    guard first <= last, let id = try contactID(of: contact) else { return [] }
    let cursor = try Cursor(databases.index, in: self)
    var sequences: [UInt64] = []
    var start = IndexKey(id, in: first)
    for segment in start.segment...LogFormat.segment(of: last) {
      var entry = try cursor.first(atOrAfter: start)
      while let (key, _) = entry {
        let found = try IndexKey(storedKey: key)
        guard found.segment == segment, found.contact == id, found.sequence <= last else { break }
        sequences.append(found.sequence)
        entry = try cursor.next()
      }
      start = IndexKey(segment: segment &+ 1, contact: id, offset: 0)
    }
    return sequences
  }
}
