import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// What a server tells a session that goes on over a new stream: once more what the client may not
/// have, and then what is new (XEP-0198 §5).
@Suite("Rule 21: what a resumed stream is told") struct ResumptionRuleTests {
  @Test(
    "What a resumed stream is told once more is no news, but what was answered meanwhile is",
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
    // Who has our answer to what this stream told asks anew; else a refusal may have crossed it.
    scenario.receives("subscribe", from: carol)
    let isInDoubt = answer == "unsubscribed" && !isAfterResumption
    #expect(scenario.incoming == (isInDoubt ? [] : [carol]))
    #expect(scenario.unconfirmed == (isInDoubt ? [carol] : []))
  }

  @Test(
    "What a resumed stream is told for the first time ends what it is told once more",
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
    // Withdrawn while nobody was connected, and asked anew in the same words.
    tell("unsubscribe")
    #expect(scenario.incoming == [])
    tell("subscribe")
    #expect(scenario.incoming == [carol])
  }

  @Test("Of more than is kept, what is told once more is no news")
  func toldMuch() {
    var scenario = Scenario.alice()
    scenario.received("<enabled xmlns='urn:xmpp:sm:3' id='x' resume='true'/>")
    let strangers = (0..<40).map { "stranger\($0)@example.test" }
    for stranger in strangers { scenario.receives("subscribe", from: stranger) }
    scenario.lost()
    scenario.received("<resumed xmlns='urn:xmpp:sm:3' h='3' previd='x'/>")
    for stranger in strangers { scenario.receives("subscribe", from: stranger) }
    // The first eight are too long ago.
    let counts = strangers.map { scenario.roster.incoming[bare($0)]?.count }
    #expect(counts == Array(repeating: 2, count: 8) + Array(repeating: 1, count: 32))
  }

  /// Rule 13: the server sends it again after the first presence of the session.
  @Test(
    "A new session that refuses a request of before may be told it after that",
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
    // It is a new one where the server had the refusal, or what came before has come by then.
    let isNew = isAnswered || milliseconds > 60_000
    #expect(scenario.incoming == (isNew ? [carol] : []))
    #expect(scenario.unconfirmed == (isNew ? [] : [carol]))
  }

  /// What happens between a refusal and a request that comes after it.
  enum Between: CaseIterable {
    case nothing, resumption, answeredQuery, openQuery, answerOfBefore, answeredSet, minute, login
  }

  @Test(
    "Nobody can say whether a resumed stream's request came before our refusal",
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
    // The server had the refusal, or has had the time to tell what came before it.
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

@Suite("A device whose network breaks")
struct ResumingServerTests {
  @Test(
    "At every quiet moment the roster is the server's", arguments: 0..<UInt64(400),
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
