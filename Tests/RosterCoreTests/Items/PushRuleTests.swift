import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Rules 6 to 9: pushes")
struct PushRuleTests {
  private let bob = "bob@example.test"

  @Test(
    "Rule 6: a push counts if from is absent or our own bare JID",
    arguments: [nil, "alice@example.test", "ALICE@Example.Test"])
  func ownPush(from: String?) {
    var scenario = Scenario.alice()
    scenario.pushed(item(bob), from: from)
    #expect(scenario.contacts == [bob])
    #expect(scenario.codes.isEmpty)
  }

  @Test(
    "Rule 6: a push from any other sender is ignored, with a finding that names the sender",
    arguments: [
      ("alice@example.test/phone", "our own full address"),
      ("alice@example.test/tablet", "another resource"),
      ("alice@example.test/PHONE", "another resource"),
      ("example.test", "our domain"),
      ("eve@example.test", "stranger"),
      ("eve@evil.test/x", "stranger"),
      ("alice@example.test.evil.test", "stranger"),
      ("bob@example.test", "the contact bob@example.test"),
    ])
  func foreignPush(from: String, says: String) {
    for change in ["subscription='both'", "subscription='remove'"] {
      var scenario = Scenario.alice(item(bob, "subscription='to'"), version: "v1")
      let before = scenario.roster.entries
      scenario.pushed(item(bob, change), version: "v2", from: from)
      #expect(scenario.roster.entries == before)
      #expect(scenario.roster.version == "v1")
      #expect(scenario.last.changes.isEmpty)
      #expect(scenario.codes == [.foreignPush])
      #expect(scenario.last.findings.first?.sentence.contains(says) == true)
    }
  }

  @Test("Rule 6: id may repeat, to may be missing, and no get is needed")
  func pushesWithoutCeremony() {
    var scenario = Scenario()
    scenario.opened("alice@example.test/phone")
    scenario.pushed(item(bob), id: "push")
    scenario.pushed(item("carol@example.test"), id: "push")
    scenario.received(
      "<iq type='set'><query xmlns='jabber:iq:roster'><item jid='dave@example.test'/></query></iq>")
    #expect(scenario.contacts == [bob, "carol@example.test", "dave@example.test"])
    #expect(scenario.roster.completeness == .neverFetched)
  }

  @Test("Rule 6: an inbound get or result is not a push")
  func otherKindsOfIQ() {
    for type in ["get", "result", "error"] {
      var scenario = Scenario.alice()
      scenario.received(
        "<iq id='p' type='\(type)'><query xmlns='jabber:iq:roster'>"
          + "<item jid='\(bob)'/></query></iq>"
      )
      #expect(scenario.contacts.isEmpty)
    }
  }

  @Test("Rule 7: a push holds exactly one item")
  func itemCount() {
    for items in ["", item(bob, "name='B'") + item("carol@example.test")] {
      var scenario = Scenario.alice(item(bob), version: "v1")
      let before = scenario.roster.entries
      scenario.pushed(items, version: "v2")
      #expect(scenario.roster.entries == before)
      #expect(scenario.roster.version == "v1")
      #expect(scenario.codes == [.pushItemCount])
    }
  }

  @Test("Rule 7: a push replaces its item as a whole")
  func wholeItem() {
    var scenario = Scenario.alice(
      item(
        bob, "name='Bob' subscription='from' ask='subscribe' approved='true'", groups: ["G", "H"]))
    #expect(
      scenario.item(bob)
        == RosterItem(
          jid: bare(bob), name: "Bob", subscription: .from, isPending: true, isApproved: true,
          groups: ["G", "H"]))
    scenario.pushed("<item jid='\(bob)'/>")
    #expect(scenario.item(bob) == RosterItem(jid: bare(bob)))
  }

  @Test("Rule 7: remove removes the item, may name an unknown contact, and is never stored")
  func removal() {
    var scenario = Scenario.alice(item(bob))
    scenario.pushed(item("nobody@example.test", "subscription='remove'"), version: "v2")
    #expect(scenario.contacts == [bob])
    #expect(scenario.roster.version == "v2")
    scenario.pushed(item(bob, "subscription='remove'"))
    #expect(scenario.contacts.isEmpty)
    scenario.fetches(item(bob, "subscription='remove'") + item("carol@example.test"))
    #expect(scenario.contacts == ["carol@example.test"])
    #expect(scenario.codes == [.removalInResult])
  }

  @Test(
    "Rule 8: subscription",
    arguments: [
      ("", RosterSubscription.none, false), ("subscription=''", .none, false),
      ("subscription='none'", .none, false), ("subscription='to'", .to, false),
      ("subscription='from'", .from, false), ("subscription='both'", .both, false),
      ("subscription='BOTH'", .none, true), ("subscription='friend'", .none, true),
      ("subscription='Remove'", .none, true),
    ])
  func subscription(attribute: String, expected: RosterSubscription, isOdd: Bool) {
    var scenario = Scenario.alice()
    scenario.pushed(item(bob, attribute))
    #expect(scenario.subscription(bob) == expected)
    #expect(scenario.codes == (isOdd ? [.unknownSubscription] : []))
  }

  @Test(
    "Rule 8: only ask='subscribe' is pending",
    arguments: [
      ("", false), ("ask='subscribe'", true), ("ask='unsubscribe'", false),
      ("ask='Subscribe'", false), ("ask=''", false),
    ])
  func ask(attribute: String, expected: Bool) {
    var scenario = Scenario.alice()
    scenario.pushed(item(bob, attribute))
    #expect(scenario.item(bob)?.isPending == expected)
    #expect(scenario.outgoing == (expected ? [bob] : []))
  }

  @Test(
    "Rule 8: approved is an xs:boolean",
    arguments: [
      ("", false), ("approved='true'", true), ("approved='1'", true), ("approved='false'", false),
      ("approved='0'", false), ("approved='TRUE'", false), ("approved='yes'", false),
      ("approved=' true '", true),
    ])
  func approved(attribute: String, expected: Bool) {
    var scenario = Scenario.alice()
    scenario.pushed(item(bob, attribute))
    #expect(scenario.item(bob)?.isApproved == expected)
  }

  @Test("Rule 8: an empty name is none; groups are a case-sensitive set without empty ones")
  func namesAndGroups() {
    var scenario = Scenario.alice()
    scenario.pushed(item(bob, "name=''", groups: ["b", "B", "", "a", "b"]))
    #expect(scenario.item(bob)?.name == nil)
    #expect(scenario.item(bob)?.groups == ["B", "a", "b"])
    scenario.pushed(item(bob, groups: ["a", "b", "B"]))
    #expect(scenario.last.changes.isEmpty)
    scenario.pushed(item(bob, groups: [""]))
    #expect(scenario.item(bob)?.groups == [])
  }

  @Test("Rule 9: the version is that of the last accepted result or push")
  func version() {
    var scenario = Scenario.alice(item(bob), version: "v1")
    #expect(scenario.roster.version == "v1")
    scenario.pushed(item(bob, "name='B'"), version: " V/2 ")
    #expect(scenario.roster.version == " V/2 ")
    scenario.pushed(item(bob, "name='C'"))
    #expect(scenario.roster.version == " V/2 ")
    scenario.pushed(item(bob, "subscription='remove'"), version: "v3")
    #expect(scenario.roster.version == "v3")
    scenario.pushed(item("carol@example.test"), version: "v9", from: "eve@example.test")
    #expect(scenario.roster.version == "v3")
    scenario.fetches(item(bob), id: "b", version: "v4")
    #expect(scenario.roster.version == "v4")
  }

  @Test(
    "Rule 9: a whole roster without a version has none, because the old one names another roster")
  func resultWithoutVersion() {
    var scenario = Scenario.alice(item(bob), version: "v1")
    scenario.fetches(item(bob), id: "b")
    #expect(scenario.roster.version == nil)
  }

  @Test("Rule 9: the version changes in the same step as its item")
  func versionWithItem() {
    var scenario = Scenario.alice(item(bob), version: "v1")
    scenario.pushed(item(bob, "name='B'"), version: "v2")
    #expect(
      scenario.last.changes.map(\.values) == [
        .name(before: nil, after: "B"),
        .version(before: "v1", after: "v2"),
      ])
    scenario.pushed(item("b b@example.test"), version: "v3")
    #expect(scenario.roster.version == "v2")
  }
}
