import XMPPStanza
import XMPPStream

/// Reads the text log of a program according to its description.
///
/// Structure decides, not appearance: from its first `<` on, a record is XML, and it continues over
/// the following lines, whatever they look like, until its element closes. A record that turns out
/// broken is reported, and reading continues at the line after its first, so that nothing around it
/// is lost.
final class LineLogReader: LineReader {
  private struct OpenRecord {
    let head: RecordHead
    /// The XML on the first line of the record.
    let payload: ArraySlice<UInt8>
    /// The lines after the first, to be read again if the record is broken.
    var following: [NumberedLine] = []
    var followingBytes = 0
  }

  private let log: LineLog
  private let parser: StreamParser
  private let connectionWord: ConnectionWord?
  private var clock: LogClock
  var lacksYear: Bool { clock.lacksYear }
  private var events: [StreamEvent] = []
  private var open: OpenRecord?
  /// The text after a record on its line, to be read next.
  private var rest: ArraySlice<UInt8>?
  /// The lines to be read again, the next one last.
  private var queued: [NumberedLine] = []
  private var shapes = RecordShapes()
  private var quoted = QuotedRecords()
  private var continuationBytes = LineLogReader.maximumContinuation
  private var hintLine: Int?
  /// Whether a line that the hint would add to the log is there and was not read.
  private var hasAdvisedLine = false
  private(set) var unread = UnreadLines()
  /// Whether the log has shown a received record.
  private var hasReceived = false
  /// The reasons that lines have given for ends that are still to come, by connection.
  private var endReasons: [String: String] = [:]
  /// The connection of the last announcement, whose element may be repeated as a record.
  private var announced: String?

  /// The maximum length of the lines after the first of a record. A record that was cut off takes
  /// the following lines for its content, up to this limit.
  private static let maximumContinuation = 4 << 20
  private static let minimumContinuation = 4 << 10
  /// The maximum number of reasons that are kept at once.
  private static let maximumReasons = 1024
  /// The maximum length of the rest of a line that may be an echo of a text.
  private static let maximumEcho = 64 << 10

  init(_ log: LineLog, _ options: ReaderOptions) {
    self.log = log
    parser = StreamParser(root: .records, limits: options.limits)
    connectionWord = options.carrier.connectionWord
    clock = LogClock(options)
  }

  func take(_ line: ArraySlice<UInt8>, number: Int, _ sink: Sink) throws {
    if open == nil { continuationBytes = Self.maximumContinuation }
    try read(line, number, sink)
    try readQueued(sink)
  }

  func finish(_ sink: Sink) throws {
    while open != nil {
      try abandon("the record does not end before the capture does", sink)
      try readQueued(sink)
    }
    if let hint = log.hint, let hintLine, !hasAdvisedLine, hint.isAlways || !hasReceived {
      try sink(.problem(CaptureProblem(line: hintLine, message: hint.message)))
    }
  }

  private func readQueued(_ sink: Sink) throws {
    while let held = queued.popLast() { try read(held.bytes, held.number, sink) }
  }

  private func read(_ line: ArraySlice<UInt8>, _ number: Int, _ sink: Sink) throws {
    guard open == nil else {
      try continueRecord(line, number, sink)
      return try readRests(number, sink)
    }
    noteHint(line, number)
    if let start = log.payload(in: line),
      try beginRecord(line[start...], line[..<start], number, isRest: false, sink)
    {
      return try readRests(number, sink)
    }
    try readMessage(line, number, sink)
  }

  // MARK: Records

  /// Begins a record if the line, or the rest of one, is the head of a record.
  private func beginRecord(
    _ payload: ArraySlice<UInt8>, _ head: ArraySlice<UInt8>, _ number: Int, isRest: Bool,
    _ sink: Sink
  ) throws -> Bool {
    guard let (marker, before) = log.marker(endingIn: head), log.isTaken?(payload) ?? true,
      let prefix = log.prefix(before)
    else { return false }
    let mayBeEcho = !quoted.isEmpty && (!isRest || payload.count <= Self.maximumEcho)
    let isEcho = mayBeEcho && quoted.contains(head + payload)
    let isQuoted =
      prefix.shape.map {
        !shapes.admits($0, beginsStream: TopLevel.isStreamHeader(payload))
      } ?? false
    guard !isEcho, !isQuoted else {
      if !isEcho { unread.note(payload, number: number) }
      let message = isEcho ? QuotedRecords.message : RecordShapes.message
      try sink(.problem(CaptureProblem(line: number, message: message)))
      return true
    }
    let connection = connection(prefix, head)
    let isAnnouncement = marker.text.contains(UInt8(ascii: "<"))
    let isRepeated =
      !isAnnouncement && announced == connection && payload.starts(with: "<stream:error>".utf8)
    announced = isAnnouncement ? connection : nil
    if isRepeated { return true }
    open = OpenRecord(
      head: RecordHead(
        line: number, direction: marker.direction, connection: connection,
        time: clock.milliseconds(prefix.time)), payload: payload)
    if isRest { try feedRest(payload, sink) } else { try feed(payload, sink) }
    return true
  }

  /// The connection of a line, from the text before its message.
  private func connection(_ prefix: LineLog.Prefix, _ head: ArraySlice<UInt8>) -> String {
    guard prefix.connection.isEmpty, let connectionWord else { return prefix.connection }
    return connectionWord.name(in: head)
  }

  private func continueRecord(
    _ line: ArraySlice<UInt8>, _ number: Int, _ sink: Sink
  ) throws {
    open?.following.append(NumberedLine(number: number, bytes: line))
    open?.followingBytes += line.count + 1
    guard let size = open?.followingBytes, size <= continuationBytes else {
      return try abandon("the record has too many lines", sink)
    }
    try feed([UInt8(ascii: "\n")] + line, sink)
  }

  private func feed(_ payload: ArraySlice<UInt8>, _ sink: Sink) throws {
    do {
      try parser.feed(log.mend.map { $0(payload) } ?? payload) { events.append($0) }
      if parser.isBetweenElements { try finishRecord(sink) }
    } catch let error as StreamError {
      if error.kind == .textBetweenElements, !events.isEmpty, let record = open,
        let text = separateRest(of: record)
      {
        if log.hasSuffix || log.isHead(text) {
          rest = text
          return try finishRecord(sink)
        }
        if record.following.isEmpty { unread.note(text, number: record.head.line) }
      }
      try abandon(error.kind.description, sink)
    }
  }

  /// Reads a record again whose last line continues after its last element, and returns the rest of
  /// that line.
  private func separateRest(of record: OpenRecord) -> ArraySlice<UInt8>? {
    parser.reset()
    events.removeAll(keepingCapacity: true)
    let lineEnd = [UInt8(ascii: "\n")]
    for line in [record.payload] + record.following.map({ lineEnd + $0.bytes }) {
      if let text = try? feedElements(of: log.mend.map { $0(line) } ?? line) { return text }
    }
    return nil
  }

  /// Feeds the elements of a line one by one.
  ///
  /// - Returns: The text after one of them; nil if there is none.
  private func feedElements(of line: ArraySlice<UInt8>) throws -> ArraySlice<UInt8>? {
    var left = line
    while !left.isEmpty {
      // An element ends with a `>`.
      let end = left.position(of: UInt8(ascii: ">")).map { $0 + 1 } ?? left.endIndex
      try parser.feed(left[..<end]) { events.append($0) }
      left = left[end...]
      guard parser.isBetweenElements, !events.isEmpty else { continue }
      let text = left.withoutLeadingSpace
      if text.isEmpty { return nil }
      guard text.first != UInt8(ascii: "<") else { continue }
      parser.reset()
      return text
    }
    return nil
  }

  /// Reads the records after a record on its line, which exist if line ends were lost. Each record
  /// is fed separately, so that a long line of many records is read only once.
  private func readRests(_ number: Int, _ sink: Sink) throws {
    while let text = rest {
      rest = nil
      guard let start = text.position(of: UInt8(ascii: "<")) else { return }
      if try !beginRecord(text[start...], text[..<start], number, isRest: true, sink) {
        unread.note(text, number: number)
      }
    }
  }

  private func feedRest(_ payload: ArraySlice<UInt8>, _ sink: Sink) throws {
    do {
      rest = try feedElements(of: payload)
      if parser.isBetweenElements { try finishRecord(sink) }
    } catch let error as StreamError {
      try abandon(error.kind.description, sink)
    }
  }

  private func finishRecord(_ sink: Sink) throws {
    guard let record = open else { return }
    open = nil
    try emitEvents(of: record.head, sink)
  }

  private func emitEvents(of record: RecordHead, _ sink: Sink) throws {
    guard !events.isEmpty else { return }
    let found = events
    events.removeAll(keepingCapacity: true)
    hasReceived = hasReceived || record.direction == .inbound && announced == nil
    for (index, event) in found.enumerated() {
      if case .element(let element) = event {
        // A web page has these between its lines.
        if index > 0, element.node.name.local == "br" { continue }
        quoted.note(element.node) { [log] in log.isHead($0) }
      }
      for event in event.unwrapped { try record.emit(event, sink) }
    }
  }

  /// Reports a broken record and queues the lines after its first. Complete elements at its
  /// beginning are passed on.
  private func abandon(_ reason: String, _ sink: Sink) throws {
    guard let record = open else { return }
    open = nil
    parser.reset()
    // Each failure among lines that are read again halves the limit for the next record, so that a
    // log made to fail at every line is not read over and over.
    if !record.following.isEmpty {
      continuationBytes = max(Self.minimumContinuation, continuationBytes / 2)
    }
    queued += record.following.reversed()
    try emitEvents(of: record.head, sink)
    let message = "the record cannot be read: \(reason)"
    try sink(.problem(CaptureProblem(line: record.head.line, message: message)))
  }

  // MARK: Other lines

  private func readMessage(_ line: ArraySlice<UInt8>, _ number: Int, _ sink: Sink) throws {
    if let record = ending(line, number) ?? streamEnd(line, number) {
      return try sink(.record(record))
    }
    if let earlier = log.reason?(line) {
      if endReasons.count >= Self.maximumReasons { endReasons = [:] }
      endReasons[earlier.connection] = earlier.reason
      return
    }
    if let record = binding(line, number) { return try sink(.record(record)) }
    unread.note(line, number: number, except: log.passedOver)
    if !hasAdvisedLine, let advised = log.hint?.advised {
      let start = advised.lazy.compactMap { line.position(of: $0) }.first
      hasAdvisedLine =
        start.map { start in
          !log.passedOver.contains { line[..<start].position(of: $0) != nil }
        } ?? false
    }
  }

  /// The record of a line that reports the end of a connection.
  private func ending(_ line: ArraySlice<UInt8>, _ number: Int) -> CapturedRecord? {
    for message in log.endings {
      guard var record = report(message, on: line, number) else { continue }
      let end = line.position(of: message).map { $0 + message.count } ?? line.endIndex
      let reason = log.endReason?(line[end...])
      record.content = .lifecycle(
        .closed(reason: endReasons.removeValue(forKey: record.connection) ?? reason))
      return record
    }
    return nil
  }

  /// The record of a line that reports the end of one direction of a stream.
  private func streamEnd(_ line: ArraySlice<UInt8>, _ number: Int) -> CapturedRecord? {
    for end in log.streamEnds {
      guard var record = report(end.text, on: line, number) else { continue }
      record.content = .streamEnd(end.direction)
      return record
    }
    return nil
  }

  /// A record of a line with a message of the program; nil if the line does not have it.
  private func report(
    _ message: [UInt8], on line: ArraySlice<UInt8>, _ number: Int
  ) -> CapturedRecord? {
    guard let start = line.position(of: message), let prefix = log.prefix(line[..<start]),
      prefix.shape.map(shapes.contains) ?? true
    else { return nil }
    return CapturedRecord(
      connection: connection(prefix, line[..<start]), time: clock.milliseconds(prefix.time),
      line: number, content: .lifecycle(.closed(reason: nil)))
  }

  /// The record of a line that names the account of a connection's session.
  private func binding(_ line: ArraySlice<UInt8>, _ number: Int) -> CapturedRecord? {
    guard let binding = log.binding, let start = line.position(of: binding),
      let prefix = log.prefix(line[..<start]),
      let jid = try? JID(
        parsing: String(decoding: line[(start + binding.count)...], as: UTF8.self).trimmedOfXMLSpace
      )
    else { return nil }
    var record = CapturedRecord(
      connection: prefix.connection, time: clock.milliseconds(prefix.time), line: number,
      content: .lifecycle(.authenticated(mechanism: nil)))
    record.owner = jid
    return record
  }

  private func noteHint(_ line: ArraySlice<UInt8>, _ number: Int) {
    guard let hint = log.hint, hintLine == nil, !hasReceived else { return }
    if hint.markers.contains(where: { line.position(of: $0) != nil }) { hintLine = number }
  }
}
