import ArgumentParser
import ContactSections
import Rollcall
import RosterCore
import XMPPStanza

/// How friends are grouped, as an option.
enum GroupingOption: String, ExpressibleByArgument, CaseIterable {
  case index, groups
  case groupsAndIndex = "groups+index"

  var grouping: SectionPolicy.Grouping {
    switch self {
    case .index: .index
    case .groups: .groups
    case .groupsAndIndex: .groupsAndIndex
    }
  }
}

extension FriendPolicy {
  /// The same policy as the contacts screen has it.
  var friends: SectionPolicy.Friends {
    switch self {
    case .mutual: .mutual
    case .subscribed: .subscribed
    case .all: .all
    }
  }
}

struct SectionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sections",
    abstract: "Shows the contacts screen: new requests, then the friends from A to Z, then #.",
    discussion: """
      Chinese names stand under the first letter of their pinyin. A search finds names by \
      syllables or their first letters (zhangs, zs, 张s), and addresses; the best comes first.

      With --json a section has a title and a kind: requests (with "requests"), index, starred, \
      group, ungrouped or search (with "contacts"). Those of a group have also "group", its name, \
      and "letter", which is null unless --group-by is groups+index; ungrouped ones have null for \
      "group". "index" lists the titles of the index at the side. "presence" is chat, available, \
      away, xa or dnd, and null for somebody offline. --names adds "nameFrom": "source" (roster, \
      nickname, vCardNickname, vCardFullName or address) and the "record" that set the name.

      Examples:
        rollcall sections alice.rollcall
        rollcall sections debug.log --friends all --group-by groups --at head~10
        rollcall sections alice.rollcall --search zs
        rollcall sections alice.rollcall --names
      """)

  @OptionGroup var source: SourceOptions
  @OptionGroup var output: OutputOptions

  @Option(
    help: "Who is a friend: mutual (both), subscribed (both, to or from), or all contacts.")
  var friends = FriendPolicy.mutual

  @Option(
    help: "One list from A to Z (index), a section a group (groups), or A to Z in each group.")
  var groupBy = GroupingOption.index

  @Option(help: "Only the contacts that match, the best first.")
  var search: String?

  @Flag(help: "In each section, those online before those offline.")
  var onlineFirst = false

  @Flag(help: "Say where each name comes from, and which record set it.")
  var names = false

  func run() throws {
    let state = try source.open().state(at: source.point)
    let policy = SectionPolicy(
      friends: friends.friends, grouping: groupBy.grouping, onlineFirst: onlineFirst)
    let index = RosterSections(state.roster, policy: policy).index
    let found = search.map { index.search(NameQuery($0)) }
    if output.json {
      let document = SectionsDocument(index, of: state.roster, showsNameSources: names)
      try Terminal.say(found.map(document.hits) ?? document.screen)
    } else {
      state.roster.noteIncompleteness()
      let screen = SectionsScreen(index, of: state.roster, showsNameSources: names)
      try Terminal.say(found.map(screen.lines(of:)) ?? screen.lines)
    }
    if let search, found?.isEmpty == true {
      throw NothingFound(sentence: "nobody of the friends matches “\(search)”")
    }
  }
}

/// A contacts screen as a person reads it.
private struct SectionsScreen {
  private let index: SectionIndex
  private let roster: Roster
  private let showsNameSources: Bool

  init(_ index: SectionIndex, of roster: Roster, showsNameSources: Bool) {
    self.index = index
    self.roster = roster
    self.showsNameSources = showsNameSources
  }

  /// The whole screen: a line for each section and each row, then what is not shown.
  var lines: [String] {
    var table = Table([])
    var titles: [(title: String, rows: Int)] = []
    for number in 0..<index.sectionCount where index.rowCount(inSection: number) > 0 {
      titles.append((heading(number), index.rowCount(inSection: number)))
      for row in index.rows(inSection: number) { table.add(cells(row)) }
    }
    var rows = table.takeLines().dropFirst()
    var lines = [summary]
    for (title, count) in titles {
      lines += ["", Style.bold(title.visible)] + rows.prefix(count)
      rows = rows.dropFirst(count)
    }
    let letters = index.sideIndex.map(\.title).filter { !$0.isEmpty }
    if !letters.isEmpty { lines += ["", Style.dim("index: " + letters.joined(separator: " "))] }
    if let note = noteOfHidden { lines += ["", Style.dim(note)] }
    return lines
  }

  /// Only these contacts.
  func lines(of contacts: [ListedContact]) -> [String] {
    var table = Table([])
    for contact in contacts { table.add(cells(.contact(contact))) }
    return Array(table.takeLines().dropFirst())
  }

  private var summary: String {
    let account = roster.account?.text ?? "account unknown"
    let who = index.policy.friends == .all ? "contact" : "friend"
    return Style.bold(account.visible) + " · after record \(roster.position) · "
      + Self.count(index.friendCount, who) + ", " + Self.count(index.badgeCount, "new request")
      + (roster.isConnected ? "" : " · not connected")
  }

  private static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  private func heading(_ number: Int) -> String {
    let id = index.section(number)
    return switch id {
    case .requests: "new requests"
    case .starred: "starred"
    case .ungrouped(nil): "in no group"
    case .ungrouped(let letter?): "in no group, \(letter)"
    case .group(let group, let letter?): "\(group.name), \(letter)"
    case .group(_, nil), .index: id.title
    }
  }

  /// Friends are not everybody: says who is missing and how to see them.
  private var noteOfHidden: String? {
    let hidden = roster.entries.count - index.friendCount
    let wider: String
    switch index.policy.friends {
    case .mutual: wider = "no mutual friends"
    case .subscribed: wider = "not subscribed either way"
    case .all: return nil
    }
    guard hidden > 0 else { return nil }
    return "not shown: contacts who are \(wider) (\(hidden) of \(roster.entries.count)); "
      + "--friends all shows them"
  }

  private func cells(_ row: SectionIndex.Row) -> [String] {
    switch row {
    case .request(let request): cells(request)
    case .contact(let contact): cells(contact)
    }
  }

  private func cells(_ request: ListedRequest) -> [String] {
    let known = (try? BareJID(parsing: request.id)).map(roster.displayName)
    let words = request.text.map { "“\($0)”" } ?? ""
    return ["  +", request.nick ?? known ?? "", request.id, words, "#\(request.since)"]
  }

  private func cells(_ contact: ListedContact) -> [String] {
    guard let jid = try? BareJID(parsing: contact.id) else { return [] }
    let best = roster.presence(of: jid).best
    var cells = ["  " + Self.mark(best?.presence.availability.show), contact.displayName, jid.text]
    cells.append(best.map { "\($0.presence.availability.clause) (\($0.resource))" } ?? offline(jid))
    if index.policy.friends != .mutual { cells.append(roster.item(jid)?.subscriptionText ?? "") }
    if showsNameSources { cells.append(roster.name(of: jid).clause) }
    return cells
  }

  /// Only whose presence we would be told is known to be offline.
  private func offline(_ jid: BareJID) -> String {
    let isTold = roster.item(jid)?.subscription.includesTo ?? false
    return roster.isConnected && isTold ? "offline" : ""
  }

  /// One cell wide on every terminal; the words behind the address say the same.
  private static func mark(_ show: Show?) -> String {
    switch show {
    case .chat, .available: "*"
    case .away, .xa: "~"
    case .dnd: "-"
    case nil: " "
    }
  }
}

extension DisplayedName {
  /// Where the name comes from, in a clause.
  fileprivate var clause: String {
    let place =
      switch source {
      case .roster: "name in the roster"
      case .nickname: "own nickname"
      case .vCardNickname: "vCard NICKNAME"
      case .vCardFullName: "vCard FN"
      case .address: "address"
      }
    return place + (record.map { ", #\($0)" } ?? "")
  }
}
