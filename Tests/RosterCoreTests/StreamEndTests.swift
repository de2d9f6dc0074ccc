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
      { $0.ended(.inbound) }, { $0.lost() }, { $0.sends(at: 60_001) },
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
      #expect(scenario.codes == [.unacknowledgedPush])
    }
  }

  @Test("Both ends may cross, in either order, without a finding")
  func crossing() {
    for order in [[Direction.inbound, .outbound], [.outbound, .inbound]] {
      var scenario = Self.online()
      for direction in order { scenario.ended(direction) }
      scenario.sends("unavailable")
      #expect(scenario.allCodes.isEmpty)
    }
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
