import ArgumentParser
import Captures
import EventStore
import Foundation
import Rollcall
import XMPPStanza

/// What says how a log or a capture is read, and up to where.
///
/// Groups of options stand at most one in another: a debug build checks each level of them four
/// times for each level above it, at each start.
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

  /// What was said of how a source is read, as the words of a command line.
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

/// How a log or a capture is read, and up to where.
struct ReadingOptions: ParsableArguments, SourceReading {
  @Option(name: .point, parsing: .unconditional, help: .point)
  var at: String = "head"

  @OptionGroup var capture: CaptureSelection

  @Option(help: .captureFormat, completion: .captureFormats)
  var format: String?

  func validate() throws { _ = try point }
}

/// What a command reads that takes nothing else on the command line, and up to where.
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

  /// How many accounts of a capture are opened: for each it is read once more.
  private static let maximumAccounts = 20

  /// The same for each account of a capture that holds several, unless one is chosen, and those
  /// that are left out where it holds very many.
  func openAccounts() throws -> (opened: [OpenedSource], others: [BareJID]) {
    let options = try importOptions
    do {
      return ([try open()], [])
    } catch let failure as Failure {
      guard case .severalAccounts(let accounts)? = failure.cause as? ImportError else {
        throw failure
      }
      let opened = try accounts.prefix(Self.maximumAccounts).map { account in
        var chosen = options
        chosen.account = account
        return try Self.open(source, chosen, pair: capture.pair)
      }
      return (opened, Array(accounts.dropFirst(Self.maximumAccounts)))
    }
  }

  /// Opens a log, or imports captures into a temporary one.
  ///
  /// - Parameter pair: the file of the other direction, where a capture has one only.
  static func open(
    _ paths: [String], _ options: ImportOptions, pair: String? = nil
  ) throws -> OpenedSource {
    let sources = try SourceFiles(paths)
    if let path = sources.single { return try open(path, options, pair: pair) }
    guard pair == nil else {
      throw Failure("--pair names the file of the other direction of one capture")
    }
    // A connection is looked at where all are read, with the records' numbers as they are.
    var whole = options
    whole.connection = nil
    let (log, files) = try sources.gather(whole)
    return try OpenedSource(
      log: log, path: sources.title, connection: options.connection, files: files.flatMap { $0 })
  }

  /// Opens a log, or imports a capture into a temporary one.
  ///
  /// - Parameter pair: the file of the other direction, where the capture has one only.
  static func open(
    _ path: String, _ options: ImportOptions, pair: String? = nil
  ) throws -> OpenedSource {
    try Failure.naming(path) {
      let input = try CaptureInput(path, keyLog: options.keyLog)
      let isLog = try input.isLog
      guard !isLog || pair == nil else { throw Failure("\(path) is a log: nothing is its pair") }
      guard !isLog else {
        return try OpenedSource(
          log: openLog(path, options), path: path, connection: options.connection)
      }
      let (log, files) = try importTemporarily(input, options, pair: pair)
      return try OpenedSource(
        log: log, path: path, connection: options.connection, files: files)
    }
  }

  static func openLog(_ path: String, _ options: ImportOptions) throws -> EventLog {
    let log = try EventLog.open(
      at: path, access: .readOnly, eventVersion: DecodedRecord.version)
    if let wanted = options.account, let account = try log.meta.account, account != wanted.text {
      throw Failure("\(path) is the log of \(account), not of \(wanted)")
    }
    return log
  }

  /// Imports all connections of the account: a chosen one is looked at where they are read, with
  /// the records' numbers as they are. Where there are several accounts it chooses its own.
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
  /// What the option for a point is called.
  fileprivate static let point: NameSpecification = [.customLong("at"), .customLong("to")]
}

extension ArgumentHelp {
  fileprivate static let point = ArgumentHelp(
    "The point to look at: \(PointError.forms), or -5m for five minutes before the end.",
    valueName: "point")

  /// What is read, where other arguments come after it.
  static let source: ArgumentHelp =
    "A log (NAME.rollcall), a capture, compressed or not, or a directory; - for standard input."
  /// What is read.
  static let sources: ArgumentHelp =
    "A log (NAME.rollcall), or captures, compressed or not, or directories; - for standard input."
  /// Further captures, where other arguments come after the first.
  static let also: ArgumentHelp = ArgumentHelp(
    "A capture or directory to read with it. Can be given several times.", valueName: "file")
}

extension LogPoint {
  /// Reads a point that an option gives.
  init(option: String, _ text: String) throws {
    do {
      try self.init(parsing: text)
    } catch {
      throw Failure("\(option): \(error)")
    }
  }
}

/// What a command reads that takes other arguments after it, and up to where.
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

/// A log that is open, and the name it goes by in messages.
struct OpenedSource {
  let log: EventLog
  let path: String
  /// What was found in each capture; nothing where it is a log.
  let files: CaptureGathering.Found
  /// Its whole history.
  let whole: Timeline
  /// Its history, narrowed to the connection that was chosen.
  let timeline: Timeline
  private let damage: DamageNotes

  /// - Parameter connection: The connection that is chosen, by name, number or resource; nil for
  ///   all.
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

  /// What a page about it is called: the names without their directories.
  var title: String {
    files.count < 2 ? (path == "-" ? "-" : URL(filePath: path).lastPathComponent) : path
  }

  /// The number of the last record that there is now.
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

  /// Runs `body`; an error that it throws names the source.
  func naming<R>(_ body: () throws -> R) throws -> R {
    defer { damage.tell() }
    return try Failure.naming(path, body)
  }
}

extension EventLog {
  /// An empty log that nothing is left of.
  static func temporary() throws -> EventLog {
    let directory = FileManager.default.temporaryDirectory.path
    do {
      return try unnamed(in: directory, eventVersion: DecodedRecord.version)
    } catch {
      throw Failure("a temporary log is needed: \(error); TMPDIR names another directory")
    }
  }

  /// Opens a log to add to it, with what is derived up to date.
  ///
  /// All its pages are looked at first, for LMDB would write over what it took to be free.
  static func openToWrite(_ path: String) throws -> EventLog {
    removeStaleDrafts(of: path)
    try lookOverPages(of: path)
    let log = try open(at: path, access: .readWrite, eventVersion: DecodedRecord.version)
    try log.bringUpToDate()
    return log
  }

  /// Says what could not be done after records were durable.
  func tellUndone(path: String) {
    for (work, reason) in undone.parts {
      Terminal.note("\(path): the records are in the log; its \(work.rawValue) were not: \(reason)")
    }
  }
}

/// Says once of each derived part of a log that it is damaged, where reading has met that.
private final class DamageNotes {
  private let log: EventLog
  private let path: String
  private var told: Set<DerivedDamage.Part> = []

  init(of log: EventLog, path: String) {
    (self.log, self.path) = (log, path)
  }

  func tell() {
    for (part, record) in log.derivedDamage.parts where told.insert(part).inserted {
      Terminal.note(
        "\(path): the \(part.rawValue) at record \(record) cannot be used and the records were "
          + "read instead; rollcall verify --rebuild makes what is derived anew")
    }
  }
}
