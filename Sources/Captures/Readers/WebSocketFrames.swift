/// Takes the messages out of one direction of a connection that may be a WebSocket (RFC 6455).
///
/// What HTTP says before them, with its addresses, headers and cookies, is dropped as soon as it is
/// known whether the connection becomes a WebSocket.
struct WebSocketFrames {
  /// What a part of a connection turned out to be.
  enum Piece {
    /// Bytes of a stream that is no WebSocket, as they are.
    case bytes([UInt8])
    /// A whole text message, unmasked.
    case message([UInt8])
  }

  /// Who began the connection, as far as HTTP says so.
  enum Side { case client, server }

  private enum State { case start, head, frames, plain, foreign }

  /// The side whose HTTP was read; nil for a connection without it.
  private(set) var side: Side?
  /// How many messages were left out because they are compressed (RFC 7692) or too long.
  private(set) var unreadable = 0
  private var state = State.start
  private var buffer: [UInt8] = []
  /// How far the end of the head was looked for.
  private var searched = 0
  /// The beginning of a message of several frames.
  private var message: [UInt8] = []
  private var isText = false
  /// How many bytes of a frame that is too long are still to come.
  private var skipped = 0
  private let maximumBytes: Int

  private static let maximumHead = 64 << 10
  private static let heads: [(start: [UInt8], side: Side)] = [
    (Array("GET ".utf8), .client), (Array("HTTP/".utf8), .server),
  ]

  /// - Parameter maximumBytes: Of a message.
  init(maximumBytes: Int) {
    self.maximumBytes = maximumBytes
  }

  /// Takes what a side sent next.
  mutating func feed(_ bytes: [UInt8]) -> [Piece] {
    switch state {
    case .plain: return [.bytes(bytes)]
    case .foreign: return []
    case .start, .head, .frames: buffer += bytes
    }
    if state == .start { begin() }
    if state == .head { readHead() }
    switch state {
    case .start, .head, .foreign: return []
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
      // A text frame of whole messages: no XML begins so.
      state = buffer.first == 0x81 ? .frames : .plain
    }
  }

  private mutating func readHead() {
    guard let end = buffer[searched...].position(of: Array("\r\n\r\n".utf8)) else {
      searched = max(0, buffer.count - 3)
      if buffer.count > Self.maximumHead { (state, buffer) = (.foreign, []) }
      return
    }
    let head = String(decoding: buffer[..<end], as: UTF8.self).lowercased()
    let isUpgrade = head.split(whereSeparator: \.isNewline).contains {
      $0.starts(with: "upgrade:") && $0.contains("websocket")
    }
    state = isUpgrade ? .frames : .foreign
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
      if let text = take(frame, payload) { pieces.append(.message(text)) }
    }
    // A frame that is not whole stays where it is, however many parts it comes in.
    buffer.removeFirst(rest.startIndex)
    return pieces
  }

  /// The message that a frame completes, if it is a text.
  private mutating func take(_ frame: Frame, _ payload: [UInt8]) -> [UInt8]? {
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
  /// How many bytes the head has.
  let head: Int
  private let mask: [UInt8]?

  /// Nil while the head is not whole.
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
