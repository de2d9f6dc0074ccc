import EventStore
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Errors for presence and requests, in words") struct ReturnedErrorWordsTests {
  private let dave = "dave@far.test"

  private func explanation(_ scenario: Scenario) throws -> Explanation {
    let log = try log(of: scenario, in: TemporaryFolder())
    return try #require(try Timeline(log).explanation(of: bare(dave))).explanation
  }

  @Test("Why says that a request was not delivered, with the reason, until it ends")
  func request() throws {
    var scenario = Scenario.alice()
    scenario.sends("subscribe", to: dave)  // 4
    scenario.pushed(item(dave, "ask='subscribe'"))  // 5
    scenario.receives("error", from: dave, stanzaError("remote-server-not-found"))  // 6
    #expect(
      try explanation(scenario)[.request]?.reasons.map(\.sentence).contains(
        "We ask to see its presence since #4; the server shows it. It was not delivered: "
          + "remote-server-not-found (#6).") == true)
    scenario.sends("unsubscribe", to: dave)  // 7
    let ended = try #require(try explanation(scenario)[.request]).reasons.map(\.sentence)
      .joined(separator: " ")
    #expect(!ended.contains("We ask to see its presence"))
    #expect(
      ended.contains("we cancelled it; it had not been delivered: remote-server-not-found (#6)."))
  }

  @Test("Why says that presence was answered with an error, until the contact is there")
  func presence() throws {
    var scenario = Scenario.alice(item(dave, "subscription='both'"))
    scenario.sends()  // 4
    scenario.receives("error", from: dave, stanzaError("remote-server-timeout", "No answer"))  // 5
    #expect(
      try explanation(scenario)[.online]?.reasons.map(\.sentence) == [
        "What we sent to it was answered with an error at #5: remote-server-timeout: “No answer”."
      ])
    scenario.receives(from: "\(dave)/pc")
    scenario.receives("unavailable", from: "\(dave)/pc")
    #expect(
      try explanation(scenario)[.online]?.reasons.contains { $0.code == .returnedError } == false)
  }
}
