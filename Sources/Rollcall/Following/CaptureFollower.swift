import Captures
package import EventStore
import XMPPStanza

/// Reads a capture that is still being written into a log, as its bytes arrive.
///
/// At the end the log equals an import of all the bytes, however they were divided, because
/// incomplete parts wait for the rest.
package struct CaptureFollower {
  /// The log that currently receives the records.
  package private(set) var log: EventLog
  /// What was read so far; nil while the format is unknown.
  package var summary: ImportSummary? { intake?.summary }
  /// The print of this file's bytes so far.
  package var print: SourceFingerprint { printer.print }
  /// The numbers of the connections in the log, by their names in the capture.
  package var connections: [String: UInt32] { reading.connections }

  private let options: ImportOptions
  private var reading: CaptureImport
  private var writer: LogWriter
  private var printer: SourceFingerprinter
  private var search: FormatSearch
  private var intake: CaptureIntake?
  private var noted = LogMarks()
  /// The last record that was reported.
  private var committed: UInt64 = 0

  /// - Parameters:
  ///   - log: An empty log.
  ///   - printer: The printer of the file.
  package init(_ options: ImportOptions, into log: EventLog, printer: SourceFingerprinter) {
    self.options = options
    self.log = log
    self.printer = printer
    reading = CaptureImport(options)
    search = FormatSearch(options)
    writer = LogWriter(importingTo: log, hasThread: false)
  }

  /// Takes the next bytes. Their records are in the log after the next commit.
  ///
  /// - Throws: `ImportError`, the reader's errors, and the log's.
  package mutating func take(_ bytes: [UInt8]) throws {
    printer.take(bytes)
    guard intake == nil else { return try feed(bytes) }
    search.take(bytes)
    if let intake = try search.intake(isEnd: false) { try begin(intake) }
  }

  /// Makes everything complete so far durable.
  ///
  /// - Parameter isQuiet: Whether no more bytes are arriving, so that complete elements stop
  ///   waiting for what would make their direction certain. If a guess was wrong, `take` or
  ///   `finish` throws.
  /// - Returns: Whether there are new records.
  /// - Throws: `ImportError` if the capture has several accounts, and the log's errors.
  @discardableResult
  package mutating func commit(isQuiet: Bool = true) throws -> Bool {
    if intake == nil, let intake = try search.earlyIntake() { try begin(intake) }
    guard let intake else { return false }
    if isQuiet { try reading.release(intake, writer) }
    let found = intake.filter.accounts
    if options.account.map(found.contains) ?? (found.count > 0) || intake.filter.isMixed {
      intake.summary.account = try reading.account(intake.filter, intake.summary.format)
    }
    return try flush(intake)
  }

  /// Takes the end of the capture, including what waited for it.
  package mutating func finish() throws {
    if intake == nil, let intake = try search.intake(isEnd: true) { try begin(intake) }
    guard let intake else { return }
    try reading.finish(intake, writer)
    guard intake.summary.records > 0 else {
      throw ImportError.nothingFound(format: intake.summary.format.title)
    }
  }

  /// Continues with another file of the same capture, for example after a rotation. Its records go
  /// into a log of their own.
  ///
  /// - Parameter printer: The printer of the other file.
  package mutating func goOn(into log: EventLog, printer: SourceFingerprinter) throws {
    try commit()
    self.log = log
    self.printer = printer
    (noted, committed) = (LogMarks(), 0)
    writer = LogWriter(importingTo: log, hasThread: false)
  }

  private mutating func begin(_ intake: CaptureIntake) throws {
    self.intake = intake
    try feed(search.bytes)
    search = FormatSearch(options)
  }

  private mutating func feed(_ bytes: [UInt8]) throws {
    guard let intake else { return }
    try reading.take(bytes, of: intake, writer)
  }

  private mutating func flush(_ intake: CaptureIntake) throws -> Bool {
    let marks = reading.marks(of: intake)
    if reading.hasPending || marks != noted {
      try reading.flush(into: writer, marks: marks)
      noted = marks
    }
    let last = try log.read { try $0.lastSequence }
    defer { committed = last }
    return last > committed
  }
}
