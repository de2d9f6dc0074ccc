import ArgumentParser
import Captures
import EventStore
import Foundation
import Rollcall
import XMPPStanza

/// What a command reads, and up to where.
struct SourceOptions: ParsableArguments {
  @Argument(
    help: "A log (NAME.rollcall) or a capture; - for standard input.", completion: .file())
  var source: String

  @Option(
    parsing: .unconditional,
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

  /// Opens the log, or imports the capture into a temporary one.
  func open() throws -> OpenedSource {
    try Self.open(source, try capture.importOptions, pair: capture.pair)
  }

  /// Opens a log, or imports a capture into a temporary one.
  ///
  /// - Parameter pair: the file of the other direction, where the capture has one only.
  static func open(
    _ path: String, _ options: ImportOptions, pair: String? = nil
  ) throws -> OpenedSource {
    do {
      let input = try CaptureInput(path)
      let isLog = try isLog(path, input)
      guard !isLog || pair == nil else { throw Failure("\(path) is a log: nothing is its pair") }
      let log =
        try isLog ? openLog(path, options) : importTemporarily(input, options, pair: pair)
      return OpenedSource(log: log, path: path)
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(error, in: path)
    }
  }

  /// LMDB's magic number stands behind the 16 bytes of a page's header.
  private static func isLog(_ path: String, _ input: CaptureInput) throws -> Bool {
    // What is read from a pipe is gone, and no log comes through one.
    guard input.isFile else { return false }
    let head = Array(try input.handle.read(upToCount: 20) ?? Data())
    try input.handle.seek(toOffset: 0)
    return path.hasSuffix(".rollcall")
      || (head.count == 20 && head[16...] == [0xDE, 0xC0, 0xEF, 0xBE])
  }

  private static func openLog(_ path: String, _ options: ImportOptions) throws -> EventLog {
    let log = try EventLog.open(
      at: path, access: .readOnly, eventVersion: RecordMeaning.version)
    if let wanted = options.account, let account = try log.meta.account, account != wanted.text {
      throw Failure("\(path) is the log of \(account), not of \(wanted)")
    }
    return log
  }

  private static func importTemporarily(
    _ input: CaptureInput, _ options: ImportOptions, pair: String?
  ) throws -> EventLog {
    let directory = FileManager.default.temporaryDirectory.path
    let log: EventLog
    do {
      log = try EventLog.unnamed(in: directory, eventVersion: RecordMeaning.version)
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

/// What can be said about a capture.
struct CaptureOptions: ParsableArguments {
  @Option(help: "The account, where a capture holds several.")
  var account: String?

  @Option(
    help: "The one connection to take, by the source's name for it, such as c2s56226dd11ee0.")
  var connection: String?

  @Option(help: "The capture's format, where it is not found by looking.")
  var format: String?

  @Option(help: "The year of a capture whose clock has none; without it, its times are unknown.")
  var year: Int?

  @Option(
    help: """
      The file of the other direction, where a capture has the bytes of one direction of a stream.
      """, completion: .file())
  var pair: String?

  var importOptions: ImportOptions {
    get throws {
      var options = try ImportOptions(account: account, format: format, "--format", year: year)
      options.connection = connection
      return options
    }
  }
}

extension ImportOptions {
  /// What the options of a command line say.
  ///
  /// - Parameter formatOption: what the option for the format is called.
  init(account: String?, format: String?, _ formatOption: String, year: Int?) throws {
    self.init(year: year)
    if let account {
      do {
        self.account = try JID(parsing: account).bare
      } catch {
        throw Failure("--account “\(account)” is no address: \(error)")
      }
    }
    if let format {
      self.format = CaptureFormat.named(format)
      guard self.format != nil else {
        let known = CaptureFormat.all.map(\.id).joined(separator: ", ")
        throw Failure("\(formatOption) “\(format)” is not known; there are \(known)")
      }
    }
  }
}

/// The form a command prints in.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print one JSON document, for machines.")
  var json = false
}

/// A log that is open, and the name it goes by in messages.
struct OpenedSource {
  let log: EventLog
  let path: String

  func state(at point: Point) throws -> Timeline.State {
    try naming { try Timeline(log).state(at: point) }
  }

  func replay(
    upTo point: Point, _ body: (Timeline.Moment) throws -> Void
  ) throws -> Timeline.State {
    try naming { try Timeline(log).replay(upTo: point) { moment, _ in try body(moment) } }
  }

  /// Runs `body`; an error that it throws names the source.
  func naming<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error as OutputError {
      throw error
    } catch let failure as Failure {
      throw failure
    } catch let nothing as NothingFound {
      throw nothing
    } catch {
      throw Failure(error, in: path)
    }
  }
}
