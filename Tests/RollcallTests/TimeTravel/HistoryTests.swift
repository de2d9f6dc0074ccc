import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("The history of a contact") struct HistoryTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func entries(_ log: EventLog, _ jid: String) throws -> [HistoryEntry] {
    var entries: [HistoryEntry] = []
    _ = try Timeline(log).history(of: bare(jid), upTo: .head(minus: 0)) { entry, _ in
      entries.append(entry)
    }
    return entries
  }

  private func covers(_ log: EventLog, _ comment: Comment) throws {
    var changes: [BareJID: [RosterChange]] = [:]
    try Timeline(log).replay(upTo: .head(minus: 0)) { moment, _ in
      for change in moment.outcome.changes {
        if let contact = change.contact { changes[contact, default: []].append(change) }
      }
    }
    for (contact, changes) in changes {
      #expect(try entries(log, contact.text).flatMap(\.changes) == changes, comment)
      #expect(try entries(log, contact.text).map(Told.init) == told(log, contact), comment)
    }
  }

  /// An entry without its handshake and origin.
  private struct Told: Equatable {
    let record: UInt64
    let changes: [RosterChange]
    let findings: [Finding]

    init(_ entry: HistoryEntry) {
      (record, changes, findings) = (entry.moment.stamp.record, entry.changes, entry.findings)
    }

    /// The part of a record's effect that concerns a contact; nil if there is none.
    init?(_ moment: Timeline.Moment, _ contact: BareJID, isNamed: Bool) {
      record = moment.stamp.record
      changes = moment.outcome.changes.filter { $0.contact == contact }
      findings = moment.outcome.findings.filter {
        $0.contact == contact || ($0.contact == nil && isNamed)
      }
      if !isNamed && changes.isEmpty && findings.isEmpty { return nil }
    }
  }

  /// The history of a contact according to a replay of the whole log.
  private func told(_ log: EventLog, _ contact: BareJID) throws -> [Told] {
    let timeline = Timeline(log)
    let named = try timeline.records(concerning: contact, in: 1...UInt64.max)
    var told: [Told] = []
    try timeline.replay(upTo: .head(minus: 0)) { moment, _ in
      let isNamed = named.contains(moment.stamp.record)
      if let entry = Told(moment, contact, isNamed: isNamed) { told.append(entry) }
    }
    return told
  }

  @Test("A set that the server stored otherwise is the origin of its push, though the log ends")
  func alteredAtEnd() throws {
    let bob = "bob@example.test"
    for isOurs in [true, false] {
      var scenario = Scenario.alice(item(bob, "name='Bob'"))  // 1 to 3
      if isOurs { scenario.sets(item(bob, "name='A long name'")) }  // 4
      scenario.pushed(item(bob, "name='A long'"))  // 5
      if isOurs { scenario.receivesEmptyResult(id: "set") }  // 6
      let log = try log(of: scenario, in: folder)
      let push = try #require(try entries(log, bob).last)
      #expect(push.origin == (isOurs ? .ownSet(4) : .elsewhere))
      #expect(push.origins.map(\.cause) == (isOurs ? [4] : []))
      #expect(push.origins.allSatisfy { !$0.isLate })
      let last = try Timeline(log).moment(of: scenario.record)
      #expect(last?.outcome.toldOrigins.map(\.effect) == (isOurs ? [5] : []))
    }
  }

  @Test("The histories of all contacts contain each change of a contact once", arguments: 1...12)
  func coversRandom(seed: UInt64) throws {
    let scenario = randomScenario(seed: seed, lines: 400)
    try covers(log(of: scenario, in: folder), "seed \(seed)")
  }

  @Test("The newest entries are the last ones of the history", arguments: 1...4)
  func newest(seed: UInt64) throws {
    let log = try log(of: randomScenario(seed: seed, lines: 400), in: folder)
    let timeline = Timeline(log)
    for contact in try timeline.state(at: .head).roster.sortedItems.map(\.jid) {
      let all = try entries(log, contact.text)
      for limit in [0, 1, 4, all.count, all.count + 1] {
        let newest = try timeline.newestHistory(of: contact, limit: limit)
        let last = Array(all.suffix(limit).reversed())
        let comment: Comment = "seed \(seed), \(contact), \(limit)"
        #expect(newest.map { Told($0) } == last.map { Told($0) }, comment)
        #expect(newest.map(\.origin) == last.map(\.origin), comment)
        if limit > all.count { #expect(newest.map(\.handshake) == last.map(\.handshake), comment) }
      }
    }
    #expect(throws: RollcallError.self) {
      try timeline.newestHistory(of: bare("x@x"), upTo: .record(999), limit: 1)
    }
    #expect(try timeline.newestHistory(of: bare("unseen@x"), limit: 5).isEmpty)
  }

  @Test("A reading in the background gives what it gives here, and its error")
  @MainActor func background() async throws {
    let timeline = Timeline(try log(of: randomScenario(seed: 1, lines: 40), in: folder))
    let state = try await timeline.inBackground { try $0.state(at: .head) }
    #expect(try timeline.state(at: .head) == state)
    #expect(try await timeline.inBackground { _ in Thread.isMainThread } == false)
    await #expect(throws: RollcallError.self) {
      try await timeline.inBackground { try $0.state(at: .record(999)) }
    }
  }

  @Test("The histories of real sessions agree with a replay", arguments: CaptureCase.all)
  func coversReal(_ capture: CaptureCase) throws {
    try covers(importedLog(of: capture.path, capture.account, in: folder), "\(capture)")
  }

  @Test("Begun where the contact first occurs, it is that of a replay from the first record")
  func coversLate() throws {
    for late in LateContact.allCases {
      let log = try log(of: late.scenario, in: folder)
      try covers(log, "\(late)")
      // A log that does not name it can still have findings about it.
      for jid in ["dave@example.test", "erin@example.test", "example.test"] {
        let contact = bare(jid)
        #expect(try entries(log, jid).map(Told.init) == told(log, contact), "\(late), \(jid)")
      }
    }
  }

  @Test("The presence of other contacts is not passed on")
  func othersArePassedOver() throws {
    var scenario = Scenario.alice(
      item("bob@example.test", "subscription='both'")
        + item("carol@example.test", "subscription='both'"))
    for _ in 0..<20 {
      scenario.receives(from: "bob@example.test/desk")
      scenario.receives(from: "carol@example.test/desk")
    }
    let timeline = Timeline(try log(of: scenario, in: folder))
    let head = try timeline.record(at: .head(minus: 0))
    let carol = bare("carol@example.test")
    let named = try timeline.records(concerning: carol, in: 1...head)
    var (state, senders) = (Timeline.State(), [BareJID]())
    try timeline.advance(&state, to: head, naming: named) { moment, _ in
      if case .stanza(.availableReceived(let from, _)) = moment.event { senders.append(from.bare) }
    }
    #expect(senders == Array(repeating: carol, count: 20))
    #expect(try state.roster == timeline.state(at: .head(minus: 0)).roster)
  }

  /// The life of our request to bob, with an edit in between.
  private func dialogue() -> Scenario {
    var scenario = Scenario.alice()  // 1 to 3
    scenario.sets(item("bob@example.test", "name='Bob'"), id: "s1")  // 4
    scenario.pushed(item("bob@example.test", "name='Bob'"))  // 5
    scenario.receivesEmptyResult(id: "s1")  // 6
    scenario.sends("subscribe", to: "bob@example.test")  // 7
    scenario.pushed(item("bob@example.test", "name='Bob' ask='subscribe'"))  // 8
    scenario.receives("subscribed", from: "bob@example.test")  // 9
    scenario.pushed(item("bob@example.test", "name='Bob' subscription='to'"))  // 10
    scenario.receives("subscribe", from: "bob@example.test")  // 11
    scenario.sends("subscribed", to: "bob@example.test")  // 12
    scenario.pushed(item("bob@example.test", "name='Bob' subscription='both'"))  // 13
    scenario.pushed(item("bob@example.test", "name='Bobby' subscription='both'"))  // 14
    scenario.fetches(item("bob@example.test", "name='B' subscription='both'"), id: "f2")  // 15, 16
    return scenario
  }

  @Test("Each record says which request it belongs to")
  func handshakes() throws {
    let entries = try entries(log(of: dialogue(), in: folder), "bob@example.test")
    #expect(
      entries.map(\.moment.stamp.record) == [4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 16])
    let handshakes = entries.map { entry in
      entry.handshake.map { "\($0.side.rawValue) \($0.since)" }
    }
    #expect(
      handshakes == [
        nil, nil, "ours 7", "ours 7", "ours 7", "ours 7", "theirs 11", "theirs 11", "theirs 11",
        nil, nil,
      ])
  }

  @Test("A request's tag ends with the first record that shows its answer")
  func handshakeEnds() throws {
    var scenario = Scenario.alice()  // 1 to 3
    scenario.receives("subscribe", from: "bob@example.test")  // 4
    scenario.sends("subscribed", to: "bob@example.test")  // 5
    scenario.pushed(item("bob@example.test", "subscription='from'"))  // 6
    scenario.sets(item("bob@example.test", "subscription='remove'"), id: "s1")  // 7
    scenario.pushed(item("bob@example.test", "subscription='remove'"))  // 8
    scenario.pushed(item("bob@example.test", "subscription='none'"))  // 9
    let entries = try entries(log(of: scenario, in: folder), "bob@example.test")
    #expect(entries.filter { $0.handshake != nil }.map(\.moment.stamp.record) == [4, 5, 6])
  }

  @Test("Each edit names its origin")
  func origins() throws {
    let entries = try entries(log(of: dialogue(), in: folder), "bob@example.test")
    let origins = Dictionary(
      uniqueKeysWithValues: entries.compactMap { entry in
        entry.origin.map { (entry.moment.stamp.record, $0) }
      })
    #expect(origins == [5: .ownSet(4), 14: .elsewhere, 16: .fetch])
  }

  @Test("Directed presence, fetched vCards and errors are reported; messages are counted")
  func others() throws {
    var scenario = Scenario.alice()  // 1 to 3
    scenario.sent("<presence to='bob@example.test/x'/>")  // 4
    scenario.sent(
      "<iq type='get' id='v' to='bob@example.test'><vCard xmlns='vcard-temp'/></iq>")  // 5
    scenario.received("<message from='bob@example.test/x'><body>hi</body></message>")  // 6
    scenario.receives("error", from: "bob@example.test")  // 7
    scenario.received("<message from='carol@example.test/x'><body>hi</body></message>")  // 8
    let log = try log(of: scenario, in: folder)
    #expect(try entries(log, "bob@example.test").map(\.moment.stamp.record) == [4, 5, 7])
    let others = try Timeline(log).history(
      of: bare("bob@example.test"), upTo: .head(minus: 0)
    ) { _, _ in }.others
    #expect(others == [6])
  }

  @Test("Ignored stanzas are reported with the reason")
  func ignored() throws {
    var scenario = Scenario.alice()
    scenario.pushed(item("bob@example.test"), from: "mallory@evil.test")
    let log = try log(of: scenario, in: folder)
    let entry = try #require(try entries(log, "bob@example.test").first)
    #expect(entry.changes.isEmpty)
    #expect(entry.findings.map(\.code) == [.foreignPush])
  }
}
