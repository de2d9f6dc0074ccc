import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing

@Suite("Stanzas at two ends that only look like the same one") struct LookAlikeTests {
  private typealias Pair = TwoAccounts

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Two stanzas of alice, each in one log: bob's has what her tablet sent, hers has what her phone
  /// sent five hours later.
  private static let alike = [
    (
      "<presence><show>away</show></presence>",
      "<presence from='\(Pair.aliceJID)/tablet'><show>away</show></presence>"
    ),
    (
      "<message to='\(Pair.bobJID)' type='chat'><body>hi</body></message>",
      "<message from='\(Pair.aliceJID)/tablet' type='chat'><body>hi</body></message>"
    ),
    (
      "<presence to='\(Pair.bobJID)' type='subscribe'/>",
      "<presence from='\(Pair.aliceJID)' type='subscribe'/>"
    ),
  ]

  @Test("A stanza without an id moves no clock", arguments: alike)
  func withoutID(_ sent: String, _ received: String) throws {
    var pair = TwoAccounts()
    pair.loginAsFriends()
    pair.bob.received(10, received)
    pair.alice.sent(18_000, sent)
    pair.alive(18_100)
    let comparison = try pair.ends(in: folder).comparison
    #expect(comparison.clocks.offset == 0 && comparison.clocks.shared == 0)
    #expect(comparison.shared.isEmpty)
    #expect(comparison.directions.map(\.verdict) == [.agree(.active), .agree(.active)])
  }

  @Test("Logs of different hours are not put side by side by what looks alike", arguments: alike)
  func differentHours(_ sent: String, _ received: String) throws {
    var pair = TwoAccounts()
    pair.bob.login(0, Pair.item(Pair.aliceJID, "both"))
    pair.bob.received(10, received)
    pair.bob.alive(3_000)
    // Between the two logs they have parted.
    pair.alice.login(17_900)
    pair.alice.sent(18_000, sent)
    pair.alice.alive(20_000)
    let expected = EndsComparison.Verdict.unknown(.notTogether)
    #expect(try pair.verdicts(in: folder) == [expected, expected])
  }

  @Test("One stanza with the id of another is outvoted", arguments: [false, true])
  func sameID(_ isOneWay: Bool) throws {
    var pair = TwoAccounts()
    pair.loginAsFriends()
    let content = "id='1' type='chat'><body>hello</body></message>"
    pair.bob.received(0.5, "<message from='\(Pair.aliceJID)/tablet' \(content)")
    for time in 1...5 {
      pair.message(Double(time), fromAlice: true)
      if !isOneWay { pair.message(Double(time) + 0.5, fromAlice: false) }
    }
    pair.alice.sent(18_000, "<message to='\(Pair.bobJID)' \(content)")
    pair.alive(18_100)
    let comparison = try pair.ends(in: folder).comparison
    #expect(comparison.clocks.offset == 0)
    #expect(comparison.clocks.uncertainty == (isOneWay ? nil : 20))
    #expect(comparison.shared.count == (isOneWay ? 5 : 10))
    #expect(comparison.shared.allSatisfy { $0.sent.id != "1" })
  }

  @Test("Clocks that are apart are still aligned if one stanza contradicts the others")
  func outvotedClocks() throws {
    var pair = TwoAccounts(bobAhead: -18_000)
    pair.loginAsFriends()
    for time in 1...5 {
      pair.message(Double(time), fromAlice: true)
      pair.message(Double(time) + 0.5, fromAlice: false)
    }
    let content = "id='1' type='chat'><body>hello</body></message>"
    pair.bob.received(6, "<message from='\(Pair.aliceJID)/tablet' \(content)")
    pair.alice.sent(50, "<message to='\(Pair.bobJID)' \(content)")
    pair.alive(100)
    let clocks = try pair.ends(in: folder).comparison.clocks
    #expect((clocks.offset + 18_000_000).magnitude <= 20)
    #expect(clocks.shared == 10)
  }

  @Test("Of several arrivals of an id, the first after it was sent counts")
  func firstArrival() throws {
    var pair = TwoAccounts()
    pair.loginAsFriends()
    pair.message(1, fromAlice: true)
    pair.message(2, fromAlice: false)
    let content = "id='7' type='unsubscribe'/>"
    pair.bob.received(10, "<presence from='\(Pair.aliceJID)' \(content)")
    pair.alice.sent(50, "<presence to='\(Pair.bobJID)' \(content)")
    pair.bob.received(50.02, "<presence from='\(Pair.aliceJID)' \(content)")
    pair.alive(100)
    let shared = try #require(try pair.ends(in: folder).comparison.shared.last)
    #expect(shared.sent.id == "7")
    #expect(shared.received.stamp.time == AccountScript.start + 50_020)
  }

  @Test("Stanzas of one moment are in the order of their records, the first end's first")
  func sameMoment() throws {
    for _ in 0..<8 {
      var pair = TwoAccounts()
      pair.login()
      for kind in ["subscribed", "subscribe", "unsubscribed", "unsubscribe"] {
        pair.alice.subscription(10, kind, to: Pair.bobJID)
        pair.bob.subscription(10, kind, to: Pair.aliceJID)
      }
      for kind in ["subscribed", "subscribe", "unsubscribed", "unsubscribe"] {
        pair.bob.subscription(10, kind, from: Pair.aliceJID, sentAt: 10)
        pair.alice.subscription(10, kind, from: Pair.bobJID, sentAt: 10)
      }
      let shared = try pair.ends(in: folder).comparison.shared
      #expect(
        shared.map(\.sender) == [
          .first, .first, .first, .first, .second, .second, .second, .second,
        ])
      #expect(shared.map(\.sent.stamp.record) == [6, 7, 8, 9, 6, 7, 8, 9])
    }
  }

  @Test("Subscription stanzas without ids are the same if their times allow it")
  func subscriptionsWithoutIDs() throws {
    // Clocks that nothing aligns may be a little apart.
    for ahead in [0.0, -2] {
      var pair = TwoAccounts(bobAhead: ahead)
      pair.login()
      pair.alice.sent(10, "<presence to='\(Pair.bobJID)' type='subscribe'/>")
      pair.alice.push(10.01, Pair.item(Pair.bobJID, "none", asks: true))
      pair.bob.received(10.02, "<presence from='\(Pair.aliceJID)' type='subscribe'/>")
      pair.acceptance(20, arrives: false)
      pair.alive(120)
      let comparison = try pair.ends(in: folder).comparison
      #expect(comparison.clocks.offset == 0)
      let found = try #require(comparison.directions[0].verdict.disagreement)
      #expect(found.lastShared?.sent.kind == .subscription(.subscribe))
      guard case .lost(.owner, _) = found.cause else {
        Issue.record("\(found.cause)")
        continue
      }
    }
  }
}
