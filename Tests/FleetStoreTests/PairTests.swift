import EventStore
@testable import FleetStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Pairs of a fleet") struct PairTests {
  private let ann = "ann@a.test"
  private let ben = "ben@b.test"
  private let start = TapLine.start
  private let day: Int64 = 86_400_000

  private struct Answer {
    var counts = DisagreementSearch.Counts()
    var found: [FoundDisagreement] = []
    var unreadable: [ShardNumber] = []
  }

  private func search(_ test: FleetCase) throws -> Answer {
    var answer = Answer()
    var unreadable: [ShardNumber] = []
    var search = DisagreementSearch(try Fleet(test.fleet)) { number, _ in
      unreadable.append(number)
    }
    try search.run { answer.found.append($0) }
    answer.counts = search.counts
    answer.unreadable = unreadable
    return answer
  }

  @Test("A shard that cannot be read is reported once, and the others are compared")
  func unreadable() throws {
    let test = try FleetCase()
    let cat = "cat@c.test"
    try test.write(
      [
        TapLine.first("aa"), TapLine.stored(ann, [(ben, "both"), (cat, "both")]),
        TapLine.stored(ben, [(ann, "both")]), TapLine.stored(cat, [(ann, "to")]),
        TapLine.stored("dan@b.test", []), TapLine.presence(ann, at: start + day),
      ], "aa-000001.jsonl")
    try test.store()
    let number = ShardNumber(of: try BareJID(parsing: ben))
    let path = try Fleet(test.fleet).path(of: number)
    try Data("no shard\n".utf8).write(to: URL(filePath: path))
    let answer = try search(test)
    #expect(answer.unreadable == [number])
    #expect(answer.counts.unreadableShards == 1)
    #expect(answer.found.map(\.owner.account.text) == [cat])
    #expect(answer.counts.oneSided == 1)
  }
}

@Suite("Repairs on a server") struct ServerRepairTests {
  private func end(_ account: String, _ contact: String) throws -> FoundEnd {
    FoundEnd(
      account: try BareJID(parsing: account), contact: try BareJID(parsing: contact),
      row: EndRow(facts: EndFacts(), record: 1, time: nil), isComplete: true)
  }

  /// The edit of Ann's roster, in which Ben has an item with a subscription.
  private func edit(
    _ item: String?, _ mismatch: SubscriptionMismatch, _ opposite: SubscriptionMismatch?,
    isSubscriber: Bool
  ) throws -> RosterEdit? {
    let (a, b) = (try end("ann@a.test", "ben@b.test"), try end("ben@b.test", "ann@a.test"))
    let found = FoundDisagreement(
      subscriber: isSubscriber ? a : b, owner: isSubscriber ? b : a, mismatch: mismatch,
      opposite: opposite)
    let test = try FleetCase()
    let items = item.map { [("ben@b.test", $0)] } ?? []
    try test.write([TapLine.first("aa"), TapLine.stored("ann@a.test", items)], "aa-000001.jsonl")
    try test.store()
    let fleet = try Fleet(test.fleet)
    return try RosterEdit(found) { account, contact in
      try fleet.view(of: account)?.roster.item(contact)
    }
  }

  @Test("An account that is wrong in both directions gets one edit for both")
  func both() throws {
    let first = try #require(try edit("to", .unseenEnd, .staleRequest, isSubscriber: true))
    let second = try #require(try edit("to", .staleRequest, .unseenEnd, isSubscriber: false))
    #expect(first == second)
    #expect(first.account.text == "ann@a.test")
    #expect(first.subscription == RosterSubscription.none)
    // In the other direction, Ben is wrong.
    let alone = try #require(try edit("to", .unseenEnd, .unseenAcceptance, isSubscriber: true))
    #expect(alone.subscription == RosterSubscription.none)
  }

  @Test("A request that goes adds no contact")
  func noItem() throws {
    let edit = try #require(try edit(nil, .staleRequest, nil, isSubscriber: false))
    #expect(edit.subscription == nil)
    #expect(
      edit.command(for: .ejabberd) == "ejabberdctl delete_rosteritem ann a.test ben b.test")
    let prosody = edit.command(for: .prosody)
    #expect(prosody.contains("r[false].pending[\"ben@b.test\"] = nil"))
    #expect(!prosody.contains("groups = {}"))
  }
}
