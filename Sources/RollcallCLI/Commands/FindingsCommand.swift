import ArgumentParser
import Captures
import Rollcall
import RosterCore

struct FindingsCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "findings",
    abstract: "Lists what is odd: by whom, at which record, against which rule.",
    discussion: """
      The exit code is 0 whatever is found, unless --fail-on asks for 1.

      Examples:
        rollcall findings debug.log
        rollcall findings alice.rollcall --fail-on warning
        rollcall findings alice.rollcall --json
        rollcall findings --explain undone-edit
      """)

  @Argument(help: .sources, completion: .file())
  var source: [String] = []

  @OptionGroup var reading: ReadingOptions
  @OptionGroup var output: ListOutputOptions

  @OptionGroup var filter: StoryFilter

  @Option(help: "Exit with 1 where there is a finding that matters as much, or more.")
  var failOn: SeverityOption?

  @Option(
    help: ArgumentHelp(
      "Explain a kind of finding: the rule, what usually causes it, what to do.",
      valueName: "code"))
  var explain: FindingCodeOption?

  func validate() throws {
    guard (explain == nil) != source.isEmpty else {
      throw ValidationError("either a log or capture is needed, or --explain with a code")
    }
  }

  func run() throws {
    if let explain { return try say(explain.code) }
    let opened = try reading.open(source)
    let chosen = try filter.chosen(in: opened)
    var findings: [Finding] = []
    let state = try opened.replay(upTo: reading.point) { moment, _ in
      guard try chosen.tells(moment) else { return }
      findings += moment.outcome.findings.filter { chosen.includes($0.contact) }
    }
    if output.json {
      try Terminal.say(JSONValue(findings, of: state.account))
    } else if output.jsonl {
      for finding in findings { try Terminal.say(JSONValue(finding)) }
    } else {
      try Terminal.say(findings.isEmpty ? ["no findings"] : findings.map(\.line))
    }
    if let failOn, findings.contains(where: { $0.severity.weight >= failOn.severity.weight }) {
      throw NothingFound(sentence: nil)
    }
  }

  private func say(_ code: Finding.Code) throws {
    let guide = code.guide
    guard !output.isForMachines else {
      return try Terminal.say(
        .object([
          "code": .string(code.rawValue), "severity": .string(code.severity.rawValue),
          "rule": .string(guide.rule), "causes": .string(guide.causes),
          "remedy": .string(guide.remedy),
        ]))
    }
    try Terminal.say([
      Style.bold(code.rawValue) + " (\(code.severity.rawValue))", "",
      "Rule:    " + guide.rule, "Causes:  " + guide.causes, "Remedy:  " + guide.remedy,
    ])
  }
}

/// A kind of finding that an option names.
struct FindingCodeOption: ExpressibleByArgument {
  let code: Finding.Code

  init?(argument: String) {
    guard let code = Finding.Code(rawValue: argument) else { return nil }
    self.code = code
  }

  static var allValueStrings: [String] { Finding.Code.allCases.map(\.rawValue) }
}

/// How much findings matter, as an option says it.
struct SeverityOption: ExpressibleByArgument {
  let severity: Finding.Severity

  init?(argument: String) {
    guard let severity = Finding.Severity(rawValue: argument) else { return nil }
    self.severity = severity
  }

  static var allValueStrings: [String] { Finding.Severity.allCases.map(\.rawValue) }
}
