import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Rules 21 to 25: streams, blocking, names, time")
struct StreamRuleTests {
  private let bob = "bob@example.test"
  private let bind = "urn:ietf:params:xml:ns:xmpp-bind"

  private func online() -> Scenario {
    var scenario = Scenario.alice(item(bob, "subscription='both'"), version: "v1")
    scenario.receives("subscribe", from: "carol@example.test")
    scenario.sends("subscribe", to: "dave@example.test")
    scenario.receives(from: "\(bob)/pda")
    scenario.receives(from: "alice@example.test/tablet")
    scenario.gets(id: "open")
    return scenario
  }

  private func expectKept(_ scenario: Scenario) {
    #expect(scenario.contacts == [bob])
    #expect(scenario.roster.version == "v1")
    #expect(scenario.incoming == ["carol@example.test"])
    #expect(scenario.outgoing == ["dave@example.test"])
  }

  @Test("Rule 21: a closed stream hides presence and keeps roster, version and requests")
  func closed() {
    for ends: (inout Scenario) -> Void in [
      { $0.ended(.inbound) }, { $0.ended(.outbound) }, { $0.lost() },
      { $0.received("<stream:error><conflict xmlns='urn:x'/></stream:error>") },
    ] {
      var scenario = online()
      #expect(scenario.roster.isConnected)
      ends(&scenario)
      #expect(!scenario.roster.isConnected)
      #expect(scenario.online(bob).isEmpty)
      #expect(scenario.roster.shownPresences.isEmpty)
      #expect(scenario.roster.ownResources.resources.isEmpty)
      expectKept(scenario)
    }
  }

  @Test("Rule 21: a resumed stream restores presence and the open gets")
  func resumed() {
    var scenario = online()
    scenario.lost()
    scenario.sent("<stream:stream to='example.test'/>")
    #expect(scenario.online(bob).isEmpty)
    scenario.received("<resumed xmlns='urn:xmpp:sm:3' h='3' previd='x'/>")
    #expect(scenario.online(bob) == ["pda"])
    #expect(scenario.roster.ownResources.resources.count == 1)
    expectKept(scenario)
    scenario.receivesResult(item("erin@example.test"), id: "open")
    #expect(scenario.contacts == ["erin@example.test"])
  }

  @Test("Rule 21: an opened stream drops presence and the open gets")
  func opened() {
    for ends in [true, false] {
      var scenario = online()
      if ends { scenario.lost() }
      scenario.opened("alice@example.test/phone")
      #expect(scenario.roster.isConnected)
      #expect(scenario.online(bob).isEmpty)
      #expect(scenario.roster.ownResources.resources.isEmpty)
      expectKept(scenario)
      scenario.receivesResult(item("erin@example.test"), id: "open")
      #expect(scenario.codes == [.unsolicitedResult])
      expectKept(scenario)
      scenario.lost()
      scenario.resumed()
      #expect(scenario.online(bob).isEmpty)
    }
  }

  @Test("Rule 21: a new stream header means that the old stream was lost")
  func header() {
    var scenario = online()
    scenario.sent("<stream:stream to='example.test'/>")
    #expect(!scenario.roster.isConnected)
    #expect(scenario.online(bob).isEmpty)
  }

  @Test("Rule 21: presence that arrives without a session is not shown as live")
  func presenceWhileClosed() {
    var scenario = online()
    scenario.closed()
    scenario.receives(from: "\(bob)/desk")
    #expect(scenario.online(bob).isEmpty)
  }

  @Test("Rule 22: the account is known from bind")
  func bound() {
    var scenario = Scenario()
    scenario.received(
      "<iq id='b' type='result'><bind xmlns='\(bind)'>"
        + "<jid>Alice@Example.test/Phone</jid></bind></iq>"
    )
    #expect(scenario.roster.account == bare("alice@example.test"))
    #expect(scenario.roster.resource == "Phone")
    #expect(scenario.roster.isConnected)
  }

  @Test("Rule 22: the account is known from SASL 2, with and without a session in the answer")
  func sasl2() {
    let name = "<authorization-identifier>alice@example.test/p</authorization-identifier>"
    let head = "<success xmlns='urn:xmpp:sasl:2'>\(name)"
    var bound = Scenario()
    bound.received("\(head)<bound xmlns='urn:xmpp:bind:0'/></success>")
    #expect(bound.roster.account == bare("alice@example.test"))
    #expect(bound.roster.resource == "p")
    #expect(bound.roster.isConnected)
    var resumed = online()
    resumed.lost()
    resumed.received("\(head)<resumed xmlns='urn:xmpp:sm:3' h='1' previd='x'/></success>")
    #expect(resumed.online(bob) == ["pda"])
    var neither = Scenario()
    neither.received("\(head)</success>")
    #expect(neither.roster.account == bare("alice@example.test"))
    #expect(!neither.roster.isConnected)
  }

  @Test("Rule 22: the account is known from the capture's header")
  func captureHeader() {
    var scenario = Scenario()
    scenario.captureBegan("alice@example.test/phone")
    #expect(scenario.roster.account == bare("alice@example.test"))
    #expect(!scenario.roster.isConnected)
    scenario.pushed(item(bob), from: "alice@example.test")
    #expect(scenario.contacts == [bob])
    #expect(scenario.roster.isConnected)
  }

  @Test("Rule 22: a bind result from another sender is not the server's")
  func spoofedBind() {
    for (from, jid) in [
      ("eve@evil.test", "eve@evil.test/x"), ("eve@evil.test/x", "alice@example.test/phone"),
      ("evil.test", "eve@evil.test/x"), ("eve@example.test", "eve@example.test/x"),
    ] {
      var scenario = online()
      scenario.received(
        "<iq id='b' from='\(from)' type='result'><bind xmlns='\(bind)'>"
          + "<jid>\(jid)</jid></bind></iq>"
      )
      #expect(scenario.last.changes.isEmpty, "\(from)")
      #expect(scenario.codes.count == 1, "\(from)")
      #expect(scenario.online(bob) == ["pda"], "\(from)")
      scenario.pushed(item(bob, "name='B' subscription='both'"))
      #expect(scenario.item(bob)?.name == "B", "\(from)")
    }
  }

  @Test(
    "Rule 22: without an open session only the server can answer a bind, whatever address it has")
  func stampedBind() {
    for from in ["alice@example.test", "alice@example.test/new", "example.test"] {
      var scenario = online()
      scenario.received(
        "<iq id='b' from='\(from)' type='result'><bind xmlns='\(bind)'>"
          + "<jid>alice@example.test/new</jid></bind></iq>")
      #expect(scenario.roster.resource == "new")
    }
    var scenario = online()
    scenario.lost()
    scenario.received(
      "<iq id='b' from='eve@evil.test' type='result'><bind xmlns='\(bind)'>"
        + "<jid>eve@evil.test/x</jid></bind></iq>")
    #expect(scenario.codes == [.foreignAccount])
  }

  @Test("Rule 22: another account's stream in the same log is refused")
  func foreignStream() {
    for how: (inout Scenario) -> Void in [
      { $0.opened("mallory@example.test/x") },
      {
        $0.received(
          "<iq id='b' type='result'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
            + "<jid>mallory@example.test/x</jid></bind></iq>")
      },
      { $0.captureBegan("mallory@example.test") },
      { $0.resumed("mallory@example.test/x") },
    ] {
      var scenario = Scenario.alice(item(bob, "subscription='to'"))
      how(&scenario)
      #expect(scenario.codes == [.foreignAccount])
      #expect(scenario.roster.account == bare("alice@example.test"))
      scenario.pushed(item(bob, "subscription='remove'"))
      scenario.receives("subscribe", from: "carol@example.test")
      scenario.fetches(item("eve@example.test"))
      #expect(scenario.contacts == [bob])
      #expect(scenario.incoming.isEmpty)
      scenario.closed()
      scenario.sent("<stream:stream to='example.test'/>")
      scenario.resumed()
      scenario.pushed(item(bob, "subscription='remove'"))
      #expect(scenario.contacts == [bob])
      scenario.opened("alice@example.test/phone")
      scenario.pushed(item(bob, "subscription='remove'"))
      #expect(scenario.contacts.isEmpty)
    }
  }

  @Test("Rule 22: after a refused capture the next one of our own account counts again")
  func foreignCapture() {
    var scenario = Scenario()
    scenario.captureBegan("alice@example.test")
    scenario.pushed(item(bob))
    scenario.captureBegan("mallory@example.test")
    scenario.pushed(item("eve@example.test"))
    scenario.captureBegan("alice@example.test")
    scenario.pushed(item("carol@example.test"))
    #expect(scenario.contacts == [bob, "carol@example.test"])
  }

  @Test("A session without a known resource does not keep the previous session's")
  func resource() {
    var scenario = Scenario()
    scenario.opened("alice@example.test/phone")
    scenario.opened("alice@example.test/tablet")
    #expect(scenario.roster.resource == "tablet")
    scenario.opened("alice@example.test")
    #expect(scenario.roster.resource == nil)
    scenario.captureBegan("alice@example.test/desk")
    scenario.captureBegan("alice@example.test")
    #expect(scenario.roster.resource == "desk")
  }

  // MARK: Rule 23

  private func blocking(_ name: String, _ jids: [String]) -> String {
    let items = jids.map { "<item jid='\($0)'/>" }.joined()
    return "<\(name) xmlns='urn:xmpp:blocking'>\(items)</\(name)>"
  }

  private func blocked(_ scenario: Scenario) -> [String] {
    scenario.roster.blocked.map(\.description).sorted()
  }

  @Test("Rule 23: blocking is kept beside the roster: result, push, unblock, unblock all")
  func blockList() {
    var scenario = Scenario.alice(item(bob, "subscription='both'"))
    scenario.sent("<iq id='b' type='get'>\(blocking("blocklist", []))</iq>")
    scenario.received("<iq id='b' type='result'>\(blocking("blocklist", [bob, "evil.test"]))</iq>")
    #expect(blocked(scenario) == [bob, "evil.test"])
    scenario.received("<iq id='p' type='set'>\(blocking("block", ["eve@example.test/x"]))</iq>")
    #expect(blocked(scenario) == [bob, "eve@example.test/x", "evil.test"])
    scenario.received(
      "<iq id='p' from='alice@example.test' type='set'>\(blocking("unblock", [bob]))</iq>")
    #expect(blocked(scenario) == ["eve@example.test/x", "evil.test"])
    scenario.received("<iq id='p' type='set'>\(blocking("unblock", []))</iq>")
    #expect(blocked(scenario).isEmpty)
    #expect(scenario.contacts == [bob])
    #expect(scenario.allCodes.isEmpty)
  }

  @Test(
    "Rule 23: our requests block nothing before their answer, and strangers never do"
  )
  func blockingByOthers() {
    var scenario = Scenario.alice()
    scenario.sent("<iq id='b' type='set'>\(blocking("block", [bob]))</iq>")
    #expect(blocked(scenario).isEmpty)
    scenario.received(
      "<iq id='p' from='eve@example.test' type='set'>\(blocking("block", [bob]))</iq>")
    #expect(scenario.codes == [.foreignBlocking])
    scenario.received("<iq id='x' type='result'>\(blocking("blocklist", [bob]))</iq>")
    #expect(scenario.codes == [.unsolicitedResult])
    #expect(blocked(scenario).isEmpty)
  }

  @Test("Rule 23: a list of only malformed addresses does not unblock all")
  func malformedUnblock() {
    var scenario = Scenario.alice()
    scenario.received("<iq id='p' type='set'>\(blocking("block", [bob]))</iq>")
    scenario.received("<iq id='p' type='set'>\(blocking("unblock", ["@"]))</iq>")
    #expect(blocked(scenario) == [bob])
    #expect(scenario.codes == [.malformedPayload])
  }

  // MARK: Rule 24

  private func publishNick(_ nick: String, from: String, type: String = "headline") -> String {
    "<message from='\(from)' type='\(type)'><event xmlns='http://jabber.org/protocol/pubsub#event'>"
      + "<items node='http://jabber.org/protocol/nick'><item id='1'>"
      + "<nick xmlns='http://jabber.org/protocol/nick'>\(nick)"
      + "</nick></item></items></event></message>"
  }

  @Test("Rule 24: the display name")
  func displayName() {
    var scenario = Scenario.alice(item(bob, "name='Roster Bob'"))
    func name() -> String { scenario.roster.displayName(of: bare(bob)) }
    scenario.received(publishNick("Nick Bob", from: bob))
    scenario.sent("<iq id='v' to='\(bob)' type='get'><vCard xmlns='vcard-temp'/></iq>")
    scenario.received(
      "<iq id='v' from='\(bob)' type='result'><vCard xmlns='vcard-temp'><FN>Full Bob</FN>"
        + "<NICKNAME>Card Bob</NICKNAME></vCard></iq>")
    #expect(name() == "Roster Bob")
    scenario.pushed(item(bob))
    #expect(name() == "Nick Bob")
    scenario.received(publishNick("", from: bob))
    #expect(name() == "Card Bob")
    scenario.sent("<iq id='v' to='\(bob)' type='get'><vCard xmlns='vcard-temp'/></iq>")
    scenario.received(
      "<iq id='v' from='\(bob)' type='result'>"
        + "<vCard xmlns='vcard-temp'><FN>Full Bob</FN></vCard></iq>"
    )
    #expect(name() == "Full Bob")
    scenario.sent("<iq id='v' to='\(bob)' type='get'><vCard xmlns='vcard-temp'/></iq>")
    scenario.received("<iq id='v' from='\(bob)' type='result'><vCard xmlns='vcard-temp'/></iq>")
    #expect(name() == "bob")
    #expect(
      scenario.roster.displayName(of: bare("conference.example.test")) == "conference.example.test")
    #expect(scenario.roster.displayName(of: bare("eve@example.test")) == "eve")
  }

  @Test("Rule 24: names that are published again unchanged change nothing")
  func unchangedNames() {
    var scenario = Scenario.alice(item(bob))
    for round in 1...2 {
      scenario.sent("<iq type='get' id='q' to='\(bob)'><vCard xmlns='vcard-temp'/></iq>")
      scenario.received(
        "<iq type='result' id='q' from='\(bob)'><vCard xmlns='vcard-temp'><FN>Bob B.</FN></vCard></iq>"
      )
      #expect(scenario.last.changes.count == (round == 1 ? 1 : 0))
    }
    #expect(scenario.roster.name(of: bare(bob)).record == 5)
  }

  @Test("Rule 23: the block list is known once it was fetched, even if it is empty")
  func blockListIsKnown() {
    var scenario = Scenario.alice()
    #expect(!scenario.roster.isBlockListKnown)
    scenario.received(
      "<iq type='set' id='p'><block xmlns='urn:xmpp:blocking'><item jid='evil.test'/></block></iq>")
    #expect(!scenario.roster.isBlockListKnown)
    scenario.sent("<iq type='get' id='l'><blocklist xmlns='urn:xmpp:blocking'/></iq>")
    #expect(!scenario.roster.isBlockListKnown)
    scenario.received("<iq type='result' id='l'><blocklist xmlns='urn:xmpp:blocking'/></iq>")
    #expect(scenario.roster.isBlockListKnown)
    #expect(scenario.roster.blocked.isEmpty)
    scenario.opened("alice@example.test/phone")
    #expect(scenario.roster.isBlockListKnown)
  }

  @Test("Rule 24: only the contact's own publication names it")
  func foreignNick() {
    var scenario = Scenario.alice(item(bob))
    for line in [
      publishNick("Fake", from: "eve@example.test"), publishNick("Fake", from: "\(bob)/pda"),
      publishNick("Fake", from: bob, type: "error"),
      "<presence from='\(bob)/pda'><nick xmlns='http://jabber.org/protocol/nick'>Fake"
        + "</nick></presence>",
      "<iq id='v' from='\(bob)' type='result'><vCard xmlns='vcard-temp'><FN>Fake</FN></vCard></iq>",
    ] {
      scenario.received(line)
      #expect(scenario.roster.displayName(of: bare(bob)) == "bob", "\(line)")
    }
  }

  // MARK: Rule 25

  @Test("Rule 25: a get without an answer within a minute is a finding, not a change")
  func lateAnswer() {
    var scenario = Scenario.alice(item(bob))
    scenario.time = 1_000
    scenario.gets(id: "late")
    scenario.sends(at: 61_000)
    #expect(scenario.codes.isEmpty)
    scenario.sends(at: 61_001)
    #expect(scenario.codes == [.unansweredQuery])
    #expect(scenario.last.changes.isEmpty)
    #expect(scenario.contacts == [bob])
    scenario.receivesResult(item("carol@example.test"), id: "late")
    #expect(scenario.contacts == ["carol@example.test"])
  }

  @Test("Rule 25: a get whose session ended without an answer is reported once")
  func lostAnswer() {
    var scenario = Scenario.alice()
    scenario.gets(id: "a")
    scenario.lost()
    #expect(scenario.codes.isEmpty)
    scenario.opened("alice@example.test/phone")
    #expect(scenario.codes == [.unansweredQuery])
    scenario.opened("alice@example.test/phone")
    #expect(scenario.codes.isEmpty)
  }

  @Test("Times of any size are reduced")
  func extremeTimes() {
    for (early, late) in [(Int64.min, Int64.max), (.max - 1, .max), (.max, .max), (.min, .min)] {
      var scenario = Scenario()
      scenario.time = early
      scenario.opened("alice@example.test/phone")
      scenario.gets()
      scenario.sets(item(bob))
      scenario.pushed(item(bob))
      scenario.receives("subscribe", from: "carol@example.test")
      scenario.sends("subscribed", to: "carol@example.test", at: late)
      let isLate = early < 0 && late > 0
      #expect(scenario.codes.contains(.unansweredQuery) == isLate)
    }
  }
}
