import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing

@Suite("The two ends of a subscription, as two logs show them") struct BetweenTests {
  private typealias Pair = TwoAccounts

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func verdicts(_ pair: TwoAccounts) throws -> [EndsComparison.Verdict] {
    try pair.ends(in: folder).comparison.directions.map(\.verdict)
  }

  private func disagreement(
    _ verdict: EndsComparison.Verdict
  ) throws -> EndsComparison.Disagreement {
    guard case .disagree(let disagreement) = verdict else {
      Issue.record("\(verdict)")
      throw Missing()
    }
    return disagreement
  }

  private struct Missing: Error {}

  // MARK: Ends that disagree

  @Test("An acceptance that never arrives is found, with the record that was lost")
  func lostAcceptance() throws {
    var pair = TwoAccounts()
    pair.login()
    pair.request(10)
    pair.acceptance(20, arrives: false)
    pair.alive(120)
    let ends = try pair.ends(in: folder)
    let verdicts = ends.comparison.directions.map(\.verdict)
    let found = try disagreement(verdicts[0])
    #expect(found.mismatch == .unseenAcceptance)
    #expect(found.right == .owner)
    guard case .lost(.owner, let act) = found.cause else {
      Issue.record("\(found.cause)")
      return
    }
    #expect(act.kind == .stanza(.subscribed))
    // In bob's log: header, bind, get, result, presence, subscribe.
    #expect(act.stamp.record == 7)
    #expect(found.lastShared?.sent.kind == .subscription(.subscribe))
    #expect(found.repairs.map(\.purpose) == [.restore, .end])
    #expect(verdicts[1] == .agree(.none))
    #expect(ends.answers[0].repairs.first?.contains("type='subscribe'") == true)
  }

  @Test("Less than a minute is enough if a later stanza of the sender arrived")
  func laterStanza() throws {
    for arrives in [false, true] {
      var pair = TwoAccounts()
      pair.login()
      pair.request(10)
      pair.acceptance(20, arrives: false)
      if arrives { pair.message(22, fromAlice: false) }
      pair.alive(25)
      let verdict = try verdicts(pair)[0]
      if arrives {
        #expect(try disagreement(verdict).mismatch == .unseenAcceptance)
      } else {
        #expect(verdict == .settling)
      }
    }
  }

  @Test("A request that never arrives is found, if the owner was there to receive it")
  func lostRequest() throws {
    var pair = TwoAccounts()
    pair.login()
    pair.alice.subscription(10, "subscribe", to: Pair.bobJID)
    pair.alice.push(10.01, Pair.item(Pair.bobJID, "none", asks: true))
    pair.alive(120)
    let found = try disagreement(try verdicts(pair)[0])
    #expect(found.mismatch == .unseenRequest)
    #expect(found.right == .subscriber)
    #expect(found.repairs.map(\.purpose) == [.askAgain, .end])
  }

  @Test("The end of a subscription that never arrives is found")
  func lostEnd() throws {
    var pair = TwoAccounts()
    pair.loginAsFriends()
    pair.message(1, fromAlice: true)
    pair.bob.subscription(10, "unsubscribed", to: Pair.aliceJID)
    pair.bob.push(10.01, Pair.item(Pair.aliceJID, "to"))
    pair.alive(120)
    let verdicts = try verdicts(pair)
    let found = try disagreement(verdicts[0])
    #expect(found.mismatch == .unseenEnd && found.right == .owner)
    #expect(found.repairs.map(\.purpose) == [.end, .restore])
    #expect(verdicts[1] == .agree(.active))
  }

  @Test("A server restored from an older copy: the fetched roster parts the ends")
  func restored() throws {
    var pair = TwoAccounts()
    pair.loginAsFriends()
    pair.message(1, fromAlice: true)
    pair.bob.closed(30)
    pair.bob.login(60)
    pair.alive(180)
    let ends = try pair.ends(in: folder)
    let directions = ends.comparison.directions
    let (sees, isSeen) = (
      try disagreement(directions[0].verdict), try disagreement(directions[1].verdict)
    )
    #expect(sees.mismatch == .unseenEnd && sees.right == .owner)
    #expect(isSeen.mismatch == .unnoticedSubscription && isSeen.right == .owner)
    for (found, side) in [(sees, SubscriptionSide.owner), (isSeen, .subscriber)] {
      guard case .unexplained(side, _, isFetched: true) = found.cause else {
        Issue.record("\(found.cause)")
        continue
      }
      #expect(found.repairs.first?.purpose == .restore)
    }
  }

  /// Alice removes bob while he is away; her log ends at a time.
  private func removal(until end: Double, bobFetches item: String) -> TwoAccounts {
    var pair = TwoAccounts()
    pair.loginAsFriends()
    pair.message(1, fromAlice: true)
    pair.bob.closed(30)
    pair.alice.sent(
      90,
      "<iq type='set' id='s'><query xmlns='jabber:iq:roster'>"
        + "<item jid='\(Pair.bobJID)' subscription='remove'/></query></iq>")
    pair.alice.push(90.01, "<item jid='\(Pair.bobJID)' subscription='remove'/>")
    pair.alice.received(90.02, "<iq type='result' id='s'/>")
    pair.alice.alive(end)
    pair.alice.closed(end)
    pair.bob.login(600, item)
    pair.bob.alive(800)
    return pair
  }

  @Test("One side removed the other while that was away, and it never learned of it")
  func removedWhileAway() throws {
    let verdicts = try verdicts(
      removal(until: 700, bobFetches: Pair.item(Pair.aliceJID, "both")))
    let (sees, isSeen) = (try disagreement(verdicts[0]), try disagreement(verdicts[1]))
    #expect(sees.mismatch == .unnoticedSubscription && sees.right == .subscriber)
    #expect(isSeen.mismatch == .unseenEnd && isSeen.right == .owner)
    for found in [sees, isSeen] {
      guard case .lost(_, let act) = found.cause else {
        Issue.record("\(found.cause)")
        continue
      }
      #expect(act.kind == .removal)
      #expect(found.repairs.first?.purpose == .end)
    }
  }

  // MARK: Near misses

  @Test("Ends that agree")
  func agreeing() throws {
    var pair = TwoAccounts()
    pair.login()
    pair.request(10)
    pair.alive(100)
    #expect(try verdicts(pair) == [.agree(.pending), .agree(.none)])
    pair.acceptance(120)
    pair.alive(121)
    #expect(try verdicts(pair) == [.agree(.active), .agree(.none)])
    var friends = TwoAccounts()
    friends.loginAsFriends()
    friends.message(1, fromAlice: false)
    #expect(try verdicts(friends) == [.agree(.active), .agree(.active)])
  }

  @Test("A log that ends right after the acceptance was sent is still settling")
  func settling() throws {
    var pair = TwoAccounts()
    pair.login()
    pair.request(10)
    pair.acceptance(80, arrives: false)
    pair.alive(81)
    #expect(try verdicts(pair)[0] == .settling)
    // The end that did not receive it is recorded no longer.
    pair.bob.alive(600)
    #expect(try verdicts(pair)[0] == .settling)
  }

  @Test("What became of a removal is not known from a later session", arguments: [100.0, 200])
  func removedBefore(_ end: Double) throws {
    // Both may be friends again: another device of alice may have asked, and one of bob accepted.
    let kept = try verdicts(removal(until: end, bobFetches: Pair.item(Pair.aliceJID, "both")))
    #expect(kept == [.unknown(.notTogether), .unknown(.notTogether)])
    let learned = try verdicts(removal(until: end, bobFetches: ""))
    #expect(learned == [.unknown(.notShown), .unknown(.notShown)])
  }

  @Test("While one account blocks the other, nothing is said against them")
  func blocked() throws {
    let block = "<block xmlns='urn:xmpp:blocking'><item jid='\(Pair.aliceJID)'/></block>"
    var pair = TwoAccounts()
    pair.login()
    pair.bob.sent(1, "<iq type='set' id='b'>\(block)</iq>")
    pair.bob.received(1.01, "<iq type='set' id='bp'>\(block)</iq>")
    pair.bob.received(1.02, "<iq type='result' id='b'/>")
    pair.alice.subscription(10, "subscribe", to: Pair.bobJID)
    pair.alice.push(10.01, Pair.item(Pair.bobJID, "none", asks: true))
    pair.alive(200)
    #expect(try verdicts(pair)[0] == .blocked)
  }

  @Test("A log without the whole roster says nothing about its end")
  func noRoster() throws {
    var pair = TwoAccounts()
    pair.bob.login(0, Pair.item(Pair.aliceJID, "both"))
    pair.alice.push(5, "<item jid='\(Pair.bobJID)' subscription='none'/>")
    pair.alive(200)
    let expected = EndsComparison.Verdict.unknown(.noRoster)
    #expect(try verdicts(pair) == [expected, expected])
  }

  @Test("Logs of different times say nothing about each other")
  func notTogether() throws {
    var pair = TwoAccounts()
    pair.alice.login(0)
    pair.alice.subscription(10, "subscribe", to: Pair.bobJID)
    pair.alice.subscription(11, "unsubscribe", to: Pair.bobJID)
    pair.alice.alive(100)
    pair.alice.closed(101)
    pair.bob.login(100_000, Pair.item(Pair.aliceJID, "both"))
    pair.bob.alive(100_200)
    let expected = EndsComparison.Verdict.unknown(.notTogether)
    #expect(try verdicts(pair) == [expected, expected])
  }

  @Test("A request to an owner that is not there yet is not missed")
  func awayOwner() throws {
    var pair = TwoAccounts()
    pair.alice.login(0)
    // Without initial presence, the server sends no requests (RFC 6121 §3.1.3).
    pair.bob.login(0, showsPresence: false)
    pair.alice.subscription(10, "subscribe", to: Pair.bobJID)
    pair.alice.push(10.01, Pair.item(Pair.bobJID, "none", asks: true))
    pair.alive(200)
    #expect(try verdicts(pair)[0] == .unknown(.notShown))
  }

  @Test("What only one log has seen yet is not held against the other")
  func oneLogGoesOn() throws {
    var pair = TwoAccounts()
    pair.loginAsFriends()
    pair.message(1, fromAlice: true)
    pair.alive(100)
    // Bob's log ends; much later, alice ends the subscription.
    pair.alice.subscription(1000, "unsubscribe", to: Pair.bobJID)
    pair.alice.push(1000.1, Pair.item(Pair.bobJID, "from"))
    pair.alice.alive(2000)
    let ends = try pair.ends(in: folder)
    #expect(ends.comparison.directions.map(\.verdict) == [.agree(.active), .agree(.active)])
    let end = AccountScript.start + 100_000
    #expect(ends.comparison.directions.allSatisfy { $0.time == end })
    // In alice's log: header, bind, get, result, presence, message, alive, unsubscribe, push.
    #expect(
      ends.answers.map(\.reasons) == [
        [
          "Both ends say so until the log of bob@example.org ends.",
          "After that, by its own log alone, alice@example.test does not see bob@example.org and "
            + "does not ask to (since #9 of alice@example.test).",
        ],
        ["Both ends say so until the log of bob@example.org ends."],
      ])
  }

  @Test("Records without times are not put side by side")
  func noTimes() throws {
    let pair = [Pair.aliceJID, Pair.bobJID].map { account in
      let item = account == Pair.aliceJID ? Pair.item(Pair.bobJID, "both") : ""
      return """
        {"rollcall-capture":1,"account":"\(account)/pc"}
        {"stream":"opened","jid":"\(account)/pc"}
        {"dir":"out","xml":"<iq type='get' id='r'><query xmlns='jabber:iq:roster'/></iq>"}
        {"dir":"in","xml":"<iq type='result' id='r'><query xmlns='jabber:iq:roster'>\(item)</query></iq>"}

        """
    }
    let timelines = try pair.enumerated().map { index, text in
      let path = folder.file("\(index).jsonl")
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      return Timeline(try importedLog(of: path, nil, in: folder))
    }
    let ends = try TwoEnds(
      timelines[0], upTo: .head(minus: 0), timelines[1], upTo: .head(minus: 0))
    let expected = EndsComparison.Verdict.unknown(.noTimes)
    #expect(ends.comparison.directions.map(\.verdict) == [expected, expected])
  }

  @Test("Two logs of one account are refused")
  func oneAccount() throws {
    var pair = TwoAccounts()
    pair.bob = AccountScript(Pair.aliceJID)
    pair.login()
    #expect(throws: TwoEndsError.oneAccount(bare(Pair.aliceJID))) {
      _ = try pair.ends(in: folder)
    }
  }

  // MARK: Clocks

  @Test("Clocks that are apart are aligned", arguments: [-7200.0, -3, 0, 0.005, 3, 7200])
  func clocks(_ ahead: Double) throws {
    var pair = TwoAccounts(bobAhead: ahead)
    pair.login()
    pair.message(1, fromAlice: true, after: 0.03)
    pair.message(2, fromAlice: false, after: 0.01)
    pair.request(10)
    pair.acceptance(20, arrives: false)
    pair.alive(120)
    let comparison = try pair.ends(in: folder).comparison
    let error = comparison.clocks.offset - Int64((ahead * 1000).rounded())
    // Half of what a message takes there and back is the most by which they can be off.
    #expect(error.magnitude <= 30)
    #expect(try #require(comparison.clocks.uncertainty) <= 40)
    #expect(try disagreement(comparison.directions[0].verdict).mismatch == .unseenAcceptance)
    #expect(comparison.directions[1].verdict == .agree(.none))
  }

  @Test("The dialogue has each record that concerns the other, the sender's first")
  func dialogue() throws {
    var pair = TwoAccounts(bobAhead: 100)
    pair.login()
    pair.message(1, fromAlice: true)
    pair.message(2, fromAlice: false)
    pair.request(10)
    pair.acceptance(20)
    let ends = try pair.ends(in: folder)
    let clauses = ends.dialogue.map { "\($0.end) \($0.entry.moment.clause)" }
    #expect(
      clauses == [
        "first we ask bob@example.org to see its presence",
        "first the server pushes: bob@example.org none, asked",
        "second alice@example.test asks to see our presence",
        "second we let alice@example.test see our presence",
        "second the server pushes: alice@example.test from",
        "first bob@example.org lets us see its presence",
        "first the server pushes: bob@example.org to",
      ])
    #expect(
      ends.dialogue.map { $0.counterpart != nil } == [
        true, false, true, true, false, true, false,
      ])
  }
}
