import RosterCore
import TestSupport
import Testing
import XMPPStanza

private let bob = FindingWords.bob

private func acknowledges(_ scenario: inout Scenario, _ id: String, to address: String = "") {
  let to = address.isEmpty ? "" : " to='\(address)'"
  scenario.sent("<iq id='\(id)' type='result'\(to)/>")
}

func ownAnswerCase(_ code: Finding.Code) -> FindingCase {
  switch code {
  case .foreignRoster:
    FindingCase(
      {
        $0.gets(id: "a")
        $0.receivesResult(item("eve@evil.test"), id: "a", from: "eve@evil.test")
      },
      {
        $0.gets(id: "a")
        $0.receivesResult(bobItem("Bob"), id: "a", from: "alice@example.test")
      })
  default:  // A result of ours that answers nothing.
    FindingCase(
      {
        acknowledges(&$0, "fetch")
        $0.ends()
      },
      {
        acknowledges(&$0, "ping")
        $0.ends()
      })
  }
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
        // One more answers nothing, if the log can show that.
        acknowledges(&scenario, id)
        let isKnown = hasPush && isFirst
        #expect(scenario.ends().map(\.code).contains(.answerToNothing) == isKnown)
      }
    }
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
