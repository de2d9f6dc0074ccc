import Captures
import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Event encoder against a translator of values")
struct EncoderOracleTests {
  @Test(
    "Both give the same events for random lines, in either direction", arguments: 700..<UInt64(720))
  func random(seed: UInt64) {
    var fuzzer = StanzaFuzzer(seed: seed)
    var scenario = Scenario()
    for _ in 0..<1000 { fuzzer.step(&scenario) }
    for line in scenario.wire {
      guard case .element(_, let xml) = line.content else { continue }
      for direction in Direction.allCases {
        let difference = element(xml).encodedDifference(direction)
        #expect(difference == nil, "seed \(seed)")
        let other = elementByLibxml2(xml).encodedDifference(direction)
        #expect(other == nil, "seed \(seed), by libxml2")
      }
    }
  }

  @Test("Both give the same events for captured elements", arguments: Fixture.all + Fixture.logs)
  func captured(fixture: Fixture) throws {
    for record in try fixture.reading().records {
      guard case .element(let direction, let node, _) = record.content else { continue }
      #expect(node.encodedDifference(direction) == nil)
    }
  }
}
