import ArgumentParser
import Rollcall
import XMPPStanza

/// The format of an export.
enum ExportFormat: String, ExpressibleByArgument, CaseIterable {
  case native, xml
}

struct ExportCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes a log as a native capture, or as one XML stream for each direction.",
    discussion: """
      Credentials were removed when the log was written. A native capture can be imported again \
      and gives the same records. With -o alice, the XML streams are alice.in.xml and alice.out.xml.

      Examples:
        rollcall export alice.rollcall > alice.jsonl
        rollcall export debug.log --redact -o for-strangers.jsonl
        rollcall export alice.rollcall --format xml -o alice
      """)

  @Argument(help: .sources, completion: .file())
  var source: [String]

  @Option(help: "What to write: native (JSON Lines) or xml.")
  var format = ExportFormat.native

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: "The file to write; for xml, the beginning of the names of the two files.",
    completion: .file())
  var output: String?

  @Flag(
    help: """
      Replace addresses, names, groups and texts with stand-ins. Equal originals get equal \
      stand-ins, and a name keeps its letter. The history and the findings stay the same.
      """)
  var redact = false

  @OptionGroup var selection: CaptureSelection

  @Option(help: .captureFormat, completion: .captureFormats)
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
    let difference = try FinishedFile.writing(to: output) { write in
      try redact ? export.writeRedacted(write) : export.writeNative(write)
    }
    if difference == .addedHeader {
      Terminal.note(
        "the capture begins with a header that the log does not have: an import of it has one "
          + "record more, and other digests")
    }
  }

  private func writeXML(_ export: LogExport) throws {
    for (direction, name) in [(Direction.inbound, "in"), (.outbound, "out")] {
      let path = output.map { "\($0).\(name).xml" }
      try FinishedFile.writing(to: path) { write in try export.writeXML(direction, write) }
    }
  }
}
