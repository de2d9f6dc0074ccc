import Captures
package import EventStore
import XMPPStanza

/// Reads a capture that is still being written into a log, as its bytes come.
///
/// In the end the log holds what an import of all the bytes gives, however they were cut: what is
/// not complete waits for its rest.
package struct CaptureFollower {
  /// The log that the records go to now.
  package private(set) var log: EventLog
  /// What was read so far; nil while the format is not known.
  package var summary: ImportSummary? { intake?.summary }
  /// What the bytes of this file are so far.
  package var print: SourcePrint { printer.print }
  /// The numbers that the connections have in the log, by what the capture calls them.
  package var connections: [String: UInt32] { reading.connections }

  private let options: ImportOptions
  private var reading: CaptureImport
  private var writer: DirectWriter
  private var printer: SourcePrinter
  private var search: FormatSearch
  private var intake: CaptureIntake?
  private var noted = LogMarks()
  /// The last record that was told of.
  private var committed: UInt64 = 0

  /// - Parameters:
  ///   - log: an empty one.
  ///   - printer: of the file.
  package init(_ options: ImportOptions, into log: EventLog, printer: SourcePrinter) {
    self.options = options
    self.log = log
    self.printer = printer
    reading = CaptureImport(options)
    search = FormatSearch(options)
    writer = DirectWriter(log)
  }

  /// Takes the next bytes. Their records are in the log once they are committed.
  ///
  /// - Throws: `ImportError`, the reader's errors, and the log's.
  package mutating func take(_ bytes: [UInt8]) throws {
    printer.take(bytes)
    guard intake == nil else { return try feed(bytes) }
    search.take(bytes)
    if let intake = try search.intake(isEnd: false) { try begin(intake) }
  }

  /// Makes what has come so far durable, as far as it is complete.
  ///
  /// - Parameter isQuiet: Whether nothing more comes now, so that what is complete waits no longer
  ///   for what would make its direction certain. If it was wrong, `take` or `finish` throws.
  /// - Returns: Whether there are new records.
  /// - Throws: `ImportError` where it is of several accounts, and the log's errors.
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

  /// Takes the end of the capture, with what waited for it.
  package mutating func finish() throws {
    if intake == nil, let intake = try search.intake(isEnd: true) { try begin(intake) }
    guard let intake else { return }
    try reading.finish(intake, writer)
    guard intake.summary.records > 0 else {
      throw ImportError.nothingFound(format: intake.summary.format.title)
    }
  }

  /// Goes on with another file of the same capture, as after a rotation. What it holds goes into
  /// a log of its own.
  ///
  /// - Parameter printer: of the other file.
  package mutating func goOn(into log: EventLog, printer: SourcePrinter) throws {
    try commit()
    self.log = log
    self.printer = printer
    (noted, committed) = (LogMarks(), 0)
    writer = DirectWriter(log)
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
