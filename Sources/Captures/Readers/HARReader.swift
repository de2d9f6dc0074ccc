import Foundation
import XMPPStanza
import XMPPStream

/// Reads the archive of a browser's network traffic (HAR): the messages of WebSocket connections
/// (RFC 7395) and the bodies of BOSH requests (XEP-0124).
///
/// Only these texts and their times are kept. Addresses of requests, headers and cookies are passed
/// over as they are read.
final class HARReader: ByteReader {
  /// What of an entry has been read.
  private struct Entry {
    var started: Int64?
    var duration: Double = 0
    var request: [UInt8]?
    var response: [UInt8]?
    var isEncoded = false
    /// The name of its connection, if it has messages.
    var name: String?
  }

  /// What of a message has been read.
  private struct Message {
    var isSent: Bool?
    var time: Int64?
    var text: [UInt8]?
  }

  private struct Held {
    let time: Int64?
    let output: CaptureOutput
    let bytes: Int
  }

  private var json: JSONStream
  private let parser: StreamParser
  private var entry = Entry()
  private var message = Message()
  private var line = 1
  private var sockets = 0
  /// The numbers of BOSH sessions, by their ids.
  private var sessions: [String: Int] = [:]
  private var failure: JSONError?
  /// What waits for its turn: connections overlap in time, and the archive has one after the other.
  private var held: [Held] = []
  private var heldBytes = 0

  private static let maximumHeld = 50_000
  private static let maximumHeldBytes = 32 << 20
  private static let maximumSessions = 10_000

  private static let entryPath = ["log", "entries", "*"]

  init(_ options: ReaderOptions) {
    // A byte of text takes six at most: `\u003c`.
    json = JSONStream(maximumBytes: 6 * options.limits.bytesPerElement)
    parser = StreamParser(root: .records, limits: options.limits)
  }

  func read(_ bytes: [UInt8], _ sink: Sink) throws {
    for byte in bytes where failure == nil {
      do {
        try json.read(byte, wants: Self.wants) { path, event in try take(path, event) }
      } catch let error as JSONError {
        failure = error
        hold(
          .problem(CaptureProblem(line: line, message: "the archive cannot be read on: \(error)")))
      }
      if byte == UInt8(ascii: "\n") { line += 1 }
    }
    guard held.count > Self.maximumHeld || heldBytes > Self.maximumHeldBytes else { return }
    try release(held.count / 2, sink)
  }

  func finish(_ sink: Sink) throws {
    if failure == nil, !json.path.isEmpty {
      hold(.problem(CaptureProblem(line: line, message: "the archive ends before its end")))
    }
    try release(held.count, sink)
  }

  // MARK: The archive

  /// The places of what is kept, below an entry.
  private static let wanted: Set<[String]> = [
    ["startedDateTime"], ["time"], ["request", "postData", "text"],
    ["response", "content", "text"], ["response", "content", "encoding"],
    ["_webSocketMessages", "*", "type"], ["_webSocketMessages", "*", "time"],
    ["_webSocketMessages", "*", "data"],
  ]

  private static func wants(_ path: [String]) -> Bool {
    place(path).map { wanted.contains($0) } ?? false
  }

  /// A path below an entry; nil for any other.
  private static func place(_ path: [String]) -> [String]? {
    path.starts(with: entryPath) ? Array(path.dropFirst(entryPath.count)) : nil
  }

  private func take(_ path: [String], _ event: JSONStream.Event) throws {
    guard let place = Self.place(path) else { return }
    switch event {
    case .end:
      if place.isEmpty { finishEntry() }
      if place == ["_webSocketMessages", "*"] { finishMessage() }
    case .value(let text): take(text.flatMap(JSONScanner.scalar), at: place)
    }
  }

  private func take(_ value: JSONValue?, at place: [String]) {
    switch place {
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

  // MARK: What it holds

  private func finishMessage() {
    defer { message = Message() }
    guard let isSent = message.isSent, let text = message.text, Self.isOfStream(text[...]) else {
      return
    }
    let name = entry.name ?? "websocket \(sockets + 1)"
    if entry.name == nil { sockets += 1 }
    entry.name = name
    give(text, isSent ? .outbound : .inbound, of: name, message.time)
  }

  private func finishEntry() {
    defer { entry = Entry() }
    guard entry.name == nil else { return }
    let response =
      entry.isEncoded
      ? entry.response.flatMap { Data(base64Encoded: Data($0)) }.map { [UInt8]($0) }
      : entry.response
    let bodies = [entry.request, response].map { text in
      text.flatMap { Self.isBody($0[...]) ? $0 : nil }
    }
    guard let session = bodies.compactMap({ $0.flatMap(sessionID) }).first else { return }
    if sessions[session] == nil, sessions.count < Self.maximumSessions {
      sessions[session] = sessions.count + 1
    }
    let name = "bosh \(sessions[session] ?? 0)"
    if let request = bodies[0] { give(request, .outbound, of: name, entry.started) }
    let end = entry.started.map { $0 &+ (LogClock.milliseconds(exactly: entry.duration) ?? 0) }
    if let answer = bodies[1] { give(answer, .inbound, of: name, end) }
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

  private func give(
    _ text: [UInt8], _ direction: Direction, of name: String, _ time: Int64?
  ) {
    parser.reset()
    var events: [StreamEvent] = []
    do {
      try parser.feed(text) { events.append($0) }
      try parser.finish()
    } catch {
      let reason = (error as? StreamError)?.kind.description ?? "\(error)"
      hold(
        .problem(CaptureProblem(line: line, message: "a message cannot be read: \(reason)")), time)
    }
    for event in events.flatMap(\.unwrapped) {
      let content = CapturedRecord.Content(Self.framed(event), direction)
      let record = CapturedRecord(connection: name, time: time, line: line, content: content)
      hold(.record(record), time, text.count)
    }
  }

  /// The frame that closes a stream is its end (RFC 7395 §3.6).
  private static func framed(_ event: StreamEvent) -> StreamEvent {
    guard case .element(let element) = event,
      element.node.is("close", in: "urn:ietf:params:xml:ns:xmpp-framing")
    else { return event }
    return .end
  }

  // MARK: Order

  private func hold(_ output: CaptureOutput, _ time: Int64? = nil, _ bytes: Int = 0) {
    held.append(Held(time: time ?? held.last?.time, output: output, bytes: bytes))
    heldBytes += bytes
  }

  /// Gives the earliest of what waits; those of one time keep their order.
  private func release(_ count: Int, _ sink: Sink) throws {
    let order = held.indices.sorted {
      (held[$0].time ?? .min, $0) < (held[$1].time ?? .min, $1)
    }
    let sorted = order.map { held[$0] }
    held = Array(sorted.dropFirst(count))
    heldBytes = held.reduce(0) { $0 + $1.bytes }
    for next in sorted.prefix(count) { try sink(next.output) }
  }
}
