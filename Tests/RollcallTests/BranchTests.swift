import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

private let bob = "bob@example.test"

@Suite("Branches of a log") struct BranchTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func edits(
    drop: [ClosedRange<UInt64>] = [], swap: [(UInt64, UInt64)] = [],
    insert: [(UInt64, Scenario)] = []
  ) throws -> BranchEdits {
    var edits = BranchEdits()
    edits.drops = drop
    edits.swaps = swap
    edits.inserts = try insert.map {
      BranchEdits.Insert(after: $0.0, records: try log(of: $0.1, in: folder))
    }
    return edits
  }

  private func branch(
    _ scenario: Scenario, _ edits: BranchEdits = BranchEdits(), _ policy: ClientPolicy = .strict
  ) throws -> Branch {
    try Branch(
      of: Timeline(log(of: scenario, in: folder)), upTo: .head(minus: 0), edits: edits,
      policy: policy)
  }

  /// The state of the log that a branch writes.
  private func written(_ branch: Branch) throws -> (log: EventLog, roster: Roster) {
    let log = try EventLog.create(
      at: folder.file("\(UUID()).rollcall"), eventVersion: RecordReader.version)
    try branch.write(to: log)
    return (log, try Timeline(log).state(at: .head(minus: 0)).roster)
  }

  /// What a roster shows, without record numbers.
  private struct Shown: Hashable {
    let items: [RosterItem]
    let incoming: Set<BareJID>
    let outgoing: Set<BareJID>
    let unconfirmed: Set<BareJID>
    let presence: [BareJID: [String: Availability]]
    let isConnected: Bool

    init(_ roster: Roster) {
      items = roster.sortedItems
      incoming = Set(roster.incoming.keys)
      outgoing = Set(roster.outgoing.keys)
      unconfirmed = Set(roster.unconfirmed.keys)
      isConnected = roster.isConnected
      presence = Dictionary(
        uniqueKeysWithValues: roster.shownPresences.map { jid, presence in
          let said = presence.resources.map { ($0.key, $0.value.availability) }
          return (jid, Dictionary(uniqueKeysWithValues: said))
        })
    }
  }

  // MARK: Edits

  @Test(
    "Without edits every record has the same effect, and an equal log is written", arguments: 1...6)
  func identity(seed: UInt64) throws {
    let scenario = randomScenario(seed: seed, lines: 150)
    // The last lines may have no meaning.
    var end = scenario.roster
    end.move(to: 150)
    let branch = try branch(scenario)
    let comparison = try branch.compare()
    #expect(comparison.divergence == nil, "seed \(seed)")
    #expect(comparison.actual == comparison.branched, "seed \(seed)")
    #expect(comparison.actual.roster == end, "seed \(seed)")
    let copy = try written(branch)
    #expect(copy.roster == end, "seed \(seed)")
    func last(_ log: EventLog) throws -> RecordHeader? { try log.read { try $0.header(at: 150) } }
    #expect(try last(copy.log) == last(branch.timeline.log), "seed \(seed)")
  }

  @Test("A branch shows the state of the log that it writes", arguments: 1...12)
  func writing(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let scenario = randomScenario(seed: seed, lines: 120)
    let first = UInt64.random(in: 1...50, using: &random)
    let swap = UInt64.random(in: 60...80, using: &random)
    let other = UInt64.random(in: 81...120, using: &random)
    let place = UInt64.random(in: 0...120, using: &random)
    let edits = try edits(
      drop: [first...first + 3], swap: [(swap, other)],
      insert: [
        (place, randomScenario(seed: seed + 100, lines: 15)),
        (place, randomScenario(seed: seed + 200, lines: 2)),
      ])
    let branch = try branch(scenario, edits)
    let comparison = try branch.compare()
    let copy = try written(branch)
    #expect(Shown(comparison.branched.roster) == Shown(copy.roster), "seed \(seed)")
    #expect(Shown(comparison.actual.roster) == Shown(scenario.roster), "seed \(seed)")
  }

  @Test("Two records that are swapped twice are back in their places")
  func swapping() throws {
    let scenario = randomScenario(seed: 5, lines: 40)
    let swapped = try written(try branch(scenario, try edits(swap: [(10, 31), (4, 5)])))
    let again = try Branch(
      of: Timeline(swapped.log), upTo: .head(minus: 0),
      edits: try edits(swap: [(31, 10), (5, 4)]), policy: .strict)
    let back = try written(again).log
    let original = try log(of: scenario, in: folder)
    for record: UInt64 in 1...40 {
      let (one, other) = (
        try original.read { try $0.record(at: record) }, try back.read { try $0.record(at: record) }
      )
      #expect(one == other)
    }
  }

  @Test(
    "The histories diverge at the first record with another effect, not at the first edited one")
  func divergence() throws {
    var scenario = Scenario.alice(item(bob, "name='Bob' subscription='both'"))  // 1 to 3
    scenario.sets(item(bob, "name='Rob'"), id: "s")  // 4
    scenario.pushed(item(bob, "name='Rob' subscription='both'"))  // 5
    scenario.receivesEmptyResult(id: "s")  // 6
    scenario.pushed(item(bob, "name='Bob' subscription='both'"))  // 7: undone
    let comparison = try branch(scenario, try edits(drop: [4...4])).compare()
    // Without our set, its push has the same effect; the difference shows when it is undone.
    let divergence = try #require(comparison.divergence)
    #expect(divergence.record == 7)
    #expect(comparison.removed.map(\.code) == [.undoneEdit])
    #expect(comparison.added.isEmpty)
    #expect(comparison.branched.roster.item(bare(bob))?.name == "Bob")
  }

  @Test("An inserted record is numbered after the one that it follows, and has its time")
  func inserting() throws {
    var scenario = Scenario.alice()
    scenario.receives("subscribe", from: bob, at: 1000)  // 4
    scenario.receives("subscribe", from: "carol@example.test", at: 2000)  // 5
    var answer = Scenario()
    answer.sends("subscribed", to: "nobody@example.test", at: 9_000_000)
    answer.sends("unsubscribed", to: bob, at: 9_000_001)
    let branch = try branch(scenario, try edits(insert: [(4, answer)]))
    let comparison = try branch.compare()
    let ended = try #require(comparison.branched.roster.ended[bare(bob)])
    #expect(ended.at.time == 1000)
    #expect(branch.numbering.label(ended.at.record) == "4+2")
    #expect(branch.numbering.label(ended.since.record) == "4")
    #expect(comparison.divergence?.record == 4)
    #expect(comparison.added.map { branch.numbering.label($0.record) } == ["4+1"])
    #expect(comparison.actual.roster.incoming.count == 2)
    #expect(comparison.branched.roster.incoming.count == 1)
  }

  @Test("The header of a capture is not inserted")
  func headers() throws {
    var scenario = Scenario()
    scenario.captureBegan("alice@example.test", inboundOnly: true)
    scenario.received("<iq type='result' id='1'><query xmlns='jabber:iq:roster'/></iq>")
    var other = Scenario()
    other.captureBegan("mallory@evil.test")
    other.receives("subscribe", from: bob)
    let comparison = try branch(scenario, try edits(insert: [(1, other)])).compare()
    #expect(comparison.added.isEmpty)
    #expect(comparison.branched.roster.incoming.keys.map(\.text) == [bob])
  }

  @Test("A branch up to a point includes, and can change, only earlier records")
  func points() throws {
    let timeline = Timeline(try log(of: Scenario.alice(item(bob)), in: folder))
    let before = try Branch(of: timeline, upTo: .record(2), edits: BranchEdits(), policy: .strict)
    #expect(try before.compare().actual.roster.entries.isEmpty)
    let edits = try edits(drop: [3...3])
    #expect(throws: BranchError.noRecord(3, head: 2)) {
      try Branch(of: timeline, upTo: .record(2), edits: edits, policy: .strict)
    }
  }

  @Test("Edits that do not fit the log are refused")
  func refusals() throws {
    func check(_ edits: BranchEdits, _ error: BranchError) {
      #expect(throws: error) { try edits.check(head: 10) }
    }
    check(try edits(drop: [0...2]), .noRecord(0, head: 10))
    check(try edits(drop: [9...11]), .noRecord(11, head: 10))
    check(try edits(swap: [(3, 12)]), .noRecord(12, head: 10))
    check(try edits(insert: [(11, Scenario())]), .noRecord(11, head: 10))
    check(try edits(drop: [2...5, 5...6]), .overlap(5))
    check(try edits(drop: [2...5], swap: [(4, 8)]), .overlap(4))
    check(try edits(swap: [(4, 8), (8, 9)]), .overlap(8))
    check(try edits(swap: [(4, 4)]), .overlap(4))
    #expect(throws: Never.self) {
      try edits(
        drop: [2...5, 6...6], swap: [(1, 10)], insert: [(0, Scenario()), (10, Scenario())]
      )
      .check(head: 10)
    }
  }

  // MARK: Policies

  private func shown(_ scenario: Scenario, _ policy: ClientPolicy) throws -> Branch.Comparison {
    try branch(scenario, BranchEdits(), policy).compare()
  }

  @Test(
    "If all peers follow the rules, a lenient client shows the same",
    arguments: CaptureCase.all)
  func lenientAlike(_ capture: CaptureCase) throws {
    let timeline = Timeline(try importedLog(of: capture.path, capture.account, in: folder))
    var codes: Set<Finding.Code> = []
    try timeline.replay(upTo: .head(minus: 0)) { moment, _ in
      codes.formUnion(moment.outcome.findings.map(\.code))
    }
    let comparison = try Branch(
      of: timeline, upTo: .head(minus: 0), edits: BranchEdits(), policy: .lenient
    ).compare()
    let isForged = !codes.isDisjoint(with: [.foreignPush, .foreignRoster, .unsolicitedResult])
    #expect((comparison.divergence != nil) == isForged)
    #expect((Shown(comparison.actual.roster) != Shown(comparison.branched.roster)) == isForged)
  }

  @Test("A lenient client accepts a stranger's push, and acknowledges it")
  func lenientPush() throws {
    var scenario = Scenario.alice(item(bob, "subscription='both'"))
    scenario.pushed(item("evil@evil.test", "subscription='both'"), from: "evil@evil.test/x")
    scenario.pushed(item(bob, "subscription='remove'"), from: "evil@evil.test/x")
    scenario.closed()
    let comparison = try shown(scenario, .lenient)
    #expect(comparison.branched.roster.entries.keys.map(\.text) == ["evil@evil.test"])
    #expect(comparison.actual.roster.entries.keys.map(\.text) == [bob])
    #expect(comparison.removed.map(\.code) == [.foreignPush, .foreignPush])
    #expect(comparison.added.map(\.code) == [.removedElsewhere])
  }

  @Test("A lenient client accepts a roster without a get, and a stranger's answer")
  func lenientResult() throws {
    var unasked = Scenario.alice(item(bob, "subscription='both'"))
    unasked.receivesResult("", id: "none", from: "evil@evil.test")
    #expect(try shown(unasked, .lenient).branched.roster.entries.isEmpty)
    var spoofed = Scenario.alice(item(bob, "subscription='both'"))
    spoofed.gets(id: "again")
    spoofed.receivesResult("", id: "again", from: "evil@evil.test")
    let comparison = try shown(spoofed, .lenient)
    #expect(comparison.branched.roster.entries.isEmpty)
    #expect(comparison.actual.roster.entries.count == 1)
    #expect(comparison.removed.map(\.code) == [.foreignRoster])
  }

  @Test("A lenient client accepts a stranger's pushes of the block list")
  func lenientBlocking() throws {
    func push(_ name: String, _ jid: String, from: String = "") -> String {
      "<iq type='set' id='b'\(from)><\(name) xmlns='urn:xmpp:blocking'>"
        + "<item jid='\(jid)'/></\(name)></iq>"
    }
    let stranger = " from='evil@evil.test/x'"
    var scenario = Scenario.alice()
    scenario.received(push("block", bob))
    scenario.received(push("unblock", bob, from: stranger))
    scenario.received(push("block", "carol@example.test", from: stranger))
    let comparison = try shown(scenario, .lenient)
    #expect(comparison.actual.roster.blocked.map(\.bare.text) == [bob])
    #expect(comparison.branched.roster.blocked.map(\.bare.text) == ["carol@example.test"])
    #expect(comparison.removed.map(\.code) == [.foreignBlocking, .foreignBlocking])
    #expect(comparison.added.isEmpty)
  }

  @Test("An optimistic client shows its sets at once, and keeps those that are refused")
  func optimistic() throws {
    let fields = "name='Bob' subscription='to' ask='subscribe' approved='true'"
    var scenario = Scenario.alice(item(bob, fields))
    scenario.sets(item(bob, "name='Rob' subscription='odd'", groups: ["A"]), id: "s")  // 4
    scenario.received("<iq type='error' id='s'><error type='cancel'/></iq>")
    let comparison = try shown(scenario, .optimistic)
    #expect(comparison.divergence?.record == 4)
    let item = comparison.branched.roster.item(bare(bob))
    #expect(item?.name == "Rob")
    #expect(item?.groups == ["A"])
    #expect(item?.subscription == .to)
    #expect(item?.isPending == true)
    #expect(item?.isApproved == true)
    // The server ignores the subscription of a set, whatever it is.
    #expect(comparison.added.isEmpty)
    #expect(comparison.actual.roster.item(bare(bob))?.name == "Bob")
    scenario.sets("<item jid='\(bob)' subscription='remove'/>", id: "r")
    #expect(try shown(scenario, .optimistic).branched.roster.entries.isEmpty)
  }

  @Test("A client that only fetches misses what is pushed until it fetches again")
  func fetchOnly() throws {
    var scenario = Scenario.alice(item(bob, "subscription='both'"))
    scenario.pushed(item("carol@example.test", "subscription='both'"))
    #expect(try shown(scenario, .fetchOnly).branched.roster.entries.keys.map(\.text) == [bob])
    scenario.fetches(item("carol@example.test"), id: "again")
    let comparison = try shown(scenario, .fetchOnly)
    #expect(comparison.branched.roster.sortedItems == comparison.actual.roster.sortedItems)
  }
}
