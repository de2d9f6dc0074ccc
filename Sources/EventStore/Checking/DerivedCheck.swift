#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Holds the stored events and the contact index against what is derived anew, record by record.
///
/// Memory: some 100 bytes for each contact.
package struct DerivedCheck {
  /// How many events the records account for.
  package private(set) var events = 0
  /// How many contacts the records account for.
  package var contacts: Int { ids.count }
  private var entries = 0
  private var ids: [ContactName: UInt32] = [:]
  private var owners: [UInt32: ContactName] = [:]

  package init() {}

  /// What is wrong with what is stored of a record, in clauses.
  package mutating func flaws(
    of header: RecordHeader, deriving parts: DerivedParts,
    in transaction: borrowing ReadTransaction
  ) throws(EventLogError) -> [String] {
    var flaws: [String] = []
    if let flaw = try eventFlaw(of: header, parts.event, in: transaction) { flaws.append(flaw) }
    for name in Set(parts.contacts.map(ContactName.init)) {
      if let flaw = try indexFlaw(of: header.sequence, name, in: transaction) {
        flaws.append(flaw)
      }
    }
    return flaws
  }

  /// What is stored that no record accounts for, once every record has been looked at.
  package func flaws(in transaction: borrowing ReadTransaction) throws(EventLogError) -> [String] {
    let databases = transaction.databases
    let expected = [
      ("stored events", databases.events, events), ("contacts", databases.contacts, ids.count),
      ("entries of the contact index", databases.index, entries),
    ]
    var flaws: [String] = []
    for (name, database, count) in expected {
      let stored = try Store.count(transaction.raw, database)
      if stored != count { flaws.append("there are \(stored) \(name), not \(count)") }
    }
    return flaws
  }

  private mutating func eventFlaw(
    of header: RecordHeader, _ event: [UInt8]?, in transaction: borrowing ReadTransaction
  ) throws(EventLogError) -> String? {
    if event != nil { events += 1 }
    let isSame = try Store.get(
      transaction.raw, transaction.databases.events, sequence: header.sequence
    ) { value in
      guard let event, value.count == LogFormat.eventHeaderBytes + event.count else { return false }
      var head = [UInt8](repeating: 0, count: LogFormat.eventHeaderBytes)
      head.withUnsafeMutableBytes { LogFormat.writeEventHeader(header, to: $0) }
      return value.starts(with: head) && value.dropFirst(head.count).elementsEqual(event)
    }
    switch isSame {
    case true: return nil
    case false: return "its stored event is not what its bytes mean"
    case nil: return event == nil ? nil : "its stored event is missing"
    }
  }

  private mutating func indexFlaw(
    of sequence: UInt64, _ name: ContactName, in transaction: borrowing ReadTransaction
  ) throws(EventLogError) -> String? {
    guard let id = try id(of: name, in: transaction) else {
      return "the contact \(name.text) is not in the index, or not once"
    }
    let isThere = try ContactIndex.withKey(
      segment: LogFormat.segment(of: sequence), id, LogFormat.offset(of: sequence)
    ) { (key) throws(EventLogError) in
      try Store.get(transaction.raw, transaction.databases.index, key) { $0.isEmpty }
    }
    guard isThere == true else { return "the index does not have it for \(name.text)" }
    entries += 1
    return nil
  }

  /// The id that the log gives a contact, if no other contact has it.
  private mutating func id(
    of name: ContactName, in transaction: borrowing ReadTransaction
  ) throws(EventLogError) -> UInt32? {
    if let known = ids[name] { return known }
    guard
      let id = try ContactIndex.id(
        exactly: name.text, transaction.raw, transaction.databases),
      owners[id] == nil
    else { return nil }
    ids[name] = id
    owners[id] = name
    return id
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
