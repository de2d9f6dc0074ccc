import Foundation
import XMPPStanza
import XMPPStream

/// Reads recordings of the bytes of connections, one JSON object for what one read gave.
final class RawReader: LineReader {
  /// One way of one connection.
  private struct Way {
    let parser: StreamParser
    /// The number of the line that it was fed last.
    var lastUse = 0
    /// The line on which the open element began.
    var start = 0
    var gap: StreamGap?
  }

  private struct WayKey: Hashable {
    let connection: String
    let direction: Direction
  }

  private struct Connection {
    var hasEnded = false
  }

  private let limits: StreamLimits
  private var connections: [String: Connection] = [:]
  private var ways: [WayKey: Way] = [:]

  /// A parser takes some 20 KB. A recording can have any number of connections.
  private static let maximumWays = 512

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

  /// Seconds since 1970; nil for a time that cannot be.
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

  /// Feeds what one read gave; `record` is what an event of it looks like but for its content.
  private func feed(
    _ bytes: [UInt8], _ direction: Direction, _ record: CapturedRecord, _ sink: Sink
  ) throws {
    if ways.count > Self.maximumWays { try forgetOldest(sink) }
    let key = WayKey(connection: record.connection, direction: direction)
    var connection = connections[record.connection] ?? Connection()
    var way = ways[key] ?? Way(parser: parser(for: bytes))
    defer {
      ways[key] = way
      connections[record.connection] = connection
    }
    if way.gap != nil {
      guard TopLevel.isStreamHeader(bytes[...]) else {
        way.gap?.bytes += bytes.count
        return
      }
      try report(&way, sink)
      way = Way(parser: parser(for: bytes))
    }
    way.lastUse = record.line
    if way.parser.isBetweenElements { way.start = record.line }
    var events: [StreamEvent] = []
    do {
      try way.parser.feed(bytes) { events.append($0) }
    } catch let error as StreamError {
      way.gap = StreamGap(line: record.line, reason: error.kind.description)
    }
    if !events.isEmpty { way.start = record.line }
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

  // MARK: What could not be read

  /// Forgets the ways that were fed longest ago: those between elements lose nothing, and of the
  /// others that they were broken off is told.
  private func forgetOldest(_ sink: Sink) throws {
    let oldest = ways.sorted { a, b in
      (a.value.parser.isBetweenElements ? 0 : 1, a.value.lastUse)
        < (b.value.parser.isBetweenElements ? 0 : 1, b.value.lastUse)
    }
    for (key, _) in oldest.prefix(Self.maximumWays / 4) { try reportRest(of: key, sink) }
  }

  private func reportRest(of name: String, _ sink: Sink) throws {
    for direction in Direction.allCases {
      try reportRest(of: WayKey(connection: name, direction: direction), sink)
    }
  }

  /// Forgets a way, and says what of it could not be read.
  private func reportRest(of key: WayKey, _ sink: Sink) throws {
    guard var way = ways.removeValue(forKey: key) else { return }
    if way.gap == nil, !way.parser.isBetweenElements {
      way.gap = StreamGap(line: way.start, reason: "it ends inside an element")
    }
    try report(&way, sink)
  }

  private func report(_ way: inout Way, _ sink: Sink) throws {
    guard let gap = way.gap else { return }
    way.gap = nil
    try sink(.problem(gap.problem))
  }
}
