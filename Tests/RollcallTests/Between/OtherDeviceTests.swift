import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing

@Suite("What another device of an account did, between two ends") struct OtherDeviceTests {
  private typealias Pair = TwoAccounts

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("A request that another device refused may still be shown as open")
  func refusedElsewhere() throws {
    var pair = TwoAccounts()
    pair.login()
    pair.request(10)
    // Bob refuses on his laptop, which is not in his log; no roster of his changes.
    pair.alice.subscription(30.02, "unsubscribed", from: Pair.bobJID, sentAt: 30)
    pair.alice.push(30.02, Pair.item(Pair.bobJID, "none"))
    pair.alive(200)
    #expect(try pair.verdicts(in: folder) == [.unknown(.notShown), .agree(.none)])
  }

  @Test("A request that comes again after the recorded device refused it is stale")
  func refusedHere() throws {
    var pair = TwoAccounts()
    pair.login()
    pair.request(10)
    pair.bob.subscription(30, "unsubscribed", to: Pair.aliceJID)
    pair.alice.subscription(30.02, "unsubscribed", from: Pair.bobJID, sentAt: 30)
    pair.alice.push(30.02, Pair.item(Pair.bobJID, "none"))
    pair.bob.closed(40)
    pair.bob.login(50)
    pair.bob.subscription(50.1, "subscribe", from: Pair.aliceJID, sentAt: 10)
    pair.alive(200)
    let found = try #require(try pair.verdicts(in: folder)[0].disagreement)
    #expect(found.mismatch == .staleRequest && found.right == .subscriber)
  }

  @Test("A refusal of an earlier request explains no later one")
  func refusedBefore() throws {
    var pair = TwoAccounts()
    pair.login()
    pair.alice.subscription(5, "unsubscribed", from: Pair.bobJID, sentAt: 5)
    pair.request(10)
    // Alice takes the request back, and that is lost.
    pair.alice.subscription(30, "unsubscribe", to: Pair.bobJID)
    pair.alice.push(30.01, Pair.item(Pair.bobJID, "none"))
    pair.alive(200)
    let found = try #require(try pair.verdicts(in: folder)[0].disagreement)
    #expect(found.mismatch == .staleRequest)
    guard case .lost(.subscriber, let act) = found.cause else {
      Issue.record("\(found.cause)")
      return
    }
    #expect(act.kind == .stanza(.unsubscribe))
  }
}
