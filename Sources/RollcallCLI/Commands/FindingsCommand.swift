import ArgumentParser
import Captures
import ConversationCore
import Rollcall
import RosterCore

struct FindingsCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "findings",
    abstract: "Lists what is odd: who caused it, at which record, against which rule.",
    discussion: """
      Findings are about the roster and its sessions, and, in a log with messages, about messages. \
      The exit code is 0 whatever is found, unless --fail-on asks for 1. With --follow, each \
      finding is listed within a second of its record, until Ctrl-C or the end of a pipe.

      Examples:
        rollcall findings debug.log
        rollcall findings alice.rollcall --fail-on warning
        rollcall findings alice.rollcall --json
        ssh host tail -F debug.log | rollcall findings - --follow --jsonl
        rollcall findings --explain undone-edit
      """)

  @Argument(help: .sources, completion: .file())
  var source: [String] = []

  @OptionGroup var reading: ReadingOptions
  @OptionGroup var output: ListOutputOptions

  @OptionGroup var filter: StoryFilter
  @OptionGroup var following: FollowOptions

  @Option(help: "Exit with 1 if there is a finding of this severity or a higher one.")
  var failOn: SeverityOption?

  @Option(
    help: ArgumentHelp(
      "Explain a kind of finding: the rule, what usually causes it, what to do.",
      valueName: "code"))
  var explain: FindingCodeOption?

  func validate() throws {
    guard (explain == nil) != source.isEmpty else {
      throw ValidationError("name a log or a capture, or use --explain with a code")
    }
    try following.check(reading, source)
  }

  func run() throws {
    if let explain { return try say(explain) }
    guard !following.follow else {
      return try Following.run(
        source, reading, isForMachines: output.isForMachines
      ) { try self.list(of: $0) }
    }
    let opened = try reading.open(source)
    let list = try self.list(of: opened)
    try list.printFindings(upTo: opened.naming { try opened.timeline.record(at: reading.point) })
    try list.end()
  }

  private func list(of opened: OpenedSource) throws -> Findings {
    try Findings(opened, try filter.chosen(in: opened), output, failing: failOn?.severity)
  }

  /// The findings in printed form.
  private final class Findings: FollowedOutput {
    let opened: OpenedSource
    let chosen: StoryFilter.Chosen
    let output: ListOutputOptions
    /// The severity from which a finding makes the command fail; nil if none does.
    let failing: Finding.Severity?
    private var follower: LogFollower
    private var conversations: ConversationFollower
    /// The findings of a single document, which are printed at the end.
    private var found: [ListedFinding] = []
    private var isEmpty = true
    private var hasFailed = false

    init(
      _ opened: OpenedSource, _ chosen: StoryFilter.Chosen, _ output: ListOutputOptions,
      failing: Finding.Severity?
    ) throws {
      (self.opened, self.chosen, self.output) = (opened, chosen, output)
      self.failing = failing
      follower = try opened.naming { try LogFollower(opened.timeline) }
      conversations = ConversationFollower(opened.timeline)
    }

    func update() throws {
      try printFindings(upTo: opened.lastRecord)
    }

    func printFindings(upTo last: UInt64) throws {
      try opened.naming {
        var messages = try conversations.follow(upTo: last)[...]
        try follower.follow(upTo: last) { moment, _ in
          guard try chosen.tells(moment, toPeople: true) else { return }
          for finding in moment.outcome.findings where chosen.includes(finding.contact) {
            try add(&messages, before: finding.record)
            try add(.roster(finding))
          }
        }
        try add(&messages, before: .max)
      }
    }

    /// Adds the findings about messages that are before a record, and removes them from the list.
    private func add(
      _ findings: inout ArraySlice<ConversationFinding>, before record: UInt64
    ) throws {
      while let finding = findings.first, finding.record < record {
        findings.removeFirst()
        if try chosen.includes(.message(finding)) { try add(.message(finding)) }
      }
    }

    private func add(_ finding: ListedFinding) throws {
      isEmpty = false
      if let failing, finding.severity.weight >= failing.weight { hasFailed = true }
      if output.json {
        found.append(finding)
      } else if output.jsonl {
        try Terminal.say(JSONValue(finding))
      } else {
        try Terminal.say(finding.line)
      }
    }

    /// Prints what is odd about the end of the source.
    private func printEnding() throws {
      try opened.naming {
        let findings = try opened.timeline.findings(ending: follower.state)
        let all =
          conversations.findingsAtEnd().map { ListedFinding.message($0) }
          + findings.map { ListedFinding.roster($0) }
        for finding in all where try chosen.includes(finding) { try add(finding) }
      }
    }

    func end() throws {
      try printEnding()
      if output.json { try Terminal.say(JSONValue(found, of: follower.state.account)) }
      if isEmpty, !output.isForMachines { try Terminal.say("no findings") }
      if hasFailed { throw NothingFound(sentence: nil) }
    }
  }

  private func say(_ kind: FindingCodeOption) throws {
    let (code, severity, guide) = (kind.rawValue, kind.severity, kind.guide)
    guard !output.isForMachines else {
      return try Terminal.say(
        .object([
          "code": .string(code), "severity": .string(severity.rawValue),
          "rule": .string(guide.rule), "causes": .string(guide.causes),
          "remedy": .string(guide.remedy),
        ]))
    }
    try Terminal.say([
      Style.bold(code) + " (\(severity.rawValue))", "",
      "Rule:    " + guide.rule, "Causes:  " + guide.causes, "Remedy:  " + guide.remedy,
    ])
  }
}

/// The option that names a kind of finding.
enum FindingCodeOption: ExpressibleByArgument {
  case roster(Finding.Code)
  case message(ConversationFinding.Code)

  init?(argument: String) {
    if let code = Finding.Code(rawValue: argument) {
      self = .roster(code)
    } else if let code = ConversationFinding.Code(rawValue: argument) {
      self = .message(code)
    } else {
      return nil
    }
  }

  static var allValueStrings: [String] {
    Finding.Code.allCases.map(\.rawValue) + ConversationFinding.Code.allCases.map(\.rawValue)
  }

  fileprivate var rawValue: String {
    switch self {
    case .roster(let code): code.rawValue
    case .message(let code): code.rawValue
    }
  }

  fileprivate var severity: Finding.Severity {
    switch self {
    case .roster(let code): code.severity
    case .message(let code): code.severity
    }
  }

  fileprivate var guide: FindingGuide {
    switch self {
    case .roster(let code): code.guide
    case .message(let code): code.guide
    }
  }
}

/// The option that names a severity.
struct SeverityOption: ExpressibleByArgument {
  let severity: Finding.Severity

  init?(argument: String) {
    guard let severity = Finding.Severity(rawValue: argument) else { return nil }
    self.severity = severity
  }

  static var allValueStrings: [String] { Finding.Severity.allCases.map(\.rawValue) }
}
