import XMPPStanza
import XMPPStream

/// The line, the stream and the time of a chunk in a log.
struct ChunkRecord {
  /// One direction of one connection.
  struct Key: Hashable {
    let connection: String
    /// Nil if the log does not say.
    let direction: Direction?
  }

  let line: Int
  var key: Key
  let time: Int64?
}

/// The streams of a log of chunks: each direction of each connection.
struct ChunkStreams {
  typealias Key = ChunkRecord.Key
  typealias Sink = LineReader.Sink

  private let log: ChunkLog
  private let limits: StreamLimits
  private var streams: [Key: Stream] = [:]
  /// The number of chunks so far.
  private var chunks = 0
  private var guess = DirectionGuess()
  /// The lines of texts in the streams so far.
  var quoted = QuotedRecords()
  /// Whether any stream has had an event.
  private(set) var hasRecords = false
  /// The lines that were lost inside or after an element of a stream.
  private(set) var unread = UnreadLines()

  private struct Stream {
    var chunks: ChunkStream
    /// The number of its last chunk.
    var lastUse = 0
  }

  /// A stream takes about 80 KB, and a server's log can have any number of them.
  private static let maximumStreams = 512

  init(_ log: ChunkLog, _ limits: StreamLimits) {
    self.log = log
    self.limits = limits
  }

  /// Whether no stream has begun.
  var isEmpty: Bool { streams.isEmpty }

  /// Whether an element of a stream is open.
  func isOpen(_ key: Key) -> Bool { streams[key].map { !$0.chunks.isBetweenElements } ?? false }

  /// The connections with an open received element.
  var openInbound: [String] {
    streams.filter { $0.key.direction == .inbound && !$0.value.chunks.isBetweenElements }
      .map(\.key.connection)
  }

  /// Begins a stream of which nothing has been read.
  mutating func begin(_ key: Key) {
    streams[key] = Stream(chunks: ChunkStream(limits), lastUse: chunks)
  }

  /// Feeds bytes of a chunk and passes on the records that they complete.
  ///
  /// - Parameters:
  ///   - number: The line that they are on.
  ///   - beginsChunk: Whether they are the first bytes of the chunk.
  ///   - isHead: Whether a text after an element begins another record.
  /// - Returns: The text that begins another record; nil if there is none.
  mutating func feed(
    _ bytes: ArraySlice<UInt8>, of record: ChunkRecord, at number: Int, beginsChunk: Bool,
    isHead: (ArraySlice<UInt8>) -> Bool, _ sink: Sink
  ) throws -> ArraySlice<UInt8>? {
    chunks += 1
    if streams.count > Self.maximumStreams { try forgetOldest(sink) }
    if beginsChunk, record.key.direction == .outbound, TopLevel.isStreamHeader(bytes) {
      // A new connection, or a restarted stream: the server's open element is lost.
      let answers = Key(connection: record.key.connection, direction: .inbound)
      if isOpen(answers) { try breakOff(answers, sink) }
    }
    var stream = streams[record.key] ?? Stream(chunks: ChunkStream(limits))
    stream.lastUse = chunks
    let events = stream.chunks.feed(
      withoutOmissions(bytes), line: record.line, at: number, beginsChunk: beginsChunk,
      isHead: isHead)
    let rest = stream.chunks.takeRest()
    streams[record.key] = stream
    try report(record.key, sink)
    for event in events { try emit(event, record, sink) }
    return rest
  }

  private func withoutOmissions(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var kept = bytes
    for omission in log.omissions {
      let text = Array(omission.utf8)
      var (rest, parts) = (kept, [UInt8]())
      while let start = rest.position(of: text) {
        parts += rest[..<start]
        rest = rest[(start + text.count)...]
      }
      if rest.startIndex != kept.startIndex { kept = (parts + rest)[...] }
    }
    return kept
  }

  private mutating func emit(
    _ event: StreamEvent, _ record: ChunkRecord, _ sink: Sink
  ) throws {
    hasRecords = true
    if case .element(let element) = event { quoted.note(element.node, isRecord: log.isRecord) }
    for event in event.unwrapped {
      let head = RecordHead(
        line: record.line, direction: record.key.direction ?? guess.direction(of: event),
        connection: record.key.connection, time: record.time)
      try head.emit(event, sink)
    }
  }

  // MARK: Ends

  /// Ends the open element of a stream and reports it.
  mutating func breakOff(_ key: Key, _ sink: Sink) throws {
    streams[key]?.chunks.breakOff("it ends inside an element")
    try report(key, sink)
  }

  /// Forgets the least recently used streams. Streams between elements come first and lose nothing;
  /// an open element of any other is reported.
  private mutating func forgetOldest(_ sink: Sink) throws {
    let oldest = streams.sorted { a, b in
      (a.value.chunks.isBetweenElements ? 0 : 1, a.value.lastUse)
        < (b.value.chunks.isBetweenElements ? 0 : 1, b.value.lastUse)
    }
    for (key, _) in oldest.prefix(Self.maximumStreams / 4) {
      try breakOff(key, sink)
      streams[key] = nil
    }
  }

  /// Ends the streams of a connection that was closed.
  mutating func close(_ connection: String, _ sink: Sink) throws {
    for direction in Direction.allCases {
      let key = Key(connection: connection, direction: direction)
      try breakOff(key, sink)
      streams[key] = nil
    }
  }

  /// Ends the log.
  mutating func finish(_ sink: Sink) throws {
    let keys = streams.keys.sorted {
      ($0.connection, $0.direction == .inbound ? 0 : 1)
        < ($1.connection, $1.direction == .inbound ? 0 : 1)
    }
    for key in keys { try breakOff(key, sink) }
  }

  private mutating func report(_ key: Key, _ sink: Sink) throws {
    unread = unread.adding(streams[key]?.chunks.takeUnread() ?? UnreadLines())
    for problem in streams[key]?.chunks.takeProblems() ?? [] { try sink(.problem(problem)) }
  }
}
