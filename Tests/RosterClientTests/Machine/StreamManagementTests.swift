@testable import RosterClient
import Testing

/// XEP-0198 §4 and §5: both sides count, and what was not taken is sent again.
@Suite("What both sides have counted") struct StreamManagementTests {
  private static let top = UInt32.max

  /// How many were acknowledged before, how many are sent then, what the server says then, and how
  /// many of those are left; nil where it may not say so.
  private static let counts: [(before: UInt32, sent: Int, said: UInt32, left: Int?)] = [
    (0, 0, 0, 0), (0, 0, 1, nil), (0, 0, top, nil), (0, 3, 0, 3), (0, 3, 1, 2), (0, 3, 3, 0),
    (0, 3, 4, nil), (7, 3, 7, 3), (7, 3, 9, 1), (7, 3, 10, 0), (7, 3, 11, nil),
    // Fewer than before.
    (7, 3, 6, nil), (7, 3, 0, nil), (1, 0, 0, nil),
    // Round 2³².
    (top, 0, top, 0), (top, 0, 0, nil), (top, 1, 0, 0), (top, 1, 1, nil), (top, 3, 0, 2),
    (top, 3, 2, 0), (top, 3, 3, nil), (top, 3, top - 1, nil), (top - 1, 3, top, 2),
    (top - 1, 3, 1, 0), (top - 1, 3, 2, nil), (top - 1, 3, top - 2, nil),
    (top / 2, 2, top / 2 + 2, 0), (top / 2, 2, top / 2 + 3, nil),
  ]

  @Test("A count is taken where it can be, and leaves the rest", arguments: counts.indices)
  func counted(_ index: Int) {
    let (before, sent, said, left) = Self.counts[index]
    var management = StreamManagement(id: nil, acknowledged: before)
    let stanzas = (0..<sent).map { [UInt8($0)] }
    for stanza in stanzas { management.sent(stanza) }
    let isTaken = management.acknowledged(said)
    #expect(isTaken == (left != nil))
    // A count that cannot be changes nothing.
    let rest = management.resumed()
    #expect(rest == stanzas.suffix(left ?? sent))
  }

  @Test("What was taken counts round 2³²")
  func handled() {
    var management = StreamManagement(id: nil, handled: Self.top - 1)
    var seen: [UInt32] = []
    for _ in 0..<3 {
      management.received()
      seen.append(management.handled)
    }
    #expect(seen == [Self.top, 0, 1])
  }

  @Test("It is asked once, where something is open, and again where the session goes on")
  func asks() {
    var management = StreamManagement(id: "s")
    var seen: [Bool] = [management.asks()]
    management.sent([1])
    seen.append(management.asks())
    management.sent([2])
    seen.append(management.asks())
    seen.append(management.acknowledged(1))
    seen.append(management.asks())
    _ = management.resumed()
    seen.append(management.asks())
    seen.append(management.acknowledged(2))
    seen.append(management.asks())
    #expect(seen == [false, true, false, true, true, true, true, false])
  }

  @Test("A session that goes on twice sends what is still missing, in order")
  func resumedTwice() {
    var management = StreamManagement(id: "s", acknowledged: Self.top)
    for number in 1...4 { management.sent([UInt8(number)]) }
    var seen: [[[UInt8]]] = []
    for count: UInt32 in [0, 2] {
      _ = management.acknowledged(count)
      seen.append(management.resumed())
    }
    #expect(seen == [[[2], [3], [4]], [[4]]])
  }
}

@Suite("When a lost connection is tried again") struct ReconnectionTests {
  @Test("Later each time, up to two minutes, spread over half of it")
  func delays() {
    let whole: [Int64] = [1, 2, 4, 8, 16, 32, 64, 120, 120, 120].map { $0 * 1000 }
    var (early, late) = (Reconnection(), Reconnection())
    for time in whole {
      let (first, last) = (early.delay(0), late.delay(0.999_999))
      #expect(first == time / 2)
      #expect(last <= time && last >= time - 1)
    }
    #expect((0..<1000).allSatisfy { _ in early.delay(0) == 60_000 })
    early = Reconnection()
    let first = early.delay(0)
    #expect(first == 500)
  }
}
