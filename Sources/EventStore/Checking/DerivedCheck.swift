#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Compares the stored events and the contact index with what is derived anew, record by record.
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
  package mutating func damage(
    of header: RecordHeader, deriving parts: DerivedParts,
    in transaction: borrowing ReadTransaction
  ) throws(EventLogError) -> [String] {
    var damage: [String] = []
    if let what = try eventDamage(of: header, parts.event, in: transaction) { damage.append(what) }
    for name in Set(parts.contacts.map(ContactName.init)) {
      if let what = try indexDamage(of: header.sequence, name, in: transaction) {
        damage.append(what)
      }
    }
    return damage
  }

  /// What is stored that no record accounts for, once every record has been looked at.
  package func damage(
    in transaction: borrowing ReadTransaction
  ) throws(EventLogError) -> [String] {
    let databases = transaction.databases
    let counts = [
      ("stored events", try transaction.count(databases.events), events),
      ("contacts", try transaction.count(databases.contacts), ids.count),
      ("entries of the contact index", try transaction.count(databases.index), entries),
    ]
    return counts.compactMap { name, stored, expected in
      stored == expected ? nil : "there are \(stored) \(name), not \(expected)"
    }
  }

  private mutating func eventDamage(
    of header: RecordHeader, _ event: [UInt8]?, in transaction: borrowing ReadTransaction
  ) throws(EventLogError) -> String? {
    if event != nil { events += 1 }
    let isSame = try transaction.get(transaction.databases.events, header.sequence) { value in
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

  private mutating func indexDamage(
    of sequence: UInt64, _ name: ContactName, in transaction: borrowing ReadTransaction
  ) throws(EventLogError) -> String? {
    guard let id = try id(of: name, in: transaction) else {
      return "the contact \(name.text) is not in the index, or not once"
    }
    let isThere = try transaction.get(transaction.databases.index, IndexKey(id, in: sequence)) {
      $0.isEmpty
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
    guard let id = try transaction.contactID(exactly: name.text), owners[id] == nil else {
      return nil
    }
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
