import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite struct DiffTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// What a difference is about, without its values.
  private struct Subject: Hashable {
    var contact: BareJID?
    var field: FieldDifference.Field
    var part: String?

    init(_ difference: FieldDifference) {
      contact = difference.contact
      field = difference.field
      part =
        switch difference.change {
        case .presence(let resource, _, _), .ownPresence(let resource, _, _): resource
        case .blocked(let jid, _, _): "\(jid)"
        default: nil
        }
    }
  }

  /// The difference of two points is that of their states, and each cause is the record after
  /// which the value is the later one, and before which it is not.
  private func check(_ log: EventLog, _ from: UInt64, _ to: UInt64, _ comment: Comment) throws {
    let timeline = Timeline(log)
    let diff = try timeline.diff(from: .record(from), to: .record(to))
    let before = try timeline.state(at: .record(from)).roster
    let after = try timeline.state(at: .record(to)).roster
    #expect(diff.differences.map(\.difference) == before.differences(to: after), comment)
    let later = from <= to ? after : before
    for item in diff.differences {
      let cause = try #require(item.cause, "\(comment): \(item.difference)")
      #expect((min(from, to) + 1...max(from, to)).contains(cause.record), comment)
      let contacts = item.difference.contact.map { [$0] } ?? []
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

  // MARK: Two devices

  /// What both devices are told: bob is added.
  private func shared(_ name: String) -> Scenario {
    var scenario = Scenario()
    scenario.opened("alice@example.test/\(name)")
    scenario.fetches(item("carol@example.test"), version: "1")
    scenario.receives(from: "carol@example.test/x")
    scenario.pushed(item("bob@example.test", "name='Bob'"), version: "2")
    return scenario
  }

  private func drift(_ first: Scenario, _ second: Scenario) throws -> Drift {
    try Drift(
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
    let drift = try drift(phone, laptop)
    #expect(drift.agreed?.first == 5)
    #expect(drift.agreed?.second == 6)
    #expect(drift.parted.first?.stamp.record == 6)
    #expect(drift.parted.second?.stamp.record == 7)
  }

  @Test("Devices that differ for a while and come together again agree at the end")
  func together() throws {
    var phone = shared("phone")
    var laptop = shared("laptop")
    phone.pushed(item("bob@example.test", "name='B'"), version: "3")
    phone.pushed(item("bob@example.test", "name='Robert'"), version: "4")
    laptop.pushed(item("bob@example.test", "name='Robert'"), version: "4")
    let drift = try drift(phone, laptop)
    #expect(drift.agreed?.first == 7)
    #expect(drift.agreed?.second == 6)
    #expect(drift.parted.first == nil && drift.parted.second == nil)
  }

  @Test("An empty roster that nobody has fetched yet is not one that both agree on")
  func neverTheSame() throws {
    var laptop = Scenario()
    laptop.opened("alice@example.test/laptop")
    laptop.fetches(item("dave@example.test"))
    let drift = try drift(shared("phone"), laptop)
    #expect(drift.agreed == nil)
    #expect(drift.parted.first?.stamp.record == 3)
    #expect(drift.parted.second?.stamp.record == 3)
  }
}
