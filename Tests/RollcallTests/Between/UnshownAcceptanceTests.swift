import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing

@Suite("An acceptance that a roster does not show, between two ends")
struct UnshownAcceptanceTests {
  private typealias Pair = TwoAccounts

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("An owner whose roster does not show its acceptance is in no known stage")
  func byOwner() throws {
    var pair = TwoAccounts()
    pair.login()
    pair.request(10)
    pair.bob.subscription(20, "subscribed", to: Pair.aliceJID)
    pair.alice.subscription(20.03, "subscribed", from: Pair.bobJID, sentAt: 20)
    pair.alice.push(20.03, Pair.item(Pair.bobJID, "to"))
    pair.alive(200)
    let ends = try pair.ends(in: folder)
    #expect(
      ends.comparison.directions.map(\.verdict) == [.unknown(.unshownAcceptance), .agree(.none)])
    // In bob's log: header, bind, get, result, presence, subscribe, subscribed.
    #expect(
      ends.answers[0].reasons == [
        "bob@example.org accepted the request at #7, and its roster does not show it."
      ])
  }

  @Test(
    "A subscriber whose roster does not show the acceptance is one that did not apply it",
    arguments: [("none", "none", "from"), ("from", "to", "both")])
  func bySubscriber(_ alice: String, _ bob: String, _ accepted: String) throws {
    var pair = TwoAccounts()
    pair.alice.login(0, Pair.item(Pair.bobJID, alice))
    pair.bob.login(0, Pair.item(Pair.aliceJID, bob))
    pair.alice.subscription(10, "subscribe", to: Pair.bobJID)
    pair.alice.push(10.01, Pair.item(Pair.bobJID, alice, asks: true))
    pair.bob.subscription(10.02, "subscribe", from: Pair.aliceJID, sentAt: 10)
    pair.bob.subscription(20, "subscribed", to: Pair.aliceJID)
    pair.bob.push(20.01, Pair.item(Pair.aliceJID, accepted))
    pair.alice.subscription(20.03, "subscribed", from: Pair.bobJID, sentAt: 20)
    pair.alive(200)
    let verdicts = try pair.verdicts(in: folder)
    let found = try #require(verdicts[0].disagreement)
    #expect(found.mismatch == .unseenAcceptance && found.right == .owner)
    guard case .notApplied(.owner, let act, arrived: _) = found.cause else {
      Issue.record("\(found.cause)")
      return
    }
    #expect(act.kind == .stanza(.subscribed))
    // What the other direction is in has nothing to do with it.
    #expect(verdicts[1] == .agree(alice == "none" ? .none : .active))
  }
}
