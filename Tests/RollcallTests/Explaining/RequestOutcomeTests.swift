import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

private let bob = "bob@example.test"

/// What `requests` and `why` say of how a request ended, besides the state.
@Suite("How requests ended") struct RequestOutcomeTests {
  private func outcomes(_ scenario: Scenario) throws -> (RequestOutcomes, Roster) {
    let folder = try TemporaryFolder()
    let timeline = Timeline(try log(of: scenario, in: folder))
    let state = try timeline.state(at: .head(minus: 0))
    return (try timeline.requestOutcomes(upTo: state), state.roster)
  }

  private func clauseOfOurs(_ scenario: Scenario) throws -> String {
    let (outcomes, roster) = try outcomes(scenario)
    let end = try #require(roster.endedOutgoing[bare(bob)])
    return outcomes.clause(of: end, to: bare(bob), in: roster, ConnectionNames())
  }

  private func clauseOfTheirs(_ scenario: Scenario) throws -> String {
    let (outcomes, roster) = try outcomes(scenario)
    let end = try #require(roster.ended[bare(bob)])
    return outcomes.clause(of: end, from: bare(bob), in: roster, ConnectionNames())
  }

  /// We have asked, and the roster shows it.
  private func asked() -> Scenario {
    var scenario = Scenario.alice()  // 1 to 3
    scenario.sends("subscribe", to: bob)  // 4
    scenario.pushed(item(bob, "subscription='none' ask='subscribe'"))  // 5
    return scenario
  }

  @Test("A denial that follows the push which shows it is named by its own record")
  func denied() throws {
    var scenario = asked()
    scenario.pushed(item(bob, "subscription='none'"))  // 6
    scenario.receives("unsubscribed", from: bob)  // 7
    #expect(try clauseOfOurs(scenario) == "refused")
    #expect(try explanation(scenario).reasons(.request).contains("ended at #7: refused"))
  }

  @Test("A request that only the roster dropped was not denied")
  func dropped() throws {
    var scenario = asked()
    scenario.pushed(item(bob, "subscription='none'"))  // 6
    #expect(try clauseOfOurs(scenario) == "the roster no longer shows it")
    scenario.receives("unsubscribed", from: "carol@example.test")
    #expect(try clauseOfOurs(scenario) == "the roster no longer shows it")
  }

  /// Who ends our request, and what is said of that; whether there is a second device.
  private static let ends: [(String, isShared: Bool, @Sendable (inout Scenario) -> Void)] = [
    ("we cancelled it", false, { $0.sends("unsubscribe", to: bob) }),
    ("pc cancelled it", true, { $0.on(2) { _ = $0.sends("unsubscribe", to: bob) } }),
    ("we removed the contact", false, { removes(&$0, on: 1) }),
    ("pc removed the contact", true, { removes(&$0, on: 2) }),
    (
      "the contact left the roster", false,
      { $0.pushed(item(bob, "subscription='remove'")) }
    ),
    ("the contact left the roster", true, { $0.pushed(item(bob, "subscription='remove'")) }),
    (
      "we cancelled it; it had not been delivered: remote-server-not-found (#6)", false,
      {
        $0.receives("error", from: bob, stanzaError("remote-server-not-found"))
        $0.sends("unsubscribe", to: bob)
      }
    ),
    (
      "refused", false,
      {
        $0.receives("unsubscribed", from: bob)
        $0.pushed(item(bob))
      }
    ),
    ("accepted", false, { $0.receives("subscribed", from: bob) }),
    (
      "the roster shows that we see its presence", false,
      { $0.pushed(item(bob, "subscription='to'")) }
    ),
  ]

  private static func removes(_ scenario: inout Scenario, on connection: UInt32) {
    let removal = item(bob, "subscription='remove'")
    scenario.on(connection) {
      $0.sets(removal, id: "remove")
      $0.receivesEmptyResult(id: "remove")
    }
    scenario.pushed(removal)
  }

  @Test("The end of our request names who ended it", arguments: 0..<10)
  func ended(_ number: Int) throws {
    let (words, isShared, end) = Self.ends[number]
    var scenario = asked()
    if isShared {
      scenario.on(2) {
        $0.opened("\(Scenario.account)/pc")
        $0.fetches(item(bob, "ask='subscribe'"), id: "pc")
      }
    }
    end(&scenario)
    #expect(try clauseOfOurs(scenario) == words)
    #expect(try explanation(scenario).reasons(.request).contains(": \(words)."))
  }

  @Test("A request that the roster shows after its acceptance is open, and was accepted")
  func acceptedAndShownOpen() throws {
    for isAccepted in [true, false] {
      var scenario = asked()
      if isAccepted { scenario.receives("subscribed", from: bob) }  // 6
      scenario.fetches(item(bob, "ask='subscribe'"), id: "again")
      let (outcomes, roster) = try outcomes(scenario)
      let request = try #require(roster.outgoing[bare(bob)])
      #expect(
        outcomes.clause(of: request, to: bare(bob), in: roster)
          == "the server waits for an answer"
          + (isAccepted ? ", although the contact accepted at #6" : ""))
      #expect(
        try explanation(scenario).reasons(.request).contains("although it accepted at #6")
          == isAccepted)
    }
  }

  @Test("The denial of a request names the device that denied it")
  func deniedByUs() throws {
    var scenario = Scenario.alice()
    scenario.receives("subscribe", from: bob)
    scenario.sends("unsubscribed", to: bob)
    #expect(try clauseOfTheirs(scenario) == "we denied it")
    var shared = Scenario.alice()
    shared.on(2) { $0.opened("\(Scenario.account)/pc") }
    shared.receives("subscribe", from: bob)
    shared.on(2) { $0.sends("unsubscribed", to: bob) }
    #expect(try clauseOfTheirs(shared) == "pc denied it")
  }

  /// Two devices, the second of which accepts Bob's request.
  private func accepted(push: Bool) -> Scenario {
    var scenario = Scenario()
    scenario.time = 1_000
    for (number, name) in [(1, "phone"), (2, "pc")] as [(UInt32, String)] {
      scenario.on(number) {
        $0.opened("\(Scenario.account)/\(name)")
        $0.fetches(id: "fetch-\(name)")
        $0.sends()
      }
    }
    scenario.on(1) { $0.receives("subscribe", from: bob, at: 10_000) }  // 9
    scenario.on(2) { $0.sends("subscribed", to: bob, at: 20_000) }  // 10
    if push {
      scenario.on(1) { $0.pushed(item(bob, "subscription='from'")) }
      scenario.on(2) { $0.pushed(item(bob, "subscription='from'")) }
    }
    scenario.on(2) { $0.receives(from: "carol@example.test/x", at: 30_000) }
    scenario.on(1) { $0.ended(.outbound, at: 60_000) }
    scenario.on(2) { $0.ended(.outbound, at: 61_000) }
    scenario.on(1) {
      $0.opened("\(Scenario.account)/phone", at: 90_000)
      $0.fetches(push ? item(bob, "subscription='from'") : "", id: "later")
    }
    return scenario
  }

  @Test("An acceptance names its device, and that the roster contradicts it")
  func contradicted() throws {
    let scenario = accepted(push: false)
    let finding = try #require(scenario.findings.first { $0.code == .unshownAcceptance })
    #expect(
      try clauseOfTheirs(scenario)
        == "pc accepted it, but the roster never showed it (#\(finding.record))")
    let told = try explanation(scenario)
    #expect(
      try told.reasons(.friend).contains(
        "That contradicts #10, where pc accepted its request: the server did not take the answer, "
          + "or lost it (#\(finding.record)"))
    #expect(try told.reasons(.request).contains("ended at #10: pc accepted it, but the roster"))
  }

  @Test("An acceptance that the roster shows contradicts nothing")
  func shown() throws {
    let scenario = accepted(push: true)
    #expect(try clauseOfTheirs(scenario) == "pc accepted it")
    #expect(try !explanation(scenario).reasons(.friend).contains("contradicts"))
  }

  @Test("An acceptance that the roster shows at last contradicts nothing any more")
  func shownLater() throws {
    var scenario = accepted(push: false)
    scenario.on(1) { $0.pushed(item(bob, "subscription='from'")) }
    #expect(try clauseOfTheirs(scenario) == "pc accepted it")
    #expect(try !explanation(scenario).reasons(.friend).contains("contradicts"))
  }

  @Test("An end of the subscription that the server does not show is named, until it is shown")
  func unshownEnd() throws {
    var scenario = Scenario.alice(item(bob, "subscription='both'"))  // 1 to 3
    scenario.sends("unsubscribe", to: bob)  // 4
    scenario.sends("unsubscribed", to: bob)  // 5
    let words = "has not shown that our "
    #expect(
      try explanation(scenario).reasons(.friend).contains(
        words + "“unsubscribe” of #4 and our “unsubscribed” of #5 changed anything"))
    scenario.pushed(item(bob, "subscription='from'"))
    #expect(
      try explanation(scenario).reasons(.friend).contains(
        words + "“unsubscribed” of #5") == false)
    scenario.pushed(item(bob, "subscription='none'"))
    #expect(try !explanation(scenario).reasons(.friend).contains(words))
  }

  @Test("Without a second device, it is we who accepted")
  func onlyDevice() throws {
    var scenario = Scenario.alice()
    scenario.receives("subscribe", from: bob)
    scenario.sends("subscribed", to: bob)
    #expect(try clauseOfTheirs(scenario) == "we accepted it")
  }

  @Test("Why a contact is not online includes the last error also after our session")
  func errorAfterSession() throws {
    var scenario = Scenario.alice(item(bob, "subscription='both'"))
    scenario.sends()  // 4
    scenario.received(
      "<presence type='error' from='\(bob)'>\(stanzaError("remote-server-not-found"))</presence>")
    let error = "answered with an error at #5: remote-server-not-found"
    #expect(try explanation(scenario).reasons(.online).contains(error))
    scenario.closed()  // 6
    let reasons = try explanation(scenario).reasons(.online)
    #expect(reasons.hasPrefix("Our session ended at #6") && reasons.contains(error))
  }

  @Test("A contact that came online since is not blamed for an earlier error")
  func errorOver() throws {
    var scenario = Scenario.alice(item(bob, "subscription='both'"))
    scenario.sends()
    scenario.received(
      "<presence type='error' from='\(bob)'>\(stanzaError("remote-server-not-found"))</presence>")
    scenario.receives(from: "\(bob)/pc")
    scenario.closed()
    #expect(try !explanation(scenario).reasons(.online).contains("error"))
  }

  @Test("The subscription is given with the one before it")
  func subscriptionBefore() throws {
    var scenario = Scenario.alice(item(bob, "subscription='both'"))  // 1 to 3
    #expect(try !explanation(scenario).reasons(.friend).contains("It had been"))
    scenario.fetches(item(bob, "subscription='from'"), id: "again")  // 4 and 5
    #expect(
      try explanation(scenario).reasons(.friend)
        .contains("since #5, the roster that the server sent. It had been “both” until then."))
  }

  @Test("A name that was cleared is told, with who did it")
  func clearedName() throws {
    var scenario = Scenario.alice(item(bob, "name='Bo' subscription='both'"))  // 1 to 3
    scenario.sets(item(bob, "name=''"), id: "s")  // 4
    scenario.pushed(item(bob, "subscription='both'"))  // 5
    #expect(
      try explanation(scenario).reasons(.section).contains(
        "The roster called it “Bo” until #5, when the name was cleared: a push of the server, asked "
          + "by us, #4."))
    scenario.pushed(item(bob, "name='Bob' subscription='both'"))
    #expect(try !explanation(scenario).reasons(.section).contains("cleared"))
    let nameless = Scenario.alice(item(bob, "subscription='both'"))
    #expect(try !explanation(nameless).reasons(.section).contains("cleared"))
  }
}
