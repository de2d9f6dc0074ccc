@testable import RosterClient
import Testing

@Suite("Silence of a server") struct SilenceTests {
  /// The bytes written and left to write at each beat, and the beats at which the server is asked.
  private static let cases: [(String, [(written: Int, unwritten: Int)], [Int])] = [
    ("nothing to write", Array(repeating: (0, 0), count: 9), [6, 8]),
    ("all is written at once", (1...9).map { ($0, 0) }, [6, 8]),
    ("what waits is written", (1...9).map { ($0, 100) }, []),
    ("one long stanza is written in pieces", (1...9).map { (0, 100 - $0) }, []),
    ("nothing of what waits is written", Array(repeating: (3, 100), count: 9), [6, 8]),
    ("more and more waits", (1...9).map { (3, 100 * $0) }, [6, 8]),
    ("it stops in the middle", (1...3).map { ($0, 100) } + (1...7).map { _ in (3, 100) }, [9]),
  ]

  @Test(
    "A server counts as silent only if it also accepts no pending writes", arguments: cases.indices)
  func silent(_ index: Int) {
    let (what, beats, asked) = Self.cases[index]
    var silence = Silence()
    let seen = beats.map { silence.elapsed(written: $0.written, unwritten: $0.unwritten, limit: 6) }
    #expect(seen.indices.filter { seen[$0] }.map { $0 + 1 } == asked, "\(what)")
  }

  @Test("Received data ends it")
  func broken() {
    var silence = Silence()
    for _ in 0..<20 {
      let isAsked = silence.elapsed(written: 0, unwritten: 0, limit: 2)
      #expect(!isAsked)
      silence.broken()
    }
  }
}
