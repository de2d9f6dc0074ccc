import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Differences of two states")
struct DifferenceTests {
  private let bob = "bob@example.test"
  private let carol = "carol@example.test"

  /// The differences that some lines cause, without those of the account.
  private func differences(
    _ before: Scenario, _ lines: (inout Scenario) -> Void
  ) -> [FieldDifference] {
    var after = before
    lines(&after)
    return before.roster.differences(to: after.roster).filter { $0.contact != nil }
  }

  @Test("Each field of an item differs, with the record that set it")
  func fields() {
    var before = Scenario.alice(item(bob, "name='Bob' subscription='none'", groups: ["A"]))
    before.pushed(item(bob, "name='Bob' subscription='to'", groups: ["A"]))
    let list = differences(before) {
      $0.pushed(item(bob, "name='Rob' subscription='to'", groups: ["A"]))
      $0.pushed(item(bob, "name='Rob' subscription='from' ask='subscribe'", groups: ["A"]))
      $0.pushed(
        item(bob, "name='Rob' subscription='from' ask='subscribe' approved='1'", groups: ["B"]))
    }
    #expect(list.map(\.field) == [.name, .subscription, .ask, .approved, .groups, .outgoing])
    #expect(list.map(\.record) == [5, 6, 6, 7, 7, 6])
    #expect(list.allSatisfy { $0.contact == bare(bob) })
    #expect(list.first?.values == .name(before: "Bob", after: "Rob"))
    #expect(list.dropFirst().first?.values == .subscription(before: .to, after: .from))
    guard case .outgoing(before: nil, _?)? = list.last?.values else {
      Issue.record("\(list)")
      return
    }
  }

  @Test("Added and removed contacts")
  func items() {
    let before = Scenario.alice(item(bob, "name='Bob'"))
    let list = differences(before) {
      $0.pushed(item(carol))
      $0.pushed(item(bob, "subscription='remove'"))
    }
    #expect(
      list == [
        FieldDifference(
          contact: bare(bob),
          values: .item(before: RosterItem(jid: bare(bob), name: "Bob"), after: nil), record: nil),
        FieldDifference(
          contact: bare(carol), values: .item(before: nil, after: RosterItem(jid: bare(carol))),
          record: 4),
      ])
  }

  @Test("A request that arrives, becomes unconfirmed, and ends")
  func requests() {
    var scenario = Scenario.alice()
    let nothing = scenario
    scenario.receives("subscribe", from: carol, "<status>Hi</status>")
    let open = scenario
    #expect(nothing.roster.differences(to: open.roster).map(\.field) == [.request])
    #expect(nothing.roster.differences(to: open.roster).first?.record == 4)
    scenario.closed()
    scenario.opened("alice@example.test/phone")
    scenario.sends()
    let doubtful = open.roster.differences(to: scenario.roster)
    #expect(doubtful.map(\.field) == [.request])
    guard case .request(let before, let after)? = doubtful.first?.values else {
      Issue.record("\(doubtful)")
      return
    }
    #expect(before?.isConfirmed == true && after?.isConfirmed == false)
    #expect(after?.request.status == "Hi")
    scenario.sends("unsubscribed", to: carol)
    let ended = open.roster.differences(to: scenario.roster)
    #expect(ended.map(\.field) == [.request])
    #expect(ended.first?.record == scenario.record)
  }

  @Test("Presence differs by resource; repeated presence is no difference")
  func presence() {
    var before = Scenario.alice(item(bob, "subscription='to'"))
    before.receives(from: "\(bob)/b")
    before.receives(from: "\(bob)/a", "<show>away</show>")
    let list = differences(before) {
      $0.receives(from: "\(bob)/c")
      $0.receives("unavailable", from: "\(bob)/a")
      $0.receives(from: "\(bob)/b")
    }
    #expect(
      list.map(\.said) == [
        Said(resource: "a", before: Availability(show: .away), after: nil),
        Said(resource: "c", before: nil, after: Availability()),
      ])
    #expect(list.map(\.record) == [nil, 6] && list.allSatisfy { $0.contact == bare(bob) })
  }

  @Test("The end of a session hides all presence, whichever contacts are compared")
  func disconnected() {
    var scenario = Scenario.alice(item(bob, "subscription='to'"))
    scenario.receives(from: "\(bob)/b")
    let before = scenario.roster
    scenario.lost()
    let list = before.differences(to: scenario.roster, among: [])
    #expect(list.map(\.field) == [.connected, .presence])
    #expect(list.map(\.contact) == [nil, bare(bob)])
  }

  @Test("Blocking, names and the account")
  func others() {
    let before = Scenario.alice()
    var after = before
    after.received(
      "<iq type='set' id='b'><block xmlns='urn:xmpp:blocking'><item jid='\(bob)/x'/>"
        + "<item jid='\(bob)'/></block></iq>")
    after.pushed(item(bob), version: "v2")
    after.receives(from: "alice@example.test/tablet")
    let list = before.roster.differences(to: after.roster)
    #expect(list.map(\.field) == [.version, .ownResources, .item, .blocked, .blocked])
    #expect(
      list.suffix(2).map(\.values) == [
        .blocked(address(bob), before: false, after: true),
        .blocked(address("\(bob)/x"), before: false, after: true),
      ])
    #expect(before.roster.differences(to: after.roster, among: [bare(carol)]).count == 2)
  }

  @Test(
    "Differences lead from one state to the other, in both directions", arguments: 0..<UInt64(12))
  func leadOver(seed: UInt64) {
    var fuzzer = StanzaFuzzer(seed: seed)
    var random = SeededGenerator(seed: seed)
    var scenario = Scenario()
    var states = [scenario.roster]
    for _ in 0..<400 {
      fuzzer.step(&scenario)
      states.append(scenario.roster)
    }
    for _ in 0..<150 {
      let first = Int.random(in: states.indices, using: &random)
      let last = min(first + [1, 5, 400][Int.random(in: 0..<3, using: &random)], states.count - 1)
      let (before, after) = (states[first], states[last])
      let note: Comment = "seed \(seed), after \(first) and \(last)"
      let there = before.differences(to: after)
      let back = after.differences(to: before)
      #expect(leads(there, from: before, to: after), note)
      #expect(leads(back, from: after, to: before), note)
      #expect(there.map(\.contact) == back.map(\.contact), note)
      #expect(there.map(\.field) == back.map(\.field), note)
      #expect(before.differences(to: before).isEmpty, note)
      // The changes in between say which contacts to compare.
      let changes = scenario.outcomes[first..<last].flatMap(\.changes)
      let named = Set(changes.compactMap(\.contact))
      #expect(before.differences(to: after, among: named) == there, note)
      for difference in there where difference.record != nil {
        #expect(difference.record.map { $0 <= after.position } == true, note)
      }
    }
  }

  @Test("Resources are listed in the order of their names, whichever state has them")
  func resources() {
    var before = Scenario.alice(item(bob))
    for name in ["b", "d", "a"] { before.receives(from: "\(bob)/\(name)") }
    func delay(_ day: Int) -> String { "2026-11-0\(day)T10:00:00Z" }
    func delayed(_ day: Int) -> String { "<delay xmlns='urn:xmpp:delay' stamp='\(delay(day))'/>" }
    before.receives(from: "\(bob)/f", delayed(1))
    let list = differences(before) {
      $0.receives("unavailable", from: "\(bob)/d")
      $0.receives(from: "\(bob)/c")
      $0.receives(from: "\(bob)/b", "<show>away</show>")
      // The same presence as before.
      $0.receives(from: "\(bob)/a", "<show>dnd</show>")
      $0.receives(from: "\(bob)/a")
      $0.receives(from: "\(bob)/e")
      $0.receives(from: "\(bob)/f", delayed(2))
    }
    let here = Availability()
    #expect(
      list.map(\.said) == [
        Said(resource: "b", before: here, after: Availability(show: .away)),
        Said(resource: "c", before: nil, after: here),
        Said(resource: "d", before: here, after: nil),
        Said(resource: "e", before: nil, after: here),
        Said(
          resource: "f", before: Availability(delay: delay(1)),
          after: Availability(delay: delay(2))),
      ])
    #expect(list.map(\.record) == [10, 9, nil, 13, 14])
  }

  /// States from snapshots are compared by their bytes.
  @Test(
    "States that were read from snapshots differ as they did before", arguments: 40..<UInt64(52))
  func snapshots(seed: UInt64) throws {
    func stored(_ roster: Roster) throws -> Roster {
      try Roster(snapshot: roster.snapshot.span.bytes)
    }
    var fuzzer = StanzaFuzzer(seed: seed)
    var scenario = Scenario()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<8 {
      for _ in 0..<Int.random(in: 20..<100, using: &random) { fuzzer.step(&scenario) }
      let (before, first) = (scenario.roster, scenario.history.count)
      var read = try stored(before)
      for _ in 0..<Int.random(in: 1..<40, using: &random) { fuzzer.step(&scenario) }
      let after = scenario.roster
      let expected = before.differences(to: after)
      let readBefore = read
      for (event, stamp, connection) in scenario.history[first...] {
        RosterReducer.reduce(&read, event, at: stamp, on: connection, reporting: .nothing)
      }
      let note: Comment = "seed \(seed), to \(after.position)"
      #expect(readBefore.differences(to: read) == expected, note)
      #expect(try stored(before).differences(to: stored(after)) == expected, note)
      #expect(try before.differences(to: stored(after)) == expected, note)
      #expect(read.differences(to: readBefore) == after.differences(to: before), note)
    }
  }

  @Test("The cause of a difference is the record that made it", arguments: 30..<UInt64(36))
  func causes(seed: UInt64) {
    var fuzzer = StanzaFuzzer(seed: seed)
    var scenario = Scenario()
    for step in 0..<400 {
      let before = scenario.roster
      fuzzer.step(&scenario)
      for difference in before.differences(to: scenario.roster) {
        // A resumed session shows its earlier presence again.
        let isShownAgain = difference.field == .presence || difference.field == .ownResources
        if isShownAgain, before.isConnected != scenario.roster.isConnected { continue }
        guard let record = difference.record else { continue }
        #expect(record == scenario.roster.position, "seed \(seed), step \(step): \(difference)")
      }
    }
  }
}

/// The presence of a resource before and after, regardless of its time.
private struct Said: Equatable {
  let resource: String
  let before: Availability?
  let after: Availability?
}

extension FieldDifference {
  fileprivate var said: Said? {
    guard case .presence(let resource, let before, let after) = values else { return nil }
    return Said(
      resource: resource, before: before?.availability, after: after?.availability)
  }
}
