import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing

@Suite("Ends whose logs begin or end while news is on its way") struct LateStartTests {
  private typealias Pair = TwoAccounts

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Alice asks, which her log shows for an hour; bob logs in late, and his log ends at a time.
  private func lateOwner(until end: Double) -> TwoAccounts {
    var pair = TwoAccounts()
    pair.alice.login(0)
    pair.alice.subscription(10, "subscribe", to: Pair.bobJID)
    pair.alice.push(10.01, Pair.item(Pair.bobJID, "none", asks: true))
    pair.bob.login(3_600)
    pair.bob.alive(end)
    return pair
  }

  @Test("A log that ends right after its login misses no request", arguments: [3_600.07, 3_659])
  func loginAlone(_ end: Double) throws {
    var pair = lateOwner(until: end)
    pair.alice.alive(7_200)
    #expect(try pair.verdicts(in: folder)[0] == .settling)
  }

  @Test("A stored message that comes with the login proves nothing about a request")
  func storedMessage() throws {
    for isStored in [false, true] {
      var pair = lateOwner(until: 3_600.01)
      let delay = "<delay xmlns='urn:xmpp:delay' stamp='2026-11-20T10:00:20Z'/>"
      let content = "id='m' type='chat'><body>hello</body>"
      let sent: Double = isStored ? 20 : 3_605
      pair.alice.sent(sent, "<message to='\(Pair.bobJID)' \(content)</message>")
      pair.bob.received(
        3_605.02,
        "<message from='\(Pair.aliceJID)/pc' \(content)\(isStored ? delay : "")</message>")
      pair.bob.alive(3_606)
      pair.alice.alive(7_200)
      let verdict = try pair.verdicts(in: folder)[0]
      if isStored {
        #expect(verdict == .settling)
      } else {
        #expect(verdict.disagreement?.mismatch == .unseenRequest)
      }
    }
  }

  @Test(
    "A message that comes hours late leaves no doubt about the clocks", arguments: [false, true])
  func lateMessage(_ isStored: Bool) throws {
    let delay = "<delay xmlns='urn:xmpp:delay' stamp='2026-11-20T10:00:05Z'/>"
    let content = "id='m' type='chat'><body>hello</body>"
    for (end, isLongEnough) in [(28_850.0, false), (28_900, isStored), (29_000, true)] {
      var pair = TwoAccounts()
      pair.alice.login(0, Pair.item(Pair.bobJID, "to"))
      pair.alice.sent(5, "<message to='\(Pair.bobJID)' \(content)</message>")
      pair.bob.login(28_800)
      pair.message(28_800, fromAlice: false)
      pair.bob.received(
        28_801,
        "<message from='\(Pair.aliceJID)/pc' \(content)\(isStored ? delay : "")</message>")
      pair.alive(end)
      let comparison = try pair.ends(in: folder).comparison
      #expect(comparison.clocks.uncertainty == (isStored ? nil : 28_796_000))
      let verdict = comparison.directions[0].verdict
      if isLongEnough {
        #expect(verdict.disagreement?.mismatch == .unseenEnd)
      } else {
        #expect(verdict == .settling)
      }
    }
  }

  @Test("If all stanzas seem slow, the clocks may be apart", arguments: [false, true])
  func slowStanzas(_ isLongEnough: Bool) throws {
    // Nothing that bob sends shows that his clock is ten minutes ahead.
    var pair = TwoAccounts(bobAhead: 600)
    pair.loginAsFriends()
    pair.message(1, fromAlice: true)
    pair.bob.alive(isLongEnough ? 900 : 100)
    pair.alice.subscription(150, "unsubscribe", to: Pair.bobJID)
    pair.alice.push(150.01, Pair.item(Pair.bobJID, "from"))
    pair.alice.alive(2_000)
    let verdicts = try pair.verdicts(in: folder)
    if isLongEnough {
      #expect(verdicts[0].disagreement?.mismatch == .unnoticedSubscription)
    } else {
      #expect(verdicts[0] == .settling)
    }
    #expect(verdicts[1] == .agree(.active))
  }

  @Test("A request that does not come for two minutes after the login is missed")
  func missedRequest() throws {
    var pair = lateOwner(until: 3_720)
    pair.alice.alive(7_200)
    let found = try #require(try pair.verdicts(in: folder)[0].disagreement)
    #expect(found.mismatch == .unseenRequest && found.right == .subscriber)
  }
}
