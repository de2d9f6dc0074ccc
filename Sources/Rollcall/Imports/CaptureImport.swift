package import Captures
package import EventStore
package import Foundation
import RawBytes
import RosterCore
import XMPPStanza

/// Reads captures into a log.
package struct CaptureImport {
  /// The number of records per commit.
  package static let batch = 2000
  /// The number of record bytes after which a commit is due; its last record may exceed it.
  private static let batchBytes = 8 << 20
  /// Small enough for the allocator to reuse; larger chunks come from the system each time.
  static let chunkBytes = 64 << 10

  /// The maximum number of connections that an error about an unknown connection lists.
  private static let shownConnections = 100

  let options: ImportOptions
  private let batch: Int
  private var seen: Set<String> = []
  private(set) var numbers = ConnectionNumbers()
  private var pending = RecordBatch()
  private var encoder = EventEncoder()

  /// - Parameter batch: The number of records per commit. Affects only which records are stored
  ///   together.
  package init(_ options: ImportOptions, batch: Int = CaptureImport.batch) {
    self.options = options
    self.batch = batch
  }

  /// Appends the contents of a capture to a log, in batches; the last one notes the account.
  ///
  /// A batch is appended on a thread of its own while the next one is read. Memory is bounded,
  /// whatever the capture's size.
  /// - Parameters:
  ///   - file: Read once, from its position to its end; may be a pipe.
  ///   - printer: Receives the bytes; nil if the capture need not be recognized later.
  ///   - progress: Called with the number of bytes read so far.
  /// - Throws: `ImportError`, the reader's errors, which name the line, and the log's errors. What
  ///   was appended before an error stays, so pass a draft.
  package mutating func run(
    _ file: FileHandle, into log: EventLog, printer: SourceFingerprinter? = nil,
    progress: (Int) -> Void = { _ in }
  ) throws -> ImportSummary {
    try number(connectionsOf: log)
    return try LogWriter.run(log) { writer in
      try read(file, into: writer, printer: printer, progress: progress)
    }
  }

  /// The numbers of the connections in the log, by their names in the capture.
  package var connections: [String: UInt32] { numbers.used }

  /// Continues the connections of a log.
  mutating func number(connectionsOf log: EventLog) throws {
    numbers = try log.read { transaction in
      ConnectionNumbers(
        names: try transaction.meta.connections, isEmpty: try transaction.lastSequence == 0)
    }
  }

  private mutating func read(
    _ file: FileHandle, into writer: LogWriter, printer: SourceFingerprinter?,
    progress: (Int) -> Void
  ) throws -> ImportSummary {
    var printer = printer
    var (intake, chunk) = try FormatSearch.intake(of: file, options)
    var done = 0
    while !chunk.isEmpty {
      printer?.take(chunk)
      try take(chunk, of: intake, writer)
      done += chunk.count
      progress(done)
      chunk = try FilePieces.next(of: file, upTo: Self.chunkBytes)
    }
    try finish(intake, writer)
    intake.summary.print = printer?.print
    return intake.summary
  }

  /// Takes the next bytes of a capture.
  mutating func take(
    _ chunk: [UInt8], of intake: CaptureIntake, _ writer: LogWriter
  ) throws {
    try intake.reader.read(chunk) { head, node in
      try handleInPlace(head, node, intake, writer)
    } _: { output in
      try take(output, intake, writer)
    }
    intake.noteReading()
  }

  /// Takes the records that wait only to become more certain of their direction.
  mutating func release(_ intake: CaptureIntake, _ writer: LogWriter) throws {
    try intake.reader.release { try take($0, intake, writer) }
    intake.noteReading()
  }

  /// Takes the end of a capture.
  mutating func finish(_ intake: CaptureIntake, _ writer: LogWriter) throws {
    try intake.reader.finish { try take($0, intake, writer) }
    intake.noteReading()
    if let wanted = options.connection, !seen.contains(wanted) {
      throw ImportError.otherConnections(wanted: wanted, found: seen.sorted())
    }
    try intake.filter.finish { try add($0, &intake.summary, writer) }
    intake.summary.account = try account(intake.filter, intake.summary.format)
    intake.summary.namesAccount = !intake.filter.accounts.isEmpty
    try flush(into: writer, marks: marks(of: intake))
  }

  /// The notes about a capture, as far as they are known.
  func marks(of intake: CaptureIntake) -> LogMarks {
    LogMarks(account: intake.summary.account?.text, connections: numbers.names)
  }

  /// Whether records wait to be appended.
  var hasPending: Bool { pending.records.count > 0 }

  /// Appends what waits, and notes marks.
  mutating func flush(into writer: LogWriter, marks: LogMarks = LogMarks()) throws {
    pending.marks = marks
    try writer.put(&pending)
  }

  /// Reads enough of a file to detect its format, even from a pipe that yields little at a time.
  package static func head(of file: FileHandle) throws -> [UInt8] {
    var head: [UInt8] = []
    while head.count < FormatSearch.windowBytes {
      let piece = try FilePieces.next(of: file, upTo: FormatSearch.windowBytes - head.count)
      guard !piece.isEmpty else { break }
      head += piece
    }
    return head
  }

  func account(_ filter: AccountFilter, _ format: CaptureFormat) throws -> BareJID? {
    let found = filter.accounts
    guard !filter.isMixed else { throw ImportError.mixedAccounts(found) }
    if let wanted = options.account {
      guard found.contains(wanted) || found.isEmpty else {
        throw ImportError.otherAccounts(wanted: wanted, found: found)
      }
      return wanted
    }
    guard found.count < 2 else { throw ImportError.severalAccounts(found) }
    return found.first
  }

  private mutating func take(
    _ output: CaptureOutput, _ intake: CaptureIntake, _ writer: LogWriter
  ) throws {
    switch output {
    case .problem(let problem): intake.summary.note(problem)
    case .record(let record):
      guard isWanted(record.connection) else { return }
      try intake.filter.take(record) { try add($0, &intake.summary, writer) }
    }
  }

  /// Takes an element in place; false if it first has to be decided whether it is wanted.
  private mutating func handleInPlace(
    _ head: borrowing CapturedHead, _ node: borrowing XMPPElement, _ intake: CaptureIntake,
    _ writer: LogWriter
  ) throws -> Bool {
    guard options.connection == nil, intake.filter.passesElements(of: head.connection),
      numbers.isLast(head.connection, head.connectionNumber)
    else { return false }
    encoder.encode(node, head.direction)
    node.withTreeBytes { bytes in
      pending.records.add(
        time: head.time, direction: RecordDirection(head.direction), kind: .element,
        connection: head.connectionNumber, bytes: bytes)
    }
    pending.records.add(encoder)
    try count(&intake.summary, isElement: true, hasTime: head.time != nil, writer)
    return true
  }

  /// Whether a connection is to be imported. If only one is, the log shows what that device knew.
  private mutating func isWanted(_ connection: String) -> Bool {
    guard let wanted = options.connection else { return true }
    let isWanted = connection == wanted
    if isWanted || seen.count < Self.shownConnections { seen.insert(connection) }
    return isWanted
  }

  /// Whether there are enough records or bytes for a commit.
  static func isBatch(_ records: RecordArena, of count: Int = batch) -> Bool {
    records.count >= count || records.byteCount >= batchBytes
  }

  mutating func add(
    _ record: CapturedRecord, _ summary: inout ImportSummary, _ writer: LogWriter
  ) throws {
    let connection = numbers.number(of: record)
    encoder.encode(record.content)
    record.content.withStored { direction, kind, bytes in
      pending.records.add(
        time: record.storedTime, direction: direction, kind: kind, connection: connection,
        bytes: bytes)
    }
    pending.records.add(encoder)
    var isElement = false
    if case .element = record.content { isElement = true }
    try count(&summary, isElement: isElement, hasTime: record.time != nil, writer)
  }

  /// Counts the record that was added last, and commits if that is due.
  private mutating func count(
    _ summary: inout ImportSummary, isElement: Bool, hasTime: Bool, _ writer: LogWriter
  ) throws {
    summary.records += 1
    if isElement, !hasTime { summary.lacksTimes = true }
    guard Self.isBatch(pending.records, of: batch) else { return }
    try flush(into: writer)
  }
}

extension RecordDraft {
  package init(
    time: Int64?, direction: RecordDirection, kind: RecordKind, connection: UInt32 = 1,
    bytes: [UInt8], decoded: DerivedParts
  ) {
    self.init(
      time: time, direction: direction, kind: kind, connection: connection, bytes: bytes,
      event: decoded.event, contacts: decoded.contacts)
  }

  /// The record for a captured one, on a connection.
  package init(_ record: CapturedRecord, on connection: UInt32 = 1) {
    var encoder = EventEncoder()
    self.init(record.content, time: record.storedTime, on: connection, encodedBy: &encoder)
  }

  /// The record for some content, with its meaning.
  init(
    _ content: CapturedRecord.Content, time: Int64?, on connection: UInt32,
    encodedBy encoder: inout EventEncoder
  ) {
    encoder.encode(content)
    let decoded = DerivedParts(encoder)
    self = content.withStored { direction, kind, bytes in
      RecordDraft(
        time: time, direction: direction, kind: kind, connection: connection,
        bytes: Array(bytes), decoded: decoded)
    }
  }
}

extension RecordArena {
  /// Adds its meaning to the last record.
  fileprivate mutating func add(_ encoder: borrowing EventEncoder) {
    if let event = encoder.storedEvent { addEvent(event) }
    encoder.forEachContact { addContact($0) }
  }
}

extension CapturedRecord {
  /// A bookmark is not part of what happened and has no time.
  package var storedTime: Int64? {
    if case .annotation(.bookmark) = content { nil } else { time }
  }
}

extension CapturedRecord.Content {
  /// Passes the form that the log keeps to `body`. The bytes are valid during the call.
  package func withStored<Result>(
    _ body: (RecordDirection, RecordKind, RawSpan) -> Result
  ) -> Result {
    switch self {
    case .element(let way, _, let element):
      return body(RecordDirection(way), .element, element.span.bytes)
    case .streamHeader(let way, _, let header):
      return body(RecordDirection(way), .streamHeader, header.span.bytes)
    case .streamEnd(let way):
      return "</stream:stream>".withUTF8Bytes { body(RecordDirection(way), .streamEnd, $0) }
    case .lifecycle(let lifecycle):
      let bytes = lifecycle.bytes
      return body(.none, lifecycle.kind, bytes.span.bytes)
    case .unreadable(let unreadable):
      return body(RecordDirection(unreadable.direction), .unreadable, unreadable.line.span.bytes)
    case .annotation(let line):
      let bytes = line.bytes
      return body(.none, .annotation, bytes.span.bytes)
    }
  }
}
