import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing

@Suite("What is said of two ends") struct BetweenSentenceTests {
  private typealias Pair = TwoAccounts

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// What is said of whether alice sees bob.
  private func reasons(_ pair: TwoAccounts) throws -> [String] {
    try pair.ends(in: folder).answers[0].reasons
  }

  @Test("A log is not said to show more than that a request may be there")
  func possibleRequest() throws {
    var pair = TwoAccounts()
    pair.alice.login(0)
    pair.bob.login(0, Pair.item(Pair.aliceJID, "from"))
    // No push shows that her server received it.
    pair.alice.subscription(10, "subscribe", to: Pair.bobJID)
    pair.alive(200)
    // In alice's log: header, bind, get, result, presence, subscribe.
    #expect(
      try reasons(pair).first
        == "By its own log, alice@example.test does not see bob@example.org "
        + "(since #6 of alice@example.test).")
  }

  @Test("An owner that refused a request is not said to have none because nothing asked")
  func refusedRequest() throws {
    var pair = TwoAccounts()
    pair.login()
    pair.request(10)
    pair.bob.subscription(20, "unsubscribed", to: Pair.aliceJID)
    pair.alive(200)
    // In bob's log: header, bind, get, result, presence, subscribe, unsubscribed.
    #expect(
      try reasons(pair)[1]
        == "By its own log, bob@example.org does not show its presence to alice@example.test, "
        + "and has no request of it (since #7 of bob@example.org).")
  }

  @Test("A stage that a short log only shows is not said to have changed")
  func shortLogs() throws {
    var pair = TwoAccounts()
    pair.alice.login(0, Pair.item(Pair.bobJID, "both"))
    pair.bob.login(0)
    pair.alive(50)
    #expect(
      try reasons(pair).last
        == "One of them was first shown or changed not long before a log ends, so the news may "
        + "still have been on its way.")
  }

  @Test("News that arrived much later is not said to be on its way")
  func lateNews() throws {
    var pair = TwoAccounts()
    pair.login()
    pair.request(10)
    pair.acceptance(20, arrives: false)
    pair.alive(200)
    pair.alice.subscription(5_000, "subscribed", from: Pair.bobJID, sentAt: 20)
    pair.alice.push(5_000, Pair.item(Pair.bobJID, "to"))
    pair.alice.alive(6_000)
    #expect(try pair.verdicts(in: folder)[0] == .settling)
    // In alice's log: header, bind, get, result, presence, subscribe, push, answer, alive,
    // subscribed, push.
    #expect(
      try reasons(pair).dropFirst(2) == [
        "The longer log shows that the news arrived later.",
        "After that, by its own log alone, alice@example.test sees the presence of "
          + "bob@example.org (since #11 of alice@example.test).",
      ])
  }
}
