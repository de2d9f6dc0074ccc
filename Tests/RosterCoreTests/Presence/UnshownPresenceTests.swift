@testable import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// The phone, which has shown its presence, logs in again and fetches the roster.
private func logsInAgain(_ scenario: inout Scenario) {
  scenario.sends()
  scenario.closed(at: 10_000)
  scenario.opened("alice@example.test/phone", at: 20_000)
  scenario.fetches(bobItem("Bob"), id: "again")
}

func unshownPresenceCase() -> FindingCase {
  FindingCase(
    {
      logsInAgain(&$0)
      $0.ended(.outbound, at: 22_000)
    },
    {
      logsInAgain(&$0)
      $0.sends()
      $0.ended(.outbound, at: 22_000)
    })
}

@Suite("Sessions that have the roster and show no presence")
struct UnshownPresenceTests {
  private func found(_ scenario: Scenario) -> [Finding] {
    scenario.findings.filter { $0.code == .unshownPresence }
  }

  @Test("It is reported after a minute, or when the session ends")
  func times() {
    var lasting = aliceWithBobAndCarol()  // 1 to 3
    logsInAgain(&lasting)  // 4 to 8
    lasting.sends(to: "carol@example.test", at: 80_000)
    #expect(found(lasting).isEmpty)
    lasting.sends(to: "carol@example.test", at: 80_001)
    #expect(found(lasting).map(\.cause) == [8] && found(lasting).first?.severity == .warning)
    lasting.sends(to: "carol@example.test", at: 600_000)
    lasting.ended(.outbound)
    lasting.ends()
    #expect(found(lasting).count == 1)
  }

  @Test("Without an earlier session, a long one with late edits is reported as info")
  func firstSession() {
    for (time, edit, hears, isFound) in [
      (600_000, 120_000, false, true), (299_999, 120_000, false, false),
      (600_000, nil, false, false),
      (600_000, 119_999, false, false), (600_000, 120_000, true, false),
    ] as [(Int64, Int64?, Bool, Bool)] {
      var scenario = aliceWithBobAndCarol()
      if let edit {
        scenario.sets(bobItem("Bob"), at: edit)
        scenario.receivesEmptyResult(id: "set")
      }
      if hears { scenario.receives(from: "\(FindingWords.bob)/x") }
      scenario.ended(.outbound, at: time)
      scenario.ends()
      #expect(found(scenario).map(\.severity) == (isFound ? [.info] : []))
    }
  }

  @Test("A script, a short session, one without friends and one that is resumed need none")
  func nearMisses() {
    var script = aliceWithBobAndCarol()
    script.sends(to: "carol@example.test", at: 90_000)
    script.ended(.outbound)
    script.ends(at: 900_000)
    #expect(found(script).isEmpty)

    var brief = aliceWithBobAndCarol()
    logsInAgain(&brief)
    brief.ended(.outbound, at: 21_999)
    #expect(found(brief).isEmpty)

    var alone = aliceWithBobAndCarol()
    alone.sends()
    alone.closed(at: 10_000)
    alone.opened("alice@example.test/phone", at: 20_000)
    alone.fetches(item("carol@example.test"), id: "again")
    alone.sends(to: "carol@example.test", at: 90_000)
    #expect(found(alone).isEmpty)

    var resumed = aliceWithBobAndCarol()
    resumed.sends()
    resumed.lost(at: 10_000)
    resumed.resumed(at: 20_000)
    resumed.fetches(bobItem("Bob"), id: "again")
    resumed.sends(to: "carol@example.test", at: 90_000)
    #expect(found(resumed).isEmpty)
  }

  @Test("What is awaited of sessions and requests is part of the state")
  func state() throws {
    var scenario = aliceWithBobAndCarol()
    logsInAgain(&scenario)  // 4 to 8
    scenario.sends("subscribe", to: "dave@example.test", at: 21_000)
    scenario.receives("subscribe", from: "dave@example.test", at: 30_000)
    scenario.receives("subscribe", from: "erin@example.test", at: 30_000)
    scenario.sends("subscribed", to: "erin@example.test", at: 40_000)
    #expect(scenario.roster.acceptances.count == 1)
    #expect(scenario.roster.sessions.all.first?.unshownSince?.record == 8)
    #expect(scenario.roster.outgoing[bare("dave@example.test")]?.answeredBy?.record == 10)
    let read = try Roster(snapshot: scenario.roster.snapshot.span.bytes)
    #expect(read == scenario.roster)
    #expect(read.canonicalBytes == scenario.roster.canonicalBytes)
  }
}
