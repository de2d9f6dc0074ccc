import Foundation
import XMPPStanza
import XMPPStream

/// Reads TCP streams saved with Wireshark or tshark: as YAML, as a hex dump, or as raw hexadecimal
/// lines of tshark. A stream may be a WebSocket (RFC 7395).
///
/// The first complete element of either peer shows which one is the client.
final class WiresharkReader: LineReader {
  enum Kind: Sendable {
    /// `packets:` of `peer:`, `timestamp:` and `data: !!binary |`.
    case yaml
    /// `00000000  3c 3f 78 …`; the lines of the second peer are indented.
    case hexDump
    /// Lines of hexadecimal digits; those of the second peer are indented.
    case hexLines
    /// Text with a dot in place of every byte that is not ASCII.
    case ascii

    /// The kind of capture with such a line; nil if the line does not show it.
    init?(_ line: ArraySlice<UInt8>) {
      let text = line.drop(while: \.isXMLSpace)
      if text.starts(with: "- packet: ".utf8) {
        self = .yaml
      } else if WiresharkReader.dumped(text) != nil {
        self = .hexDump
      } else if text.count >= 16, WiresharkReader.hexadecimal(text) != nil {
        self = .hexLines
      } else if text.elementsEqual("Follow: tcp,ascii".utf8) {
        self = .ascii
      } else {
        return nil
      }
    }
  }

  private struct Chunk {
    let peer: Int
    let line: Int
    var time: Int64?
    var bytes: [UInt8] = []
  }

  private var kind: Kind?
  private static let lossy = """
    the stream was saved as ASCII, in which other characters are lost; save it as YAML, hex dump \
    or raw
    """

  private let limits: StreamLimits
  private var peers: [Int: Peer] = [:]
  /// The peer that is the client.
  private var client: Int?
  private var guess = DirectionGuess()
  private var chunk: Chunk?
  private var base64: [UInt8]?
  /// Nil if the file has a single stream.
  private var order: TimeOrder?
  /// The problems of a stream that may not be XMPP.
  private var doubtful: [CaptureProblem] = []
  /// The number of streams with a record, and whether the current one has one.
  private var connections = 0
  private var hasRecord = false
  private static let maximumDoubtful = 100

  /// The data that one endpoint of a stream sent.
  private final class Peer {
    var frames: WebSocketFrames
    var stream: ChunkStream

    init(_ limits: StreamLimits) {
      frames = WebSocketFrames(maximumBytes: limits.bytesPerElement)
      stream = ChunkStream(limits)
    }
  }

  init(_ options: ReaderOptions) {
    limits = options.limits
  }

  func take(_ line: ArraySlice<UInt8>, number: Int, _ sink: Sink) throws {
    if line.elementsEqual(CaptureFormat.beginningOfStreams.utf8) { order = TimeOrder() }
    if kind == nil {
      kind = Kind(line)
      if kind == .ascii { try sink(.problem(CaptureProblem(line: number, message: Self.lossy))) }
    }
    switch kind {
    case .yaml: try readYAML(line, number, sink)
    case .hexDump, .hexLines: try readHex(line, number, sink)
    case .ascii, nil: break
    }
  }

  func finish(_ sink: Sink) throws {
    try endStream(sink)
    try order?.finish(sink)
  }

  /// Ends the current stream; another may follow.
  private func endStream(_ sink: Sink) throws {
    try feedChunk(sink)
    for peer in peers.keys.sorted().compactMap({ peers[$0] }) {
      peer.stream.breakOff("it ends inside an element")
      try report(peer, sink)
    }
    if let lost = peers.values.map(\.frames.unreadable).max(), lost > 0, hasRecord || order == nil {
      let message = "a WebSocket has messages that are compressed or too long: they are left out"
      try emit(.problem(CaptureProblem(line: 1, message: message)), nil, sink)
    }
    (peers, client, guess, hasRecord, doubtful) = ([:], nil, DirectionGuess(), false, [])
  }

  // MARK: Lines

  private func readYAML(_ line: ArraySlice<UInt8>, _ number: Int, _ sink: Sink) throws {
    var scanner = ByteScanner(line)
    let indent = scanner.take { $0 == UInt8(ascii: " ") }.count
    if indent == 0, scanner.skip("peers:") {
      try endStream(sink)
    } else if scanner.skip("- packet:") {
      return try feedChunk(sink)
    }
    if scanner.skip("peer: ") {
      try feedChunk(sink)
      chunk = scanner.number().map { Chunk(peer: $0, line: number) }
    } else if scanner.skip("timestamp: "), let time = Self.seconds(scanner.rest) {
      chunk?.time = time
    } else if scanner.skip("data: !!binary") {
      base64 = []
    } else if indent > 0, base64 != nil {
      base64? += scanner.rest.filter { !$0.isXMLSpace }
    }
  }

  private static func seconds(_ text: ArraySlice<UInt8>) -> Int64? {
    Double(String(decoding: text, as: UTF8.self))
      .flatMap { LogClock.milliseconds(exactly: $0 * 1000) }
  }

  private func readHex(_ line: ArraySlice<UInt8>, _ number: Int, _ sink: Sink) throws {
    let text = line.drop(while: \.isXMLSpace)
    guard let bytes = kind == .hexDump ? Self.dumped(text) : Self.hexadecimal(text) else { return }
    let peer = text.count == line.count ? 0 : 1
    if chunk?.peer != peer || kind == .hexLines {
      try feedChunk(sink)
      chunk = Chunk(peer: peer, line: number)
    }
    chunk?.bytes += bytes
  }

  /// Reads `000001A0  3c 3f 78 6d 6c 20 76 65  72 …  <?xml ve r`: at most 16 bytes.
  static func dumped(_ line: ArraySlice<UInt8>) -> [UInt8]? {
    var scanner = ByteScanner(line)
    guard scanner.take(while: { $0.hexValue != nil }).count == 8, scanner.skip("  ") else {
      return nil
    }
    var bytes: [UInt8] = []
    while bytes.count < 16 {
      let digits = scanner.rest.prefix(2).compactMap(\.hexValue)
      guard digits.count == 2, scanner.rest.dropFirst(2).first ?? 0x20 == 0x20 else { break }
      bytes.append(digits[0] << 4 | digits[1])
      _ = scanner.take(3)
      if bytes.count == 8 { _ = scanner.skip(" ") }
    }
    return bytes.isEmpty ? nil : bytes
  }

  static func hexadecimal(_ line: ArraySlice<UInt8>) -> [UInt8]? {
    let digits = line.compactMap(\.hexValue)
    guard !line.isEmpty, digits.count == line.count, digits.count.isMultiple(of: 2) else {
      return nil
    }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  // MARK: Chunks

  private func feedChunk(_ sink: Sink) throws {
    guard var chunk else { return base64 = nil }
    self.chunk = nil
    if let base64 { chunk.bytes = [UInt8](Data(base64Encoded: Data(base64)) ?? Data()) }
    base64 = nil
    guard !chunk.bytes.isEmpty else { return }
    let peer = peers[chunk.peer] ?? Peer(limits)
    peers[chunk.peer] = peer
    for piece in peer.frames.feed(chunk.bytes) {
      if let side = peer.frames.side { client = side == .client ? chunk.peer : 1 - chunk.peer }
      let events =
        switch piece {
        case .bytes(let bytes):
          peer.stream.feed(bytes[...], line: chunk.line, at: chunk.line, beginsChunk: true)
        case .message(let bytes):
          peer.stream.feed(bytes[...], line: chunk.line, at: chunk.line, beginsChunk: true)
            .flatMap(\.unwrapped)
        }
      try report(peer, sink)
      for event in events { try emit(event, of: chunk, sink) }
    }
    try order?.trim(sink)
  }

  private func emit(_ event: StreamEvent, of chunk: Chunk, _ sink: Sink) throws {
    if !hasRecord {
      guard order == nil || Self.isOfStream(event) else { return }
      hasRecord = true
      connections += 1
      for problem in doubtful { try emit(.problem(problem), chunk.time, sink) }
      doubtful = []
    }
    let name = connections > 1 || order != nil ? "stream \(connections)" : ""
    let content = CapturedRecord.Content(event, direction(of: event, chunk.peer))
    let record = CapturedRecord(
      connection: name, time: chunk.time, line: chunk.line, content: content)
    try emit(.record(record), chunk.time, bytes: chunk.bytes.count, sink)
  }

  private static func isOfStream(_ event: StreamEvent) -> Bool {
    switch event {
    case .header(let header): TopLevel.isHeader(header.node)
    case .element(let element): TopLevel.isOfStream(element.node)
    case .end: false
    }
  }

  private func emit(
    _ output: CaptureOutput, _ time: Int64?, bytes: Int = 0, _ sink: Sink
  ) throws {
    guard order != nil else { return try sink(output) }
    order?.hold(output, time, bytes: bytes)
  }

  private func direction(of event: StreamEvent, _ peer: Int) -> Direction {
    if let client { return peer == client ? .outbound : .inbound }
    let direction = guess.direction(of: event)
    client = direction == .outbound ? peer : peer == 0 ? 1 : 0
    return direction
  }

  private func report(_ peer: Peer, _ sink: Sink) throws {
    for problem in peer.stream.takeProblems() {
      if hasRecord || order == nil {
        try emit(.problem(problem), nil, sink)
      } else if doubtful.count < Self.maximumDoubtful {
        doubtful.append(problem)
      }
    }
  }
}

extension CaptureFormat {
  /// The line before the streams of a whole packet capture. The streams follow one another, and
  /// those without XMPP are left out silently.
  package static let beginningOfStreams = "# every stream of a capture of packets"
}
