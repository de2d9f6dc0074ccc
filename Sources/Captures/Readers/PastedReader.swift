import XMPPStanza
import XMPPStream

/// Reads any text with stanzas in it: each whole element of a stream is a record, wherever on a
/// line it begins and ends.
///
/// The direction of an element is that of the nearest word or sign before it; an element whose
/// content proves another direction went that way. The elements are held back until a few contents
/// have shown whether the words are a client's or a server's.
final class PastedReader: LineReader {
  private let parser: StreamParser
  private var clock: LogClock
  var lacksYear: Bool { clock.lacksYear }
  private var text = PastedText()
  private var open: OpenElement?
  private var events: [StreamEvent] = []
  /// Lines to be read again, the next one last.
  private var again: [NumberedLine] = []
  private var continuationBytes = PastedReader.maximumContinuation
  private var directions: PastedDirections
  private var echoes = PastedEchoes()
  var guessed: GuessedDirections? { directions.guessed }
  /// The last line that a record begins on or that a problem names.
  private var toldLine = 0
  /// The last line of which something was passed over, if it counts so far, and those before it.
  private var passed = UnreadLines()
  private var passedBefore = UnreadLines()
  var unread: UnreadLines { passedBefore.adding(passed) }

  /// An element whose end has not come.
  private struct OpenElement {
    let line: Int
    let time: LogTime?
    /// The time that the carrier of its first line gives it.
    let carrierTime: Int64?
    let label: PastedText.Label?
    /// Whether it is a stanza, and not an element that other documents may have, too.
    let isStanza: Bool
    /// As much of its first line as tells what it is.
    let beginning: ArraySlice<UInt8>
    /// Whether another stanza may be part of it (XEP-0297).
    var isEnvelope: Bool
    /// Whether it stands in a string of a programming language or of JSON.
    let isEscaped: Bool
    /// The lines after its first, to be read again if the element is broken.
    var following: [NumberedLine] = []
    var followingBytes = 0
  }

  /// The most that the lines after its first may add to an element. One that was cut off takes
  /// what follows for its content, and this is how far.
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
    try readAgain(sink)
  }

  func release(_ sink: Sink) throws { try directions.decide(sink) }

  func finish(_ sink: Sink) throws {
    while open != nil {
      try giveUp("the text ends inside an element", sink)
      try readAgain(sink)
    }
    try directions.finish(sink)
  }

  private func readAgain(_ sink: Sink) throws {
    while let held = again.popLast() { try read(held, sink) }
  }

  // MARK: Lines

  private func read(_ line: NumberedLine, _ sink: Sink) throws {
    var rest = line.bytes
    if open != nil {
      guard try goOn(line, sink) else { return }
    }
    while !rest.isEmpty {
      if open == nil {
        guard let start = PastedText.start(in: rest) else { break }
        text.append(rest[..<start])
        begin(rest[start...], line)
        rest = rest[start...]
      }
      // An element ends with a `>`: what follows is no part of it.
      let end = rest.position(of: UInt8(ascii: ">")).map { $0 + 1 } ?? rest.endIndex
      let piece = rest[..<end]
      if let open, mayBeCut(open, piece) {
        try giveUp("another stanza begins inside it", keeping: true, sink)
        continue
      }
      rest = rest[end...]
      guard try feed(piece, sink) else { return }
    }
    guard open == nil else { return }
    passOver(rest, line.number)
    text.append(rest)
    if text.followsElement { try directions.trail(text.trailingLabel, sink) }
    text.endLine()
  }

  /// Notes another line of the open element; false if that was given up, and the line with it.
  private func goOn(_ line: NumberedLine, _ sink: Sink) throws -> Bool {
    open?.following.append(line)
    open?.followingBytes += line.bytes.count + 1
    guard let size = open?.followingBytes, size <= continuationBytes else {
      try giveUp("it has too many lines", sink)
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

  /// Whether the open element was cut off because a stanza begins. A stanza inside a stanza is a
  /// forwarded one, and no text stands before that (XEP-0297).
  private func mayBeCut(_ open: OpenElement, _ piece: ArraySlice<UInt8>) -> Bool {
    guard !parser.isBetweenElements, let start = piece.position(of: UInt8(ascii: "<")),
      TopLevel.isStanza(piece[start...])
    else { return false }
    return !open.isEnvelope || !piece[..<start].allSatisfy(\.isXMLSpace)
  }

  // MARK: Elements

  /// Feeds a piece of a line; false if the open element was given up and the line, as one after
  /// its first, is to be read again.
  private func feed(_ piece: ArraySlice<UInt8>, _ sink: Sink) throws -> Bool {
    if piece.position(of: Array("forwarded".utf8)) != nil { open?.isEnvelope = true }
    let isEscaped = open?.isEscaped ?? false
    do {
      try parser.feed(isEscaped ? PastedText.unescaped(piece) : piece) { events.append($0) }
    } catch let error as StreamError {
      let isFirstLine = open?.following.isEmpty ?? true
      try giveUp(error.kind.description, sink)
      return isFirstLine
    }
    guard parser.isBetweenElements, !events.isEmpty, let element = open else { return true }
    open = nil
    let found = events
    events.removeAll(keepingCapacity: true)
    text.endElement(label: element.label)
    var taken: [StreamEvent] = []
    for event in found where try isRecord(event, element, sink) { taken += event.unwrapped }
    if !taken.isEmpty { tell(element.line) }
    let time = clock.milliseconds(element.time) ?? element.carrierTime
    try directions.take(taken, label: element.label, line: element.line, time: time, sink)
    return true
  }

  /// Whether what was found is of a stream, and no echo of a text.
  private func isRecord(
    _ event: StreamEvent, _ element: OpenElement, _ sink: Sink
  ) throws -> Bool {
    guard case .element(let found) = event else { return true }
    guard TopLevel.isOfStream(found.node) else { return false }
    guard !echoes.hold(found.bytes[...]) else {
      try problem(QuotedRecords.message, element.line, sink)
      return false
    }
    echoes.note(found.node)
    return true
  }

  private func problem(_ message: String, _ line: Int, _ sink: Sink) throws {
    tell(line)
    try directions.take(CaptureProblem(line: line, message: message), sink)
  }

  /// Reports a broken element, and has the lines after its first read again.
  ///
  /// - Parameter keepsPlace: Whether reading goes on where it is.
  private func giveUp(_ reason: String, keeping keepsPlace: Bool = false, _ sink: Sink) throws {
    guard let element = open else { return }
    open = nil
    events.removeAll(keepingCapacity: true)
    parser.reset()
    text.endElement(label: nil, isWhole: false)
    if !element.isStanza { passOver(element.beginning, element.line) }
    if keepsPlace {
      // Reading goes on within the last of them.
      for line in element.following.dropLast() { passOver(line.bytes, line.number) }
    } else if !element.following.isEmpty {
      // Each failure among lines that are read again halves what the next may take, so that a text
      // made to fail at every line is not read over and over.
      continuationBytes = max(Self.minimumContinuation, continuationBytes / 2)
      again += element.following.reversed()
    }
    guard element.isStanza else { return }
    try problem("the element cannot be read: \(reason)", element.line, sink)
  }

  // MARK: What is not read

  /// Counts a line of which a part is passed over, unless a record begins on it or a problem names
  /// it.
  private func passOver(_ part: ArraySlice<UInt8>, _ number: Int) {
    if passed.first != number {
      passedBefore = passedBefore.adding(passed)
      passed = UnreadLines()
    }
    guard number != toldLine, passed.count == 0 else { return }
    passed.note(part, number: number)
  }

  /// Notes that a record begins on a line or that a problem names it: then it is not passed over.
  private func tell(_ number: Int) {
    toldLine = number
    if passed.first == number { passed = UnreadLines() }
  }
}
