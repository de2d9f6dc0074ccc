import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Commands")
struct CommandTests {
  private let bob = "bob@example.test"
  private let offers =
    "<stream:features><ver xmlns='urn:xmpp:features:rosterver'/>"
    + "<sub xmlns='urn:xmpp:features:pre-approval'/></stream:features>"

  private func decide(
    _ command: RosterCommand, _ scenario: Scenario, mutual: Bool = false
  ) -> Result<[XMPPElement], CommandRefusal> {
    let decider = RosterDecider(wantsMutualFriends: mutual)
    return Result { () throws(CommandRefusal) in
      try decider.decide(command, on: scenario.roster) { "c\($0)" }
    }
  }

  private func set(_ item: String, id: Int = 0) -> String {
    "<iq type='set' id='c\(id)'><query xmlns='jabber:iq:roster'>\(item)</query></iq>"
  }

  private func presence(_ type: String, _ jid: String) -> String {
    "<presence type='\(type)' to='\(jid)'/>"
  }

  private func expect(
    _ command: RosterCommand, _ scenario: Scenario, mutual: Bool = false, sends lines: [String]
  ) {
    #expect(
      decide(command, scenario, mutual: mutual) == .success(lines.map(element)), "\(command)")
  }

  private func expect(_ command: RosterCommand, _ scenario: Scenario, refused: CommandRefusal) {
    #expect(decide(command, scenario) == .failure(refused), "\(command)")
    #expect(refused.description.last != ".")
  }

  @Test("A get names the version only if the server offers versions; it is empty the first time")
  func fetch() {
    var scenario = Scenario()
    scenario.opened("alice@example.test/phone")
    expect(
      .fetch, scenario, sends: ["<iq type='get' id='c0'><query xmlns='jabber:iq:roster'/></iq>"])
    scenario.received(offers)
    let first = "<iq type='get' id='c0'><query xmlns='jabber:iq:roster' ver=''/></iq>"
    expect(.fetch, scenario, sends: [first])
    scenario.pushed(item(bob), version: "v1")
    expect(.fetch, scenario, sends: [first])
    scenario.fetches(item(bob), version: "v2")
    expect(
      .fetch, scenario,
      sends: ["<iq type='get' id='c0'><query xmlns='jabber:iq:roster' ver='v2'/></iq>"])
  }

  @Test("Adding a contact sets the item, then sends a request")
  func add() {
    expect(
      .add(bare(bob), name: "Bob", groups: ["B", "A"]), .alice(),
      sends: [
        set("<item jid='\(bob)' name='Bob'><group>A</group><group>B</group></item>"),
        presence("subscribe", bob),
      ])
    expect(
      .add(bare(bob)), .alice(), sends: [set("<item jid='\(bob)'/>"), presence("subscribe", bob)])
  }

  @Test("A request can have a message, and a contact can be added without one")
  func addWithMessage() {
    expect(
      .add(bare(bob), message: "It is me <Alice>"), .alice(),
      sends: [
        set("<item jid='\(bob)'/>"),
        "<presence type='subscribe' to='\(bob)'><status>It is me &lt;Alice></status></presence>",
      ])
    expect(
      .add(bare(bob), message: ""), .alice(),
      sends: [set("<item jid='\(bob)'/>"), presence("subscribe", bob)])
    expect(
      .add(bare(bob), name: "Bob", message: "unread", subscribes: false), .alice(),
      sends: [set("<item jid='\(bob)' name='Bob'/>")])
    // A friend is listed already: what is given is changed, and the contact is not told.
    var friend = Scenario.alice(item(bob, "name='Bob' subscription='both'", groups: ["A"]))
    expect(.add(bare(bob), subscribes: false), friend, sends: [])
    expect(
      .add(bare(bob), groups: ["B"], subscribes: false), friend,
      sends: [set("<item jid='\(bob)' name='Bob'><group>B</group></item>")])
    expect(.add(bare(bob), message: "again"), friend, refused: .alreadyFriend(bare(bob)))
    friend.received(offers)
    let account = bare(Scenario.account)
    expect(.add(account, subscribes: false), friend, refused: .oneself(account))
    // An open request waits for the user.
    var asked = Scenario.alice()
    asked.receives("subscribe", from: bob)
    expect(.add(bare(bob), subscribes: false), asked, sends: [set("<item jid='\(bob)'/>")])
  }

  @Test("A text that a stream cannot carry is refused")
  func characters() {
    let scenario = Scenario.alice(item(bob, groups: ["A"]))
    for text in ["a\u{8}b", "\u{0}", "\u{1F}", "\u{FFFE}", "a\u{FFFF}"] {
      let commands: [RosterCommand] = [
        .add(bare("eve@x"), message: text), .add(bare("eve@x"), name: text),
        .rename(bare(bob), to: text), .setGroups(bare(bob), [text]), .renameGroup("A", to: text),
      ]
      for command in commands { expect(command, scenario, refused: .characterNotAllowed) }
    }
    for text in ["a\tb\nc\rd", "\u{20}\u{7F}", "\u{FFFD}", "\u{1F600}", "<&>\"'"] {
      let sent = decide(.rename(bare(bob), to: "x\(text)x"), scenario)
      #expect((try? sent.get())?.count == 1, "\(text)")
    }
  }

  @Test("Each direction of a subscription can be ended by itself")
  func unsubscribeAndRevoke() {
    let scenario = Scenario.alice(
      item("both@x", "subscription='both'") + item("to@x", "subscription='to'")
        + item("from@x", "subscription='from'") + item("none@x") + item("ok@x", "approved='1'"))
    for (jid, sees, isSeen) in [
      ("both@x", true, true), ("to@x", true, false), ("from@x", false, true),
      ("none@x", false, false), ("ok@x", false, true), ("eve@x", false, false),
    ] {
      if sees {
        expect(.unsubscribe(bare(jid)), scenario, sends: [presence("unsubscribe", jid)])
      } else {
        expect(.unsubscribe(bare(jid)), scenario, refused: .notSubscribed(bare(jid)))
      }
      if isSeen {
        expect(.revoke(bare(jid)), scenario, sends: [presence("unsubscribed", jid)])
      } else {
        expect(.revoke(bare(jid)), scenario, refused: .notSeenBy(bare(jid)))
      }
    }
    // Nothing is absent from a roster that was not seen.
    var unknown = Scenario()
    unknown.opened("alice@example.test/phone")
    expect(.unsubscribe(bare(bob)), unknown, refused: .rosterNotKnown)
    expect(.revoke(bare(bob)), unknown, refused: .rosterNotKnown)
  }

  @Test("Adding a contact that is in the roster keeps the fields that are not given")
  func addKnown() {
    let scenario = Scenario.alice(
      item(bob, "name='Bob' subscription='from' approved='true'", groups: ["A"]))
    expect(.add(bare(bob)), scenario, sends: [presence("subscribe", bob)])
    expect(
      .add(bare(bob), name: "Robert"), scenario,
      sends: [
        set("<item jid='\(bob)' name='Robert'><group>A</group></item>"), presence("subscribe", bob),
      ])
  }

  @Test("Adding a contact whose request is open accepts it")
  func addAsker() {
    var scenario = Scenario.alice()
    scenario.receives("subscribe", from: bob)
    let lines = [
      set("<item jid='\(bob)'/>"), presence("subscribed", bob), presence("subscribe", bob),
    ]
    expect(.add(bare(bob)), scenario, sends: lines)
    scenario.opened("alice@example.test/phone")
    scenario.fetches()
    scenario.sends()
    expect(.add(bare(bob)), scenario, sends: lines)
    var seen = Scenario.alice(item(bob, "subscription='to'"))
    seen.receives("subscribe", from: bob)
    expect(.add(bare(bob)), seen, sends: [presence("subscribed", bob)])
  }

  @Test("It refuses to add oneself, and to add a friend again")
  func addRefused() {
    let scenario = Scenario.alice(
      item(bob, "subscription='both'") + item("carol@example.test", "subscription='to'"))
    let account = bare(Scenario.account)
    expect(.add(account), scenario, refused: .oneself(account))
    expect(.add(bare(bob)), scenario, refused: .alreadyFriend(bare(bob)))
    expect(
      .add(bare("carol@example.test")), scenario,
      refused: .alreadyFriend(bare("carol@example.test")))
  }

  @Test("Accepting answers the bare JID, and sends a request if mutual friends are wanted")
  func accept() {
    var scenario = Scenario.alice()
    expect(.accept(bare(bob)), scenario, refused: .noRequest(bare(bob)))
    scenario.receives("subscribe", from: "\(bob)/pda")
    expect(.accept(bare(bob)), scenario, sends: [presence("subscribed", bob)])
    expect(
      .accept(bare(bob)), scenario, mutual: true,
      sends: [presence("subscribed", bob), presence("subscribe", bob)])
    scenario.sends("subscribe", to: bob)
    expect(.accept(bare(bob)), scenario, mutual: true, sends: [presence("subscribed", bob)])
    var seen = Scenario.alice(item(bob, "subscription='to'"))
    seen.receives("subscribe", from: bob)
    expect(.accept(bare(bob)), seen, mutual: true, sends: [presence("subscribed", bob)])
  }

  @Test("Rejecting and cancelling")
  func rejectAndCancel() {
    var scenario = Scenario.alice()
    expect(.reject(bare(bob)), scenario, refused: .noRequest(bare(bob)))
    expect(.cancel(bare(bob)), scenario, refused: .nothingToCancel(bare(bob)))
    scenario.receives("subscribe", from: bob)
    expect(.reject(bare(bob)), scenario, sends: [presence("unsubscribed", bob)])
    scenario.sends("subscribe", to: bob)
    expect(.cancel(bare(bob)), scenario, sends: [presence("unsubscribe", bob)])
  }

  @Test("Removing sends only the removal, because the server ends the subscriptions")
  func remove() {
    let scenario = Scenario.alice(item(bob, "name='Bob' subscription='both'", groups: ["A"]))
    expect(
      .remove(bare(bob)), scenario, sends: [set("<item jid='\(bob)' subscription='remove'/>")])
    expect(
      .remove(bare("eve@example.test")), scenario,
      refused: .notInRoster(bare("eve@example.test")))
  }

  @Test("A rename sends the name and all groups, and nothing that a client may not set")
  func edit() {
    let scenario = Scenario.alice(
      item(
        bob, "name='Bob' subscription='both' ask='subscribe' approved='true'", groups: ["A", "B"]))
    let groups = "<group>A</group><group>B</group>"
    expect(
      .rename(bare(bob), to: " Rob "), scenario,
      sends: [set("<item jid='\(bob)' name='Rob'>\(groups)</item>")])
    expect(
      .rename(bare(bob), to: nil), scenario, sends: [set("<item jid='\(bob)'>\(groups)</item>")])
    expect(.rename(bare(bob), to: "Bob"), scenario, sends: [])
    expect(
      .setGroups(bare(bob), ["C", "", "C"]), scenario,
      sends: [set("<item jid='\(bob)' name='Bob'><group>C</group></item>")])
    expect(
      .rename(bare("eve@example.test"), to: "E"), scenario,
      refused: .notInRoster(bare("eve@example.test")))
  }

  @Test("A group is renamed or deleted contact by contact, and the other groups stay")
  func groups() {
    let scenario = Scenario.alice(
      item("b@x", "name='B'", groups: ["A", "Z"]) + item("a@x", groups: ["A", "New"])
        + item("c@x", groups: ["a"]))
    expect(
      .renameGroup("A", to: "New"), scenario,
      sends: [
        set("<item jid='a@x'><group>New</group></item>"),
        set("<item jid='b@x' name='B'><group>New</group><group>Z</group></item>", id: 1),
      ])
    expect(
      .deleteGroup("A"), scenario,
      sends: [
        set("<item jid='a@x'><group>New</group></item>"),
        set("<item jid='b@x' name='B'><group>Z</group></item>", id: 1),
      ])
    expect(.renameGroup("A", to: "A"), scenario, sends: [])
    expect(.renameGroup("A", to: "  "), scenario, refused: .emptyGroupName)
    expect(.deleteGroup("Q"), scenario, refused: .noSuchGroup("Q"))
  }

  @Test("Many contacts are put into groups at once, or none of them")
  func regroup() {
    let scenario = Scenario.alice(
      item("b@x", "name='B'", groups: ["A"]) + item("a@x", groups: ["A", "New"]) + item("c@x"))
    expect(
      .regroup([bare("c@x"): [], bare("b@x"): ["New", " Z "], bare("a@x"): ["New"]]), scenario,
      sends: [
        set("<item jid='a@x'><group>New</group></item>"),
        set("<item jid='b@x' name='B'><group>New</group><group>Z</group></item>", id: 1),
      ])
    expect(.regroup([:]), scenario, sends: [])
    expect(
      .regroup([bare("a@x"): [], bare("eve@x"): []]), scenario, refused: .notInRoster(bare("eve@x"))
    )
  }

  @Test("A pre-approval needs a server that offers it and a contact that is not approved")
  func preApprove() {
    var scenario = Scenario.alice(
      item(bob) + item("carol@x", "approved='1'") + item("dave@x", "subscription='from'"))
    expect(.preApprove(bare(bob)), scenario, refused: .preApprovalNotOffered)
    scenario.received(offers)
    expect(.preApprove(bare(bob)), scenario, sends: [presence("subscribed", bob)])
    expect(.preApprove(bare("carol@x")), scenario, refused: .alreadyApproved(bare("carol@x")))
    expect(.preApprove(bare("dave@x")), scenario, refused: .alreadyApproved(bare("dave@x")))
    let account = bare(Scenario.account)
    expect(.preApprove(account), scenario, refused: .oneself(account))
  }

  @Test("Blocking")
  func block() {
    var scenario = Scenario.alice()
    let block = "<block xmlns='urn:xmpp:blocking'><item jid='\(bob)'/></block>"
    expect(.block(address(bob)), scenario, sends: ["<iq type='set' id='c0'>\(block)</iq>"])
    expect(.unblock(address(bob)), scenario, refused: .notBlocked(address(bob)))
    scenario.received("<iq type='set' id='p'>\(block)</iq>")
    expect(.block(address(bob)), scenario, refused: .alreadyBlocked(address(bob)))
    expect(
      .unblock(address(bob)), scenario,
      sends: [
        "<iq type='set' id='c0'><unblock xmlns='urn:xmpp:blocking'>"
          + "<item jid='\(bob)'/></unblock></iq>"
      ])
  }

  @Test("Every push from our own server is acknowledged, and nothing else")
  func acknowledgements() {
    let scenario = Scenario.alice()
    func acknowledge(_ attributes: String, _ payload: String) -> XMPPElement? {
      IQ(element("<iq \(attributes)>\(payload)</iq>")).flatMap {
        RosterDecider.acknowledgement(of: $0, on: scenario.roster)
      }
    }
    let query = "<query xmlns='jabber:iq:roster'>\(item(bob))</query>"
    let answer = element("<iq type='result' id='p'/>")
    #expect(acknowledge("type='set' id='p'", query) == answer)
    #expect(acknowledge("type='set' id='p'", "<block xmlns='urn:xmpp:blocking'/>") == answer)
    #expect(
      acknowledge("type='set' id='p' from='alice@example.test'", query)
        == element("<iq type='result' id='p' to='alice@example.test'/>"))
    #expect(acknowledge("type='set' id='p' from='eve@example.test'", query) == nil)
    #expect(acknowledge("type='set' id='p' from='alice@example.test/phone'", query) == nil)
    #expect(acknowledge("type='set'", query) == nil)
    #expect(acknowledge("type='result' id='p'", query) == nil)
    #expect(acknowledge("type='set' id='p'", "<x xmlns='urn:x'>\(query)</x>") == nil)
  }

  @Test("The stanzas of commands cause no finding when they are played")
  func played() throws {
    var scenario = Scenario.alice(item("carol@example.test", "name='C'", groups: ["A", "B"]))
    scenario.receives("subscribe", from: bob)
    let commands: [RosterCommand] = [
      .add(bare(bob), name: "Bob", groups: ["A"]), .add(bare("dave@example.test")),
      .rename(bare("carol@example.test"), to: "Carol"), .renameGroup("A", to: "Z"),
      .cancel(bare("dave@example.test")), .remove(bare("carol@example.test")),
    ]
    for (number, command) in commands.enumerated() {
      let stanzas = try RosterDecider(wantsMutualFriends: true).decide(command, on: scenario.roster)
      {
        "n\(number)-\($0)"
      }
      for stanza in stanzas {
        scenario.sent(String(decoding: stanza.serialized(), as: UTF8.self))
      }
    }
    #expect(scenario.allCodes.isEmpty)
    #expect(scenario.outgoing == [bob])
    #expect(scenario.roster.ended[bare(bob)]?.way == .accepted)
  }
}

@Suite("Auto-accept")
struct AutoAcceptTests {
  private let bob = "bob@example.test"

  private func decision(_ policy: AutoAccept, _ scenario: Scenario) -> Bool? {
    policy.decide(on: bare(bob), in: scenario.roster)?.isAccepted
  }

  @Test(
    "A contact is known if we subscribe or have sent a request; an item with none is not known",
    arguments: [
      ("", false), ("subscription='none'", false), ("subscription='to'", true),
      ("ask='subscribe'", true), ("name='Bob'", false), ("approved='true'", false),
    ])
  func known(attributes: String, isKnown: Bool) {
    var scenario = Scenario.alice(attributes.isEmpty ? "" : item(bob, attributes))
    scenario.receives("subscribe", from: bob)
    #expect(decision(.knownContacts, scenario) == isKnown)
    #expect(decision(.never, scenario) == false)
    #expect(decision(.all, scenario) == true)
  }

  @Test("A contact that we sent a request to is known before the server shows it")
  func asked() {
    var scenario = Scenario.alice()
    scenario.sends("subscribe", to: bob)
    scenario.receives("subscribe", from: bob)
    #expect(decision(.knownContacts, scenario) == true)
  }

  @Test("There is no decision without an open request, and each has its reason and record")
  func openRequests() {
    var scenario = Scenario.alice(item(bob, "subscription='to'"))
    for policy in AutoAccept.allCases { #expect(decision(policy, scenario) == nil) }
    scenario.receives("subscribe", from: bob)
    let made = AutoAccept.knownContacts.decide(on: bare(bob), in: scenario.roster)
    #expect(made?.request == 4)
    #expect(made?.contact == bare(bob))
    #expect(made?.reason.last == ".")
    scenario.opened("alice@example.test/phone")
    scenario.sends()
    for policy in AutoAccept.allCases { #expect(decision(policy, scenario) == nil) }
  }

  @Test(
    "A blocked contact is never accepted automatically",
    arguments: ["bob@example.test", "example.test"])
  func blocked(jid: String) {
    var scenario = Scenario.alice(item(bob, "subscription='to'"))
    scenario.receives("subscribe", from: bob)
    scenario.received(
      "<iq type='set' id='p'><block xmlns='urn:xmpp:blocking'><item jid='\(jid)'/></block></iq>")
    for policy in AutoAccept.allCases { #expect(decision(policy, scenario) == false) }
  }

  @Test("Blocking one resource of a contact does not block the contact (XEP-0191 §3.1)")
  func blockedResource() {
    var scenario = Scenario.alice(item(bob, "subscription='to'"))
    scenario.receives("subscribe", from: bob)
    scenario.received(
      "<iq type='set' id='p'><block xmlns='urn:xmpp:blocking'><item jid='\(bob)/pda'/></block></iq>"
    )
    #expect(decision(.all, scenario) == true)
    #expect(decision(.knownContacts, scenario) == true)
  }
}
