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
    try Self.open(source, try capture.importOptions, pair: capture.selection.pair)
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
      let log =
        try isLog ? openLog(path, options) : importTemporarily(input, options, pair: pair)
      return OpenedSource(log: log, path: path)
    }
  }

  /// LMDB's magic number stands after the 16 bytes of a page's header.
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
      at: path, access: .readOnly, eventVersion: DecodedRecord.version)
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
    try Failure.naming(path, body)
  }
}
