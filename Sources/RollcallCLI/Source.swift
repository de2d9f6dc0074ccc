import ArgumentParser
import Captures
import EventLog
import Foundation
import Rollcall
import XMPPStanza

/// What a command reads, and up to where.
struct SourceOptions: ParsableArguments {
  @Argument(help: "A log (NAME.rollcall) or a capture.", completion: .file())
  var source: String

  @Option(
    help: """
      The point to look at: a record number, 0, head, head~10, or a time with a zone such as \
      2026-11-20T10:00:00Z.
      """)
  var at: String = "head"

  @OptionGroup var capture: CaptureOptions

  var point: Point {
    get throws {
      do {
        return try Point(parsing: at)
      } catch {
        throw Failure("--at: \(error)")
      }
    }
  }

  func validate() throws {
    do {
      _ = try Point(parsing: at)
    } catch {
      throw ValidationError("--at: \(error)")
    }
  }

  /// Opens the log, or imports the capture into a temporary one.
  func open() throws -> OpenedSource {
    try Self.open(source, capture)
  }

  /// Opens a log, or imports a capture into a temporary one.
  static func open(_ path: String, _ capture: CaptureOptions) throws -> OpenedSource {
    do {
      let log = try isLog(path) ? openLog(path, capture) : importTemporarily(path, capture)
      return OpenedSource(log: log, path: path)
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(error, in: path)
    }
  }

  /// LMDB's magic number stands behind the 16 bytes of a page's header.
  private static func isLog(_ path: String) throws -> Bool {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw Failure("\(path): there is no such file")
    }
    guard !isDirectory.boolValue else { throw Failure("\(path): it is a directory") }
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    defer { try? file.close() }
    let head = Array(try file.read(upToCount: 20) ?? Data())
    return path.hasSuffix(".rollcall")
      || (head.count == 20 && head[16...] == [0xDE, 0xC0, 0xEF, 0xBE])
  }

  private static func openLog(_ path: String, _ capture: CaptureOptions) throws -> EventLog {
    let log = try EventLog.open(
      at: path, access: .readOnly, eventVersion: RecordMeaning.version)
    let wanted = try capture.importOptions.account
    if let wanted, let account = try log.meta.account, account != wanted.text {
      throw Failure("\(path) is the log of \(account), not of \(wanted)")
    }
    return log
  }

  private static func importTemporarily(
    _ path: String, _ capture: CaptureOptions
  ) throws -> EventLog {
    let directory = FileManager.default.temporaryDirectory
    let target = directory.appendingPathComponent("capture.rollcall").path
    let log = try EventLog.draft(for: target, eventVersion: RecordMeaning.version)
    let summary = try capture.read(path, into: log, noting: nil)
    summary.tell(of: path)
    guard summary.records > 0 else {
      throw ImportError.nothingFound(format: summary.format.title)
    }
    return log
  }
}

/// What can be said about a capture.
struct CaptureOptions: ParsableArguments {
  @Option(help: "The account, where a capture holds several.")
  var account: String?

  @Option(help: "The capture's format, where it is not found by looking.")
  var format: String?

  @Option(help: "The year of a capture whose clock has none; without it, its times are unknown.")
  var year: Int?

  var importOptions: ImportOptions {
    get throws {
      var options = ImportOptions(year: year)
      if let account {
        do {
          options.account = try BareJID(parsing: account)
        } catch {
          throw Failure("--account “\(account)” is no address: \(error)")
        }
      }
      if let format {
        options.format = CaptureFormat.all.first { $0.id == format }
        guard options.format != nil else {
          let known = CaptureFormat.all.map(\.id).joined(separator: ", ")
          throw Failure("--format “\(format)” is not known; there are \(known)")
        }
      }
      return options
    }
  }

  /// Imports a capture, with a progress bar where it takes long.
  func read(
    _ path: String, into log: EventLog, noting source: ImportedSource?
  ) throws -> ImportSummary {
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    var progress = Progress(total: size ?? 0)
    defer { progress.finish() }
    var reading = CaptureImport(try importOptions)
    return try reading.run(path, into: log, noting: source) { progress.show($0) }
  }
}

extension ImportSummary {
  /// Tells a person what was skipped and what is unknown.
  func tell(of path: String) {
    for problem in problems { Terminal.note("\(path):\(problem.line): \(problem.message)") }
    if problemCount > problems.count {
      Terminal.note("\(path): \(problemCount - problems.count) more of the kind")
    }
    if lacksTimes {
      Terminal.note("\(path): some records have no time, for the source's clock does not say it")
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
    try replay(upTo: point) { _ in }
  }

  func replay(
    upTo point: Point, _ body: (Timeline.Moment) throws -> Void
  ) throws -> Timeline.State {
    do {
      return try Timeline(log).replay(upTo: point) { moment, _ in try body(moment) }
    } catch {
      throw Failure(error, in: path)
    }
  }
}
