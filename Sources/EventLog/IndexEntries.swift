import CLMDB

/// Entries of the contact index on their way into it.
///
/// They are written together and in the order of their keys: most then go to the page of the one
/// before, where a cursor finds their place without a search from the root.
struct IndexEntries {
  /// How many wait before they are written: some 64 KB, and more than most transactions have.
  private static let most = 4096

  private struct Entry: Comparable {
    let segment: UInt32
    let contact: UInt32
    let offset: UInt16

    private var place: UInt64 { UInt64(segment) << 32 | UInt64(contact) }

    static func < (a: Entry, b: Entry) -> Bool {
      a.place == b.place ? a.offset < b.offset : a.place < b.place
    }
  }

  private var waiting: [Entry] = []

  var areMany: Bool { waiting.count >= Self.most }

  mutating func add(_ contact: UInt32, of sequence: UInt64) {
    waiting.append(
      Entry(
        segment: LogFormat.segment(of: sequence), contact: contact,
        offset: LogFormat.offset(of: sequence)))
  }

  mutating func removeAll() {
    waiting.removeAll(keepingCapacity: true)
  }

  /// Writes what waits.
  mutating func write(in transaction: borrowing WriteTransaction) throws(EventLogError) {
    guard !waiting.isEmpty else { return }
    waiting.sort()
    var opened: OpaquePointer?
    try check(mdb_cursor_open(transaction.raw, transaction.databases.index, &opened), "write")
    guard let cursor = opened else { throw .lmdb(doing: "write", code: MDB_PANIC) }
    defer { mdb_cursor_close(cursor) }
    for entry in waiting {
      try ContactIndex.withKey(segment: entry.segment, entry.contact, entry.offset) {
        (key) throws(EventLogError) in
        var key = MDB_val(key)
        var value = MDB_val()
        try check(mdb_cursor_put(cursor, &key, &value, 0), "write")
      }
    }
    removeAll()
  }
}
