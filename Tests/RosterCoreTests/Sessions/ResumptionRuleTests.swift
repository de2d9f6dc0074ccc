import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// What a server sends a session that continues on a new stream: first what the client may not have
/// received, and then what is new (XEP-0198 §5).
@Suite("Rule 21: what a resumed stream receives") struct ResumptionRuleTests {
  @Test(
    "What a resumed stream receives again is not news, except for what was answered meanwhile",
    arguments: ["unsubscribed", "subscribed"], [false, true])
  func answered(_ answer: String, isAfterResumption: Bool) {
    let carol = "carol@example.test"
    var scenario = Scenario.alice()
    scenario.received("<enabled xmlns='urn:xmpp:sm:3' id='x' resume='true'/>")
    func resume() {
      scenario.lost()
      scenario.received("<resumed xmlns='urn:xmpp:sm:3' h='3' previd='x'/>")
    }
    scenario.receives("subscribe", from: carol)
    resume()
    scenario.receives("subscribe", from: carol)
    #expect(scenario.roster.incoming[BareJID(prepared: carol)]?.count == 1)
    if !isAfterResumption { resume() }
    scenario.sends(answer, to: carol)
    #expect(scenario.incoming == [])
    if isAfterResumption { resume() }
    // A contact that has our answer to this stream's request sends a new one; otherwise a refusal
    // may have crossed it.
    scenario.receives("subscribe", from: carol)
    let isInDoubt = answer == "unsubscribed" && !isAfterResumption
    #expect(scenario.incoming == (isInDoubt ? [] : [carol]))
    #expect(scenario.unconfirmed == (isInDoubt ? [carol] : []))
  }

  @Test(
    "What a resumed stream receives for the first time ends the repetitions",
    arguments: [[], ["subscribe"], ["push", "subscribe"]])
  func toldAnew(_ again: [String]) {
    let carol = "carol@example.test"
    var scenario = Scenario.alice()
    scenario.received("<enabled xmlns='urn:xmpp:sm:3' id='x' resume='true'/>")
    func tell(_ word: String) {
      if word == "push" {
        scenario.pushed(item("bob@example.test", "subscription='to'"), version: "v2")
      } else {
        scenario.receives(word, from: carol)
      }
    }
    tell("push")
    tell("subscribe")
    scenario.lost()
    scenario.received("<resumed xmlns='urn:xmpp:sm:3' h='3' previd='x'/>")
    again.forEach(tell)
    #expect(scenario.roster.incoming[bare(carol)]?.count == 1)
    // Withdrawn while no device was connected, and sent again with the same text.
    tell("unsubscribe")
    #expect(scenario.incoming == [])
    tell("subscribe")
    #expect(scenario.incoming == [carol])
  }

  @Test("Beyond the limit, repetitions are still not news")
  func toldMuch() {
    var scenario = Scenario.alice()
    scenario.received("<enabled xmlns='urn:xmpp:sm:3' id='x' resume='true'/>")
    let strangers = (0..<40).map { "stranger\($0)@example.test" }
    for stranger in strangers { scenario.receives("subscribe", from: stranger) }
    scenario.lost()
    scenario.received("<resumed xmlns='urn:xmpp:sm:3' h='3' previd='x'/>")
    for stranger in strangers { scenario.receives("subscribe", from: stranger) }
    // The first eight are too old.
    let counts = strangers.map { scenario.roster.incoming[bare($0)]?.count }
    #expect(counts == Array(repeating: 2, count: 8) + Array(repeating: 1, count: 32))
  }

  /// Rule 13: the server sends it again after the session's first presence.
  @Test(
    "A new session that refuses an earlier request may receive it after the refusal",
    arguments: [false, true], [0, 60_000, 60_001])
  func refusedAtOnce(isAnswered: Bool, after milliseconds: Int64) {
    let carol = "carol@example.test"
    var scenario = Scenario.alice()
    scenario.time = 1_763_600_000_000
    scenario.receives("subscribe", from: carol)
    scenario.closed()
    scenario.opened("alice@example.test/phone")
    scenario.sends()
    scenario.sends("unsubscribed", to: carol)
    #expect(scenario.incoming == [] && scenario.unconfirmed == [])
    if isAnswered { scenario.fetches() }
    scenario.receives("subscribe", from: carol, at: 1_763_600_000_000 + milliseconds)
    // It is a new request if the server had the refusal, or if earlier ones must have arrived by
    // then.
    let isNew = isAnswered || milliseconds > 60_000
    #expect(scenario.incoming == (isNew ? [carol] : []))
    #expect(scenario.unconfirmed == (isNew ? [] : [carol]))
  }

  /// What happens between a refusal and a request after it.
  enum Between: CaseIterable {
    case nothing, resumption, answeredQuery, openQuery, answerOfBefore, answeredSet, minute, login
  }

  @Test(
    "Whether a request on a resumed stream predates our refusal is unknown",
    arguments: Between.allCases, [false, true])
  func crossed(_ between: Between, isResumedBefore: Bool) {
    let carol = "carol@example.test"
    var scenario = Scenario.alice()
    scenario.time = 1_763_600_000_000
    scenario.received("<enabled xmlns='urn:xmpp:sm:3' id='x' resume='true'/>")
    func resume() {
      scenario.lost()
      scenario.received("<resumed xmlns='urn:xmpp:sm:3' h='3' previd='x'/>")
    }
    scenario.gets(id: "before")
    if isResumedBefore { resume() }
    scenario.sends("unsubscribed", to: carol)
    switch between {
    case .nothing: break
    case .resumption: resume()
    case .answeredQuery: scenario.fetches("")
    case .openQuery:
      scenario.gets(id: "open")
      resume()
    case .answerOfBefore:
      scenario.receivesResult("", id: "before")
      resume()
    case .answeredSet:
      scenario.sets(item("dave@example.test"), id: "set")
      scenario.receivesEmptyResult(id: "set")
      resume()
    case .minute: scenario.time = 1_763_600_061_000
    case .login: scenario.opened("alice@example.test/tab")
    }
    scenario.receives("subscribe", from: carol)
    // The server had the refusal, or had enough time to send what came before it.
    let isNew =
      switch between {
      case .nothing: !isResumedBefore
      case .answeredQuery, .answeredSet, .minute, .login: true
      case .resumption, .openQuery, .answerOfBefore: false
      }
    #expect(scenario.incoming == (isNew ? [carol] : []))
    #expect(scenario.unconfirmed == (isNew ? [] : [carol]))
    scenario.opened("alice@example.test/tab")
    scenario.sent("<presence/>")
    scenario.receives("subscribe", from: carol)
    #expect(scenario.incoming == [carol])
  }
}

@Suite("A device on an unreliable network")
struct ResumingServerTests {
  @Test(
    "Whenever nothing is on its way, the roster equals the server's", arguments: 0..<UInt64(400),
    ResumingServer.Log.allCases)
  func truth(seed: UInt64, log: ResumingServer.Log) {
    var server = ResumingServer(seed: seed, log: log)
    for round in 0..<4 {
      for _ in 0..<40 { server.step() }
      server.settle()
      let roster = server.scenario.roster
      let items = roster.sortedItems.map { entry in
        item(
          entry.jid.text,
          "subscription='\(entry.subscription.rawValue)'"
            + (entry.name.map { " name='\($0)'" } ?? "")
            + (entry.isPending ? " ask='subscribe'" : ""))
      }
      #expect(items == server.shownItems, "seed \(seed), \(log), round \(round)")
      let (open, unsure) = (Set(server.scenario.incoming), Set(server.scenario.unconfirmed))
      #expect(
        open.isSubset(of: server.requests) && server.requests.isSubset(of: open.union(unsure)),
        "seed \(seed), \(log), round \(round): \(open), perhaps \(unsure), and not \(server.requests)"
      )
    }
  }
}
