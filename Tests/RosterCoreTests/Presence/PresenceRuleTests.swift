import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Rules 17 to 20: presence")
struct PresenceRuleTests {
  private let bob = "bob@example.test"

  /// Alice with Bob, whose resources pda and desk are online.
  private func online(_ subscription: String = "both") -> Scenario {
    var scenario = Scenario.alice(item(bob, "subscription='\(subscription)'"))
    scenario.receives(from: "\(bob)/pda")
    scenario.receives(from: "\(bob)/desk")
    return scenario
  }

  private func best(_ scenario: Scenario) -> String? {
    scenario.roster.presence(of: bare(bob)).best?.resource
  }

  @Test("Rule 17: presence is kept per resource and replaced as a whole")
  func replaced() {
    var scenario = Scenario.alice(item(bob, "subscription='both'"))
    scenario.receives(
      from: "\(bob)/pda", "<show>dnd</show><status>busy</status><priority>7</priority>")
    scenario.receives(from: "\(bob)/pda", "<status>back</status>")
    let presence = scenario.roster.presence(of: bare(bob)).resources["pda"]
    #expect(presence?.availability == Availability(status: "back"))
    #expect(presence?.since.record == scenario.record)
    scenario.receives(from: "\(bob)/pda")
    #expect(
      scenario.roster.presence(of: bare(bob)).resources["pda"]?.availability == Availability())
  }

  @Test("Rule 17: early presence needs no roster")
  func early() {
    var scenario = Scenario()
    scenario.opened("alice@example.test/phone")
    scenario.receives(from: "\(bob)/pda", "<show>away</show>")
    #expect(scenario.online(bob) == ["pda"])
    #expect(scenario.contacts.isEmpty)
    scenario.fetches(item(bob, "subscription='both'"))
    #expect(scenario.online(bob) == ["pda"])
    #expect(scenario.allCodes.isEmpty)
  }

  @Test(
    "Rule 17: priority is a number from -128 to 127, by default 0",
    arguments: [
      ("", 0, false), ("<priority>127</priority>", 127, false),
      ("<priority>-128</priority>", -128, false), ("<priority> 3\n</priority>", 3, false),
      ("<priority>128</priority>", 0, true), ("<priority>-129</priority>", 0, true),
      ("<priority>9999999999999999999999</priority>", 0, true),
      ("<priority>high</priority>", 0, true), ("<priority xmlns='urn:x'>5</priority>", 0, false),
    ])
  func priority(content: String, expected: Int8, isOdd: Bool) {
    var scenario = Scenario.alice(item(bob, "subscription='both'"))
    scenario.receives(from: "\(bob)/pda", content)
    #expect(
      scenario.roster.presence(of: bare(bob)).resources["pda"]?.availability.priority == expected)
    #expect(scenario.codes == (isOdd ? [.malformedPresence] : []))
  }

  @Test(
    "Rule 17: without show, presence is available",
    arguments: [
      ("", Show.available, false), ("<show>chat</show>", .chat, false),
      ("<show>away</show>", .away, false), ("<show>xa</show>", .xa, false),
      ("<show>dnd</show>", .dnd, false), ("<show/>", .available, false),
      ("<show>DND</show>", .available, true), ("<show>online</show>", .available, true),
    ])
  func show(content: String, expected: Show, isOdd: Bool) {
    var scenario = Scenario.alice(item(bob, "subscription='both'"))
    scenario.receives(from: "\(bob)/pda", content)
    #expect(scenario.roster.presence(of: bare(bob)).resources["pda"]?.availability.show == expected)
    #expect(scenario.codes == (isOdd ? [.malformedPresence] : []))
  }

  @Test("Rule 17: the best resource is chosen by priority, then show, then the newest")
  func bestResource() {
    var scenario = online()
    #expect(best(scenario) == "desk")
    scenario.receives(from: "\(bob)/pda")
    #expect(best(scenario) == "pda")
    scenario.receives(from: "\(bob)/desk", "<show>chat</show>")
    #expect(best(scenario) == "desk")
    scenario.receives(from: "\(bob)/pda", "<show>xa</show><priority>1</priority>")
    #expect(best(scenario) == "pda")
    scenario.receives(from: "\(bob)/car", "<show>away</show><priority>1</priority>")
    #expect(best(scenario) == "car")
    scenario.receives("unavailable", from: "\(bob)/car")
    #expect(best(scenario) == "pda")
  }

  @Test("Rule 17: a negative priority is still online")
  func negativePriority() {
    var scenario = Scenario.alice(item(bob, "subscription='both'"))
    scenario.receives(from: "\(bob)/bot", "<priority>-5</priority>")
    #expect(scenario.online(bob) == ["bot"])
    #expect(best(scenario) == "bot")
  }

  @Test("Rule 17: a delay stamp is kept and does not reorder")
  func delay() {
    var scenario = online()
    let stamp = "2002-09-10T23:41:07Z"
    scenario.receives(from: "\(bob)/pda", "<delay xmlns='urn:xmpp:delay' stamp='\(stamp)'/>")
    #expect(best(scenario) == "pda")
    let pda = scenario.roster.presence(of: bare(bob)).resources["pda"]
    #expect(pda?.availability.delay == stamp)
  }

  @Test("Rule 18: unavailable from a full JID ends that resource, from a bare JID all")
  func unavailable() {
    var scenario = online()
    scenario.receives("unavailable", from: "\(bob)/pda")
    #expect(scenario.online(bob) == ["desk"])
    scenario.receives("unavailable", from: "\(bob)/pda")
    #expect(scenario.online(bob) == ["desk"])
    #expect(scenario.last.changes.isEmpty)
    var all = online()
    all.receives("unavailable", from: bob)
    #expect(all.online(bob).isEmpty)
    #expect(all.last.changes.count == 2)
  }

  @Test("Rule 18: errors, probes and subscription stanzas begin and end no resource")
  func others() {
    for type in ["error", "probe", "subscribe", "subscribed", "unsubscribe", "unsubscribed"] {
      var scenario = online()
      scenario.receives(type, from: "\(bob)/car")
      scenario.receives(type, from: "\(bob)/pda")
      scenario.receives(type, from: bob)
      #expect(scenario.online(bob) == ["desk", "pda"], "\(type)")
      #expect(scenario.subscription(bob) == .both, "\(type)")
    }
  }

  @Test("Rule 18: an error never touches a subscription or a request")
  func error() {
    var scenario = Scenario.alice(item(bob, "ask='subscribe'"))
    scenario.receives("subscribe", from: bob)
    let before = scenario.roster
    scenario.received(
      "<presence type='error' from='\(bob)'><error type='cancel'><remote-server-not-found "
        + "xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></presence>")
    #expect(scenario.last.changes.isEmpty)
    #expect(scenario.codes == [.undeliveredRequest])
    #expect(scenario.roster.entries == before.entries)
    #expect(scenario.outgoing == [bob])
    #expect(scenario.incoming == [bob])
  }

  @Test("Rule 19: what removes presence")
  func voided() {
    let lines: [(String, (inout Scenario) -> Void)] = [
      ("our unsubscribe", { $0.sends("unsubscribe", to: "bob@example.test") }),
      ("push from", { $0.pushed(item("bob@example.test", "subscription='from'")) }),
      ("push none", { $0.pushed(item("bob@example.test")) }),
      ("removal", { $0.pushed(item("bob@example.test", "subscription='remove'")) }),
      ("gone from a result", { $0.fetches() }),
      ("our unavailable", { $0.sends("unavailable") }),
    ]
    for subscription in ["to", "both"] {
      for (name, line) in lines {
        var scenario = online(subscription)
        line(&scenario)
        #expect(scenario.online(bob).isEmpty, "\(name)")
      }
    }
  }

  @Test("Rule 19: what keeps presence")
  func kept() {
    let lines: [(String, (inout Scenario) -> Void)] = [
      ("rename", { $0.pushed(item("bob@example.test", "name='Bob' subscription='both'")) }),
      ("move", { $0.pushed(item("bob@example.test", "subscription='to'", groups: ["G"])) }),
      ("fetch", { $0.fetches(item("bob@example.test", "subscription='both'")) }),
      ("our subscribe", { $0.sends("subscribe", to: "bob@example.test") }),
      ("our unsubscribed", { $0.sends("unsubscribed", to: "bob@example.test") }),
      ("inbound unsubscribed", { $0.receives("unsubscribed", from: "bob@example.test") }),
      ("inbound unsubscribe", { $0.receives("unsubscribe", from: "bob@example.test") }),
      ("our set", { $0.sets(item("bob@example.test", "subscription='remove'")) }),
      ("directed unavailable", { $0.sends("unavailable", to: "carol@example.test") }),
      ("unavailable directed to him", { $0.sends("unavailable", to: "bob@example.test") }),
      ("our presence", { $0.sends() }),
      ("unsubscribe of another", { $0.sends("unsubscribe", to: "carol@example.test") }),
    ]
    for (name, line) in lines {
      var scenario = online()
      line(&scenario)
      #expect(scenario.online(bob) == ["desk", "pda"], "\(name)")
    }
  }

  @Test("Rule 19: a fetch does not remove the presence of a contact that was never an item")
  func fetchKeepsStrangers() {
    for asks in [false, true] {
      var scenario = Scenario.alice()
      if asks { scenario.sends("subscribe", to: bob) }
      scenario.receives(from: "\(bob)/pda")
      scenario.fetches(id: "again")
      #expect(scenario.online(bob) == ["pda"], "asked before: \(asks)")
      #expect(scenario.outgoing.isEmpty)
    }
  }

  @Test("Rule 19: a fetch that shows an item without “to” removes its presence")
  func fetchVoidsWhatItShows() {
    for subscription in ["none", "from"] {
      var scenario = online("both")
      scenario.fetches(item(bob, "subscription='\(subscription)'"), id: "again")
      #expect(scenario.online(bob).isEmpty)
    }
  }

  @Test("Rule 19: a push from none or from to itself removes nothing")
  func neverSubscribed() {
    for subscription in ["none", "from"] {
      var scenario = online(subscription)
      scenario.pushed(item(bob, "subscription='\(subscription)' name='B'"))
      #expect(scenario.online(bob) == ["desk", "pda"])
    }
  }

  @Test("Rule 20: presence in a chat room is not a contact's")
  func room() {
    let user = "<x xmlns='http://jabber.org/protocol/muc#user'><item role='participant'/></x>"
    var scenario = Scenario.alice()
    scenario.receives(from: "room@muc.example.test/carol", user)
    #expect(scenario.last == Scenario.Outcome())
    #expect(scenario.roster.shownPresences.isEmpty)
    scenario.receives("unavailable", from: "room@muc.example.test/carol", user)
    #expect(scenario.last == Scenario.Outcome())
  }

  @Test("Rule 20: our own other resources are kept apart")
  func ownResources() {
    var scenario = Scenario.alice()
    scenario.receives(from: "alice@example.test/tablet", "<show>away</show>")
    scenario.receives(from: "alice@example.test/phone")
    #expect(scenario.roster.ownResources.resources.keys.sorted() == ["tablet"])
    #expect(scenario.roster.shownPresences.isEmpty)
    #expect(scenario.allCodes.isEmpty)
    scenario.receives("unavailable", from: "alice@example.test/tablet")
    #expect(scenario.roster.ownResources.resources.isEmpty)
  }

  @Test("Rules 18 and 19: our own resources end with our bare address and our own broadcast")
  func ownResourcesEnd() {
    for line: (inout Scenario) -> Void in [
      { $0.receives("unavailable", from: "alice@example.test") }, { $0.sends("unavailable") },
    ] {
      var scenario = Scenario.alice()
      scenario.receives(from: "alice@example.test/tablet")
      scenario.receives(from: "alice@example.test/desk")
      line(&scenario)
      #expect(scenario.roster.ownResources.resources.isEmpty)
      #expect(scenario.last.changes.count == 2)
    }
  }

  @Test("Rule 20: presence adds no items")
  func noItems() {
    var scenario = Scenario.alice()
    scenario.receives(from: "\(bob)/pda")
    #expect(scenario.contacts.isEmpty)
    #expect(scenario.online(bob) == ["pda"])
    #expect(scenario.codes == [.uninvitedPresence])
  }

  @Test("An address that we have shown our presence to may show its own, as rooms do")
  func directed() {
    let lines: [(String, isExpected: Bool, (inout Scenario) -> Void)] = [
      ("to the resource", true, { $0.sends(to: "room@chat.test/alice") }),
      ("to the bare address", true, { $0.sends(to: "ROOM@chat.test") }),
      ("to another room", false, { $0.sends(to: "other@chat.test/alice") }),
      (
        "we have left", false,
        {
          $0.sends(to: "room@chat.test/alice")
          $0.sends("unavailable", to: "room@chat.test/alice")
        }
      ),
      (
        "a request", false,
        {
          $0.sends("unsubscribe", to: "room@chat.test")
        }
      ),
      (
        "in an earlier session", false,
        {
          $0.sends(to: "room@chat.test/alice")
          $0.closed()
          $0.opened("alice@example.test/phone")
          $0.fetches(id: "again")
          $0.sends()
        }
      ),
    ]
    for (name, isExpected, line) in lines {
      var scenario = Scenario.alice()
      line(&scenario)
      scenario.receives(from: "room@chat.test/bob")
      #expect(scenario.codes.contains(.uninvitedPresence) != isExpected, "\(name)")
      #expect(scenario.online("room@chat.test") == ["bob"], "\(name)")
    }
  }

  @Test("A shown presence to single addresses is part of the state")
  func directedState() throws {
    var scenario = Scenario.alice()
    for number in 0..<80 { scenario.sends(to: "room\(number)@chat.test/alice") }
    let read = try Roster(snapshot: scenario.roster.snapshot.span.bytes)
    #expect(read == scenario.roster)
  }

  @Test("In as many rooms as are kept, no presence is called uninvited")
  func manyRooms() {
    for (rooms, isTold) in [(63, true), (64, false), (80, false)] {
      var scenario = Scenario.alice(item("bob@example.test", "subscription='both'"))
      for number in 0..<rooms {
        scenario.sends(to: "bob@example.test/pc")
        scenario.sends(to: "room\(number)@chat.test/alice")
      }
      scenario.receives(from: "room0@chat.test/carol")
      #expect(scenario.codes.isEmpty, "\(rooms)")
      for number in 40..<60 { scenario.sends("unavailable", to: "room\(number)@chat.test/alice") }
      scenario.receives(from: "room1@chat.test/carol")
      #expect(scenario.codes.isEmpty, "\(rooms)")
      scenario.receives(from: "eve@evil.test/x")
      #expect(scenario.codes.contains(.uninvitedPresence) == isTold, "\(rooms)")
    }
  }

  @Test("A removal also removes early presence without an item")
  func removalOfNoItem() {
    var scenario = Scenario()
    scenario.opened("alice@example.test/phone")
    scenario.receives(from: "bob@example.test/pc")
    #expect(scenario.online("bob@example.test") == ["pc"])
    scenario.pushed(item("bob@example.test", "subscription='remove'"))
    #expect(scenario.online("bob@example.test").isEmpty)
  }
}
