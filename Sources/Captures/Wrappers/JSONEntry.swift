import XMPPStanza

/// The lines of a log in an entry that a collector or a logger wrote as JSON: journald, Docker,
/// Fluentd, Elasticsearch, Loki, pino, bunyan and others.
enum JSONEntry {
  /// The members that hold the text, in the order in which they are looked for.
  static let textNames = [
    "MESSAGE", "message", "msg", "log", "line", "@message", "_raw", "textPayload", "text", "body",
    "event.original", "content",
  ]
  /// The members that hold the time.
  static let timeNames = [
    "__REALTIME_TIMESTAMP", "_SOURCE_REALTIME_TIMESTAMP", "@timestamp", "timestamp", "time", "ts",
    "_time", "date", "datetime", "t",
  ]
  /// The members whose objects and arrays hold the entry.
  private static let envelopes = [
    "_source", "streams", "data", "result", "hits", "entries", "events", "logs", "record",
    "jsonPayload", "body", "payload", "event", "fields", "values",
  ]
  private static let maximumNesting = 6

  /// The lines of an entry, which may be one of an array or of a sequence (RFC 7464), or one member
  /// of an entry on a line of its own; nil if a line is none or holds no text.
  static func lines(_ line: ArraySlice<UInt8>) -> [LineWrapper.Line]? {
    var text = line.drop { $0.isXMLSpace || $0 == 0x1E }
    if text.starts(with: "data: ".utf8) { text = text.dropFirst(6) }
    text = text.prefix(text.count - text.reversed().prefix(while: \.isXMLSpace).count)
    if text.last == UInt8(ascii: ",") { text = text.dropLast() }
    guard let first = text.first else { return nil }
    var found: [LineWrapper.Line] = []
    switch first {
    case UInt8(ascii: "{"):
      if let object = try? JSONScanner.object(text) {
        collect(object, nil, 0, &found)
      } else if text.last == UInt8(ascii: "]"),
        let object = try? JSONScanner.object(text.dropLast())
      {
        collect(object, nil, 0, &found)
      }
    case UInt8(ascii: "["):
      let array: [UInt8] = Array("{\"entries\":".utf8) + text + [UInt8(ascii: "}")]
      if let object = try? JSONScanner.object(array[...]) {
        collect(object, nil, 0, &found)
      } else if let object = try? JSONScanner.object(text.dropFirst()) {
        collect(object, nil, 0, &found)
      }
    case UInt8(ascii: "\""):
      let member: [UInt8] = [UInt8(ascii: "{")] + text + [UInt8(ascii: "}")]
      if let object = try? JSONScanner.object(member[...]) { collect(object, nil, 0, &found) }
    default: return nil
    }
    return found.isEmpty ? nil : found
  }

  private static func collect(
    _ object: [String: JSONValue], _ time: LogTime?, _ depth: Int,
    _ found: inout [LineWrapper.Line]
  ) {
    let time = timeNames.lazy.compactMap { object[$0].flatMap(Self.time) }.first ?? time
    let source = object["SYSLOG_IDENTIFIER"]?.string ?? ""
    for name in textNames {
      guard let text = object[name].flatMap(bytes) else { continue }
      return append(text, source, time, &found)
    }
    guard depth < maximumNesting else { return }
    for name in envelopes {
      switch object[name] {
      case .object(let inner): collect(inner, time, depth + 1, &found)
      case .array(let values):
        for value in values { collect(value, time, depth + 1, &found) }
      case nil, .null, .bool, .integer, .decimal, .string: continue
      }
      if !found.isEmpty { return }
    }
  }

  /// An element of an array: an entry, or Loki's time and line.
  private static func collect(
    _ value: JSONValue, _ time: LogTime?, _ depth: Int, _ found: inout [LineWrapper.Line]
  ) {
    switch value {
    case .object(let inner): collect(inner, time, depth, &found)
    case .array(let pair):
      guard pair.count >= 2, let text = pair[1].string else { return }
      append(Array(text.utf8), "", Self.time(pair[0]) ?? time, &found)
    case .null, .bool, .integer, .decimal, .string: return
    }
  }

  private static func append(
    _ text: [UInt8], _ source: String, _ time: LogTime?, _ found: inout [LineWrapper.Line]
  ) {
    var parts = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    if parts.count > 1, parts.last?.isEmpty == true { parts.removeLast() }
    for (index, part) in parts.enumerated() {
      let bytes = part.last == UInt8(ascii: "\r") ? part.dropLast() : part
      found.append(
        LineWrapper.Line(text: bytes, source: source, time: time, isContinuation: index > 0))
    }
  }

  /// A text, which journald writes as numbers if it has bytes that are no text.
  private static func bytes(_ value: JSONValue) -> [UInt8]? {
    switch value {
    case .string(let text): return Array(text.utf8)
    case .array(let values):
      let bytes = values.compactMap { value -> UInt8? in
        guard case .integer(let number) = value else { return nil }
        return UInt8(exactly: number)
      }
      return !bytes.isEmpty && bytes.count == values.count ? bytes : nil
    case .null, .bool, .integer, .decimal, .object: return nil
    }
  }

  /// A time as text, or as seconds, milliseconds, microseconds or nanoseconds since 1970, whichever
  /// gives a year of this century.
  static func time(_ value: JSONValue) -> LogTime? {
    switch value {
    case .string(let text):
      if let number = Int64(text) { return time(.integer(number)) }
      return LogTime.isoTime(in: Array(text.utf8)[...])
    case .integer(let number):
      switch number {
      case 1_000_000_000..<100_000_000_000: return .complete(number * 1000)
      case 1_000_000_000_000..<100_000_000_000_000: return .complete(number)
      case 1_000_000_000_000_000..<100_000_000_000_000_000: return .complete(number / 1000)
      case 1_000_000_000_000_000_000...: return .complete(number / 1_000_000)
      default: return nil
      }
    case .decimal(let seconds):
      guard (1e9..<1e11).contains(seconds) else { return nil }
      return LogClock.milliseconds(exactly: seconds * 1000).map { .complete($0) }
    case .null, .bool, .array, .object: return nil
    }
  }
}
