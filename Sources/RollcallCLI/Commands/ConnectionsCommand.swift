import ArgumentParser
import Captures
import EventStore
import Rollcall
import RosterCore
import XMPPStanza

struct ConnectionsCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "connections",
    abstract: "Lists the accounts and connections: which devices, from when to when.",
    discussion: """
      A server's log or a recording has several connections, and perhaps several accounts. With \
      --connection NAME, NUMBER or RESOURCE, the other commands show what one connection received. \
      For several captures, there is also a list of what was found in each. Of the folder of \
      record, the connections of all logs are listed, and the streams that never became an \
      account's, such as those whose login failed.

      Examples:
        rollcall connections prosody.log
        rollcall connections alice.rollcall --json
        rollcall connections phone.log laptop.log
        rollcall connections sessions
        rollcall state prosody.log --connection phone
      """)

  @OptionGroup var source: SourceOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let (accounts, others) = try source.forEachAccount { opened in
      try opened.naming {
        (
          account: try opened.state(at: source.point).account,
          connections: try opened.timeline.connections(upTo: source.point), files: opened.files,
          log: opened.files.isEmpty ? opened.path : nil
        )
      }
    }
    if !others.isEmpty {
      Terminal.note(
        "the capture has \(accounts.count + others.count) accounts, of which the "
          + "first \(accounts.count) are shown; --account shows another")
    }
    if output.json {
      let list = accounts.map {
        JSONValue($0.connections, of: $0.account, in: $0.files, log: $0.log)
      }
      return try Terminal.say(.object(["accounts": .array(list)]))
    }
    for (number, (account, connections, files, log)) in accounts.enumerated() {
      if number > 0 { try Terminal.say("") }
      let title = [account?.text ?? "account unknown", accounts.count > 1 ? log : nil]
      try Terminal.say(Style.bold(title.compactMap(\.self).joined(separator: " · ").visible))
      try Terminal.say(Self.table(connections))
      if files.count > 1 { try Terminal.say([""] + Self.table(files)) }
    }
  }

  private static func table(_ connections: [ConnectionStory]) -> [String] {
    var table = Table(["", "name", "resource", "first", "last", "end"])
    for story in connections {
      table.add([
        "\(story.id.number)", story.name ?? "–", story.resources.joined(separator: ", "),
        text(story.first), text(story.last), story.endClause,
      ])
    }
    return table.takeLines()
  }

  private static func table(_ files: CaptureGathering.Found) -> [String] {
    var table = Table(["file", "format", "records"])
    for (path, summary) in files {
      table.add([path, summary.format.id, "\(summary.records)"])
    }
    return table.takeLines()
  }

  private static func text(_ stamp: RecordStamp) -> String {
    "#\(stamp.record)" + (stamp.time.map { " \(Timestamp.text($0))" } ?? "")
  }
}
