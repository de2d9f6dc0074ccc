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

  init(_ limits: StreamLimits) {
    self.limits = limits
  }

  /// Whether no element is open.
  var isBetweenElements: Bool { gap == nil && parser?.isBetweenElements ?? true }

  /// Takes bytes; `beginsChunk` says whether they are the first of what was read or written at
  /// once. Gives the events that they complete.
  mutating func feed(
    _ bytes: ArraySlice<UInt8>, line: Int, beginsChunk: Bool
  ) -> [StreamEvent] {
    if beginsChunk { synchronize(bytes, line) }
    guard gap == nil else {
      gap?.bytes += bytes.count
      return []
    }
    let parser = parser ?? StreamParser(root: .records, limits: limits)
    self.parser = parser
    if parser.isBetweenElements { start = line }
    var events: [StreamEvent] = []
    do {
      try parser.feed(bytes) { events.append($0) }
    } catch let error as StreamError {
      gap = StreamGap(line: line, reason: error.kind.description)
    } catch {}
    if !events.isEmpty { start = line }
    return events
  }

  /// Says that what comes next does not go on with what came.
  mutating func breakOff(_ reason: String) {
    if gap == nil, !isBetweenElements { gap = StreamGap(line: start, reason: reason) }
    reportGap()
    parser = nil
  }

  /// Gives the problems that have been found, once each.
  mutating func takeProblems() -> [CaptureProblem] {
    defer { problems = [] }
    return problems
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
