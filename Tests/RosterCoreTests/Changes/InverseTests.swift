import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Taking changes back") struct InverseTests {
  private let bob = bare("bob@example.test")

  private func inverses(_ outcome: RosterOutcome) -> [RosterCommand] {
    outcome.changes.compactMap(\.inverse)
  }

  @Test("A rename, groups and a block are taken back by one command")
  func edits() throws {
    var scenario = Scenario.alice(item("bob@example.test", "name='Bob'", groups: ["A"]))
    let renamed = scenario.pushed(item("bob@example.test", "name='Rob'", groups: ["A"]))
    #expect(inverses(renamed) == [.rename(bob, to: "Bob")])
    let grouped = scenario.pushed(item("bob@example.test", "name='Rob'", groups: ["B", "C"]))
    #expect(inverses(grouped) == [.setGroups(bob, ["A"])])
    let unnamed = scenario.pushed(item("bob@example.test", groups: ["B", "C"]))
    #expect(inverses(unnamed) == [.rename(bob, to: "Rob")])
    let approved = scenario.pushed(
      item("bob@example.test", "approved='true'", groups: ["B", "C"]))
    #expect(inverses(approved).isEmpty, "bob may have used it by the time that it is taken back")
    let withdrawn = scenario.pushed(item("bob@example.test", groups: ["B", "C"]))
    #expect(inverses(withdrawn) == [.preApprove(bob)])
    // The decider carries the inverse out.
    let decider = RosterDecider(wantsMutualFriends: true)
    let undo = try decider.decide(.rename(bob, to: "Rob"), on: scenario.roster) { "c\($0)" }
    #expect(undo.count == 1)
  }

  @Test("An addition is taken back by a removal, and a request is withdrawn")
  func additions() {
    var scenario = Scenario.alice()
    #expect(inverses(scenario.pushed(item("bob@example.test"))) == [.remove(bob)])
    #expect(inverses(scenario.sends("subscribe", to: "bob@example.test")) == [.cancel(bob)])
  }

  @Test("Only what was asked for is in an undo list")
  func outcomes() {
    var scenario = Scenario()
    scenario.opened(Scenario.account + "/phone")
    let roster = scenario.fetches(item("bob@example.test", "name='Bob'"))
    #expect(inverses(roster) == [.remove(bob)] && roster.inverses.isEmpty)
    scenario.sets(item("bob@example.test", "name='Rob'"))
    #expect(
      scenario.pushed(item("bob@example.test", "name='Rob'")).inverses == [.rename(bob, to: "Bob")])
    scenario.receivesEmptyResult(id: "set")
    // Another device renames it again.
    let elsewhere = scenario.pushed(item("bob@example.test", "name='Robert'"))
    #expect(inverses(elsewhere) == [.rename(bob, to: "Rob")] && elsewhere.inverses.isEmpty)
    // Our answer to a request adds its sender.
    scenario.receives("subscribe", from: "eve@example.test")
    scenario.sends("subscribed", to: "eve@example.test")
    let accepted = scenario.pushed(item("eve@example.test", "subscription='from'"))
    #expect(accepted.inverses == [.remove(bare("eve@example.test"))])
  }

  @Test("What a contact or the server does, and a removal, have no inverse")
  func others() {
    var scenario = Scenario.alice(item("bob@example.test", "subscription='both'"))
    #expect(inverses(scenario.receives(from: "bob@example.test/pc")).isEmpty)
    #expect(inverses(scenario.pushed(item("bob@example.test", "subscription='to'"))).isEmpty)
    #expect(inverses(scenario.pushed(item("bob@example.test", "subscription='remove'"))).isEmpty)
    #expect(inverses(scenario.receives("subscribe", from: "eve@example.test")).isEmpty)
    #expect(inverses(scenario.lost()).isEmpty)
  }

  @Test("What only the user sets is taken back by an annotation")
  func annotations() {
    var scenario = Scenario.alice(item("bob@example.test"))
    func inverse(_ annotation: RosterAnnotation) -> [RosterAnnotation] {
      let changes = scenario.annotated(annotation).changes
      #expect(changes.compactMap(\.inverse).isEmpty)
      return changes.compactMap(\.inverseAnnotation)
    }
    #expect(inverse(.starred(bob, true)) == [.starred(bob, false)])
    #expect(inverse(.note(bob, "chess")) == [.note(bob, nil)])
    #expect(inverse(.note(bob, "go")) == [.note(bob, "chess")])
    #expect(inverse(.reading(bob, "zeng")) == [.reading(bob, nil)])
  }
}

@Suite("What screens ask a roster") struct RosterSummaryTests {
  @Test("The groups of all contacts, once each, by their bytes")
  func groups() {
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    let scenario = Scenario.alice(
      item("a@x", groups: ["Work", composed]) + item("b@x", groups: ["Chess", "Work"])
        + item("c@x", groups: [decomposed]) + item("d@x"))
    #expect(
      scenario.roster.groups.map { Array($0.utf8) }
        == ["Chess", "Work", decomposed, composed].map { Array($0.utf8) })
    #expect(Roster().groups.isEmpty)
  }

  @Test("Whether a contact is online, and what its best resource shows")
  func availability() {
    let bob = bare("bob@example.test")
    var scenario = Scenario.alice(item("bob@example.test", "subscription='both'"))
    #expect(!scenario.roster.isOnline(bob) && scenario.roster.availability(of: bob) == nil)
    scenario.receives(from: "bob@example.test/pc", "<show>away</show><status>lunch</status>")
    #expect(scenario.roster.isOnline(bob))
    #expect(scenario.roster.availability(of: bob)?.show == .away)
    #expect(scenario.roster.availability(of: bob)?.status == "lunch")
    // A negative priority is available, too (RFC 6121 §4.7.2.3).
    scenario.receives(from: "bob@example.test/bot", "<priority>-1</priority>")
    scenario.receives("unavailable", from: "bob@example.test/pc")
    #expect(scenario.roster.isOnline(bob))
    scenario.lost()
    #expect(!scenario.roster.isOnline(bob) && scenario.roster.availability(of: bob) == nil)
  }

  @Test("Requests are counted until the user has seen them")
  func unseen() {
    var scenario = Scenario.alice()
    scenario.receives("subscribe", from: "eve@example.test")
    scenario.receives("subscribe", from: "bob@example.test")
    #expect(scenario.roster.unseenRequestCount == 2)
    _ = scenario.annotated(.requestsSeen([bare("eve@example.test")]))
    #expect(scenario.roster.unseenRequestCount == 1)
    #expect(scenario.roster.unseenRequests == [bare("bob@example.test")])
  }
}
