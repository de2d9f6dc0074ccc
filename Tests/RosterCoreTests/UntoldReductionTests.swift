import TestSupport
import Testing
import XMPPStanza

@testable import RosterCore

/// Whoever wants only the state does not have told what the events did, and has them read where
/// they are stored.
@Suite("Reducing without telling what happened")
struct UntoldReductionTests {
  private typealias Step = (event: RosterEvent, stamp: RecordStamp, connection: ConnectionID)

  private func compare(_ history: [Step], _ seed: UInt64) throws {
    var (told, made, stored, sound) = (Roster(), Roster(), Roster(), Roster())
    for (index, step) in history.enumerated() {
      _ = RosterReducer.reduce(&told, step.event, at: step.stamp, on: step.connection)
      RosterReducer.advance(&made, by: step.event, at: step.stamp, on: step.connection)
      let bytes = step.event.canonicalBytes
      try RosterReducer.advance(
        &stored, byStored: bytes.span.bytes, at: step.stamp, on: step.connection)
      try RosterReducer.advance(
        &sound, byStored: bytes.span.bytes, isSound: true, at: step.stamp, on: step.connection)
      guard index.isMultiple(of: 17) || index == history.count - 1 else { continue }
      #expect(made == told, "seed \(seed), event \(index)")
      #expect(stored == told, "seed \(seed), event \(index)")
      #expect(sound == told, "seed \(seed), event \(index)")
      #expect(stored.canonicalBytes == told.canonicalBytes, "seed \(seed), event \(index)")
    }
  }

  @Test("It gives the same states, on one connection", arguments: 100..<UInt64(110))
  func oneConnection(seed: UInt64) throws {
    var fuzzer = StanzaFuzzer(seed: seed)
    var scenario = Scenario()
    for _ in 0..<600 { fuzzer.step(&scenario) }
    try compare(scenario.history.map { (event: $0, stamp: $1, connection: $2) }, seed)
  }

  @Test("And on several", arguments: 200..<UInt64(210))
  func severalConnections(seed: UInt64) throws {
    var server = SimulatedServer(seed: seed, devices: 3)
    for _ in 0..<200 { server.step() }
    try compare(server.scenario.history.map { (event: $0, stamp: $1, connection: $2) }, seed)
  }

  /// Compares all that is no presence after each event, but for what was reported meanwhile of
  /// requests that wait; returns how often the rosters differed, which they do where presence was
  /// passed over.
  private func comparePastPresence(_ history: [Step], _ seed: UInt64) throws -> Int {
    var (told, silent) = (Roster(), Roster())
    var differences = 0
    for (index, step) in history.enumerated() {
      _ = RosterReducer.reduce(&told, step.event, at: step.stamp, on: step.connection)
      try RosterReducer.advancePastPresence(
        &silent, byStored: step.event.canonicalBytes.span.bytes, at: step.stamp,
        on: step.connection)
      let place: Comment = "seed \(seed), event \(index)"
      #expect(Array(silent.entries.map(\.value)) == Array(told.entries.map(\.value)), place)
      #expect(requests(of: silent) == requests(of: told), place)
      #expect(silent.completeness == told.completeness, place)
      #expect(silent.version == told.version && silent.position == told.position, place)
      for subscription in RosterSubscription.allCases {
        let count = told.entries.count { $0.value.item.subscription == subscription }
        #expect(told.itemCount(subscription) == count, place)
        #expect(silent.itemCount(subscription) == count, place)
      }
      if silent != told { differences += 1 }
    }
    return differences
  }

  private func requests(of roster: Roster) -> [String] {
    roster.incoming.map { "open \($0.key) \($0.value.since) \($0.value.last) \($0.value.count)" }
      + roster.unconfirmed.map { "unconfirmed \($0.key) \($0.value.since)" }
      + roster.outgoing.map { "ours \($0.key) \($0.value.since) \($0.value.isReflected)" }
  }

  @Test(
    "Without presence items and requests are the same after each event",
    arguments: 300..<UInt64(310))
  func pastPresence(seed: UInt64) throws {
    var fuzzer = StanzaFuzzer(seed: seed)
    var scenario = Scenario()
    for _ in 0..<300 { fuzzer.step(&scenario) }
    let differences = try comparePastPresence(
      scenario.history.map { (event: $0, stamp: $1, connection: $2) }, seed)
    #expect(differences > 0, "seed \(seed): no presence was passed over")
  }

  @Test("And on several connections", arguments: 400..<UInt64(410))
  func pastPresenceOnSeveral(seed: UInt64) throws {
    var server = SimulatedServer(seed: seed, devices: 3)
    for _ in 0..<200 { server.step() }
    _ = try comparePastPresence(
      server.scenario.history.map { (event: $0, stamp: $1, connection: $2) }, seed)
  }

  @Test("Bytes that are no event leave the roster as it was")
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
        try RosterReducer.advance(
          &roster, byStored: damaged.span.bytes, at: RecordStamp(record: 1))
        #expect(isEvent, "byte \(place)")
      } catch {
        #expect(!isEvent, "byte \(place)")
        #expect(roster == Roster(), "byte \(place)")
      }
    }
    for excess in [bytes + [0], Array(bytes.dropLast())] {
      var roster = Roster()
      #expect(throws: CodecError.self) {
        try RosterReducer.advance(
          &roster, byStored: excess.span.bytes, at: RecordStamp(record: 1))
      }
      #expect(roster == Roster())
    }
  }
}
