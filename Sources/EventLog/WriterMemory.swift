#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What the writer of a log remembers from one transaction to the next: the ids of contacts, which
/// it would otherwise look up once for every record. And, within one, what it has still to write.
struct WriterMemory {
  /// Some 10 MB; a log with more contacts than this looks some of them up again.
  private static let most = 100_000

  /// What the open transaction has still to write to the contact index.
  var entries = IndexEntries()

  private var ids: [ContactName: UInt32] = [:]
  /// The transaction that left the ids as they are here. Transactions are counted over all
  /// processes: where one is missing, somebody else may have changed them.
  private var transaction: Int?

  mutating func begin(transaction id: Int) {
    if transaction != id - 1 { ids.removeAll(keepingCapacity: true) }
    entries.removeAll()
    transaction = nil
  }

  mutating func end(transaction id: Int) {
    transaction = id
  }

  /// The ids are given anew in this very transaction, and the index is empty.
  mutating func forgetContacts() {
    ids.removeAll(keepingCapacity: true)
    entries.removeAll()
  }

  mutating func forget() {
    ids.removeAll(keepingCapacity: true)
    entries.removeAll()
    transaction = nil
  }

  func id(of name: ContactName) -> UInt32? { ids[name] }

  mutating func remember(_ id: UInt32, of name: ContactName) {
    if ids.count >= Self.most { ids.removeAll(keepingCapacity: true) }
    ids[name] = id
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
