import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Rules 14 to 16: requests of ours, and unexpected stanzas")
struct OutgoingRuleTests {
  @Test("Rule 14: “subscribed” ends our request while the item still shows ask; the next is new")
  func acceptedBeforeTheRosterShowsIt() {
    var scenario = Scenario.alice(item("bob@example.test", "ask='subscribe'"))
    #expect(scenario.outgoing == ["bob@example.test"])
    scenario.receives("subscribed", from: "bob@example.test")
    #expect(scenario.outgoing.isEmpty)
    #expect(scenario.item("bob@example.test")?.isPending == true)
    scenario.sends("subscribe", to: "bob@example.test")
    let request = scenario.roster.outgoing[bare("bob@example.test")]
    #expect(request?.since.record == scenario.record)
    #expect(request?.isReflected == false)
    // Not yet reflected, so a push without ask does not end it.
    scenario.pushed(item("bob@example.test"))
    #expect(scenario.outgoing == ["bob@example.test"])
  }

  private let bob = "bob@example.test"

  @Test("Rule 14: a subscribe of ours is outgoing, and an item with ask is")
  func opens() {
    var scenario = Scenario.alice(item("dave@example.test", "ask='subscribe'"))
    scenario.sends("subscribe", to: "\(bob)/pda", at: 5_000)
    #expect(scenario.outgoing == [bob, "dave@example.test"])
    #expect(scenario.roster.outgoing[bare(bob)]?.since == RecordStamp(record: 4, time: 5_000))
    #expect(scenario.roster.outgoing[bare("dave@example.test")]?.since.record == 3)
    scenario.sends("subscribe", to: bob)
    scenario.pushed(item(bob, "ask='subscribe'"))
    #expect(scenario.roster.outgoing[bare(bob)]?.since.record == 4)
  }

  @Test("Rule 14: nothing is outgoing to a contact that is to or both", arguments: ["to", "both"])
  func alreadyThere(subscription: String) {
    var scenario = Scenario.alice(item(bob, "subscription='\(subscription)' ask='subscribe'"))
    #expect(scenario.outgoing.isEmpty)
    scenario.sends("subscribe", to: bob)
    #expect(scenario.outgoing.isEmpty)
    #expect(scenario.codes == [.needlessRequest])
  }

  @Test("Rule 14: a push of none ends it only after the first reflection; then the roster decides")
  func reflection() {
    var scenario = Scenario.alice()
    scenario.sets(item(bob, "name='Bob'"))
    scenario.sends("subscribe", to: bob)
    scenario.pushed(item(bob, "name='Bob' subscription='none'"))
    #expect(scenario.outgoing == [bob])
    scenario.pushed(item(bob, "name='Bob' subscription='none' ask='subscribe'"))
    #expect(scenario.outgoing == [bob])
    scenario.pushed(item(bob, "name='Bob' subscription='none'"))
    #expect(scenario.outgoing.isEmpty)
  }

  @Test("Rule 14: before the reflection a push of from without ask does not end it either")
  func fromBeforeReflection() {
    var scenario = Scenario.alice(item(bob, "subscription='from'"))
    scenario.sends("subscribe", to: bob)
    scenario.pushed(item(bob, "subscription='from' name='Bob'"))
    #expect(scenario.outgoing == [bob])
    scenario.pushed(item(bob, "subscription='from' name='Bob' ask='subscribe'"))
    scenario.pushed(item(bob, "subscription='from' name='Bob'"))
    #expect(scenario.outgoing.isEmpty)
  }

  @Test("Rule 14: what ends it")
  func ends() {
    typealias End = (name: String, code: Finding.Code?, play: (inout Scenario) -> Void)
    let ends: [End] = [
      ("subscribed", nil, { $0.receives("subscribed", from: "bob@example.test") }),
      (
        "unsubscribed", .deniedRequest,
        { $0.receives("unsubscribed", from: "bob@example.test/pda") }
      ),
      ("our unsubscribe", nil, { $0.sends("unsubscribe", to: "bob@example.test") }),
      ("to", nil, { $0.pushed(item("bob@example.test", "subscription='to'")) }),
      ("both", nil, { $0.fetches(item("bob@example.test", "subscription='both'")) }),
      ("removal", nil, { $0.pushed(item("bob@example.test", "subscription='remove'")) }),
      ("result without it", nil, { $0.fetches() }),
    ]
    for reflected in [true, false] {
      for (name, code, end) in ends {
        var scenario = Scenario.alice()
        scenario.sends("subscribe", to: bob)
        if reflected { scenario.pushed(item(bob, "ask='subscribe'")) }
        #expect(scenario.outgoing == [bob])
        end(&scenario)
        #expect(scenario.outgoing.isEmpty, "\(name), reflected: \(reflected)")
        #expect(scenario.codes == [code].compactMap { $0 }, "\(name)")
      }
    }
  }

  @Test("Rule 14: a request that the roster never showed is not one that it no longer shows")
  func neverShown() {
    let lines: [((inout Scenario) -> Void, RosterChange.OutgoingEnd)] = [
      ({ $0.fetches(item("bob@example.test"), id: "f2") }, .dropped),
      ({ $0.fetches(id: "f2") }, .removed),
      ({ $0.pushed(item("bob@example.test", "subscription='remove'")) }, .removed),
    ]
    for (end, way) in lines {
      for isReflected in [true, false] {
        var scenario = Scenario.alice()
        scenario.sends("subscribe", to: bob)
        if isReflected { scenario.pushed(item(bob, "ask='subscribe'")) }
        end(&scenario)
        #expect(
          scenario.last.changes.compactMap(\.reason)
            == [.outgoingEnded(isReflected ? way : .neverShown)])
      }
    }
  }

  @Test("Rule 14: what does not end it")
  func stays() {
    let lines: [(String, (inout Scenario) -> Void)] = [
      ("presence", { $0.receives(from: "bob@example.test/pda") }),
      ("error", { $0.receives("error", from: "bob@example.test") }),
      ("inbound unsubscribe", { $0.receives("unsubscribe", from: "bob@example.test") }),
      ("inbound subscribe", { $0.receives("subscribe", from: "bob@example.test") }),
      ("our subscribed", { $0.sends("subscribed", to: "bob@example.test") }),
      ("our unsubscribed", { $0.sends("unsubscribed", to: "bob@example.test") }),
      (
        "a new session",
        {
          $0.opened("alice@example.test/phone"); $0.sends()
        }
      ),
      ("unsubscribed of another", { $0.receives("unsubscribed", from: "carol@example.test") }),
      (
        "spoofed push",
        {
          $0.pushed(item("bob@example.test", "subscription='to'"), from: "bob@example.test")
        }
      ),
    ]
    for (name, line) in lines {
      var scenario = Scenario.alice()
      scenario.sends("subscribe", to: bob)
      line(&scenario)
      #expect(scenario.outgoing == [bob], "\(name)")
    }
  }

  @Test("Rule 14: a result to a get from before our subscribe does not end it")
  func olderGet() {
    var scenario = Scenario.alice()
    scenario.gets(id: "b")
    scenario.sends("subscribe", to: bob)
    scenario.sends("subscribe", to: "carol@example.test")
    scenario.receivesResult(item(bob), id: "b")
    #expect(scenario.outgoing == [bob, "carol@example.test"])
    scenario.fetches(item(bob), id: "c")
    #expect(scenario.outgoing.isEmpty)
  }

  @Test("Rule 15: requests that cross can be settled by either side")
  func crossing() {
    func crossed() -> Scenario {
      var scenario = Scenario.alice()
      scenario.sends("subscribe", to: bob)
      scenario.pushed(item(bob, "ask='subscribe'"))
      scenario.receives("subscribe", from: bob)
      return scenario
    }
    #expect(crossed().roster.crosses(bare(bob)))
    #expect(crossed().incoming == [bob])
    #expect(crossed().outgoing == [bob])
    var ours = crossed()
    ours.sends("subscribed", to: bob)
    #expect(!ours.roster.crosses(bare(bob)))
    ours.pushed(item(bob, "subscription='from' ask='subscribe'"))
    #expect(ours.outgoing == [bob])
    #expect(ours.incoming.isEmpty)
    var theirs = crossed()
    theirs.receives("subscribed", from: bob)
    theirs.pushed(item(bob, "subscription='to'"))
    #expect(!theirs.roster.crosses(bare(bob)))
    #expect(theirs.incoming == [bob])
    theirs.sends("subscribed", to: bob)
    theirs.pushed(item(bob, "subscription='both'"))
    #expect(theirs.incoming.isEmpty)
    #expect(theirs.allCodes.isEmpty)
  }

  @Test(
    "Rule 16: an unexpected stanza changes no item and is a finding",
    arguments: [
      ("subscribed", Finding.Code.unsolicitedSubscribed), ("unsubscribe", .unsolicitedUnsubscribe),
      ("unsubscribed", .unsolicitedUnsubscribed),
    ])
  func unasked(type: String, code: Finding.Code) {
    for items in ["", item(bob)] {
      var scenario = Scenario.alice(items)
      let before = scenario.roster.entries
      scenario.receives(type, from: bob)
      #expect(scenario.codes == [code])
      #expect(scenario.last.changes.isEmpty)
      #expect(scenario.roster.entries == before)
    }
  }

  @Test("Rule 16: a stanza is expected even if its push came first")
  func pushFirst() {
    var accepted = Scenario.alice(item(bob, "ask='subscribe'"))
    accepted.pushed(item(bob, "subscription='to'"))
    accepted.receives("subscribed", from: bob)
    #expect(accepted.allCodes.isEmpty)
    accepted.receives("subscribed", from: bob)
    #expect(accepted.codes == [.unsolicitedSubscribed])

    var refused = Scenario.alice(item(bob, "ask='subscribe'"))
    refused.pushed(item(bob))
    refused.receives("unsubscribed", from: bob)
    #expect(refused.allCodes == [.deniedRequest])
    refused.receives("unsubscribed", from: bob)
    #expect(refused.codes == [.unsolicitedUnsubscribed])

    var left = Scenario.alice(item(bob, "subscription='both'"))
    left.pushed(item(bob, "subscription='to'"))
    left.receives("unsubscribe", from: bob)
    left.pushed(item(bob, "subscription='none'"))
    left.receives("unsubscribed", from: bob)
    #expect(left.allCodes == [.friendLeft])
    // What the contact sends soon after its ending is still part of it.
    left.receives("unsubscribe", from: bob)
    #expect(left.codes.isEmpty)
  }

  @Test("Rule 16: a stanza that a subscription explains is expected")
  func explained() {
    var scenario = Scenario.alice(item(bob, "subscription='both'"))
    scenario.receives("unsubscribe", from: bob)
    scenario.receives("unsubscribed", from: bob)
    #expect(scenario.allCodes.isEmpty)
    scenario.pushed(item(bob))
    #expect(scenario.allCodes == [.friendLeft])
  }

  @Test("Rule 16: a subscribed of ours without a request is a pre-approval")
  func preApproval() {
    for items in ["", item(bob), item(bob, "subscription='to'")] {
      var scenario = Scenario.alice(items)
      scenario.sends("subscribed", to: bob)
      #expect(scenario.codes == [.preApproval])
      #expect(scenario.item(bob)?.isApproved != true)
      scenario.pushed(item(bob, "approved='true'"))
      #expect(scenario.item(bob)?.isApproved == true)
    }
    for items in [item(bob, "subscription='from'"), item(bob, "subscription='both'")] {
      var scenario = Scenario.alice(items)
      scenario.sends("subscribed", to: bob)
      #expect(scenario.codes.isEmpty)
    }
  }
}
