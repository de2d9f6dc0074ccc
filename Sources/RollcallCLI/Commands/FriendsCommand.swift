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
      Each friend is listed with name, presence and groups. --friends sets who counts as a friend.

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
    let items = state.roster.sortedItems.filter { policy.friends.includes($0.subscription) }
    if output.json {
      try Terminal.say(JSONValue(friends: items, of: state))
    } else {
      state.roster.noteIncompleteness()
      try Terminal.say(items.isEmpty ? ["no friends"] : lines(items, of: state.roster))
    }
    if items.isEmpty { throw NothingFound(sentence: nil) }
  }

  private func lines(_ items: [RosterItem], of roster: Roster) -> [String] {
    var table = Table(["name", "address", "subscription", "presence", "groups"])
    for item in items {
      let best = roster.presence(of: item.jid).best
      table.add([
        roster.displayName(of: item.jid), item.jid.text, item.subscriptionText,
        best.map { "\($0.presence.availability.clause) (\($0.resource))" } ?? "–",
        item.groups.joined(separator: ", "),
      ])
    }
    return table.takeLines()
  }
}
