import ArgumentParser
import Foundation
import Rollcall

struct ReportCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Writes a web page about a session, to attach to a bug report.",
    discussion: """
      The page is one file with a summary, a picture of the session over time, the findings \
      explained, the story, and the XML of each of its records, with stand-ins for what people \
      wrote to each other and for pictures. It loads nothing and runs no script.

      Examples:
        rollcall report debug.log -o report.html
        rollcall report alice.rollcall --at 12:00 --zone Asia/Shanghai -o am.html
        rollcall report debug.log --redact -o for-strangers.html
        rollcall report alice.rollcall --other bob.jsonl -o both.html
      """)

  @OptionGroup var source: SourceOptions
  @OptionGroup var times: ZoneOptions

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("The file to write.", valueName: "file"), completion: .file())
  var output: String?

  @Flag(help: "Show what people wrote to each other, and pictures, instead of stand-ins.")
  var messages = false

  @Flag(help: "Replace addresses, names, groups and texts with stand-ins, as export does.")
  var redact = false

  @Option(
    help: "The log or capture of a contact, up to its head, to compare both ends.",
    completion: .file())
  var other: String?

  func validate() throws {
    if redact, other != nil {
      throw ValidationError("--redact replaces addresses, and --other compares them: choose one")
    }
    if messages, redact {
      throw ValidationError("--redact replaces messages, and --messages shows them: choose one")
    }
  }

  func run() throws {
    let opened = try source.open()
    try opened.naming {
      let report = try redact ? redacted(opened) : plain(opened)
      try FinishedFile.writing(to: output) { try report.write($0) }
    }
  }

  private func plain(_ opened: OpenedSource) throws -> Report {
    let ends = try other.map { try source.compare(opened, from: source.source, with: $0, of: nil) }
    return try Report(
      of: opened.timeline, upTo: source.point, name: opened.title, zone: times.zone,
      showsMessages: messages, ends: ends)
  }

  /// A redacted report without the name of the file, which may also identify a person.
  private func redacted(_ opened: OpenedSource) throws -> Report {
    let timeline = try opened.timeline.redacted(
      upTo: source.point, in: FileManager.default.temporaryDirectory)
    return try Report(
      of: timeline, upTo: .head(minus: 0), name: nil, zone: times.zone)
  }
}
