import EventStore

/// Another one in each run of the program, so that nobody can send a stanza that is taken for one
/// that is known.
private let seed = UInt64.random(in: 0...UInt64.max)

/// What a record is known again by, in one run of the program.
struct RecordPrint {
  /// Of its kind and bytes.
  let bytes: UInt64
  /// What the source's clock said; the least number where it said nothing.
  private let clock: Int64
  /// Its connection in its own log.
  let connection: UInt32
  let direction: RecordDirection
  /// Whether it is a capture's first line.
  let isHeader: Bool
  /// Whether it is of a stream, as annotations and a capture's first line are not.
  let isOfStream: Bool

  fileprivate init(_ header: RecordHeader, _ bytes: RawSpan) {
    self.bytes = Checksum(of: bytes, seed: seed &+ UInt64(header.kind.rawValue)).prefix
    clock = header.ownTime ?? .min
    connection = header.connection
    direction = header.direction
    isHeader = header.kind.isCaptureHeader(bytes)
    isOfStream = header.kind != .annotation && !isHeader
  }

  /// What the source's clock said; nil where it said nothing.
  var time: Int64? { clock == .min ? nil : clock }

  /// Of its bytes, time and direction.
  var whole: UInt64 {
    // The odd multiplier keeps times that are near each other apart in all bits.
    (bytes ^ UInt64(bitPattern: clock) &* 0x9E37_79B9_7F4A_7C15) &+ UInt64(direction.rawValue)
  }
}

/// The prints of all records of a log, by their number: 24 bytes each.
struct RecordPrints {
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

  /// The number of the last one.
  var last: UInt64 { UInt64(prints.count) }

  /// That of a record that is there.
  subscript(record: UInt64) -> RecordPrint { prints[Int(record - 1)] }

  /// The records of some ranges that are of some connections, in order.
  func records(_ ranges: [ClosedRange<UInt64>], of connections: Set<UInt32>) -> [UInt64] {
    guard last > 0 else { return [] }
    return ranges.flatMap { range in
      range.clamped(to: 1...last).filter {
        range.contains($0) && connections.contains(self[$0].connection)
      }
    }
  }

  /// The earliest and the latest of the times of some records of streams; nil where none has a
  /// time. What a user said meanwhile is no part of what a capture tells.
  func span(of records: some Sequence<UInt64>) -> ClosedRange<Int64>? {
    var span: ClosedRange<Int64>?
    for record in records {
      guard self[record].isOfStream, let time = self[record].time else { continue }
      span = min(time, span?.lowerBound ?? time)...max(time, span?.upperBound ?? time)
    }
    return span
  }
}
