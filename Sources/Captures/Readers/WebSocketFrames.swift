/// Extracts the messages from one direction of a connection that may be a WebSocket (RFC 6455).
///
/// The HTTP before the messages, with its URLs, headers and cookies, is dropped as soon as it is
/// known whether the connection becomes a WebSocket.
struct WebSocketFrames {
  /// A part of a connection.
  enum Piece {
    /// Unchanged bytes of a stream that is not a WebSocket.
    case bytes([UInt8])
    /// A complete text message, unmasked.
    case message([UInt8])
  }

  /// The side of the connection, according to its HTTP.
  enum Side { case client, server }

  private enum State { case start, head, frames, plain, otherProtocol }

  /// The side whose HTTP was read; nil for a connection without HTTP.
  private(set) var side: Side?
  /// The number of messages that were left out because they are compressed (RFC 7692) or too long.
  private(set) var unreadable = 0
  private var state = State.start
  private var buffer: [UInt8] = []
  /// The offset up to which the end of the head was searched for.
  private var searched = 0
  /// The beginning of a message of several frames.
  private var message: [UInt8] = []
  private var isText = false
  /// The number of bytes to skip of a frame that is too long.
  private var skipped = 0
  private let maximumBytes: Int

  private static let maximumHead = 64 << 10
  private static let heads: [(start: [UInt8], side: Side)] = [
    (Array("GET ".utf8), .client), (Array("HTTP/".utf8), .server),
  ]

  /// - Parameter maximumBytes: The maximum length of a message.
  init(maximumBytes: Int) {
    self.maximumBytes = maximumBytes
  }

  /// Reads the next bytes of the side and returns the parts that they complete.
  mutating func feed(_ bytes: [UInt8]) -> [Piece] {
    switch state {
    case .plain: return [.bytes(bytes)]
    case .otherProtocol: return []
    case .start, .head, .frames: buffer += bytes
    }
    if state == .start { begin() }
    if state == .head { readHead() }
    switch state {
    case .start, .head, .otherProtocol: return []
    case .frames: return takeMessages()
    case .plain:
      defer { buffer = [] }
      return [.bytes(buffer)]
    }
  }

  private mutating func begin() {
    if let head = Self.heads.first(where: { buffer.starts(with: $0.start) }) {
      (state, side) = (.head, head.side)
    } else if !Self.heads.contains(where: { $0.start.starts(with: buffer) }) {
      // A single text frame: no XML begins with this byte.
      state = buffer.first == 0x81 ? .frames : .plain
    }
  }

  private mutating func readHead() {
    guard let end = buffer[searched...].position(of: Array("\r\n\r\n".utf8)) else {
      searched = max(0, buffer.count - 3)
      if buffer.count > Self.maximumHead { (state, buffer) = (.otherProtocol, []) }
      return
    }
    let head = String(decoding: buffer[..<end], as: UTF8.self).lowercased()
    let isUpgrade = head.split(whereSeparator: \.isNewline).contains {
      $0.starts(with: "upgrade:") && $0.contains("websocket")
    }
    state = isUpgrade ? .frames : .otherProtocol
    buffer = isUpgrade ? Array(buffer[(end + 4)...]) : []
  }

  // MARK: Frames

  private mutating func takeMessages() -> [Piece] {
    var pieces: [Piece] = []
    var rest = buffer[...]
    while true {
      let dropped = min(skipped, rest.count)
      (skipped, rest) = (skipped - dropped, rest.dropFirst(dropped))
      guard skipped == 0, let frame = Frame(rest) else { break }
      guard frame.length <= maximumBytes - message.count else {
        (message, isText) = ([], false)
        unreadable += 1
        rest = rest.dropFirst(frame.head)
        skipped = frame.length
        continue
      }
      guard rest.count >= frame.head + frame.length else { break }
      let payload = frame.payload(of: rest)
      rest = rest.dropFirst(frame.head + frame.length)
      if let text = add(frame, payload) { pieces.append(.message(text)) }
    }
    // An incomplete frame is not moved, however many parts it arrives in.
    buffer.removeFirst(rest.startIndex)
    return pieces
  }

  /// Adds a frame, and returns the message that it completes; nil if there is none or it is not
  /// text.
  private mutating func add(_ frame: Frame, _ payload: [UInt8]) -> [UInt8]? {
    switch frame.opcode {
    case 0: message += payload
    case 1, 2:
      message = payload
      isText = frame.opcode == 1 && !frame.isCompressed
      if frame.isCompressed { unreadable += 1 }
    default: return nil
    }
    guard frame.isLast, isText else { return nil }
    defer { (message, isText) = ([], false) }
    return message
  }
}

/// The head of a frame (RFC 6455 §5.2).
private struct Frame {
  let isLast: Bool
  let isCompressed: Bool
  let opcode: UInt8
  let length: Int
  /// The length of the head in bytes.
  let head: Int
  private let mask: [UInt8]?

  /// Reads a head; nil if it is incomplete.
  init?(_ bytes: ArraySlice<UInt8>) {
    let start = Array(bytes.prefix(14))
    guard start.count >= 2 else { return nil }
    isLast = start[0] & 0x80 != 0
    isCompressed = start[0] & 0x40 != 0
    opcode = start[0] & 0x0F
    let isMasked = start[1] & 0x80 != 0
    let short = Int(start[1] & 0x7F)
    let extra = short == 126 ? 2 : short == 127 ? 8 : 0
    head = 2 + extra + (isMasked ? 4 : 0)
    guard start.count >= head else { return nil }
    let number = start[2..<(2 + extra)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    length = extra == 0 ? short : Int(clamping: number)
    mask = isMasked ? Array(start[(2 + extra)..<head]) : nil
  }

  func payload(of bytes: ArraySlice<UInt8>) -> [UInt8] {
    let payload = bytes.dropFirst(head).prefix(length)
    guard let mask else { return Array(payload) }
    return payload.enumerated().map { $1 ^ mask[$0 & 3] }
  }
}
