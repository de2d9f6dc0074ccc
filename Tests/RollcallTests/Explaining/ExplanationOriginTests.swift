import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

private let bob = "bob@example.test"

@Suite("Explanations by what asked for a change") struct ExplanationOriginTests {
  @Test("A set is named with its device if there are several, and explains one push only")
  func askers() throws {
    var scenario = Scenario.alice(item(bob, "name='Bob' subscription='both'"))  // 1 to 3
    scenario.on(2) {
      $0.opened("alice@example.test/pc")  // 4
      $0.fetches(item(bob, "name='Bob' subscription='both'"))  // 5 and 6
      $0.sets(item(bob, "name='Rob'"))  // 7
    }
    scenario.pushed(item(bob, "name='Rob' subscription='both'"))  // 8
    #expect(
      try explanation(scenario).reasons(.section)
        .contains("set at #8 by a push of the server, asked by pc, #7."))
    scenario.on(2) { $0.pushed(item(bob, "name='Rob' subscription='both'")) }  // 9
    scenario.pushed(item(bob, "name='Rob' subscription='from'"))  // 10
    let friend = try explanation(scenario).reasons(.friend)
    #expect(friend.contains("“from” since #10, a push of the server"))
    #expect(!friend.contains("#7"))
  }

  @Test("A subscription that a set names is passed over, unless the contact has it anyway")
  func passedOver() throws {
    for (before, named, isTold) in [
      ("none", "both", true), ("to", "both", true), ("from", "to", true), ("to", "to", false),
      ("both", "both", false), ("to", "none", false), ("to", nil, false),
    ] as [(String, String?, Bool)] {
      var scenario = Scenario.alice(item(bob, "name='Bob' subscription='\(before)'"))  // 1 to 3
      let attribute = named.map { " subscription='\($0)'" } ?? ""
      scenario.sets(item(bob, "name='Rob'\(attribute)"))  // 4
      scenario.pushed(item(bob, "name='Rob' subscription='\(before)'"))
      scenario.receivesEmptyResult(id: "set")
      #expect(scenario.allCodes.isEmpty && scenario.subscription(bob)?.rawValue == before)
      let friend = try explanation(scenario).reasons(.friend)
      let words = "Our set of #4 named “\(named ?? "")”, which the server passes over"
      #expect(friend.contains(words) == isTold, "\(before) \(named ?? "-")")
      // The set explains the name, and nothing else.
      #expect(scenario.outcomes[4].originsOfChanges.map(\.kind) == [.edit])
      #expect(!friend.contains("asked by"))
    }
  }

  @Test("A friend who leaves is named with what the friend sent, and not with a set of before")
  func friendLeaves() throws {
    var scenario = Scenario.alice(item(bob, "name='Bob' subscription='both'"))  // 1 to 3
    scenario.sets(item(bob, "name='Rob'"))  // 4
    scenario.receivesEmptyResult(id: "set")  // 5
    scenario.pushed(item(bob, "name='Rob' subscription='both'"))  // 6
    scenario.receives("unsubscribed", from: bob)  // 7
    scenario.pushed(item(bob, "name='Rob' subscription='from'"))  // 8
    scenario.pushed(item(bob, "name='Rob' subscription='none'"))  // 9
    scenario.receives("unsubscribe", from: bob)  // 10
    let friend = try explanation(scenario).reasons(.friend)
    #expect(
      friend.contains(
        "“none” since #9, a push of the server, because it sent “unsubscribe”, #10."))
    #expect(friend.contains("It had been “both” until #8, because it sent “unsubscribed”, #7."))
    #expect(!friend.contains("#4"))
  }

  @Test("A removal is named with what the contact sent after it")
  func removedFirst() throws {
    for isLeaving in [true, false] {
      var scenario = Scenario.alice(item(bob, "subscription='both'"))  // 1 to 3
      scenario.pushed(item(bob, "subscription='remove'"))  // 4
      if isLeaving { scenario.receives("unsubscribe", from: bob) }  // 5
      let friend = try explanation(scenario).reasons(.friend)
      let start = "It left the roster at #4: the server pushed its removal"
      #expect(friend.contains(start + ", because it sent “unsubscribe”, #5.") == isLeaving)
      #expect(friend.contains(start + "; no set of ours asked for that") == !isLeaving)
    }
  }

  @Test("Our own end of a subscription is named with the device that sent it")
  func ownEnding() throws {
    var scenario = Scenario.alice(item(bob, "name='Bob' subscription='both'"))  // 1 to 3
    scenario.sends("unsubscribe", to: bob)  // 4
    scenario.pushed(item(bob, "name='Bob' subscription='from'"))  // 5
    #expect(
      try explanation(scenario).reasons(.friend)
        .contains("“from” since #5, a push of the server, because we sent “unsubscribe”, #4."))
    scenario.on(2) {
      $0.opened("alice@example.test/pc")  // 6
      $0.sends("unsubscribed", to: bob)  // 7
    }
    scenario.pushed(item(bob, "name='Bob' subscription='none'"))  // 8
    #expect(
      try explanation(scenario).reasons(.friend)
        .contains("“none” since #8, a push of the server, because pc sent “unsubscribed”, #7."))
  }

  @Test("The groups are named with their record and the device that asked for them")
  func groups() throws {
    var scenario = Scenario.alice(
      item(bob, "name='Bob' subscription='both'", groups: ["A"]))  // 1 to 3
    #expect(
      try explanation(scenario).reasons(.section)
        .contains("It is in the group “A” since #3, the roster that the server sent."))
    scenario.sets(item(bob, "name='Bob'", groups: ["A", "B"]))  // 4
    scenario.pushed(item(bob, "name='Bob' subscription='both'", groups: ["A", "B"]))  // 5
    #expect(
      try explanation(scenario).reasons(.section)
        .contains(
          "It is in the groups “A”, “B” since #5, a push of the server, asked by us, #4."))
    scenario.pushed(item(bob, "name='Bob' subscription='both'"))  // 6
    #expect(
      try explanation(scenario).reasons(.section)
        .contains("It is in no group since #6, a push of the server; no set of ours asked"))
  }

  @Test("If the log may lack a set, nothing says that no set asked")
  func unseenSets() throws {
    var fragment = Scenario()
    fragment.sends()  // 1
    fragment.pushed(item(bob, "subscription='both'"))
    fragment.pushed(item(bob, "name='Bob' subscription='both'"))
    #expect(try !explanation(fragment).reasons(.section).contains("no set of ours"))
    fragment.pushed(item(bob, "subscription='remove'"))
    #expect(try !explanation(fragment).reasons(.friend).contains("no set of ours"))
  }
}
