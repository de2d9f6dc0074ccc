import XMPPStanza
import XMPPStream

/// Reads the plain bytes of streams: of one side, or of both in the order of arrival, as Wireshark
/// saves a connection and Psi's console shows one.
///
/// The file does not say which side sent an element. If it begins with a stream header and the
/// other side's header does not follow, it has only that side; otherwise the side of each element
/// is inferred.
final class RawXMLReader: ByteReader {
  /// The context of a byte. Comments are not part of a stream.
  private enum Context {
    case markup
    case comment
    case characterData
  }

  private enum Sides {
    case unknown
    case one(Direction)
    case both
  }

  private let parser: StreamParser
  private var guess = DirectionGuess()
  private var count = GuessedDirections(isText: false)
  private var account: JID?
  var guessed: GuessedDirections? { count.elements > 0 ? count : nil }
  private var sides = Sides.unknown
  /// The first header of the file, until the next event shows whether the file has one side or
  /// both.
  private var firstHeader: (event: StreamEvent, line: Int, time: Int64?)?
  private var context = Context.markup
  /// The beginning of a piece of markup whose `>` has not been read yet.
  private var piece: [UInt8] = []
  private var comment: [UInt8] = []
  private var line = 1
  private var start = 1
  private var time: Int64?
  private var clock: LogClock
  private var gap: StreamGap?
  /// Whether reading has stopped at an error.
  var isLost: Bool { gap != nil }
  private var hasBegun = false

  private static let maximumComment = 256
  private static let maximumPiece = 64 << 10

  /// - Parameter side: The direction of the file's elements, if known.
  init(_ options: ReaderOptions, side: Direction? = nil) {
    parser = StreamParser(root: .records, limits: options.limits)
    clock = LogClock(options)
    account = options.account.map { JID(prepared: $0, resource: nil) }
    if let side { sides = .one(side) }
  }

  func read(_ bytes: [UInt8], _ sink: Sink) throws {
    for byte in bytes {
      if piece.isEmpty, parser.isBetweenElements { start = line }
      // White space between elements keeps connections alive and is not part of the next element.
      let isIdle = piece.isEmpty && byte.isXMLSpace && parser.isBetweenElements
      if !isIdle || context == .comment { try process(byte, sink) }
      if byte == UInt8(ascii: "\n") { line += 1 }
    }
  }

  func finish(_ sink: Sink) throws {
    if !piece.allSatisfy(\.isXMLSpace) { try feedPiece(sink) }
    if firstHeader != nil { try decide(.unknown, sink) }
    try restart(sink)
  }

  private func process(_ byte: UInt8, _ sink: Sink) throws {
    switch context {
    case .comment: return readComment(byte)
    case .markup, .characterData: piece.append(byte)
    }
    switch byte {
    case UInt8(ascii: "-"):
      guard context == .markup, piece[...].ends(with: Array("<!--".utf8)) else { return }
      piece.removeLast(4)
      context = .comment
      comment = []
      if gap != nil { try restart(sink) }
    case UInt8(ascii: "["):
      if piece[...].ends(with: Array("<![CDATA[".utf8)) { context = .characterData }
    case UInt8(ascii: ">"):
      if context == .characterData {
        guard piece[...].ends(with: Array("]]>".utf8)) else { return }
        context = .markup
      }
      try feedPiece(sink)
    default:
      if piece.count > Self.maximumPiece { try feedPiece(sink) }
    }
  }

  /// Psi's comments have the time of the next element: `<!-- TS:2026-07-22T10:00:00-->`.
  private func readComment(_ byte: UInt8) {
    comment.append(byte)
    guard byte == UInt8(ascii: ">"), comment[...].ends(with: Array("-->".utf8)) else {
      // The last bytes are kept because its end may have begun.
      if comment.count > Self.maximumComment { comment.removeFirst(Self.maximumComment - 2) }
      return
    }
    context = .markup
    time = nil
    time = clock.milliseconds(LogTime.isoTime(in: comment[...]))
  }

  // MARK: Elements

  private func feedPiece(_ sink: Sink) throws {
    var bytes = piece[...]
    piece.removeAll(keepingCapacity: true)
    if !hasBegun {
      bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes
      hasBegun = true
    }
    if TopLevel.isStreamHeader(bytes), gap != nil || !parser.isBetweenElements {
      try restart(sink)
      start = line
    }
    guard gap == nil else {
      gap?.bytes += bytes.count
      return
    }
    var events: [StreamEvent] = []
    do {
      try parser.feed(bytes) { events.append($0) }
    } catch let error as StreamError {
      gap = StreamGap(line: start, reason: error.kind.description)
      parser.reset()
    }
    for event in events { try emit(event, sink) }
  }

  /// Restarts reading, and reports the part that could not be read.
  private func restart(_ sink: Sink) throws {
    if let gap {
      try sink(.problem(gap.problem))
    } else if !parser.isBetweenElements {
      let message = "the stream ends inside an element"
      try sink(.problem(CaptureProblem(line: start, message: message)))
    }
    gap = nil
    parser.reset()
  }

  private func emit(_ event: StreamEvent, _ sink: Sink) throws {
    defer { time = nil }
    switch sides {
    case .one(let direction): try emit(event, direction, start, time, sink)
    case .both: try emit(event, guessedDirection(of: event), start, time, sink)
    case .unknown:
      guard firstHeader != nil else {
        if case .header = event {
          firstHeader = (event, start, time)
          return
        }
        sides = .both
        return try emit(event, sink)
      }
      try decide(sides(after: event), sink)
      try emit(event, sink)
    }
  }

  private func guessedDirection(of event: StreamEvent) -> Direction {
    account = event.login ?? account
    let proven = ContentDirection.proven(of: event, account: account)
    let found = guess.direction(of: event, known: proven)
    count.note(event, isDoubtful: proven == nil && !found.isAnswer, start)
    return found.direction
  }

  private func sides(after event: StreamEvent) -> Sides {
    guard case .header(let second) = event, case .header(let first)? = firstHeader?.event else {
      return .unknown
    }
    let isSame =
      DirectionGuess.direction(ofHeader: first.node)
      == DirectionGuess.direction(ofHeader: second.node)
    return isSame ? .unknown : .both
  }

  /// Passes on the first header, and decides whether the file has only its side or both.
  private func decide(_ found: Sides, _ sink: Sink) throws {
    guard let first = firstHeader, case .header(let header) = first.event else { return }
    firstHeader = nil
    let direction = DirectionGuess.direction(ofHeader: header.node)
    switch found {
    case .both: sides = .both
    case .unknown, .one:
      sides = .one(direction)
      switch direction {
      case .inbound:
        let header = Lifecycle.header(account: nil, inboundOnly: true)
        let content = CapturedRecord.Content.lifecycle(header)
        try sink(
          .record(CapturedRecord(connection: "", time: nil, line: first.line, content: content)))
      case .outbound:
        let message = """
          the file has only what the client sent, from which no roster can be had: record also \
          what the server sent, and read the two as a pair
          """
        try sink(.problem(CaptureProblem(line: first.line, message: message)))
      }
    }
    try emit(first.event, direction, first.line, first.time, sink)
  }

  private func emit(
    _ event: StreamEvent, _ direction: Direction, _ line: Int, _ time: Int64?, _ sink: Sink
  ) throws {
    let content = CapturedRecord.Content(event, direction)
    try sink(
      .record(CapturedRecord(connection: "", time: time, line: line, content: content)))
  }
}
