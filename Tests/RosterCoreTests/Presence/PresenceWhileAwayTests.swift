import TestSupport
import Testing
import XMPPStanza

@testable import RosterCore

@Suite("Rules 13 and 21: presence that we send while there is no stream")
struct PresenceWhileAwayTests {
  private static let carol = "carol@example.test"

  /// An open request of an earlier session, in a session that can be resumed and has been lost.
  private func away() -> Scenario {
    var scenario = Scenario.alice()
    scenario.receives("subscribe", from: Self.carol)
    scenario.closed()
    scenario.opened("alice@example.test/phone")
    scenario.received("<enabled xmlns='urn:xmpp:sm:3' id='x' resume='true'/>")
    scenario.lost()
    return scenario
  }

  @Test("The first presence counts once its session is resumed") func resumed() {
    var scenario = away()
    scenario.sends()
    #expect(scenario.incoming == [Self.carol], "the server does not have it yet")
    scenario.received("<resumed xmlns='urn:xmpp:sm:3' h='0' previd='x'/>")
    #expect(scenario.unconfirmed == [Self.carol], "the server sends what is open after that")
    // Sent again, because the server did not receive it.
    scenario.sends()
    scenario.receives("subscribe", from: Self.carol)
    #expect(scenario.incoming == [Self.carol])
    scenario.sends()
    #expect(scenario.incoming == [Self.carol], "only the first presence puts requests into doubt")
  }

  @Test("It has no effect if its session is not resumed") func opened() {
    var scenario = away()
    scenario.sends()
    scenario.opened("alice@example.test/phone")
    #expect(scenario.incoming == [Self.carol])
    // The new session's own first presence counts.
    scenario.sends()
    #expect(scenario.unconfirmed == [Self.carol])
  }

  @Test("It counts even while the new stream is negotiated") func negotiating() {
    var scenario = away()
    scenario.sent("<stream:stream to='example.test'/>")
    scenario.sends()
    #expect(scenario.incoming == [Self.carol])
    scenario.received("<resumed xmlns='urn:xmpp:sm:3' h='0' previd='x'/>")
    #expect(scenario.unconfirmed == [Self.carol])
  }

  /// What states show, without record numbers.
  private struct Shown: Equatable {
    let contacts, incoming, unconfirmed, outgoing: [String]
    let online: [[String]]
    let isConnected: Bool

    init(_ scenario: Scenario) {
      (contacts, incoming) = (scenario.contacts, scenario.incoming)
      (unconfirmed, outgoing) = (scenario.unconfirmed, scenario.outgoing)
      online = ["bob", "carol", "dave"].map { scenario.online("\($0)@example.test") }
      isConnected = scenario.roster.isConnected
    }
  }

  /// A session that is lost after random lines.
  private func lostSession(_ seed: UInt64) -> (scenario: Scenario, fuzzer: StanzaFuzzer) {
    var fuzzer = StanzaFuzzer(seed: seed)
    var scenario = Scenario()
    for _ in 0..<80 { fuzzer.step(&scenario) }
    scenario.opened("alice@example.test/phone")
    for _ in 0..<seed % 4 { scenario.receives("subscribe", from: Self.carol) }
    if seed % 3 == 0 { scenario.sends() }
    scenario.lost()
    return (scenario, fuzzer)
  }

  @Test("Presence sent while away counts as if it were sent after the resumption")
  func sameAsAfter() {
    var doubts = 0
    for seed in Seeds.chosen(or: 0...199) {
      var random = SeededGenerator(seed: seed)
      let words = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        Bool.random(using: &random) ? "unavailable" : nil
      }
      let (lost, fuzzer) = lostSession(seed)
      var (before, after) = (lost, lost)
      for word in words { before.sends(word) }
      before.resumed()
      after.resumed()
      for word in words { after.sends(word) }
      let note: Comment = "ROLLCALL_SEEDS=\(seed)-\(seed): \(words)"
      #expect(Shown(before) == Shown(after), note)
      if before.unconfirmed != lost.unconfirmed { doubts += 1 }
      var (first, second) = (fuzzer, fuzzer)
      for _ in 0..<40 {
        first.step(&before)
        second.step(&after)
        #expect(Shown(before) == Shown(after), note)
      }
    }
    #expect(doubts > 0)
  }

  @Test("If a new session is opened instead, it is as if nothing had been sent")
  func nothingSent() {
    for seed in Seeds.chosen(or: 0...199) {
      let (lost, fuzzer) = lostSession(seed)
      var (sent, silent) = (lost, lost)
      sent.sends()
      silent.sent("<message to='bob@example.test'/>")
      var (first, second) = (fuzzer, fuzzer)
      sent.opened("alice@example.test/phone")
      silent.opened("alice@example.test/phone")
      #expect(Self.withoutRun(sent) == Self.withoutRun(silent), "ROLLCALL_SEEDS=\(seed)-\(seed)")
      for _ in 0..<40 {
        first.step(&sent)
        second.step(&silent)
      }
      #expect(Self.withoutRun(sent) == Self.withoutRun(silent), "ROLLCALL_SEEDS=\(seed)-\(seed)")
    }
  }

  /// The roster without where the run of events began: a message is none, and ends it.
  private static func withoutRun(_ scenario: Scenario) -> Roster {
    var roster = scenario.roster
    roster.eventsSince = 0
    return roster
  }
}
