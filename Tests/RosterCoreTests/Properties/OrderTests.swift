import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// What people see of a roster, without the records of its values.
private struct Shown: Equatable {
  let items: [RosterItem]
  let incoming: [String]
  let unconfirmed: [String]
  let outgoing: [String]
  let presence: [String: [String: Availability]]
  let blocked: [String]

  init(_ scenario: Scenario) {
    items = scenario.roster.sortedItems
    incoming = scenario.incoming
    unconfirmed = scenario.unconfirmed
    outgoing = scenario.outgoing
    var presence: [String: [String: Availability]] = [:]
    for (jid, contact) in scenario.roster.shownPresences {
      for (name, resource) in contact.resources {
        presence[jid.text, default: [:]][name] = resource.availability
      }
    }
    self.presence = presence
    blocked = scenario.roster.blocked.map(\.description).sorted()
  }
}

@Suite("Orders that do not matter")
struct OrderTests {
  private typealias Line = @Sendable (inout Scenario) -> Void

  /// Plays the lines in their order and then in random orders; all must show the same.
  private func expectSame(_ lines: [Line], start: Scenario, seeds: Range<UInt64> = 0..<60) {
    var first = start
    for line in lines { line(&first) }
    for seed in seeds {
      var generator = SeededGenerator(seed: seed)
      var scenario = start
      for line in lines.shuffled(using: &generator) { line(&scenario) }
      #expect(Shown(scenario) == Shown(first), "seed \(seed)")
    }
  }

  /// Plays several dialogues at once, each in its own order.
  private func expectSameInterleaved(_ dialogues: [[Line]], start: Scenario) {
    var first = start
    for line in dialogues.joined() { line(&first) }
    for seed in 0..<UInt64(60) {
      var generator = SeededGenerator(seed: seed)
      var scenario = start
      var rest = dialogues.map { $0[...] }.filter { !$0.isEmpty }
      while !rest.isEmpty {
        let index = Int.random(in: rest.indices, using: &generator)
        rest[index].removeFirst()(&scenario)
        if rest[index].isEmpty { rest.remove(at: index) }
      }
      #expect(Shown(scenario) == Shown(first), "seed \(seed)")
    }
  }

  private var fresh: Scenario {
    var scenario = Scenario()
    scenario.opened("alice@example.test/phone")
    return scenario
  }

  @Test("Early presence before the roster, between pushes, after it")
  func earlyPresence() {
    expectSameInterleaved(
      [
        [
          { $0.gets() },
          { $0.receivesResult(item("bob@example.test", "subscription='both'")) },
        ],
        [{ $0.receives(from: "bob@example.test/pda", "<show>away</show>") }],
        [{ $0.receives(from: "bob@example.test/desk", "<priority>3</priority>") }],
        [{ $0.receives(from: "carol@example.test/x") }],
        [{ $0.receives("subscribe", from: "dave@example.test") }],
      ], start: fresh)
  }

  @Test("The result of a set before or after its push")
  func resultAndPush() {
    var start = Scenario.alice(item("bob@example.test", "name='Bob'"))
    start.sets(item("bob@example.test", "name='Robert'"))
    let lines: [Line] = [
      { $0.receivesEmptyResult(id: "set") },
      { $0.pushed(item("bob@example.test", "name='Robert'")) },
    ]
    expectSame(lines, start: start)
    for order in [lines, lines.reversed()] {
      var scenario = start
      for line in order { line(&scenario) }
      #expect(scenario.allCodes.isEmpty)
    }
  }

  @Test("Presence of different resources")
  func presence() {
    let lines: [Line] = (0..<12).map { number in
      {
        $0.receives(
          from: "c\(number % 4)@example.test/r\(number)", "<priority>\(number)</priority>")
      }
    }
    expectSame(lines, start: Scenario.alice(item("c1@example.test", "subscription='both'")))
  }

  @Test("Pushes of different contacts")
  func pushes() {
    let subscriptions = ["none", "to", "from", "both", "remove"]
    let lines: [Line] = (0..<15).map { number in
      {
        $0.pushed(
          item("c\(number)@example.test", "subscription='\(subscriptions[number % 5])' name='N'"))
      }
    }
    let items = (0..<15).map { item("c\($0)@example.test", "ask='subscribe'", groups: ["G"]) }
    expectSame(lines, start: Scenario.alice(items.joined()))
  }

  @Test("Requests of different contacts, and items in a result")
  func requests() {
    let lines: [Line] = (0..<12).map { number in
      { $0.receives("subscribe", from: "c\(number)@example.test") }
    }
    expectSame(lines, start: Scenario.alice())
    let items = (0..<12).map {
      item("c\($0)@example.test", "subscription='to'", groups: ["G\($0)"])
    }
    for seed in 0..<UInt64(20) {
      var generator = SeededGenerator(seed: seed)
      let shuffled = Scenario.alice(items.shuffled(using: &generator).joined())
      #expect(shuffled.last == Scenario.alice(items.joined()).last, "seed \(seed)")
    }
  }

  @Test("Whole dialogues of different contacts")
  func dialogues() {
    func add(_ jid: String) -> [Line] {
      [
        { $0.sets(item(jid, "name='X'"), id: "s-\(jid)") },
        { $0.sends("subscribe", to: jid) },
        { $0.pushed(item(jid, "name='X'")) },
        { $0.receivesEmptyResult(id: "s-\(jid)") },
        { $0.pushed(item(jid, "name='X' ask='subscribe'")) },
        { $0.receives("subscribed", from: jid) },
        { $0.pushed(item(jid, "name='X' subscription='to'")) },
        { $0.receives(from: "\(jid)/pda") },
      ]
    }
    func accept(_ jid: String) -> [Line] {
      [
        { $0.receives("subscribe", from: jid) }, { $0.sends("subscribed", to: jid) },
        { $0.pushed(item(jid, "subscription='from'")) },
      ]
    }
    func leave(_ jid: String) -> [Line] {
      [
        { $0.receives(from: "\(jid)/pda") }, { $0.receives("unsubscribe", from: jid) },
        { $0.pushed(item(jid, "subscription='to'")) }, { $0.receives("unsubscribed", from: jid) },
        { $0.pushed(item(jid)) },
      ]
    }
    let start = Scenario.alice(item("leaver@example.test", "subscription='both'"))
    expectSameInterleaved(
      [add("new@example.test"), accept("asker@example.test"), leave("leaver@example.test")],
      start: start)
  }
}
