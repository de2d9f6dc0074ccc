import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Properties of the reducer")
struct PropertyTests {
  @Test("The reducer is total, and its changes are complete", arguments: 0..<UInt64(8))
  func wholeTruth(seed: UInt64) {
    var fuzzer = StanzaFuzzer(seed: seed)
    var scenario = Scenario()
    var shadow = ShadowRoster()
    for step in 0..<2_500 {
      let before = ShadowRoster(viewsOf: scenario.roster)
      fuzzer.step(&scenario)
      for change in scenario.last.changes { shadow.apply(change) }
      let shown = ShadowRoster(viewsOf: scenario.roster)
      guard shadow == shown else {
        Issue.record(
          """
          seed \(seed), step \(step): \(scenario.last.changes) \
          of \(String(describing: scenario.history.last)) give \(shadow), not \(shown)
          """)
        return
      }
      if scenario.last.changes.isEmpty {
        #expect(shown == before, "seed \(seed), step \(step): changed without a change")
      }
      let record = scenario.record
      #expect(scenario.last.changes.allSatisfy { $0.record == record })
      #expect(scenario.last.findings.allSatisfy { $0.record == record && !$0.sentence.isEmpty })
    }
    #expect(scenario.record == 2_500)
  }

  @Test("The same events give the same roster and outcomes", arguments: 100..<UInt64(104))
  func determinism(seed: UInt64) {
    var fuzzer = StanzaFuzzer(seed: seed)
    var scenario = Scenario()
    for _ in 0..<1_000 { fuzzer.step(&scenario) }
    var again = Roster()
    var outcomes: [RosterOutcome] = []
    for (event, stamp, connection) in scenario.history {
      outcomes.append(RosterReducer.reduce(&again, event, at: stamp, on: connection))
    }
    #expect(again == scenario.roster, "seed \(seed)")
    #expect(
      outcomes.flatMap(\.changes) == scenario.outcomes.flatMap(\.changes), "seed \(seed)")
    #expect(
      outcomes.flatMap(\.findings) == scenario.outcomes.flatMap(\.findings), "seed \(seed)")
  }

  @Test("A kept old state does not change", arguments: 200..<UInt64(202))
  func persistence(seed: UInt64) {
    var fuzzer = StanzaFuzzer(seed: seed)
    var scenario = Scenario()
    for _ in 0..<300 { fuzzer.step(&scenario) }
    let kept = scenario.roster
    let shown = kept.sortedItems
    let history = scenario.history
    for _ in 0..<300 { fuzzer.step(&scenario) }
    #expect(kept.sortedItems == shown)
    var again = Roster()
    for (event, stamp, connection) in history {
      _ = RosterReducer.reduce(&again, event, at: stamp, on: connection)
    }
    #expect(kept == again, "seed \(seed)")
  }

  @Test("No state violates the rules", arguments: 300..<UInt64(306))
  func invariants(seed: UInt64) {
    var fuzzer = StanzaFuzzer(seed: seed)
    var scenario = Scenario.alice()
    for step in 0..<1_500 {
      fuzzer.step(&scenario)
      let roster = scenario.roster
      let note: Comment = "seed \(seed), step \(step)"
      for item in roster.sortedItems {
        // Rules 12 and 14.
        if item.subscription.includesFrom { #expect(roster.incoming[item.jid] == nil, note) }
        if item.subscription.includesTo { #expect(roster.outgoing[item.jid] == nil, note) }
        #expect(roster.item(item.jid) == item, note)
      }
      for jid in roster.unconfirmed.keys { #expect(roster.incoming[jid] == nil, note) }
      if !roster.isConnected { #expect(roster.shownPresences.isEmpty, note) }
      for contact in roster.shownPresences.values { #expect(!contact.resources.isEmpty, note) }
      if let account = roster.account { #expect(account == bare("alice@example.test"), note) }
    }
  }
}

@Suite("Provenance")
struct ProvenanceTests {
  private let bob = "bob@example.test"

  private func provenance(_ scenario: Scenario) -> RosterEntry.Provenance? {
    scenario.roster.entries[bare(bob)]?.provenance
  }

  @Test("Each field names the record that gave it its value")
  func fields() {
    var scenario = Scenario.alice(item(bob, "name='Bob'"))
    var expected = provenance(scenario)
    #expect(expected?.item == 3)
    #expect(expected?.name == 3)
    scenario.pushed(item(bob, "name='Bob' subscription='to'"))
    #expect(provenance(scenario)?.subscription == 4)
    #expect(provenance(scenario)?.name == 3)
    scenario.pushed(item(bob, "name='Rob' subscription='to'"))
    #expect(provenance(scenario)?.name == 5)
    scenario.pushed(item(bob, "name='Rob' subscription='to' ask='subscribe'"))
    #expect(provenance(scenario)?.ask == 6)
    scenario.pushed(item(bob, "name='Rob' subscription='to' ask='subscribe' approved='1'"))
    #expect(provenance(scenario)?.approved == 7)
    scenario.pushed(
      item(bob, "name='Rob' subscription='to' ask='subscribe' approved='1'", groups: ["G"]))
    expected = provenance(scenario)
    #expect(expected?.groups == 8)
    #expect(expected?.item == 3)
    #expect(expected?.name == 5)
    #expect(expected?.subscription == 4)
    #expect(expected?.ask == 6)
    #expect(expected?.approved == 7)
    scenario.fetches(
      item(bob, "name='Rob' subscription='to' ask='subscribe' approved='1'", groups: ["G"]))
    #expect(provenance(scenario) == expected)
    scenario.fetches(item(bob, "name='Bo' subscription='to'"))
    #expect(provenance(scenario)?.name == scenario.record)
    #expect(provenance(scenario)?.groups == scenario.record)
    #expect(provenance(scenario)?.subscription == 4)
  }

  @Test("A removed contact that is added again has new provenance")
  func comesBack() {
    var scenario = Scenario.alice(item(bob, "name='Bob'"))
    scenario.pushed(item(bob, "subscription='remove'"))
    scenario.pushed(item(bob, "name='Bob'"))
    #expect(provenance(scenario)?.item == 5)
    #expect(provenance(scenario)?.name == 5)
  }

  @Test("Findings name the record that they refer to")
  func causes() {
    var scenario = Scenario.alice()
    scenario.gets(id: "a")
    scenario.receivesResult(id: "a", from: "eve@example.test")
    #expect(scenario.last.findings.first?.cause == 4)
    #expect(scenario.last.findings.first?.record == 5)
    #expect(scenario.last.findings.first?.contact == bare("eve@example.test"))
  }
}
