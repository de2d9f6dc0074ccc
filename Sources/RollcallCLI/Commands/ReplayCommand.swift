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
    let labels = try opened.naming { try ConnectionLabels(opened.log) }
    let state = try opened.replay(upTo: source.point) { moment, roster in
      guard moment.tells else { return }
      if output.json {
        try records.add(JSONValue(moment))
      } else {
        try Terminal.say(moment.lines(labels, roster))
      }
    }
    guard !output.json else {
      return try records.finish(["account": JSONValue(state.account?.text)])
    }
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
