import RawBytes

/// Compares the stored events and the contact index with freshly derived ones, record by record.
///
/// The caller may begin a new transaction between two records; a writer may have merged the derived
/// parts with those of later records by then, or rebuilt them.
///
/// Memory: one block of events, one block of the index, and the contacts' names.
package struct DerivedCheck {
  /// The number of events that the records account for.
  package private(set) var events = 0
  /// The number of contacts that the records account for.
  package var contacts: Int { names.count }

  private var names: Set<ContactName> = []
  private var storedEvents: StoredEvents?
  private var storedIndex: StoredIndex?

  package init() {}

  /// The stored events of a range of records.
  private struct StoredEvents {
    var records: ClosedRange<UInt64>
    /// Whether the database has an entry nearby that belongs to no record.
    var hasStray: Bool
    /// Nil if the block is not what was written.
    var events: [UInt64: (header: EventHeader, bytes: [UInt8])]?
  }

  /// The stored index entries of a range of records.
  private struct StoredIndex {
    var records: ClosedRange<UInt64>
    /// Whether the database has an entry nearby that belongs to no record.
    var hasStray: Bool
    /// The record that the entries count from.
    var first: UInt64 = 0
    /// Nil if the block is not what was written.
    var entries: Set<UInt64>?
    /// The entries that no record has accounted for yet.
    var unaccounted: Set<UInt64> = []
  }

  /// Returns the damage to the derived parts of a record, each as a clause.
  ///
  /// - Parameters:
  ///   - header: The header of the record after the one that was checked last.
  ///   - last: The last record that will be checked.
  package mutating func damage(
    of header: RecordHeader, deriving parts: DerivedParts, last: UInt64,
    in transaction: borrowing ReadTransaction
  ) throws -> [String] {
    let range = header.sequence...last
    return try eventDamage(of: header, parts.event, range, in: transaction)
      + indexDamage(of: header.sequence, parts.contacts, range, in: transaction)
  }

  /// The first index entry that no record accounts for, after every record has been checked.
  package var strayEntries: String? {
    guard let stored = storedIndex,
      let entry = stored.unaccounted.min(by: { a, b in
        (a & 0xFFFF, a) < (b & 0xFFFF, b)
      })
    else { return nil }
    let record = stored.first + entry & 0xFFFF
    return "the index has record \(record) for a contact that it does not concern"
  }

  /// Returns the damage to the derived parts of an empty log; empty if the log has records by now.
  package static func damage(
    ofEmpty transaction: borrowing ReadTransaction
  ) throws(EventLogError) -> [String] {
    guard try transaction.lastSequence == 0 else { return [] }
    let (events, index) = (transaction.databases.events, transaction.databases.index)
    return try transaction.count(events) + transaction.count(index) == 0
      ? [] : ["something is derived from records that do not exist"]
  }

  /// Whether an entry that belongs to no record is stored next to a block, or in place of one.
  private static func hasStray(
    _ database: Database<UInt64>, around block: DerivedBlock?, _ records: ClosedRange<UInt64>,
    upTo last: UInt64, in transaction: borrowing ReadTransaction
  ) throws(EventLogError) -> Bool {
    let cursor = try Cursor(database, in: transaction)
    let covers = block?.covers ?? records
    if covers.lowerBound == 1, block != nil, let entry = try cursor.first(),
      (try? UInt64(storedKey: entry.key)) != 1
    {
      return true
    }
    guard let entry = try cursor.first(atOrAfter: covers.lowerBound + 1) else { return false }
    guard let next = try? UInt64(storedKey: entry.key), next > covers.upperBound else {
      return true
    }
    return covers.upperBound >= last ? try next > transaction.lastSequence : false
  }

  // MARK: Events

  private mutating func eventDamage(
    of header: RecordHeader, _ event: [UInt8]?, _ range: ClosedRange<UInt64>,
    in transaction: borrowing ReadTransaction
  ) throws -> [String] {
    if event != nil { events += 1 }
    var damage: [String] = []
    if storedEvents?.records.contains(header.sequence) != true {
      let stored = try Self.events(range, in: transaction)
      storedEvents = stored
      if stored.hasStray { damage.append("a stray pack of stored events is next to its own") }
      if stored.events == nil { damage.append("its pack of stored events is not what was written") }
    }
    guard let stored = storedEvents?.events else { return damage }
    switch (stored[header.sequence], event) {
    case (nil, nil): return damage
    case (nil, _?): return damage + ["its stored event is missing"]
    case (let stored?, let event):
      let isRight = stored.header == EventHeader(header) && stored.bytes == event
      return isRight ? damage : damage + ["its stored event is not what its bytes mean"]
    }
  }

  private static func events(
    _ range: ClosedRange<UInt64>, in transaction: borrowing ReadTransaction
  ) throws -> StoredEvents {
    let database = transaction.databases.events
    let covered = try transaction.block(of: .events, database, in: range)
    let records = covered.records
    let hasStray = try hasStray(
      database, around: covered.block, records, upTo: range.upperBound, in: transaction)
    guard let block = covered.block else {
      return StoredEvents(records: records, hasStray: hasStray)
    }
    var events: [UInt64: (header: EventHeader, bytes: [UInt8])] = [:]
    try EventPack(block).forEach(in: records) { header, event in
      events[header.sequence] = (header, [UInt8](event))
    }
    return StoredEvents(records: records, hasStray: hasStray, events: events)
  }

  // MARK: The index

  private mutating func indexDamage(
    of sequence: UInt64, _ contacts: [String], _ range: ClosedRange<UInt64>,
    in transaction: borrowing ReadTransaction
  ) throws -> [String] {
    for contact in contacts { names.insert(ContactName(contact)) }
    var damage: [String] = []
    if storedIndex?.records.contains(sequence) != true {
      damage += [strayEntries].compactMap(\.self)
      let stored = try Self.index(range, in: transaction)
      storedIndex = stored
      if stored.hasStray { damage.append("a stray block of the index is next to its own") }
      if stored.entries == nil { damage.append("its block of the index is not what was written") }
    }
    guard let first = storedIndex?.first, let entries = storedIndex?.entries else {
      return damage
    }
    for contact in contacts {
      let entry = ContactIndex.entry(ContactKey(contact), sequence - first)
      guard entries.contains(entry) else {
        return damage + ["the index does not list it for \(contact)"]
      }
      storedIndex?.unaccounted.remove(entry)
    }
    return damage
  }

  private static func index(
    _ range: ClosedRange<UInt64>, in transaction: borrowing ReadTransaction
  ) throws -> StoredIndex {
    let database = transaction.databases.index
    let covered = try transaction.block(of: .index, database, in: range)
    let records = covered.records
    let hasStray = try hasStray(
      database, around: covered.block, records, upTo: range.upperBound, in: transaction)
    guard let block = covered.block else {
      return StoredIndex(records: records, hasStray: hasStray)
    }
    let entries = Set(ContactIndex(block).entries)
    let first = block.covers.lowerBound
    let unaccounted = entries.filter { entry in
      let record = first + entry & 0xFFFF
      // The others were checked before, or belong to records that were appended since.
      return records.contains(record) || !block.covers.contains(record)
    }
    return StoredIndex(
      records: records, hasStray: hasStray, first: first, entries: entries,
      unaccounted: unaccounted)
  }
}

/// A contact's name, compared by its bytes, as in the file.
///
/// `String` compares by canonical equivalence, under which two different keys could be equal.
struct ContactName: Hashable {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  static func == (a: ContactName, b: ContactName) -> Bool {
    a.text.hasSameBytes(as: b.text)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(bytesOf: text)
  }
}
