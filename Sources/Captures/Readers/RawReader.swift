import Foundation
import XMPPStanza
import XMPPStream

/// Reads recordings of the bytes of connections, with one JSON object for each read.
final class RawReader: LineReader {
  /// One direction of a connection.
  private struct HalfStream {
    let parser: StreamParser
    /// The number of the line that was fed last.
    var lastUse = 0
    /// The line on which the open element began.
    var start = 0
    var gap: StreamGap?
  }

  private struct HalfStreamKey: Hashable {
    let connection: String
    let direction: Direction
  }

  private struct Connection {
    var hasEnded = false
  }

  private let limits: StreamLimits
  private var connections: [String: Connection] = [:]
  private var halves: [HalfStreamKey: HalfStream] = [:]

  /// A parser takes about 20 KB, and a recording can have any number of connections.
  private static let maximumHalves = 512

  init(_ options: ReaderOptions) {
    limits = options.limits
  }

  func take(_ line: ArraySlice<UInt8>, number: Int, _ sink: Sink) throws {
    guard !line.allSatisfy(\.isXMLSpace) else { return }
    func problem(_ message: String) throws {
      try sink(.problem(CaptureProblem(line: number, message: message)))
    }
    let object: [String: JSONValue]
    do {
      object = try JSONScanner.object(line)
    } catch {
      return try problem(error.description)
    }
    let name: String
    switch object["conn"] {
    case .integer(let number): name = String(number)
    case .string(let text): name = text
    default: return try problem("\"conn\" is missing or is neither a number nor a string")
    }
    var record = CapturedRecord(
      connection: name, time: Self.time(object["t"]), line: number,
      content: .lifecycle(.closed(reason: nil)))
    switch (object["event"]?.string, object["dir"]?.string) {
    case ("open", nil):
      // A name may be used again.
      guard connections[name] != nil else { return connections[name] = Connection() }
      try close(record, sink)
      connections[name] = Connection()
    case ("close", nil): try close(record, sink)
    case (nil, "C>S"), (nil, "S>C"):
      guard let bytes = Self.data(object) else {
        return try problem("\"data\" or \"data_b64\" is missing or malformed")
      }
      let direction = object["dir"]?.string == "C>S" ? Direction.outbound : .inbound
      record.content = .streamEnd(direction)
      try feed(bytes, direction, record, sink)
    default: try problem("the line has no known \"event\" or \"dir\"")
    }
  }

  func finish(_ sink: Sink) throws {
    for name in connections.keys.sorted() { try reportRest(of: name, sink) }
  }

  /// The time from seconds since 1970; nil if it is out of range.
  private static func time(_ value: JSONValue?) -> Int64? {
    switch value {
    case .integer(let seconds): LogClock.milliseconds(exactly: Double(seconds) * 1000)
    case .decimal(let seconds): LogClock.milliseconds(exactly: seconds * 1000)
    case nil, .null, .bool, .string, .array, .object: nil
    }
  }

  private static func data(_ object: [String: JSONValue]) -> [UInt8]? {
    switch (object["data"], object["data_b64"]) {
    case (.string(let text), nil): Array(text.utf8)
    case (nil, .string(let text)): Data(base64Encoded: text).map { [UInt8]($0) }
    default: nil
    }
  }

  // MARK: Bytes

  /// Feeds the bytes of one read. `record` is the record of an event, except for its content.
  private func feed(
    _ bytes: [UInt8], _ direction: Direction, _ record: CapturedRecord, _ sink: Sink
  ) throws {
    if halves.count > Self.maximumHalves { try forgetOldest(sink) }
    let key = HalfStreamKey(connection: record.connection, direction: direction)
    var connection = connections[record.connection] ?? Connection()
    var half = halves[key] ?? HalfStream(parser: parser(for: bytes))
    defer {
      halves[key] = half
      connections[record.connection] = connection
    }
    if half.gap != nil {
      guard TopLevel.isStreamHeader(bytes[...]) else {
        half.gap?.bytes += bytes.count
        return
      }
      try report(&half, sink)
      half = HalfStream(parser: parser(for: bytes))
    }
    half.lastUse = record.line
    if half.parser.isBetweenElements { half.start = record.line }
    var events: [StreamEvent] = []
    do {
      try half.parser.feed(bytes) { events.append($0) }
    } catch let error as StreamError {
      half.gap = StreamGap(line: record.line, reason: error.kind.description)
    }
    if !events.isEmpty { half.start = record.line }
    for event in events {
      var found = record
      found.content = CapturedRecord.Content(event, direction)
      switch event {
      case .header: connection.hasEnded = false
      case .end: connection.hasEnded = true
      case .element: break
      }
      try sink(.record(found))
    }
  }

  /// A recording that begins in mid-session has elements without a header.
  private func parser(for bytes: [UInt8]) -> StreamParser {
    StreamParser(root: TopLevel.isStreamHeader(bytes[...]) ? .wire : .records, limits: limits)
  }

  private func close(_ record: CapturedRecord, _ sink: Sink) throws {
    try reportRest(of: record.connection, sink)
    guard let connection = connections.removeValue(forKey: record.connection) else { return }
    if !connection.hasEnded { try sink(.record(record)) }
  }

  // MARK: Gaps

  /// Forgets the least recently fed streams. Streams between elements come first and lose nothing;
  /// an open element of any other is reported.
  private func forgetOldest(_ sink: Sink) throws {
    let oldest = halves.sorted { a, b in
      (a.value.parser.isBetweenElements ? 0 : 1, a.value.lastUse)
        < (b.value.parser.isBetweenElements ? 0 : 1, b.value.lastUse)
    }
    for (key, _) in oldest.prefix(Self.maximumHalves / 4) { try reportRest(of: key, sink) }
  }

  private func reportRest(of name: String, _ sink: Sink) throws {
    for direction in Direction.allCases {
      try reportRest(of: HalfStreamKey(connection: name, direction: direction), sink)
    }
  }

  /// Forgets a stream, and reports the part of it that could not be read.
  private func reportRest(of key: HalfStreamKey, _ sink: Sink) throws {
    guard var half = halves.removeValue(forKey: key) else { return }
    if half.gap == nil, !half.parser.isBetweenElements {
      half.gap = StreamGap(line: half.start, reason: "it ends inside an element")
    }
    try report(&half, sink)
  }

  private func report(_ half: inout HalfStream, _ sink: Sink) throws {
    guard let gap = half.gap else { return }
    half.gap = nil
    try sink(.problem(gap.problem))
  }
}
