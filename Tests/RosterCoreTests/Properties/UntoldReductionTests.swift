import TestSupport
import Testing
import XMPPStanza

@testable import RosterCore

/// For callers that need only the state, the reducer reports nothing and reads events in place.
@Suite("Reducing without reporting what happened")
struct UntoldReductionTests {
  private typealias Step = (event: RosterEvent, stamp: RecordStamp, connection: ConnectionID)

  private func compare(_ history: [Step], _ seed: UInt64) throws {
    var (told, stored) = (Roster(), Roster())
    for (index, step) in history.enumerated() {
      _ = RosterReducer.reduce(&told, step.event, at: step.stamp, on: step.connection)
      let bytes = step.event.canonicalBytes
      try RosterReducer.reduce(
        &stored, bytes.span.bytes, at: step.stamp, on: step.connection, reporting: .nothing)
      guard index.isMultiple(of: 17) || index == history.count - 1 else { continue }
      #expect(stored == told, "seed \(seed), event \(index)")
      #expect(stored.canonicalBytes == told.canonicalBytes, "seed \(seed), event \(index)")
    }
  }

  @Test("Both ways give the same states, on one connection", arguments: 100..<UInt64(110))
  func oneConnection(seed: UInt64) throws {
    var fuzzer = StanzaFuzzer(seed: seed)
    var scenario = Scenario()
    for _ in 0..<600 { fuzzer.step(&scenario) }
    try compare(scenario.history.map { (event: $0, stamp: $1, connection: $2) }, seed)
  }

  @Test("Both ways give the same states, on several connections", arguments: 200..<UInt64(210))
  func severalConnections(seed: UInt64) throws {
    var server = SimulatedServer(seed: seed, devices: 3)
    for _ in 0..<200 { server.step() }
    try compare(server.scenario.history.map { (event: $0, stamp: $1, connection: $2) }, seed)
  }

  private func reducePastPresence(_ step: Step, into roster: inout Roster) {
    let bytes = step.event.canonicalBytes
    if roster.canSkip(bytes.span.bytes, at: step.stamp, on: step.connection) {
      roster.move(to: step.stamp.record)
    } else {
      RosterReducer.reduce(&roster, step.event, at: step.stamp, on: step.connection)
    }
  }

  /// Compares everything except presence after each event, until there are several connections.
  /// Returns after how many events the rosters differed, which they do if presence was skipped.
  private func comparePastPresence(_ history: [Step], _ seed: UInt64) -> Int {
    var (told, silent) = (Roster(), Roster())
    var differences = 0
    for (index, step) in history.enumerated() {
      _ = RosterReducer.reduce(&told, step.event, at: step.stamp, on: step.connection)
      reducePastPresence(step, into: &silent)
      let place: Comment = "seed \(seed), event \(index)"
      #expect(silent.isShared == told.isShared, place)
      guard !told.isShared else { break }
      #expect(Array(silent.entries.map(\.value)) == Array(told.entries.map(\.value)), place)
      #expect(all(silent.incoming) == all(told.incoming), place)
      #expect(all(silent.unconfirmed) == all(told.unconfirmed), place)
      #expect(all(silent.outgoing) == all(told.outgoing), place)
      #expect(silent.sessions == told.sessions, place)
      #expect(silent.completeness == told.completeness, place)
      #expect(silent.version == told.version && silent.position == told.position, place)
      if silent != told { differences += 1 }
    }
    return differences
  }

  private func all<Value>(_ values: ContactValues<Value>) -> [BareJID: Value] {
    Dictionary(uniqueKeysWithValues: values.map { ($0.key, $0.value) })
  }

  @Test(
    "Without presence, everything else is equal after each event, even if sessions are resumed",
    arguments: 300..<UInt64(330), [false, true])
  func pastPresence(seed: UInt64, isResumable: Bool) {
    var fuzzer = StanzaFuzzer(seed: seed)
    var scenario = Scenario()
    for _ in 0..<400 { fuzzer.step(&scenario) }
    var history: [Step] = scenario.history.map { (event: $0, stamp: $1, connection: $2) }
    if isResumable {
      let resumable = RosterEvent.session(.resumable(id: "again"))
      history = history.flatMap { step -> [Step] in
        guard case .session(.opened) = step.event else { return [step] }
        return [step, (event: resumable, stamp: step.stamp, connection: step.connection)]
      }
    }
    let differences = comparePastPresence(history, seed)
    #expect(differences > 0, "seed \(seed): no presence was passed over")
  }

  @Test("Several connections are recognized", arguments: 400..<UInt64(410))
  func pastPresenceOnSeveral(seed: UInt64) {
    var server = SimulatedServer(seed: seed, devices: 3)
    for _ in 0..<200 { server.step() }
    let history: [Step] = server.scenario.history.map { (event: $0, stamp: $1, connection: $2) }
    _ = comparePastPresence(history, seed)
    var roster = Roster()
    for step in history {
      reducePastPresence(step, into: &roster)
    }
    #expect(roster.isShared)
  }

  /// Finds presence that concerns only its sender, and returns how much there is.
  private func presenceAlone(_ history: [Step], _ seed: UInt64) -> Int {
    var roster = Roster()
    var count = 0
    for (index, step) in history.enumerated() {
      let bytes = step.event.canonicalBytes
      let isPassed = roster.concernsSenderAlone(
        bytes.span.bytes, at: step.stamp, on: step.connection)
      let told = RosterReducer.reduce(&roster, step.event, at: step.stamp, on: step.connection)
      let place: Comment = "seed \(seed), event \(index)"
      guard isPassed else { continue }
      count += 1
      let sender: BareJID?
      switch step.event {
      case .stanza(.availableReceived(let from, _)), .stanza(.unavailableReceived(let from, _)):
        sender = from.bare
      default: sender = nil
      }
      #expect(sender != nil, place)
      #expect(told.findings.allSatisfy { $0.contact == sender || $0.contact == nil }, place)
      for change in told.changes {
        if change.field == .ownResources {
          #expect(sender == roster.account, place)
        } else {
          #expect(change.contact == sender, place)
        }
      }
    }
    return count
  }

  @Test(
    "Presence that concerns only its sender affects no other contact", arguments: 600..<UInt64(620))
  func presenceAlone(seed: UInt64) {
    var fuzzer = StanzaFuzzer(seed: seed)
    var scenario = Scenario()
    for _ in 0..<400 { fuzzer.step(&scenario) }
    var server = SimulatedServer(seed: seed, devices: 3)
    for _ in 0..<200 { server.step() }
    let counts = [scenario.history, server.scenario.history].map { history in
      presenceAlone(history.map { (event: $0, stamp: $1, connection: $2) }, seed)
    }
    #expect(counts.reduce(0, +) > 0, "seed \(seed): none was")
  }

  @Test("Items are counted by subscription as they change and as they are stored, read and rebuilt")
  func counts() throws {
    func check(_ roster: Roster, _ place: Comment) {
      for subscription in RosterSubscription.allCases {
        let count = roster.entries.count { $0.value.item.subscription == subscription }
        #expect(roster.itemCount(subscription) == count, place)
      }
    }
    var increments = 0
    for seed in UInt64(500)..<505 {
      var fuzzer = StanzaFuzzer(seed: seed)
      var scenario = Scenario()
      for _ in 0..<300 { fuzzer.step(&scenario) }
      var roster = Roster()
      var base: Roster?
      for (index, (event, stamp, connection)) in scenario.history.enumerated() {
        _ = RosterReducer.reduce(&roster, event, at: stamp, on: connection)
        let place: Comment = "seed \(seed), event \(index)"
        check(roster, place)
        guard index.isMultiple(of: 29), stamp.record > 0 else { continue }
        if var known = base, let increment = roster.increment {
          try known.add(increment.span.bytes)
          check(known, place)
          increments += 1
        }
        roster = try Roster(snapshot: roster.snapshot.span.bytes)
        check(roster, place)
        check(try Roster(snapshot: roster.canonicalBytes.span.bytes), place)
        roster.beginIncrement(to: SnapshotBase(sequence: stamp.record, identity: 1, depth: 0))
        base = roster
      }
    }
    #expect(increments > 25)
  }

  @Test("Bytes that are not an event leave the roster unchanged")
  func damage() throws {
    let from = try JID(parsing: "bob@example.test/phone")
    let event = RosterEvent.stanza(
      .availableReceived(from: from, Availability(show: .away, status: "lunch")))
    let bytes = event.canonicalBytes
    for place in bytes.indices {
      var damaged = bytes
      damaged[place] = 0xFF
      var roster = Roster()
      let isEvent = (try? RosterEvent.decode(damaged.span.bytes)) != nil
      do {
        // Texts are not checked.
        try RosterReducer.reduce(&roster, damaged.span.bytes, at: RecordStamp(record: 1))
      } catch {
        #expect(!isEvent, "byte \(place)")
        #expect(roster == Roster(), "byte \(place)")
      }
    }
    for excess in [bytes + [0], Array(bytes.dropLast())] {
      var roster = Roster()
      #expect(throws: CodecError.self) {
        try RosterReducer.reduce(&roster, excess.span.bytes, at: RecordStamp(record: 1))
      }
      #expect(roster == Roster())
    }
  }
}
