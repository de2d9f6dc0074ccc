import Dispatch

/// What looking at a stored record shows.
package struct CheckedRecord: Sendable {
  /// 0 where not even that can be read.
  package let sequence: UInt64
  /// Nil where it cannot be read.
  package let header: RecordHeader?
  /// What is wrong with the record, in a clause; nil where nothing is.
  package let flaw: String?
}

extension ReadTransaction {
  /// Hands every record to `body` with what is wrong with it, in order: whether one is missing,
  /// whether each digest follows from the one before and from the record's own bytes, and whether
  /// its time runs backwards. It goes on behind what is wrong.
  ///
  /// Each digest is held against the stored one before it, so that many records are looked at at a
  /// time, on all cores. Complexity: linear in the log's bytes; memory for 2,048 records' headers
  /// and what is read from them.
  /// - Parameters:
  ///   - reading: Gives what reads records, called once for some hundred records. What it gives
  ///     runs on another thread, beside others of its kind, and must not use the log. The bytes
  ///     are valid until it returns.
  ///   - body: Runs on this thread; it is given what was read from the record, nil where the record
  ///     cannot be read or is missing.
  package func forEachCheckedRecord<Meaning: Sendable>(
    reading: @Sendable () -> (RecordHeader, RawSpan) -> Meaning,
    _ body: (CheckedRecord, Meaning?) throws -> Void
  ) throws {
    var batch = CheckBatch<Meaning>()
    do {
      try Store.withStart(0) { start in
        try Store.scan(raw, databases.records, from: start) { key, value in
          batch.add(key, value)
          if batch.isFull { try batch.check(reading, body) }
          return true
        }
      }
    } catch {
      // What was found before LMDB could not go on is told all the same.
      try batch.check(reading, body)
      throw error
    }
    try batch.check(reading, body)
  }
}

/// Records that are checked at a time.
///
/// It holds pointers into the map, which stay valid to the end of the transaction.
private struct CheckBatch<Meaning: Sendable> {
  private struct Entry {
    var sequence: UInt64
    var header: RecordHeader?
    /// As far as it can be told without the bytes.
    var flaw: String?
    var value: UnsafeRawBufferPointer
    /// Nil behind a record that has none: nothing can be held against it.
    var previous: RecordDigest?
  }

  private static var most: Int { 2048 }
  /// How many are done by one thread at a time.
  private static var share: Int { 128 }

  private var entries: [Entry] = []
  private var expected: UInt64 = 1
  private var digest: RecordDigest? = .start
  private var clock: Int64?

  var isFull: Bool { entries.count >= Self.most }

  mutating func add(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    guard let sequence = try? Store.sequence(key), sequence >= expected else {
      return note(0, "there is a record whose number is none")
    }
    if sequence > expected {
      note(
        expected,
        sequence == expected + 1 ? "it is missing" : "it and all up to \(sequence - 1) are missing")
      digest = nil
    }
    expected = sequence + 1
    let header: RecordHeader
    do throws(EventLogError) {
      header = try LogFormat.readHeader(value, sequence: sequence)
    } catch {
      digest = nil
      if case .corrupt(_, let what) = error { return note(sequence, what) }
      return note(sequence, "\(error)")
    }
    let isBack = clock.map { clock in header.clock.map { $0 < clock } ?? true } ?? false
    entries.append(
      Entry(
        sequence: sequence, header: header, flaw: isBack ? "its time runs backwards" : nil,
        value: value, previous: digest))
    digest = header.digest
    clock = header.clock ?? clock
  }

  private mutating func note(_ sequence: UInt64, _ flaw: String) {
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    entries.append(
      Entry(sequence: sequence, header: nil, flaw: flaw, value: nothing, previous: nil))
  }

  /// Checks what was added, hands it over and forgets it.
  mutating func check(
    _ reading: @Sendable () -> (RecordHeader, RawSpan) -> Meaning,
    _ body: (CheckedRecord, Meaning?) throws -> Void
  ) throws {
    defer { entries.removeAll(keepingCapacity: true) }
    for (entry, (follows, meaning)) in zip(entries, outcomes(reading)) {
      let flaw = follows ? entry.flaw : "its digest does not follow from its bytes"
      try body(
        CheckedRecord(sequence: entry.sequence, header: entry.header, flaw: flaw), meaning)
    }
  }

  private typealias Outcome = (follows: Bool, meaning: Meaning?)

  /// Whether each record's digest follows, and what is read from it.
  private func outcomes(
    _ reading: @Sendable () -> (RecordHeader, RawSpan) -> Meaning
  ) -> [Outcome] {
    [Outcome](unsafeUninitializedCapacity: entries.count) { outcomes, count in
      // Every place is initialised once, by the one thread that does its share; the entries, and
      // the pages that they point to, are only read.
      nonisolated(unsafe) let (places, entries) = (outcomes, entries)
      DispatchQueue.concurrentPerform(iterations: (entries.count + Self.share - 1) / Self.share) {
        let start = $0 * Self.share
        let read = reading()
        for place in start..<min(start + Self.share, entries.count) {
          let entry = entries[place]
          let meaning = entry.header.map { header in
            read(header, entry.value.bytes.extracting(LogFormat.recordHeaderBytes...))
          }
          places.initializeElement(at: place, to: (Self.follows(entry), meaning))
        }
      }
      count = entries.count
    }
  }

  private static func follows(_ entry: Entry) -> Bool {
    guard let previous = entry.previous, let header = entry.header else { return true }
    // The header as it is stored: what no reader looks at is in the chain as well.
    return header.digest
      == RecordDigest.chain(
        after: previous,
        header: UnsafeRawBufferPointer(rebasing: entry.value[..<LogFormat.chainedHeaderBytes]),
        bytes: UnsafeRawBufferPointer(rebasing: entry.value[LogFormat.recordHeaderBytes...]))
  }
}
