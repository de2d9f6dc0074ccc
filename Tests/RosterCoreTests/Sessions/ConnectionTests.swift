import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Several connections of one account")
struct ConnectionTests {
  private let bob = "bob@example.test"
  private let carol = "carol@example.test"

  /// Alice's phone (1) and desktop (2), both with their roster and online.
  private func alice(_ items: String = "", version: String? = nil) -> Scenario {
    var scenario = Scenario()
    for (number, resource) in [(UInt32(1), "phone"), (2, "desktop")] {
      scenario.on(number) { device in
        device.opened("alice@example.test/\(resource)")
        device.fetches(items, id: "fetch\(number)", version: version)
        device.sends()
      }
    }
    return scenario
  }

  private func changes(_ scenario: Scenario, from record: UInt64) -> [RosterChange] {
    scenario.outcomes.dropFirst(Int(record)).flatMap(\.changes)
  }

  // MARK: Sessions

  @Test("The account is connected while any of its connections is")
  func connected() {
    var scenario = alice()
    #expect(scenario.roster.connections.map(\.resource) == ["phone", "desktop"])
    #expect(scenario.roster.connections.map(\.isOpen) == [true, true])
    scenario.on(1) { $0.closed() }
    #expect(scenario.roster.isConnected)
    #expect(scenario.roster.connections.map(\.isOpen) == [false, true])
    #expect(scenario.roster.resource == "desktop")
    scenario.on(2) { $0.lost() }
    #expect(!scenario.roster.isConnected)
    let kinds = scenario.outcomes.flatMap(\.changes).compactMap { change -> String? in
      switch change.values {
      case .connected(_, let isOn): return "account \(isOn)"
      case .connection(let before, let after?):
        guard change.reason != .onlyConnection, before?.isOpen ?? false != after.isOpen else {
          return nil
        }
        return "\(after.id.number) \(after.resource ?? "") \(after.isOpen)"
      default: return nil
      }
    }
    #expect(kinds == ["account true", "2 desktop true", "1 phone false", "account false"])
  }

  @Test("A stream header on one connection ends nothing on another")
  func header() {
    var scenario = alice()
    scenario.on(3) { $0.reduce(.session(.negotiated)) }
    #expect(scenario.roster.connections.map(\.isOpen) == [true, true, false])
    scenario.on(1) { $0.reduce(.session(.negotiated)) }
    #expect(scenario.roster.connections.map(\.isOpen) == [false, true, false])
    #expect(scenario.roster.isConnected)
  }

  @Test("A query of one connection is not answered by a result on another")
  func queries() {
    var scenario = alice()
    scenario.on(1) { $0.gets(id: "q") }
    scenario.on(2) { $0.receivesResult(item("eve@example.test"), id: "q") }
    #expect(scenario.codes == [.unsolicitedResult])
    #expect(scenario.contacts.isEmpty)
    scenario.on(1) { $0.receivesResult(item(bob), id: "q") }
    #expect(scenario.contacts == [bob])
    // Both connections use the same id.
    scenario.on(1) { $0.gets(id: "r") }
    scenario.on(2) { $0.gets(id: "r") }
    scenario.on(2) { $0.receivesResult(item(bob), id: "r") }
    scenario.on(1) { $0.receivesResult(item(bob), id: "r") }
    #expect(scenario.codes.isEmpty)
  }

  @Test("A push may come from the full address of no connection")
  func ownAddresses() {
    var scenario = alice()
    scenario.on(1) { $0.pushed(item(bob), from: "alice@example.test/desktop") }
    #expect(scenario.codes == [.foreignPush])
    #expect(scenario.contacts.isEmpty)
  }

  @Test("A resource that is bound again ends the session that it belonged to")
  func conflict() {
    var scenario = alice(item(bob, "subscription='both'"))
    scenario.on(1) { $0.receives(from: "\(bob)/pc") }
    scenario.on(3) { $0.opened("alice@example.test/phone") }
    #expect(scenario.roster.connections.map(\.isOpen) == [false, true, true])
    #expect(scenario.online(bob).isEmpty)
  }

  // MARK: Pushes

  @Test("A push to both connections is one change, and each connection acknowledges its own")
  func pushes() {
    var scenario = alice()
    scenario.time = 0
    let push = item(bob, "name='Bob'", groups: ["G"])
    let before = scenario.record
    for (number, id) in [(UInt32(1), "a"), (2, "b")] {
      scenario.on(number) {
        $0.pushed(push, id: id, version: "v2")
        $0.sent("<iq id='\(id)' type='result'/>")
      }
    }
    let kinds = changes(scenario, from: before).map(\.record)
    #expect(kinds == [before + 1, before + 1])
    scenario.sends(at: 100_000)
    #expect(scenario.allCodes.isEmpty)

    scenario.on(1) { $0.pushed(item(bob, "name='Rob'"), id: "c") }
    scenario.on(2) { $0.pushed(item(bob, "name='Rob'"), id: "d") }
    scenario.on(1) { $0.sent("<iq id='c' type='result'/>") }
    scenario.sends(at: 200_000)
    let owed = scenario.ends().filter { $0.code == .unacknowledgedPush }
    #expect(owed.map(\.connection?.number) == [2], "of the one that the desktop owes")
  }

  @Test("A late copy of a rename and its reversal does not revert the roster")
  func thereAndBack() {
    for version in [nil, "same"] {
      var scenario = alice(item(bob, "name='A'"))
      for name in ["B", "A", "B", "C"] {
        scenario.on(1) { $0.pushed(item(bob, "name='\(name)'"), version: version) }
      }
      let end = scenario.record
      for name in ["B", "A", "B", "C"] {
        scenario.on(2) { $0.pushed(item(bob, "name='\(name)'"), version: version) }
        #expect(scenario.item(bob)?.name == "C")
      }
      #expect(changes(scenario, from: end).isEmpty)
      // The next push is new on the connection that receives it first.
      scenario.on(2) { $0.pushed(item(bob, "name='B'"), version: version) }
      #expect(scenario.item(bob)?.name == "B")
      scenario.on(1) { $0.pushed(item(bob, "name='B'"), version: version) }
      #expect(scenario.item(bob)?.name == "B")
      #expect(scenario.allCodes.isEmpty)
    }
  }

  @Test("A connection that has not requested the roster receives no pushes")
  func uninterested() {
    var scenario = alice(item(bob, "name='A'"))
    scenario.on(3) {
      $0.opened("alice@example.test/tablet")
      $0.sends()
    }
    scenario.on(1) { $0.pushed(item(bob, "name='B'")) }
    scenario.on(2) { $0.pushed(item(bob, "name='B'")) }
    // It fetches the roster, and then another edit restores a value that it never received.
    scenario.on(3) { $0.fetches(item(bob, "name='B'"), id: "f3") }
    scenario.on(1) { $0.pushed(item(bob, "name='A'")) }
    scenario.on(3) { $0.pushed(item(bob, "name='A'")) }
    scenario.on(3) { $0.pushed(item(bob, "name='B'")) }
    #expect(scenario.item(bob)?.name == "B")
  }

  @Test("A fetch that is older than another connection's push does not revert the roster")
  func overtakenFetch() {
    var scenario = alice(item(bob, "name='A'") + item(carol), version: "v1")
    scenario.on(2) { $0.gets(id: "again") }
    scenario.on(1) {
      $0.pushed(item(bob, "name='B'"), version: "v2")
      $0.pushed(item(carol, "subscription='remove'"), version: "v3")
      $0.pushed(item("dave@example.test"), version: "v4")
    }
    scenario.on(2) {
      $0.receivesResult(item(bob, "name='A'") + item(carol), id: "again", version: "v1")
    }
    #expect(scenario.last.changes.isEmpty)
    #expect(scenario.item(bob)?.name == "B")
    #expect(scenario.contacts == [bob, "dave@example.test"])
    #expect(scenario.roster.version == "v4")
    scenario.on(2) {
      $0.pushed(item(bob, "name='B'"), version: "v2")
      $0.pushed(item(carol, "subscription='remove'"), version: "v3")
      $0.pushed(item("dave@example.test"), version: "v4")
    }
    #expect(scenario.roster.version == "v4")
    #expect(scenario.contacts == [bob, "dave@example.test"])
    #expect(Set(scenario.allCodes).isSubset(of: [.unusedVersion, .removedElsewhere]))
  }

  @Test("A fetch that is newer than any push counts")
  func newerFetch() {
    var scenario = alice(item(bob, "name='A'"))
    scenario.on(2) { $0.gets(id: "again") }
    scenario.on(1) { $0.pushed(item(bob, "name='B'")) }
    scenario.on(2) { $0.receivesResult(item(bob, "name='C'"), id: "again") }
    #expect(scenario.item(bob)?.name == "C")
    scenario.on(1) { $0.pushed(item(bob, "name='C'")) }
    #expect(scenario.last.changes.isEmpty)
  }

  @Test("A set of one connection is settled if the server first shows it to another")
  func edits() {
    for first in [UInt32(1), 2] {
      var scenario = alice(item(bob, "name='A'"))
      scenario.time = 0
      scenario.on(1) {
        $0.sets(item(bob, "name='B'"))
        $0.receivesEmptyResult(id: "set")
      }
      for number in [first, 3 - first] {
        scenario.on(number) {
          $0.pushed(item(bob, "name='B'"), id: "p\(number)")
          $0.sent("<iq id='p\(number)' type='result'/>")
        }
      }
      scenario.sends(at: 100_000)
      #expect(scenario.allCodes.isEmpty, "to \(first) first")
    }
  }

  // MARK: Requests

  @Test("A request that both connections receive is one request, and its answer ends it once")
  func requests() {
    var scenario = alice()
    let before = scenario.record
    scenario.on(1) { $0.receives("subscribe", from: bob, "<status>Hi</status>") }
    scenario.on(2) { $0.receives("subscribe", from: bob, "<status>Hi</status>") }
    #expect(changes(scenario, from: before).count == 1)
    #expect(scenario.roster.incoming[bare(bob)]?.count == 1)
    // He sends a request again.
    scenario.on(2) { $0.receives("subscribe", from: bob, "<status>Hi</status>") }
    #expect(scenario.roster.incoming[bare(bob)]?.count == 2)
    scenario.on(1) { $0.receives("subscribe", from: bob, "<status>Hi</status>") }
    #expect(scenario.roster.incoming[bare(bob)]?.count == 2)
    scenario.on(2) { $0.sends("subscribed", to: bob) }
    #expect(scenario.incoming.isEmpty)
  }

  @Test(
    "Copies of what another connection's request explains cause no findings",
    arguments: ["subscribed", "unsubscribed", "unsubscribe"])
  func copies(_ kind: String) {
    var scenario = alice(item(bob, "subscription='from'"))
    scenario.on(1) { $0.sends("subscribe", to: bob) }
    for number in [UInt32(1), 2] {
      scenario.on(number) { $0.pushed(item(bob, "subscription='from' ask='subscribe'")) }
    }
    for number in [UInt32(1), 2] { scenario.on(number) { $0.receives(kind, from: bob) } }
    // His denial is reported once.
    #expect(scenario.allCodes == (kind == "unsubscribed" ? [.deniedRequest] : []))
    // Without the other connection's copy, it is a finding.
    scenario.on(2) { $0.receives("subscribed", from: carol) }
    #expect(scenario.codes == [.unsolicitedSubscribed])
  }

  @Test("A request that was settled while a connection was lost does not open again")
  func settledMeanwhile() {
    for delay in ["", "<delay xmlns='urn:xmpp:delay' stamp='2026-11-20T10:00:00Z'/>"] {
      var scenario = alice()
      scenario.on(2) {
        $0.received("<enabled xmlns='urn:xmpp:sm:3' id='sm2' resume='true'/>")
        $0.lost()
      }
      scenario.on(1) {
        $0.receives("subscribe", from: bob)
        $0.sends("subscribed", to: bob)
        $0.pushed(item(bob, "subscription='from'"))
      }
      // On a connection of its own, as in ejabberd's log.
      scenario.on(3) {
        $0.received("<resumed xmlns='urn:xmpp:sm:3' previd='sm2' h='1'/>")
        $0.receives("subscribe", from: bob, delay)
        $0.pushed(item(bob, "subscription='from'"))
      }
      #expect(scenario.incoming.isEmpty)
      #expect(scenario.allCodes.isEmpty)
      #expect(scenario.roster.connections.map(\.resource) == ["phone", nil, "desktop"])
      #expect(scenario.roster.connections.map(\.isOpen) == [true, false, true])
    }
  }

  @Test("A stanza written to a lost connection, and again after its resumption, counts once")
  func hibernating() {
    var scenario = alice()
    scenario.on(2) {
      $0.received("<enabled xmlns='urn:xmpp:sm:3' id='sm2' resume='true'/>")
      $0.lost()
    }
    for round in 0..<2 {
      if round == 1 {
        scenario.on(2) { $0.received("<resumed xmlns='urn:xmpp:sm:3' previd='sm2'/>") }
      }
      scenario.on(2) {
        $0.receives("subscribe", from: bob)
        $0.pushed(item(carol, "name='C'"), id: "p")
      }
      if round == 0 {
        scenario.on(1) {
          $0.receives("subscribe", from: bob)
          $0.pushed(item(carol, "name='C'"), id: "p")
          $0.sends("subscribed", to: bob)
          $0.pushed(item(carol, "name='D'"), id: "q")
        }
      }
    }
    #expect(scenario.incoming.isEmpty)
    #expect(scenario.item(carol)?.name == "D")
    #expect(scenario.allCodes.isEmpty)
  }

  @Test("A session that begins while another has a request does not make it unconfirmed")
  func laterLogin() {
    var scenario = alice()
    scenario.on(1) { $0.receives("subscribe", from: bob) }
    scenario.on(2) { $0.receives("subscribe", from: bob) }
    scenario.on(3) {
      $0.opened("alice@example.test/tablet")
      $0.sends()
    }
    #expect(scenario.incoming == [bob])
    scenario.on(3) { $0.receives("subscribe", from: bob) }
    #expect(scenario.roster.incoming[bare(bob)]?.count == 1, "the server sends it each session")
    // After all sessions have ended, only a session that receives it again confirms it.
    for number in [UInt32(1), 2, 3] { scenario.on(number) { $0.closed() } }
    scenario.on(4) {
      $0.opened("alice@example.test/watch")
      $0.sends()
    }
    #expect(scenario.unconfirmed == [bob])
  }

  // MARK: Presence

  @Test("Presence is shown while a connection that received it is open")
  func presence() {
    var scenario = alice(item(bob, "subscription='both'"))
    scenario.on(1) { $0.receives(from: "\(bob)/pc") }
    scenario.on(2) { $0.receives(from: "\(bob)/pc") }
    #expect(scenario.last.changes.isEmpty)
    scenario.on(2) { $0.receives(from: "\(bob)/phone") }
    #expect(scenario.online(bob) == ["pc", "phone"])
    scenario.on(2) { $0.lost() }
    #expect(scenario.online(bob) == ["pc"])
    scenario.on(2) { $0.resumed() }
    #expect(scenario.online(bob) == ["pc", "phone"])
    // Its own unavailable ends only the presence that it alone received.
    scenario.on(2) { $0.sends("unavailable") }
    #expect(scenario.online(bob) == ["pc"])
    #expect(
      scenario.last.changes.map(\.values).contains {
        if case .presence(resource: "phone", _, after: nil) = $0 { true } else { false }
      })
    scenario.on(1) { $0.closed() }
    #expect(scenario.online(bob).isEmpty)
  }

  @Test("A late copy of presence does not replace newer presence")
  func latePresence() {
    var scenario = alice(item(bob, "subscription='both'"))
    let states = ["<show>away</show>", "<show>dnd</show>", "<show>away</show>"]
    for state in states { scenario.on(1) { $0.receives(from: "\(bob)/pc", state) } }
    scenario.on(1) { $0.receives("unavailable", from: "\(bob)/pc") }
    let end = scenario.record
    for state in states { scenario.on(2) { $0.receives(from: "\(bob)/pc", state) } }
    #expect(scenario.online(bob).isEmpty)
    scenario.on(2) { $0.receives("unavailable", from: "\(bob)/pc") }
    #expect(changes(scenario, from: end).isEmpty)
    scenario.on(2) { $0.receives(from: "\(bob)/pc") }
    #expect(scenario.online(bob) == ["pc"])
  }

  // MARK: Values

  @Test("A kept state and the events after it give the same result as all events")
  func tail() throws {
    var scenario = alice(item(bob, "subscription='both'"))
    scenario.on(2) { $0.received("<enabled xmlns='urn:xmpp:sm:3' id='sm2' resume='true'/>") }
    scenario.on(1) { $0.pushed(item(bob, "subscription='both' name='B'")) }
    scenario.on(1) { $0.receives("subscribe", from: carol) }
    scenario.on(1) { $0.receives(from: "\(bob)/pc") }
    scenario.on(2) { $0.lost() }
    let kept = scenario.roster.snapshot
    #expect(try Roster(snapshot: kept.span.bytes) == scenario.roster)
    var again = try Roster(snapshot: kept.span.bytes)
    let start = scenario.history.count
    scenario.on(3) {
      $0.received("<resumed xmlns='urn:xmpp:sm:3' previd='sm2'/>")
      $0.pushed(item(bob, "subscription='both' name='B'"))
      $0.receives("subscribe", from: carol)
      $0.receives(from: "\(bob)/pc")
    }
    for (event, stamp, connection) in scenario.history.dropFirst(start) {
      _ = RosterReducer.reduce(&again, event, at: stamp, on: connection)
    }
    #expect(again == scenario.roster)
    #expect(again.canonicalBytes == scenario.roster.canonicalBytes)
  }

  @Test("Beyond the limit, ended connections are dropped, and no open one")
  func many() {
    var scenario = alice(item(bob, "subscription='both'"))
    scenario.on(1) { $0.receives(from: "\(bob)/pc") }
    for number in UInt32(3)...200 {
      scenario.on(number) {
        $0.opened("alice@example.test/r\(number)")
        $0.sends()
        $0.receives(from: "\(bob)/pc")
        $0.closed()
      }
    }
    #expect(scenario.roster.connections.count == 64)
    #expect(scenario.roster.connections.filter(\.isOpen).map(\.resource) == ["phone", "desktop"])
    #expect(scenario.online(bob) == ["pc"])
    #expect(scenario.allCodes.isEmpty)
  }

  @Test("An open connection that is displaced hides its presence, as its end does")
  func openOneMakesRoom() {
    var scenario = alice(item(bob, "subscription='both'"))
    scenario.on(1) { $0.receives(from: "\(bob)/pc") }
    let first = UInt64(scenario.outcomes.count)
    for number in UInt32(3)...66 {
      scenario.on(number) { $0.opened("alice@example.test/r\(number)") }
    }
    let hidden = changes(scenario, from: first).filter { $0.field == .presence }
    #expect(hidden.map(\.reason) == [.session])
    #expect(scenario.online(bob).isEmpty)
  }
}

@Suite("Devices that receive changes at their own time")
struct SimulatedServerTests {
  /// The findings that a correct server must not cause on any device.
  private static let wrong: Set<Finding.Code> = [
    .needlessRequest, .uninvitedPresence, .unsolicitedResult, .unsolicitedSubscribed,
    .unsolicitedUnsubscribe, .unsolicitedUnsubscribed, .unpushedEdit, .unacknowledgedPush,
    .spoofedAnswer, .foreignPush, .missedPush,
  ]

  @Test(
    "The roster equals the server's, whichever device received a change first",
    arguments: 0..<UInt64(300))
  func truth(seed: UInt64) {
    for steps in [30, 80] {
      var server = SimulatedServer(seed: seed, devices: 1 + Int(seed % 4))
      for _ in 0..<steps { server.step() }
      server.settle()
      compare(server, "seed \(seed), \(steps) steps")
    }
  }

  private func compare(_ server: SimulatedServer, _ note: Comment) {
    let (scenario, roster) = (server.scenario, server.scenario.roster)
    // A device that has not received the roster does not know it.
    guard roster.completeness == .complete, roster.isConnected else { return }
    let items = roster.sortedItems.map {
      "\($0.jid) \($0.name ?? "-") \($0.subscription.rawValue)"
    }
    #expect(items == server.shownItems, note)
    #expect((scenario.incoming + scenario.unconfirmed).sorted() == server.openRequests, note)
    let presence = SimulatedServer.contacts.flatMap { jid in
      roster.presence(of: bare(jid)).resources.map {
        "\(jid) \($0.value.availability.show.rawValue)"
      }
    }
    #expect(presence == server.shownPresence, note)
    #expect(roster.version == server.versionText, note)
    var ended = scenario
    ended.ends()
    #expect(Set(ended.allCodes).isDisjoint(with: Self.wrong), note)
  }

  @Test("A kept state continues like one that was not kept", arguments: 0..<UInt64(20))
  func keptStates(seed: UInt64) throws {
    var server = SimulatedServer(seed: seed, devices: 3)
    for _ in 0..<150 { server.step() }
    var roster = Roster()
    for (index, (event, stamp, connection)) in server.scenario.history.enumerated() {
      _ = RosterReducer.reduce(&roster, event, at: stamp, on: connection)
      guard index.isMultiple(of: 29) else { continue }
      let again = try Roster(snapshot: roster.snapshot.span.bytes)
      #expect(again == roster, "seed \(seed), event \(index)")
      #expect(again.canonicalBytes == roster.canonicalBytes, "seed \(seed), event \(index)")
      roster = again
    }
    roster.move(to: server.scenario.record)
    var whole = server.scenario.roster
    whole.move(to: server.scenario.record)
    #expect(roster == whole, "seed \(seed)")
  }
}
