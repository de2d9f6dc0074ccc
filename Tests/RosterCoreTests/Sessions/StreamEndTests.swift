import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// Each direction of a stream ends with its own closing tag (RFC 6120 §4.4).
@Suite("Ends of streams") struct StreamEndTests {
  private static let bob = "bob@example.test"
  private static let bobItem = item(bob, "name='Bob' subscription='both'")

  private static func online() -> Scenario {
    var scenario = Scenario.alice(bobItem)
    scenario.sends()
    return scenario
  }

  /// Everything from a server that changes what a roster shows.
  private static let stanzas: [(what: String, send: @Sendable (inout Scenario) -> Void)] = [
    ("a push", { $0.pushed(item(bob, "subscription='remove'")) }),
    ("a result", { $0.receivesResult(item("eve@evil.test"), id: "open") }),
    ("an error", { $0.received("<iq id='open' type='error'/>") }),
    ("an answer to a set", { $0.receivesEmptyResult(id: "set") }),
    ("a request", { $0.receives("subscribe", from: "eve@evil.test") }),
    ("a refusal", { $0.receives("unsubscribed", from: "dave@example.test") }),
    ("presence", { $0.receives(from: "\(bob)/x") }),
    ("the end of presence", { $0.receives("unavailable", from: "\(bob)/pda") }),
    (
      "a block",
      {
        $0.received(
          "<iq type='set' id='b'><block xmlns='urn:xmpp:blocking'><item jid='\(bob)'/></block></iq>"
        )
      }
    ),
    (
      "a name",
      {
        $0.received(
          "<message from='\(bob)'><event xmlns='http://jabber.org/protocol/pubsub#event'>"
            + "<items node='http://jabber.org/protocol/nick'><item>"
            + "<nick xmlns='http://jabber.org/protocol/nick'>B</nick></item></items></event>"
            + "</message>")
      }
    ),
  ]

  private static func busy() -> Scenario {
    var scenario = online()
    scenario.receives(from: "\(bob)/pda")
    scenario.sends("subscribe", to: "dave@example.test")
    scenario.gets(id: "open")
    scenario.sets(item("carol@example.test"), id: "set")
    return scenario
  }

  @Test("After the server's end, no stanza from it counts", arguments: stanzas.indices)
  func ignored(_ index: Int) {
    let (what, send) = Self.stanzas[index]
    var scenario = Self.busy()
    scenario.ended(.inbound)
    // The same log with records without meaning instead of the stanza.
    var silent = scenario
    send(&scenario)
    silent.received("<message from='\(Self.bob)'/>")
    #expect(scenario.last.changes.isEmpty, "\(what)")
    #expect(scenario.codes == [.lateStanza], "\(what)")
    #expect(scenario.last.findings.first?.cause == scenario.record - 1, "\(what)")
    for step: (inout Scenario) -> Void in [{ $0.sends(to: Self.bob) }, { $0.resumed() }] {
      step(&scenario)
      step(&silent)
      #expect(scenario.last == silent.last, "\(what)")
    }
    #expect(scenario.roster.sortedItems == silent.roster.sortedItems, "\(what)")
    #expect(scenario.incoming == silent.incoming && scenario.outgoing == silent.outgoing, "\(what)")
    #expect(scenario.online(Self.bob) == silent.online(Self.bob), "\(what)")
    #expect(scenario.roster.blocked == silent.roster.blocked, "\(what)")
  }

  @Test("One finding for each stream names the first stanza and the end before it")
  func once() {
    var scenario = Self.online()
    for _ in 0..<2 {
      scenario.ended(.inbound)
      let end = scenario.record
      scenario.ended(.inbound)
      scenario.receives(from: "\(Self.bob)/x")
      #expect(scenario.last.findings.map(\.record) == [end + 2])
      #expect(scenario.last.findings.map(\.cause) == [end])
      for (_, send) in Self.stanzas {
        send(&scenario)
        #expect(scenario.codes.isEmpty)
      }
      scenario.opened("alice@example.test/phone")
    }
  }

  @Test("The next stream on the connection counts again")
  func again() {
    let begins: [(String, (inout Scenario) -> Void)] = [
      ("our header", { $0.sent("<stream:stream to='example.test'/>") }),
      ("the server's header", { $0.received("<stream:stream from='example.test'/>") }),
      ("a bound resource", { $0.opened("alice@example.test/phone") }),
      ("a resumption", { $0.resumed() }), ("the loss of the connection", { $0.lost() }),
      ("another capture", { $0.captureBegan("alice@example.test/phone") }),
    ]
    for (what, begin) in begins {
      var scenario = Self.online()
      scenario.ended(.inbound)
      begin(&scenario)
      scenario.pushed(item("carol@example.test"))
      #expect(scenario.item("carol@example.test") != nil, "\(what)")
      #expect(!scenario.allCodes.contains(.lateStanza), "\(what)")
    }
  }

  @Test("After our end, what the server sends counts and need not be acknowledged")
  func ours() {
    for ends: (inout Scenario) -> Void in [
      { $0.ended(.inbound) }, { $0.lost() }, { $0.receives(from: "\(Self.bob)/x", at: 60_001) },
      { $0.opened("alice@example.test/phone") },
    ] {
      var scenario = Self.online()
      scenario.time = 0
      scenario.ended(.outbound)
      #expect(!scenario.roster.isConnected)
      scenario.pushed(item(Self.bob, "name='Robert' subscription='both'"))
      scenario.received(
        "<iq type='set'><query xmlns='jabber:iq:roster'>\(item("carol@example.test"))</query></iq>")
      #expect(scenario.item(Self.bob)?.name == "Robert")
      #expect(scenario.item("carol@example.test") != nil)
      ends(&scenario)
      #expect(scenario.allCodes.isEmpty)
    }
  }

  @Test("A push from before our end is still reported if it was not acknowledged")
  func unacknowledged() {
    for direction in [Direction.inbound, .outbound] {
      var scenario = Self.online()
      scenario.pushed(Self.bobItem)
      scenario.ended(direction)
      #expect(scenario.ends().map(\.code) == [.unacknowledgedPush])
    }
  }

  @Test("Both ends may cross, in either order, without a finding")
  func crossing() {
    for order in [[Direction.inbound, .outbound], [.outbound, .inbound]] {
      var scenario = Self.online()
      for direction in order { scenario.ended(direction) }
      #expect(scenario.allCodes.isEmpty)
    }
  }

  /// Ends of a session that we have ended already.
  private static let ends: [@Sendable (inout Scenario) -> Void] = [
    { $0.ended(.inbound) }, { $0.lost() }, { $0.failed(.inbound, "reset") },
    { $0.opened("alice@example.test/phone") }, { $0.sends(at: 61_000) },
  ]

  private static let renamed = item(bob, "name='Robert' subscription='both'")

  /// Alice, who has sent a rename of Bob and has ended her stream.
  private static func editedAndEnded(_ direction: Direction = .outbound) -> Scenario {
    var scenario = online()
    scenario.time = 0
    scenario.sets(renamed, id: "set")
    scenario.ended(direction)
    return scenario
  }

  @Test("A set from before our end is answered and shown after it", arguments: ends.indices)
  func answered(_ index: Int) {
    for isPushFirst in [true, false] {
      var scenario = Self.editedAndEnded()
      if !isPushFirst { scenario.receivesEmptyResult(id: "set") }
      scenario.pushed(Self.renamed)
      if isPushFirst { scenario.receivesEmptyResult(id: "set") }
      #expect(scenario.item(Self.bob)?.name == "Robert")
      Self.ends[index](&scenario)
      scenario.opened("alice@example.test/tablet", at: 62_000)
      scenario.fetches(Self.renamed, id: "again")
      let codes = scenario.allCodes.filter { $0 != .lateStanza && $0 != .streamError }
      #expect(codes.isEmpty, "push first: \(isPushFirst)")
    }
  }

  @Test("A set that has no answer is reported when none can come any more", arguments: ends.indices)
  func unanswered(_ index: Int) {
    var scenario = Self.editedAndEnded()
    #expect(scenario.allCodes.isEmpty)
    Self.ends[index](&scenario)
    // If a new session begins on the connection, its roster decides.
    scenario.opened("alice@example.test/tablet")
    scenario.fetches(Self.bobItem, id: "again")
    #expect(scenario.allCodes.filter { $0 != .lateStanza } == [.unansweredEdit])
  }

  @Test("Whether a set was done that the server's end left open, the next roster says")
  func leftOpen() throws {
    // However long the account stays away, and though nothing else is connected meanwhile.
    for away in [1_000, 7_200_000] as [Int64] {
      for (name, codes) in [("Robert", []), ("Bob", [.unansweredEdit])]
        as [(String, [Finding.Code])]
      {
        var scenario = Self.editedAndEnded(.inbound)
        #expect(scenario.allCodes.isEmpty)
        scenario.sent("<stream:stream to='example.test'/>", at: away)
        scenario.opened("alice@example.test/phone")
        scenario.sent("<presence/>")
        #expect(scenario.allCodes.isEmpty)
        scenario.fetches(item(Self.bob, "name='\(name)' subscription='both'"), id: "again")
        #expect(scenario.allCodes == codes, "\(away) \(name)")
        let cause = scenario.findings.first?.cause
        #expect(cause == (codes.isEmpty ? nil : 5))
        scenario.ends(at: away + 100_000)
        #expect(scenario.allCodes == codes)
      }
    }
  }

  @Test("If nothing shows what became of a set, it is reported at the end of the log")
  func neverShown() {
    var scenario = Self.editedAndEnded(.inbound)
    scenario.ends(at: 1_000)
    #expect(scenario.allCodes == [.unansweredEdit])

    // A roster is not asked for again, or not within a minute.
    scenario = Self.editedAndEnded(.inbound)
    scenario.opened("alice@example.test/phone", at: 500_000)
    scenario.sends(at: 560_000)
    #expect(!scenario.allCodes.contains(.unansweredEdit))
    scenario.sends(at: 560_001)
    #expect(scenario.allCodes.contains(.unansweredEdit))
  }

  @Test("Another connection that opens before the answer comes does not give the set up")
  func otherConnection() {
    var scenario = Self.editedAndEnded()
    scenario.on(2) { $0.opened("alice@example.test/tablet") }
    scenario.pushed(Self.renamed)
    scenario.receivesEmptyResult(id: "set")
    scenario.ended(.inbound)
    #expect(scenario.allCodes.isEmpty)
  }

  @Test("A session that we have ended is not the one that another connection resumes")
  func resumption() {
    var scenario = Self.editedAndEnded()
    scenario.on(2) { $0.resumed("alice@example.test/phone") }
    #expect(scenario.allCodes.isEmpty)
    #expect(scenario.roster.connections.map(\.isOpen) == [false, true])
    scenario.receivesEmptyResult(id: "set")
    scenario.pushed(Self.renamed)
    #expect(scenario.allCodes.isEmpty)
  }

  @Test(
    "A push that may have crossed the end of the stream need not be acknowledged",
    arguments: Direction.allCases)
  func crossed(_ direction: Direction) {
    for (times, count) in [([9_000], 0), ([8_999], 1), ([9_001, 9_999], 0), ([5_000, 9_999], 2)] {
      var scenario = Self.online()
      for (number, time) in times.enumerated() {
        scenario.time = Int64(time)
        scenario.pushed(Self.bobItem, id: "p\(number)")
      }
      scenario.ended(direction, at: 10_000)
      let counts = scenario.ends().filter { $0.code == .unacknowledgedPush }.map(\.count)
      #expect(counts == (count == 0 ? [] : [count]), "\(times)")
    }
  }

  @Test("A push that came just before the connection was lost cannot be acknowledged any more")
  func crossedLoss() {
    for (times, count) in [([9_950], 0), ([8_999], 1), ([9_001, 9_999], 0), ([5_000, 9_999], 2)] {
      var scenario = Self.online()
      for (number, time) in times.enumerated() {
        scenario.time = Int64(time)
        scenario.pushed(Self.bobItem, id: "p\(number)")
      }
      scenario.lost(at: 10_000)
      scenario.opened("alice@example.test/phone", at: 20_000)
      let counts = scenario.ends().filter { $0.code == .unacknowledgedPush }.map(\.count)
      #expect(counts == (count == 0 ? [] : [count]), "\(times)")
    }
  }

  @Test("Without times, the number of records since the push decides what may have crossed")
  func crossedWithoutClock() {
    for (records, isMissing) in [(7, false), (8, true)] {
      var scenario = Self.online()
      scenario.time = nil
      scenario.pushed(Self.bobItem)
      for _ in 0..<records { scenario.on(2) { $0.sends(to: "carol@example.test") } }
      scenario.lost()
      scenario.opened("alice@example.test/phone")
      #expect(scenario.ends().contains { $0.code == .unacknowledgedPush } == isMissing)
    }
  }

  @Test("A push that another session of the resource follows at once may have crossed its end")
  func crossedReplacement() {
    for (time, isMissing) in [(9_950, false), (5_000, true)] as [(Int64, Bool)] {
      var scenario = Self.online()
      scenario.time = time
      scenario.pushed(Self.bobItem)
      scenario.on(2) { $0.opened("alice@example.test/phone", at: 10_000) }
      #expect(scenario.ends().contains { $0.code == .unacknowledgedPush } == isMissing, "\(time)")
    }
  }

  @Test("After a resumption, a push from before the loss may still be acknowledged")
  func resumedAfterPush() {
    var scenario = Self.online()
    scenario.time = 9_950
    scenario.pushed(Self.bobItem)
    scenario.lost(at: 10_000)
    scenario.resumed(at: 12_000)
    scenario.sent("<iq id='push' type='result'/>")
    scenario.ends(at: 200_000)
    #expect(!scenario.allCodes.contains(.unacknowledgedPush))
  }

  /// What we can send after our end.
  private static let late: [@Sendable (inout Scenario) -> Void] = [
    { $0.sets(item(bob, "name='Late' subscription='both'"), id: "late") },
    { $0.gets(id: "late") }, { $0.sends("subscribe", to: "dave@example.test") },
    { $0.sends() }, { $0.sent("<iq type='result' id='p'/>") },
  ]

  @Test(
    "After our end, nothing that we send counts, and one finding says so", arguments: late.indices)
  func ourLate(_ index: Int) {
    var scenario = Self.online()
    scenario.time = 0
    scenario.ended(.outbound)
    let end = scenario.record
    Self.late[index](&scenario)
    #expect(scenario.codes == [.lateStanza] && scenario.last.changes.isEmpty)
    #expect(scenario.last.findings.first?.cause == end)
    #expect(scenario.last.findings.first?.sentence.hasPrefix("We sent this after") == true)
    for send in Self.late { send(&scenario) }
    scenario.ended(.inbound)
    scenario.opened("alice@example.test/phone", at: 70_000)
    #expect(scenario.allCodes == [.lateStanza])
    #expect(scenario.outgoing.isEmpty)
    // The next stream counts.
    scenario.sets(Self.renamed, id: "set")
    scenario.pushed(Self.renamed)
    scenario.receivesEmptyResult(id: "set")
    #expect(scenario.allCodes == [.lateStanza])
  }

  @Test("A server that ends the stream of one connection still counts on another")
  func connections() {
    var scenario = Self.online()
    scenario.on(2) {
      $0.opened("alice@example.test/tablet")
      $0.sends()
      $0.fetches(Self.bobItem, id: "two")
    }
    scenario.ended(.inbound)
    scenario.on(2) { $0.pushed(item("carol@example.test")) }
    #expect(scenario.item("carol@example.test") != nil)
    #expect(!scenario.allCodes.contains(.lateStanza))
  }
}
