#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Compares the stored events and the contact index with what is derived anew, record by record.
///
/// Memory: that of one block of either, and the contacts' names.
package struct DerivedCheck {
  /// How many events the records account for.
  package private(set) var events = 0
  /// How many contacts the records account for.
  package var contacts: Int { names.count }

  private var names: Set<ContactName> = []
  private var storedEvents: StoredEvents?
  private var storedIndex: StoredIndex?
  /// How many blocks of either there are.
  private var eventBlocks = 0
  private var indexBlocks = 0

  package init() {}

  /// What is stored of the events of some records.
  private struct StoredEvents {
    var records: ClosedRange<UInt64>
    /// Nil where it is not what was written.
    var events: [UInt64: (header: EventHeader, bytes: [UInt8])]?
  }

  /// What is stored of the contacts of some records.
  private struct StoredIndex {
    var records: ClosedRange<UInt64>
    /// The record that the entries count from.
    var first: UInt64 = 0
    /// Nil where it is not what was written.
    var entries: Set<UInt64>?
    /// Those that no record has accounted for.
    var unaccounted: Set<UInt64> = []
  }

  /// What is wrong with what is stored of a record, in clauses.
  ///
  /// - Parameters:
  ///   - header: Of the record after the last one that was looked at.
  ///   - last: The last record of the log.
  package mutating func damage(
    of header: RecordHeader, deriving parts: DerivedParts, last: UInt64,
    in transaction: borrowing ReadTransaction
  ) throws -> [String] {
    let range = header.sequence...last
    return [
      try eventDamage(of: header, parts.event, range, in: transaction),
      try indexDamage(of: header.sequence, parts.contacts, range, in: transaction),
    ].compactMap(\.self)
  }

  /// What is stored that no record accounts for, once every record has been looked at.
  package func damage(
    in transaction: borrowing ReadTransaction
  ) throws(EventLogError) -> [String] {
    let databases = transaction.databases
    let counts = [
      ("packs of stored events", try transaction.count(databases.events), eventBlocks),
      ("blocks of the index", try transaction.count(databases.index), indexBlocks),
    ]
    let strays = counts.compactMap { name, stored, expected in
      stored == expected ? nil : "there are \(stored) \(name), not \(expected)"
    }
    return strays + [strayEntries].compactMap(\.self)
  }

  // MARK: Events

  private mutating func eventDamage(
    of header: RecordHeader, _ event: [UInt8]?, _ range: ClosedRange<UInt64>,
    in transaction: borrowing ReadTransaction
  ) throws -> String? {
    if event != nil { events += 1 }
    if storedEvents?.records.contains(header.sequence) != true {
      let stored = try Self.events(range, in: transaction)
      storedEvents = stored
      eventBlocks += 1
      guard stored.events != nil else { return "its pack of stored events is not what was written" }
    }
    guard let stored = storedEvents?.events else { return nil }
    switch (stored[header.sequence], event) {
    case (nil, nil): return nil
    case (nil, _?): return "its stored event is missing"
    case (let stored?, let event):
      return stored.header == EventHeader(header) && stored.bytes == event
        ? nil : "its stored event is not what its bytes mean"
    }
  }

  private static func events(
    _ range: ClosedRange<UInt64>, in transaction: borrowing ReadTransaction
  ) throws -> StoredEvents {
    let database = transaction.databases.events
    let (records, block) = try transaction.block(of: .events, database, in: range)
    guard let block else { return StoredEvents(records: records) }
    var events: [UInt64: (header: EventHeader, bytes: [UInt8])] = [:]
    try EventPack(block).forEach(in: records) { header, event in
      events[header.sequence] = (header, Array(event))
    }
    return StoredEvents(records: records, events: events)
  }

  // MARK: The index

  private mutating func indexDamage(
    of sequence: UInt64, _ contacts: [String], _ range: ClosedRange<UInt64>,
    in transaction: borrowing ReadTransaction
  ) throws -> String? {
    for contact in contacts { names.insert(ContactName(contact)) }
    var damage: String?
    if storedIndex?.records.contains(sequence) != true {
      damage = strayEntries
      let stored = try Self.index(range, in: transaction)
      storedIndex = stored
      indexBlocks += 1
      guard stored.entries != nil else { return "its block of the index is not what was written" }
    }
    guard let first = storedIndex?.first, let entries = storedIndex?.entries else {
      return damage
    }
    for contact in contacts {
      let entry = ContactIndex.entry(ContactKey(contact), sequence - first)
      guard entries.contains(entry) else { return "the index does not have it for \(contact)" }
      storedIndex?.unaccounted.remove(entry)
    }
    return damage
  }

  private var strayEntries: String? {
    guard let stored = storedIndex,
      let entry = stored.unaccounted.min(by: { a, b in
        (a & 0xFFFF, a) < (b & 0xFFFF, b)
      })
    else { return nil }
    let record = stored.first + entry & 0xFFFF
    return "the index has record \(record) for a contact that it does not concern"
  }

  private static func index(
    _ range: ClosedRange<UInt64>, in transaction: borrowing ReadTransaction
  ) throws -> StoredIndex {
    let database = transaction.databases.index
    let (records, block) = try transaction.block(of: .index, database, in: range)
    guard let block else { return StoredIndex(records: records) }
    let entries = Set(ContactIndex(block).entries)
    return StoredIndex(
      records: records, first: block.covers.lowerBound, entries: entries, unaccounted: entries)
  }
}

/// A contact's name compared by its bytes, as the file does. `String` compares by canonical
/// equivalence, under which two different keys could be one.
struct ContactName: Hashable {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  static func == (a: ContactName, b: ContactName) -> Bool {
    var (a, b) = (a.text, b.text)
    return a.withUTF8 { a in
      b.withUTF8 { b in
        guard a.count == b.count, let left = a.baseAddress, let right = b.baseAddress else {
          return a.isEmpty && b.isEmpty
        }
        return memcmp(left, right, a.count) == 0
      }
    }
  }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
