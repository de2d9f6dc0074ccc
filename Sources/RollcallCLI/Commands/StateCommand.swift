import ArgumentParser
import Captures
import Rollcall
import RosterCore
import XMPPStanza

struct StateCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "state",
    abstract: "Shows the roster, the requests and the presence at a point.",
    discussion: """
      Each value is shown with the records that set it. If the whole roster was not seen yet, the \
      answer says so, because a contact that is not listed may then still be in the roster.

      Examples:
        rollcall state alice.rollcall
        rollcall state debug.log --at 2026-11-20T10:00:00Z
        rollcall state alice.rollcall --at head~10 --json
      """)

  @OptionGroup var source: SourceOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let opened = try source.open()
    let state = try opened.state(at: source.point)
    if output.json {
      try Terminal.say(JSONValue(state, readFrom: opened.files))
    } else {
      try Terminal.say(lines(state))
    }
  }

  private func lines(_ state: Timeline.State) -> [String] {
    let roster = state.roster
    var lines = [heading(state), ""]
    if roster.completeness != .complete {
      lines += [Style.yellow(roster.completeness.clause), ""]
    }
    if roster.entries.isEmpty {
      lines.append("no contacts")
    } else {
      var table = Table(["contact", "name", "subscription", "groups", "set by"])
      for item in roster.sortedItems {
        table.add([
          item.jid.text, item.name ?? "–", item.subscriptionText,
          item.groups.joined(separator: ", "), records(item.jid, roster),
        ])
      }
      lines += table.takeLines()
    }
    lines += section("requests", requests(roster))
    lines += section("set by the user", annotations(roster))
    lines += section("presence", presence(roster))
    lines += section("blocked", roster.blocked.sorted().map(\.description))
    return lines
  }

  private func heading(_ state: Timeline.State) -> String {
    let roster = state.roster
    var parts = [state.account?.text ?? "account unknown", "after record \(roster.position)"]
    if let time = state.time { parts.append(Timestamp.text(time)) }
    parts.append(roster.version.map { "version “\($0)”" } ?? "no version")
    parts.append(roster.isConnected ? "connected" : "not connected")
    return Style.bold(parts.joined(separator: " · ").visible)
  }

  /// The records that set the current values of the item.
  private func records(_ jid: BareJID, _ roster: Roster) -> String {
    guard let from = roster.entries[jid]?.provenance else { return "" }
    let records = Set([from.item, from.name, from.subscription, from.ask, from.groups])
    return records.sorted().map { "#\($0)" }.joined(separator: " ")
  }

  private func requests(_ roster: Roster) -> [String] {
    let incoming = roster.incoming.sorted { $0.key < $1.key }.map { jid, request in
      "\(jid) asks for our presence (#\(request.since.record))"
        + (request.seen.map { ", seen (#\($0))" } ?? "")
    }
    let unconfirmed = roster.unconfirmed.sorted { $0.key < $1.key }.map { jid, request in
      "\(jid) asked (#\(request.since.record)), unconfirmed: perhaps answered or withdrawn since"
    }
    let outgoing = roster.outgoing.sorted { $0.key < $1.key }.map { jid, request in
      "we ask for the presence of \(jid) (#\(request.since.record))"
    }
    return incoming + unconfirmed + outgoing
  }

  private func annotations(_ roster: Roster) -> [String] {
    roster.annotations.flatMap { jid, set in
      [
        (set.isStarred ? "starred" : nil, set.starredRecord),
        (set.reading.map { "read as “\($0)”" }, set.readingRecord),
        (set.note.map { "note “\($0)”" }, set.noteRecord),
      ].compactMap { words, record in words.map { "\(jid) \($0) (#\(record ?? 0))" } }
    }
  }

  private func presence(_ roster: Roster) -> [String] {
    roster.shownPresences.sorted { $0.key < $1.key }.flatMap { jid, presence in
      presence.resources.sorted { $0.key < $1.key }.map { name, resource in
        "\(jid)/\(name) \(resource.availability.clause) (#\(resource.since.record))"
      }
    }
  }

  private func section(_ title: String, _ lines: [String]) -> [String] {
    lines.isEmpty ? [] : ["", Style.dim(title)] + lines.map { "  " + $0.visible }
  }
}
