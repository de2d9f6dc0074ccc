import ArgumentParser
import EventStore
import Foundation
import Rollcall
import XMPPStanza

/// What an export is written as.
enum ExportFormat: String, ExpressibleByArgument, CaseIterable {
  case native, xml
}

struct ExportCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes a log as a native capture, or as one XML stream for each direction.",
    discussion: """
      Credentials were taken out when the log was written. A native capture can be imported again \
      and gives the same records. The XML streams of -o alice are alice.in.xml and alice.out.xml.

      Examples:
        rollcall export alice.rollcall > alice.jsonl
        rollcall export debug.log --redact -o for-strangers.jsonl
        rollcall export alice.rollcall --format xml -o alice
      """)

  @Argument(
    help: "A log (NAME.rollcall) or a capture; - for standard input.", completion: .file())
  var source: String

  @Option(help: "What to write: native (JSON Lines) or xml.")
  var format = ExportFormat.native

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: "The file to write, or for xml the beginning of the two files' names.",
    completion: .file())
  var output: String?

  @Flag(
    help: """
      Put stand-ins in the place of addresses, names, groups and texts: equal ones for equal \
      originals, each name under its letter. The history and the findings stay the same.
      """)
  var redact = false

  @OptionGroup var selection: CaptureSelection

  @Option(
    help: "The capture's format, where it is not found by looking.", completion: .captureFormats)
  var captureFormat: String?

  func validate() throws {
    if format == .xml, redact {
      throw ValidationError("--redact writes a native capture, not --format xml")
    }
    if format == .xml, output == nil {
      throw ValidationError("--format xml writes two files: name them with -o")
    }
  }

  func run() throws {
    let options = try selection.importOptions(format: captureFormat, option: "--capture-format")
    let opened = try SourceOptions.open(source, options, pair: selection.pair)
    let export = LogExport(opened.log, narrowedTo: opened.timeline.connection)
    try opened.naming {
      switch format {
      case .native: try writeNative(export)
      case .xml: try writeXML(export)
      }
    }
  }

  private func writeNative(_ export: LogExport) throws {
    let difference = try writing(to: output) { write in
      try redact ? export.writeRedacted(write) : export.writeNative(write)
    }
    if difference == .addedHeader {
      Terminal.note(
        "the capture begins with a header that the log does not have: imported again it has one "
          + "record more, and other digests")
    }
  }

  private func writeXML(_ export: LogExport) throws {
    for (direction, name) in [(Direction.inbound, "in"), (.outbound, "out")] {
      let path = output.map { "\($0).\(name).xml" }
      try writing(to: path) { write in try export.writeXML(direction, write) }
    }
  }

  /// Runs `body` with a way to write to a file, which is there when it is complete or not at all;
  /// without a path to standard output.
  private func writing<R>(
    to path: String?, _ body: (([UInt8]) throws -> Void) throws -> R
  ) throws -> R {
    guard let path else { return try body { try Terminal.write($0) } }
    guard !FileManager.default.fileExists(atPath: path) else {
      throw Failure("\(path) exists already")
    }
    let file = try FinishedFile(path)
    let result = try body { try file.write($0) }
    try file.finish()
    return result
  }
}

/// A file that takes its place when it is complete; before that it has another name, and goes
/// away with the last reference.
private final class FinishedFile {
  private let path: String
  private let draft: String
  private let file: FileHandle
  private var pending: [UInt8] = []
  private var isFinished = false

  init(_ path: String) throws {
    self.path = path
    // Named as drafts of logs are, so that the next one removes what was left by a process that
    // was killed.
    EventLog.removeStaleDrafts(of: path)
    draft = "\(path).draft-\(getpid())-1"
    guard FileManager.default.createFile(atPath: draft, contents: nil),
      let file = FileHandle(forWritingAtPath: draft)
    else { throw Failure("\(path): it cannot be written") }
    self.file = file
  }

  deinit {
    if !isFinished { try? FileManager.default.removeItem(atPath: draft) }
  }

  func write(_ bytes: [UInt8]) throws {
    pending += bytes
    if pending.count >= 1 << 16 { try flush() }
  }

  func finish() throws {
    do {
      try flush()
      try file.synchronize()
      try file.close()
      try FileManager.default.moveItem(atPath: draft, toPath: path)
    } catch {
      throw Failure(error, in: path)
    }
    isFinished = true
  }

  private func flush() throws {
    try file.write(contentsOf: Data(pending))
    pending.removeAll(keepingCapacity: true)
  }
}
