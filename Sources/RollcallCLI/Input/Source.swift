import ArgumentParser
import Captures
import EventStore
import FleetStore
import Foundation
import Rollcall
import XMPPStanza

/// The options that say how to read a log or a capture, and up to which point.
///
/// Nest groups of options at most one level deep: a debug build checks each level four times for
/// each level above it, at each start.
protocol SourceReading {
  var at: String { get }
  var format: String? { get }
  var capture: CaptureSelection { get }
}

extension SourceReading {
  var point: LogPoint {
    get throws { try LogPoint(option: "--at", at) }
  }

  var importOptions: ImportOptions {
    get throws { try capture.importOptions(format: format, option: "--format") }
  }

  /// The options for reading a source, as the words of a command line.
  var words: [String] {
    let given: [(name: String, value: String?)] = [
      ("--account", capture.account), ("--connection", capture.connection),
      ("--year", capture.year.map(String.init)), ("--clock-zone", capture.clockZone?.description),
      ("--encoding", capture.encoding), ("--keylog", capture.keylog), ("--pair", capture.pair),
      ("--format", format),
    ]
    return given.flatMap { option in option.value.map { [option.name, $0.shellWord] } ?? [] }
  }

  /// Opens the log at a path, or imports the captures into a temporary one.
  func open(_ sources: [String]) throws -> OpenedSource {
    try SourceOptions.open(sources, try importOptions, pair: capture.pair)
  }
}

/// The options for reading a log or a capture, and the point up to which to read.
struct ReadingOptions: ParsableArguments, SourceReading {
  @Option(name: .point, parsing: .unconditional, help: .point)
  var at: String = "head"

  @OptionGroup var capture: CaptureSelection

  @Option(help: .captureFormat, completion: .captureFormats)
  var format: String?

  func validate() throws { _ = try point }
}

/// The sources of a command that has no other arguments, and the options for reading them.
struct SourceOptions: ParsableArguments, SourceReading {
  @Argument(help: .sources, completion: .file())
  var source: [String]

  @Option(name: .point, parsing: .unconditional, help: .point)
  var at: String = "head"

  @OptionGroup var capture: CaptureSelection

  @Option(help: .captureFormat, completion: .captureFormats)
  var format: String?

  func validate() throws { _ = try point }

  /// Opens the log, or imports the captures into a temporary one.
  func open() throws -> OpenedSource { try open(source) }

  /// The maximum number of accounts of a capture that are opened: each needs another pass over it.
  private static let maximumAccounts = 20

  /// Opens each account of a capture that contains several, unless one is chosen, or each log in a
  /// folder, one after the other. Also returns the accounts beyond the maximum, which are not
  /// opened.
  func forEachAccount<Value>(
    _ body: (OpenedSource) throws -> Value
  ) throws -> (values: [Value], others: [BareJID]) {
    let options = try importOptions
    if source.count == 1, let folder = try LogFolder(source[0]) {
      let logs = try options.account.map { [try folder.log(of: $0)] } ?? folder.all
      return (try logs.map { try body(Self.open($0, options)) }, [])
    }
    do {
      return ([try body(open())], [])
    } catch let failure as Failure {
      guard case .severalAccounts(let accounts)? = failure.cause as? ImportError else {
        throw failure
      }
      let values = try accounts.prefix(Self.maximumAccounts).map { account in
        var chosen = options
        chosen.account = account
        return try body(Self.open(source, chosen, pair: capture.pair))
      }
      return (values, Array(accounts.dropFirst(Self.maximumAccounts)))
    }
  }

  /// Opens a log, or imports captures into a temporary one.
  ///
  /// - Parameter pair: The file of the other direction, if a capture has only one.
  static func open(
    _ paths: [String], _ options: ImportOptions, pair: String? = nil
  ) throws -> OpenedSource {
    if paths.count == 1, Fleet.isFleet(paths[0]) { return try open(fleet: paths[0], options) }
    if paths.count == 1, let folder = try LogFolder(paths[0]) {
      return try open(folder.log(of: options.account), options, pair: pair)
    }
    let sources = try SourceFiles(paths)
    if let path = sources.single { return try open(path, options, pair: pair) }
    guard pair == nil else {
      throw Failure("--pair names the file of the other direction of one capture")
    }
    // Import all connections, which keeps the record numbers; the chosen one is selected later.
    var whole = options
    whole.connection = nil
    let (log, files) = try sources.gather(whole)
    return try OpenedSource(
      log: log, path: sources.title, connection: options.connection, files: files.flatMap { $0 })
  }

  /// Opens a log, or imports a capture into a temporary one.
  ///
  /// - Parameter pair: The file of the other direction, if the capture has only one.
  static func open(
    _ path: String, _ options: ImportOptions, pair: String? = nil
  ) throws -> OpenedSource {
    try Failure.naming(path) {
      let input = try CaptureInput(path, keyLog: options.keyLog)
      let isLog = try input.isLog
      guard !isLog || pair == nil else { throw Failure("\(path) is a log, which has no pair") }
      guard !isLog else {
        return try OpenedSource(
          log: openLog(path, options), path: path, connection: options.connection)
      }
      let (log, files) = try importTemporarily(input, options, pair: pair)
      return try OpenedSource(
        log: log, path: path, connection: options.connection, files: files)
    }
  }

  /// Copies the records of an account of a fleet into a temporary log.
  private static func open(fleet path: String, _ options: ImportOptions) throws -> OpenedSource {
    guard let account = options.account else {
      throw Failure(
        "\(path) is a fleet, with many accounts: --account chooses one, and rollcall fleet "
          + "accounts lists them")
    }
    let log = try EventLog.temporary()
    try FleetFailure.naming(path) {
      do {
        try Fleet(path).writeLog(of: account, into: log)
      } catch FleetError.noAccount(let account) {
        throw Failure("\(path): \(FleetError.noAccount(account))")
      }
    }
    return try OpenedSource(log: log, path: path, connection: options.connection)
  }

  static func openLog(_ path: String, _ options: ImportOptions) throws -> EventLog {
    let log = try EventLog.open(
      at: path, access: .readOnly, eventVersion: RecordReader.version)
    try AccountMismatch.check(log.meta.account, options.account, of: path)
    return log
  }

  /// Imports all connections of the account, which keeps the record numbers; a chosen connection is
  /// selected later. If there are several accounts, the connection selects its own.
  private static func importTemporarily(
    _ input: CaptureInput, _ options: ImportOptions, pair: String?
  ) throws -> (EventLog, CaptureGathering.Found) {
    guard options.connection != nil else { return try importWhole(input, options, pair: pair) }
    var whole = options
    whole.connection = nil
    do {
      return try importWhole(input, whole, pair: pair)
    } catch ImportError.severalAccounts(let accounts) where input.isFile {
      try input.rewind()
      let own = try importWhole(input, options, pair: pair).0.meta.account
      guard let account = accounts.first(where: { $0.text == own }) else {
        throw ImportError.severalAccounts(accounts)
      }
      whole.account = account
      try input.rewind()
      return try importWhole(input, whole, pair: pair)
    }
  }

  private static func importWhole(
    _ input: CaptureInput, _ options: ImportOptions, pair: String?
  ) throws -> (EventLog, CaptureGathering.Found) {
    let log = try EventLog.temporary()
    let files = try CaptureFiles(input, try pair.map { try CaptureInput($0) })
    return (log, try files.read(options, into: log).summaries)
  }
}

extension NameSpecification {
  /// The names of the option for a point.
  fileprivate static let point: NameSpecification = [.customLong("at"), .customLong("to")]
}

extension ArgumentHelp {
  fileprivate static let point = ArgumentHelp(
    "The point to look at: \(PointError.forms), or -5m for five minutes before the end.",
    valueName: "point")

  /// The help for a source that other arguments follow.
  static let source: ArgumentHelp =
    """
    A log (NAME.rollcall) or the folder of record, a capture, compressed or not, or a directory; \
    - for standard input.
    """
  /// The help for one or more sources.
  static let sources: ArgumentHelp =
    """
    A log (NAME.rollcall) or the folder of record, or captures, compressed or not, or \
    directories; - for standard input.
    """
  /// The help for further captures if other arguments follow the first source.
  static let also: ArgumentHelp = ArgumentHelp(
    "A capture or directory to read with it. Can be given several times.", valueName: "file")
}

extension LogPoint {
  /// Parses a point from an option.
  init(option: String, _ text: String) throws {
    do {
      try self.init(parsing: text)
    } catch {
      throw Failure("\(option): \(error)")
    }
  }
}

/// A log of another account than the chosen one.
struct AccountMismatch: Error, CustomStringConvertible {
  let log: String
  let wanted: BareJID

  var description: String { "it is the log of \(log), not of \(wanted)" }

  /// Checks that a log is the chosen account's, if one was chosen and the log says whose it is.
  static func check(_ account: String?, _ wanted: BareJID?, of path: String) throws {
    guard let wanted, let account, account != wanted.text else { return }
    throw Failure(AccountMismatch(log: account, wanted: wanted), in: path)
  }
}

/// The source of a command with other arguments after it, and the options for reading it.
struct FirstSourceOptions: ParsableArguments, SourceReading {
  @Argument(help: .source, completion: .file())
  var source: String

  @Option(help: .also, completion: .file())
  var also: [String] = []

  @Option(name: .point, parsing: .unconditional, help: .point)
  var at: String = "head"

  @OptionGroup var capture: CaptureSelection

  @Option(help: .captureFormat, completion: .captureFormats)
  var format: String?

  func validate() throws { _ = try point }

  /// Opens the log, or imports the captures into a temporary one.
  func open() throws -> OpenedSource { try open([source] + also) }
}

/// An open log, and its name in messages.
struct OpenedSource {
  let log: EventLog
  let path: String
  /// The results for each capture; empty for a log.
  let files: CaptureGathering.Found
  /// The whole history.
  let whole: Timeline
  /// The history of the chosen connection, or the whole history.
  let timeline: Timeline
  private let damage: DamageNotes

  /// - Parameter connection: The chosen connection, by name, number or resource; nil for all.
  init(
    log: EventLog, path: String, connection: String?,
    files: CaptureGathering.Found = []
  ) throws {
    self.log = log
    self.path = path
    self.files = files
    damage = DamageNotes(of: log, path: path)
    let whole = Timeline(log)
    self.whole = whole
    timeline =
      try connection.map {
        Timeline(log, narrowedTo: try whole.connection(named: $0))
      } ?? whole
  }

  /// The title of a page about the source: the file names without directories.
  var title: String {
    files.count < 2 ? (path == "-" ? "-" : URL(filePath: path).lastPathComponent) : path
  }

  /// The number of the last record at present.
  var lastRecord: UInt64 {
    get throws { try naming { try log.read { try $0.lastSequence } } }
  }

  func state(at point: LogPoint) throws -> Timeline.State {
    try naming { try timeline.state(at: point) }
  }

  func replay(
    upTo point: LogPoint, _ body: (Timeline.Moment, Roster) throws -> Void
  ) throws -> Timeline.State {
    try naming { try timeline.replay(upTo: point, body) }
  }

  /// Runs `body` and adds the name of the source to its errors.
  func naming<R>(_ body: () throws -> R) throws -> R {
    defer { damage.noteDamage() }
    return try Failure.naming(path, body)
  }
}

extension EventLog {
  /// An empty log that leaves no file behind.
  static func temporary() throws -> EventLog {
    let directory = FileManager.default.temporaryDirectory.path
    do {
      return try unnamed(in: directory, eventVersion: RecordReader.version)
    } catch {
      throw Failure("a temporary log cannot be created: \(error); TMPDIR names another directory")
    }
  }

  /// Opens a log for writing and brings its derived data up to date.
  ///
  /// Checks all its pages first, because LMDB would overwrite pages that it wrongly considers free.
  static func openToWrite(_ path: String) throws -> EventLog {
    removeStaleDrafts(of: path)
    try checkPages(of: path)
    let log = try open(at: path, access: .readWrite, eventVersion: RecordReader.version)
    try log.bringUpToDate()
    return log
  }

  /// Notes the work that failed after the records were durable.
  func noteDeferredFailures(path: String) {
    for (work, reason) in deferredFailures.parts {
      Terminal.note("\(path): the records are in the log, but not its \(work.rawValue): \(reason)")
    }
  }
}

/// Notes once for each derived part of a log that reading found it damaged.
private final class DamageNotes {
  private let log: EventLog
  private let path: String
  private var noted: Set<DerivedDamage.Part> = []

  init(of log: EventLog, path: String) {
    (self.log, self.path) = (log, path)
  }

  func noteDamage() {
    for (part, record) in log.derivedDamage.parts where noted.insert(part).inserted {
      Terminal.note(
        "\(path): the \(part.rawValue) at record \(record) cannot be used and the records were "
          + "read instead; rollcall verify --rebuild makes a new one")
    }
  }
}
