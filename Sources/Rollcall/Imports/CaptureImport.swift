package import Captures
package import EventStore
package import Foundation
import RawBytes
import RosterCore
import XMPPStanza

/// Reads captures into a log.
package struct CaptureImport {
  /// How many records one commit takes.
  package static let batch = 2000
  /// How many bytes of records it takes at most, and one more record.
  private static let batchBytes = 8 << 20
  /// Small enough for memory that is used again: larger pieces come fresh from the system.
  static let chunkBytes = 64 << 10

  /// How many connections are named where the wanted one is none of them.
  private static let shownConnections = 100

  let options: ImportOptions
  private let batch: Int
  private var seen: Set<String> = []
  private(set) var numbers = ConnectionNumbers()
  private var pending = RecordBatch()
  private var encoder = EventEncoder()

  /// - Parameter batch: How many records one commit takes; the log is the same whatever it
  ///   is, but for which of them are stored together.
  package init(_ options: ImportOptions, batch: Int = CaptureImport.batch) {
    self.options = options
    self.batch = batch
  }

  /// Appends what a capture holds to a log, in batches; the last one notes the account.
  ///
  /// A batch is appended on a thread of its own while the next one is read. Memory is bounded
  /// whatever the capture's size.
  /// - Parameters:
  ///   - file: read once, from where it stands to its end; it may be a pipe.
  ///   - printer: given its bytes; nil where it need not be known again.
  ///   - progress: told how many bytes have been read.
  /// - Throws: `ImportError`, the reader's errors, which name the line, and the log's. What was
  ///   appended until then stays: give it a draft.
  package mutating func run(
    _ file: FileHandle, into log: EventLog, printer: SourcePrinter? = nil,
    progress: (Int) -> Void = { _ in }
  ) throws -> ImportSummary {
    try number(connectionsOf: log)
    return try BatchWriter.run(log) { writer in
      try read(file, into: writer, printer: printer, progress: progress)
    }
  }

  /// The numbers that the connections of what was read have in the log, by what it calls them.
  package var connections: [String: UInt32] { numbers.used }

  /// Goes on with the connections that a log knows.
  mutating func number(connectionsOf log: EventLog) throws {
    numbers = try log.read { transaction in
      ConnectionNumbers(
        names: try transaction.meta.connections, isEmpty: try transaction.lastSequence == 0)
    }
  }

  private mutating func read(
    _ file: FileHandle, into writer: BatchWriter, printer: SourcePrinter?,
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
    _ chunk: [UInt8], of intake: CaptureIntake, _ writer: any BatchSink
  ) throws {
    try intake.reader.read(chunk) { head, node in
      try takeInPlace(head, node, intake, writer)
    } _: { output in
      try take(output, intake, writer)
    }
    intake.noteReading()
  }

  /// Takes what waits for more of a capture only to be more certain of its directions.
  mutating func release(_ intake: CaptureIntake, _ writer: any BatchSink) throws {
    try intake.reader.release { try take($0, intake, writer) }
    intake.noteReading()
  }

  /// Takes the end of a capture.
  mutating func finish(_ intake: CaptureIntake, _ writer: any BatchSink) throws {
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

  /// What is noted of a capture as far as it is known.
  func marks(of intake: CaptureIntake) -> LogMarks {
    LogMarks(account: intake.summary.account?.text, connections: numbers.names)
  }

  /// Whether records wait to be appended.
  var hasPending: Bool { pending.records.count > 0 }

  /// Has what waits appended, and marks noted.
  mutating func flush(into writer: any BatchSink, marks: LogMarks = LogMarks()) throws {
    pending.marks = marks
    try writer.put(&pending)
  }

  /// Enough of a file to tell its format by, also from a pipe that gives little at a time.
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
    _ output: CaptureOutput, _ intake: CaptureIntake, _ writer: any BatchSink
  ) throws {
    switch output {
    case .problem(let problem): intake.summary.note(problem)
    case .record(let record):
      guard isWanted(record.connection) else { return }
      try intake.filter.take(record) { try add($0, &intake.summary, writer) }
    }
  }

  /// Takes an element from where it stands; false where it first has to be found out whether it is
  /// wanted.
  private mutating func takeInPlace(
    _ head: borrowing CapturedHead, _ node: borrowing XMPPElement, _ intake: CaptureIntake,
    _ writer: any BatchSink
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

  /// Whether a connection is to be taken. A resource's connection tells what that resource knows.
  private mutating func isWanted(_ connection: String) -> Bool {
    guard let wanted = options.connection else { return true }
    let isWanted = connection == wanted
    if isWanted || seen.count < Self.shownConnections { seen.insert(connection) }
    return isWanted
  }

  /// Whether so many records, or bytes, were gathered that they go into a commit.
  static func isBatch(_ records: RecordArena, of count: Int = batch) -> Bool {
    records.count >= count || records.byteCount >= batchBytes
  }

  mutating func add(
    _ record: CapturedRecord, _ summary: inout ImportSummary, _ writer: any BatchSink
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

  /// Counts the record that was added last; what has been gathered goes into a commit if it is due.
  private mutating func count(
    _ summary: inout ImportSummary, isElement: Bool, hasTime: Bool, _ writer: any BatchSink
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

  /// The record that a captured one becomes, on a connection.
  package init(_ record: CapturedRecord, on connection: UInt32 = 1) {
    var encoder = EventEncoder()
    self.init(record.content, time: record.storedTime, on: connection, encodedBy: &encoder)
  }

  /// The record that some content becomes, with what it means.
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
  /// Gives the record that was added last what it means.
  fileprivate mutating func add(_ encoder: borrowing EventEncoder) {
    if let event = encoder.storedEvent { addEvent(event) }
    encoder.forEachContact { addContact($0) }
  }
}

extension CapturedRecord {
  /// A bookmark is no part of what happened, and has no time.
  fileprivate var storedTime: Int64? {
    if case .annotation(.bookmark) = content { nil } else { time }
  }
}

extension CapturedRecord.Content {
  /// Hands over what the log keeps of it; the bytes are valid while `body` runs.
  func withStored<Result>(
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
      return body(.none, .lifecycle, bytes.span.bytes)
    case .unreadable(let unreadable):
      return body(RecordDirection(unreadable.direction), .unreadable, unreadable.line.span.bytes)
    case .annotation(let line):
      let bytes = line.bytes
      return body(.none, .annotation, bytes.span.bytes)
    }
  }
}
