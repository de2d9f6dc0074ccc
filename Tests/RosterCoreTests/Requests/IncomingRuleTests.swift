import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Rules 11 to 13: requests of others")
struct IncomingRuleTests {
  private let bob = "bob@example.test"

  /// Alice with a request from Bob and the given items.
  private func asked(_ items: String = "") -> Scenario {
    var scenario = Scenario.alice(items)
    scenario.receives("subscribe", from: bob)
    return scenario
  }

  @Test("Rule 11: a request is kept beside the items, never in them")
  func besideItems() {
    let scenario = asked()
    #expect(scenario.incoming == [bob])
    #expect(scenario.contacts.isEmpty)
  }

  @Test(
    "Rule 11: a subscribe opens a request unless the item is from or both",
    arguments: zip([nil, "none", "to", "from", "both"], [true, true, true, false, false]))
  func unlessFrom(subscription: String?, opens: Bool) {
    let items = subscription.map { item(bob, "subscription='\($0)'") } ?? ""
    let scenario = asked(items)
    #expect(scenario.incoming == (opens ? [bob] : []))
    #expect(scenario.codes == (opens ? [] : [.needlessRequest]))
  }

  @Test("Rule 11: a subscribe from ourselves opens none")
  func ourselves() {
    for from in ["alice@example.test", "alice@example.test/tablet", "ALICE@example.test"] {
      var scenario = Scenario.alice()
      scenario.receives("subscribe", from: from)
      #expect(scenario.incoming.isEmpty)
      #expect(scenario.codes == [.ownSubscription])
    }
  }

  @Test("Rule 11: a repeated request keeps the first time, the newest text and nick, and a count")
  func repeated() throws {
    let nick = "<nick xmlns='http://jabber.org/protocol/nick'>"
    var scenario = Scenario.alice()
    scenario.receives(
      "subscribe", from: bob, "<status>hello</status>\(nick)Bobby</nick>", at: 1_000)
    scenario.receives("subscribe", from: "\(bob)/pda", "<status>hey!</status>", at: 2_000)
    scenario.receives("subscribe", from: bob, "\(nick)Rob</nick>", at: 3_000)
    let request = try #require(scenario.roster.incoming[bare(bob)])
    #expect(scenario.incoming.count == 1)
    #expect(request.since == RecordStamp(record: 4, time: 1_000))
    #expect(request.last == RecordStamp(record: 6, time: 3_000))
    #expect(request.count == 3)
    #expect(request.status == "hey!")
    #expect(request.nickname == "Rob")
  }

  @Test(
    "Rule 12: our answer ends it",
    arguments: [("subscribed", "accepted"), ("unsubscribed", "denied")])
  func answered(type: String, way: String) {
    var scenario = asked()
    scenario.sends(type, to: bob)
    #expect(scenario.incoming.isEmpty)
    let end = scenario.roster.ended[bare(bob)]
    #expect(end?.way.rawValue == way)
    #expect(end?.at.record == 5)
    #expect(end?.since.record == 4)
    #expect(scenario.codes.isEmpty)
  }

  @Test("Rule 12: an answer to another contact does not end it")
  func answeredToOther() {
    var scenario = asked()
    scenario.sends("subscribed", to: "carol@example.test")
    scenario.sends("unsubscribed", to: "carol@example.test")
    #expect(scenario.incoming == [bob])
  }

  @Test("Rule 12: the contact's unsubscribe ends it")
  func withdrawn() {
    var scenario = asked()
    scenario.receives("unsubscribe", from: "\(bob)/pda")
    #expect(scenario.incoming.isEmpty)
    #expect(scenario.roster.ended[bare(bob)]?.way == .withdrawn)
    #expect(scenario.codes.isEmpty)
  }

  @Test(
    "Rule 12: a push or result that shows from or both ends it", arguments: ["from", "both"])
  func acceptedElsewhere(subscription: String) {
    for byPush in [true, false] {
      var scenario = asked()
      let shown = item(bob, "subscription='\(subscription)'")
      if byPush { scenario.pushed(shown) } else { scenario.fetches(shown) }
      #expect(scenario.incoming.isEmpty)
      #expect(scenario.roster.ended[bare(bob)]?.way == .acceptedElsewhere)
      #expect(scenario.roster.ended[bare(bob)]?.at.record == scenario.record)
    }
  }

  @Test("Rule 11: a repeated request keeps the newest text that is not empty")
  func newestText() {
    var scenario = Scenario.alice()
    scenario.receives("subscribe", from: bob, "<status>first</status>")
    scenario.receives("subscribe", from: bob, "<status/>")
    #expect(scenario.roster.incoming[bare(bob)]?.status == "first")
    scenario.receives("subscribe", from: bob, "<status>second</status>")
    scenario.receives("subscribe", from: bob)
    #expect(scenario.roster.incoming[bare(bob)]?.status == "second")
    #expect(scenario.roster.incoming[bare(bob)]?.count == 4)
  }

  @Test("Rule 12: a push with remove makes it unconfirmed, whether or not the contact is known")
  func removalUnconfirms() {
    for items in ["", item(bob, "subscription='to'")] {
      var scenario = asked(items)
      scenario.pushed(item(bob, "subscription='remove'"))
      #expect(scenario.incoming.isEmpty)
      #expect(scenario.unconfirmed == [bob])
      #expect(scenario.roster.ended[bare(bob)] == nil)
      #expect(
        scenario.last.changes.contains { $0.reason == .unconfirmed(.itemRemoved) })
      // A server that keeps it sends it again at the next login.
      scenario.receives("subscribe", from: bob)
      #expect(scenario.incoming == [bob])
      #expect(scenario.roster.incoming[bare(bob)]?.count == 2)
    }
  }

  @Test("Rule 12: a removal of ours does the same, with the result or the push first")
  func ownRemovalUnconfirms() {
    for resultFirst in [true, false] {
      var scenario = asked(item(bob, "subscription='to'"))
      scenario.sets(item(bob, "subscription='remove'"))
      #expect(scenario.incoming == [bob])
      if resultFirst { scenario.receivesEmptyResult(id: "set") }
      scenario.pushed(item(bob, "subscription='remove'"))
      #expect(scenario.incoming.isEmpty)
      #expect(scenario.unconfirmed == [bob])
    }
  }

  @Test("Rule 12: what does not end it")
  func stays() {
    let lines: [(String, (inout Scenario) -> Void)] = [
      ("presence", { $0.receives(from: "bob@example.test/pda") }),
      ("unavailable", { $0.receives("unavailable", from: "bob@example.test") }),
      ("error", { $0.receives("error", from: "bob@example.test") }),
      ("probe", { $0.receives("probe", from: "bob@example.test") }),
      ("push none", { $0.pushed(item("bob@example.test", "subscription='none'")) }),
      ("push none ask", { $0.pushed(item("bob@example.test", "ask='subscribe'")) }),
      ("push to", { $0.pushed(item("bob@example.test", "subscription='to'")) }),
      ("result none", { $0.fetches(item("bob@example.test")) }),
      ("result that lacks the contact", { $0.fetches() }),
      ("inbound subscribed", { $0.receives("subscribed", from: "bob@example.test") }),
      ("inbound unsubscribed", { $0.receives("unsubscribed", from: "bob@example.test") }),
      ("our subscribe", { $0.sends("subscribe", to: "bob@example.test") }),
      ("our unsubscribe", { $0.sends("unsubscribe", to: "bob@example.test") }),
      (
        "spoofed push",
        {
          $0.pushed(item("bob@example.test", "subscription='both'"), from: "eve@example.test")
        }
      ),
      (
        "spoofed removal",
        {
          $0.pushed(item("bob@example.test", "subscription='remove'"), from: "bob@example.test")
        }
      ),
      ("our set", { $0.sets(item("bob@example.test", "name='B'")) }),
      ("directed presence", { $0.sends(to: "bob@example.test") }),
      ("our broadcast", { $0.sends() }),
      ("our unavailable", { $0.sends("unavailable") }),
      ("end of the stream", { $0.closed() }),
      (
        "resumption",
        {
          $0.lost(); $0.resumed()
        }
      ),
      (
        "a new session",
        {
          $0.lost(); $0.opened("alice@example.test/phone")
        }
      ),
    ]
    for items in ["", item(bob, "subscription='to'")] {
      for (name, line) in lines {
        var scenario = asked(items)
        line(&scenario)
        #expect(scenario.incoming == [bob], "\(name)")
      }
    }
  }

  @Test("Rule 12: an item that is missing from a later result leaves the request")
  func goneFromResult() {
    var scenario = asked(item(bob, "subscription='to'"))
    scenario.fetches()
    #expect(scenario.contacts.isEmpty)
    #expect(scenario.incoming == [bob])
  }

  @Test("Rule 12: a request after the end opens a new one")
  func again() {
    var scenario = asked()
    scenario.sends("unsubscribed", to: bob)
    scenario.receives("subscribe", from: bob)
    #expect(scenario.roster.incoming[bare(bob)]?.since.record == 6)
    #expect(scenario.roster.incoming[bare(bob)]?.count == 1)
  }

  @Test("Rule 13: from the first presence of a new session an older request is unconfirmed")
  func unconfirmed() {
    var scenario = asked()
    scenario.receives("subscribe", from: "carol@example.test")
    scenario.lost()
    #expect(scenario.incoming == [bob, "carol@example.test"])
    scenario.opened("alice@example.test/phone")
    #expect(scenario.incoming == [bob, "carol@example.test"])
    scenario.sends()
    #expect(scenario.incoming.isEmpty)
    #expect(scenario.unconfirmed == [bob, "carol@example.test"])
    scenario.receives("subscribe", from: bob)
    #expect(scenario.incoming == [bob])
    #expect(scenario.unconfirmed == ["carol@example.test"])
    let request = scenario.roster.incoming[bare(bob)]
    #expect(request?.since.record == 4)
    #expect(request?.count == 2)
  }

  @Test("Rule 13: a request that came again before our presence is open")
  func beforePresence() {
    var scenario = asked()
    scenario.opened("alice@example.test/phone")
    scenario.receives("subscribe", from: bob)
    scenario.sends()
    #expect(scenario.incoming == [bob])
    #expect(scenario.unconfirmed.isEmpty)
  }

  @Test("Rule 13: a directed, unavailable or later presence does not make them unconfirmed")
  func otherPresence() {
    var scenario = asked()
    scenario.opened("alice@example.test/phone")
    scenario.sends(to: "room@muc.example.test/alice")
    scenario.sends("unavailable")
    scenario.sends("subscribe", to: "carol@example.test")
    #expect(scenario.incoming == [bob])
    scenario.sends()
    #expect(scenario.unconfirmed == [bob])
    scenario.receives("subscribe", from: bob)
    scenario.sends()
    #expect(scenario.incoming == [bob])
  }

  @Test("Rule 13: a resumed session makes none unconfirmed")
  func resumed() {
    var scenario = asked()
    scenario.sends()
    scenario.lost()
    scenario.resumed()
    scenario.sends()
    #expect(scenario.incoming == [bob])
    #expect(scenario.unconfirmed.isEmpty)
  }

  @Test("Rule 13: an unconfirmed request is never silently lost, and ends like an open one")
  func unconfirmedEnds() {
    func doubted() -> Scenario {
      var scenario = asked()
      scenario.opened("alice@example.test/phone")
      scenario.sends()
      return scenario
    }
    var scenario = doubted()
    scenario.fetches()
    scenario.opened("alice@example.test/phone")
    scenario.sends()
    #expect(scenario.unconfirmed == [bob])
    scenario.pushed(item("bob@example.test", "subscription='remove'"))
    #expect(scenario.unconfirmed == [bob])
    #expect(
      !scenario.last.changes.contains { $0.reason == .unconfirmed(.itemRemoved) })
    let ends: [(EndedRequest.Way, (inout Scenario) -> Void)] = [
      (.accepted, { $0.sends("subscribed", to: "bob@example.test") }),
      (.denied, { $0.sends("unsubscribed", to: "bob@example.test") }),
      (.withdrawn, { $0.receives("unsubscribe", from: "bob@example.test") }),
      (.acceptedElsewhere, { $0.pushed(item("bob@example.test", "subscription='from'")) }),
      (.acceptedElsewhere, { $0.fetches(item("bob@example.test", "subscription='both'")) }),
    ]
    for (way, end) in ends {
      var scenario = doubted()
      end(&scenario)
      #expect(scenario.unconfirmed.isEmpty)
      #expect(scenario.roster.ended[bare(bob)]?.way == way)
      #expect(scenario.codes.isEmpty)
    }
  }

  @Test("The wrong refusal of a request is reported once, however often the request comes again")
  func wrongRefusals() {
    let dave = "dave@example.test"
    var scenario = Scenario.alice()  // 1 to 3
    for _ in 0..<3 {
      scenario.receives("subscribe", from: dave)
      scenario.sends("unsubscribe", to: dave)  // 5
      scenario.closed()
      scenario.opened("alice@example.test/phone")
      scenario.fetches("")
      scenario.sends()
    }
    let found = scenario.findings.filter { $0.code == .wrongRefusal }
    #expect(found.map(\.record) == [5] && found.map(\.cause) == [4])
    // Another request is another matter.
    scenario.sends("unsubscribed", to: dave)
    scenario.fetches("")
    scenario.receives("subscribe", from: dave)
    scenario.sends("unsubscribe", to: dave)
    #expect(scenario.findings.count { $0.code == .wrongRefusal } == 2)
  }
}
