import RosterCore
import TestSupport
import Testing
import XMPPStanza

private let bob = FindingWords.bob

private func acknowledges(_ scenario: inout Scenario, _ id: String, to address: String = "") {
  let to = address.isEmpty ? "" : " to='\(address)'"
  scenario.sent("<iq id='\(id)' type='result'\(to)/>")
}

func foreignRosterCase() -> FindingCase {
  FindingCase(
    {
      $0.gets(id: "a")
      $0.receivesResult(item("eve@evil.test"), id: "a", from: "eve@evil.test")
    },
    {
      $0.gets(id: "a")
      $0.receivesResult(bobItem("Bob"), id: "a", from: "alice@example.test")
    })
}

func answerToNothingCase() -> FindingCase {
  FindingCase(
    {
      acknowledges(&$0, "fetch")
      $0.ends()
    },
    {
      $0.received("<iq id='ping' type='get'><ping xmlns='urn:xmpp:ping'/></iq>")
      acknowledges(&$0, "ping")
      $0.ends()
    })
}

@Suite("Rosters from others, and our own answers")
struct OwnAnswerTests {
  @Test(
    "A roster result is the server's only from no address, our own one or our domain",
    arguments: [
      (nil, nil), ("alice@example.test", nil), ("alice@example.test/phone", nil),
      ("example.test", nil), ("\(bob)/x", "the contact \(bob)/x"),
      ("eve@evil.test", "the stranger eve@evil.test"), ("evil.test", "the stranger evil.test"),
      ("alice@example.test/pc", "another resource, alice@example.test/pc"),
    ] as [(String?, String?)])
  func senders(from: String?, words: String?) {
    for hasGet in [true, false] {
      var scenario = aliceWithBobAndCarol()
      if hasGet { scenario.gets(id: "a") }
      scenario.receivesResult(bobItem("Bob"), id: "a", from: from)
      let found = scenario.last.findings.filter { $0.code == .foreignRoster }
      #expect(found.count == (words == nil ? 0 : 1), "\(from ?? "-")")
      #expect(found.first.map { $0.sentence.contains("from \(words ?? "") was") } ?? true)
      #expect(found.allSatisfy { $0.severity == .error })
      #expect(scenario.item("eve@evil.test") == nil)
    }
  }

  @Test("A client that answers answers, or acknowledges twice, is one finding with the number")
  func answersToNothing() throws {
    var scenario = aliceWithBobAndCarol()  // 1 to 3
    acknowledges(&scenario, "fetch")  // 4
    scenario.pushed(bobItem("Rob"), id: "p")
    acknowledges(&scenario, "p")
    acknowledges(&scenario, "p", to: "alice@example.test")  // 7
    scenario.sets(bobItem("Bob"), id: "s")
    scenario.receivesEmptyResult(id: "s")
    acknowledges(&scenario, "s", to: "example.test")  // 10
    let finding = try #require(scenario.ends().first { $0.code == .answerToNothing })
    #expect(finding.count == 3 && finding.extent?.first == 4 && finding.extent?.last == 10)
    #expect(finding.sentence.hasPrefix("We sent 3 results (#4 to #10) that answer no request"))
  }

  @Test("Stanzas of ours and other answers do not hide that an answer was answered")
  func betweenAnswers() {
    var scenario = aliceWithBobAndCarol()
    scenario.sends()
    scenario.gets(id: "again")
    scenario.receivesResult(bobItem("Bob"), id: "again")
    acknowledges(&scenario, "fetch")
    acknowledges(&scenario, "again")
    #expect(scenario.ends().map(\.count) == [2])
  }

  private static let ping = "<ping xmlns='urn:xmpp:ping'/>"
  private static let block =
    "<block xmlns='urn:xmpp:blocking'><item jid='eve@evil.test'/></block>"
  private static let unblock = "<unblock xmlns='urn:xmpp:blocking'/>"

  @Test(
    "A request of the server may have an id that was used before",
    arguments: [("get", ping), ("set", block), ("set", unblock)])
  func usedIDs(type: String, payload: String) {
    for (id, hasPush) in [("fetch", false), ("p", true)] {
      for isFirst in [false, true] {
        let request = "<iq id='\(id)' type='\(type)'>\(payload)</iq>"
        // Only of a request that is an event it is known that it came before the push.
        if isFirst, !hasPush || type == "get" { continue }
        var scenario = aliceWithBobAndCarol()
        if isFirst { scenario.received(request) }
        if hasPush {
          scenario.pushed(bobItem("Rob"), id: id)
          acknowledges(&scenario, id)
        }
        if !isFirst { scenario.received(request) }
        acknowledges(&scenario, id)
        #expect(!scenario.ends().map(\.code).contains(.answerToNothing), "\(type) \(id)")
        // One more answers nothing, if every record since the session began is an event.
        acknowledges(&scenario, id)
        let isKnown = type == "set"
        #expect(scenario.ends().map(\.code).contains(.answerToNothing) == isKnown)
      }
    }
  }

  @Test("In a session of events alone, a result whose id the server never used answers nothing")
  func unknownIDs() {
    let before: [(String, Bool, @Sendable (inout Scenario) -> Void)] = [
      ("nothing", true, { _ in }),
      ("presence", true, { $0.receives(from: "\(bob)/x") }),
      ("another session", true, { $0.on(2) { _ = $0.opened("alice@example.test/pc") } }),
      ("a message", false, { $0.received("<message from='\(bob)'><body>Hi</body></message>") }),
      ("a push from our domain", false, { $0.pushed(bobItem("Rob"), from: "example.test") }),
      ("a push without an item", false, { $0.pushed("") }),
      (
        "a block list push from our domain", false,
        {
          $0.received(
            "<iq type='set' id='b' from='example.test'><block xmlns='urn:xmpp:blocking'>"
              + "<item jid='\(bob)'/></block></iq>")
        }
      ),
      ("what cannot be read", false, { $0.received("<iq id='x' type='set' from='a@b@c'/>") }),
    ]
    for (name, isKnown, happens) in before {
      var scenario = aliceWithBobAndCarol()
      happens(&scenario)
      acknowledges(&scenario, "ack-1")
      scenario.ends()
      #expect(scenario.allCodes.contains(.answerToNothing) == isKnown, "\(name)")
    }
    var fragment = Scenario()
    fragment.captureBegan("alice@example.test/phone")
    fragment.fetches(bobItem("Bob"))
    acknowledges(&fragment, "ack-1")
    #expect(fragment.ends().isEmpty)
  }

  @Test("A push that is acknowledged after it was given up is acknowledged")
  func lateAcknowledgement() {
    var scenario = aliceWithBobAndCarol()
    scenario.pushed(bobItem("Rob"), id: "p")
    scenario.sends(at: 60_001)
    acknowledges(&scenario, "p")
    scenario.ends()
    #expect(scenario.allCodes == [.unacknowledgedPush])
  }

  @Test("An answer to a request that means nothing to the roster is none to nothing")
  func nearMisses() {
    var scenario = aliceWithBobAndCarol()
    scenario.received("<iq id='ping' type='get'><ping xmlns='urn:xmpp:ping'/></iq>")
    acknowledges(&scenario, "ping")
    // A contact may choose an id that we used, and servers use theirs again.
    acknowledges(&scenario, "fetch", to: "\(bob)/x")
    for name in ["Rob", "Bob"] {
      scenario.pushed(bobItem(name), id: "p")
      acknowledges(&scenario, "p")
    }
    // A resumed session sends again what was not acknowledged.
    scenario.opened("alice@example.test/phone")
    scenario.received("<enabled xmlns='urn:xmpp:sm:3' id='sm' resume='true'/>")
    scenario.fetches(bobItem("Bob"), id: "again")
    scenario.pushed(bobItem("Rob"), id: "q")
    acknowledges(&scenario, "q")
    scenario.lost()
    scenario.resumed()
    acknowledges(&scenario, "q")
    #expect(!scenario.ends().map(\.code).contains(.answerToNothing))
  }
}
