import TestSupport
import Testing
import XMPPStanza

@testable import RosterCore

/// States that are kept as the difference to an earlier one.
@Suite("Increments of states")
struct IncrementTests {
  /// A state as a log keeps it: whole at first, and then as increments, each to the one before.
  private struct Kept {
    var whole: [UInt8]
    var increments: [[UInt8]] = []

    func state(_ count: Int) throws -> Roster {
      var roster = try Roster(snapshot: whole.span.bytes)
      for bytes in increments.prefix(count) { roster = try roster.adding(bytes.span.bytes) }
      return roster
    }
  }

  /// Reduces a history; hands out the state every so often, from the first time on as increments.
  private func keep(
    _ history: [(RosterEvent, RecordStamp, ConnectionID)], every distance: Int
  ) throws -> (kept: Kept, states: [Roster]) {
    var roster = Roster()
    var states: [Roster] = []
    var kept: Kept?
    for (index, (event, stamp, connection)) in history.enumerated() {
      _ = RosterReducer.reduce(&roster, event, at: stamp, on: connection)
      guard index % distance == distance - 1 else { continue }
      if let last = states.last {
        let base = SnapshotBase(sequence: last.position, depth: UInt64(states.count - 1))
        kept?.increments.append(try #require(roster.increment(to: base)))
      } else {
        kept = Kept(whole: roster.snapshot)
      }
      roster.beginIncrement()
      states.append(roster)
    }
    return (try #require(kept), states)
  }

  /// Reduces what happened in a scenario after its first events.
  private func follow(_ scenario: Scenario, from first: Int, _ roster: inout Roster) {
    for (event, stamp, connection) in scenario.history.dropFirst(first) {
      _ = RosterReducer.reduce(&roster, event, at: stamp, on: connection)
    }
  }

  @Test("A whole state and its increments give what everything gives", arguments: 0..<UInt64(12))
  func chain(seed: UInt64) throws {
    var fuzzer = StanzaFuzzer(seed: seed)
    var scenario = Scenario()
    for _ in 0..<600 { fuzzer.step(&scenario) }
    let (kept, states) = try keep(scenario.history, every: 23)
    for (count, state) in states.enumerated() {
      let read = try kept.state(count)
      guard read == state, read.canonicalBytes == state.canonicalBytes else {
        Issue.record("seed \(seed), \(count) increments: \(state) was read as \(read)")
        return
      }
    }
  }

  @Test("What is read of increments goes on as what was reduced", arguments: 12..<UInt64(18))
  func goesOn(seed: UInt64) throws {
    var fuzzer = StanzaFuzzer(seed: seed)
    var scenario = Scenario()
    for _ in 0..<400 { fuzzer.step(&scenario) }
    let history = scenario.history
    let (kept, states) = try keep(history, every: 37)
    var read = try kept.state(states.count)
    var other = try #require(states.last)
    for _ in 0..<200 { fuzzer.step(&scenario) }
    for (event, stamp, connection) in scenario.history.dropFirst(states.count * 37) {
      let outcome = RosterReducer.reduce(&read, event, at: stamp, on: connection)
      let wanted = RosterReducer.reduce(&other, event, at: stamp, on: connection)
      #expect(outcome == wanted, "seed \(seed), record \(stamp.record)")
    }
    #expect(read == other, "seed \(seed)")
  }

  @Test("An increment fits every state between its base and itself", arguments: 18..<UInt64(24))
  func between(seed: UInt64) throws {
    var fuzzer = StanzaFuzzer(seed: seed)
    var scenario = Scenario()
    for _ in 0..<240 { fuzzer.step(&scenario) }
    let history = scenario.history
    let (kept, states) = try keep(history, every: 60)
    var roster = Roster()
    for (event, stamp, connection) in history {
      _ = RosterReducer.reduce(&roster, event, at: stamp, on: connection)
      for (place, state) in states.enumerated().dropFirst()
      where states[place - 1].position <= roster.position && roster.position <= state.position {
        let bytes = kept.increments[place - 1]
        let read = try roster.adding(bytes.span.bytes)
        #expect(read == state, "seed \(seed), put on the state after \(stamp.record)")
      }
    }
  }

  @Test("Who only lost sight of everybody names nobody but those who came back")
  func reopened() throws {
    let contacts = (0..<200).map { "user\($0)@example.test" }
    var scenario = Scenario.alice(
      contacts.map { item($0, "subscription='both'") }.joined())
    for contact in contacts { scenario.receives(from: contact + "/desk") }
    scenario.receives(from: contacts[3] + "/phone")
    var roster = scenario.roster
    let base = SnapshotBase(sequence: roster.position, depth: 0)
    var read = roster
    roster.beginIncrement()
    let before = scenario.history.count
    scenario.closed()
    scenario.opened("alice@example.test/phone")
    scenario.receives(from: contacts[7] + "/desk")
    follow(scenario, from: before, &roster)
    let bytes = try #require(roster.increment(to: base))
    #expect(bytes.count < 600)
    read = try read.adding(bytes.span.bytes)
    #expect(read == roster)
    #expect(read.presence(of: bare(contacts[7])).resources.count == 1)
    #expect(read.presence(of: bare(contacts[3])).resources.isEmpty)
  }

  @Test("What a contact has beside several resources is in an increment")
  func several() throws {
    var scenario = Scenario.alice(item("bob@example.test", "subscription='to'"))
    var roster = scenario.roster
    var read = roster
    roster.beginIncrement()
    let base = SnapshotBase(sequence: roster.position, depth: 0)
    let before = scenario.history.count
    scenario.receives(from: "bob@example.test/desk")
    scenario.receives(from: "bob@example.test/phone")
    scenario.receives("subscribe", from: "bob@example.test")
    follow(scenario, from: before, &roster)
    let bytes = try #require(roster.increment(to: base))
    read = try read.adding(bytes.span.bytes)
    #expect(read.incoming.keys == [bare("bob@example.test")])
    #expect(read.presence(of: bare("bob@example.test")).resources.count == 2)
    #expect(read == roster)
  }

  @Test("Who has changed is known also where contacts have other numbers since")
  func compacted() throws {
    var scenario = Scenario.alice(
      item("zoe@example.test", "name='Zoe'") + item("bob@example.test") + item("carol@example.test")
    )
    var roster = scenario.roster
    let start = roster
    #expect(roster.increment(to: SnapshotBase(sequence: roster.position, depth: 0)) == nil)
    roster.beginIncrement()
    let base = SnapshotBase(sequence: roster.position, depth: 0)
    let before = scenario.history.count
    scenario.pushed(item("zoe@example.test", "subscription='remove'"))
    scenario.receives("subscribe", from: "dave@example.test")
    follow(scenario, from: before, &roster)
    let numbers = roster.contacts.numbers.map { roster.contacts.address(of: $0) }
    roster.contacts = roster.contacts.compacted(with: &roster.ownPresence)
    #expect(numbers != roster.contacts.numbers.map { roster.contacts.address(of: $0) })
    let bytes = try #require(roster.increment(to: base))
    #expect(try start.adding(bytes.span.bytes) == roster)
    // Nobody keeps who is gone for longer than that.
    roster.beginIncrement()
    roster.contacts = roster.contacts.compacted(with: &roster.ownPresence)
    #expect(roster.contacts.numbers.count { _ in true } == 3)
  }

  @Test("Who only went, and of whom nothing is known, went also where the table was made anew")
  func goneAndCompacted() throws {
    var scenario = Scenario.alice(item("bob@example.test", "subscription='to'"))
    scenario.receives(from: "bob@example.test/desk")
    scenario.receives(from: "stranger@example.test/desk")
    var roster = scenario.roster
    let start = roster
    roster.beginIncrement()
    let base = SnapshotBase(sequence: roster.position, depth: 0)
    let before = scenario.history.count
    scenario.received("<presence from='stranger@example.test/desk' type='unavailable'/>")
    follow(scenario, from: before, &roster)
    roster.contacts = roster.contacts.compacted(with: &roster.ownPresence)
    let bytes = try #require(roster.increment(to: base))
    let read = try start.adding(bytes.span.bytes)
    #expect(read.shownPresences.keys == [bare("bob@example.test")])
    #expect(read == roster)
  }

  @Test("A chain that nobody would write is refused")
  func depth() throws {
    var roster = Scenario.alice(item("bob@example.test")).roster
    let start = roster
    roster.beginIncrement()
    for depth in [SnapshotBase.mostDepth, .max - 1, .max] {
      let base = SnapshotBase(sequence: roster.position, depth: depth)
      let bytes = try #require(roster.increment(to: base))
      #expect(throws: CodecError.self) { try SnapshotKind(of: bytes.span.bytes) }
      #expect(throws: CodecError.self) { try start.adding(bytes.span.bytes) }
    }
  }

  @Test("An increment is put on nothing else, and a whole state is none")
  func refused() throws {
    var scenario = Scenario.alice(item("bob@example.test"))
    var roster = scenario.roster
    let early = Roster()
    roster.beginIncrement()
    let base = SnapshotBase(sequence: roster.position, depth: 0)
    let before = scenario.history.count
    scenario.pushed(item("bob@example.test", "name='Bob'"))
    follow(scenario, from: before, &roster)
    let bytes = try #require(roster.increment(to: base))
    #expect(throws: CodecError.self) { try early.adding(bytes.span.bytes) }
    #expect(throws: CodecError.self) { try Roster(snapshot: bytes.span.bytes) }
    #expect(throws: CodecError.self) { try roster.adding(roster.snapshot.span.bytes) }
    #expect(try SnapshotKind(of: bytes.span.bytes) == .increment(base))
    #expect(try SnapshotKind(of: roster.snapshot.span.bytes) == .whole)
  }

  @Test("Increments that were changed are refused, or read as some state")
  func changed() throws {
    var scenario = Scenario.alice(item("bob@example.test") + item("carol@example.test"))
    scenario.receives(from: "bob@example.test/desk", "<status>here</status>")
    var roster = scenario.roster
    let start = roster
    roster.beginIncrement()
    let base = SnapshotBase(sequence: roster.position, depth: 0)
    let before = scenario.history.count
    scenario.receives(from: "bob@example.test/phone", "<status>there</status>")
    scenario.pushed(item("bob@example.test", "name='Bob' subscription='to'", groups: ["G"]))
    scenario.receives("subscribe", from: "dave@example.test", "<status>hi</status>")
    follow(scenario, from: before, &roster)
    let bytes = try #require(roster.increment(to: base))
    for index in bytes.indices {
      for byte: UInt8 in [0, 1, bytes[index] ^ 0x80, 0xFF] where byte != bytes[index] {
        var changed = bytes
        changed[index] = byte
        guard let read = try? start.adding(changed.span.bytes) else { continue }
        // Whatever it is, it is a state that can be kept.
        #expect(try Roster(snapshot: read.snapshot.span.bytes) == read, "byte \(index)")
      }
      let beginning = Array(bytes[..<index])
      #expect(throws: CodecError.self) { try start.adding(beginning.span.bytes) }
    }
  }
}
