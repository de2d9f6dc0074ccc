import ArgumentParser
import Captures
import EventStore
import Rollcall
import RosterCore
import XMPPStanza

struct BisectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bisect",
    abstract: "Finds the first record after which something holds.",
    discussion: """
      One condition is given, or a command. The command gets `state --json` of the point that is \
      looked at on its standard input and answers by its exit code as for git bisect: 0 not yet, \
      1 to 127 it holds, but 125 this one cannot be told, and more stops the search. Nobody is \
      missing and nothing is counted before the whole roster is known.

      A condition may turn more than once. The built-in ones are checked at each record, so the \
      record that is named is the first; a command is first asked at 17 points, and what turns \
      twice between two of them is missed.

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

  @Option(name: .customLong("run"), help: "A shell command that tells by its exit code.")
  var command: String?

  func validate() throws {
    _ = try Point(option: "--from", from)
    guard [command != nil, try conditions.condition() != nil].count(where: \.self) == 1 else {
      throw ValidationError(
        "one condition is needed: --missing, --friend, --pending, --name, --count-friends or --run")
    }
  }

  func run() throws {
    let opened = try source.open()
    let timeline = Timeline(opened.log)
    try opened.naming {
      let start = try timeline.record(at: Point(option: "--from", from))
      let end = try timeline.record(at: source.point)
      guard start <= end else {
        throw Failure("--from \(from) lies behind the point to search up to")
      }
      if let condition = try conditions.condition() {
        try search(timeline, start, end, condition)
      } else if let command {
        try search(timeline, start, end, ShellCondition(command: command))
      }
    }
  }

  // MARK: Conditions that are built in

  private func search(
    _ timeline: Timeline, _ start: UInt64, _ end: UInt64, _ condition: RosterCondition
  ) throws {
    let last = try timeline.state(at: .record(end)).roster
    let mayBePartial = last.completeness != .complete
    let found = try timeline.first(after: start, upTo: end) {
      condition.holds(in: $0.roster, mayBePartial: mayBePartial)
    }
    let turns = try timeline.turns(
      after: start, upTo: end, of: condition, mayBePartial: mayBePartial)
    // Bisection finds one of the turns: where there are several the first is named.
    let first = turns.first(where: \.holds)
    let answer = Answer(
      clause: condition.clause, turn: first.map { .at($0.record) } ?? found.turn,
      probes: found.probes, turns: turns, areAllTurns: true)
    if mayBePartial { last.noteIncompleteness() }
    try tell(answer, timeline)
  }

  // MARK: Commands

  /// Into how many stretches a log is cut before one of them is searched.
  private static let stretches: UInt64 = 16

  /// Asks a command at some points first: a turn between two of them is searched for, and the
  /// others are told. What turns twice between two points is missed.
  private func search(
    _ timeline: Timeline, _ start: UInt64, _ end: UInt64, _ shell: ShellCondition
  ) throws {
    var probes = 0
    var told: [(record: UInt64, holds: Bool)] = []
    let points = (0...Self.stretches).map { start + (end - start) * $0 / Self.stretches }
    for record in points where told.last?.record != record {
      probes += 1
      guard let holds = try shell.holds(in: timeline.state(at: .record(record))) else { continue }
      told.append((record, holds))
    }
    let turns = zip(told, told.dropFirst()).filter { $0.holds != $1.holds }
    var turn: Turn = told.first?.holds == true ? .holdsFromStart : .never
    if told.isEmpty { turn = .within(start...end) }
    var shown = turns.map { (record: $1.record, holds: $1.holds) }
    if let index = turns.firstIndex(where: \.1.holds) {
      let found = try timeline.first(
        after: turns[index].0.record, upTo: turns[index].1.record, where: shell.holds)
      probes += found.probes
      turn = found.turn
      if case .at(let record) = turn { shown[index].record = record }
    }
    let answer = Answer(
      clause: "`\(shell.command)` fails", turn: turn, probes: probes, turns: shown,
      areAllTurns: false)
    try tell(answer, timeline)
  }

  // MARK: The answer

  private struct Answer {
    let clause: String
    let turn: Turn
    let probes: Int
    let turns: [(record: UInt64, holds: Bool)]
    let areAllTurns: Bool
  }

  private func tell(_ answer: Answer, _ timeline: Timeline) throws {
    var moment: Timeline.Moment?
    var record: UInt64?
    if case .at(let found) = answer.turn {
      record = found
      moment = try timeline.moment(of: found)
    }
    if output.json {
      try Terminal.say(document(answer, record, moment))
    } else {
      try Terminal.say(lines(answer, moment))
    }
    switch answer.turn {
    case .at: return
    case .within, .holdsFromStart, .never: throw NothingFound(sentence: nil)
    }
  }

  private func document(
    _ answer: Answer, _ record: UInt64?, _ moment: Timeline.Moment?
  ) -> JSONValue {
    var within: JSONValue = .null
    if case .within(let range) = answer.turn {
      within = .array([JSONValue(range.lowerBound), JSONValue(range.upperBound)])
    }
    let turns = answer.turns.map { turn in
      JSONValue.object(["record": JSONValue(turn.record), "holds": .bool(turn.holds)])
    }
    return .object([
      "condition": .string(answer.clause), "record": JSONValue(record), "within": within,
      "holdsFromStart": .bool(answer.turn == .holdsFromStart),
      "probes": .integer(Int64(answer.probes)), "turns": .array(turns),
      "turnsAreComplete": .bool(answer.areAllTurns), "story": moment.map { JSONValue($0) } ?? .null,
    ])
  }

  private func lines(_ answer: Answer, _ moment: Timeline.Moment?) -> [String] {
    var lines: [String]
    switch answer.turn {
    case .at(let record):
      let head = "#\(record) is the first record after which \(answer.clause)".visible
      lines = [Style.bold(head), ""] + (moment?.lines ?? [])
    case .within(let range):
      lines = [
        "if there is a record after which \(answer.clause), the first is one of "
          + "#\(range.lowerBound) to #\(range.upperBound): those between cannot be told"
      ]
    case .holdsFromStart: lines = ["\(answer.clause) from the start of the search on".visible]
    case .never: lines = ["after no record: \(answer.clause)".visible]
    }
    if answer.turns.count > 1 {
      let by = answer.areAllTurns ? "" : "by "
      let turns = answer.turns.map { "\(by)#\($0.record) \($0.holds ? "holds" : "no longer")" }
      lines += [
        "",
        "it turns \(answer.areAllTurns ? "" : "at least ")\(answer.turns.count) times: "
          + turns.joined(separator: ", "),
      ]
    }
    return lines + ["", Style.dim("\(answer.probes) states looked at")]
  }
}

/// The conditions that need no command.
struct ConditionOptions: ParsableArguments {
  @Option(help: "The contact is not in the roster.")
  var missing: String?

  @Option(help: "The contact is a friend: each sees the other's presence.")
  var friend: String?

  @Option(help: "A request to or from the contact is pending.")
  var pending: String?

  @Option(help: "The contact has this name in the roster: JID=TEXT, or JID= for none.")
  var name: String?

  @Option(help: "How many friends there are: '<10', '>=3', '5' and the like.")
  var countFriends: String?

  /// The one condition that is asked for, nil where it is none.
  func condition() throws -> RosterCondition? {
    var conditions: [RosterCondition] = []
    if let missing { conditions.append(.missing(try BareJID(argument: missing))) }
    if let friend { conditions.append(.friend(try BareJID(argument: friend))) }
    if let pending { conditions.append(.pending(try BareJID(argument: pending))) }
    if let name {
      let parts = name.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { throw Failure("--name “\(name)” is not JID=TEXT") }
      let text = parts[1].isEmpty ? nil : String(parts[1])
      conditions.append(.name(try BareJID(argument: String(parts[0])), text))
    }
    if let countFriends {
      guard let condition = RosterCondition.friendCount(countFriends) else {
        throw Failure("--count-friends “\(countFriends)” is no comparison such as '<10'")
      }
      conditions.append(condition)
    }
    guard conditions.count < 2 else { throw Failure("only one condition can be searched for") }
    return conditions.first
  }
}
