import XMPPStanza
import XMPPStream

/// Where a chunk of a log stands, and what it is of.
struct ChunkRecord {
  /// One direction of one connection.
  struct Key: Hashable {
    let connection: String
    /// Nil where the log does not say.
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
  /// How many chunks there were.
  private var chunks = 0
  private var guess = DirectionGuess()
  /// The lines of texts which the streams had so far.
  var quoted = QuotedRecords()
  /// Whether any stream has had anything.
  private(set) var hasRecords = false
  /// The lines that were lost within an element of a stream, or behind one.
  private(set) var unread = UnreadLines()

  private struct Stream {
    var chunks: ChunkStream
    /// The number of its last chunk.
    var lastUse = 0
  }

  /// A stream takes some 80 KB while it is known. A server's log can have any number of them.
  private static let maximumStreams = 512

  init(_ log: ChunkLog, _ limits: StreamLimits) {
    self.log = log
    self.limits = limits
  }

  /// Whether no stream has begun.
  var isEmpty: Bool { streams.isEmpty }

  /// Whether an element of a stream is open.
  func isOpen(_ key: Key) -> Bool { streams[key].map { !$0.chunks.isBetweenElements } ?? false }

  /// The connections of which an element that was received is open.
  var openInbound: [String] {
    streams.filter { $0.key.direction == .inbound && !$0.value.chunks.isBetweenElements }
      .map(\.key.connection)
  }

  /// Begins a stream of which nothing is read.
  mutating func begin(_ key: Key) {
    streams[key] = Stream(chunks: ChunkStream(limits), lastUse: chunks)
  }

  /// Takes bytes of a chunk, and gives what they complete.
  ///
  /// - Parameters:
  ///   - number: The line that they stand on.
  ///   - beginsChunk: Whether they are the first of the chunk.
  ///   - isHead: Whether a text that follows an element begins another record.
  /// - Returns: What begins another record; nil if nothing does.
  mutating func feed(
    _ bytes: ArraySlice<UInt8>, of record: ChunkRecord, at number: Int, beginsChunk: Bool,
    isHead: (ArraySlice<UInt8>) -> Bool, _ sink: Sink
  ) throws -> ArraySlice<UInt8>? {
    chunks += 1
    if streams.count > Self.maximumStreams { try forgetOldest(sink) }
    if beginsChunk, record.key.direction == .outbound, TopLevel.isStreamHeader(bytes) {
      // A new connection, or a stream that begins anew: what the server still had to say is gone.
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
    for event in events { try give(event, record, sink) }
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

  private mutating func give(
    _ event: StreamEvent, _ record: ChunkRecord, _ sink: Sink
  ) throws {
    hasRecords = true
    if case .element(let element) = event { quoted.note(element.node, isRecord: log.isRecord) }
    for event in event.unwrapped {
      let head = RecordHead(
        line: record.line, direction: record.key.direction ?? guess.direction(of: event),
        connection: record.key.connection, time: record.time)
      try head.give(event, sink)
    }
  }

  // MARK: Ends

  /// Says that nothing goes on with what a stream has had.
  mutating func breakOff(_ key: Key, _ sink: Sink) throws {
    streams[key]?.chunks.breakOff("it ends inside an element")
    try report(key, sink)
  }

  /// Forgets the streams that were used longest ago: those between elements lose nothing, and of
  /// the others that they were broken off is told.
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

  /// Says that a connection has gone.
  mutating func close(_ connection: String, _ sink: Sink) throws {
    for direction in Direction.allCases {
      let key = Key(connection: connection, direction: direction)
      try breakOff(key, sink)
      streams[key] = nil
    }
  }

  /// Says that the log has ended.
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
