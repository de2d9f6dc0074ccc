import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Rules 3 to 5: the roster")
struct ResultRuleTests {
  private let bob = "bob@example.test"

  @Test("Rule 3: our own stanzas edit no item")
  func sendingEditsNothing() {
    var scenario = Scenario.alice(item(bob, "subscription='to' name='Bob'", groups: ["Work"]))
    let before = scenario.roster.entries
    scenario.sets(item(bob, "name='Robert'"))
    scenario.sets(item(bob, "subscription='remove'"), id: "set2")
    scenario.sets(item("carol@example.test", "name='Carol'"), id: "set3")
    for type in ["subscribe", "subscribed", "unsubscribe", "unsubscribed"] {
      scenario.sends(type, to: bob)
      scenario.sends(type, to: "dave@example.test")
    }
    for type in ["subscribe", "subscribed", "unsubscribe", "unsubscribed"] {
      scenario.receives(type, from: bob)
      scenario.receives(type, from: "dave@example.test")
    }
    #expect(scenario.roster.entries == before)
    scenario.receivesEmptyResult(id: "set")
    #expect(scenario.roster.entries == before)
  }

  @Test("Rule 4: a result that answers an open get of ours counts, and closes it")
  func result() {
    var scenario = Scenario.alice()
    scenario.gets(id: "a")
    scenario.receivesResult(item(bob), id: "a")
    #expect(scenario.contacts == [bob])
    scenario.receivesResult(item("eve@example.test"), id: "a")
    #expect(scenario.contacts == [bob])
    #expect(scenario.codes == [.unsolicitedResult])
  }

  @Test(
    "Rule 5: a truncated result shows its items and removes none",
    arguments: [
      "...", " … ", "[50 more]",
    ])
  func cutResult(_ text: String) {
    var scenario = Scenario.alice()
    scenario.fetches(item(bob) + text, id: "a")
    #expect(scenario.contacts == [bob])
    #expect(scenario.roster.completeness == .neverFetched)
    #expect(scenario.codes == [.malformedItem])
    scenario.fetches(item(bob) + item("carol@example.test"), id: "b")
    #expect(scenario.roster.completeness == .complete)
    scenario.fetches(text + item(bob, "name='Bob'"), id: "c")
    #expect(scenario.contacts == [bob, "carol@example.test"])
    #expect(scenario.item(bob)?.name == "Bob")
    #expect(scenario.roster.completeness == .neverFetched)
  }

  @Test("Rule 5: white space between items has no meaning")
  func spacedResult() {
    var scenario = Scenario.alice()
    scenario.fetches("\n  " + item(bob) + "\n\t", id: "a")
    #expect(scenario.roster.completeness == .complete)
    #expect(scenario.codes.isEmpty)
  }

  @Test("Rule 5: if items share an address the last one counts, and the others are reported")
  func repeatedItem() {
    var scenario = Scenario.alice()
    scenario.fetches(
      item(bob, "name='One'") + item("carol@example.test") + item(bob, "name='Two'"), id: "a")
    #expect(scenario.item(bob)?.name == "Two")
    #expect(scenario.contacts == [bob, "carol@example.test"])
    #expect(scenario.codes == [.duplicateItem])
  }

  @Test(
    "Rule 14: a result that still shows the request opens it again, even if the item is unchanged")
  func askStays() {
    var scenario = Scenario.alice(item(bob, "ask='subscribe'"))
    scenario.receives("unsubscribed", from: bob)
    #expect(scenario.outgoing.isEmpty)
    scenario.fetches(item(bob, "ask='subscribe'"), id: "a")
    #expect(scenario.outgoing == [bob])
  }

  @Test("Rule 4: the id must be the same")
  func otherID() {
    var scenario = Scenario.alice()
    scenario.gets(id: "a")
    for id in ["A", "b", ""] {
      scenario.receivesResult(item("eve@example.test"), id: id)
      #expect(scenario.codes == [.unsolicitedResult])
    }
    scenario.received(
      "<iq type='result'><query xmlns='jabber:iq:roster'>"
        + "<item jid='eve@example.test'/></query></iq>"
    )
    #expect(scenario.codes == [.unsolicitedResult])
    #expect(scenario.contacts.isEmpty)
    scenario.receivesResult(item(bob), id: "a")
    #expect(scenario.contacts == [bob])
  }

  @Test(
    "Rule 4: a result comes from no address or our own account, even in the form of old servers",
    arguments: [
      nil, "alice@example.test", "alice@example.test/phone", "example.test", "ALICE@example.test",
    ])
  func ownSender(from: String?) {
    var scenario = Scenario.alice()
    scenario.gets(id: "a")
    scenario.receivesResult(item(bob), id: "a", from: from)
    #expect(scenario.contacts == [bob])
    #expect(scenario.codes.isEmpty)
  }

  @Test(
    "Rule 4: a spoofed reply or error does not close the get",
    arguments: [
      "eve@example.test", "alice@example.test/tablet", "evil.test", "example.test/res",
      "alice@evil.test",
    ])
  func spoofed(from: String) {
    var scenario = Scenario.alice(item("carol@example.test"))
    scenario.gets(id: "a")
    scenario.receivesResult(item("eve@example.test"), id: "a", from: from)
    #expect(scenario.codes == [.foreignRoster])
    #expect(scenario.last.findings.first?.cause == scenario.record - 1)
    #expect(scenario.last.changes.isEmpty)
    scenario.received(
      "<iq id='a' type='error' from='\(from)'><error type='cancel'>"
        + "<item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>")
    #expect(scenario.codes == [.spoofedAnswer])
    scenario.received("<iq id='a' type='result' from='\(from)'/>")
    #expect(scenario.codes == [.spoofedAnswer])
    scenario.receivesResult(item(bob), id: "a")
    #expect(scenario.contacts == [bob])
  }

  @Test("Rule 4: the get has no recipient or goes to our own bare JID")
  func addressedGets() {
    for to in ["alice@example.test", "Alice@Example.test"] {
      var scenario = Scenario.alice()
      scenario.sent("<iq id='a' to='\(to)' type='get'><query xmlns='jabber:iq:roster'/></iq>")
      scenario.receivesResult(item(bob), id: "a", from: "alice@example.test")
      #expect(scenario.contacts == [bob])
    }
    for to in ["carol@example.test", "example.test", "alice@example.test/tablet"] {
      var scenario = Scenario.alice()
      scenario.sent("<iq id='a' to='\(to)' type='get'><query xmlns='jabber:iq:roster'/></iq>")
      #expect(scenario.codes == [.misdirectedQuery])
      for from in [nil, to] {
        scenario.receivesResult(item(bob), id: "a", from: from)
        #expect(scenario.contacts.isEmpty)
        let isForeign = from != nil && from != "example.test"
        #expect(scenario.codes == [isForeign ? .foreignRoster : .unsolicitedResult])
      }
    }
  }

  @Test("Rule 4: an id used for two requests does not lose the roster")
  func sharedID() {
    var scenario = Scenario.alice()
    scenario.sent("<iq id='1' to='\(bob)' type='get'><vCard xmlns='vcard-temp'/></iq>")
    scenario.gets(id: "1")
    scenario.receivesResult(item(bob), id: "1")
    #expect(scenario.contacts == [bob])
    scenario.received(
      "<iq id='1' from='\(bob)' type='result'><vCard xmlns='vcard-temp'><FN>Bob B</FN></vCard></iq>"
    )
    #expect(scenario.roster.displayName(of: bare(bob)) == "Bob B")
    #expect(scenario.allCodes.isEmpty)
  }

  @Test("Rule 4: in a one-way capture, results count without a get")
  func oneWay() {
    var scenario = Scenario()
    scenario.captureBegan("alice@example.test/phone", inboundOnly: true)
    scenario.receivesResult(item(bob), id: "whatever")
    #expect(scenario.contacts == [bob])
    #expect(scenario.roster.completeness == .complete)
    scenario.receivesResult(item("eve@example.test"), id: "x", from: "eve@example.test")
    #expect(scenario.contacts == [bob])
    #expect(scenario.codes == [.foreignRoster])
  }

  @Test("Rule 5: a result replaces the whole roster, even if it is empty")
  func replacing() {
    var scenario = Scenario.alice(item(bob, "name='Bob'") + item("carol@example.test"))
    scenario.fetches(item("carol@example.test") + item("dave@example.test"))
    #expect(scenario.contacts == ["carol@example.test", "dave@example.test"])
    scenario.fetches("", id: "again")
    #expect(scenario.contacts.isEmpty)
    #expect(scenario.roster.completeness == .complete)
  }

  @Test("Rule 5: an empty result to a versioned get means unchanged")
  func unchanged() {
    var scenario = Scenario.alice(item(bob, "subscription='both'"), version: "v1")
    scenario.opened("alice@example.test/phone")
    scenario.gets(id: "b", version: "v1")
    scenario.receivesEmptyResult(id: "b")
    #expect(scenario.contacts == [bob])
    #expect(scenario.roster.version == "v1")
    #expect(scenario.roster.completeness == .complete)
    #expect(scenario.codes.isEmpty)
  }

  @Test("Rule 5: unchanged from a base that is not in the log leaves the roster unknown")
  func unknownBase() {
    var scenario = Scenario()
    scenario.opened("alice@example.test/phone")
    scenario.gets(id: "b", version: "v7")
    scenario.receivesEmptyResult(id: "b")
    #expect(scenario.roster.completeness == .baseUnknown)
    #expect(scenario.codes == [.unknownBase])
    scenario.pushed(item(bob), version: "v8")
    #expect(scenario.contacts == [bob])
    #expect(scenario.roster.completeness == .baseUnknown)
    scenario.fetches(item(bob) + item("carol@example.test"), id: "c")
    #expect(scenario.roster.completeness == .complete)
  }

  @Test("Rule 5: 64 versions of the log are known bases, and no more", arguments: [63, 64])
  func oldestKnownBase(pushes: Int) {
    var scenario = Scenario.alice(item(bob), version: "v0")
    for number in 1...pushes { scenario.pushed(item(bob), version: "v\(number)") }
    scenario.gets(id: "b", version: "v0")
    scenario.receivesEmptyResult(id: "b")
    #expect(scenario.codes.contains(.unknownBase) == (pushes == 64))
  }

  @Test("Rule 4: an answer from the bare address to a query that went to the full one counts")
  func answerFromTheBareAddress() {
    for (from, counts) in [("\(bob)/pda", true), (bob, true), ("\(bob)/desk", false)] {
      var scenario = Scenario.alice(item(bob))
      scenario.sent("<iq type='get' id='q' to='\(bob)/pda'><vCard xmlns='vcard-temp'/></iq>")
      scenario.received(
        "<iq type='result' id='q' from='\(from)'><vCard xmlns='vcard-temp'><FN>Bob B.</FN></vCard></iq>"
      )
      #expect((scenario.roster.displayName(of: bare(bob)) == "Bob B.") == counts, "\(from)")
      #expect(scenario.codes.isEmpty == counts, "\(from)")
    }
  }

  @Test("Rule 5: an older version in the log is a known base, because pushes since then follow")
  func olderBase() {
    var scenario = Scenario.alice(item(bob), version: "v1")
    scenario.pushed(item("carol@example.test"), version: "v2")
    scenario.lost()
    scenario.opened("alice@example.test/phone")
    scenario.gets(id: "b", version: "v1")
    scenario.receivesEmptyResult(id: "b")
    #expect(scenario.codes.filter { $0 == .unknownBase }.isEmpty)
    scenario.pushed(item("carol@example.test"), version: "v2")
    #expect(scenario.roster.completeness == .complete)
    #expect(scenario.contacts == [bob, "carol@example.test"])
  }

  @Test("Rule 5: a push between the versioned get and its empty result stays")
  func pushBetween() {
    var scenario = Scenario.alice(item(bob), version: "v1")
    scenario.gets(id: "b", version: "v1")
    scenario.pushed(item("carol@example.test"), version: "v2")
    scenario.receivesEmptyResult(id: "b")
    #expect(scenario.contacts == [bob, "carol@example.test"])
    #expect(scenario.roster.version == "v2")
    #expect(scenario.roster.completeness == .complete)
  }

  @Test("Rule 5: an empty result to a get without a version leaves the roster as it was")
  func emptyWithoutVersion() {
    for version in [nil, ""] {
      var scenario = Scenario.alice(item(bob))
      scenario.gets(id: "b", version: version)
      scenario.receivesEmptyResult(id: "b")
      #expect(scenario.contacts == [bob])
      #expect(scenario.codes == [.emptyResult])
    }
    var scenario = Scenario()
    scenario.opened("alice@example.test/phone")
    scenario.gets(id: "b", version: "")
    scenario.receivesEmptyResult(id: "b")
    #expect(scenario.roster.completeness == .neverFetched)
  }

  @Test("Rule 5: the result of a set is not a roster result")
  func resultToSet() {
    var scenario = Scenario.alice(item(bob))
    scenario.sets(item(bob, "name='Bob'"), id: "s")
    scenario.receivesResult(item("eve@example.test"), id: "s")
    #expect(scenario.contacts == [bob])
    #expect(scenario.codes == [.unsolicitedResult])
  }

  @Test("Rule 5: an error leaves the roster unchanged and closes the get")
  func errorResult() {
    var scenario = Scenario.alice(item(bob), version: "v1")
    scenario.gets(id: "b")
    scenario.received(
      "<iq id='b' type='error'><query xmlns='jabber:iq:roster'/><error type='wait'>"
        + "<internal-server-error xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>")
    #expect(scenario.contacts == [bob])
    #expect(scenario.roster.version == "v1")
    #expect(scenario.codes == [.refusedQuery])
    scenario.receivesResult(id: "b")
    #expect(scenario.contacts == [bob])
  }
}
