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

  @Test("An acknowledgement is requested once if something is open, and again after a resumption")
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

  @Test("A session that is resumed twice sends what is still missing, in order")
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

@Suite("What a server leaves unacknowledged is limited") struct UnacknowledgedTests {
  @Test("One stanza more than may be unacknowledged ends the session, which is not resumed")
  func stanzas() {
    var talk = Talk()
    talk.goesOnline()
    for number in 0..<StreamManagement.limits.stanzas {
      talk.hears("<iq type='get' id='\(number)'><ping xmlns='urn:xmpp:ping'/></iq>")
    }
    #expect(talk.machine.isOnline && talk.machine.resumption != nil)
    _ = talk.deeds()
    talk.hears("<iq type='get' id='last'><ping xmlns='urn:xmpp:ping'/></iq>")
    let deeds = talk.deeds()
    #expect(deeds.first?.contains("policy-violation") == true)
    #expect(
      deeds.last == """
        finish the server has not acknowledged 16385 stanzas (XEP-0198), more than can be kept
        """)
    #expect(talk.machine.resumption == nil)
  }

  @Test("Their bytes are limited, too, and what is acknowledged counts no more")
  func bytes() {
    var management = StreamManagement(id: "s")
    let stanza = [UInt8](repeating: 0x20, count: StreamManagement.limits.bytes / 4)
    for _ in 0..<4 { management.sent(stanza) }
    #expect(!management.isOverdue)
    management.sent([0x20])
    #expect(management.isOverdue)
    #expect(management.acknowledged(1) && !management.isOverdue)
    management.sent(stanza)
    #expect(management.isOverdue)
  }
}

@Suite("Elements beyond a limit, to a client") struct SkippedElementTests {
  private static let oversized =
    "<message>" + String(repeating: "<a>", count: 200) + String(repeating: "</a>", count: 200)
    + "</message>"

  @Test("In a session they are passed over, and counted if they are stanzas")
  func counted() {
    var talk = Talk()
    talk.goesOnline()
    talk.hears(Self.oversized + "<presence/>" + Self.oversized.replacing("message", with: "a"))
    talk.hears("<r xmlns='urn:xmpp:sm:3'/>")
    #expect(talk.deeds() == ["<a xmlns=\"urn:xmpp:sm:3\" h=\"2\"/>"])
    #expect(talk.machine.isOnline)
  }

  @Test("Before we are let in they end the connection")
  func early() {
    var talk = Talk()
    talk.secures()
    _ = talk.deeds()
    talk.hears(Self.oversized)
    #expect(
      talk.deeds().last
        == "finish the data from the server cannot be read: elements are nested too deeply")
  }
}

@Suite("When a lost connection is tried again") struct ReconnectionTests {
  private static let day: Int64 = 86_400_000
  private static let long = Reconnection.lasting

  /// How logins end, whether the server let us in, after how long, and whether the next one is
  /// hopeless.
  private static let ends: [(String, [(LiveFailure?, Bool, Int64?)], Bool)] = [
    ("three of one kind", same(3), true), ("two", same(2), false),
    ("in other words", (1...3).map { (.unreadable(reason: "\($0)"), true, 1) }, true),
    ("of other counts", (1...3).map { (.unacknowledged($0), true, 1) }, true),
    (
      "errors in other words",
      (1...3).map { (.stream(condition: "undefined-condition", text: "\($0)"), true, 1) }, true
    ),
    ("of another condition", errors(["undefined-condition", "internal-server-error"]), false),
    ("without a session", [(bad, true, nil), (bad, true, nil), (bad, true, nil)], true),
    ("not let in", [(bad, false, nil), (bad, false, nil), (bad, false, nil)], false),
    ("one that lasted before", [(bad, true, long)] + same(2), true),
    ("one that lasted between", same(2) + [(bad, true, long), (bad, true, 1)], false),
    ("nearly lasted", [(bad, true, long - 1), (bad, true, long - 1), (bad, true, 1)], true),
    ("another kind between", same(2) + [(.stream(condition: "reset", text: nil), true, 1)], false),
    (
      "unreachable between", [(bad, true, 1), (away, false, nil), (bad, true, 1), (bad, true, 1)],
      true
    ),
    ("cut", [(cut, true, 1), (cut, true, 1), (cut, true, 1), (cut, true, 1)], false),
    ("cut between", same(2) + [(cut, true, 1)] + same(2), false),
    ("a restart of the server", [(down, true, 1), (away, false, nil), (away, false, nil)], false),
    ("ended in order", [(nil, true, 1), (nil, true, 1), (nil, true, 1)], false),
    ("a clock that runs back", [(bad, true, -day), (bad, true, -day), (bad, true, -day)], true),
  ]
  private static let bad = LiveFailure.unreadable(reason: "of a test")
  private static let cut = LiveFailure.lost(reason: "it was closed")
  private static let down = LiveFailure.stream(condition: "system-shutdown", text: nil)
  private static let away = LiveFailure.unreachable(
    ServerAddress(host: "example.test", port: 5222, isDirectTLS: false), reason: "of a test")

  /// Three in all, in turn.
  private static func errors(_ conditions: [String]) -> [(LiveFailure?, Bool, Int64?)] {
    (0..<3).map { (.stream(condition: conditions[$0 % conditions.count], text: nil), true, 1) }
  }

  private static func same(_ count: Int) -> [(LiveFailure?, Bool, Int64?)] {
    Array(repeating: (bad, true, 1), count: count)
  }

  @Test(
    "After three logins that soon end in the same way there is no other", arguments: ends.indices)
  func hopeless(_ index: Int) {
    let (what, ends, isHopeless) = Self.ends[index]
    var reconnection = Reconnection()
    var time: Int64 = 1_700_000_000_000
    for (failure, wasLetIn, lasted) in ends {
      if let lasted {
        reconnection.wentOnline(at: time)
        time += lasted
      }
      reconnection.ended(failure, wasLetIn: wasLetIn, at: time)
      time += 1
    }
    #expect(reconnection.isHopeless == isHopeless, "\(what)")
  }

  @Test("Only a session that lasted lets the waiting begin anew", arguments: [false, true])
  func lasting(_ lasts: Bool) {
    var reconnection = Reconnection()
    for _ in 0..<3 { _ = reconnection.delay(0) }
    reconnection.wentOnline(at: 0)
    reconnection.ended(Self.cut, wasLetIn: true, at: lasts ? Self.long : Self.long - 1)
    #expect(reconnection.delay(0) == (lasts ? 500 : 4000))
  }

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
