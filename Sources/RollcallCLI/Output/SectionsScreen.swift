import ContactSections
import Rollcall
import RosterCore
import XMPPStanza

/// A contacts screen as text for people.
struct SectionsScreen {
  private let index: SectionIndex
  private let state: Timeline.State
  private let showsNameSources: Bool

  init(_ index: SectionIndex, of state: Timeline.State, showsNameSources: Bool) {
    self.index = index
    self.state = state
    self.showsNameSources = showsNameSources
  }

  private var roster: Roster { state.roster }

  /// The whole screen: a line for each section and each row, then a note about hidden contacts.
  var lines: [String] {
    var table = Table([])
    var titles: [(title: String, rows: Int)] = []
    // A contact looks the same in each of its groups.
    var known: [String: [String]] = [:]
    for number in 0..<index.sectionCount where index.rowCount(inSection: number) > 0 {
      titles.append((heading(number), index.rowCount(inSection: number)))
      for row in index.rows(inSection: number) {
        guard case .contact(let contact) = row else {
          table.add(cells(row))
          continue
        }
        let cells = known[contact.id] ?? cells(row)
        known[contact.id] = cells
        table.add(cells)
      }
    }
    var rows = table.takeLines().dropFirst()
    var lines = [summary]
    for (title, count) in titles {
      lines += ["", Style.bold(title.visible)] + rows.prefix(count)
      rows = rows.dropFirst(count)
    }
    let letters = index.indexTitles.map(\.title)
    if !letters.isEmpty { lines += ["", Style.dim("index: " + letters.joined(separator: " "))] }
    if let note = noteOfHidden { lines += ["", Style.dim(note)] }
    return lines
  }

  /// Lines for the given contacts only.
  func lines(of contacts: [ListedContact]) -> [String] {
    var table = Table([])
    for contact in contacts { table.add(cells(.contact(contact))) }
    return Array(table.takeLines().dropFirst())
  }

  private var summary: String {
    let account = state.account?.text ?? "account unknown"
    let who = index.policy.friends == .all ? "contact" : "friend"
    return Style.bold(account.visible) + " · after record \(roster.position) · "
      + Self.count(index.friendCount, who) + ", " + Self.count(index.requestCount, "new request")
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

  /// A note about contacts that are not friends, and how to show them.
  private var noteOfHidden: String? {
    let hidden = roster.entries.count - index.friendCount
    let wider: String
    switch index.policy.friends {
    case .mutual: wider = "not mutual friends"
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

  /// Says “offline” only for contacts whose presence the server would send us.
  private func offline(_ jid: BareJID) -> String {
    let isSubscribed = roster.item(jid)?.subscription.includesTo ?? false
    return roster.isConnected && isSubscribed ? "offline" : ""
  }

  /// A mark that is one cell wide on every terminal; the words after the address repeat it.
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
  /// The source of the name, in a clause.
  fileprivate var clause: String {
    let origin =
      switch source {
      case .roster: "name in the roster"
      case .nickname: "own nickname"
      case .vCardNickname: "vCard NICKNAME"
      case .vCardFullName: "vCard FN"
      case .address: "address"
      }
    return origin + (record.map { ", #\($0)" } ?? "")
  }
}
