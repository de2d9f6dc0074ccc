import ArgumentParser
import Captures
import EventStore
import Foundation
import Rollcall
import RosterCore
import XMPPStanza

struct DiffCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Shows the differences between two points, two logs or two connections.",
    discussion: """
      Give two points of one log or capture, of which the second is the head by default, or two \
      logs or captures, such as those of two devices. For two sources, contacts and requests are \
      compared, and the answer says up to where the two agree and where they part. Of one source, \
      --connection A,B compares in the same way what two connections were shown, and lists the \
      pushes that one of them received and the other did not.

      Of two points, the conversations that differ are listed too: how many messages they have, \
      how many are unread, and how many have changed.

      With --json, the answer is a list of {"contact", "field", "before", "after", "record", \
      "time"}, with fields and values as in `state --json`. The field of an added or removed item \
      is "item". "presence" also has a "resource", and an item that changed after it was added has \
      a "lastRecord". The field of a conversation is "conversation". For two sources, the answer \
      is {"agreed", "parted", "differences"}, where "record" is of the second source and \
      "recordBefore" of the first; for two connections, there are also "pushes". --sections \
      compares the contacts screens instead.

      Exit codes: 0 no difference, 1 there are differences, 2 bad usage or input.

      Examples:
        rollcall diff alice.rollcall 120 head
        rollcall diff alice.rollcall head-5m
        rollcall diff phone.log laptop.log
        rollcall diff devices.log --connection phone,pc
        rollcall diff devices.log --connection 1,2 --at head
        rollcall diff alice.rollcall 0 head --sections
      """)

  @OptionGroup var capture: CaptureOptions
  @OptionGroup var output: OutputOptions

  @Argument(help: .source, completion: .file())
  var source: String

  @Argument(
    help: "One or two points, or another log or capture.", completion: .file())
  var others: [String] = []

  @Option(
    parsing: .unconditional,
    help: "For two sources or connections: the point to compare in both; the head by default.")
  var at: String?

  @Option(
    parsing: .unconditional, help: "For two sources: the point of the second, if it differs.")
  var otherAt: String?

  @Flag(help: "Compare the contacts screens.")
  var sections = false

  func validate() throws {
    guard !isOfConnections else {
      guard others.isEmpty, otherAt == nil else {
        throw ValidationError("two connections are compared at one point of one source: --at POINT")
      }
      return
    }
    guard (1...2).contains(others.count) else {
      throw ValidationError("give one or two points, or another source, or --connection A,B")
    }
  }

  /// Whether two connections are compared: two are named, and nothing else is.
  private var isOfConnections: Bool {
    others.isEmpty && capture.selection.connection?.contains(",") == true
  }

  func run() throws {
    guard !isOfConnections else {
      if try compareConnections() { throw NothingFound(sentence: nil) }
      return
    }
    let first = try SourceOptions.open(
      [source], try capture.importOptions, pair: capture.selection.pair)
    let isDifferent =
      if others.count == 1, FileManager.default.fileExists(atPath: others[0]) {
        try compare(first, SourceOptions.open(others, try capture.importOptions))
      } else {
        try comparePoints(of: first)
      }
    if isDifferent { throw NothingFound(sentence: nil) }
  }

  // MARK: Two points

  private func comparePoints(of opened: OpenedSource) throws -> Bool {
    guard at == nil, otherAt == nil else {
      throw Failure("--at and --other-at are for two sources; for one source, give two points")
    }
    let start = try LogPoint(option: "A", others[0])
    let end = try others.count == 2 ? LogPoint(option: "B", others[1]) : .head(minus: 0)
    let diff = try opened.naming { try opened.timeline.diff(from: start, to: end) }
    if sections { return try printDiff(SectionsDiff(diff.before.roster, diff.after.roster)) }
    let conversations = try opened.naming {
      try opened.timeline.conversationDifferences(
        from: diff.before.roster.position, to: diff.after.roster.position)
    }
    let isDifferent = !diff.differences.isEmpty || !conversations.isEmpty
    guard !output.json else {
      let roster = diff.differences.map { JSONValue($0) }
      try Terminal.say(.array(roster + conversations.map { JSONValue($0) }))
      return isDifferent
    }
    let heading =
      "\(diff.after.account?.text ?? "account unknown"): \(diff.before.name) → \(diff.after.name)"
    var lines = [Style.bold(heading.visible)]
    if !diff.differences.isEmpty || conversations.isEmpty {
      lines += StateDiff.Item.lines(diff.differences)
    }
    if !conversations.isEmpty { lines += [""] + conversations.map(\.line) }
    try Terminal.say(lines)
    return isDifferent
  }

  func printDiff(_ diff: SectionsDiff) throws -> Bool {
    if output.json {
      try Terminal.say(JSONValue(diff))
    } else {
      try Terminal.say(diff.lines)
    }
    return !diff.isEmpty
  }

  // MARK: Two sources

  private func compare(_ first: OpenedSource, _ second: OpenedSource) throws -> Bool {
    let (firstTimeline, secondTimeline) = (first.timeline, second.timeline)
    let before = try first.state(at: LogPoint(option: "--at", at ?? "head"))
    let after = try second.state(at: LogPoint(option: "--other-at", otherAt ?? at ?? "head"))
    if let mine = before.account, let other = after.account, mine != other {
      throw Failure("\(first.path) is of \(mine), but \(second.path) is of \(other)")
    }
    if sections { return try printDiff(SectionsDiff(before.roster, after.roster)) }
    let divergence = try TimelineDivergence(
      between: firstTimeline, upTo: before.roster.position,
      and: secondTimeline, upTo: after.roster.position)
    let differences = try SourceDifference.all(before.roster, after.roster, of: second.log)
    guard !output.json else {
      try Terminal.say(
        JSONValue(divergence).adding([
          "differences": .array(differences.map { JSONValue($0) })
        ]))
      return !differences.isEmpty
    }
    for (opened, state) in [(first, before), (second, after)] {
      guard state.roster.completeness != .complete else { continue }
      Terminal.note("\(opened.path): \(state.roster.completeness.clause)")
    }
    var lines = [
      Style.bold("\(first.path), \(before.name) → \(second.path), \(after.name)".visible)
    ]
    lines += differences.isEmpty ? ["no difference"] : SourceDifference.lines(differences)
    try Terminal.say(lines + divergence.lines(first.path, second.path, !differences.isEmpty))
    return !differences.isEmpty
  }
}

extension Timeline.State {
  /// The record and its time, for a heading.
  var name: String {
    "record \(roster.position)" + (time.map { " (\(Timestamp.text($0)))" } ?? "")
  }
}
