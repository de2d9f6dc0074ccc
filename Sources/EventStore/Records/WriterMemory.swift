/// What the writer of a log remembers from one transaction to the next: the ids of contacts, which
/// it would otherwise look up once for every record. And, within one, what it has still to write.
struct WriterMemory {
  /// What the open transaction has still to write to the contact index.
  var entries = IndexEntries()

  private var ids = ContactIDs()
  /// The transaction that left the ids as they are here. Transactions are counted over all
  /// processes: where one is missing, somebody else may have changed them.
  private var transaction: Int?

  mutating func begin(transaction id: Int) {
    if transaction != id - 1 { ids.removeAll() }
    entries.removeAll()
    transaction = nil
  }

  mutating func end(transaction id: Int) {
    transaction = id
  }

  /// The ids are given anew in this very transaction, and the index is empty.
  mutating func forgetContacts() {
    ids.removeAll()
    entries.removeAll()
  }

  mutating func forget() {
    ids.removeAll()
    entries.removeAll()
    transaction = nil
  }

  func id(of contact: String) -> UInt32? { ids[contact] }

  mutating func remember(_ id: UInt32, of contact: String) {
    // A log with more contacts than there is room for looks some of them up again.
    if ids.isFull { ids.removeAll() }
    ids.add(id, of: contact)
  }
}
