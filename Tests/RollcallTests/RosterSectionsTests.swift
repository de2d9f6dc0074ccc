import ContactSections
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// A contacts screen that follows a roster shows the same as a new one.
@Suite("The contacts screen of a roster") struct RosterSectionsTests {
  static let policies: [SectionPolicy] = SectionPolicy.Grouping.allCases.flatMap { grouping in
    SectionPolicy.Friends.allCases.map { friends in
      SectionPolicy(
        friends: friends, grouping: grouping, showsRequests: friends != .subscribed,
        showsStarred: grouping != .groups, onlineFirst: friends != .mutual)
    }
  }

  /// A screen that is kept up to date, and a table view's rows according to the steps.
  private struct Follower {
    let policy: SectionPolicy
    var sections: RosterSections
    var batch: Screen
    var oneByOne: Screen
    /// The same for all rows of a record at once.
    var atOnce: (sections: RosterSections, batch: Screen, oneByOne: Screen)

    init(_ policy: SectionPolicy) {
      self.policy = policy
      sections = RosterSections(Roster(), policy: policy)
      batch = Screen(sections.index)
      oneByOne = batch
      atOnce = (sections, batch, batch)
    }

    /// Follows one record; returns false if there is a difference.
    mutating func follow(
      _ outcome: RosterOutcome, _ roster: Roster, _ place: String
    ) -> Bool {
      let rows = sections.rows(touchedBy: outcome.changes)
      let changes = atOnce.sections.update(rows, from: roster)
      let new = Screen(atOnce.sections.index)
      atOnce.batch.applyBatch(changes, asking: new)
      atOnce.oneByOne.applyOneByOne(changes, asking: new)
      #expect(atOnce.batch == new, "\(place), at once: \(changes)")
      #expect(atOnce.oneByOne == new, "\(place), at once: \(changes)")
      for row in rows {
        let changes = sections.update(row, from: roster)
        let new = Screen(sections.index)
        batch.applyBatch(changes, asking: new)
        oneByOne.applyOneByOne(changes, asking: new)
        #expect(batch == new, "\(place), \(row): \(changes)")
        #expect(oneByOne == new, "\(place), \(row): \(changes)")
        if batch != new || oneByOne != new { return false }
      }
      let fresh = Screen(RosterSections(roster, policy: policy).index)
      #expect(batch == fresh, "\(place): the screen is not the one made afresh")
      #expect(new == fresh, "\(place): the screen changed at once is not the one made afresh")
      return batch == fresh && new == fresh && atOnce.batch == new && atOnce.oneByOne == new
    }
  }

  @Test("Random histories", arguments: 0..<54)
  func random(seed: UInt64) {
    var lines = RandomLines(seed: seed)
    var scenario = Scenario()
    let policy = Self.policies[Int(seed) % Self.policies.count]
    var follower = Follower(policy)
    for step in 0..<150 {
      let outcome = lines.play(&scenario)
      guard follower.follow(outcome, scenario.roster, "seed \(seed), step \(step)") else { return }
    }
    // The test is meaningful only if the histories fill a screen.
    #expect(lines.mostRows(scenario) > 0)
  }

  @Test("Captured sessions, record by record", arguments: CaptureCase.all)
  func captured(_ test: CaptureCase) throws {
    let folder = try TemporaryFolder()
    let log = try importedLog(of: test.path, test.account, in: folder)
    for policy in Self.policies {
      var follower = Follower(policy)
      _ = try Timeline(log).replay(upTo: .head(minus: 0)) { moment, roster in
        _ = follower.follow(moment.outcome, roster, "record \(moment.stamp.record)")
      }
    }
  }

  @Test("The requests menu has the newest request first, with its nick and text")
  func requests() throws {
    var scenario = Scenario.alice()
    scenario.receives(
      "subscribe", from: "carol@example.test", "<status>It is me</status>")
    scenario.receives(
      "subscribe", from: "dave@example.test",
      "<nick xmlns='http://jabber.org/protocol/nick'>Dave</nick>")
    scenario.receives("subscribe", from: "carol@example.test", "<status>Again</status>")
    let index = RosterSections(scenario.roster).index
    #expect(index.requestCount == 2)
    #expect(
      index.rows(inSection: 0) == [
        .request(ListedRequest(id: "dave@example.test", nick: "Dave", since: 5)),
        .request(ListedRequest(id: "carol@example.test", text: "Again", since: 4)),
      ])
  }

  @Test("A lost connection shows all contacts offline, and a resumed one shows them again")
  func connection() throws {
    var scenario = Scenario.alice(item("bob@example.test", "subscription='both' name='Bob'"))
    scenario.receives(from: "bob@example.test/pc", "<show>away</show>")
    var sections = RosterSections(scenario.roster)
    let bob = RosterSections.Row.contact(bare("bob@example.test"))
    #expect(sections.sections.last?.rows.first?.contact?.show == .away)
    func rank() -> Int? {
      guard case .contact(let contact)? = sections.index.row(at: RowPosition(section: 1, row: 0))
      else { return nil }
      return contact.onlineRank
    }
    #expect(rank() == 2)
    #expect(sections.rows(touchedBy: scenario.lost().changes) == [bob])
    sections.update(bob, from: scenario.roster)
    #expect(rank() == nil)
    #expect(sections.rows(touchedBy: scenario.resumed().changes) == [bob])
    sections.update(bob, from: scenario.roster)
    #expect(rank() == 2)
  }

  @Test("The user's stars and readings move a contact")
  func userMarks() throws {
    var scenario = Scenario.alice(item("bob@example.test", "subscription='both' name='单一'"))
    var sections = RosterSections(scenario.roster, policy: SectionPolicy(showsStarred: true))
    let bob = bare("bob@example.test")
    func follow(_ annotation: RosterAnnotation) -> [SectionChanges] {
      let changes = scenario.annotated(annotation).changes
      return sections.rows(touchedBy: changes).map {
        sections.update($0, from: scenario.roster)
      }
    }
    #expect(follow(.starred(bob, true)).map(\.insertedSections) == [[1]])
    #expect(sections.index.indexTitles.map(\.title) == ["☆", "D"])
    #expect(follow(.reading(bob, "zhong")).count == 1)
    #expect(sections.index.indexTitles.map(\.title) == ["☆", "Z"])
    // A note changes what the rows show, and moves none of them.
    let noted = follow(.note(bob, "from the club"))
    #expect(noted.map(\.reloadedRows.count) == [2])
    #expect(sections.sections.last?.rows.first?.contact?.note == "from the club")
    #expect(follow(.starred(bob, false)).map(\.deletedSections) == [[1]])
  }
}

/// Lines that change contacts, with so few addresses, names and groups that they coincide.
private struct RandomLines {
  private var random: SeededGenerator
  private static let jids = ["bob", "carol", "zhang", "li", "wang", "alice"]
    .map { "\($0)@example.test" }
  private static let names = ["曾国藩", "曾经", "单车", "单雄信", "Bob", "重庆", "", "7", "😀", "阿宝"]
  private static let groups = ["同事", "长沙", "Chess", "家"]

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  private mutating func pick<T>(_ values: [T]) -> T {
    values[Int.random(in: 0..<values.count, using: &random)]
  }

  mutating func play(_ scenario: inout Scenario) -> RosterOutcome {
    let jid = pick(Self.jids)
    switch Int.random(in: 0..<22, using: &random) {
    case 0: return scenario.opened("\(Scenario.account)/phone")
    case 1: return scenario.lost()
    case 2: return scenario.resumed()
    case 3: return scenario.fetches((0..<4).map { _ in item() }.joined())
    case 4..<10: return scenario.pushed(item())
    case 10..<13:
      return scenario.receives(
        from: "\(jid)/\(pick(["pc", "phone"]))", "<show>\(pick(["away", "dnd", "chat"]))</show>")
    case 13: return scenario.receives("unavailable", from: "\(jid)/pc")
    case 14, 15:
      return scenario.receives("subscribe", from: jid, "<status>\(pick(["a", "b"]))</status>")
    case 16: return scenario.sends(pick(["subscribed", "unsubscribed"]), to: jid)
    case 17: return scenario.receives("unsubscribe", from: jid)
    case 18: return scenario.sends()
    case 19: return scenario.annotated(.starred(bare(jid), pick([true, false])))
    case 20:
      return scenario.annotated(.reading(bare(jid), pick([nil, " ", "zeng", "shan", "7", "李"])))
    default:
      return scenario.received(
        """
        <message from='\(jid)'><event xmlns='http://jabber.org/protocol/pubsub#event'>\
        <items node='http://jabber.org/protocol/nick'><item>\
        <nick xmlns='http://jabber.org/protocol/nick'>\(pick(Self.names))</nick></item></items>\
        </event></message>
        """)
    }
  }

  private mutating func item() -> String {
    let groups = Self.groups.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
    let subscription = pick(["both", "both", "both", "both", "to", "from", "none", "remove"])
    return TestSupport.item(
      pick(Self.jids), "name='\(pick(Self.names))' subscription='\(subscription)'", groups: groups)
  }

  /// The maximum number of contacts in the roster, according to all additions.
  func mostRows(_ scenario: Scenario) -> Int {
    scenario.outcomes.reduce(0) { count, outcome in
      count
        + outcome.changes.count { if case .item(nil, _) = $0.values { true } else { false } }
    }
  }
}
