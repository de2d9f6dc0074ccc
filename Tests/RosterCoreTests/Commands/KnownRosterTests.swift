import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// A roster set replaces the name and all groups of a contact (RFC 6121 §2.1.2), so it is made only
/// from a roster that the server has sent this session.
@Suite("Commands and what the session knows of the roster")
struct KnownRosterTests {
  private static let bob = "bob@example.test"
  private static let kept = item(bob, "name='Bob'", groups: ["Work"])
  private static let offer =
    "<stream:features><ver xmlns='urn:xmpp:features:rosterver'/></stream:features>"
  private static let error =
    "<iq id='fetch' type='error'><error type='auth'><forbidden "
    + "xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>"

  /// The commands that send a roster set.
  private static let replacing: [RosterCommand] = [
    .add(bare(bob)), .add(bare(bob), name: "B"), .add(bare(bob), groups: ["A"]),
    .rename(bare(bob), to: "B"), .rename(bare(bob), to: nil), .setGroups(bare(bob), ["A"]),
    .renameGroup("Work", to: "Office"), .deleteGroup("Work"), .remove(bare(bob)),
    .add(bare(bob), name: "B", subscribes: false), .regroup([bare(bob): ["A"]]),
  ]

  private func decide(
    _ command: RosterCommand, _ scenario: Scenario
  ) -> Result<[XMPPElement], CommandRefusal> {
    let decider = RosterDecider(wantsMutualFriends: false)
    return Result { () throws(CommandRefusal) in
      try decider.decide(command, on: scenario.roster) { "c\($0)" }
    }
  }

  /// A log with bob in the roster, and a new session.
  private static func again(_ body: (inout Scenario) -> Void = { _ in }) -> Scenario {
    var scenario = Scenario.alice(kept, version: "v1")
    scenario.received(offer)
    scenario.lost()
    scenario.opened("alice@example.test/phone")
    body(&scenario)
    return scenario
  }

  private static func first(_ body: (inout Scenario) -> Void = { _ in }) -> Scenario {
    var scenario = Scenario()
    scenario.opened("alice@example.test/phone")
    body(&scenario)
    return scenario
  }

  private static let unknown: [(String, Scenario)] = [
    ("nothing was seen", Scenario()),
    ("a new device has not asked", first()),
    ("a new device waits for the answer", first { $0.gets() }),
    (
      "a push came before the answer",
      first {
        $0.gets()
        $0.pushed(kept)
      }
    ),
    (
      "an empty result answers a get without a version",
      first {
        $0.gets(version: "")
        $0.receivesEmptyResult(id: "fetch")
      }
    ),
    (
      "the server says unchanged, and the log does not hold from what",
      first {
        $0.gets(version: "v9")
        $0.receivesEmptyResult(id: "fetch")
      }
    ),
    (
      "the answer is a stranger's",
      first {
        $0.gets()
        $0.receivesResult(kept, from: "eve@example.test")
      }
    ),
    ("a new session of an old log has not asked", again()),
    ("a new session of an old log waits for the answer", again { $0.gets(version: "v1") }),
    (
      "the answer is for another connection",
      again { scenario in
        scenario.on(2) {
          $0.opened("alice@example.test/pad")
          $0.fetches(kept, id: "other", version: "v1")
        }
      }
    ),
    (
      "the connection is lost",
      again {
        $0.fetches(kept, version: "v1")
        $0.lost()
      }
    ),
    (
      "the session is closed",
      again {
        $0.fetches(kept, version: "v1")
        $0.closed()
      }
    ),
  ]

  @Test("No set is made before the session knows the roster", arguments: unknown.indices)
  func refused(_ index: Int) {
    let (what, scenario) = Self.unknown[index]
    for command in Self.replacing {
      #expect(decide(command, scenario) == .failure(.rosterNotKnown), "\(what): \(command)")
    }
  }

  private static let known: [(String, Scenario)] = [
    ("a result", first { $0.fetches(kept) }),
    ("a result of a new session", again { $0.fetches(kept, version: "v1") }),
    (
      "unchanged, for a version that the log holds",
      again {
        $0.gets(version: "v1")
        $0.receivesEmptyResult(id: "fetch")
      }
    ),
    (
      "a result before the session was resumed",
      again {
        $0.fetches(kept, version: "v1")
        $0.lost()
        $0.resumed()
      }
    ),
    (
      "a result after the session was resumed",
      again {
        $0.gets(version: "v1")
        $0.lost()
        $0.resumed()
        $0.receivesResult(kept, version: "v1")
      }
    ),
    (
      "a result after a refusal",
      first {
        $0.gets()
        $0.received(error)
        $0.fetches(kept)
      }
    ),
    (
      "a result before a refusal",
      first {
        $0.fetches(kept)
        $0.gets()
        $0.received(error)
      }
    ),
  ]

  @Test("A set keeps what the command does not name", arguments: known.indices)
  func kept(_ index: Int) {
    let (what, scenario) = Self.known[index]
    let set =
      "<iq type='set' id='c0'><query xmlns='jabber:iq:roster'>"
      + item(Self.bob, "name='Robert'", groups: ["Work"]) + "</query></iq>"
    let rename = decide(.rename(bare(Self.bob), to: "Robert"), scenario)
    #expect(rename == .success([element(set)]), "\(what)")
    let ask = "<presence type='subscribe' to='\(Self.bob)'/>"
    #expect(decide(.add(bare(Self.bob)), scenario) == .success([element(ask)]), "\(what)")
    let add = decide(.add(bare(Self.bob), name: "Robert"), scenario)
    #expect(add == .success([element(set), element(ask)]), "\(what)")
  }

  @Test(
    "If the server refuses the roster, commands that replace an item are refused with the reason")
  func refusedByServer() {
    var scenario = Self.again { $0.gets(version: "v1") }
    scenario.received(Self.error)
    for command in Self.replacing {
      #expect(
        decide(command, scenario) == .failure(.rosterRefused(condition: "forbidden")), "\(command)")
    }
    scenario.opened("alice@example.test/phone")
    #expect(decide(.remove(bare(Self.bob)), scenario) == .failure(.rosterNotKnown))
  }

  @Test("Requests, the block list and a fetch need no roster")
  func others() {
    let carol = "carol@example.test"
    for isRefused in [false, true] {
      var scenario = Self.first { $0.gets() }
      if isRefused { scenario.received(Self.error) }
      scenario.receives("subscribe", from: carol)
      scenario.sends("subscribe", to: Self.bob)
      let commands: [RosterCommand] = [
        .accept(bare(carol)), .reject(bare(carol)), .cancel(bare(Self.bob)),
        .block(address(carol)), .fetch,
      ]
      for command in commands {
        #expect((try? decide(command, scenario).get())?.count == 1, "\(command)")
      }
      let mutual = try? RosterDecider(wantsMutualFriends: true).decide(
        .accept(bare(carol)), on: scenario.roster
      ) { "c\($0)" }
      #expect(mutual?.map { $0.name.local } == ["presence", "presence"])
    }
  }

  // MARK: Sets of our own that are under way

  private func set(_ attributes: String, groups: [String]) -> Result<[XMPPElement], CommandRefusal>
  {
    .success([
      element(
        "<iq type='set' id='c0'><query xmlns='jabber:iq:roster'>"
          + item(Self.bob, attributes, groups: groups) + "</query></iq>")
    ])
  }

  @Test(
    "A set does not undo an earlier one that has not been pushed yet", arguments: [false, true])
  func pendingEdit(isAnswered: Bool) {
    var scenario = Self.first { $0.fetches(Self.kept) }
    scenario.sets(item(Self.bob, "name='Robert'", groups: ["Work"]), id: "s")
    if isAnswered { scenario.receivesEmptyResult(id: "s") }
    #expect(
      decide(.setGroups(bare(Self.bob), ["A"]), scenario) == set("name='Robert'", groups: ["A"]))
    #expect(
      decide(.renameGroup("Work", to: "B"), scenario) == set("name='Robert'", groups: ["B"]))
    // What the server may not have carried out can be requested again.
    #expect(
      decide(.rename(bare(Self.bob), to: "Robert"), scenario)
        == set("name='Robert'", groups: ["Work"]))
    // Another set, back to what the server shows.
    scenario.sets(item(Self.bob, "name='Bob'", groups: ["Work"]), id: "t")
    if isAnswered { scenario.receivesEmptyResult(id: "t") }
    scenario.pushed(item(Self.bob, "name='Robert'", groups: ["Work"]))
    #expect(decide(.setGroups(bare(Self.bob), ["A"]), scenario) == set("name='Bob'", groups: ["A"]))
    scenario.pushed(item(Self.bob, "name='Bob'", groups: ["Work"]))
    #expect(decide(.setGroups(bare(Self.bob), ["A"]), scenario) == set("name='Bob'", groups: ["A"]))
  }

  @Test("The server's state before two sets is not mistaken for the effect of the second")
  func setThatUndoesAnother() {
    var scenario = Self.first { $0.fetches(Self.kept) }
    scenario.gets()
    scenario.sets(item(Self.bob, "name='Robert'", groups: ["Work"]), id: "s")
    scenario.sets(item(Self.bob, "name='Bob'", groups: ["Work"]), id: "t")
    // Sent by the server before it received either of them.
    scenario.receivesResult(Self.kept)
    scenario.pushed(item(Self.bob, "name='Robert'", groups: ["Work"]))
    #expect(decide(.setGroups(bare(Self.bob), ["A"]), scenario) == set("name='Bob'", groups: ["A"]))
    scenario.receivesEmptyResult(id: "s")
    scenario.pushed(item(Self.bob, "name='Bob'", groups: ["Work"]))
    scenario.receivesEmptyResult(id: "t")
    #expect(decide(.setGroups(bare(Self.bob), ["A"]), scenario) == set("name='Bob'", groups: ["A"]))
  }

  @Test("A set that was refused or belongs to an earlier session does not count")
  func refusedEdit() {
    var scenario = Self.first { $0.fetches(Self.kept) }
    scenario.sets(item(Self.bob, "name='Robert'", groups: ["Work"]), id: "s")
    scenario.received("<iq type='error' id='s'/>")
    #expect(decide(.setGroups(bare(Self.bob), ["A"]), scenario) == set("name='Bob'", groups: ["A"]))
    scenario.sets(item(Self.bob, "name='Robert'", groups: ["Work"]), id: "t")
    scenario.opened("alice@example.test/phone")
    scenario.fetches(Self.kept)
    #expect(decide(.setGroups(bare(Self.bob), ["A"]), scenario) == set("name='Bob'", groups: ["A"]))
  }

  @Test("A contact that is being removed is not in the roster, and one that is being added is")
  func pendingRemoval() {
    var scenario = Self.first { $0.fetches(Self.kept) }
    scenario.sets(item(Self.bob, "subscription='remove'"), id: "s")
    #expect(
      decide(.rename(bare(Self.bob), to: "B"), scenario) == .failure(.notInRoster(bare(Self.bob))))
    #expect(decide(.deleteGroup("Work"), scenario) == .failure(.noSuchGroup("Work")))
    scenario.sets(item("carol@example.test", "name='C'", groups: ["New"]), id: "t")
    let expected = element(
      "<iq type='set' id='c0'><query xmlns='jabber:iq:roster'>"
        + item("carol@example.test", "name='C'") + "</query></iq>")
    #expect(decide(.deleteGroup("New"), scenario) == .success([expected]))
  }
}
