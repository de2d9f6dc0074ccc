import ArgumentParser
import Captures
import ContactSections
import EventStore
import Rollcall
import RosterCore

struct ReplayCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Tells the story: each record that changed something, what it changed, what is odd.",
    discussion: """
      ← came from the server, → went to it; + came, - went, ~ became different, ! is a finding. \
      Four records or more in a row that change only presence are one line. A long session begins \
      with what it comes to; where it tells very much, each record is one line and presence is \
      counted by day: --full unfolds all, --from, --to and --contact tell a part of it.

      Examples:
        rollcall replay debug.log
        rollcall replay alice.rollcall --from 10:00 --at 11:00 --zone Asia/Shanghai
        rollcall replay alice.rollcall --contact bob@example.test --full
        rollcall replay alice.rollcall --only findings
      """)

  @OptionGroup var source: SourceOptions
  @OptionGroup var output: ListOutputOptions
  @OptionGroup var filter: StoryFilter
  @OptionGroup var times: ZoneOptions

  @Flag(help: "Fold nothing.")
  var full = false

  /// From how many records on a session is told what it comes to before its story.
  private static let long: UInt64 = 300

  func run() throws {
    let opened = try source.open()
    let chosen = try filter.chosen(in: opened)
    guard !output.isForMachines else { return try document(opened, chosen) }
    let last = try opened.naming { try opened.timeline.record(at: source.point) }
    var density = full ? StoryDensity.full : .folded
    if last >= Self.long, !filter.isSet {
      let summary = try survey(opened, last)
      if summary.isLong, !full { density = .condensed(presence: summary.presence) }
    }
    let labels = try opened.naming { try ConnectionLabels(opened.log) }
    var printer = StoryPrinter(labels, zone: times.zone, density)
    let state = try opened.replay(upTo: .record(last)) { moment, roster in
      if try chosen.tells(moment) { try printer.tell(moment, roster) }
    }
    try printer.finish(state.roster)
    try say(state)
  }

  /// Says what a long session comes to.
  private func survey(_ opened: OpenedSource, _ last: UInt64) throws -> StorySummary {
    var summary = StorySummary(day: times.zone.day)
    let state = try opened.replay(upTo: .record(last)) { moment, _ in summary.take(moment) }
    try Terminal.say(
      summary.lines(
        state, records: last, source: SourceWords(source.source, source.words), times.zone,
        isFull: full))
    return summary
  }

  private func document(_ opened: OpenedSource, _ chosen: StoryFilter.Chosen) throws {
    var records = output.list("records")
    let state = try opened.replay(upTo: source.point) { moment, roster in
      if try chosen.tells(moment) { try records.add(JSONValue(moment)) }
    }
    try records.finish(["account": JSONValue(state.account?.text)])
  }

  /// How it ended.
  private func say(_ state: Timeline.State) throws {
    let roster = state.roster
    let friends = roster.entries.count { SectionPolicy.Friends.mutual.includes($0.value.item) }
    try Terminal.say([
      "",
      Style.bold(state.account?.text ?? "account unknown")
        + ": \(roster.entries.count) contact\(roster.entries.count == 1 ? "" : "s"), "
        + "\(friends) of them friends; "
        + "\(roster.incoming.count) asking us, \(roster.outgoing.count) asked by us",
    ])
    roster.noteIncompleteness()
  }
}
