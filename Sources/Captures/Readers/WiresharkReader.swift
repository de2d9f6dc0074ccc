import Foundation
import XMPPStanza
import XMPPStream

/// Reads a TCP stream that Wireshark or tshark followed and saved: as YAML, as a hex dump, or as
/// tshark prints it raw.
///
/// Which peer is the client shows in the first element that one of them says whole.
final class WiresharkReader: LineReader {
  enum Kind: Sendable {
    /// `packets:` of `peer:`, `timestamp:` and `data: !!binary |`.
    case yaml
    /// `00000000  3c 3f 78 …`; the lines of the second peer are indented.
    case hexDump
    /// Lines of hexadecimal digits; those of the second peer are indented.
    case hexLines
    /// Text in which a dot stands for every byte that is not ASCII.
    case ascii

    /// The kind that has such a line; nil for a line that tells nothing.
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
  private var streams: [Int: ChunkStream] = [:]
  /// The peer that is the client.
  private var client: Int?
  private var guess = DirectionGuess()
  private var chunk: Chunk?
  private var base64: [UInt8]?

  init(_ options: ReaderOptions) {
    limits = options.limits
  }

  func take(_ line: ArraySlice<UInt8>, number: Int, _ sink: Sink) throws {
    if kind == nil {
      kind = Kind(line)
      if kind == .ascii { try sink(.problem(CaptureProblem(line: number, message: Self.lossy))) }
    }
    switch kind {
    case .yaml: try takeYAML(line, number, sink)
    case .hexDump, .hexLines: try takeHex(line, number, sink)
    case .ascii, nil: break
    }
  }

  func finish(_ sink: Sink) throws {
    try feedChunk(sink)
    for peer in streams.keys.sorted() {
      streams[peer]?.breakOff("it ends inside an element")
      try report(peer, sink)
    }
  }

  // MARK: Lines

  private func takeYAML(_ line: ArraySlice<UInt8>, _ number: Int, _ sink: Sink) throws {
    var scanner = ByteScanner(line)
    let indent = scanner.take { $0 == UInt8(ascii: " ") }.count
    if scanner.skip("- packet:") {
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

  private func takeHex(_ line: ArraySlice<UInt8>, _ number: Int, _ sink: Sink) throws {
    let text = line.drop(while: \.isXMLSpace)
    guard let bytes = kind == .hexDump ? Self.dumped(text) : Self.hexadecimal(text) else { return }
    let peer = text.count == line.count ? 0 : 1
    if chunk?.peer != peer || kind == .hexLines {
      try feedChunk(sink)
      chunk = Chunk(peer: peer, line: number)
    }
    chunk?.bytes += bytes
  }

  /// `000001A0  3c 3f 78 6d 6c 20 76 65  72 …  <?xml ve r`: at most 16 bytes.
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
    var stream = streams[chunk.peer] ?? ChunkStream(limits)
    let events = stream.feed(chunk.bytes[...], line: chunk.line, beginsChunk: true)
    streams[chunk.peer] = stream
    try report(chunk.peer, sink)
    for event in events {
      let direction = direction(of: event, chunk.peer)
      let content = CapturedRecord.Content(event, direction)
      try sink(
        .record(
          CapturedRecord(connection: "", time: chunk.time, line: chunk.line, content: content)))
    }
  }

  private func direction(of event: StreamEvent, _ peer: Int) -> Direction {
    if let client { return peer == client ? .outbound : .inbound }
    let direction = guess.direction(of: event)
    client = direction == .outbound ? peer : peer == 0 ? 1 : 0
    return direction
  }

  private func report(_ peer: Int, _ sink: Sink) throws {
    for problem in streams[peer]?.takeProblems() ?? [] { try sink(.problem(problem)) }
  }
}
