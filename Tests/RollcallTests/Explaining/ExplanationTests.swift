import ContactSections
import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

private let bob = "bob@example.test"

/// The explanation of a contact after a dialogue.
func explanation(
  _ scenario: Scenario, _ jid: String = bob, friends: SectionPolicy.Friends = .mutual
) throws -> Explanation {
  let folder = try TemporaryFolder()
  let timeline = Timeline(try log(of: scenario, in: folder))
  return try #require(
    try timeline.explanation(of: bare(jid), at: .head(minus: 0), friends: friends)
  ).explanation
}

extension Explanation {
  func reasons(_ subject: Subject) throws -> String {
    try #require(self[subject]).reasons.map(\.sentence).joined(separator: " ")
  }
}

@Suite("Explanations of the nine states") struct ExplanationStateTests {
  /// A dialogue that leads to a state, and what the explanation must contain.
  struct Row: Sendable, CustomTestStringConvertible {
    let state: SubscriptionState
    let lead: @Sendable (inout Scenario) -> Void
    let isOpen: Bool
    /// The steps until both see each other's presence (RFC 6121 §3.1), in order.
    let steps: [String]

    var testDescription: String { state.rawValue }
  }

  private static func lead(
    _ attributes: String?, asksUs: Bool
  ) -> @Sendable (inout Scenario) -> Void {
    { scenario in
      if let attributes { scenario.pushed(item(bob, attributes)) }
      if asksUs { scenario.receives("subscribe", from: bob) }
    }
  }

  static let rows = [
    Row(
      state: .none, lead: lead("subscription='none'", asksUs: false), isOpen: false,
      steps: ["we send “subscribe” and it answers", "it asks", "we send “subscribed”"]),
    Row(
      state: .nonePendingOut, lead: lead("subscription='none' ask='subscribe'", asksUs: false),
      isOpen: true, steps: ["it answers our request", "it asks", "we send “subscribed”"]),
    Row(
      state: .nonePendingIn, lead: lead(nil, asksUs: true), isOpen: true,
      steps: ["we answer its request", "we send “subscribe” and it answers"]),
    Row(
      state: .nonePendingOutIn, lead: lead("subscription='none' ask='subscribe'", asksUs: true),
      isOpen: true, steps: ["we answer its request", "it answers our request"]),
    Row(
      state: .to, lead: lead("subscription='to'", asksUs: false), isOpen: false,
      steps: ["it asks to see our presence (an inbound “subscribe”) and we send “subscribed”"]),
    Row(
      state: .toPendingIn, lead: lead("subscription='to'", asksUs: true), isOpen: true,
      steps: ["we answer its request by “subscribed”"]),
    Row(
      state: .from, lead: lead("subscription='from'", asksUs: false), isOpen: false,
      steps: ["we send “subscribe” and it answers “subscribed”"]),
    Row(
      state: .fromPendingOut, lead: lead("subscription='from' ask='subscribe'", asksUs: false),
      isOpen: true, steps: ["it answers our request by “subscribed”"]),
    Row(
      state: .both, lead: lead("subscription='both'", asksUs: false), isOpen: false, steps: []),
  ]

  @Test(
    "For each state of Appendix A.1, the explanation has the missing steps", arguments: rows)
  func states(_ row: Row) throws {
    var scenario = Scenario.alice()
    row.lead(&scenario)
    let told = try explanation(scenario)
    #expect(told.state == row.state)
    let friend = try #require(told[.friend])
    #expect(friend.verdict == (row.state == .both ? .yes : .no))
    #expect(told[.section]?.verdict == friend.verdict)
    #expect(told[.request]?.verdict == (row.isOpen ? .yes : .no))
    let change = try #require(friend.change)
    guard row.state != .both else {
      #expect(change.hasPrefix("It stops being one"))
      return
    }
    let expected = "It becomes one when \(row.steps[0])"
    #expect(change.hasPrefix(expected), "\(change)")
    var rest = change[...]
    for step in row.steps {
      let found = try #require(rest.range(of: step), "“\(step)” in its order in: \(change)")
      rest = rest[found.upperBound...]
    }
    #expect(change.hasSuffix("and the server pushes “both”."))
    #expect(change.contains("its request") == (row.state.rawValue.contains("In")))
    #expect(change.contains("our request") == (row.state.rawValue.contains("Out")))
  }

  @Test("All nine states are there")
  func all() { #expect(Set(Self.rows.map(\.state)) == Set(SubscriptionState.allCases)) }

  @Test(
    "The policy decides who is a friend",
    arguments: [
      ("none", false, true), ("to", true, true), ("from", true, true), ("both", true, true),
    ])
  func policies(_ subscription: String, _ subscribed: Bool, _ all: Bool) throws {
    let scenario = Scenario.alice(item(bob, "subscription='\(subscription)'"))
    #expect(
      try explanation(scenario, friends: .subscribed)[.friend]?.verdict
        == (subscribed ? .yes : .no))
    #expect(try explanation(scenario, friends: .all)[.friend]?.verdict == (all ? .yes : .no))
    let isBoth = subscription == "both"
    #expect(try explanation(scenario)[.friend]?.verdict == (isBoth ? .yes : .no))
  }
}

@Suite("The reasons of explanations") struct ExplanationReasonTests {
  @Test("If the whole roster was never seen, absence is unknown")
  func unknown() throws {
    var scenario = Scenario()
    scenario.opened("alice@example.test/phone")
    scenario.receives(from: "\(bob)/pc")
    let told = try explanation(scenario)
    #expect(told[.friend]?.verdict == .unknown)
    #expect(try told.reasons(.friend).contains("the whole roster was not seen"))
    // An *unchanged* result for a version that is not in the log shows no more.
    scenario.gets(id: "g", version: "v7")
    scenario.receivesEmptyResult(id: "g")
    #expect(try explanation(scenario)[.friend]?.verdict == .unknown)
    #expect(try explanation(scenario).reasons(.friend).contains("a version that is not in the log"))
  }

  @Test("A removal names its record and kind: our set, another device, or a later roster")
  func removals() throws {
    var ours = Scenario.alice(item(bob, "subscription='both'"))  // 1 to 3
    ours.sets(item(bob, "subscription='remove'"), id: "s")  // 4
    ours.pushed(item(bob, "subscription='remove'"))  // 5
    #expect(
      try explanation(ours).reasons(.friend)
        == "It left the roster at #5: the server pushed its removal, asked by us, #4.")

    var theirs = Scenario.alice(item(bob, "subscription='both'"))
    theirs.pushed(item(bob, "subscription='remove'"))  // 4
    #expect(
      try explanation(theirs).reasons(.friend).hasPrefix(
        "It left the roster at #4: the server pushed its removal; no set of ours asked"))

    var fetched = Scenario.alice(item(bob, "subscription='both'"))
    fetched.fetches("", id: "again")  // 4 and 5
    #expect(
      try explanation(fetched).reasons(.friend)
        .hasPrefix("It left the roster at #5: the whole roster lacks it"))
  }

  @Test("A contact that returned is described as such, with both records")
  func returned() throws {
    var scenario = Scenario.alice(item(bob, "subscription='both'"))
    scenario.pushed(item(bob, "subscription='remove'"))  // 4
    scenario.pushed(item(bob, "subscription='from'"))  // 5
    #expect(
      try explanation(scenario).reasons(.friend)
        .contains("it had left the roster at #4 and came back at #5"))
  }

  @Test("The account's own item is explained, and its resources are not mistaken for a contact's")
  func ownItem() throws {
    var scenario = Scenario.alice(item(Scenario.account, "name='Me' subscription='both'"))
    scenario.receives(from: "\(Scenario.account)/laptop")  // 4
    let explanation = try explanation(scenario, Scenario.account)
    #expect(explanation.isOfContact)
    #expect(explanation[.friend]?.verdict == .yes)
    #expect(try explanation.reasons(.friend).contains("Its item is “both” since #3"))
    #expect(explanation[.online]?.verdict == .no)
    #expect(
      try explanation.reasons(.online)
        .contains("Our other resource laptop is available since #4"))
    #expect(try explanation.reasons(.section).contains("listed under “M”"))
    #expect(explanation[.request]?.change?.contains("our own account") == true)
  }

  @Test("The account without an item is not a contact; one whose item was removed was one")
  func withoutOwnItem() throws {
    var scenario = Scenario.alice()
    scenario.receives(from: "\(Scenario.account)/laptop")
    #expect(try !explanation(scenario, Scenario.account).isOfContact)
    scenario.pushed(item(Scenario.account))
    scenario.pushed(item(Scenario.account, "subscription='remove'"))
    let gone = try explanation(scenario, Scenario.account)
    #expect(gone.isOfContact)
    #expect(try gone.reasons(.friend).contains("It left the roster at #6"))
  }

  @Test("A request of an earlier session is named by its first record")
  func firstOfEarlierSession() throws {
    var scenario = Scenario.alice()  // 1 to 3
    scenario.receives("subscribe", from: bob)  // 4
    scenario.receives("subscribe", from: bob)  // 5
    scenario.closed()  // 6
    scenario.opened("alice@example.test/phone")  // 7
    scenario.sends()  // 8
    #expect(
      try explanation(scenario).reasons(.request)
        .contains("It asked to see our presence at #4, in an earlier session"))
  }

  @Test("A request that became unconfirmed by a removal names it")
  func requestOfTheRemoved() throws {
    var scenario = Scenario.alice(item(bob, "subscription='to'"))  // 1 to 3
    scenario.receives("subscribe", from: bob)  // 4
    scenario.pushed(item(bob, "subscription='remove'"))  // 5
    let reasons = try explanation(scenario).reasons(.request)
    #expect(reasons.contains("It asked to see our presence at #4; the server removed the contact"))
    #expect(reasons.contains("at #5"))
  }

  @Test("The outcome of our last set is given if the server does not show it")
  func sets() throws {
    var open = Scenario.alice(item(bob, "name='Bob' subscription='both'"))
    open.sets(item(bob, "name='Rob'"), id: "s")  // 4
    #expect(try explanation(open).reasons(.friend).contains("Our set of #4 has no answer yet"))

    var taken = open
    taken.receivesEmptyResult(id: "s")  // 5
    #expect(
      try explanation(taken).reasons(.friend)
        .contains("Our set of #4 was taken at #5, but the server has pushed nothing"))

    var refused = open
    let refusal = stanzaError("not-allowed", "Your list\n is full")
    refused.received("<iq type='error' id='s'>\(refusal)</iq>")  // 5
    #expect(
      try explanation(refused).reasons(.friend).contains(
        "Our set of #4 was refused at #5 (not-allowed: “Your list is full”) and changed nothing"))

    var unpushed = taken
    unpushed.closed()
    #expect(try explanation(unpushed).reasons(.friend).contains("was taken but never pushed"))

    var unanswered = open
    unanswered.closed()
    #expect(
      try explanation(unanswered).reasons(.friend).contains("Our set of #4 was never answered"))

    var shown = open
    shown.pushed(item(bob, "name='Rob' subscription='both'"))  // 5
    shown.receivesEmptyResult(id: "s")  // 6
    #expect(try !explanation(shown).reasons(.friend).contains("Our set"))
    #expect(
      try explanation(shown).reasons(.section)
        .contains("set at #5 by a push of the server, asked by us, #4"))

    var undone = shown
    undone.pushed(item(bob, "name='Bob' subscription='both'"))  // 7
    #expect(try explanation(undone).reasons(.friend).contains("Our set of #4 was undone at #7"))
    #expect(
      try explanation(undone).reasons(.section)
        .contains("set at #7 by a push of the server; no set of ours asked for it"))
  }

  @Test("A set to another account's roster or for another contact is not ours for this contact")
  func otherSets() throws {
    var scenario = Scenario.alice(item(bob, "subscription='both'"))
    scenario.sets(item("carol@example.test", "name='C'"), id: "s")
    scenario.sent(
      "<iq type='set' id='t' to='x@example.test'><query xmlns='jabber:iq:roster'>"
        + "<item jid='\(bob)' name='B'/></query></iq>")
    #expect(try !explanation(scenario).reasons(.friend).contains("Our set"))
  }

  @Test("Forged pushes are named, with their finding")
  func forged() throws {
    var scenario = Scenario.alice()
    scenario.pushed(item(bob, "subscription='both'"), from: "mallory@evil.test/x")  // 4
    let told = try explanation(scenario)
    #expect(told[.friend]?.verdict == .no)
    #expect(try told.reasons(.friend).contains("What #4 pushed about it was ignored"))
    #expect(told.findings.map(\.code) == [.foreignPush])
  }

  @Test("A session that never requested the roster receives no changes")
  func deaf() throws {
    var scenario = Scenario.alice(item(bob, "subscription='both'"))
    #expect(try !explanation(scenario).reasons(.friend).contains("never asked"))
    scenario.closed()  // 4
    scenario.opened("alice@example.test/phone")  // 5
    #expect(
      try explanation(scenario).reasons(.friend).contains(
        "The session of #5 never asked for the roster, and so the server pushes it no changes "
          + "(RFC 6121 §2.2); what is shown is from the roster of #3."))
    scenario.gets(id: "again")
    #expect(try !explanation(scenario).reasons(.friend).contains("never asked"))
  }

  @Test("A resumed session is the one that sent the request")
  func resumed() throws {
    var scenario = Scenario.alice(item(bob, "subscription='both'"))
    scenario.lost()
    scenario.resumed()
    #expect(try !explanation(scenario).reasons(.friend).contains("never asked"))
  }

  @Test("A request says since when, how often, what was not an answer, and what would be one")
  func request() throws {
    var scenario = Scenario.alice()
    scenario.receives("subscribe", from: bob, "<status>hi</status>")  // 4
    scenario.sends("unsubscribe", to: bob)  // 5
    scenario.receives("subscribe", from: bob)  // 6
    let told = try explanation(scenario)
    let reasons = try told.reasons(.request)
    #expect(
      reasons.hasPrefix(
        "It asks to see our presence since #4; the request came 2 times, the last at #6: “hi”."))
    #expect(reasons.contains("Our “unsubscribe” at #5 does not answer it"))
    #expect(told[.request]?.change?.contains("“subscribed” or “unsubscribed”") == true)
    scenario.sends("unsubscribed", to: bob)  // 7
    #expect(
      try explanation(scenario).reasons(.request)
        .contains("Its request of #4 ended at #7: we denied it."))
  }

  @Test("A request that was not sent again, or crossed our refusal, is neither open nor gone")
  func unconfirmed() throws {
    var scenario = Scenario.alice()
    scenario.receives("subscribe", from: bob)  // 4
    scenario.closed()
    scenario.opened("alice@example.test/phone")  // 6
    scenario.sends()  // 7
    let told = try explanation(scenario)
    #expect(told[.request]?.verdict == .unknown)
    #expect(
      try told.reasons(.request).contains("not sent the request again in the session of #6"))
    scenario.sends("unsubscribed", to: bob)  // 8
    scenario.receives("subscribe", from: bob)  // 9
    let crossed = try explanation(scenario)
    #expect(crossed[.request]?.verdict == .unknown)
    let reasons = try crossed.reasons(.request)
    #expect(reasons.contains("at #9; the server may have sent that before it had our refusal"))
  }

  @Test("Our request says whether the server shows it and how it ended; crossing ones say so")
  func outgoing() throws {
    var scenario = Scenario.alice()
    scenario.sends("subscribe", to: bob)  // 4
    #expect(
      try explanation(scenario).reasons(.request)
        .contains("We ask to see its presence since #4; the server has not shown it yet."))
    scenario.pushed(item(bob, "ask='subscribe'"))  // 5
    #expect(try explanation(scenario).reasons(.request).contains("the server shows it"))
    var crossing = scenario
    crossing.receives("subscribe", from: bob)
    #expect(try explanation(crossing).reasons(.request).contains("The two requests cross"))
    scenario.receives("unsubscribed", from: bob)  // 6
    #expect(
      try explanation(scenario).reasons(.request).contains("Our request ended at #6: refused."))
  }

  @Test("Our presence sent without a stream is shown once the session is resumed")
  func presenceWhileAway() throws {
    var scenario = Scenario.alice(item(bob, "subscription='both'"))
    scenario.lost()
    scenario.sends()
    var opened = scenario
    scenario.resumed()
    #expect(try explanation(scenario).reasons(.online).contains("No presence of it has come"))
    opened.opened("alice@example.test/phone")  // 6
    #expect(
      try explanation(opened).reasons(.online)
        .contains("The session of #6 has not shown our own presence"))
  }

  @Test("Presence says since when it is there, why it is gone, or why there can be none")
  func presence() throws {
    var scenario = Scenario.alice(item(bob, "subscription='both'"))
    #expect(
      try explanation(scenario).reasons(.online)
        .contains("The session of #1 has not shown our own presence"))
    scenario.sends()  // 4
    #expect(try explanation(scenario).reasons(.online).contains("No presence of it has come"))
    scenario.receives(from: "\(bob)/pc", "<show>away</show>")  // 5
    let online = try explanation(scenario)
    #expect(online[.online]?.verdict == .yes)
    #expect(online[.online]?.reasons.map(\.sentence) == ["Its resource pc is away since #5."])
    var said = scenario
    said.receives("unavailable", from: "\(bob)/pc")  // 6
    #expect(try explanation(said).reasons(.online) == "It went offline at #6: it said so.")
    var cancelled = scenario
    cancelled.sends("unsubscribe", to: bob)  // 6
    #expect(try explanation(cancelled).reasons(.online).contains("at #6: we sent “unsubscribe”"))
    var left = scenario
    left.sends("unavailable")  // 6
    #expect(try explanation(left).reasons(.online).contains("at #6: we went offline"))
    var removed = scenario
    removed.pushed(item(bob, "subscription='from'"))  // 6
    let reasons = try explanation(removed).reasons(.online)
    #expect(reasons.contains("at #6: the server showed that we no longer see its presence"))
    #expect(reasons.contains("Its item is “from”, so we are not told its presence."))
    scenario.closed()  // 6
    #expect(try explanation(scenario).reasons(.online).hasPrefix("Our session ended at #6"))
  }

  @Test(
    "A block of the address or its domain blocks it; a block of a resource does not",
    arguments: [
      (bob, Explanation.Verdict.yes), ("example.test", .yes), ("\(bob)/pc", .no),
      ("other.test", .no),
    ])
  func blocked(_ jid: String, _ verdict: Explanation.Verdict) throws {
    var scenario = Scenario.alice(item(bob, "subscription='both'"))
    #expect(try explanation(scenario)[.blocked]?.verdict == .unknown)
    scenario.received(
      "<iq type='set' id='b'><block xmlns='urn:xmpp:blocking'><item jid='\(jid)'/></block></iq>")
    let told = try explanation(scenario)
    #expect(told[.blocked]?.verdict == verdict)
    #expect(try told.reasons(.blocked).contains("since #4") == !jid.hasPrefix("other"))
  }

  @Test("A name says where it comes from and how it is read")
  func names() throws {
    var scenario = Scenario.alice(item(bob, "subscription='both'"))
    #expect(
      try explanation(scenario).reasons(.section)
        == "It is a friend, listed under “B”. It is called “bob”: no name of it is known, so "
        + "its address counts.")
    scenario.received(
      "<message from='\(bob)'><event xmlns='http://jabber.org/protocol/pubsub#event'>"
        + "<items node='http://jabber.org/protocol/nick'><item>"
        + "<nick xmlns='http://jabber.org/protocol/nick'>单雄信</nick></item></items></event></message>"
    )  // 4
    let reasons = try explanation(scenario).reasons(.section)
    #expect(reasons.contains("listed under “S”"))
    #expect(
      reasons.contains(
        "“单雄信” (read “shàn xióng xìn”): the roster has no name, so its own nickname of #4 counts"))
    scenario.pushed(item(bob, "name='老王' subscription='both'"))  // 5
    #expect(
      try explanation(scenario).reasons(.section)
        .contains("the name in the roster, set at #5 by a push of the server"))
  }

  @Test("An address without records is not explained")
  func nowhere() throws {
    let folder = try TemporaryFolder()
    let timeline = Timeline(try log(of: Scenario.alice(item(bob)), in: folder))
    let nobody = try timeline.explanation(
      of: bare("nobody@example.test"), at: .head(minus: 0), friends: .mutual)
    #expect(nobody == nil)
    let tooEarly = try timeline.explanation(of: bare(bob), at: .record(2), friends: .mutual)
    #expect(tooEarly == nil)
    let empty = try timeline.explanation(of: bare(bob), at: .record(0), friends: .mutual)
    #expect(empty == nil)
  }
}
