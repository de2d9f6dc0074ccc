import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("How our own requests ended") struct EndedOutgoingTests {
  private let dave = "dave@example.test"

  private typealias End = (
    way: RosterChange.OutgoingEnd, isReflected: Bool, play: (inout Scenario) -> Void
  )

  @Test("Each way is kept with both records, and survives a snapshot")
  func ways() throws {
    let ends: [End] = [
      (.accepted, true, { $0.receives("subscribed", from: "dave@example.test") }),
      (.refused, true, { $0.receives("unsubscribed", from: "dave@example.test") }),
      (.cancelled, true, { $0.sends("unsubscribe", to: "dave@example.test") }),
      (.subscribed, true, { $0.pushed(item("dave@example.test", "subscription='to'")) }),
      (.dropped, true, { $0.pushed(item("dave@example.test")) }),
      (.removed, true, { $0.pushed(item("dave@example.test", "subscription='remove'")) }),
      (.removed, true, { $0.fetches() }),
      // The roster cannot lose what it never showed.
      (.neverShown, false, { $0.fetches() }),
      (.neverShown, false, { $0.fetches(item("dave@example.test")) }),
      (.neverShown, false, { $0.pushed(item("dave@example.test", "subscription='remove'")) }),
    ]
    for (way, isReflected, play) in ends {
      var scenario = Scenario.alice()
      scenario.sends("subscribe", to: dave)
      let asked = scenario.record
      if isReflected { scenario.pushed(item(dave, "ask='subscribe'")) }
      #expect(scenario.roster.endedOutgoing[bare(dave)] == nil)
      play(&scenario)
      let end = try #require(scenario.roster.endedOutgoing[bare(dave)], "\(way)")
      #expect(end.way == way && end.since.record == asked && end.at.record == scenario.record)
      let bytes = scenario.roster.snapshot
      let read = try Roster(snapshot: bytes.span.bytes)
      #expect(read.endedOutgoing[bare(dave)] == end && read == scenario.roster)
      scenario.sends("subscribe", to: dave)
      let isAskedAgain = scenario.roster.outgoing[bare(dave)] != nil
      #expect((scenario.roster.endedOutgoing[bare(dave)] == nil) == isAskedAgain)
    }
  }

  @Test("An acceptance that the roster does not show is kept, unless we have asked anew")
  func shownAfterAcceptance() throws {
    let ask = item(dave, "ask='subscribe'")
    let lines: [(String, isKept: Bool, (inout Scenario) -> Void)] = [
      ("a roster", true, { $0.fetches(ask, id: "again") }),
      ("a rename", true, { $0.pushed(item("dave@example.test", "ask='subscribe' name='D'")) }),
      (
        "another device's request", false,
        {
          $0.pushed(item("dave@example.test"))
          $0.pushed(ask)
        }
      ),
      ("our request", false, { $0.sends("subscribe", to: "dave@example.test") }),
    ]
    for (name, isKept, line) in lines {
      var scenario = Scenario.alice()
      scenario.sends("subscribe", to: dave)
      scenario.pushed(ask)
      scenario.receives("subscribed", from: dave)  // 6
      line(&scenario)
      #expect(scenario.outgoing == [dave], "\(name)")
      let end = scenario.roster.endedOutgoing[bare(dave)]
      #expect(end?.at.record == (isKept ? 6 : nil), "\(name)")
      let read = try Roster(snapshot: scenario.roster.snapshot.span.bytes)
      #expect(read == scenario.roster)
      scenario.pushed(item(dave, "subscription='to'"))
      #expect(scenario.roster.endedOutgoing[bare(dave)]?.way == .subscribed)
    }
  }

  @Test("A request that was shown and is gone was dropped, even if it was asked before the get")
  func shown() {
    var scenario = Scenario.alice(item(dave, "ask='subscribe'"))
    scenario.fetches(item(dave))
    #expect(scenario.roster.endedOutgoing[bare(dave)]?.way == .dropped)
  }
}
