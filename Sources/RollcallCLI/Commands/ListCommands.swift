import ArgumentParser
import Captures
import HashTreeCollections
import Rollcall
import RosterCore
import XMPPStanza

/// Which contacts count as friends.
enum FriendPolicy: String, ExpressibleByArgument, CaseIterable {
  case mutual, subscribed, all

  func includes(_ item: RosterItem) -> Bool {
    switch self {
    case .mutual: item.subscription == .both
    case .subscribed: item.subscription != .none
    case .all: true
    }
  }
}

struct FriendsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "friends",
    abstract: "Lists the friends: contacts who see each other's presence.",
    discussion: """
      Examples:
        rollcall friends alice.rollcall
        rollcall friends debug.log --friends all --at head~10
      """)

  @OptionGroup var source: SourceOptions
  @OptionGroup var output: OutputOptions

  @Option(
    help: "Who is a friend: mutual (both), subscribed (both, to or from), or all contacts.")
  var friends = FriendPolicy.mutual

  func run() throws {
    let opened = try source.open()
    let state = try opened.state(at: source.point)
    let items = state.roster.sortedItems.filter(friends.includes)
    guard !output.json else {
      try Terminal.say(document(items, state))
      return
    }
    state.roster.noteIncompleteness()
    guard !items.isEmpty else {
      try Terminal.say("no friends")
      return
    }
    var table = Table(["name", "address", "subscription", "presence", "groups"])
    for item in items {
      let best = state.roster.presence(of: item.jid).best
      table.add([
        state.roster.displayName(of: item.jid), item.jid.text, item.subscriptionText,
        best.map { "\($0.presence.availability.clause) (\($0.resource))" } ?? "–",
        item.groups.joined(separator: ", "),
      ])
    }
    try Terminal.say(table.takeLines())
  }

  private func document(_ items: [RosterItem], _ state: Timeline.State) -> JSONValue {
    .object([
      "account": JSONValue(state.roster.account?.text),
      "at": JSONValue(state.roster.position),
      "complete": .bool(state.roster.completeness == .complete),
      "friends": .array(
        items.map { item in
          .object([
            "jid": .string(item.jid.text),
            "displayName": .string(state.roster.displayName(of: item.jid)),
            "name": JSONValue(item.name),
            "subscription": .string(item.subscription.rawValue),
            "groups": JSONValue(item.groups),
            "presence": JSONValue(state.roster.presence(of: item.jid)),
          ])
        }),
    ])
  }
}

struct RequestsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "requests",
    abstract: "Lists who asks for our presence, whose presence we ask for, and what became of it.",
    discussion: """
      An unconfirmed request is one of an earlier session that the server has not sent again: \
      another device may have answered it, or its sender withdrawn it.

      Examples:
        rollcall requests alice.rollcall
        rollcall requests debug.log --at 120 --json
      """)

  @OptionGroup var source: SourceOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let state = try source.open().state(at: source.point)
    let roster = state.roster
    guard !output.json else {
      try Terminal.say(document(roster))
      return
    }
    var table = Table(["", "address", "since", "what is known"])
    for (jid, request) in roster.incoming.sorted(by: { $0.key < $1.key }) {
      table.add(["asks us", jid.text, "#\(request.since.record)", words(request, roster, jid)])
    }
    for (jid, request) in roster.unconfirmed.sorted(by: { $0.key < $1.key }) {
      table.add(["asked us", jid.text, "#\(request.since.record)", "not sent again"])
    }
    for (jid, request) in roster.outgoing.sorted(by: { $0.key < $1.key }) {
      let what = request.isReflected ? "the server waits for an answer" : "not yet in the roster"
      table.add(["we ask", jid.text, "#\(request.since.record)", what])
    }
    for (jid, end) in roster.ended.sorted(by: { $0.key < $1.key }) {
      table.add([
        "ended", jid.text, "#\(end.since.record)", "#\(end.at.record): \(end.way.clause)",
      ])
    }
    let lines = table.takeLines()
    try Terminal.say(lines.count == 1 ? ["no requests"] : lines)
  }

  private func words(_ request: IncomingRequest, _ roster: Roster, _ jid: BareJID) -> String {
    var parts: [String] = []
    if let nickname = request.nickname { parts.append("as “\(nickname)”") }
    if let status = request.status { parts.append("“\(status)”") }
    if request.count > 1 { parts.append("\(request.count) times") }
    if roster.crosses(jid) { parts.append("we ask it too: either side can settle both") }
    return parts.joined(separator: ", ")
  }

  private func document(_ roster: Roster) -> JSONValue {
    .object([
      "account": JSONValue(roster.account?.text),
      "at": JSONValue(roster.position),
      "requests": JSONValue(requestsOf: roster),
      "ended": .array(
        roster.ended.sorted { $0.key < $1.key }.map { jid, end in
          .object([
            "jid": .string(jid.text), "way": .string(end.way.rawValue),
            "since": JSONValue(end.since.record), "at": JSONValue(end.at.record),
          ])
        }),
    ])
  }
}

extension RosterItem {
  /// The subscription, and whether a request waits.
  var subscriptionText: String { subscription.rawValue + (isPending ? ", asked" : "") }
}

extension Roster {
  /// Tells a person on standard error that the items are not the whole roster.
  func noteIncompleteness() {
    guard completeness != .complete else { return }
    Terminal.note(completeness.clause)
  }
}
