import EventStore

/// Different in each run of the program, so that an attacker cannot send a stanza that is mistaken
/// for a known one.
private let seed = UInt64.random(in: 0...UInt64.max)

/// Recognizes a record again, within one run of the program.
struct RecordPrint {
  /// A hash of its kind and bytes.
  let bytes: UInt64
  /// The time by the source's clock; the least number for none.
  private let clock: Int64
  /// Its connection in its own log.
  let connection: UInt32
  let direction: RecordDirection
  /// Whether it is a capture's header.
  let isHeader: Bool
  /// Whether it belongs to a stream; annotations and headers do not.
  let isOfStream: Bool

  fileprivate init(_ header: RecordHeader, _ bytes: RawSpan) {
    self.bytes = Checksum(of: bytes, seed: seed &+ UInt64(header.kind.rawValue)).prefix
    clock = header.ownTime ?? .min
    connection = header.connection
    direction = header.direction
    isHeader = header.kind.isCaptureHeader(bytes)
    isOfStream = header.kind != .annotation && !isHeader
  }

  /// The time by the source's clock; nil for none.
  var time: Int64? { clock == .min ? nil : clock }

  /// A hash of its bytes, time and direction.
  var whole: UInt64 {
    // The odd multiplier spreads times that are close together over all bits.
    (bytes ^ UInt64(bitPattern: clock) &* 0x9E37_79B9_7F4A_7C15) &+ UInt64(direction.rawValue)
  }
}

/// The prints of all records of a log, by number; 24 bytes each.
struct RecordFingerprints {
  private var prints: [RecordPrint] = []

  init<Log: LogTransaction & ~Copyable>(of log: borrowing Log) throws {
    prints.reserveCapacity(Int(clamping: try log.lastSequence))
    try log.forEachRecord(in: 1...UInt64.max) { header, bytes in
      prints.append(RecordPrint(header, bytes))
    }
  }

  init(of log: EventLog) throws {
    try log.forEachRecord(in: 1...UInt64.max) { header, bytes in
      prints.append(RecordPrint(header, bytes))
    }
  }

  /// The number of the last record.
  var last: UInt64 { UInt64(prints.count) }

  /// The print of an existing record.
  subscript(record: UInt64) -> RecordPrint { prints[Int(record - 1)] }

  /// The records in some ranges that belong to some connections, in order.
  func records(_ ranges: [ClosedRange<UInt64>], of connections: Set<UInt32>) -> [UInt64] {
    guard last > 0 else { return [] }
    return ranges.flatMap { range in
      range.clamped(to: 1...last).filter {
        range.contains($0) && connections.contains(self[$0].connection)
      }
    }
  }

  /// The earliest and latest time of some records of streams; nil if none has a time. The user's
  /// annotations are not part of what a capture covers.
  func span(of records: some Sequence<UInt64>) -> ClosedRange<Int64>? {
    var span: ClosedRange<Int64>?
    for record in records {
      guard self[record].isOfStream, let time = self[record].time else { continue }
      span = min(time, span?.lowerBound ?? time)...max(time, span?.upperBound ?? time)
    }
    return span
  }
}
