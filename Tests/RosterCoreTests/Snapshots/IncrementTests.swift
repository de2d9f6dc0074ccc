import TestSupport
import Testing
import XMPPStanza

@testable import RosterCore

extension Roster {
  /// The state after applying an increment.
  fileprivate func adding(_ increment: RawSpan) throws -> Roster {
    var next = self
    try next.add(increment)
    return next
  }
}

/// States that are stored as the difference from an earlier one.
@Suite("Increments of states")
struct IncrementTests {
  /// A state as a log keeps it: first as a whole, then as increments, each to the previous one.
  private struct Kept {
    var whole: [UInt8]
    var increments: [[UInt8]] = []
    /// The bases of the next increment.
    var bases: [SnapshotBase] = []

    func state(_ count: Int) throws -> Roster {
      var roster = try Roster(snapshot: whole.span.bytes)
      roster.base = bases[0]
      for (place, bytes) in increments.prefix(count).enumerated() {
        roster = try roster.adding(bytes.span.bytes)
        roster.base = bases[place + 1]
      }
      return roster
    }
  }

  /// A base for a state, as a log would identify it.
  private func base(of roster: Roster, depth: Int = 0) -> SnapshotBase {
    SnapshotBase(
      sequence: roster.position, identity: 1000 + roster.position, depth: UInt64(depth))
  }

  /// Reduces a history, and passes the state to `body` at intervals: first as a whole, then as
  /// increments.
  private func keep(
    _ history: [(RosterEvent, RecordStamp, ConnectionID)], every distance: Int
  ) throws -> (kept: Kept, states: [Roster]) {
    var roster = Roster()
    var states: [Roster] = []
    var kept: Kept?
    for (index, (event, stamp, connection)) in history.enumerated() {
      _ = RosterReducer.reduce(&roster, event, at: stamp, on: connection)
      guard index % distance == distance - 1 else { continue }
      if states.isEmpty {
        kept = Kept(whole: roster.snapshot)
        let bytes = roster.snapshot
        roster = try Roster(snapshot: bytes.span.bytes)
      } else {
        kept?.increments.append(try #require(roster.increment))
      }
      let base = base(of: roster, depth: states.count)
      kept?.bases.append(base)
      states.append(roster)
      roster.beginIncrement(to: base)
    }
    return (try #require(kept), states)
  }

  /// Reduces the events of a scenario from the given one on.
  private func follow(_ scenario: Scenario, from first: Int, _ roster: inout Roster) {
    for (event, stamp, connection) in scenario.history.dropFirst(first) {
      _ = RosterReducer.reduce(&roster, event, at: stamp, on: connection)
    }
  }

  @Test(
    "A whole state and its increments give the same as all events", arguments: 0..<UInt64(12))
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

  @Test("A state read from increments continues like the reduced one", arguments: 12..<UInt64(18))
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
      // Alternates between reducing without reports, as a reader does, and with all changes.
      if seed.isMultiple(of: 2) {
        RosterReducer.reduce(&roster, event, at: stamp, on: connection, reporting: .nothing)
      } else {
        _ = RosterReducer.reduce(&roster, event, at: stamp, on: connection)
      }
      if let place = states.firstIndex(where: { $0.position == roster.position }) {
        roster = try kept.state(place)
      }
      guard let place = kept.bases.firstIndex(where: { $0 == roster.base }),
        place < kept.increments.count
      else { continue }
      let bytes = kept.increments[place]
      let read = try roster.adding(bytes.span.bytes)
      #expect(read == states[place + 1], "seed \(seed), put on the state after \(stamp.record)")
    }
  }

  @Test(
    "Contacts and texts get the same numbers in every reduction", arguments: 24..<UInt64(30))
  func numbering(seed: UInt64) throws {
    var fuzzer = StanzaFuzzer(seed: seed)
    var scenario = Scenario()
    for _ in 0..<500 { fuzzer.step(&scenario) }
    var (told, silent) = (Roster(), Roster())
    for (event, stamp, connection) in scenario.history {
      _ = RosterReducer.reduce(&told, event, at: stamp, on: connection)
      RosterReducer.reduce(&silent, event, at: stamp, on: connection, reporting: .nothing)
    }
    #expect(told.contacts.counts.contacts > 3 && told.contacts.counts.texts > 0)
    #expect(numbered(told.contacts) == numbered(silent.contacts), "seed \(seed)")
  }

  /// All texts of a table, by number.
  private func numbered(_ table: ContactTable) -> [[String]] {
    [
      table.numbers.map { table.address(of: $0).text },
      (0..<UInt32(table.counts.texts)).map { table.text(TextNumber(rawValue: $0)) ?? "" },
      (0..<UInt32(table.counts.groups)).map {
        "\(table.texts(ofGroups: GroupsNumber(rawValue: $0)))"
      },
    ]
  }

  @Test("An increment is not applied to another snapshot of its base's record")
  func otherBase() throws {
    var scenario = Scenario.alice(item("bob@example.test"))
    var roster = scenario.roster
    var start = roster
    let base = base(of: roster)
    roster.beginIncrement(to: base)
    let before = scenario.history.count
    scenario.pushed(item("bob@example.test", "name='Bob'"))
    follow(scenario, from: before, &roster)
    let bytes = try #require(roster.increment)
    #expect(throws: CodecError.self) { try start.adding(bytes.span.bytes) }
    start.base = SnapshotBase(sequence: base.sequence, identity: base.identity + 1, depth: 0)
    #expect(throws: CodecError.self) { try start.adding(bytes.span.bytes) }
    start.base = base
    #expect(try start.adding(bytes.span.bytes) == roster)
  }

  @Test("An increment is refused if the table has changed in another way since")
  func otherWay() throws {
    var scenario = Scenario.alice(item("bob@example.test"))
    var roster = scenario.roster
    var other = roster
    let base = base(of: roster)
    roster.beginIncrement(to: base)
    other.base = base
    _ = other.contacts.insert("somebody else")
    let before = scenario.history.count
    scenario.pushed(item("bob@example.test", "name='Bob'"))
    follow(scenario, from: before, &roster)
    let bytes = try #require(roster.increment)
    #expect(throws: CodecError.self) { try other.adding(bytes.span.bytes) }
  }

  @Test("After presence was lost for all contacts, an increment lists only those available again")
  func reopened() throws {
    let contacts = (0..<200).map { "user\($0)@example.test" }
    var scenario = Scenario.alice(
      contacts.map { item($0, "subscription='both'") }.joined())
    for contact in contacts { scenario.receives(from: contact + "/desk") }
    scenario.receives(from: contacts[3] + "/phone")
    var roster = scenario.roster
    let base = base(of: roster)
    var read = roster
    read.base = base
    roster.beginIncrement(to: base)
    let before = scenario.history.count
    scenario.closed()
    scenario.opened("alice@example.test/phone")
    scenario.receives(from: contacts[7] + "/desk")
    follow(scenario, from: before, &roster)
    let bytes = try #require(roster.increment)
    #expect(bytes.count < 600)
    read = try read.adding(bytes.span.bytes)
    #expect(read == roster)
    #expect(read.presence(of: bare(contacts[7])).resources.count == 1)
    #expect(read.presence(of: bare(contacts[3])).resources.isEmpty)
  }

  @Test(
    "After all presence was lost, a contact with several resources has only those available again")
  func lostWithSeveral() throws {
    let contacts = (0..<4).map { "user\($0)@example.test" }
    var scenario = Scenario.alice(contacts.map { item($0, "subscription='both'") }.joined())
    for contact in contacts {
      for resource in ["desk", "phone", "tablet"] {
        scenario.receives(from: "\(contact)/\(resource)")
      }
    }
    var roster = scenario.roster
    var read = roster
    func goOn(_ depth: Int, _ continued: (inout Scenario) -> Void) throws {
      let base = base(of: roster, depth: depth)
      read.base = base
      roster.beginIncrement(to: base)
      let before = scenario.history.count
      continued(&scenario)
      follow(scenario, from: before, &roster)
      let bytes = try #require(roster.increment)
      read = try read.adding(bytes.span.bytes)
      #expect(read == roster)
    }
    func resources(_ number: Int) -> Set<String> {
      Set(read.presence(of: bare(contacts[number])).resources.keys)
    }
    try goOn(0) { scenario in
      scenario.closed()
      scenario.opened("alice@example.test/phone")
      scenario.receives(from: contacts[0] + "/phone")
      for resource in ["desk", "car"] { scenario.receives(from: "\(contacts[1])/\(resource)") }
    }
    #expect((0..<4).map(resources) == [["phone"], ["desk", "car"], [], []])
    try goOn(1) { scenario in
      for resource in ["car", "tablet"] { scenario.receives(from: "\(contacts[2])/\(resource)") }
      scenario.receives(from: contacts[3] + "/desk")
      scenario.receives("unavailable", from: contacts[1] + "/desk")
    }
    #expect((0..<4).map(resources) == [["phone"], ["car"], ["car", "tablet"], ["desk"]])
  }

  @Test("An increment contains a contact's state besides its several resources")
  func several() throws {
    var scenario = Scenario.alice(item("bob@example.test", "subscription='to'"))
    var roster = scenario.roster
    let base = base(of: roster)
    var read = roster
    read.base = base
    roster.beginIncrement(to: base)
    let before = scenario.history.count
    scenario.receives(from: "bob@example.test/desk")
    scenario.receives(from: "bob@example.test/phone")
    scenario.receives("subscribe", from: "bob@example.test")
    follow(scenario, from: before, &roster)
    let bytes = try #require(roster.increment)
    read = try read.adding(bytes.span.bytes)
    #expect(read.incoming.keys == [bare("bob@example.test")])
    #expect(read.presence(of: bare("bob@example.test")).resources.count == 2)
    #expect(read == roster)
  }

  @Test("While changes are noted, numbers stay the same; otherwise there is no increment")
  func compacted() throws {
    var scenario = Scenario.alice(item("zoe@example.test") + item("bob@example.test"))
    var roster = scenario.roster
    roster.base = base(of: roster)
    #expect(roster.increment == nil)
    let before = scenario.history.count
    roster.contacts.tables.compactionSize = 20
    for number in 0..<30 {
      scenario.receives(from: "bob@example.test/\(number)")
      scenario.receives("unavailable", from: "bob@example.test/\(number)")
    }
    var noting = roster
    noting.beginIncrement(to: base(of: roster))
    follow(scenario, from: before, &roster)
    follow(scenario, from: before, &noting)
    // This table was rebuilt, and reports it.
    #expect(roster.contacts.counts.texts < noting.contacts.counts.texts)
    #expect(roster.base == nil && roster.increment == nil)
    #expect(noting.base != nil && noting.increment != nil)
    #expect(roster == noting)
  }

  @Test(
    "Unused contacts and texts stay limited, however often a state is read, as a whole or in parts")
  func readAgain() throws {
    var scenario = Scenario()
    for number in 0..<200 { scenario.receives(from: "c\(number)@example.test/desk") }
    var roster = try Roster(snapshot: scenario.roster.snapshot.span.bytes)
    let size = roster.contacts.tables.size
    for round in 0..<40 {
      // A tenth each time, some of it in an increment, none of it in use.
      for number in 0..<(size / 20) { _ = roster.contacts.insert("\(round): unused \(number)") }
      roster = try Roster(snapshot: roster.snapshot.span.bytes)
      let base = base(of: roster)
      var increasing = roster
      increasing.beginIncrement(to: base)
      for number in 0..<(size / 20) { _ = increasing.contacts.insert("\(round): more \(number)") }
      roster.base = base
      let increment = try #require(increasing.increment)
      roster = try roster.adding(increment.span.bytes)
      #expect(roster.contacts.tables.size < 2 * size, "round \(round)")
      let bytes = roster.takeSnapshot()
      roster = try Roster(snapshot: bytes.span.bytes)
    }
    #expect(roster == scenario.roster)
  }

  @Test("A large state that was read is not rebuilt for one more text")
  func readIsCompact() throws {
    var scenario = Scenario.alice(item("bob@example.test", "subscription='to'"))
    var roster = scenario.roster
    // More contacts with state than a table can hold that was never rebuilt.
    for number in 0..<17_000 {
      let contact = roster.contacts.insert(bare("c\(number)@example.test"))
      roster.contacts.setItem(
        roster.contacts.item(of: roster.contacts.insert(bare("bob@example.test"))), of: contact)
    }
    var read = try Roster(snapshot: roster.snapshot.span.bytes)
    read.base = base(of: read)
    let before = scenario.history.count
    scenario.receives(from: "bob@example.test/desk")
    follow(scenario, from: before, &read)
    #expect(read.base != nil, "it was made anew")
    #expect(read.contacts.counts.contacts == roster.contacts.counts.contacts)
  }

  @Test("A contact that came and went between two snapshots keeps its number")
  func cameAndWent() throws {
    var scenario = Scenario.alice(item("bob@example.test", "subscription='to'"))
    var roster = scenario.roster
    var read = roster
    let base = base(of: roster)
    read.base = base
    roster.beginIncrement(to: base)
    let before = scenario.history.count
    scenario.receives(from: "stranger@example.test/desk")
    scenario.receives(from: "carol@example.test/desk")
    scenario.receives("unavailable", from: "stranger@example.test/desk")
    follow(scenario, from: before, &roster)
    let bytes = try #require(roster.increment)
    read = try read.adding(bytes.span.bytes)
    #expect(read == roster)
    #expect(read.contacts.counts == roster.contacts.counts)
    #expect(read.contacts.number(of: bare("stranger@example.test")) != nil)
    #expect(read.presence(of: bare("stranger@example.test")).resources.isEmpty)
  }

  @Test("A chain of increments that is never written is refused")
  func depth() throws {
    var roster = Scenario.alice(item("bob@example.test")).roster
    var start = roster
    for depth in [SnapshotBase.mostDepth, .max - 1, .max] {
      let base = SnapshotBase(sequence: roster.position, identity: 1, depth: depth)
      roster.beginIncrement(to: base)
      start.base = base
      let bytes = try #require(roster.increment)
      #expect(throws: CodecError.self) { try SnapshotKind(of: bytes.span.bytes) }
      #expect(throws: CodecError.self) { try start.adding(bytes.span.bytes) }
    }
  }

  @Test("An increment is applied only to its base, and a whole state is not an increment")
  func refused() throws {
    var scenario = Scenario.alice(item("bob@example.test"))
    var roster = scenario.roster
    var early = Roster()
    let base = base(of: roster)
    early.base = base
    roster.beginIncrement(to: base)
    let before = scenario.history.count
    scenario.pushed(item("bob@example.test", "name='Bob'"))
    follow(scenario, from: before, &roster)
    let bytes = try #require(roster.increment)
    #expect(throws: CodecError.self) { try early.adding(bytes.span.bytes) }
    #expect(throws: CodecError.self) { try Roster(snapshot: bytes.span.bytes) }
    #expect(throws: CodecError.self) { try roster.adding(roster.snapshot.span.bytes) }
    #expect(try SnapshotKind(of: bytes.span.bytes) == .increment(base))
    #expect(try SnapshotKind(of: roster.snapshot.span.bytes) == .whole)
  }

  @Test("Changed increments are refused or read as some state, which can be stored")
  func changed() throws {
    var scenario = Scenario.alice(item("bob@example.test") + item("carol@example.test"))
    scenario.receives(from: "bob@example.test/desk", "<status>here</status>")
    var roster = scenario.roster
    var start = roster
    let base = base(of: roster)
    start.base = base
    roster.beginIncrement(to: base)
    let before = scenario.history.count
    scenario.receives(from: "bob@example.test/phone", "<status>there</status>")
    scenario.pushed(item("bob@example.test", "name='Bob' subscription='to'", groups: ["G"]))
    scenario.receives("subscribe", from: "dave@example.test", "<status>hi</status>")
    follow(scenario, from: before, &roster)
    let bytes = try #require(roster.increment)
    for index in bytes.indices {
      for byte: UInt8 in [0, 1, bytes[index] ^ 0x80, 0xFF] where byte != bytes[index] {
        var changed = bytes
        changed[index] = byte
        guard let read = try? start.adding(changed.span.bytes) else { continue }
        _ = try? Roster(snapshot: read.canonicalBytes.span.bytes)
      }
      let beginning = Array(bytes[..<index])
      #expect(throws: CodecError.self) { try start.adding(beginning.span.bytes) }
    }
  }
}
