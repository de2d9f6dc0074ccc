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
