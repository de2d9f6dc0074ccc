import Captures
import ArgumentParser
import Rollcall
import RosterCore

struct FindingsCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "findings",
    abstract: "Lists what is odd: by whom, at which record, against which rule.",
    discussion: """
      Examples:
        rollcall findings debug.log
        rollcall findings alice.rollcall --json
      """)

  @OptionGroup var source: SourceOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    var findings: [Finding] = []
    let state = try source.open().replay(upTo: source.point) { moment, _ in
      findings += moment.outcome.findings
    }
    guard !output.json else {
      return try Terminal.say(JSONValue(findings, of: state.account))
    }
    try Terminal.say(findings.isEmpty ? ["no findings"] : findings.map(\.line))
  }
}
