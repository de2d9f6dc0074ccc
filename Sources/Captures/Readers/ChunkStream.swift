import XMPPStanza
import XMPPStream

/// One direction of a connection in a log of chunks.
///
/// It may begin in mid-session, and parts of it may be missing. After an error, bytes are dropped
/// and counted until a chunk begins with a stream header or with an element of the top level of
/// streams: only at such a place is a stanza certainly not part of another one's text.
struct ChunkStream {
  private let limits: StreamLimits
  private var parser: StreamParser?
  private var gap: StreamGap?
  /// The line on which the open element began.
  private var start = 0
  private(set) var problems: [CaptureProblem] = []
  /// The line on which the open element began, unless a record begins there, and the lines after it
  /// on which another element begins.
  private var opened = UnreadLines()
  private var swallowed = UnreadLines()
  /// The lines that are lost and that no problem names.
  private var unread = UnreadLines()
  /// The text after an element on its line, which begins another record.
  private var rest: ArraySlice<UInt8>?

  /// The number of bytes that the parser reads at once.
  private static let pieceBytes = 64 << 10

  init(_ limits: StreamLimits) {
    self.limits = limits
  }

  /// Whether no element is open.
  var isBetweenElements: Bool { gap == nil && parser?.isBetweenElements ?? true }

  /// Feeds bytes and returns the events that they complete.
  ///
  /// - Parameters:
  ///   - line: The line of their record.
  ///   - number: The line that they are on.
  ///   - beginsChunk: Whether they are the first bytes of one read or write.
  ///   - isHead: Whether a text after an element begins another record. `takeRest` returns this
  ///     text.
  mutating func feed(
    _ bytes: ArraySlice<UInt8>, line: Int, at number: Int, beginsChunk: Bool,
    isHead: (ArraySlice<UInt8>) -> Bool = { _ in false }
  ) -> [StreamEvent] {
    if beginsChunk { synchronize(bytes, line) }
    if let open = gap {
      gap?.bytes += bytes.count
      if number != open.line { unread.note(bytes, number: number) }
      return []
    }
    let parser = parser ?? StreamParser(root: .records, limits: limits)
    self.parser = parser
    let isOpen = !parser.isBetweenElements
    if !isOpen { start = number }
    var events: [StreamEvent] = []
    var text: ArraySlice<UInt8>?
    var left = bytes
    do {
      while !left.isEmpty {
        let piece = left.prefix(Self.pieceBytes)
        left = left[piece.endIndex...]
        try parser.feed(piece) { events.append($0) }
      }
    } catch let error as StreamError {
      if error.kind == .textBetweenElements, !events.isEmpty {
        text = bytes[max(bytes.startIndex, left.startIndex - parser.unread.count)...]
      }
      if let text, isHead(text) {
        rest = text
        parser.forgetElement()
      } else {
        gap = StreamGap(line: number, reason: error.kind.description)
      }
    } catch {}
    if gap == nil, events.isEmpty {
      if isOpen {
        swallowed.note(bytes, number: number)
      } else {
        opened.note(bytes, number: number)
      }
      return []
    }
    // The problem names only this line. Lines inside a complete element are part of it.
    if events.isEmpty { unread = unread.adding(opened).adding(swallowed) }
    (opened, swallowed) = (UnreadLines(), UnreadLines())
    guard !events.isEmpty else { return [] }
    start = number
    // The rest of the line may be a stanza that the problem does not mention.
    if gap != nil, let text { unread.note(text, number: number) }
    if gap == nil, number != line { opened.note(parser.unread, number: number) }
    return events
  }

  /// Ends the open element, because the next bytes do not continue it.
  mutating func breakOff(_ reason: String) {
    if gap == nil, !isBetweenElements {
      gap = StreamGap(line: start, reason: reason)
      unread = unread.adding(swallowed)
    }
    (opened, swallowed) = (UnreadLines(), UnreadLines())
    reportGap()
    parser = nil
  }

  /// Returns the problems since the last call.
  mutating func takeProblems() -> [CaptureProblem] {
    defer { problems = [] }
    return problems
  }

  /// Returns the lines since the last call that are lost and that no problem names.
  mutating func takeUnread() -> UnreadLines {
    defer { unread = UnreadLines() }
    return unread
  }

  /// Returns the text on the last line that begins another record, once.
  mutating func takeRest() -> ArraySlice<UInt8>? {
    defer { rest = nil }
    return rest
  }

  private mutating func synchronize(_ bytes: ArraySlice<UInt8>, _ line: Int) {
    if TopLevel.isStreamHeader(bytes) {
      if !isBetweenElements { breakOff("it ends inside an element") }
      if parser?.root != .wire { parser = StreamParser(root: .wire, limits: limits) }
    } else if gap != nil, TopLevel.isElement(bytes) {
      reportGap()
      parser = StreamParser(root: .records, limits: limits)
    }
  }

  private mutating func reportGap() {
    guard let gap else { return }
    self.gap = nil
    parser = nil
    problems.append(gap.problem)
  }
}
