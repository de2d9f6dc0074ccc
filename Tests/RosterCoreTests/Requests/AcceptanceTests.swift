import RosterCore
import TestSupport
import Testing
import XMPPStanza

private let dave = "dave@example.test"

/// Dave asks at 10 s, and we accept at 20 s.
private func accepts(_ scenario: inout Scenario) {
  scenario.receives("subscribe", from: dave, at: 10_000)  // 4
  scenario.sends("subscribed", to: dave, at: 20_000)  // 5
}

/// We ask at 10 s, and Dave asks in turn.
private func asksBack(_ scenario: inout Scenario, at time: Int64 = 20_000) {
  scenario.sends("subscribe", to: dave, at: 10_000)  // 4
  scenario.pushed(item(dave, "ask='subscribe'"))  // 5
  scenario.sent("<iq id='push' type='result'/>")
  scenario.receives("subscribe", from: dave, at: time)  // 7
}

private func continues(_ scenario: inout Scenario, at time: Int64 = 22_000) {
  scenario.receives(from: "\(FindingWords.bob)/x", at: time)
  scenario.ends()
}

func unshownAcceptanceCase() -> FindingCase {
  FindingCase(
    {
      accepts(&$0)
      continues(&$0)
    },
    {
      accepts(&$0)
      $0.pushed(item(dave, "subscription='from'"))
      continues(&$0)
    })
}

func requestForRequestCase() -> FindingCase {
  FindingCase(
    {
      asksBack(&$0)
      continues(&$0)
    },
    {
      asksBack(&$0)
      $0.receives("subscribed", from: dave)
      continues(&$0)
    })
}

@Suite("Acceptances that the roster never shows, and requests that answer requests")
struct AcceptanceTests {
  private func count(_ code: Finding.Code, _ scenario: Scenario) -> Int {
    scenario.allCodes.count { $0 == code }
  }

  @Test("An acceptance of ours is reported once, at the log's end, with its record")
  func ours() throws {
    var scenario = aliceWithBobAndCarol()
    accepts(&scenario)
    scenario.receives(from: "\(FindingWords.bob)/x", at: 90_000)
    #expect(scenario.allCodes.isEmpty)
    scenario.ends()
    let finding = try #require(scenario.findings.first)
    #expect(finding.code == .unshownAcceptance && finding.cause == 5)
    #expect(finding.contact == bare(dave) && finding.severity == .warning)
    #expect(finding.sentence.hasPrefix("We accepted the request from \(dave) at record 5"))
  }

  @Test("A request that is taken back while we answer it had been one")
  func withdrawn() {
    for (answer, wait, isUnasked) in [
      ("subscribed", 3, false), ("subscribed", 5_000, false), ("unsubscribed", 3, false),
      ("unsubscribed", 5_000, true),
    ] as [(String, Int64, Bool)] {
      var scenario = aliceWithBobAndCarol()
      scenario.receives("subscribe", from: dave, at: 10_000)
      scenario.sends(answer, to: dave, at: 20_000)
      scenario.receives("unsubscribe", from: dave, at: 20_000 + wait)
      continues(&scenario, at: 30_000)
      #expect(scenario.allCodes == (isUnasked ? [.unsolicitedUnsubscribe] : []), "\(answer)")
    }
    // Without times, the number of records between the two decides.
    for (others, isUnasked) in [(0, false), (20, true)] {
      var scenario = aliceWithBobAndCarol()
      scenario.time = nil
      scenario.receives("subscribe", from: dave)
      scenario.sends("unsubscribed", to: dave)
      for number in 0..<others { scenario.receives(from: "\(FindingWords.bob)/\(number)") }
      scenario.receives("unsubscribe", from: dave)
      #expect(scenario.allCodes.contains(.unsolicitedUnsubscribe) == isUnasked, "\(others)")
    }
  }

  @Test("An acceptance of the contact's is reported likewise, unless the push came first")
  func contacts() throws {
    for (isPushedFirst, isPushedLater) in [(false, false), (true, false), (false, true)] {
      var scenario = aliceWithBobAndCarol()
      scenario.sends("subscribe", to: dave, at: 10_000)
      scenario.pushed(item(dave, "ask='subscribe'"))
      if isPushedFirst { scenario.pushed(item(dave, "subscription='to'")) }
      scenario.receives("subscribed", from: dave, at: 20_000)
      if isPushedLater { scenario.pushed(item(dave, "subscription='to'")) }
      continues(&scenario)
      let isShown = isPushedFirst || isPushedLater
      #expect(count(.unshownAcceptance, scenario) == (isShown ? 0 : 1))
      guard !isShown else { continue }
      let finding = try #require(scenario.findings.first { $0.code == .unshownAcceptance })
      #expect(finding.sentence.hasPrefix("\(dave) accepted our request at record 6"))
      // The contact may have sent what its server did not have to take (RFC 6121 §3.1.6).
      #expect(finding.sentence.contains("the server probably did not take the answer"))
    }
  }

  @Test("A roster that was asked for after the acceptance decides at once")
  func fetch() {
    for (items, expected) in [("", 1), (item(dave, "subscription='from'"), 0)] {
      var scenario = aliceWithBobAndCarol()
      accepts(&scenario)
      scenario.fetches(items, id: "again")
      #expect(scenario.codes == (expected == 1 ? [.unshownAcceptance] : []))
      scenario.ends()
      #expect(count(.unshownAcceptance, scenario) == expected)
    }
  }

  /// What happens after the acceptance, and whether the log shows then that the server did not take
  /// it.
  private static let outcomes: [(String, Bool, @Sendable (inout Scenario) -> Void)] = [
    ("the log ends", false, { $0.ends(at: 90_000) }),
    ("something comes at once", false, { continues(&$0, at: 21_999) }),
    (
      "an answer comes to what was sent later", true,
      {
        $0.sets(item("carol@example.test", "name='C'"), id: "s", at: 20_100)
        $0.pushed(item("carol@example.test", "name='C'"))
        $0.receivesEmptyResult(id: "s", at: 20_200)
        $0.ends()
      }
    ),
    (
      "another device is shown it", false,
      {
        $0.on(2) {
          $0.opened("alice@example.test/pc")
          $0.fetches(item(dave, "subscription='from'"), id: "pc")
        }
        continues(&$0)
      }
    ),
    (
      "it is shown much later", false,
      {
        $0.receives(from: "\(FindingWords.bob)/x", at: 600_000)
        $0.pushed(item(dave, "subscription='both'"), id: "late")
        $0.ends()
      }
    ),
    (
      "the connection is lost", false,
      {
        $0.lost(at: 20_100)
        $0.opened("alice@example.test/phone", at: 30_000)
        $0.fetches(bobItem("Bob"), id: "again")
        continues(&$0, at: 90_000)
      }
    ),
    (
      "the server ends the stream of a login after the loss of the connection", false,
      {
        $0.lost(at: 20_100)
        $0.reduce(.session(.negotiated), 30_000)
        $0.received(
          "<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><not-authorized/></failure>")
        $0.ended(.outbound)
        $0.ended(.inbound, at: 30_100)
        $0.ends()
      }
    ),
    (
      "we take it back", false,
      {
        $0.sends("unsubscribed", to: dave)
        continues(&$0)
      }
    ),
    (
      "Dave takes his request back", false,
      {
        $0.receives("unsubscribe", from: dave)
        continues(&$0)
      }
    ),
    (
      "Dave is removed", false,
      {
        $0.pushed(item(dave, "subscription='remove'"))
        continues(&$0)
      }
    ),
    (
      "it cannot be delivered", false,
      {
        $0.received(
          "<presence type='error' from='\(dave)'>\(stanzaError("item-not-found"))</presence>")
        continues(&$0)
      }
    ),
  ]

  @Test("Only a server that had time to show an acceptance did not show it", arguments: 0..<11)
  func decided(_ number: Int) {
    let (name, isFinding, happens) = Self.outcomes[number]
    var scenario = aliceWithBobAndCarol()
    accepts(&scenario)
    happens(&scenario)
    #expect(count(.unshownAcceptance, scenario) == (isFinding ? 1 : 0), "\(name)")
  }

  @Test("A session that has not fetched the roster is not shown what it accepts")
  func withoutRoster() {
    for hasEarlier in [false, true] {
      for fetchesLater in [false, true] {
        var scenario = hasEarlier ? aliceWithBobAndCarol() : Scenario()
        if hasEarlier { scenario.closed(at: 1_000) }
        scenario.opened("alice@example.test/bot", at: 5_000)
        scenario.sends()
        accepts(&scenario)
        // An answer shows that the server has received the acceptance.
        scenario.sent(
          "<iq id='b' type='get'><blocklist xmlns='urn:xmpp:blocking'/></iq>", at: 20_100)
        scenario.received(
          "<iq id='b' type='result'><blocklist xmlns='urn:xmpp:blocking'/></iq>", at: 20_200)
        scenario.receives(from: "\(FindingWords.bob)/x", at: 90_000)
        if fetchesLater { scenario.fetches(bobItem("Bob"), id: "later") }
        scenario.ends()
        #expect(count(.unshownAcceptance, scenario) == (fetchesLater ? 1 : 0))
      }
    }
  }

  @Test("A request that answers ours is reported with both records")
  func requestForRequest() throws {
    var scenario = aliceWithBobAndCarol()
    asksBack(&scenario)
    continues(&scenario)
    let finding = try #require(scenario.findings.first { $0.code == .requestForRequest })
    #expect(finding.cause == 7 && finding.contact == bare(dave))
    #expect(
      finding.sentence.hasPrefix(
        "\(dave) answered our request of record 4 by asking us at record 7, and"))
  }

  /// What keeps a request of Dave's from being his answer.
  private static let others: [(String, @Sendable (inout Scenario) -> Void)] = [
    (
      "both cross",
      {
        asksBack(&$0, at: 10_999)
        continues(&$0)
      }
    ),
    (
      "it came before ours",
      {
        $0.receives("subscribe", from: dave, at: 5_000)
        $0.sends("subscribe", to: dave, at: 10_000)
        continues(&$0)
      }
    ),
    (
      "it came before ours, and again after a login",
      {
        $0.receives("subscribe", from: dave, at: 5_000)
        $0.sends("subscribe", to: dave, at: 10_000)
        $0.opened("alice@example.test/phone", at: 20_000)
        $0.sends()
        $0.receives("subscribe", from: dave, at: 21_000)
        continues(&$0, at: 40_000)
      }
    ),
    (
      "he accepts later",
      {
        asksBack(&$0)
        $0.receives("subscribed", from: dave, at: 600_000)
        continues(&$0, at: 600_001)
      }
    ),
    (
      "the roster shows that he accepted",
      {
        asksBack(&$0)
        $0.pushed(item(dave, "subscription='to'"))
        continues(&$0)
      }
    ),
    (
      "he denies",
      {
        asksBack(&$0)
        $0.receives("unsubscribed", from: dave)
        continues(&$0)
      }
    ),
    (
      "we cancel",
      {
        asksBack(&$0)
        $0.sends("unsubscribe", to: dave)
        continues(&$0)
      }
    ),
    (
      "the log ends",
      {
        asksBack(&$0)
        continues(&$0, at: 21_999)
      }
    ),
  ]

  @Test(
    "A request that crosses ours, or that is followed by an answer, is no answer", arguments: 0..<8)
  func noAnswer(_ number: Int) {
    let (name, happens) = Self.others[number]
    var scenario = aliceWithBobAndCarol()
    happens(&scenario)
    #expect(count(.requestForRequest, scenario) == 0, "\(name)")
  }
}
