import FleetStore
import TestSupport
import Testing

@Suite("Positions in a spool") struct SpoolPositionTests {
  @Test(
    "A position is a segment and an offset in it, in the order of the spool",
    arguments: [
      (1, 0, UInt64(1) << 40), (1, 186, UInt64(1) << 40 | 186),
      (3, 0xFF_FFFF_FFFF, UInt64(4) << 40 - 1), (0, 0, 0),
      (0xFF_FFFF, 0xFF_FFFF_FFFF, UInt64.max),
    ] as [(UInt64, UInt64, UInt64)])
  func parts(_ segment: UInt64, _ offset: UInt64, _ raw: UInt64) throws {
    let position = try #require(SpoolPosition(segment: segment, offset: offset))
    #expect(position.rawValue == raw)
    #expect(position.segment == segment)
    #expect(position.offset == offset)
  }

  @Test("What does not fit is refused")
  func limits() throws {
    #expect(SpoolPosition(segment: 1 << 24, offset: 0) == nil)
    #expect(SpoolPosition(segment: 0, offset: 1 << 40) == nil)
    let last = try #require(SpoolPosition(segment: 5, offset: 1 << 40 - 1))
    #expect(last.advanced(by: 0) == last)
    #expect(last.advanced(by: 1) == nil)
    #expect(SpoolPosition(segment: 5, offset: 7)?.advanced(by: 3)?.offset == 10)
  }

  @Test(
    "Lines are taken if they continue what is there, and each once",
    arguments: [
      // have, after, upto, expected
      (10, 10, 20, .take(from: SpoolPosition(rawValue: 10))),
      (15, 10, 20, .take(from: SpoolPosition(rawValue: 15))),
      (20, 10, 20, .skip), (25, 10, 20, .skip), (5, 10, 20, .refuse), (10, 10, 10, .skip),
      (0, 0, 1, .take(from: .start)),
    ] as [(UInt64, UInt64, UInt64, Admission)])
  func admission(_ have: UInt64, _ after: UInt64, _ upto: UInt64, _ expected: Admission) {
    let admission = Admission(
      have: SpoolPosition(rawValue: have), after: SpoolPosition(rawValue: after),
      upto: SpoolPosition(rawValue: upto))
    #expect(admission == expected)
  }

  @Test("Pieces that are sent again and lost in any order leave each byte taken once")
  func sentAgain() {
    for seed in Seeds.chosen(or: 1...200) {
      var generator = SeededGenerator(seed: seed)
      var (have, taken) = (UInt64(0), [UInt64]())
      for _ in 0..<200 {
        let after = UInt64.random(in: 0...40, using: &generator)
        let upto = after + UInt64.random(in: 0...12, using: &generator)
        let admission = Admission(
          have: SpoolPosition(rawValue: have), after: SpoolPosition(rawValue: after),
          upto: SpoolPosition(rawValue: upto))
        guard case .take(let from) = admission else { continue }
        taken += from.rawValue..<upto
        have = upto
      }
      #expect(taken == Array(0..<have), "seed \(seed)")
    }
  }

  @Test(
    "Segments are recognized by their names",
    arguments: [
      ("0a1b2c3d-000012.jsonl", 12), ("0a1b2c3d-1234567.jsonl", 1_234_567),
      ("0a1b2c3d-000000.jsonl", nil), (".rollcall-source", nil), ("debug.log", nil),
      ("0a1b2c3d-000012.jsonl.gz", nil), ("0a1b2c3d-99999999999999999999.jsonl", nil),
    ] as [(String, UInt64?)])
  func names(_ name: String, _ number: UInt64?) {
    #expect(SpoolFolder.number(of: name) == number)
  }
}
