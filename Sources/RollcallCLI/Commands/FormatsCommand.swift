import ArgumentParser
import Captures
import Rollcall

struct FormatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "formats",
    abstract: "Lists the formats of captures, and how to have each one written.",
    discussion: """
      Formats are found by looking; where that fails `rollcall import --format NAME` says one, as \
      the commands do that read captures.

      Examples:
        rollcall formats
        rollcall formats --json
      """)

  @OptionGroup var output: OutputOptions

  func run() throws {
    guard !output.json else {
      let formats = CaptureFormat.all.map { JSONValue($0) }
      return try Terminal.say(.object(["formats": .array(formats)]))
    }
    for format in CaptureFormat.all {
      let doubt = format.isTested ? "" : " (built from its source, not tested on a real log)"
      try Terminal.say([
        Style.bold(format.id) + ": " + format.title + doubt, "    " + format.howTo,
      ])
    }
  }
}
