import XMPPStanza
import XMPPStream

/// Reads a text log of chunks by its description.
///
/// Structure decides, not looks. In escaped XML no text holds a `<`: while an element is open, a
/// line that looks like the head of a record of another stream is one only where its payload
/// begins with `<`, and one of the same stream can only go on with the open element. A line that
/// stands in a text of a stanza before is an echo (`EchoGuard`).
final class ChunkLogReader: LineReader {
  struct Key: Hashable {
    let connection: String
    let direction: Direction?
  }

  /// A record whose payload is being read.
  struct Record {
    let line: Int
    let key: Key
    let time: Int64?
  }

  struct HeldLine {
    let number: Int
    let bytes: ArraySlice<UInt8>
  }

  /// A record of whose payload nothing has come.
  private struct Pending {
    let head: ChunkLog.Head
    let record: Record
    var lines: [HeldLine]
  }

  /// A payload that is collected before it is fed.
  struct Collected {
    let record: Record
    /// The bytes that it has to have; nil for a literal, which says itself where it ends.
    let count: Int?
    var bytes: [UInt8]
    var lines: [HeldLine] = []
  }

  /// A chunk that waits for a later line to say whose it is.
  struct Unrouted {
    let record: Record
    let chunk: [UInt8]
    /// What has come since, to be read again.
    var lines: [HeldLine] = []
  }

  let log: ChunkLog
  let limits: StreamLimits
  let suffix: [UInt8]
  private var clock: LogClock
  private var shapes = ShapeMemory()
  private var echoes = EchoGuard()
  private var guess = DirectionGuess()
  var streams: [Key: ChunkStream] = [:]
  var current: Record?
  private var pending: Pending?
  var collected: Collected?
  /// The suffix at the end of the last line, which may be part of the payload.
  var heldSuffix = false
  /// Lines to be read again, the next one last.
  var again: [HeldLine] = []
  var router = AccountRouter()
  var unrouted: Unrouted?
  /// The received chunks that mean nothing to a roster and that nothing says the account of.
  var nameless: (line: Int, count: Int)?
  private var hasRecords = false

  var countLimit = ChunkLogReader.maximumCount

  /// More is no chunk that one read gives.
  private static let maximumCount = 1 << 20
  static let minimumCount = 16 << 10
  private static let maximumPendingLines = 8
  private static let maximumStreams = 10_000
  /// How many lines later an answer to a push comes at most.
  static let maximumUnroutedLines = 200

  init(_ log: ChunkLog, _ options: ReaderOptions) {
    self.log = log
    limits = options.limits
    clock = LogClock(year: options.year)
    switch log.payload {
    case .verbatim(let suffix): self.suffix = Array(suffix.utf8)
    case .literal: suffix = []
    }
  }

  func take(_ line: ArraySlice<UInt8>, number: Int, _ sink: Sink) throws {
    if collected == nil { countLimit = Self.maximumCount }
    try read(line, number, sink)
    while let held = again.popLast() { try read(held.bytes, held.number, sink) }
  }

  func finish(_ sink: Sink) throws {
    while collected != nil || unrouted != nil {
      if let unfinished = collected { try giveUp(unfinished, sink) }
      if unrouted != nil { try route(to: nil, sink) }
      while let held = again.popLast() { try read(held.bytes, held.number, sink) }
    }
    let keys = streams.keys.sorted {
      ($0.connection, $0.direction == .inbound ? 0 : 1)
        < ($1.connection, $1.direction == .inbound ? 0 : 1)
    }
    for key in keys {
      streams[key]?.breakOff("it ends inside an element")
      try report(key, sink)
    }
    try reportNameless(sink)
  }

  // MARK: Lines

  private func read(_ whole: ArraySlice<UInt8>, _ number: Int, _ sink: Sink) throws {
    let line = mended(whole)
    if collected != nil { return try collect(line, number, sink) }
    let head = log.head(line)
    if unrouted != nil { return try waitForAnswer(head, whole, number, sink) }
    if let open = pending, try readBehindHead(open, line, head, number, sink) { return }
    if let head, try begin(head, line, whole, number, sink) { return }
    if let connection = log.ending?(line) {
      return try end(connection, line, number, sink)
    }
    // A line that looks like a head and is none stands in a text.
    guard head != nil || isInsidePayload || !log.isOwnLine(line) else { return }
    try goOn(line, sink)
  }

  /// Whether the payload that is being read has not ended, for its suffix has not come.
  private var isInsidePayload: Bool {
    guard let current, !suffix.isEmpty, !heldSuffix else { return false }
    return streams[current.key].map { !$0.isBetweenElements } ?? false
  }

  /// Handles a line that stands behind a head without a payload; false where it is to be read as
  /// any other.
  private func readBehindHead(
    _ open: Pending, _ line: ArraySlice<UInt8>, _ head: ChunkLog.Head?, _ number: Int, _ sink: Sink
  ) throws -> Bool {
    if head != nil || open.lines.count >= Self.maximumPendingLines {
      pending = nil
      return false
    }
    guard let payload = log.lead?(line) else {
      pending?.lines.append(HeldLine(number: number, bytes: line))
      return true
    }
    pending = nil
    guard mayBegin(open.record.key, payload) else {
      for held in open.lines { try goOn(held.bytes, sink) }
      return false
    }
    try start(open.record, open.head.count, payload, sink)
    return true
  }

  /// Begins a record where the line is the head of one.
  private func begin(
    _ head: ChunkLog.Head, _ line: ArraySlice<UInt8>, _ whole: ArraySlice<UInt8>, _ number: Int,
    _ sink: Sink
  ) throws -> Bool {
    let key = Key(connection: head.connection, direction: head.direction)
    let isBare = log.lead != nil && head.payload.allSatisfy(\.isBlank)
    switch log.payload {
    case .verbatim:
      guard isBare || mayBegin(key, head.payload) else {
        try reportBeginning(key, head.payload, number, sink)
        return false
      }
    case .literal: break
    }
    if isEcho(whole, head.payload) || isEcho(line, head.payload) {
      try problem(EchoGuard.message, number, sink)
      return true
    }
    if let shape = head.shape, !shapes.admits(shape, beginsStream: isStreamHeader(head.payload)) {
      try problem(ShapeMemory.message, number, sink)
      return true
    }
    if streams[key].map({ !$0.isBetweenElements }) ?? false {
      // It goes on with an element, or it is a line of a text in it: then its echo may come.
      echoes.learn(line: whole, isRecord: log.isRecord)
    }
    let record = Record(line: number, key: key, time: clock.milliseconds(head.time))
    guard !isBare else {
      let held = HeldLine(number: number, bytes: line)
      pending = Pending(head: head, record: record, lines: [held])
      return true
    }
    try start(record, head.count, head.payload, sink)
    return true
  }

  private func isEcho(_ line: ArraySlice<UInt8>, _ payload: ArraySlice<UInt8>) -> Bool {
    guard !echoes.isEmpty, echoes.isEcho(line, suffix: suffix) else { return false }
    guard case .literal(let decode) = log.payload else { return true }
    // The first line of several says too little.
    return decode(payload) != .unfinished
  }

  private func mended(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    log.mend.map { $0(line) } ?? line
  }

  /// Says so where a log begins in the middle of a stanza.
  private func reportBeginning(
    _ key: Key, _ payload: ArraySlice<UInt8>, _ number: Int, _ sink: Sink
  ) throws {
    guard current == nil, streams.isEmpty, payload.contains(UInt8(ascii: "<")) else { return }
    streams[key] = ChunkStream(limits)
    try problem("the log begins within a stanza, which is left out", number, sink)
  }

  /// Whether a record with this payload can begin where reading has come to.
  private func mayBegin(_ key: Key, _ payload: ArraySlice<UInt8>) -> Bool {
    guard !isInsidePayload else { return false }
    if log.namesSendersOnly, key.direction == .inbound {
      let isOpen = streams.contains {
        $0.key.direction == .inbound && !$0.value.isBetweenElements
      }
      if isOpen { return true }
    }
    if let stream = streams[key], !stream.isBetweenElements, !log.isWhole { return true }
    return payload.withoutLeadingSpace.first == UInt8(ascii: "<")
  }

  private func isStreamHeader(_ payload: ArraySlice<UInt8>) -> Bool {
    guard case .literal(let decode) = log.payload else { return TopLevel.isStreamHeader(payload) }
    guard case .complete(let bytes) = decode(payload) else { return false }
    return TopLevel.isStreamHeader(bytes[...])
  }

  private func end(
    _ connection: String, _ line: ArraySlice<UInt8>, _ number: Int, _ sink: Sink
  ) throws {
    current = nil
    for direction in Direction.allCases {
      let key = Key(connection: connection, direction: direction)
      streams[key]?.breakOff("it ends inside an element")
      try report(key, sink)
      streams[key] = nil
    }
    let record = CapturedRecord(connection: connection, time: nil, line: number, content: .closed)
    if hasRecords { try sink(.record(record)) }
  }

  func problem(_ message: String, _ line: Int, _ sink: Sink) throws {
    try sink(.problem(CaptureProblem(line: line, message: message)))
  }

  // MARK: Streams

  func feed(_ bytes: ArraySlice<UInt8>, beginsChunk: Bool, _ sink: Sink) throws {
    guard let record = current else { return }
    if streams.count > Self.maximumStreams { streams = streams.filter { !$1.isBetweenElements } }
    if beginsChunk, record.key.direction == .outbound, TopLevel.isStreamHeader(bytes) {
      // A new connection, or a stream that begins anew: what the server still had to say is gone.
      try breakOffAnswers(record.key.connection, sink)
    }
    var stream = streams[record.key] ?? ChunkStream(limits)
    let events = stream.feed(withoutOmissions(bytes), line: record.line, beginsChunk: beginsChunk)
    streams[record.key] = stream
    try report(record.key, sink)
    for event in events { try give(event, record, sink) }
  }

  private func breakOffAnswers(_ connection: String, _ sink: Sink) throws {
    let key = Key(connection: connection, direction: .inbound)
    guard let stream = streams[key], !stream.isBetweenElements else { return }
    streams[key]?.breakOff("it ends inside an element")
    try report(key, sink)
  }

  private func withoutOmissions(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = bytes
    for omission in log.omissions {
      while let start = rest.position(of: Array(omission.utf8)) {
        rest = (rest[..<start] + rest[(start + omission.utf8.count)...])[...]
      }
    }
    return rest
  }

  private func give(_ event: StreamEvent, _ record: Record, _ sink: Sink) throws {
    hasRecords = true
    if case .element(let element) = event {
      echoes.learn(element.node, isRecord: log.isRecord)
    }
    for event in event.unwrapped {
      let head = RecordHead(
        line: record.line, direction: record.key.direction ?? guess.direction(of: event),
        connection: record.key.connection, time: record.time)
      try head.give(event, sink)
    }
  }

  func report(_ key: Key, _ sink: Sink) throws {
    for problem in streams[key]?.takeProblems() ?? [] { try sink(.problem(problem)) }
  }
}
