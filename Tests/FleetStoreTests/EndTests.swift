import FleetStore
import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Ends in a shard") struct EndTests {
  @Test("Every end is read as it was written")
  func coding() throws {
    for seed in Seeds.chosen(or: 1...500) {
      var generator = SeededGenerator(seed: seed)
      var facts = EndFacts()
      facts.subscription = [nil, RosterSubscription.none, .to, .from, .both].randomElement(
        using: &generator)!
      facts.isPending = Bool.random(using: &generator)
      facts.isApproved = Bool.random(using: &generator)
      facts.incoming = EndFacts.Incoming.allCases.randomElement(using: &generator)!
      facts.outgoing = EndFacts.Outgoing.allCases.randomElement(using: &generator)!
      facts.hasUnshownAcceptance = Bool.random(using: &generator)
      facts.isBlocked = Bool.random(using: &generator)
      let row = EndRow(
        facts: facts, record: UInt64.random(in: 0...(.max), using: &generator),
        time: Bool.random(using: &generator)
          ? Int64.random(in: .min ... .max, using: &generator) : nil)
      let bytes = row.canonicalBytes
      #expect(try EndRow.decode(bytes.span.bytes) == row, "seed \(seed)")
      for count in 0..<bytes.count {
        #expect(throws: CodecError.self) {
          try EndRow.decode(Array(bytes[..<count]).span.bytes)
        }
      }
    }
  }
}
