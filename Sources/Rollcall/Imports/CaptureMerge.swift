package import EventStore
import RawBytes
import RosterCore

/// Merges several captures of one account over the same time into one history, ordered by the time
/// of the records; each capture has its own connections.
///
/// The records of a capture keep their order; a record without a time follows the previous one.
/// Memory: a slice of the records of each capture, and eight bytes per record.
package struct CaptureMerge {
  /// A capture that was read into its own log.
  package struct Part {
    package let log: EventLog
    /// The name for its connection if the capture does not have one.
    package let name: String
    /// The log that the capture is a file of; equal for all files of a rotated log.
    package let source: String
    /// The contents of the log.
    package internal(set) var capture: StagedCapture
    /// The times that it covers; nil if it has no times.
    package internal(set) var span: ClosedRange<Int64>?

    /// Whether none of it is known to precede the end of another capture.
    func follows(_ other: Part) -> Bool {
      guard let own = span, let before = other.span else { return true }
      return own.lowerBound >= before.upperBound
    }

    /// The number of records that are examined to see how it begins.
    private static let beginning: UInt64 = 200

    /// Whether it is the log of one client and begins with a login, so that it continues no session
    /// of another one.
    var beginsSession: Bool {
      get throws {
        guard try log.meta.connections.isEmpty else { return false }
        let reader = RecordReader()
        var begins: Bool?
        try log.forEachRecord(in: 1...Self.beginning) { header, bytes in
          guard begins == nil, let event = reader.decode(header, bytes).event else { return }
          let session = SessionEvent(stored: event.span.bytes)
          if case .captureBegan = session { return }
          begins = session != nil
        }
        return begins ?? false
      }
    }
  }

  private let parts: [Part]

  /// A merge of captures, each with at least one record.
  init(_ parts: [Part]) {
    self.parts = parts
  }

  /// Whether two of them overlap in time, so that they cannot be put one after the other.
  var isDue: Bool {
    let spans = parts.compactMap(\.span).sorted { $0.lowerBound < $1.lowerBound }
    return zip(spans, spans.dropFirst()).contains { $0.upperBound > $1.lowerBound }
  }

  /// The times of a log's streams; nil if it has none.
  static func span(of log: EventLog) throws -> ClosedRange<Int64>? {
    var first: Int64?
    var last: Int64?
    try log.forEachRecord(in: 1...UInt64.max) { header, _ in
      guard header.kind != .annotation, let time = header.time else { return }
      first = first ?? time
      last = time
    }
    guard let first, let last else { return nil }
    return first...max(first, last)
  }

  /// Appends all records to a log, and notes the account.
  ///
  /// - Returns: The captures at their places in that log.
  func run(into target: EventLog) throws -> [StagedCapture] {
    var streams: [MergedStream] = []
    var end = Int64.min
    for part in parts {
      // A capture without times stays after the previous one.
      streams.append(try MergedStream(part.log, from: part.span?.lowerBound ?? end))
      end = part.span?.upperBound ?? end
    }
    let shared = Self.sharedNames(of: streams)
    var numbers = ConnectionNumbers()
    let reader = RecordReader()
    var count = try target.read { try $0.lastSequence }
    var pending = RecordArena()
    while let place = Self.earliest(of: streams) {
      guard let record = try streams[place].next() else { break }
      count += 1
      let part = parts[place]
      let number = record.header.connection
      let name =
        streams[place].names[number].map { shared.contains($0) ? "\(part.name) \($0)" : $0 }
        ?? (number == 1 ? part.name : "\(part.name) #\(number)")
      let draft = RecordDraft(
        time: record.header.ownTime, direction: record.header.direction,
        kind: record.header.kind,
        connection: numbers.number(of: Self.key(number, place), called: name),
        bytes: record.bytes,
        decoded: reader.decode(record.header.kind, record.header.direction, record.bytes))
      pending.add(streams[place].placed(draft, as: count))
      guard CaptureImport.isBatch(pending) else { continue }
      try target.append(pending)
      pending.removeAll()
    }
    try target.append(pending, marks: LogMarks(connections: numbers.names))
    for part in parts {
      try target.append([], marks: LogMarks(account: try part.log.meta.account))
    }
    target.keepSnapshots()
    return parts.enumerated().map { place, part in
      var capture = part.capture
      capture.records = 1...count
      capture.connections = capture.connections.compactMapValues {
        numbers.used[Self.key($0, place)]
      }
      return capture
    }
  }

  /// The connection names that occur in several captures, such as Smack's numbers. They do not
  /// distinguish the connections of one capture from those of another.
  private static func sharedNames(of streams: [MergedStream]) -> Set<String> {
    var (seen, shared): (Set<String>, Set<String>) = ([], [])
    for stream in streams {
      let names = Set(stream.names.values)
      shared.formUnion(seen.intersection(names))
      seen.formUnion(names)
    }
    return shared
  }

  /// The key of a capture's connection.
  private static func key(_ number: UInt32, _ place: Int) -> String { "\(place) \(number)" }

  /// The index of the stream whose next record is the earliest; the first of those with the same
  /// time.
  private static func earliest(of streams: [MergedStream]) -> Int? {
    streams.indices.filter { !streams[$0].isAtEnd }.min { streams[$0].time < streams[$1].time }
  }
}

/// The records of one capture during the merge.
private struct MergedStream {
  private let log: EventLog
  /// The names of its connections in the log.
  let names: [UInt32: String]
  private let last: UInt64
  private var slice: ArraySlice<(RecordHeader, [UInt8])> = []
  private var position: UInt64 = 0
  /// The time of the next record, or the previous time if it has none.
  private(set) var time: Int64
  /// The new numbers of its records, because bookmarks refer to them.
  private var numbers: [UInt64] = [0]

  /// - Parameter time: The time of records before the first one with a time.
  init(_ log: EventLog, from time: Int64) throws {
    (self.log, self.time) = (log, time)
    (names, last) = try log.read { (try $0.meta.connections, try $0.lastSequence) }
    try fill()
  }

  var isAtEnd: Bool { slice.isEmpty }

  mutating func next() throws -> (header: RecordHeader, bytes: [UInt8])? {
    let record = slice.popFirst()
    if record != nil { try fill() }
    return record
  }

  /// The record as it appears in the merged log.
  mutating func placed(_ draft: RecordDraft, as number: UInt64) -> RecordDraft {
    numbers.append(number)
    guard draft.kind == .annotation, let bookmark = Bookmark(draft.bytes) else { return draft }
    // It marks the record that was this many records earlier.
    let own = numbers.count - 1
    let marked = own - 1 - min(own - 1, Int(clamping: bookmark.back))
    return Bookmark(name: bookmark.name, back: number - 1 - numbers[marked]).draft
  }

  private mutating func fill() throws {
    if slice.isEmpty, position < last {
      var records: [(RecordHeader, [UInt8])] = []
      let next = try log.read { transaction in
        try transaction.forEachRecord(in: position + 1...last, bytes: EventLog.pieceBytes) {
          records.append(($0, [UInt8]($1)))
        }
      }
      position = next.map { $0 - 1 } ?? last
      slice = records[...]
    }
    if let next = slice.first?.0.time { time = next }
  }
}
