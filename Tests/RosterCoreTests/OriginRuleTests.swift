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

  @Test("A set explains no subscription, and nothing that it did not ask for")
  func others() {
    var subscription = alice()
    subscription.sets(bobItem("Bob"))
    subscription.pushed(bobItem("Bob", "to"))
    #expect(causes(subscription).isEmpty)

    var otherName = alice()
    otherName.sets(bobItem("Robert"))
    otherName.pushed(bobItem("Bobby"))
    #expect(causes(otherName).isEmpty)

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
}
