import Foundation
import XMPPStanza
import XMPPStream

/// Reads the archive of a browser's network traffic (HAR): the messages of WebSocket connections
/// (RFC 7395) and the bodies of BOSH requests (XEP-0124).
///
/// Only these texts and their times are kept. URLs of requests, headers and cookies are skipped as
/// they are read.
final class HARReader: ByteReader {
  /// The parts of an entry that have been read.
  private struct Entry {
    var started: Int64?
    var duration: Double = 0
    var request: [UInt8]?
    var response: [UInt8]?
    var isEncoded = false
    /// The name of its connection, if it has messages.
    var name: String?
  }

  /// The parts of a message that have been read.
  private struct Message {
    var isSent: Bool?
    var time: Int64?
    var text: [UInt8]?
    /// Whether it is a binary frame, which the archive has in Base64.
    var isBinary = false
  }

  private var json: JSONStream
  private let parser: StreamParser
  private var entry = Entry()
  private var message = Message()
  private var line = 1
  /// The bytes of a byte-order mark at the beginning that may still follow.
  private var mark = HARReader.byteOrderMark[...]
  private var sockets = 0
  /// The numbers of BOSH sessions, by their ids.
  private var sessions: [String: Int] = [:]
  private var failure: JSONError?
  /// Connections overlap in time, but the archive lists them one after the other.
  private var order = TimeOrder()

  private static let maximumSessions = 10_000
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private static let entryPath = ["log", "entries", "*"]

  init(_ options: ReaderOptions) {
    // A byte of text takes at most six bytes: `\u003c`.
    json = JSONStream(maximumBytes: 6 * options.limits.bytesPerElement)
    parser = StreamParser(root: .records, limits: options.limits)
  }

  func read(_ bytes: [UInt8], _ sink: Sink) throws {
    for byte in bytes where failure == nil {
      if !mark.isEmpty {
        let isMark = byte == mark.first
        mark = isMark ? mark.dropFirst() : []
        if isMark { continue }
      }
      do {
        try json.read(byte, wants: Self.wants) { path, event in try handle(path, event) }
      } catch let error as JSONError {
        failure = error
        let message = "the archive cannot be read from here on: it is not JSON"
        order.hold(.problem(CaptureProblem(line: line, message: message)))
      }
      if byte == UInt8(ascii: "\n") { line += 1 }
    }
    try order.trim(sink)
  }

  func finish(_ sink: Sink) throws {
    if failure == nil, !json.path.isEmpty {
      order.hold(.problem(CaptureProblem(line: line, message: "the archive is cut off")))
    }
    try order.finish(sink)
  }

  // MARK: The archive

  /// The paths, below an entry, of the values that are kept.
  private static let keptPaths: Set<[String]> = [
    ["startedDateTime"], ["time"], ["request", "postData", "text"],
    ["response", "content", "text"], ["response", "content", "encoding"],
    ["_webSocketMessages", "*", "type"], ["_webSocketMessages", "*", "time"],
    ["_webSocketMessages", "*", "data"], ["_webSocketMessages", "*", "opcode"],
  ]

  private static func wants(_ path: [String]) -> Bool {
    subpath(of: path).map { keptPaths.contains($0) } ?? false
  }

  /// A path below an entry; nil for any other.
  private static func subpath(of path: [String]) -> [String]? {
    path.starts(with: entryPath) ? Array(path.dropFirst(entryPath.count)) : nil
  }

  private func handle(_ path: [String], _ event: JSONStream.Event) throws {
    guard let subpath = Self.subpath(of: path) else { return }
    switch event {
    case .end:
      if subpath.isEmpty { finishEntry() }
      if subpath == ["_webSocketMessages", "*"] { finishMessage() }
    case .value(nil):
      order.hold(.problem(CaptureProblem(line: line, message: "a message is too long")))
    case .value(let text): store(text.flatMap(JSONScanner.scalar), at: subpath)
    }
  }

  private func store(_ value: JSONValue?, at subpath: [String]) {
    switch subpath {
    case ["startedDateTime"]:
      let stamp = value?.string.flatMap { LogTime.isoTime(in: Array($0.utf8)[...]) }
      if case .complete(let time)? = stamp { entry.started = time }
    case ["time"]: entry.duration = Self.number(value) ?? 0
    case ["request", "postData", "text"]: entry.request = value?.string.map { Array($0.utf8) }
    case ["response", "content", "text"]: entry.response = value?.string.map { Array($0.utf8) }
    case ["response", "content", "encoding"]: entry.isEncoded = value?.string == "base64"
    case ["_webSocketMessages", "*", "type"]:
      switch value?.string {
      case "send": message.isSent = true
      case "receive": message.isSent = false
      default: message.isSent = nil
      }
    case ["_webSocketMessages", "*", "time"]:
      message.time = Self.number(value).flatMap {
        LogClock.milliseconds(exactly: ($0 * 1000).rounded())
      }
    case ["_webSocketMessages", "*", "opcode"]: message.isBinary = Self.number(value) == 2
    case ["_webSocketMessages", "*", "data"]: message.text = value?.string.map { Array($0.utf8) }
    default: break
    }
  }

  private static func number(_ value: JSONValue?) -> Double? {
    switch value {
    case .integer(let number): Double(number)
    case .decimal(let number): number
    case nil, .null, .bool, .string, .array, .object: nil
    }
  }

  // MARK: Messages and bodies

  private func finishMessage() {
    defer { message = Message() }
    guard let isSent = message.isSent,
      let text = message.isBinary ? Self.decoded(message.text) : message.text,
      Self.isOfStream(text[...])
    else { return }
    let name = entry.name ?? "websocket \(sockets + 1)"
    if entry.name == nil { sockets += 1 }
    entry.name = name
    emit(text, isSent ? .outbound : .inbound, of: name, message.time)
  }

  private func finishEntry() {
    defer { entry = Entry() }
    guard entry.name == nil else { return }
    let response = entry.isEncoded ? Self.decoded(entry.response) : entry.response
    let bodies = [entry.request, response].map { text in
      text.flatMap { Self.isBody($0[...]) ? $0 : nil }
    }
    guard let session = bodies.compactMap({ $0.flatMap(sessionID) }).first else { return }
    if sessions[session] == nil, sessions.count < Self.maximumSessions {
      sessions[session] = sessions.count + 1
    }
    let name = "bosh \(sessions[session] ?? 0)"
    if let request = bodies[0] { emit(request, .outbound, of: name, entry.started) }
    let end = entry.started.map { $0 &+ (LogClock.milliseconds(exactly: entry.duration) ?? 0) }
    if let answer = bodies[1] { emit(answer, .inbound, of: name, end) }
  }

  private static func decoded(_ text: [UInt8]?) -> [UInt8]? {
    text.flatMap { Data(base64Encoded: Data($0)) }.map { [UInt8]($0) }
  }

  private static func isOfStream(_ text: ArraySlice<UInt8>) -> Bool {
    TopLevel.isElement(text) || ["open", "close"].contains(TopLevel.localName(text))
  }

  private static func isBody(_ text: ArraySlice<UInt8>) -> Bool {
    TopLevel.localName(text) == "body"
      && text.prefix(2048).position(of: Array("http://jabber.org/protocol/httpbind".utf8)) != nil
  }

  /// The id of the session that a body names.
  private func sessionID(_ body: [UInt8]) -> String? {
    var id: String?
    parser.reset()
    try? parser.feed(body) { event in
      if case .element(let element) = event { id = element.node.attribute("sid") }
    }
    return id
  }

  private func emit(
    _ text: [UInt8], _ direction: Direction, of name: String, _ time: Int64?
  ) {
    parser.reset()
    var events: [StreamEvent] = []
    do {
      try parser.feed(text) { events.append($0) }
      try parser.finish()
    } catch {
      let reason = (error as? StreamError)?.kind.description ?? "\(error)"
      let message = "a message cannot be read: \(reason)"
      order.hold(.problem(CaptureProblem(line: line, message: message)), time)
    }
    for event in events.flatMap(\.unwrapped) {
      let content = CapturedRecord.Content(event, direction)
      let record = CapturedRecord(connection: name, time: time, line: line, content: content)
      order.hold(.record(record), time, bytes: text.count)
    }
  }
}
