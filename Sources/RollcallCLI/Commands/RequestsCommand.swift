import Captures
import ArgumentParser
import Rollcall
import RosterCore
import XMPPStanza

struct RequestsCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "requests",
    abstract: "Lists the requests of contacts and our own requests, and how each one ended.",
    discussion: """
      A request is unconfirmed if another device may have answered it or its sender may have \
      withdrawn it: it is from an earlier session and the server has not sent it again, or the \
      server removed the contact. A request that may have crossed our refusal is unconfirmed too.

      A request of ours that was answered with an error was not delivered; it stays in the roster \
      until it is cancelled.

      Examples:
        rollcall requests alice.rollcall
        rollcall requests debug.log --at 120 --json
      """)

  @OptionGroup var source: SourceOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let opened = try source.open()
    let state = try opened.state(at: source.point)
    let outcomes = try opened.naming { try opened.timeline.requestOutcomes(upTo: state) }
    let rows = rows(of: state.roster, outcomes, ConnectionNames(state.names))
    if output.json {
      try Terminal.say(JSONValue(requestsAndEnds: state, outcomes))
    } else {
      try Terminal.say(rows.isEmpty ? ["no requests"] : rows)
    }
    if rows.isEmpty { throw NothingFound(sentence: nil) }
  }

  /// A table of the requests; empty if there are none.
  private func rows(
    of roster: Roster, _ outcomes: RequestOutcomes, _ names: ConnectionNames
  ) -> [String] {
    var table = Table(["", "address", "since", "what is known"])
    for (jid, request) in roster.incoming.sorted(by: { $0.key < $1.key }) {
      table.add(["asks us", jid.text, "#\(request.since.record)", words(request, roster, jid)])
    }
    for (jid, request) in roster.unconfirmed.sorted(by: { $0.key < $1.key }) {
      table.add(["asked us", jid.text, "#\(request.since.record)", "not sent again"])
    }
    let undelivered = Dictionary(
      uniqueKeysWithValues: roster.undelivered.map { ($0.jid, $0.error) })
    for (jid, request) in roster.outgoing.sorted(by: { $0.key < $1.key }) {
      let error = undelivered[jid].map { "#\($0.record): not delivered: \($0.report.clause)" }
      table.add([
        "we ask", jid.text, "#\(request.since.record)",
        error ?? outcomes.clause(of: request, to: jid, in: roster),
      ])
    }
    for (jid, end) in roster.ended.sorted(by: { $0.key < $1.key }) {
      table.add([
        "ended", jid.text, "#\(end.since.record)",
        "#\(end.at.record): \(outcomes.clause(of: end, from: jid, in: roster, names))",
      ])
    }
    for (jid, end) in roster.endedOutgoing.sorted(by: { $0.key < $1.key })
    where roster.outgoing[jid] == nil {
      table.add([
        "we asked", jid.text, "#\(end.since.record)",
        "#\(end.at.record): \(outcomes.clause(of: end, to: jid, in: roster, names))",
      ])
    }
    let lines = table.takeLines()
    return lines.count == 1 ? [] : lines
  }

  private func words(_ request: IncomingRequest, _ roster: Roster, _ jid: BareJID) -> String {
    var parts: [String] = []
    if let nickname = request.nickname { parts.append("as “\(nickname)”") }
    if let status = request.status { parts.append("“\(status)”") }
    if request.count > 1 { parts.append("\(request.count) times") }
    if roster.crosses(jid) { parts.append("we ask it too: either side can settle both") }
    return parts.joined(separator: ", ")
  }
}
