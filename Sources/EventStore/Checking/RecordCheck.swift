/// What looking at a stored record shows.
package struct CheckedRecord: Sendable {
  /// 0 where not even that can be read.
  package let sequence: UInt64
  /// Nil where it cannot be read.
  package let header: RecordHeader?
  /// What is wrong with the record, in a clause; nil where nothing is.
  package let damage: String?
  /// The records of its pack, where something in that has changed, nobody can say of which.
  package var suspects: ClosedRange<UInt64>?
}

/// Looks at the records of a log, in order: whether one is missing, whether the digest of its pack
/// follows from the one before and from the pack's own bytes, and whether its time runs backwards.
///
/// It goes on after what is wrong; of a pack whose digest is wrong, the first record says so.
/// Complexity: linear in the log's bytes, and no memory.
package struct RecordCheck {
  /// The number of the next record, and whether the pack before it could be read: where not, nobody
  /// can say how many records it had.
  private var expected: UInt64 = 1
  private var isExpected = true
  private var packs: UInt64 = 0
  /// Of the pack before; nil where that has none, and nothing can be said of the next one's.
  private var digest: LogDigest? = RecordChain.start
  private var clock: Int64?
  /// The key of the last pack that was looked at.
  private var place: UInt64?

  package init() {}

  /// The digest of the last pack; nil where there is none that can be read.
  package var lastDigest: LogDigest? { digest == RecordChain.start ? nil : digest }

  /// Hands the next records to `body` with what is wrong with them.
  ///
  /// The bytes are valid until `body` returns, and none where the record cannot be read or is
  /// missing.
  /// - Parameters:
  ///   - last: What comes after this record is not looked at.
  ///   - most: At least one pack is handed over, and none after so many bytes.
  /// - Returns: Whether there is more: the next call goes on where this one ended.
  @discardableResult
  package mutating func look(
    upTo last: UInt64 = .max, bytes most: Int = .max, in transaction: borrowing ReadTransaction,
    _ body: (CheckedRecord, RawSpan) throws -> Void
  ) throws -> Bool {
    let start = place
    var bytesSeen = 0
    var isOver = true
    try transaction.scan(transaction.databases.records, from: start) { key, value in
      let number = Self.number(of: key)
      if let number, number == start { return true }
      if let number, number > last { return false }
      // What has no number cannot be come back to.
      if bytesSeen >= most, number != nil {
        isOver = false
        return false
      }
      bytesSeen += value.byteCount
      try look(at: key, value, body)
      place = number ?? place
      return true
    }
    return !isOver
  }

  /// Looks at the next pack that is there.
  private mutating func look(
    at key: RawSpan, _ value: RawSpan, _ body: (CheckedRecord, RawSpan) throws -> Void
  ) throws {
    func tell(
      _ sequence: UInt64, _ damage: String, suspects: ClosedRange<UInt64>? = nil
    ) throws {
      let record = CheckedRecord(
        sequence: sequence, header: nil, damage: damage, suspects: suspects)
      try body(record, RawSpan())
    }
    packs += 1
    guard let first = Self.number(of: key), first >= expected else {
      return try tell(0, "there is a pack of records without a valid number")
    }
    if first > expected, isExpected {
      let damage =
        first == expected + 1 ? "it is missing" : "it and all up to \(first - 1) are missing"
      try tell(expected, damage)
      digest = nil
    }
    let pack: RecordPack
    do throws(EventLogError) {
      pack = try RecordPack(value, first: first)
    } catch {
      (expected, isExpected, digest) = (first + 1, false, nil)
      return try tell(first, error.clause)
    }
    let damage = damage(of: pack)
    (expected, isExpected, digest) = (pack.sequences.upperBound + 1, true, pack.digest)
    let suspects = damage == nil ? nil : pack.sequences
    for sequence in pack.sequences {
      let found: PackedRecord
      do throws(EventLogError) {
        found = try pack.record(at: sequence)
      } catch {
        try tell(sequence, error.clause, suspects: suspects)
        continue
      }
      let ownDamage = damage == nil ? clockDamage(of: found.header) : nil
      let record = CheckedRecord(
        sequence: sequence, header: found.header,
        damage: sequence == first ? damage ?? ownDamage : ownDamage,
        suspects: suspects)
      try body(record, found.bytes)
    }
  }

  private mutating func clockDamage(of header: RecordHeader) -> String? {
    defer { clock = header.clock ?? clock }
    guard let clock, header.clock.map({ $0 < clock }) ?? true else { return nil }
    return "its time runs backwards"
  }

  /// The number of a record that another one can follow.
  private static func number(of key: RawSpan) -> UInt64? {
    guard let number = try? UInt64(storedKey: key), number < .max else { return nil }
    return number
  }

  private func damage(of pack: RecordPack) -> String? {
    guard let digest else { return nil }
    guard pack.follows(digest) else { return pack.contradiction }
    return pack.number == packs
      ? nil : "its pack says that it is number \(pack.number), not \(packs)"
  }
}

extension EventLogError {
  /// What it says of a record, without the record.
  package var clause: String {
    if case .corrupt(let sequence, let what) = self, sequence > 0 { what } else { "\(self)" }
  }
}
