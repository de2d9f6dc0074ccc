import ContactSections
import Testing
import XMPPStanza

@Suite("The sections of a contacts screen")
struct SectionIndexTests {
  private func screen(_ index: SectionIndex) -> [String] {
    (0..<index.sectionCount).map { number in
      let rows = index.rows(inSection: number).map { row in
        switch row {
        case .contact(let contact): contact.displayName
        case .request(let request): request.id
        }
      }
      return "\(index.section(number).title): \(rows.joined(separator: " "))"
    }
  }

  private func contact(
    _ name: String, groups: [String] = [], _ subscription: RosterSubscription = .both,
    online: Int? = nil, starred: Bool = false
  ) -> ListedContact {
    ListedContact(
      id: "\(name)@example.test", displayName: name, groups: groups, subscription: subscription,
      onlineRank: online, isStarred: starred)
  }

  @Test("Requests, then A to Z, then #")
  func index() {
    let index = SectionIndex(
      contacts: ["1", "张三", "章二", "Bob", "白", "曾经", "あ", ""].map { contact($0) },
      requests: [ListedRequest(id: "old", since: 3), ListedRequest(id: "new", since: 9)])
    #expect(
      screen(index) == [": new old", "B: 白 Bob", "C: 曾经", "Z: 张三 章二", "#: 1 あ "])
    #expect(index.indexTitles.map(\.title) == ["B", "C", "Z", "#"])
    #expect(index.requestCount == 2)
    #expect(index.friendCount == 8)
    #expect(
      index.positions(ofContact: "章二@example.test") == [RowPosition(section: 3, row: 1)])
    #expect(index.position(ofRequest: "old") == RowPosition(section: 0, row: 1))
    #expect(index.row(at: RowPosition(section: 9, row: 0)) == nil)
  }

  @Test("A row's identity is unique with stars and groups, and leads to the row")
  func identities() {
    let policy = SectionPolicy(grouping: .groups, showsStarred: true)
    var index = SectionIndex(
      policy: policy, contacts: [contact("a", groups: ["x", "y"], starred: true), contact("b")],
      requests: [ListedRequest(id: "a@example.test", since: 1)])
    let rows = index.sections.flatMap { Array($0.rows) }
    #expect(rows.map(\.id.address) == ["a", "a", "a", "a", "b"].map { "\($0)@example.test" })
    #expect(rows.map(\.id.kind) == [.request, .contact, .contact, .contact, .contact])
    #expect(Set(rows.map(\.id)).count == 5)
    #expect(rows == rows.map { index.row($0.id) })
    #expect(index.sections.map(\.title) == ["", "", "x", "y", ""])
    #expect(index.sections.map(\.indexTitle) == [nil, "☆", nil, nil, nil])
    // Presence keeps the identity; another group takes it away.
    index.update(contact("a", groups: ["x"], online: 1, starred: true))
    #expect(index.row(rows[2].id)?.contact?.onlineRank == 1)
    #expect(index.row(rows[3].id) == nil)
  }

  @Test("The policy decides which contacts are friends")
  func friends() {
    let all = RosterSubscription.allCases.map { contact($0.rawValue, $0) }
    func shown(_ friends: SectionPolicy.Friends) -> [String] {
      screen(
        SectionIndex(
          policy: SectionPolicy(friends: friends, showsRequests: false), contacts: all))
    }
    #expect(shown(.mutual) == ["B: both"])
    #expect(shown(.subscribed) == ["B: both", "F: from", "T: to"])
    #expect(shown(.all) == ["B: both", "F: from", "N: none", "T: to"])
  }

  @Test("Groups are sorted by the reading of their names, contacts without a group last")
  func groups() {
    let contacts = [
      contact("a", groups: ["同事", "Bowling"]), contact("b", groups: ["同事"]), contact("c"),
      contact("d", groups: ["长沙同学"]),
    ]
    let groups = SectionIndex(policy: SectionPolicy(grouping: .groups), contacts: contacts)
    #expect(screen(groups) == [": ", "Bowling: a", "长沙同学: d", "同事: a b", ": c"])
    #expect(groups.positions(ofContact: "a@example.test").map(\.section) == [1, 3])
    let both = SectionIndex(policy: SectionPolicy(grouping: .groupsAndIndex), contacts: contacts)
    #expect(
      screen(both) == [": ", "Bowling A: a", "长沙同学 D: d", "同事 A: a", "同事 B: b", "C: c"])
  }

  @Test("Names and groups that differ only in their normal form are distinct")
  func normalForms() {
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    var index = SectionIndex(
      policy: SectionPolicy(grouping: .groups, showsRequests: false),
      contacts: [contact("a", groups: [composed, decomposed, composed])])
    #expect(index.positions(ofContact: "a@example.test").map(\.section) == [0, 1])
    let titles = (0..<index.sectionCount).map { Array(index.section($0).title.utf8) }
    #expect(Set(titles) == [Array(composed.utf8), Array(decomposed.utf8)])

    let one = ListedContact(id: "b", displayName: composed)
    let other = ListedContact(id: "b", displayName: decomposed)
    #expect(!index.update(one).isEmpty)
    #expect(!index.update(other).isEmpty)
    #expect(index.update(other).isEmpty)
  }

  @Test("Starred contacts are repeated, online ones come first")
  func starredAndOnline() {
    let index = SectionIndex(
      policy: SectionPolicy(showsRequests: false, showsStarred: true, onlineFirst: true),
      contacts: [
        contact("a1"), contact("a2", online: 1, starred: true), contact("a3", online: 0),
      ])
    #expect(screen(index) == [": a2", "A: a3 a2 a1"])
    #expect(index.indexTitles.map(\.title) == ["☆", "A"])
  }

  @Test("A reading that the user gave takes precedence")
  func userReading() {
    var single = contact("单")
    single.userReading = "shan"
    let index = SectionIndex(
      policy: SectionPolicy(showsRequests: false), contacts: [single, contact("沙"), contact("石")])
    #expect(screen(index) == ["S: 沙 单 石"])
    #expect(index.search(NameQuery("shan")).map(\.displayName) == ["单"])
    // The standard also reads 石 as dàn, a unit of grain.
    #expect(index.search(NameQuery("dan")).map(\.displayName) == ["单", "石"])
  }

  @Test("Of several entries with the same id, the last counts")
  func repeats() {
    var late = contact("a")
    late.displayName = "z"
    let index = SectionIndex(
      contacts: [contact("a"), contact("b"), late],
      requests: [ListedRequest(id: "r", since: 1), ListedRequest(id: "r", since: 2)])
    #expect(screen(index) == [": r", "B: b", "Z: z"])
  }

  @Test("An update returns the row changes")
  func changes() {
    var index = SectionIndex(contacts: [contact("a"), contact("b"), contact("ba")])
    var b = contact("b")
    b.displayName = "bc"
    let moved = index.update(b)
    #expect(moved.movedRows.map(\.from) == [RowPosition(section: 2, row: 0)])
    #expect(moved.movedRows.map(\.to) == [RowPosition(section: 2, row: 1)])
    #expect(moved.reloadedAfterMove == [RowPosition(section: 2, row: 1)])
    b.onlineRank = 1
    #expect(index.update(b).reloadedRows == [RowPosition(section: 2, row: 1)])
    #expect(index.update(b).isEmpty)
    #expect(index.removeContact("a@example.test").deletedSections == [1])
    #expect(index.update(contact("a")).insertedSections == [1])
    #expect(index.removeRequest("nobody").isEmpty)
    let request = index.update(ListedRequest(id: "r", since: 1))
    #expect(request.insertedRows == [RowPosition(section: 0, row: 0)])
    #expect(index.search(NameQuery("b")).map(\.displayName) == ["ba", "bc"])
  }
}
