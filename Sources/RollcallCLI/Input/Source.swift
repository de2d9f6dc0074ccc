import ArgumentParser
import Captures
import EventStore
import Foundation
import Rollcall
import XMPPStanza

/// How a log or a capture is read, and up to where.
struct ReadingOptions: ParsableArguments {
  @Option(
    name: [.customLong("at"), .customLong("to")], parsing: .unconditional,
    help: ArgumentHelp(
      "The point to look at: \(PointError.forms), or -5m for five minutes before the end.",
      valueName: "point"))
  var at: String = "head"

  @OptionGroup var capture: CaptureOptions

  var point: Point {
    get throws { try Point(option: "--at", at) }
  }

  func validate() throws {
    _ = try point
  }

  /// Opens the log at a path, or imports the capture into a temporary one.
  func open(_ source: String) throws -> OpenedSource {
    try SourceOptions.open(source, try capture.importOptions, pair: capture.selection.pair)
  }
}

/// What a command reads, and up to where.
struct SourceOptions: ParsableArguments {
  @Argument(
    help: "A log (NAME.rollcall) or a capture, compressed or not; - for standard input.",
    completion: .file())
  var source: String

  @OptionGroup var reading: ReadingOptions

  var point: Point {
    get throws { try reading.point }
  }

  /// Opens the log, or imports the capture into a temporary one.
  func open() throws -> OpenedSource { try reading.open(source) }

  /// How many accounts of a capture are opened: for each it is read once more.
  private static let maximumAccounts = 20

  /// The same for each account of a capture that holds several, unless one is chosen, and those
  /// that are left out where it holds very many.
  func openAccounts() throws -> (opened: [OpenedSource], others: [BareJID]) {
    let options = try reading.capture.importOptions
    do {
      return ([try open()], [])
    } catch let failure as Failure {
      guard case .severalAccounts(let accounts)? = failure.cause as? ImportError else {
        throw failure
      }
      let opened = try accounts.prefix(Self.maximumAccounts).map { account in
        var chosen = options
        chosen.account = account
        return try Self.open(source, chosen, pair: reading.capture.selection.pair)
      }
      return (opened, Array(accounts.dropFirst(Self.maximumAccounts)))
    }
  }

  /// Opens a log, or imports a capture into a temporary one.
  ///
  /// - Parameter pair: the file of the other direction, where the capture has one only.
  static func open(
    _ path: String, _ options: ImportOptions, pair: String? = nil
  ) throws -> OpenedSource {
    try Failure.naming(path) {
      let input = try CaptureInput(path)
      let isLog = try isLog(path, input)
      guard !isLog || pair == nil else { throw Failure("\(path) is a log: nothing is its pair") }
      guard !isLog else {
        return try OpenedSource(
          log: openLog(path, options), path: path, connection: options.connection)
      }
      let log = try importTemporarily(input, options, pair: pair)
      return try OpenedSource(log: log, path: path, connection: options.connection)
    }
  }

  static func isLog(_ path: String, _ input: CaptureInput) throws -> Bool {
    // What is read from a pipe is gone, and no log comes through one.
    guard input.isFile, !input.isCompressed else { return false }
    let head = Array(try input.handle.read(upToCount: Supervision.logHeadBytes) ?? Data())
    try input.rewind()
    return path.hasSuffix(".rollcall") || Supervision.isLog(head: head)
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
  ) throws -> EventLog {
    guard options.connection != nil else { return try importWhole(input, options, pair: pair) }
    var whole = options
    whole.connection = nil
    do {
      return try importWhole(input, whole, pair: pair)
    } catch ImportError.severalAccounts(let accounts) where input.isFile {
      try input.rewind()
      let own = try importWhole(input, options, pair: pair).meta.account
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
  ) throws -> EventLog {
    let directory = FileManager.default.temporaryDirectory.path
    let log: EventLog
    do {
      log = try EventLog.unnamed(in: directory, eventVersion: DecodedRecord.version)
    } catch {
      throw Failure("a temporary log is needed: \(error); TMPDIR names another directory")
    }
    _ = try CaptureFiles(input, try pair.map { try CaptureInput($0) }).read(options, into: log)
    return log
  }
}

extension Point {
  /// Reads a point that an option gives.
  init(option: String, _ text: String) throws {
    do {
      try self.init(parsing: text)
    } catch {
      throw Failure("\(option): \(error)")
    }
  }
}

/// A log that is open, and the name it goes by in messages.
struct OpenedSource {
  let log: EventLog
  let path: String
  /// Its whole history.
  let whole: Timeline
  /// Its history, narrowed to the connection that was chosen.
  let timeline: Timeline
  private let damage: DamageNotes

  /// - Parameter connection: The connection that is chosen, by name, number or resource; nil for
  ///   all.
  init(log: EventLog, path: String, connection: String?) throws {
    self.log = log
    self.path = path
    damage = DamageNotes(of: log, path: path)
    let whole = Timeline(log)
    self.whole = whole
    timeline =
      try connection.map {
        Timeline(log, narrowedTo: try whole.connection(named: $0))
      } ?? whole
  }

  /// The number of the last record that there is now.
  var lastRecord: UInt64 {
    get throws { try naming { try log.read { try $0.lastSequence } } }
  }

  func state(at point: Point) throws -> Timeline.State {
    try naming { try timeline.state(at: point) }
  }

  func replay(
    upTo point: Point, _ body: (Timeline.Moment, Roster) throws -> Void
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
