import XMPPStanza
import XMPPStream

/// Reads a text log of chunks according to its description.
///
/// Structure decides, not appearance. In escaped XML, no text contains a `<`. While an element is
/// open, a line that looks like the head of a record of another stream is one only if its payload
/// begins with `<`, and one of the same stream can only continue the open element. A line that
/// occurs in a text of an earlier stanza is an echo (`QuotedRecords`).
final class ChunkLogReader: LineReader {
  /// A record whose payload has not begun.
  private struct Pending {
    let head: ChunkLog.Head
    let record: ChunkRecord
    var lines: [NumberedLine]
  }

  /// A chunk that waits for a later line to show its account.
  private struct Unrouted {
    let record: ChunkRecord
    let chunk: [UInt8]
    /// The lines since then, to be read again.
    var lines: [NumberedLine] = []
  }

  private let log: ChunkLog
  private let limits: StreamLimits
  private let suffix: [UInt8]
  private var clock: LogClock
  var lacksYear: Bool { clock.lacksYear }
  private var shapes = RecordShapes()
  private var streams: ChunkStreams
  /// The record whose payload is being read.
  private var current: ChunkRecord?
  private var pending: Pending?
  private var collected: CollectedPayload?
  /// Whether the last line ended with the suffix, which may be part of the payload.
  private var heldSuffix = false
  /// The lines to be read again, the next one last.
  private var queued: [NumberedLine] = []
  /// The text after a record on its line, from lost line ends, to be read before these lines.
  private var rest: NumberedLine?
  /// The connection that the latest line with a name names.
  private var connection = ""
  private var router = AccountRouter()
  private var unrouted: Unrouted?
  /// The received chunks that do not concern a roster and whose account is unknown.
  private var unattributed: (line: Int, count: Int)?
  private var countLimit = ChunkLogReader.maximumCount
  /// Whether all byte counts were right so far. If one is not, the log was edited or converted, and
  /// no other count can be trusted.
  private var trustsCounts = true
  /// The lines outside payloads, and in literals that cannot be read.
  private var skipped = UnreadLines()
  /// The last line so far of the literal that is being collected.
  private var literalLine = 0
  /// The lines after the first one of the literal that is being collected.
  private var literalLines = UnreadLines()
  var unread: UnreadLines { skipped.adding(streams.unread) }
  /// Nil if each connection has a single name.
  private var pairing: ProcessPairing?

  /// A chunk from one read is not larger.
  private static let maximumCount = 1 << 20
  private static let minimumCount = 16 << 10
  private static let maximumPendingLines = 8
  /// The maximum number of lines between a push and its answer.
  private static let maximumUnroutedLines = 200
  /// The maximum length of an echo of a text.
  private static let maximumEcho = 64 << 10

  init(_ log: ChunkLog, _ options: ReaderOptions) {
    self.log = log
    limits = options.limits
    clock = LogClock(options)
    streams = ChunkStreams(log, options.limits)
    switch log.payload {
    case .verbatim(let suffix): self.suffix = Array(suffix.utf8)
    case .literal: suffix = []
    }
    pairing = log.hasReceivers ? ProcessPairing() : nil
  }

  func take(_ line: ArraySlice<UInt8>, number: Int, _ sink: Sink) throws {
    guard pairing != nil else { return try takeLine(line, number, sink) }
    try takeLine(line, number) { try pairing?.pass($0, to: sink) }
  }

  func finish(_ sink: Sink) throws {
    guard pairing != nil else { return try takeEnd(sink) }
    try takeEnd { try pairing?.pass($0, to: sink) }
    try pairing?.finish(sink)
  }

  private func takeLine(_ line: ArraySlice<UInt8>, _ number: Int, _ sink: Sink) throws {
    if collected == nil { countLimit = Self.maximumCount }
    try read(NumberedLine(number: number, bytes: line), sink)
    try readQueued(sink)
  }

  private func takeEnd(_ sink: Sink) throws {
    while collected != nil || unrouted != nil {
      if let unfinished = collected {
        try abandon(unfinished, sink)
      } else {
        try route(to: nil, sink)
      }
      try readQueued(sink)
    }
    if let pending { skip(pending.lines) }
    try streams.finish(sink)
    try reportUnattributed(sink)
  }

  private func problem(_ message: String, _ line: Int, _ sink: Sink) throws {
    try sink(.problem(CaptureProblem(line: line, message: message)))
  }

  // MARK: Lines

  /// Reads the rest of a line and the lines that are queued.
  private func readQueued(_ sink: Sink) throws {
    while true {
      if let text = rest {
        rest = nil
        try readRest(text, sink)
      } else if let held = queued.popLast() {
        try read(held, sink)
      } else {
        return
      }
    }
  }

  /// Reads the text after a record on its line, if it is a record too.
  private func readRest(_ text: NumberedLine, _ sink: Sink) throws {
    let line = NumberedLine(number: text.number, bytes: text.bytes.withoutLeadingSpace)
    guard let head = log.firstHead(ofRest: line.bytes, suffix),
      try begin(head, line, as: line.bytes.prefix(Self.maximumEcho), sink)
    else { return skip([line]) }
  }

  private func read(_ line: NumberedLine, _ sink: Sink) throws {
    let repaired = NumberedLine(
      number: line.number, bytes: log.mend.map { $0(line.bytes) } ?? line.bytes)
    if collected != nil { return try collect(repaired, sink) }
    if let name = log.connection?(repaired.bytes) { connection = name }
    let head = log.firstHead(on: repaired.bytes)
    if unrouted != nil { return try waitForAnswer(head, line, sink) }
    if let open = pending, try readAfterHead(open, repaired, head, sink) { return }
    if let head, try begin(head, repaired, as: line.bytes, sink) { return }
    if let ending = log.ending?(repaired.bytes) {
      return try end(ending, line.number, sink)
    }
    // A line that only looks like a head is part of a text.
    guard head != nil || isInsidePayload || !log.isOwnLine(repaired.bytes),
      try continuePayload(repaired, sink)
    else { return skip([repaired]) }
  }

  /// Counts lines that are not part of a record.
  private func skip(_ lines: [NumberedLine]) {
    for line in lines { skipped.note(line.bytes, number: line.number, except: log.passedOver) }
  }

  /// Whether the current payload is open because its suffix has not been read yet.
  private var isInsidePayload: Bool {
    guard let current, !suffix.isEmpty, !heldSuffix else { return false }
    return streams.isOpen(current.key)
  }

  /// Handles a line after a head without a payload; false if it is to be read like any other line.
  private func readAfterHead(
    _ open: Pending, _ line: NumberedLine, _ head: ChunkLog.Head?, _ sink: Sink
  ) throws -> Bool {
    if head != nil || open.lines.count >= Self.maximumPendingLines {
      pending = nil
      skip(open.lines)
      return false
    }
    guard let payload = log.lead?(line.bytes) else {
      pending?.lines.append(line)
      return true
    }
    pending = nil
    guard mayBegin(open.record.key, payload) else {
      for held in open.lines where try !continuePayload(held, sink) { skip([held]) }
      return false
    }
    skip(open.lines)
    try start(open.record, open.head.count, payload, sink)
    return true
  }

  /// Begins a record if the line is the head of one.
  ///
  /// - Parameter written: The line before it was repaired.
  private func begin(
    _ head: ChunkLog.Head, _ line: NumberedLine, as written: ArraySlice<UInt8>, _ sink: Sink
  ) throws -> Bool {
    let key = ChunkRecord.Key(
      connection: head.connection.isEmpty ? connection : head.connection, direction: head.direction)
    let isBare = log.lead != nil && head.payload.allSatisfy(\.isXMLSpace)
    switch log.payload {
    case .verbatim:
      guard isBare || mayBegin(key, head.payload) else {
        return try reportBeginning(key, head.payload, line.number, sink)
      }
    case .literal: break
    }
    if isEcho(written, head.payload) || isEcho(line.bytes, head.payload) {
      try problem(QuotedRecords.message, line.number, sink)
      return true
    }
    if let shape = head.shape, !shapes.admits(shape, beginsStream: isStreamHeader(head.payload)) {
      skipped.note(head.payload, number: line.number)
      try problem(RecordShapes.message, line.number, sink)
      return true
    }
    if streams.isOpen(key) {
      // It continues the element, or it is a line of a text in it whose echo may follow.
      streams.quoted.note(line: written, isRecord: log.isRecord)
    }
    let record = ChunkRecord(
      line: line.number, key: key, time: clock.milliseconds(head.time))
    guard !isBare else {
      pending = Pending(head: head, record: record, lines: [line])
      return true
    }
    try start(record, head.count, head.payload, sink)
    return true
  }

  private func isEcho(_ line: ArraySlice<UInt8>, _ payload: ArraySlice<UInt8>) -> Bool {
    guard !streams.quoted.isEmpty, streams.quoted.contains(line, suffix: suffix) else {
      return false
    }
    guard case .literal(let decode) = log.payload else { return true }
    // The first of several lines is not enough.
    return decode(payload) != .unfinished
  }

  /// Reports a log that begins inside a stanza; false if it does not.
  private func reportBeginning(
    _ key: ChunkRecord.Key, _ payload: ArraySlice<UInt8>, _ number: Int, _ sink: Sink
  ) throws -> Bool {
    guard current == nil, streams.isEmpty, payload.contains(UInt8(ascii: "<")) else {
      return false
    }
    streams.begin(key)
    try problem("the log begins within a stanza, which is left out", number, sink)
    return true
  }

  /// Whether a record with this payload can begin at this point.
  private func mayBegin(_ key: ChunkRecord.Key, _ payload: ArraySlice<UInt8>) -> Bool {
    guard !isInsidePayload else { return false }
    if log.namesSendersOnly, key.direction == .inbound, !streams.openInbound.isEmpty {
      return true
    }
    if !log.isWhole, streams.isOpen(key) { return true }
    return payload.withoutLeadingSpace.first == UInt8(ascii: "<")
  }

  private func isStreamHeader(_ payload: ArraySlice<UInt8>) -> Bool {
    guard case .literal(let decode) = log.payload else { return TopLevel.isStreamHeader(payload) }
    guard case .complete(let bytes) = decode(payload) else { return false }
    return TopLevel.isStreamHeader(bytes[...])
  }

  private func end(_ ending: ChunkLog.Ending, _ number: Int, _ sink: Sink) throws {
    current = nil
    try streams.close(ending.connection, sink)
    let record = CapturedRecord(
      connection: ending.connection, time: clock.milliseconds(ending.time), line: number,
      content: .lifecycle(.closed(reason: ending.reason)))
    if streams.hasRecords { try sink(.record(record)) }
  }

  // MARK: Payloads

  private func start(
    _ record: ChunkRecord, _ count: Int?, _ payload: ArraySlice<UInt8>, _ sink: Sink
  ) throws {
    switch log.payload {
    case .literal(let decode):
      let end = Literal.end(onLongLine: payload, decode) ?? payload.endIndex
      collected = CollectedPayload(record: record, count: nil, payload[..<end])
      (literalLine, literalLines) = (record.line, UnreadLines())
      try feedCollected(sink)
      if end < payload.endIndex { queueRest(payload[end...], behind: record) }
    case .verbatim:
      if let count, trustsCounts, count <= countLimit {
        collected = CollectedPayload(record: record, count: count, payload)
        return try feedCollected(sink)
      }
      try startVerbatim(record, payload, sink)
    }
  }

  private func startVerbatim(
    _ record: ChunkRecord, _ payload: ArraySlice<UInt8>, _ sink: Sink
  ) throws {
    if log.namesSendersOnly {
      guard record.key.direction == .outbound else {
        return try receive(payload, record, sink)
      }
      router.sent(record.key.connection, payload)
    }
    current = record
    if log.isWhole { try streams.breakOff(record.key, sink) }
    try feedLine(payload, at: record.line, beginsChunk: true, sink)
  }

  /// Feeds a line of a payload that began on an earlier line; false if it is not part of one.
  private func continuePayload(_ line: NumberedLine, _ sink: Sink) throws -> Bool {
    guard let current, case .verbatim = log.payload else { return false }
    if !streams.isOpen(current.key) {
      // If payloads have their own lines, the next element may begin on its own line.
      guard log.lead != nil, !line.bytes.allSatisfy(\.isXMLSpace) else {
        self.current = nil
        return false
      }
      guard line.bytes.withoutLeadingSpace.first == UInt8(ascii: "<") else { return false }
    }
    try feedLine([UInt8(ascii: "\n")] + line.bytes, at: line.number, beginsChunk: false, sink)
    return true
  }

  /// Feeds a line of a payload without a suffix at its end, because only the next line shows
  /// whether the suffix belongs to the payload.
  private func feedLine(
    _ payload: ArraySlice<UInt8>, at number: Int, beginsChunk: Bool, _ sink: Sink
  ) throws {
    if heldSuffix, !beginsChunk { try feed(suffix[...], at: number, beginsChunk: false, sink) }
    heldSuffix = !suffix.isEmpty && payload.ends(with: suffix)
    // If only some heads name an account, the account of the rest of a line is unknown.
    try feed(
      heldSuffix ? payload.dropLast(suffix.count) : payload, at: number, beginsChunk: beginsChunk,
      mayHoldRecord: !log.namesSendersOnly, sink)
  }

  /// - Parameter mayHoldRecord: Whether another record may follow on the line.
  private func feed(
    _ bytes: ArraySlice<UInt8>, at number: Int, beginsChunk: Bool, mayHoldRecord: Bool = false,
    _ sink: Sink
  ) throws {
    guard let current else { return }
    let text = try streams.feed(
      bytes, of: current, at: number, beginsChunk: beginsChunk,
      isHead: { mayHoldRecord && log.firstHead(ofRest: $0, suffix) != nil }, sink)
    if let text { rest = NumberedLine(number: number, bytes: text) }
  }

  private func collect(_ line: NumberedLine, _ sink: Sink) throws {
    guard let open = collected else { return }
    let isCounted = open.count != nil
    let isTooLong = open.bytes.count > 8 * limits.bytesPerElement
    if isTooLong || (!isCounted && log.head(line.bytes) != nil) {
      try abandon(open, sink)
      return queued.append(line)
    }
    collected?.append(line)
    if !isCounted {
      literalLine = line.number
      literalLines.note(line.bytes, number: line.number, except: log.passedOver)
    }
    // A literal of many lines is decoded only at its possible ends.
    if isCounted || line.bytes.ends(with: Array(">>".utf8)) { try feedCollected(sink) }
  }

  /// Feeds the collected payload if it is complete.
  private func feedCollected(_ sink: Sink) throws {
    guard let open = collected else { return }
    switch open.progress(log) {
    case .unfinished: return
    case .malformed: try abandon(open, sink)
    case .complete(let payload, let rest):
      collected = nil
      heldSuffix = false
      try receive(payload, open.record, sink)
      if case .literal(let decode) = log.payload {
        let text = open.bytes[...]
        let end = Literal.end(in: text, of: payload.count, decode)
        if end < text.endIndex { queueRest(text[end...], behind: open.record) }
      }
      guard let rest else { return }
      queued.append(NumberedLine(number: open.lines.last?.number ?? open.record.line, bytes: rest))
    }
  }

  /// Queues the text after a literal on its last line, and later lines taken for part of it.
  private func queueRest(_ text: ArraySlice<UInt8>, behind record: ChunkRecord) {
    var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let first = lines.removeFirst()
    let number = literalLine - lines.count
    for (index, line) in lines.enumerated().reversed() {
      queued.append(NumberedLine(number: number + 1 + index, bytes: line))
    }
    let rest = NumberedLine(number: number, bytes: first)
    // No text of a stanza contains `<`, so the text after a whole element is not a message.
    if streams.isOpen(record.key) { skip([rest]) } else { self.rest = rest }
  }

  /// Abandons a payload that turned out not to be one: its lines are read again, without count.
  private func abandon(_ open: CollectedPayload, _ sink: Sink) throws {
    collected = nil
    guard open.count != nil else {
      skipped = skipped.adding(literalLines)
      let message = "the record cannot be read: its byte string is malformed"
      return try problem(message, open.record.line, sink)
    }
    trustsCounts = false
    // Each failure among lines that are read again halves the limit for the next payload, so that a
    // log made to fail at every line is not read over and over.
    if !open.lines.isEmpty { countLimit = max(Self.minimumCount, countLimit / 2) }
    queued += open.lines.reversed()
    try startVerbatim(open.record, open.firstLine, sink)
  }

  // MARK: Accounts

  /// Feeds a complete received chunk. If the log names accounts only for sent chunks, finds its
  /// account first.
  private func receive(_ chunk: ArraySlice<UInt8>, _ record: ChunkRecord, _ sink: Sink) throws {
    guard log.namesSendersOnly, record.key.direction == .inbound else {
      return try feedWhole(chunk, record, sink)
    }
    guard let name = router.account(of: chunk, open: streams.openInbound) else {
      // Stream setup and acknowledgements of any account do not concern a roster.
      let stanzas = ["<iq", "<presence", "<message"]
      let hasStanza = stanzas.contains { chunk.position(of: Array($0.utf8)) != nil }
      if router.hasSeveral, TopLevel.isElement(chunk) || TopLevel.isStreamHeader(chunk), !hasStanza
      {
        unattributed = (unattributed?.line ?? record.line, (unattributed?.count ?? 0) + 1)
        return
      }
      unrouted = Unrouted(record: record, chunk: Array(chunk))
      return
    }
    try feedWhole(chunk, record, of: name, sink)
  }

  /// - Parameter connection: The connection of the chunk, if its record does not name one.
  private func feedWhole(
    _ chunk: ArraySlice<UInt8>, _ record: ChunkRecord, of connection: String? = nil, _ sink: Sink
  ) throws {
    var record = record
    if let connection {
      record.key = ChunkRecord.Key(connection: connection, direction: record.key.direction)
    }
    current = record
    try feed(chunk, at: record.line, beginsChunk: true, sink)
    // Without a count, a chunk ends where its element ends.
    if trustsCounts || !streams.isOpen(record.key) { current = nil }
  }

  /// Holds a line until one answers the chunk whose account is unknown.
  private func waitForAnswer(
    _ head: ChunkLog.Head?, _ line: NumberedLine, _ sink: Sink
  ) throws {
    guard let waiting = unrouted else { return }
    unrouted?.lines.append(line)
    if let head, head.direction == .outbound,
      router.latest == nil || router.answers(head.payload, waiting.chunk[...])
    {
      try route(to: head.connection, sink)
    } else if waiting.lines.count >= Self.maximumUnroutedLines {
      try route(to: nil, sink)
    }
  }

  /// Feeds or drops the chunk that was waiting, and queues the lines since then.
  private func route(to name: String?, _ sink: Sink) throws {
    guard let waiting = unrouted else { return }
    unrouted = nil
    queued += waiting.lines.reversed()
    if let name = name ?? (router.hasSeveral ? nil : router.latest ?? "") {
      try feedWhole(waiting.chunk[...], waiting.record, of: name, sink)
    } else {
      let message = "nothing says which of the accounts received this: it is left out"
      try problem(message, waiting.record.line, sink)
    }
  }

  /// Reports, at the end of the log, how many chunks were left out that do not affect a roster.
  private func reportUnattributed(_ sink: Sink) throws {
    guard let unattributed else { return }
    let message = """
      nothing says which of the accounts received \(unattributed.count) chunks that set up streams \
      or acknowledge stanzas; they are left out, and no roster depends on them
      """
    try problem(message, unattributed.line, sink)
  }
}
