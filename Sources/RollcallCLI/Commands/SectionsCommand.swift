import ArgumentParser
import ContactSections
import Rollcall
import RosterCore
import XMPPStanza

struct SectionsCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "sections",
    abstract: "Shows the contacts screen: new requests, then the friends from A to Z, then #.",
    discussion: """
      Chinese names are listed under the first letter of their pinyin. A search finds names by \
      syllables or their first letters (zhangs, zs, 张s), and addresses; the best match is first.

      With --json, a section has a title and a kind: requests (with "requests"), index, starred, \
      group, ungrouped or search (with "contacts"). A section of a group also has "group", its \
      name, and "letter", which is null unless --group-by is groups+index; in an ungrouped section \
      "group" is null. "index" lists the titles of the index at the side. "presence" is chat, \
      available, away, xa or dnd, or null for an offline contact. --names adds "nameFrom": \
      "source" (roster, nickname, vCardNickname, vCardFullName or address) and the "record" that \
      set the name. --cards adds "cards", those that the contact answered or published, and \
      "avatar", each with its record, as in conversations.

      Examples:
        rollcall sections alice.rollcall
        rollcall sections debug.log --friends all --group-by groups --at head~10
        rollcall sections alice.rollcall --search zs
        rollcall sections alice.rollcall --names
        rollcall sections alice.rollcall --cards --json
      """)

  @OptionGroup var source: SourceOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var shown: FriendOptions

  @Option(
    help: "One list from A to Z (index), a section per group (groups), or A to Z in each group.")
  var groupBy = SectionPolicy.Grouping.index

  @Option(help: "Only the contacts that match, best match first.")
  var search: String?

  @Flag(help: "In each section, list contacts who are online first.")
  var onlineFirst = false

  @Flag(help: "Say where each name comes from, and which record set it.")
  var names = false

  @Flag(help: "With --json, show the cards and the avatar of each contact.")
  var cards = false

  func validate() throws {
    if cards, !output.json { throw ValidationError("--cards is for --json") }
  }

  func run() throws {
    let opened = try source.open()
    let state = try opened.state(at: source.point)
    let policy = SectionPolicy(
      friends: shown.friends, grouping: groupBy, onlineFirst: onlineFirst)
    let index = RosterSections(state.roster, policy: policy).index
    let found = search.map { index.search(NameQuery($0)) }
    if output.json {
      let conversations =
        cards
        ? try opened.naming { try opened.timeline.conversations(upTo: state.roster.position) } : nil
      let document = SectionsDocument(
        index, of: state.roster, showsNameSources: names, cardsOf: conversations)
      try Terminal.say(found.map(document.hits) ?? document.screen)
    } else {
      state.roster.noteIncompleteness()
      let screen = SectionsScreen(index, of: state, showsNameSources: names)
      try Terminal.say(found.map(screen.lines(of:)) ?? screen.lines)
    }
    if let search, found?.isEmpty == true {
      throw NothingFound(
        sentence: "no friend matches “\(search)”"
          + hint(where: search, in: state.roster))
    }
  }

  /// A hint if contacts other than friends match.
  private func hint(where search: String, in roster: Roster) -> String {
    guard shown.friends != .all else { return "" }
    let all = RosterSections(roster, policy: SectionPolicy(friends: .all)).index
    let count = all.search(NameQuery(search)).count
    guard count > 0 else { return "" }
    return "; \(count) other \(count == 1 ? "contact does" : "contacts do"): --friends all"
  }
}
