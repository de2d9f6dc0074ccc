/// The result of checking a stored record.
package struct CheckedRecord: Sendable {
  /// The record's number; 0 if not even that can be read.
  package let sequence: UInt64
  /// Nil if the header cannot be read.
  package let header: RecordHeader?
  /// The damage to the record, as a clause; nil if there is none.
  package let damage: String?
  /// The records of its pack, if the pack has changed: any of them may be the changed one.
  package var suspects: ClosedRange<UInt64>?
}

/// Checks the records of a log, in order, for gaps, wrong digests and times that run backwards.
///
/// The digest of a pack has to follow from the digest before it and from the pack's own bytes. The
/// check continues after damage; the damage to a pack's digest is reported with its first record.
/// Complexity: linear in the log's bytes, and no memory.
package struct RecordCheck {
  /// The number of the next record. It is known only if the pack before it could be read; an
  /// unreadable pack does not say how many records it had.
  private var expected: UInt64 = 1
  private var isExpected = true
  private var packs: UInt64 = 0
  /// The digest of the pack before; nil if it is unknown, so that the next one cannot be checked.
  private var digest: LogDigest? = RecordChain.start
  private var clock: Int64?
  /// The key of the pack that was checked last.
  private var lastKey: UInt64?

  package init() {}

  /// The digest of the last pack; nil if there is none or it cannot be read.
  package var lastDigest: LogDigest? { digest == RecordChain.start ? nil : digest }

  /// Checks the next records and passes each to `body`.
  ///
  /// The bytes are valid until `body` returns, and empty if the record is missing or unreadable.
  /// - Parameters:
  ///   - last: The last record to check.
  ///   - limit: The check pauses at the first pack boundary after this many bytes.
  /// - Returns: Whether there are more records; the next call continues with them.
  @discardableResult
  package mutating func look(
    upTo last: UInt64 = .max, bytes limit: Int = .max, in transaction: borrowing ReadTransaction,
    _ body: (CheckedRecord, RawSpan) throws -> Void
  ) throws -> Bool {
    let start = lastKey
    var bytesSeen = 0
    var isOver = true
    try transaction.scan(transaction.databases.records, from: start) { key, value in
      let number = Self.number(of: key)
      if let number, number == start { return true }
      if let number, number > last { return false }
      // The next call cannot continue at a key that is not a number.
      if bytesSeen >= limit, number != nil {
        isOver = false
        return false
      }
      bytesSeen += value.byteCount
      try look(at: key, value, body)
      lastKey = number ?? lastKey
      return true
    }
    return !isOver
  }

  /// Checks the next stored pack.
  private mutating func look(
    at key: RawSpan, _ value: RawSpan, _ body: (CheckedRecord, RawSpan) throws -> Void
  ) throws {
    func report(
      _ sequence: UInt64, _ damage: String, suspects: ClosedRange<UInt64>? = nil
    ) throws {
      let record = CheckedRecord(
        sequence: sequence, header: nil, damage: damage, suspects: suspects)
      try body(record, RawSpan())
    }
    packs += 1
    guard let first = Self.number(of: key), first >= expected else {
      return try report(0, "there is a pack of records without a valid number")
    }
    if first > expected, isExpected {
      let damage =
        first == expected + 1 ? "it is missing" : "it and all up to \(first - 1) are missing"
      try report(expected, damage)
      digest = nil
    }
    let pack: RecordPack
    do throws(EventLogError) {
      pack = try RecordPack(value, first: first)
    } catch {
      (expected, isExpected, digest) = (first + 1, false, nil)
      return try report(first, error.detail)
    }
    let damage = damage(of: pack)
    (expected, isExpected, digest) = (pack.sequences.upperBound + 1, true, pack.digest)
    let suspects = damage == nil ? nil : pack.sequences
    for sequence in pack.sequences {
      let found: PackedRecord
      do throws(EventLogError) {
        found = try pack.record(at: sequence)
      } catch {
        try report(sequence, error.detail, suspects: suspects)
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

  /// The number of a record; nil if the key is not one, or leaves no number for the next record.
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
