import ArgumentParser
import Captures
import EventStore
import Rollcall
import RosterCore

struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Tells the story: each record that changed something, what it changed, what is odd.",
    discussion: """
      ← came from the server, → went to it; + came, - went, ~ became different, ! is a finding.

      Examples:
        rollcall replay debug.log
        rollcall replay alice.rollcall --at 120
      """)

  @OptionGroup var source: SourceOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let opened = try source.open()
    var records = DocumentList("records")
    let state = try opened.replay(upTo: source.point) { moment in
      guard moment.tells else { return }
      if output.json {
        try records.add(JSONValue(moment))
      } else {
        try Terminal.say(moment.lines)
      }
    }
    guard !output.json else {
      return try records.finish(["account": JSONValue(state.roster.account?.text)])
    }
    let roster = state.roster
    let friends = roster.entries.count { $0.value.item.subscription == .both }
    try Terminal.say([
      "",
      Style.bold(roster.account?.text ?? "account unknown")
        + ": \(roster.entries.count) contact\(roster.entries.count == 1 ? "" : "s"), "
        + "\(friends) of them friends; "
        + "\(roster.incoming.count) asking us, \(roster.outgoing.count) asked by us",
    ])
    roster.noteIncompleteness()
  }
}

struct FindingsCommand: ParsableCommand {
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
    let state = try source.open().replay(upTo: source.point) {
      findings += $0.outcome.findings
    }
    guard !output.json else {
      return try Terminal.say(JSONValue(findings, of: state.roster))
    }
    try Terminal.say(findings.isEmpty ? ["no findings"] : findings.map(\.line))
  }
}

extension Timeline.Moment {
  /// Whether the record is part of the story.
  var tells: Bool { !outcome.changes.isEmpty || !outcome.findings.isEmpty }

  /// The record, what it changed and what is odd about it.
  var lines: [String] {
    [heading] + outcome.changes.map { "    " + $0.line }
      + outcome.findings.map { "    " + $0.line }
  }

  /// The record and what it means, on one line.
  var heading: String {
    let arrow =
      switch direction {
      case .inbound: "←"
      case .outbound: "→"
      case .none: "·"
      }
    let clock = stamp.time.map { Timestamp.clock($0) + " " } ?? ""
    return Style.dim("#\(stamp.record)") + " \(Style.dim(clock))\(arrow) \(event.clause.visible)"
  }
}

extension RosterChange {
  /// The change with its mark, coloured by it.
  var line: String { Style.marked(mark, clause) }
}

extension Finding {
  /// The finding with its record, code and severity.
  var line: String {
    let head = "! #\(record) \(code.rawValue) (\(severity.rawValue))"
    let text = "\(head): \(sentence)".visible
    return severity == .error ? Style.red(text) : Style.cyan(text)
  }
}

extension JSONValue {
  /// A record of the story.
  init(_ moment: Timeline.Moment) {
    self.init(moment, changes: moment.outcome.changes, findings: moment.outcome.findings)
  }

  /// A record of the story with some of its changes and findings.
  init(_ moment: Timeline.Moment, changes: [RosterChange], findings: [Finding]) {
    self = .object([
      "record": JSONValue(moment.stamp.record),
      "time": JSONValue(time: moment.stamp.time),
      "direction": .string(moment.direction.name),
      "meaning": .string(moment.event.clause),
      "changes": .array(
        changes.map { change in
          .object([
            "contact": JSONValue(change.contact?.text), "mark": .string(change.mark),
            "text": .string(change.clause),
          ])
        }),
      "findings": .array(findings.map { JSONValue($0) }),
    ])
  }
}

extension RecordDirection {
  /// The direction as JSON and options have it.
  var name: String {
    switch self {
    case .inbound: "in"
    case .outbound: "out"
    case .none: "none"
    }
  }
}
