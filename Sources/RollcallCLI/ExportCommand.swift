import ArgumentParser
import Foundation
import Rollcall
import RosterCore
import XMPPStanza

/// What an export is written as.
enum ExportForm: String, ExpressibleByArgument, CaseIterable {
  case native, xml
}

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes a log as a native capture, or as one XML stream for each direction.",
    discussion: """
      Credentials were taken out when the log was written. The native capture can be imported \
      again, and gives the same records.

      Examples:
        rollcall export alice.rollcall > alice.jsonl
        rollcall export debug.log -o alice.jsonl
        rollcall export alice.rollcall --as xml -o alice     (alice.in.xml, alice.out.xml)
      """)

  @Argument(help: "A log (NAME.rollcall) or a capture.", completion: .file())
  var source: String

  @Option(name: .customLong("as"), help: "native (JSON Lines) or xml.")
  var form = ExportForm.native

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: "The file to write, or for xml the beginning of the two files' names.",
    completion: .file())
  var output: String?

  @OptionGroup var capture: CaptureOptions

  func run() throws {
    let opened = try SourceOptions.open(source, capture)
    do {
      switch form {
      case .native: try writeNative(LogExport(opened.log))
      case .xml: try writeXML(LogExport(opened.log))
      }
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(error, in: source)
    }
  }

  private func writeNative(_ export: LogExport) throws {
    let file = try OutputFile(output)
    let difference = try export.writeNative { try file.write($0) }
    try file.finish()
    if difference == .addedHeader {
      Terminal.note(
        "the capture begins with a header that the log does not have: imported again it has one "
          + "record more, and other digests")
    }
  }

  private func writeXML(_ export: LogExport) throws {
    guard let output else { throw Failure("--as xml writes two files: name them with -o") }
    for (direction, name) in [(Direction.inbound, "in"), (.outbound, "out")] {
      let file = try OutputFile("\(output).\(name).xml")
      try export.writeXML(direction) { try file.write($0) }
      try file.finish()
    }
  }
}

/// A file that is there when it is complete, or standard output.
private final class OutputFile {
  private let path: String?
  private let file: FileHandle
  private var pending: [UInt8] = []
  private var isFinished = false

  private var temporary: String? { path.map { $0 + ".part" } }

  init(_ path: String?) throws {
    self.path = path
    guard let path else {
      file = .standardOutput
      return
    }
    guard !FileManager.default.fileExists(atPath: path) else {
      throw Failure("\(path) exists already")
    }
    guard FileManager.default.createFile(atPath: path + ".part", contents: nil),
      let file = FileHandle(forWritingAtPath: path + ".part")
    else { throw Failure("\(path): it cannot be written") }
    self.file = file
  }

  deinit {
    if !isFinished, let temporary { try? FileManager.default.removeItem(atPath: temporary) }
  }

  func write(_ bytes: [UInt8]) throws {
    pending += bytes
    if pending.count >= 1 << 20 { try flush() }
  }

  func finish() throws {
    try flush()
    if let path, let temporary {
      try file.synchronize()
      try file.close()
      try FileManager.default.moveItem(atPath: temporary, toPath: path)
    }
    isFinished = true
  }

  private func flush() throws {
    try file.write(contentsOf: Data(pending))
    pending.removeAll(keepingCapacity: true)
  }
}
