import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Sets that the server stores otherwise than they asked")
struct AlteredSetTests {
  private let bob = FindingWords.bob

  /// Bob with a long name.
  private let long = bobItem("Bob von und zu Hohenfels")
  /// Bob with the name as a server cuts it.
  private let cut = bobItem("Bob von und")

  private func found(_ scenario: inout Scenario) -> [Finding] {
    scenario.ends()
    return scenario.findings.filter { $0.code != .unacknowledgedPush }
  }

  @Test("The push in place of the one that was asked for is the set's effect, in either order")
  func order() throws {
    for isPushFirst in [true, false] {
      var scenario = aliceWithBobAndCarol()
      scenario.sets(long)  // 4
      if !isPushFirst { scenario.receivesEmptyResult(id: "set") }
      scenario.pushed(cut)
      #expect(scenario.last.originsOfChanges.map(\.cause) == (isPushFirst ? [] : [4]))
      if isPushFirst {
        scenario.receivesEmptyResult(id: "set")
        // The push that was asked for may still follow.
        #expect(scenario.last.origins.isEmpty)
      }
      scenario.sends(at: 100_000)
      scenario.ended(.inbound)
      let origins = scenario.outcomes.flatMap(\.toldOrigins).filter { $0.kind == .edit }
      #expect(origins.map(\.cause) == [4])
      #expect(origins.map(\.effect) == [isPushFirst ? 5 : 6])
      #expect(origins.map(\.isLate) == [isPushFirst])
      let findings = found(&scenario)
      let finding = try #require(findings.first)
      #expect(findings.count == 1 && finding.code == .undoneEdit && finding.cause == 4)
      #expect(
        finding.sentence.hasPrefix(
          "The server did not store what our set of record 4 asked for: \(bob) has the name "
            + "“Bob von und” instead of the name “Bob von und zu Hohenfels”"))
    }
  }

  @Test("Groups that the server adds or leaves out are named")
  func groups() throws {
    var scenario = aliceWithBobAndCarol()
    scenario.sets(bobItem("Rob", ["A", "C"]))
    scenario.pushed(bobItem("Rob", ["A", "Staff"]))
    scenario.receivesEmptyResult(id: "set")
    let finding = try #require(found(&scenario).first { $0.code == .undoneEdit })
    #expect(
      finding.sentence.contains("has the groups “A”, “Staff” instead of the groups “A”, “C”"))
  }

  @Test("The end of the log decides which push was the effect of a set")
  func endOfLog() throws {
    var scenario = aliceWithBobAndCarol()
    scenario.sets(long)  // 4
    scenario.pushed(cut)
    scenario.receivesEmptyResult(id: "set")
    let stamp = RecordStamp(record: scenario.record, time: scenario.time)
    let end = RosterReducer.outcome(ending: scenario.roster, at: stamp, hasReceived: true)
    let origin = try #require(end.origins.first)
    #expect(end.origins.count == 1 && origin.cause == 4 && origin.effect == 5 && origin.isLate)
    #expect(end.findings.map(\.code).contains(.undoneEdit))
  }

  @Test("If the push that was asked for follows, an earlier one was another device's")
  func race() {
    for (isResultFirst, pause) in [(true, 0), (true, 900), (true, 2_000), (false, 0)]
      as [(
        Bool, Int64
      )]
    {
      var scenario = aliceWithBobAndCarol()
      scenario.time = 0
      scenario.sets(bobItem("Rob"))
      scenario.pushed(bobItem("Robin"), id: "other")
      #expect(scenario.last.origins.isEmpty)
      if isResultFirst { scenario.receivesEmptyResult(id: "set") }
      scenario.time = pause
      scenario.pushed(bobItem("Rob"))
      let push = scenario.record
      #expect(scenario.last.originsOfChanges.map(\.cause) == [4])
      if !isResultFirst { scenario.receivesEmptyResult(id: "set") }
      scenario.sends(at: 100_000)
      #expect(found(&scenario).isEmpty)
      // One set explains one push.
      let origins = scenario.outcomes.flatMap(\.origins).filter { $0.kind == .edit }
      #expect(origins.map(\.effect) == [push], "\(isResultFirst) \(pause)")
    }
  }

  @Test("A name that only differs in its code points is said to do so")
  func codePoints() throws {
    var scenario = aliceWithBobAndCarol()
    scenario.sets(bobItem("Rene\u{301}"))
    scenario.pushed(bobItem("Ren\u{e9}"))
    scenario.receivesEmptyResult(id: "set")
    let finding = try #require(found(&scenario).first { $0.code == .undoneEdit })
    #expect(
      finding.sentence.contains("has the name “Ren\u{e9}” in other code points than the set ("))
  }

  @Test("A push that came long before the result is not the set's effect")
  func longBefore() {
    for (time, isEffect) in [(1_000, true), (1_001, false)] as [(Int64, Bool)] {
      var scenario = aliceWithBobAndCarol()
      scenario.sets(bobItem("Rob"))
      scenario.pushed(bobItem("Robin"))
      scenario.receivesEmptyResult(id: "set", at: time)
      #expect(found(&scenario).contains { $0.code == .undoneEdit } == isEffect)
    }
  }

  @Test("A push that another set asked for, or that shows what there was, alters nothing")
  func others() {
    var devices = aliceWithBobAndCarol()
    devices.on(2) {
      $0.opened("alice@example.test/pc")
      $0.fetches(bobItem("Bob") + item("carol@example.test"), id: "pc")
      $0.sets(bobItem("Robin"), id: "theirs")
    }
    devices.sets(bobItem("Rob"), id: "ours")
    for name in ["Robin", "Rob"] {
      for connection in [1, 2] as [UInt32] {
        devices.on(connection) { $0.pushed(bobItem(name), id: name) }
      }
    }
    devices.receivesEmptyResult(id: "ours")
    devices.on(2) { $0.receivesEmptyResult(id: "theirs") }
    devices.sends(at: 100_000)
    #expect(found(&devices).isEmpty)

    var earlier = aliceWithBobAndCarol()
    earlier.sets(bobItem("Rob"))
    earlier.pushed(item(bob, "name='Bob' subscription='to'", groups: ["A", "B"]), id: "other")
    #expect(earlier.last.originsOfChanges.isEmpty)
    earlier.pushed(item(bob, "name='Rob' subscription='to'", groups: ["A", "B"]))
    earlier.receivesEmptyResult(id: "set")
    earlier.sends(at: 100_000)
    #expect(found(&earlier).isEmpty)
  }

  @Test("The item that a request makes is not the effect of the set that follows")
  func request() {
    let dave = "dave@example.test"
    var scenario = aliceWithBobAndCarol()
    scenario.sends("subscribe", to: dave)
    scenario.sets(item(dave, "name='Dave'"))
    scenario.pushed(item(dave, "ask='subscribe'"))
    #expect(!scenario.last.origins.contains { $0.kind == .edit })
    scenario.pushed(item(dave, "name='Dave' ask='subscribe'"))
    scenario.receivesEmptyResult(id: "set")
    #expect(found(&scenario).isEmpty)
  }

  @Test("What another device changes later is no effect of the set, which is reported before")
  func later() {
    var scenario = aliceWithBobAndCarol()
    scenario.sets(long, at: 0)  // 4
    scenario.pushed(cut)
    scenario.receivesEmptyResult(id: "set")
    scenario.time = 30_000
    scenario.pushed(bobItem("Robin"), id: "another")
    #expect(scenario.last.originsOfChanges.isEmpty)
    #expect(found(&scenario).map(\.code) == [.undoneEdit])
  }

  @Test("What the server has stored is part of the state")
  func state() throws {
    var scenario = aliceWithBobAndCarol()
    scenario.sets(long)
    scenario.pushed(cut)
    let read = try Roster(snapshot: scenario.roster.snapshot.span.bytes)
    #expect(read == scenario.roster)
  }
}
