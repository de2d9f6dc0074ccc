import XMPPStanza
import XMPPStream

/// One direction of a connection, of which a log shows chunk after chunk.
///
/// It may begin in mid-session, and a part of it may be missing. Where it cannot be read on, what
/// comes is dropped and counted until a chunk begins with a stream header or with an element that
/// stands at the top level of streams: at no other place can one tell a stanza from a part of one
/// that somebody wrote into another.
struct ChunkStream {
  private let limits: StreamLimits
  private var parser: StreamParser?
  private var gap: StreamGap?
  /// The line on which the open element began.
  private var start = 0
  private(set) var problems: [CaptureProblem] = []
  /// That line, unless a record begins on it, and those after it on which another element begins.
  private var opened = UnreadLines()
  private var swallowed = UnreadLines()
  /// Those of them, and of the lines that were dropped, that are lost and that no problem names.
  private var unread = UnreadLines()
  /// What stands behind an element on its line and begins another record.
  private var rest: ArraySlice<UInt8>?

  /// As many as the parser looks at in one go.
  private static let pieceBytes = 64 << 10

  init(_ limits: StreamLimits) {
    self.limits = limits
  }

  /// Whether no element is open.
  var isBetweenElements: Bool { gap == nil && parser?.isBetweenElements ?? true }

  /// Takes bytes, and gives the events that they complete.
  ///
  /// - Parameters:
  ///   - line: The line of the record that has them.
  ///   - number: The line that they stand on.
  ///   - beginsChunk: Whether they are the first of what was read or written at once.
  ///   - isHead: Whether a text that follows an element begins another record, which `takeRest`
  ///     gives then.
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
    // The problem names this line only; what an element that is whole has swallowed is part of it.
    if events.isEmpty { unread = unread.adding(opened).adding(swallowed) }
    (opened, swallowed) = (UnreadLines(), UnreadLines())
    guard !events.isEmpty else { return [] }
    start = number
    // What else stands on the line may be a stanza, of which the problem does not tell.
    if gap != nil, let text { unread.note(text, number: number) }
    if gap == nil, number != line { opened.note(parser.unread, number: number) }
    return events
  }

  /// Says that what comes next does not go on with what came.
  mutating func breakOff(_ reason: String) {
    if gap == nil, !isBetweenElements {
      gap = StreamGap(line: start, reason: reason)
      unread = unread.adding(swallowed)
    }
    (opened, swallowed) = (UnreadLines(), UnreadLines())
    reportGap()
    parser = nil
  }

  /// Gives the problems that have been found, once each.
  mutating func takeProblems() -> [CaptureProblem] {
    defer { problems = [] }
    return problems
  }

  /// Gives the lines that are lost and that no problem names, once each.
  mutating func takeUnread() -> UnreadLines {
    defer { unread = UnreadLines() }
    return unread
  }

  /// Gives what begins another record on the line that was fed last, once.
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
