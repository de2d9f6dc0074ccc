import Captures
import ArgumentParser
import ContactSections
import Rollcall
import RosterCore
import XMPPStanza

struct FriendsCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "friends",
    abstract: "Lists the friends: contacts who see each other's presence.",
    discussion: """
      Each with name, presence and groups. --friends says who counts as a friend.

      Examples:
        rollcall friends alice.rollcall
        rollcall friends debug.log --friends all --at head~10
      """)

  @OptionGroup var source: SourceOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var policy: FriendOptions

  func run() throws {
    let opened = try source.open()
    let state = try opened.state(at: source.point)
    let items = state.roster.sortedItems.filter(policy.friends.includes)
    guard !output.json else {
      try Terminal.say(JSONValue(friends: items, of: state))
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
}
