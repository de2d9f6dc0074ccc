import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Causes: which earlier record a change goes back to")
struct OriginRuleTests {
  private let bob = "bob@example.test"

  private func bobItem(_ name: String, _ subscription: String = "both") -> String {
    item(bob, "name='\(name)' subscription='\(subscription)'")
  }

  private func alice() -> Scenario { Scenario.alice(bobItem("Bob")) }  // 1 to 3

  /// Alice's desktop, which has fetched the roster, as connection 2.
  private func aliceWithDesktop() -> Scenario {
    var scenario = alice()
    scenario.on(2) {
      $0.opened("alice@example.test/desktop")  // 4
      $0.fetches(bobItem("Bob"))  // 5 and 6
    }
    return scenario
  }

  /// The causes of the last record's changes.
  private func causes(_ scenario: Scenario) -> [UInt64] {
    scenario.last.originsOfChanges.map(\.cause)
  }

  @Test("A set is the origin of the first push that shows it, and of no later one")
  func onceOnly() throws {
    for answersFirst in [true, false] {
      var scenario = alice()
      scenario.sets(bobItem("Robert"))  // 4
      if answersFirst { scenario.receivesEmptyResult(id: "set") }
      scenario.pushed(bobItem("Robert"))
      let origin = try #require(scenario.last.originsOfChanges.first)
      #expect(origin.cause == 4 && origin.effect == scenario.record && origin.kind == .edit)
      #expect(origin.connection == .first && origin.device == "phone")
      if !answersFirst { scenario.receivesEmptyResult(id: "set") }
      // The name is still what the set asked for.
      scenario.pushed(bobItem("Robert", "from"))
      #expect(scenario.last.changes.map(\.field).contains(.subscription))
      #expect(scenario.last.origins.isEmpty, "answered first: \(answersFirst)")
    }
  }

  @Test("Of two sets under way, each is the origin of its own push")
  func twoSets() {
    var scenario = alice()
    scenario.sets(bobItem("Robert"), id: "s1")  // 4
    scenario.sets(bobItem("Rob"), id: "s2")  // 5
    scenario.pushed(bobItem("Robert"))
    #expect(causes(scenario) == [4])
    scenario.pushed(bobItem("Rob"))
    #expect(causes(scenario) == [5])
  }

  @Test("A push goes back to the device that asked for it, not to the one that heard it first")
  func otherDevice() throws {
    var scenario = aliceWithDesktop()
    scenario.on(2) { $0.sets(bobItem("Robert")) }  // 7
    scenario.pushed(bobItem("Robert"))  // 8
    let origin = try #require(scenario.last.originsOfChanges.first)
    #expect(origin.cause == 7 && origin.effect == 8)
    #expect(origin.connection == ConnectionID(number: 2) && origin.device == "desktop")
    // The second device is told a copy.
    scenario.on(2) { $0.pushed(bobItem("Robert")) }
    #expect(scenario.last.origins.isEmpty)
  }

  @Test("If two devices ask for the same, the push goes back to the first set")
  func sameEdit() {
    var scenario = aliceWithDesktop()
    scenario.on(2) { $0.sets(bobItem("Robert")) }  // 7
    scenario.sets(bobItem("Robert"))  // 8
    scenario.pushed(bobItem("Robert"))
    #expect(causes(scenario) == [7])
  }

  @Test("A removal, an addition and a roster that shows a set go back to the set")
  func kinds() {
    var removed = alice()
    removed.sets(item(bob, "subscription='remove'"))  // 4
    removed.pushed(item(bob, "subscription='remove'"))
    #expect(causes(removed) == [4])

    var added = alice()
    added.sets(item("dave@example.test", "name='Dave'"))  // 4
    added.pushed(item("dave@example.test", "name='Dave'"))
    #expect(causes(added) == [4])

    var fetched = alice()
    fetched.sets(bobItem("Robert"))  // 4
    fetched.fetches(bobItem("Robert"), id: "again")
    #expect(causes(fetched) == [4])
  }

  @Test("A set explains no subscription, and only its own contact's name and groups")
  func others() {
    var subscription = alice()
    subscription.sets(bobItem("Bob"))
    subscription.pushed(bobItem("Bob", "to"))
    #expect(causes(subscription).isEmpty)

    var otherName = alice()
    otherName.sets(bobItem("Robert"))
    otherName.pushed(bobItem("Bobby"))  // 5
    // The push may be another device's, and the set's own may follow its result.
    otherName.receivesEmptyResult(id: "set")
    #expect(otherName.outcomes.flatMap(\.origins).isEmpty)
    let end = RosterReducer.outcome(
      ending: otherName.roster, at: RecordStamp(record: otherName.record, time: nil),
      hasReceived: true)
    #expect(end.toldOrigins.map(\.cause) == [4] && end.toldOrigins.map(\.effect) == [5])

    var refused = alice()
    refused.sets(bobItem("Robert"))
    refused.received("<iq id='set' type='error'><error type='cancel'/></iq>")
    refused.pushed(bobItem("Robert"))
    #expect(causes(refused).isEmpty)

    var otherContact = alice()
    otherContact.sets(item("dave@example.test", "name='Robert'"))
    otherContact.pushed(bobItem("Robert"))
    #expect(causes(otherContact).isEmpty)
  }

  // MARK: Subscription stanzas

  /// A stanza, what the item is before and after it, and whether it is ours.
  static let stanzas: [(kind: SubscriptionStanza.Kind, isOurs: Bool, String, String)] = [
    (.unsubscribed, false, "both", "from"), (.unsubscribed, false, "to", "none"),
    (.unsubscribe, false, "both", "to"), (.unsubscribe, false, "from", "none"),
    (.unsubscribe, true, "both", "from"), (.unsubscribed, true, "both", "to"),
  ]

  @Test(
    "A stanza that ends a subscription is the origin of the push that shows it", arguments: stanzas)
  func endings(
    kind: SubscriptionStanza.Kind, isOurs: Bool, before: String, after: String
  ) throws {
    var scenario = Scenario.alice(bobItem("Bob", before))  // 1 to 3
    if isOurs {
      scenario.sends(kind.rawValue, to: bob)  // 4
    } else {
      scenario.receives(kind.rawValue, from: bob)  // 4
    }
    #expect(scenario.last.news?.contact == bare(bob))
    scenario.pushed(bobItem("Bob", after))  // 5
    let origin = try #require(scenario.last.originsOfChanges.first)
    #expect(origin.kind == (isOurs ? .ownStanza(kind) : .contactStanza(kind)))
    #expect(origin.cause == 4 && origin.effect == 5 && origin.device == "phone")
    // A later push that shows the same has no origin.
    scenario.pushed(bobItem("Robert", after))
    #expect(scenario.last.origins.isEmpty)
  }

  @Test("A stanza that comes after its push explains the push")
  func pushFirst() throws {
    var scenario = Scenario.alice(bobItem("Bob"))
    scenario.pushed(bobItem("Bob", "from"))  // 4
    #expect(scenario.last.origins.isEmpty)
    scenario.receives("unsubscribed", from: bob)  // 5
    let origin = try #require(scenario.last.toldOrigins.first)
    #expect(origin.kind == .contactStanza(.unsubscribed) && origin.cause == 5)
    #expect(origin.effect == 4)
    #expect(scenario.last.news?.endsSubscription == true)
  }

  @Test("A request and its answer are origins: ours, the contact's, and an approval in advance")
  func requests() {
    let dave = "dave@example.test"
    var ours = Scenario.alice()  // 1 to 3
    ours.sends("subscribe", to: dave)  // 4
    ours.pushed(item(dave, "ask='subscribe'"))
    #expect(ours.last.originsOfChanges.map(\.kind) == [.ownStanza(.subscribe)])
    ours.receives("subscribed", from: dave)  // 6
    ours.pushed(item(dave, "subscription='to'"))
    #expect(ours.last.originsOfChanges.map(\.cause) == [6])

    var theirs = Scenario.alice()
    theirs.receives("subscribe", from: dave)
    theirs.sends("subscribed", to: dave)  // 5
    theirs.pushed(item(dave, "subscription='from'"))
    #expect(theirs.last.originsOfChanges.map(\.cause) == [5])

    var approved = Scenario.alice()
    approved.sends("subscribed", to: dave)  // 4
    approved.pushed(item(dave, "approved='true'"))
    #expect(approved.last.originsOfChanges.map(\.cause) == [4])
  }

  @Test("If both sides end it, the first one did; if a minute has passed, none did")
  func doubtfulEndings() {
    var both = Scenario.alice(bobItem("Bob"))
    both.sends("unsubscribe", to: bob)  // 4
    both.receives("unsubscribed", from: bob)  // 5
    both.pushed(bobItem("Bob", "from"))
    #expect(causes(both) == [4])

    var late = Scenario()
    late.time = 0
    late.opened("alice@example.test/phone")
    late.fetches(bobItem("Bob"))
    late.sends("unsubscribe", to: bob, at: 1_000)
    late.time = 62_000
    late.pushed(bobItem("Bob", "from"))
    #expect(causes(late).isEmpty)
    // The server did not take our stanza: the contact ended it.
    late.receives("unsubscribed", from: bob)
    #expect(late.codes.allSatisfy { $0 != .unsolicitedUnsubscribed })
  }

  @Test("The next roster shows what came of a stanza before the session's end")
  func nextSession() {
    for isIncluded in [true, false] {
      var scenario = Scenario.alice(bobItem("Bob"))  // 1 to 3
      scenario.receives("unsubscribed", from: bob)  // 4
      scenario.closed()
      scenario.opened("alice@example.test/phone")
      scenario.fetches(bobItem("Bob", isIncluded ? "from" : "both"), id: "again")
      #expect(causes(scenario) == (isIncluded ? [4] : []))
      // A roster that was asked for after the stanza decides.
      scenario.pushed(bobItem("Bob", "from"))
      #expect(scenario.last.origins.isEmpty)
    }
  }

  @Test("A stanza explains no name, and one of another contact explains nothing")
  func foreignStanzas() {
    var name = Scenario.alice(bobItem("Bob"))
    name.receives("unsubscribed", from: bob)
    name.pushed(bobItem("Robert"))
    #expect(name.last.origins.isEmpty)

    var other = Scenario.alice(bobItem("Bob") + item("dave@example.test", "subscription='both'"))
    other.receives("unsubscribed", from: "dave@example.test")
    other.pushed(bobItem("Bob", "from"))
    #expect(other.last.origins.isEmpty)
  }

  @Test("Copies of a stanza on another device are no news")
  func copies() {
    var scenario = aliceWithDesktop()
    scenario.on(2) { $0.sends() }
    scenario.sends()
    scenario.receives("unsubscribed", from: bob)
    #expect(scenario.last.news != nil)
    scenario.on(2) { $0.receives("unsubscribed", from: bob) }
    #expect(scenario.last.isEmpty)
  }
}
