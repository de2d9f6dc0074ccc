/// A cursor over the packs of records that verifies the digest of each.
struct PackCursor: ~Copyable, ~Escapable {
  private let cursor: Cursor<UInt64>
  /// The next pack, not verified yet.
  private var ahead: Cursor<UInt64>.Entry?
  /// The number and the digest of the pack before it.
  private var number: UInt64
  private var digest: LogDigest
  /// The number of the next record.
  private var expected: UInt64

  /// Creates a cursor before the pack that holds a record, or before the last one up to it.
  @_lifetime(borrow transaction)
  init(
    before sequence: UInt64, in transaction: borrowing some LogTransaction & ~Copyable
  ) throws(EventLogError) {
    let cursor = try Cursor(transaction.databases.records, in: transaction)
    var ahead = try cursor.last(atOrBefore: sequence)
    if ahead == nil { ahead = try cursor.first() }
    var before: RecordPack?
    if let entry = ahead, try UInt64(storedKey: entry.key) > 1 {
      guard let previous = try cursor.previous() else {
        throw .corrupt(sequence: 1, what: "it is missing")
      }
      before = try RecordPack(previous.value, first: try UInt64(storedKey: previous.key))
      ahead = try cursor.next()
    }
    self.cursor = cursor
    self.ahead = ahead
    number = before?.number ?? 0
    digest = before?.digest ?? RecordChain.start
    expected = (before?.sequences.upperBound ?? 0) + 1
  }

  /// The next pack; nil after the last one.
  ///
  /// - Throws: `EventLogError.corrupt` if packs before it are missing or it has changed.
  @_lifetime(copy self)
  mutating func next() throws(EventLogError) -> RecordPack? {
    guard let entry = ahead else { return nil }
    let first = try UInt64(storedKey: entry.key)
    guard first == expected else {
      throw .corrupt(sequence: expected, what: "it is missing")
    }
    let pack = try RecordPack(entry.value, first: first)
    guard pack.follows(digest), pack.number == number + 1 else {
      throw .corrupt(sequence: first, what: pack.contradiction)
    }
    (number, digest, expected) = (pack.number, pack.digest, pack.sequences.upperBound + 1)
    ahead = try cursor.next()
    return pack
  }
}

extension RecordPack {
  /// The description of the damage if the pack's digest is wrong.
  var contradiction: String {
    count == 1
      ? "its digest does not follow from its bytes"
      : "it or another one up to \(sequences.upperBound) has changed: the digest of their pack "
        + "does not follow from its bytes"
  }
}
