package import EventStore
import RawBytes
import RosterCore

extension Branch {
  /// Appends the branch's records to an empty log, numbered from 1 and with their own digest chain.
  /// The policy is not included, because it concerns only how records are read.
  ///
  /// Memory is bounded, whatever the log's length.
  package func write(to log: EventLog) throws {
    var writer = BranchWriter(target: log)
    var next: UInt64 = 1
    for place in Set(edits.inserts.map(\.after) + [head]).sorted() {
      if next <= place { try write(next...place, to: &writer) }
      let header = try timeline.log.read { try $0.header(at: max(place, 1)) }
      for insert in edits.inserts where insert.after == place {
        try write(insert, time: header?.ownTime, to: &writer)
      }
      next = place + 1
    }
    let meta = try timeline.log.meta
    try writer.append(marks: LogMarks(account: meta.account, connections: meta.connections))
    log.keepSnapshots()
  }

  private func write(_ records: ClosedRange<UInt64>, to writer: inout BranchWriter) throws {
    let swapped = try swappedRecords(in: records)
    try timeline.log.forEachRecord(in: records) { header, bytes in
      if let other = swapped[header.sequence] {
        writer.add(other.header, other.bytes, time: header.ownTime)
      } else if !edits.drops(header.sequence) {
        writer.add(header, [UInt8](bytes), time: header.ownTime)
      }
    } between: {
      try writer.appendIfDue()
    }
  }

  /// The records that take the places of those in a range, by the number of the place.
  private func swappedRecords(in range: ClosedRange<UInt64>) throws -> [UInt64: StoredRecord] {
    var records: [UInt64: StoredRecord] = [:]
    try timeline.log.read { transaction in
      for (place, other) in edits.swaps.flatMap({ [$0, ($0.1, $0.0)] })
      where range.contains(place) {
        records[place] = try transaction.record(at: other)
      }
    }
    return records
  }

  private func write(
    _ insert: BranchEdits.Insert, time: Int64?, to writer: inout BranchWriter
  ) throws {
    try insert.records.forEachRecord(in: 1...UInt64.max) { header, bytes in
      guard !header.kind.isCaptureHeader(bytes) else { return }
      writer.add(header, [UInt8](bytes), time: time)
    } between: {
      try writer.appendIfDue()
    }
  }
}

/// Collects records, and appends them to a log in batches.
private struct BranchWriter {
  private let target: EventLog
  private var pending = RecordArena()
  private let reader = RecordReader()

  init(target: EventLog) {
    self.target = target
  }

  mutating func add(_ header: RecordHeader, _ bytes: [UInt8], time: Int64?) {
    pending.add(
      RecordDraft(
        time: time, direction: header.direction, kind: header.kind,
        connection: header.connection, bytes: bytes,
        decoded: reader.decode(header.kind, header.direction, bytes)))
  }

  mutating func appendIfDue() throws {
    if CaptureImport.isBatch(pending) { try append() }
  }

  /// Appends the collected records.
  mutating func append(marks: LogMarks = LogMarks()) throws {
    try target.append(pending, marks: marks)
    pending.removeAll()
  }
}
