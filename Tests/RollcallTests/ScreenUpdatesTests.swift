import ContactSections
import Foundation
import Rollcall
import TestSupport
import Testing

/// An observer of a screen can show each step.
@Suite("Watching a contacts screen") struct ScreenUpdatesTests {
  private let policy = SectionPolicy(showsRequests: true)

  /// The rows of a table view that follows the updates, and the screen that they lead to.
  private struct View {
    var shown: Screen?
    /// The rows by identity.
    var rows: [RowID: ScreenRow] = [:]
    /// The number of whole screens, and the number of steps.
    var (whole, steps) = (0, 0)

    mutating func show(_ update: ScreenUpdate<Bool>) {
      showRows(update)
      let screen = Screen(update.screen.index)
      guard let changes = update.changes else {
        whole += 1
        return shown = screen
      }
      steps += 1
      shown?.applyBatch(changes, asking: screen)
      #expect(shown == screen, "\(changes)")
    }

    /// Makes only the rows anew that are said to have changed.
    private mutating func showRows(_ update: ScreenUpdate<Bool>) {
      let all = update.sections.flatMap { Array($0.rows) }
      #expect(Set(all.map(\.id)).count == all.count)
      #expect(update.unseenCount == update.roster.unseenRequests.count)
      #expect(update.connection == update.roster.isConnected)
      let changed = Set(update.changedRows)
      #expect(changed.isSubset(of: all.map(\.id)))
      var new: [RowID: ScreenRow] = [:]
      for row in all { new[row.id] = changed.contains(row.id) ? row : rows[row.id] }
      rows = new
      #expect(all == all.map { rows[$0.id] })
      #expect(all == all.map { update.screen.index.row($0.id) })
    }
  }

  private func session() throws -> RosterSession {
    let session = RosterSession()
    try session.opened(as: JID(parsing: "alice@example.test/phone"), at: 0)
    return session
  }

  private func push(_ items: String, to session: RosterSession, id: Int) throws {
    try session.received(
      "<iq type='set' id='p\(id)'><query xmlns='jabber:iq:roster'>\(items)</query></iq>".utf8,
      at: nil)
  }

  /// Does something that may change the screen.
  private func act(
    _ number: Int, on session: RosterSession, _ generator: inout SeededGenerator
  ) throws {
    let contact = "c\(Int.random(in: 0..<12, using: &generator))@example.test"
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: try push("<item jid='\(contact)' subscription='remove'/>", to: session, id: number)
    case 1:
      try session.received(
        "<presence from='\(contact)/x'><show>away</show></presence>".utf8, at: nil)
    case 2: try session.received("<presence type='subscribe' from='\(contact)'/>".utf8, at: nil)
    case 3: try session.sent("<presence type='subscribed' to='\(contact)'/>".utf8, at: nil)
    case 4:
      try session.annotate(.starred(BareJID(parsing: contact), number.isMultiple(of: 2)), at: nil)
    default:
      let name = ["曾小贤", "Bob", "单田芳", "Zoë"].randomElement(using: &generator) ?? ""
      try push(
        "<item jid='\(contact)' name='\(name)' subscription='both'/>", to: session, id: number)
    }
  }

  @Test("Each step leads from the previous screen to its own", arguments: 0..<12)
  func steps(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let session = try session()
    var iterator = session.screens(policy, limit: 1000).makeAsyncIterator()
    var view = View()
    for number in 0..<200 { try act(number, on: session, &generator) }
    // Marks the end: no other contact has this name.
    try push("<item jid='end@example.test' subscription='both'/>", to: session, id: 1000)
    while let update = await iterator.next() {
      view.show(update)
      if view.shown?.shows("end@example.test") == true { break }
    }
    #expect(
      view.shown == Screen(RosterSections(session.roster, policy: policy).index), "seed \(seed)")
    #expect(view.whole == 1 && view.steps > 50, "seed \(seed): \(view.whole), \(view.steps)")
  }

  @Test("A screen tells every change of what a row, the badge or the connection shows")
  func everything() async throws {
    let session = RosterSession()
    var iterator = session.screens(policy).makeAsyncIterator()
    var view = View()
    func next() async -> ScreenUpdate<Bool>? {
      let update = await iterator.next()
      if let update { view.show(update) }
      return update
    }
    #expect(await next()?.connection == false)
    try session.opened(as: JID(parsing: "alice@example.test/phone"), at: 0)
    let opened = await next()
    #expect(opened?.connection == true)
    #expect(opened?.changes?.isEmpty == true)
    try push("<item jid='bob@example.test' name='Bob' subscription='both'/>", to: session, id: 1)
    let bob = try BareJID(parsing: "bob@example.test")
    func contact(_ update: ScreenUpdate<Bool>?) -> ListedContact? {
      update?.sections.last?.rows.first?.contact
    }
    #expect(contact(await next())?.show == nil)
    let presences = [
      ("pc", "<status>lunch</status>"), ("pc", "<status>nap</status>"),
      ("phone", "<priority>5</priority>"), ("phone", "<priority>5</priority><show>dnd</show>"),
    ]
    var shown: [String] = []
    for (resource, content) in presences {
      try session.received(
        "<presence from='bob@example.test/\(resource)'>\(content)</presence>".utf8, at: nil)
      let bob = contact(await next())
      shown.append(
        "\(bob?.resource ?? "-") \(bob?.show?.rawValue ?? "-") \(bob?.status ?? "-")")
    }
    #expect(
      shown == ["pc available lunch", "pc available nap", "phone available -", "phone dnd -"])
    // What no row shows is not told: the update after it is the note's.
    try session.received(
      "<presence from='bob@example.test/pc'><status>later</status></presence>".utf8, at: nil)
    try session.annotate(.note(bob, "chess"), at: nil)
    #expect(contact(await next())?.note == "chess")
    try session.received("<presence type='subscribe' from='eve@example.test'/>".utf8, at: nil)
    #expect(await next()?.unseenCount == 1)
    try session.annotate(.requestsSeen(session.roster.unseenRequests), at: nil)
    let seen = await next()
    #expect(seen?.unseenCount == 0)
    #expect(seen?.sections.first?.rows.first?.request?.isSeen == true)
    try session.closed(at: nil)
    let closed = await next()
    #expect(closed?.connection == false)
    #expect(contact(closed)?.show == nil)
  }

  @Test("A slow observer receives a whole screen, and then steps again")
  func slow() async throws {
    let session = try session()
    var iterator = session.screens(policy, limit: 3).makeAsyncIterator()
    var view = View()
    for number in 0..<20 {
      try push("<item jid='c\(number)@example.test' subscription='both'/>", to: session, id: number)
    }
    if let update = await iterator.next() { view.show(update) }
    #expect(view.whole == 1 && view.shown?.shows("c19@example.test") == true)
    try push("<item jid='c3@example.test' subscription='remove'/>", to: session, id: 20)
    if let update = await iterator.next() { view.show(update) }
    #expect(view.steps == 1 && view.shown?.shows("c3@example.test") == false)
  }

  @Test("A large first roster is shown as a whole")
  func firstRoster() async throws {
    let session = try session()
    var iterator = session.screens(policy).makeAsyncIterator()
    var view = View()
    if let update = await iterator.next() { view.show(update) }
    #expect(view.shown?.shows("c1@example.test") == false)
    let items = (0..<100).map { "<item jid='c\($0)@example.test' subscription='both'/>" }
    try session.sent("<iq type='get' id='r'><query xmlns='jabber:iq:roster'/></iq>".utf8, at: nil)
    try session.received(
      """
      <iq type='result' id='r'><query xmlns='jabber:iq:roster'>\(items.joined())</query></iq>
      """.utf8, at: nil)
    if let update = await iterator.next() { view.show(update) }
    #expect(view.whole == 2 && view.steps == 0)
    #expect(view.shown?.shows("c99@example.test") == true)
  }
}

extension Screen {
  /// Whether a contact has a row.
  fileprivate func shows(_ id: String) -> Bool {
    sections.joined().contains { row in
      switch row {
      case .contact(let contact): contact.id == id
      case .request(let request): request.id == id
      }
    }
  }
}
