/// Entries of the contact index on their way into it, all of one segment.
///
/// They are written together and in the order of their keys: most then go to the page of the one
/// before, where a cursor finds their place without a search from the root.
struct IndexEntries {
  /// How many wait before they are written: 32 KB, and more than most transactions have.
  private static let most = 4096

  private var segment: UInt32 = 0
  /// Contact and offset, which are ordered as the keys are: the segment is the same.
  private var waiting: [UInt64] = []

  /// Whether a record's entries can wait together with those that do.
  func haveRoom(for sequence: UInt64) -> Bool {
    waiting.isEmpty
      || (waiting.count < Self.most && segment == LogFormat.segment(of: sequence))
  }

  mutating func add(_ contact: UInt32, of sequence: UInt64) {
    segment = LogFormat.segment(of: sequence)
    waiting.append(UInt64(contact) << 16 | UInt64(LogFormat.offset(of: sequence)))
  }

  mutating func removeAll() {
    waiting.removeAll(keepingCapacity: true)
  }

  /// Writes what waits.
  mutating func write(in transaction: borrowing WriteTransaction) throws(EventLogError) {
    guard !waiting.isEmpty else { return }
    waiting.sort()
    let cursor = try WriteCursor(transaction.databases.index, in: transaction)
    for entry in waiting {
      try cursor.put(
        IndexKey(
          segment: segment, contact: UInt32(entry >> 16),
          offset: UInt16(truncatingIfNeeded: entry)))
    }
    removeAll()
  }
}
