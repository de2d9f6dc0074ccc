import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing

@Suite("What parted the two ends of a subscription") struct CauseTests {
  private typealias Pair = TwoAccounts

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func disagreements(_ pair: TwoAccounts) throws -> [EndsComparison.Disagreement?] {
    try pair.verdicts(in: folder).map(\.disagreement)
  }

  @Test("A restored server parted them, whatever was sent after it", arguments: [false, true])
  func sentAfterRestore(_ arrives: Bool) throws {
    var pair = TwoAccounts()
    pair.loginAsFriends()
    pair.message(1, fromAlice: true)
    pair.bob.closed(30)
    pair.bob.login(60)
    pair.alice.subscription(100, "subscribe", to: Pair.bobJID)
    if arrives { pair.bob.subscription(100.02, "subscribe", from: Pair.aliceJID, sentAt: 100) }
    pair.alive(300)
    let found = try #require(try disagreements(pair)[0])
    #expect(found.mismatch == (arrives ? .unansweredRequest : .unseenEnd))
    // In bob's log: header, bind, get, result, presence, message, end, bind, get, result.
    #expect(found.cause == .unexplained(.owner, record: 10, isFetched: true))
  }

  @Test("What both logs show from the start was so when they began")
  func fromTheStart() throws {
    var pair = TwoAccounts()
    pair.alice.login(0, Pair.item(Pair.bobJID, "to"))
    pair.bob.login(0)
    pair.alive(200)
    let found = try #require(try disagreements(pair)[0])
    #expect(found.mismatch == .unseenEnd && found.cause == .earlier)
  }

  @Test("A server that answers an approved request itself has received it")
  func approvedRequest() throws {
    for isApproved in [false, true] {
      var pair = TwoAccounts()
      pair.login()
      if isApproved {
        // RFC 6121 §3.4.
        pair.bob.subscription(5, "subscribed", to: Pair.aliceJID)
        pair.bob.push(
          5.01, "<item jid='\(Pair.aliceJID)' subscription='none' approved='true'/>")
      }
      pair.alice.subscription(10, "subscribe", to: Pair.bobJID)
      pair.alice.push(10.01, Pair.item(Pair.bobJID, "none", asks: true))
      // The answer is lost.
      if isApproved { pair.bob.push(10.02, Pair.item(Pair.aliceJID, "from")) }
      pair.alive(200)
      let found = try #require(try disagreements(pair)[0])
      if isApproved {
        #expect(found.mismatch == .unseenAcceptance && found.cause == .unknown)
      } else if case .lost(.subscriber, let act) = found.cause {
        #expect(found.mismatch == .unseenRequest && act.kind == .stanza(.subscribe))
      } else {
        Issue.record("\(found.cause)")
      }
    }
  }

  @Test("A push that comes before its stanza, or without it, is explained by it", arguments: 0...2)
  func pushFirst(_ stanzas: Int) throws {
    var pair = TwoAccounts()
    pair.loginAsFriends()
    // Bob's own roster never shows it.
    if stanzas > 0 { pair.bob.subscription(10, "unsubscribed", to: Pair.aliceJID) }
    pair.alice.push(10.02, Pair.item(Pair.bobJID, "from"))
    if stanzas > 1 {
      pair.alice.subscription(10.05, "unsubscribed", from: Pair.bobJID, sentAt: 10)
    }
    pair.alive(200)
    let found = try #require(try disagreements(pair)[0])
    #expect(found.mismatch == .unnoticedSubscription)
    // In alice's log: header, bind, get, result, presence, push.
    let pushed = EndsComparison.Cause.unexplained(.subscriber, record: 6, isFetched: false)
    #expect(found.cause == (stanzas > 0 ? .unknown : pushed))
  }

  @Test("What a removal sends may arrive before the push that shows the removal")
  func removalArrivesFirst() throws {
    for arrival in [10.005, 8, nil] {
      var pair = TwoAccounts()
      pair.loginAsFriends()
      let removal = "<item jid='\(Pair.bobJID)' subscription='remove'/>"
      let types = ["unsubscribe", "unsubscribed"]
      if let arrival, arrival < 10 {
        for type in types {
          pair.bob.subscription(arrival, type, from: Pair.aliceJID, sentAt: arrival)
        }
      }
      pair.alice.sent(
        10, "<iq type='set' id='s'><query xmlns='jabber:iq:roster'>\(removal)</query></iq>")
      if let arrival, arrival > 10 {
        for type in types {
          pair.bob.subscription(arrival, type, from: Pair.aliceJID, sentAt: arrival)
        }
      }
      pair.alice.push(10.01, removal)
      pair.alice.received(10.02, "<iq type='result' id='s'/>")
      pair.alive(200)
      for found in try disagreements(pair) {
        switch found?.cause {
        case .notApplied(_, let act, arrived: _): #expect(act.kind == .removal && arrival == 10.005)
        case .lost(_, let act): #expect(act.kind == .removal && arrival != 10.005)
        case let cause: Issue.record("\(String(describing: cause))")
        }
      }
    }
  }

  @Test("A contact that left is not removed by us if the server takes it out", arguments: 0...2)
  func removedByServer(_ place: Int) throws {
    var pair = TwoAccounts()
    pair.loginAsFriends()
    for type in ["unsubscribe", "unsubscribed"] {
      pair.bob.subscription(10, type, to: Pair.aliceJID)
    }
    // Bob's own server does not carry it out, and why it does not is in no log.
    for (number, type) in ["unsubscribe", "unsubscribed", nil].enumerated() {
      if number == place {
        pair.alice.push(10.02, "<item jid='\(Pair.bobJID)' subscription='remove'/>")
      }
      if let type { pair.alice.subscription(10.02, type, from: Pair.bobJID, sentAt: 10) }
    }
    pair.alive(200)
    for found in try disagreements(pair) { #expect(try #require(found).cause == .unknown) }
  }

  @Test("A roster that is fetched again unchanged explains nothing")
  func fetchedAgain() throws {
    var pair = TwoAccounts()
    pair.login()
    pair.bob.closed(30)
    pair.alice.subscription(40, "subscribe", to: Pair.bobJID)
    pair.alice.push(40.01, Pair.item(Pair.bobJID, "none", asks: true))
    pair.bob.login(60)
    pair.alive(200)
    let found = try #require(try disagreements(pair)[0])
    guard case .lost(.subscriber, let act) = found.cause else {
      Issue.record("\(found.cause)")
      return
    }
    #expect(act.kind == .stanza(.subscribe))
  }
}
