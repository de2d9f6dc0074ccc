import XMPPStanza
import XMPPStream

/// Reads any text with stanzas in it. Each complete element of a stream is a record, wherever on a
/// line it begins and ends.
///
/// The direction of an element is that of the nearest word or sign before it, unless its content
/// proves another direction. The elements are held until a few of them have shown whether the words
/// are a client's or a server's.
final class PastedReader: LineReader {
  private let parser: StreamParser
  private var clock: LogClock
  var lacksYear: Bool { clock.lacksYear }
  private var text = PastedText()
  private var open: OpenElement?
  private var events: [StreamEvent] = []
  /// The lines to be read again, the next one last.
  private var queued: [NumberedLine] = []
  private var continuationBytes = PastedReader.maximumContinuation
  private var directions: PastedDirections
  private var echoes = PastedEchoes()
  var guessed: GuessedDirections? { directions.guessed }
  /// The last line on which a record begins or that a problem names.
  private var reportedLine = 0
  /// The last line of which a part was skipped, unless it was reported since, and the lines before
  /// it.
  private var skipped = UnreadLines()
  private var skippedBefore = UnreadLines()
  var unread: UnreadLines { skippedBefore.adding(skipped) }

  /// An element whose end has not been read yet.
  private struct OpenElement {
    let line: Int
    let time: LogTime?
    /// The time that the carrier gives its first line.
    let carrierTime: Int64?
    let label: PastedText.Label?
    /// Whether it is a stanza, rather than an element that other documents may have too.
    let isStanza: Bool
    /// The beginning of its first line, enough to recognize it.
    let beginning: ArraySlice<UInt8>
    /// Whether another stanza may be part of it (XEP-0297).
    var isEnvelope: Bool
    /// Whether it is in a string of a programming language or of JSON.
    let isEscaped: Bool
    /// The lines after the first, to be read again if the element is broken.
    var following: [NumberedLine] = []
    var followingBytes = 0
  }

  /// The maximum length of the lines after the first of an element. An element that was cut off
  /// takes the following lines for its content, up to this limit.
  private static let maximumContinuation = 4 << 20
  private static let minimumContinuation = 4 << 10
  private static let beginningBytes = 512

  init(_ options: ReaderOptions) {
    parser = StreamParser(root: .records, limits: options.limits)
    clock = LogClock(options)
    directions = PastedDirections(account: options.account)
  }

  func take(_ line: ArraySlice<UInt8>, number: Int, _ sink: Sink) throws {
    try take(line, number: number, time: nil, sink)
  }

  func take(_ line: ArraySlice<UInt8>, number: Int, time: Int64?, _ sink: Sink) throws {
    if open == nil { continuationBytes = Self.maximumContinuation }
    try read(NumberedLine(number: number, bytes: line, time: time), sink)
    try readQueued(sink)
  }

  func release(_ sink: Sink) throws { try directions.decide(sink) }

  func finish(_ sink: Sink) throws {
    while open != nil {
      try abandon("the text ends inside an element", sink)
      try readQueued(sink)
    }
    try directions.finish(sink)
  }

  private func readQueued(_ sink: Sink) throws {
    while let held = queued.popLast() { try read(held, sink) }
  }

  // MARK: Lines

  private func read(_ line: NumberedLine, _ sink: Sink) throws {
    var rest = line.bytes
    if open != nil {
      guard try continueElement(line, sink) else { return }
    }
    while !rest.isEmpty {
      if open == nil {
        guard let start = PastedText.start(in: rest) else { break }
        text.append(rest[..<start])
        begin(rest[start...], line)
        rest = rest[start...]
      }
      // An element ends with a `>`: the text after it is not part of it.
      let end = rest.position(of: UInt8(ascii: ">")).map { $0 + 1 } ?? rest.endIndex
      let piece = rest[..<end]
      if let open, mayBeCut(open, piece) {
        try abandon("another stanza begins inside it", keeping: true, sink)
        continue
      }
      rest = rest[end...]
      guard try feed(piece, sink) else { return }
    }
    guard open == nil else { return }
    skip(rest, line.number)
    text.append(rest)
    if text.followsElement { try directions.trail(text.trailingLabel, sink) }
    text.endLine()
  }

  /// Adds a line to the open element; false if the element was abandoned, and the line with it.
  private func continueElement(_ line: NumberedLine, _ sink: Sink) throws -> Bool {
    open?.following.append(line)
    open?.followingBytes += line.bytes.count + 1
    guard let size = open?.followingBytes, size <= continuationBytes else {
      try abandon("it has too many lines", sink)
      return false
    }
    return try feed([UInt8(ascii: "\n")], sink)
  }

  private func begin(_ bytes: ArraySlice<UInt8>, _ line: NumberedLine) {
    let isStanza = TopLevel.isStanza(bytes)
    open = OpenElement(
      line: line.number, time: text.time, carrierTime: line.time, label: text.label(of: bytes),
      isStanza: isStanza, beginning: bytes.prefix(Self.beginningBytes), isEnvelope: !isStanza,
      isEscaped: PastedText.isEscaped(bytes))
  }

  /// Whether the open element was cut off, because another stanza begins. A stanza inside a stanza
  /// is a forwarded one, and no text comes before it (XEP-0297).
  private func mayBeCut(_ open: OpenElement, _ piece: ArraySlice<UInt8>) -> Bool {
    guard !parser.isBetweenElements, let start = piece.position(of: UInt8(ascii: "<")),
      TopLevel.isStanza(piece[start...])
    else { return false }
    return !open.isEnvelope || !piece[..<start].allSatisfy(\.isXMLSpace)
  }

  // MARK: Elements

  /// Feeds a piece of a line; false if the open element was abandoned and the line, as one after
  /// its first, will be read again.
  private func feed(_ piece: ArraySlice<UInt8>, _ sink: Sink) throws -> Bool {
    if piece.position(of: Array("forwarded".utf8)) != nil { open?.isEnvelope = true }
    let isEscaped = open?.isEscaped ?? false
    do {
      try parser.feed(isEscaped ? PastedText.unescaped(piece) : piece) { events.append($0) }
    } catch let error as StreamError {
      let isFirstLine = open?.following.isEmpty ?? true
      try abandon(error.kind.description, sink)
      return isFirstLine
    }
    guard parser.isBetweenElements, !events.isEmpty, let element = open else { return true }
    open = nil
    let found = events
    events.removeAll(keepingCapacity: true)
    text.endElement(label: element.label)
    var kept: [StreamEvent] = []
    for event in found where try isRecord(event, element, sink) { kept += event.unwrapped }
    if !kept.isEmpty { markReported(element.line) }
    let time = clock.milliseconds(element.time) ?? element.carrierTime
    try directions.add(kept, label: element.label, line: element.line, time: time, sink)
    return true
  }

  /// Whether an event belongs to a stream and is not an echo of a text.
  private func isRecord(
    _ event: StreamEvent, _ element: OpenElement, _ sink: Sink
  ) throws -> Bool {
    guard case .element(let found) = event else { return true }
    guard TopLevel.isOfStream(found.node) else { return false }
    guard !echoes.contain(found.bytes[...]) else {
      try problem(QuotedRecords.message, element.line, sink)
      return false
    }
    echoes.note(found.node)
    return true
  }

  private func problem(_ message: String, _ line: Int, _ sink: Sink) throws {
    markReported(line)
    try directions.add(CaptureProblem(line: line, message: message), sink)
  }

  /// Reports a broken element, and queues the lines after its first.
  ///
  /// - Parameter keepsPosition: Whether reading continues at its current position.
  private func abandon(_ reason: String, keeping keepsPosition: Bool = false, _ sink: Sink) throws {
    guard let element = open else { return }
    open = nil
    events.removeAll(keepingCapacity: true)
    parser.reset()
    text.endElement(label: nil, isWhole: false)
    if !element.isStanza { skip(element.beginning, element.line) }
    if keepsPosition {
      // Reading continues inside the last of them.
      for line in element.following.dropLast() { skip(line.bytes, line.number) }
    } else if !element.following.isEmpty {
      // Each failure among lines that are read again halves the limit for the next element, so that
      // a text made to fail at every line is not read over and over.
      continuationBytes = max(Self.minimumContinuation, continuationBytes / 2)
      queued += element.following.reversed()
    }
    guard element.isStanza else { return }
    try problem("the element cannot be read: \(reason)", element.line, sink)
  }

  // MARK: Skipped lines

  /// Counts a line of which a part is skipped, unless a record begins on it or a problem names it.
  private func skip(_ part: ArraySlice<UInt8>, _ number: Int) {
    if skipped.first != number {
      skippedBefore = skippedBefore.adding(skipped)
      skipped = UnreadLines()
    }
    guard number != reportedLine, skipped.count == 0 else { return }
    skipped.note(part, number: number)
  }

  /// Notes that a record begins on a line or that a problem names it, so that the line does not
  /// count as skipped.
  private func markReported(_ number: Int) {
    reportedLine = number
    if skipped.first == number { skipped = UnreadLines() }
  }
}
