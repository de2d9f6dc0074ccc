import Captures
import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("The difference of two states") struct DiffTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The subject of a difference, without its values.
  private struct Subject: Hashable {
    var contact: BareJID?
    var field: StateField
    var part: String?

    init(_ difference: FieldDifference) {
      contact = difference.contact
      field = difference.field
      part = difference.values.resource
      if case .blocked(let jid, _, _) = difference.values { part = "\(jid)" }
    }
  }

  /// The difference of two points equals that of their states, and each cause is the record after
  /// which the later value is present. For a request, it is the record that opened it, even if its
  /// text changed later.
  private func check(_ log: EventLog, _ from: UInt64, _ to: UInt64, _ comment: Comment) throws {
    let timeline = Timeline(log)
    let diff = try timeline.diff(from: .record(from), to: .record(to))
    let before = try timeline.state(at: .record(from)).roster
    let after = try timeline.state(at: .record(to)).roster
    let expected = before.differences(to: after).filter {
      $0.field != .account || diff.before.account != diff.after.account
    }
    #expect(diff.differences.map(\.difference) == expected, comment)
    let later = from <= to ? after : before
    for item in diff.differences {
      let cause = try #require(item.cause, "\(comment): \(item.difference)")
      #expect((min(from, to) + 1...max(from, to)).contains(cause.record), comment)
      let contacts = item.difference.contact.map { [$0] } ?? []
      if item.difference.field == .request,
        let opened = item.difference.contact.flatMap(later.requestOpening), opened == cause.record
      {
        continue
      }
      let isStillDifferent = { (record: UInt64) in
        try timeline.state(at: .record(record)).roster
          .differences(to: later, among: Set(contacts))
          .contains { Subject($0) == Subject(item.difference) }
      }
      #expect(try !isStillDifferent(cause.record), "\(comment): \(item.difference)")
    }
  }

  @Test("Points of random sessions", arguments: UInt64(1)...10)
  func random(seed: UInt64) throws {
    let log = try log(of: randomScenario(seed: seed, lines: 300), in: folder)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<12 {
      let from = UInt64.random(in: 0...300, using: &random)
      let to = UInt64.random(in: 0...300, using: &random)
      try check(log, from, to, "seed \(seed), \(from) to \(to)")
    }
  }

  @Test("The first and the last point of real sessions, both ways", arguments: CaptureCase.all)
  func real(_ capture: CaptureCase) throws {
    let log = try importedLog(of: capture.path, capture.account, in: folder)
    let head = try log.read { try $0.lastSequence }
    try check(log, 0, head, "\(capture)")
    try check(log, head, head / 2, "\(capture)")
  }

  /// The cause of each difference between two states, by field.
  private func causes(
    _ scenario: Scenario, _ from: UInt64, _ to: UInt64
  ) throws -> [StateField: UInt64] {
    let timeline = Timeline(try log(of: scenario, in: folder))
    let diff = try timeline.diff(from: .record(from), to: .record(to))
    return Dictionary(
      uniqueKeysWithValues: diff.differences.compactMap { item in
        item.cause.map { (item.difference.field, $0.record) }
      })
  }

  @Test("The cause of our request is the record that opened it, not the one that shows it")
  func outgoing() throws {
    var scenario = Scenario.alice()  // 1 to 3
    scenario.sends("subscribe", to: "bob@example.test")  // 4
    scenario.pushed(item("bob@example.test", "ask='subscribe'"))  // 5
    #expect(scenario.roster.outgoing[bare("bob@example.test")]?.since.record == 4)
    #expect(try causes(scenario, 3, 5)[.outgoing] == 4)
    #expect(try causes(scenario, 5, 3)[.outgoing] == 4)
    scenario.receives("unsubscribed", from: "bob@example.test")  // 6
    #expect(try causes(scenario, 5, 6)[.outgoing] == 6)
  }

  @Test("The cause of a repeated request is the first one, as in the state")
  func request() throws {
    var scenario = Scenario.alice()  // 1 to 3
    scenario.receives("subscribe", from: "carol@example.test")  // 4
    scenario.receives("subscribe", from: "carol@example.test", "<status>hello</status>")  // 5
    #expect(scenario.roster.incoming[bare("carol@example.test")]?.since.record == 4)
    #expect(try causes(scenario, 3, 5)[.request] == 4)
    #expect(try causes(scenario, 5, 3)[.request] == 4)
    #expect(try causes(scenario, 4, 5)[.request] == 5, "the text came with the second")
    scenario.sends("unsubscribed", to: "carol@example.test")  // 6
    #expect(try causes(scenario, 5, 6)[.request] == 6)
    scenario.receives("subscribe", from: "carol@example.test")  // 7
    scenario.receives("subscribe", from: "carol@example.test")  // 8
    #expect(try causes(scenario, 3, 8)[.request] == 7)
  }

  @Test("If only the reason differs why the roster is incomplete, the reasons are reported")
  func incompleteness() throws {
    var scenario = Scenario()
    scenario.opened("alice@example.test/phone")  // 1
    scenario.gets(version: "v7")  // 2
    scenario.receivesEmptyResult(id: "fetch")  // 3
    #expect(scenario.roster.completeness == .baseUnknown)
    let timeline = Timeline(try log(of: scenario, in: folder))
    let there = try #require(
      try timeline.diff(from: .record(1), to: .record(3)).differences.first)
    #expect(there.difference.clause.contains("since a version that is not in the log"))
    let document = JSONValue(there).text
    #expect(document.contains(#""field":"completeness""#))
    #expect(document.contains(#""before":"neverFetched""#))
    #expect(document.contains(#""after":"baseUnknown""#))
    let back = try #require(
      try timeline.diff(from: .record(3), to: .record(1)).differences.first)
    #expect(back.difference.clause.contains("no roster get has been answered"))
    #expect(back.difference.clause != there.difference.clause)
  }

  @Test("A roster that becomes complete is a difference of its completeness")
  func completeness() throws {
    let timeline = Timeline(try log(of: Scenario.alice(), in: folder))
    let whole = try #require(
      try timeline.diff(from: .record(2), to: .record(3)).differences.first)
    #expect(whole.difference.clause == "the whole roster is known")
    let document = JSONValue(whole).text
    #expect(document.contains(#""after":"complete","before":"neverFetched""#))
    #expect(document.contains(#""field":"completeness""#))
  }

  // MARK: Two devices

  /// What both devices receive: bob is added.
  private func shared(_ name: String) -> Scenario {
    var scenario = Scenario()
    scenario.opened("alice@example.test/\(name)")
    scenario.fetches(item("carol@example.test"), version: "1")
    scenario.receives(from: "carol@example.test/x")
    scenario.pushed(item("bob@example.test", "name='Bob'"), version: "2")
    return scenario
  }

  private func divergence(_ first: Scenario, _ second: Scenario) throws -> TimelineDivergence {
    try TimelineDivergence(
      between: Timeline(log(of: first, in: folder)), upTo: first.record,
      and: Timeline(log(of: second, in: folder)), upTo: second.record)
  }

  @Test("Two devices agree up to the push that one of them missed")
  func missedPush() throws {
    var phone = shared("phone")
    var laptop = shared("laptop")
    laptop.receives(from: "bob@example.test/y")
    phone.pushed(item("bob@example.test", "name='Robert'"), version: "3")
    phone.pushed(item("dave@example.test"), version: "4")
    laptop.pushed(item("dave@example.test"), version: "4")
    let divergence = try divergence(phone, laptop)
    #expect(divergence.agreed?.first == 5)
    #expect(divergence.agreed?.second == 6)
    #expect(divergence.parted.first?.stamp.record == 6)
    #expect(divergence.parted.second?.stamp.record == 7)
  }

  @Test("Devices that differ for a while and then agree again agree at the end")
  func together() throws {
    var phone = shared("phone")
    var laptop = shared("laptop")
    phone.pushed(item("bob@example.test", "name='B'"), version: "3")
    phone.pushed(item("bob@example.test", "name='Robert'"), version: "4")
    laptop.pushed(item("bob@example.test", "name='Robert'"), version: "4")
    let divergence = try divergence(phone, laptop)
    #expect(divergence.agreed?.first == 7)
    #expect(divergence.agreed?.second == 6)
    #expect(divergence.parted.first == nil && divergence.parted.second == nil)
  }

  @Test("An empty roster before the first fetch is not one on which both agree")
  func neverTheSame() throws {
    var laptop = Scenario()
    laptop.opened("alice@example.test/laptop")
    laptop.fetches(item("dave@example.test"))
    let divergence = try divergence(shared("phone"), laptop)
    #expect(divergence.agreed == nil)
    #expect(divergence.parted.first?.stamp.record == 3)
    #expect(divergence.parted.second?.stamp.record == 3)
  }
}

extension Roster {
  /// The record that opened a contact's request, if it is open or unconfirmed.
  fileprivate func requestOpening(of contact: BareJID) -> UInt64? {
    (incoming[contact] ?? unconfirmed[contact])?.since.record
  }
}
