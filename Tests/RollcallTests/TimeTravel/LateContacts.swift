import TestSupport
import XMPPStanza

/// What happened on an account's streams before dave@example.test occurs for the first time, in the
/// account's second session.
enum LateContact: String, CaseIterable, Sendable {
  case twoSessions
  /// Everything before the contact may matter to it.
  case secondSessionWithoutRoster, rosterFromStranger, blockedBefore, otherSessionOpen
  /// The stream was another account's, which asks later.
  case streamOfItsOwn
  /// The log begins in the middle of a session.
  case beginsInSession
  case resumed, lost, failed
  /// Only what the server sent is in the log.
  case oneWay

  var scenario: Scenario {
    var scenario = Scenario()
    scenario.time = 1000
    if self == .oneWay { scenario.captureBegan("alice@example.test/phone", inboundOnly: true) }
    if self != .beginsInSession { scenario.opened("alice@example.test/phone") }
    scenario.fetches(item("bob@example.test", "subscription='both'"))
    if self != .oneWay { scenario.sends() }
    scenario.receives(from: "bob@example.test/desk")
    between(&scenario)
    scenario.time = 100_000
    scenario.opened("alice@example.test/phone")
    switch self {
    case .secondSessionWithoutRoster: break
    case .rosterFromStranger:
      scenario.gets(id: "again")
      scenario.receivesResult(
        item("dora@example.test"), id: "again", from: "mallory@elsewhere.test/x")
    case .twoSessions, .blockedBefore, .otherSessionOpen, .streamOfItsOwn, .beginsInSession,
      .resumed, .lost, .failed:
      scenario.fetches(item("bob@example.test", "subscription='both'"), id: "again")
    case .oneWay: scenario.receivesResult(item("bob@example.test", "subscription='both'"))
    }
    if self != .oneWay { scenario.sends() }
    scenario.receives(from: "bob@example.test/desk")
    occurrence(&scenario)
    return scenario
  }

  private func between(_ scenario: inout Scenario) {
    switch self {
    case .twoSessions, .secondSessionWithoutRoster, .rosterFromStranger, .beginsInSession,
      .oneWay:
      scenario.closed()
    case .blockedBefore:
      scenario.received(
        "<iq type='set' id='b'><block xmlns='urn:xmpp:blocking'><item jid='example.test'/></block></iq>"
      )
      scenario.closed()
    case .otherSessionOpen:
      scenario.on(2) {
        $0.opened("alice@example.test/laptop")
        $0.fetches(item("bob@example.test", "subscription='both'"), id: "laptop")
      }
      scenario.closed()
    case .streamOfItsOwn:
      scenario.closed()
      scenario.opened("dave@example.test/his")
      scenario.closed()
    case .resumed:
      scenario.lost()
      scenario.resumed("alice@example.test/phone")
      scenario.receives("unavailable", from: "bob@example.test/desk")
    case .lost: scenario.lost()
    case .failed:
      scenario.failed(.inbound, "conflict")
      scenario.closed()
    }
  }

  /// The contact asks, is accepted, and goes offline with the session.
  private func occurrence(_ scenario: inout Scenario) {
    let dave = "dave@example.test"
    scenario.time = 110_000
    scenario.receives("subscribe", from: dave)
    scenario.sends("subscribed", to: dave)
    scenario.pushed(item(dave, "subscription='from'"), id: "p1")
    scenario.sends("subscribe", to: dave)
    scenario.pushed(item(dave, "subscription='from' ask='subscribe'"), id: "p2")
    scenario.sets(item(dave, "name='Dave'"), id: "s1")
    scenario.pushed(item(dave, "name='Dave' subscription='from' ask='subscribe'"), id: "p3")
    scenario.receivesEmptyResult(id: "s1")
    scenario.receives("subscribed", from: dave)
    scenario.pushed(item(dave, "name='Dave' subscription='both'"), id: "p4")
    scenario.receives(from: "\(dave)/desk")
    scenario.time = 900_000
    scenario.closed()
  }
}
