import ArgumentParser
import Captures
import EventStore
import Rollcall
import RosterCore
import XMPPStanza

struct BisectCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "bisect",
    abstract: "Finds the first record after which a condition holds.",
    discussion: """
      Give one condition, or a command with --run. The command reads `state --json` of a point \
      from its standard input and answers by its exit code, as for git bisect: 0 it does not hold \
      yet, 1 to 127 it holds, 125 it cannot be decided at this point; higher codes stop the \
      search. Until the whole roster is known, no contact is missing and no friends are counted.

      If the condition already holds at --from, there is no first record, and the answer says so. \
      A condition can change several times, and the answer has each change. The built-in ones are \
      checked at each record, so the record that is named is the first. A command first runs at 17 \
      points, and two changes between adjacent points are missed.

      Exit codes: 0 found, 1 it never begins to hold, 2 bad usage or input.

      Examples:
        rollcall bisect alice.rollcall --missing bob@example.test
        rollcall bisect debug.log --name bob@example.test=Bob --from 20
        rollcall bisect debug.log --count-friends '<10'
        rollcall bisect alice.rollcall --run 'jq -e "(.items | length) < 60"'
      """)

  @OptionGroup var source: SourceOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var conditions: ConditionOptions

  @Option(parsing: .unconditional, help: "The point to search from, in the forms of --at.")
  var from: String = "0"

  @Option(name: .customLong("run"), help: "A shell command that decides by its exit code.")
  var command: String?

  func validate() throws {
    _ = try LogPoint(option: "--from", from)
    guard conditions.count + (command == nil ? 0 : 1) == 1 else {
      throw ValidationError(
        "give one condition: --missing, --friend, --pending, --name, --count-friends or --run")
    }
  }

  func run() throws {
    let opened = try source.open()
    let timeline = opened.timeline
    let condition = try conditions.condition(in: opened)
    try opened.naming {
      let start = try timeline.record(at: LogPoint(option: "--from", from))
      let end = try timeline.record(at: source.point)
      guard start <= end else {
        throw Failure("--from \(from) is after the end of the search")
      }
      if let condition {
        try search(timeline, start, end, condition)
      } else if let command {
        try search(timeline, start, end, ShellCondition(command: command))
      }
    }
  }

  // MARK: Built-in conditions

  private func search(
    _ timeline: Timeline, _ start: UInt64, _ end: UInt64, _ condition: RosterCondition
  ) throws {
    let course = try timeline.course(of: condition, after: start, upTo: end)
    // The course finds the onset of the condition; bisection counts how few states would find it.
    let found = try timeline.first(after: start, upTo: end) {
      condition.holds(in: $0.roster, mayBePartial: course.isPartial)
    }
    let answer = BisectionAnswer(
      clause: condition.clause, transition: course.beginning, probes: found.probes,
      transitions: course.transitions, isComplete: true)
    if course.isPartial { try timeline.state(at: .record(end)).roster.noteIncompleteness() }
    try printAnswer(answer, timeline)
  }

  // MARK: Commands

  /// The number of stretches into which a log is divided before one of them is searched.
  private static let stretches: UInt64 = 16

  /// Runs a command at evenly spaced points first, then searches between two points for the first
  /// transition. Other transitions are reported only by their points, and two transitions between
  /// adjacent points are missed.
  private func search(
    _ timeline: Timeline, _ start: UInt64, _ end: UInt64, _ shell: ShellCondition
  ) throws {
    var probes = 0
    var decided: [(record: UInt64, holds: Bool)] = []
    let points = (0...Self.stretches).map { start + (end - start) * $0 / Self.stretches }
    for record in points where decided.last?.record != record {
      probes += 1
      guard let holds = try shell.holds(in: timeline.state(at: .record(record))) else { continue }
      decided.append((record, holds))
    }
    let changes = zip(decided, decided.dropFirst()).filter { $0.holds != $1.holds }
    var shown = changes.map { (record: $1.record, holds: $1.holds) }
    var transition = Self.transition(of: decided, start, end)
    if transition == .never, let index = changes.firstIndex(where: \.1.holds) {
      let found = try timeline.first(
        after: changes[index].0.record, upTo: changes[index].1.record, where: shell.holds)
      probes += found.probes
      transition = found.transition
      if case .at(let record) = transition { shown[index].record = record }
    }
    let answer = BisectionAnswer(
      clause: "`\(shell.command)` fails", transition: transition, probes: probes,
      transitions: shown, isComplete: false)
    try printAnswer(answer, timeline)
  }

  /// The onset, as far as the decided points determine it at the start of the search.
  private static func transition(
    of decided: [(record: UInt64, holds: Bool)], _ start: UInt64, _ end: UInt64
  ) -> ConditionOnset {
    guard let first = decided.first else { return .within(start...end) }
    guard first.holds else { return .never }
    return first.record == start ? .holdsFromStart : .within(start...first.record)
  }

  // MARK: The answer

  private func printAnswer(_ answer: BisectionAnswer, _ timeline: Timeline) throws {
    var moment: Timeline.Moment?
    if case .at(let record) = answer.transition { moment = try timeline.moment(of: record) }
    if output.json {
      try Terminal.say(JSONValue(answer, moment))
    } else {
      try Terminal.say(lines(answer, moment))
    }
    switch answer.transition {
    case .at: return
    case .within, .holdsFromStart, .never: throw NothingFound(sentence: nil)
    }
  }

  private func lines(_ answer: BisectionAnswer, _ moment: Timeline.Moment?) -> [String] {
    var lines: [String]
    switch answer.transition {
    case .at(let record):
      let head = "#\(record) is the first record after which \(answer.clause)".visible
      lines = [Style.bold(head), ""] + (moment?.lines ?? [])
    case .within(let range):
      lines = [
        "if there is a record after which \(answer.clause), the first is one of "
          + "#\(range.lowerBound) to #\(range.upperBound): the command cannot decide between them"
      ]
    case .holdsFromStart:
      lines = [
        answer.transitions.isEmpty
          ? "\(answer.clause) from the start of the search on".visible
          : "\(answer.clause) already at the start of the search".visible
      ]
    case .never: lines = ["there is no record after which \(answer.clause)".visible]
    }
    if answer.transitions.count > (answer.transition == .holdsFromStart ? 0 : 1) {
      lines += ["", transitions(answer)]
    }
    return lines + ["", Style.dim("\(answer.probes) states checked")]
  }

  private func transitions(_ answer: BisectionAnswer) -> String {
    let count = answer.transitions.count
    let clauses = answer.transitions.map { transition in
      "\(answer.isComplete ? "" : "by ")#\(transition.record) "
        + (transition.holds ? "holds" : "no longer")
    }
    return "it changes \(answer.isComplete ? "" : "at least ")"
      + "\(count == 1 ? "once" : "\(count) times"): \(clauses.joined(separator: ", "))"
  }
}
