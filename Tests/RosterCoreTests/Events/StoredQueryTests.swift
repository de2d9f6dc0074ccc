import TestSupport
import Testing
import XMPPStanza

@testable import RosterCore

/// Queries in their stored form, whose items are parsed again at each access.
@Suite("Queries in their stored form")
struct StoredQueryTests {
  private let bob = "bob@example.test"
  private let carol = "carol@example.test"
  private let dave = "dave@example.test"

  @Test(
    "If several items are malformed, each is reported with its problem, at any position",
    arguments: 0...3)
  func places(place: Int) {
    var items = [item(bob), item(carol), item(dave)]
    items.insert(item("eve@example.test", "subscription='friend'"), at: place)
    var scenario = Scenario.alice()
    scenario.fetches(items.joined(), id: "a")
    #expect(scenario.codes == [.unknownSubscription])
    #expect(scenario.contacts == [bob, carol, dave, "eve@example.test"])
    #expect(scenario.subscription("eve@example.test") == RosterSubscription.none)
  }

  @Test("If items share an address the last one counts, and removals in between are ignored")
  func leftOut() {
    var scenario = Scenario.alice(item(bob) + item(dave))
    scenario.fetches(
      item(bob, "name='One'") + item(carol, "subscription='remove'") + item(bob, "name='Two'")
        + item(carol, "subscription='to'") + item(bob, "name='Three'"), id: "a")
    #expect(scenario.codes == [.removalInResult, .duplicateItem, .duplicateItem])
    #expect(scenario.contacts == [bob, carol])
    #expect(scenario.item(bob)?.name == "Three")
    #expect(scenario.subscription(carol) == .to)
  }

  @Test("A push with no item or with two changes none")
  func pushes() {
    var scenario = Scenario.alice(item(bob, "name='Bob'"))
    for items in ["", item(bob, "name='B'") + item(carol)] {
      scenario.pushed(items, version: "v2")
      #expect(scenario.codes == [.pushItemCount])
      #expect(scenario.contacts == [bob])
      #expect(scenario.item(bob)?.name == "Bob")
    }
  }

  @Test(
    "A contact has as many groups as the item contains", arguments: [0, 1, 31, 32, 33, 100])
  func groups(count: Int) {
    let groups = (100..<(100 + count)).map { "group \($0)" }
    var scenario = Scenario.alice()
    for _ in 0..<2 {
      scenario.pushed(item(bob, groups: groups.reversed()))
      #expect(scenario.item(bob)?.groups == groups)
    }
    let kept = scenario.roster
    scenario.pushed(item(bob, groups: groups.dropLast()))
    #expect(scenario.item(bob)?.groups == groups.dropLast())
    #expect(kept.item(bare(bob))?.groups == groups)
  }
}
