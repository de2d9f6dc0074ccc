import RosterCore
import TestSupport
import Testing
import XMPPStanza

private let bob = FindingWords.bob
private let dave = "dave@far.test"

func errorCase(_ code: Finding.Code) -> FindingCase {
  FindingCase(
    {
      $0.sends("subscribe", to: dave)
      $0.pushed(item(dave, "ask='subscribe'"))
      $0.returnsError("remote-server-not-found", from: dave)
    },
    { $0.returnsError("remote-server-timeout", from: bob) })
}

extension Scenario {
  /// An error answers what we sent to an address.
  @discardableResult
  fileprivate mutating func returnsError(
    _ condition: String, from: String, at time: Int64? = nil
  ) -> Outcome {
    receives("error", from: from, stanzaError(condition), at: time)
  }

  fileprivate var error: ReturnedError? { roster.contact(bare(dave))?.returnedError }
}

@Suite("Errors that answer presence and requests")
struct ReturnedErrorTests {
  /// Alice, who has asked to see Dave's presence.
  private static func asked() -> Scenario {
    var scenario = aliceWithBobAndCarol()
    scenario.sends("subscribe", to: dave)
    scenario.pushed(item(dave, "ask='subscribe'"))
    return scenario
  }

  @Test("A request that is not delivered stays open and is reported once, with its reason")
  func request() {
    for isPushFirst in [true, false] {
      var scenario = aliceWithBobAndCarol()
      scenario.sends("subscribe", to: dave)
      let request = scenario.record
      if isPushFirst { scenario.pushed(item(dave, "ask='subscribe'")) }
      scenario.returnsError("remote-server-not-found", from: dave)
      #expect(scenario.codes == [.undeliveredRequest])
      #expect(scenario.last.findings.first?.cause == request)
      #expect(
        scenario.last.findings.first?.sentence.hasPrefix(
          "Our request to dave@far.test of record 4 was not delivered: remote-server-not-found. It")
          == true)
      #expect(scenario.last.changes.isEmpty)
      if !isPushFirst { scenario.pushed(item(dave, "ask='subscribe'")) }
      #expect(scenario.item(dave)?.isPending == true && scenario.outgoing == [dave])
      // The server sends it again at the next login.
      scenario.closed()
      scenario.opened("alice@example.test/phone", at: 100_000)
      scenario.fetches(item(dave, "ask='subscribe'"), id: "again")
      scenario.sends()
      scenario.returnsError("remote-server-not-found", from: dave)
      #expect(scenario.codes.isEmpty && scenario.last.news?.contact == bare(dave))
      #expect(scenario.error?.cause == request && scenario.error?.record == scenario.record)
    }
  }

  @Test(
    "An answer of ours that is not delivered is reported by its name, within a minute",
    arguments: ["subscribed", "unsubscribed", "unsubscribe"])
  func answers(kind: String) {
    for (delay, isReported) in [(Int64(59_000), true), (61_000, false)] {
      var scenario = aliceWithBobAndCarol()
      scenario.receives("subscribe", from: dave)
      scenario.pushed(item(dave, "subscription='to'"))
      scenario.sends(kind, to: dave, at: 10_000)
      let answer = scenario.record
      scenario.returnsError("remote-server-timeout", from: dave, at: 10_000 + delay)
      let findings = scenario.last.findings.filter { $0.code == .undeliveredRequest }
      #expect(findings.map(\.cause) == (isReported ? [answer] : []), "\(kind)")
      if isReported {
        #expect(findings.first?.sentence.hasPrefix("Our “\(kind)” to dave@far.test") == true)
      }
      #expect(scenario.last.news != nil)
    }
  }

  @Test("An error for presence is no finding and is kept until the contact is there")
  func presence() {
    var scenario = Scenario.alice(item(dave, "subscription='both'"))
    scenario.sends()
    scenario.returnsError("remote-server-not-found", from: dave)
    #expect(scenario.allCodes.isEmpty && scenario.last.news != nil)
    #expect(scenario.error?.report.condition == "remote-server-not-found")
    #expect(scenario.online(dave).isEmpty && scenario.subscription(dave) == .both)
    // The same at the next login is no news, something else is.
    scenario.returnsError("remote-server-not-found", from: dave)
    #expect(scenario.last.news == nil)
    scenario.returnsError("forbidden", from: dave)
    #expect(scenario.last.news != nil)
    scenario.receives("unavailable", from: dave)
    #expect(scenario.error != nil)
    scenario.receives(from: "\(dave)/pc")
    #expect(scenario.error == nil && scenario.online(dave) == ["pc"])
    scenario.returnsError("gone", from: "\(dave)/pc")
    #expect(scenario.online(dave) == ["pc"])
  }

  @Test("An error that answers no request of ours to that address is not a lost request")
  func nearMisses() {
    let lines: [(String, (inout Scenario) -> Void)] = [
      ("it is from a resource", { $0.returnsError("gone", from: "\(dave)/pc") }),
      (
        "the contact has answered",
        {
          $0.receives("subscribed", from: dave)
          $0.pushed(item(dave, "subscription='to'"))
          $0.returnsError("remote-server-timeout", from: dave)
        }
      ),
      (
        "we have taken it back",
        {
          $0.sends("unsubscribe", to: dave)
          $0.pushed(item(dave))
          $0.returnsError("remote-server-timeout", from: dave, at: 70_000)
        }
      ),
      (
        "the contact sees us and is sent our presence",
        {
          $0.pushed(item(dave, "subscription='from' ask='subscribe'"))
          $0.sends(at: 90_000)
          $0.returnsError("remote-server-timeout", from: dave)
        }
      ),
      (
        "it is from a room",
        {
          $0.receives(
            "error", from: dave,
            "<x xmlns='http://jabber.org/protocol/muc'/>" + stanzaError("not-authorized"))
        }
      ),
      ("it is from a stranger", { $0.returnsError("forbidden", from: "eve@evil.test") }),
    ]
    for (what, line) in lines {
      var scenario = Self.asked()
      line(&scenario)
      #expect(!scenario.allCodes.contains(.undeliveredRequest), "\(what)")
    }
    var scenario = Self.asked()
    scenario.returnsError("forbidden", from: "eve@evil.test")
    #expect(scenario.last.news?.contact == bare("eve@evil.test"))
    #expect(scenario.roster.contact(bare("eve@evil.test")) == nil)
  }

  // MARK: Requests without an id

  private static let set =
    "<iq type='set'><query xmlns='jabber:iq:roster'><item jid='\(dave)'/></query></iq>"
  private static let get = "<iq type='get'><query xmlns='jabber:iq:roster'/></iq>"
  private static let refusal =
    "<iq type='error'>\(stanzaError("bad-request", "Missing attribute 'id'"))</iq>"

  @Test("An error without an id refuses the oldest request without one")
  func unidentified() {
    var scenario = aliceWithBobAndCarol()
    scenario.sent(Self.set)
    scenario.sent(Self.get)
    for (code, cause) in [(Finding.Code.refusedEdit, UInt64(4)), (.refusedQuery, 5)] {
      scenario.received(Self.refusal)
      #expect(scenario.codes == [code] && scenario.last.findings.first?.cause == cause)
      #expect(
        scenario.last.findings.first?.sentence.contains("bad-request: “Missing attribute 'id'”")
          == true)
    }
    scenario.received(Self.refusal)
    #expect(scenario.codes.isEmpty && scenario.last.news != nil)
  }

  @Test("An error without an id refuses no request that has one, was carried out or is long ago")
  func identified() {
    let lines: [(String, (inout Scenario) -> Void)] = [
      ("it has an id", { $0.sets(item(dave)) }),
      (
        "its push came",
        {
          $0.sent(Self.set)
          $0.pushed(item(dave))
        }
      ),
      (
        "its result came",
        {
          $0.sent(Self.set)
          $0.received("<iq type='result'/>")
        }
      ),
      (
        "it is long ago",
        {
          $0.sent(Self.set)
          $0.sends(at: 61_000)
        }
      ),
      (
        "another session sent it",
        {
          $0.sent(Self.set)
          $0.closed()
          $0.opened("alice@example.test/phone")
        }
      ),
    ]
    for (what, line) in lines {
      var scenario = aliceWithBobAndCarol()
      line(&scenario)
      scenario.received(Self.refusal)
      #expect(!scenario.codes.contains(.refusedEdit), "\(what)")
      #expect(scenario.last.news != nil, "\(what)")
    }
    var scenario = aliceWithBobAndCarol()
    scenario.sent(Self.set)
    scenario.received(
      "<iq type='error' from='eve@evil.test'>\(stanzaError("bad-request"))</iq>")
    #expect(!scenario.codes.contains(.refusedEdit))
  }
}
