import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Rules 1 and 2: reading stanzas")
struct ReadingRuleTests {
  @Test("Rule 1: types are case-sensitive, and an unknown one causes only a finding")
  func unknownTypes() {
    let lines = [
      "<iq id='1' type='SET'><query xmlns='jabber:iq:roster'>"
        + "<item jid='bob@example.test'/></query></iq>",
      "<iq id='1' type='Result'><query xmlns='jabber:iq:roster'/></iq>",
      "<iq id='1'><query xmlns='jabber:iq:roster'/></iq>",
      "<presence from='bob@example.test' type='Subscribe'/>",
      "<presence from='bob@example.test/pda' type='invisible'/>",
      "<presence from='bob@example.test/pda' type=''/>",
    ]
    for line in lines {
      var scenario = Scenario.alice(item("carol@example.test", "subscription='both'"))
      let before = scenario.roster
      scenario.received(line)
      #expect(scenario.codes == [.unknownType], "\(line)")
      #expect(scenario.last.changes.isEmpty, "\(line)")
      #expect(scenario.roster.entries == before.entries, "\(line)")
      #expect(scenario.incoming.isEmpty, "\(line)")
    }
  }

  @Test("Rule 1: an unknown type causes only a finding if the log begins in mid-session")
  func unknownTypeFirst() {
    var scenario = Scenario()
    scenario.received("<presence from='bob@example.test' type='Subscribe'/>")
    #expect(scenario.codes == [.unknownType])
    // Only the existence of the connection is known from now on.
    #expect(scenario.last.changes.map(\.field) == [.connections])
  }

  @Test("Rule 1: only direct children of the stanza count")
  func nestedStanzas() {
    let push =
      "<iq xmlns='jabber:client' type='set' id='p'><query xmlns='jabber:iq:roster'>"
      + "<item jid='eve@example.test' subscription='both'/></query></iq>"
    let request = "<presence xmlns='jabber:client' from='eve@example.test' type='subscribe'/>"
    let wraps = [
      "<message from='alice@example.test'>%</message>",
      "<message from='eve@example.test'>"
        + "<forwarded xmlns='urn:xmpp:forward:0'>%</forwarded></message>",
      "<message from='alice@example.test'><received xmlns='urn:xmpp:carbons:2'>"
        + "<forwarded xmlns='urn:xmpp:forward:0'>%</forwarded></received></message>",
      "<iq id='p' type='set'><wrap xmlns='urn:example'>%</wrap></iq>",
      "<presence from='eve@example.test/x'><wrap xmlns='urn:example'>%</wrap></presence>",
    ]
    for wrap in wraps {
      for inner in [push, request] {
        var scenario = Scenario.alice(item("eve@example.test", "subscription='to'"))
        scenario.received(wrap.replacing("%", with: inner))
        #expect(scenario.subscription("eve@example.test") == .to, "\(wrap)")
        #expect(scenario.incoming.isEmpty, "\(wrap)")
      }
    }
  }

  @Test("Rule 1: a roster query that is not a direct child of the iq is not a push")
  func nestedQuery() {
    var scenario = Scenario.alice()
    scenario.received(
      "<iq id='p' type='set'><x xmlns='urn:example'><query xmlns='jabber:iq:roster'>"
        + "<item jid='eve@example.test'/></query></x></iq>")
    #expect(scenario.contacts.isEmpty)
    scenario.received(
      "<iq id='p' type='set'><query xmlns='jabber:iq:roster'><x xmlns='urn:example'>"
        + "<item xmlns='jabber:iq:roster' jid='eve@example.test'/></x></query></iq>")
    #expect(scenario.contacts.isEmpty)
  }

  @Test("Rule 1: names are compared by namespace and local name")
  func namespaces() {
    var scenario = Scenario.alice()
    scenario.received(
      "<iq id='p' type='set'><query xmlns='jabber:iq:rosters'>"
        + "<item jid='a@example.test'/></query></iq>"
    )
    scenario.received(
      "<iq id='p' type='set'><query xmlns='jabber:iq:roster'>"
        + "<item xmlns='urn:other' jid='b@example.test'/></query></iq>")
    scenario.received(
      "<iq xmlns='urn:other' id='p' type='set'><query xmlns='jabber:iq:roster'>"
        + "<item jid='c@example.test'/></query></iq>")
    #expect(scenario.contacts.isEmpty)
    scenario.received(
      "<iq id='p' type='set'><r:query xmlns:r='jabber:iq:roster'>"
        + "<r:item jid='bob@example.test' name='Bob'><r:group>G</r:group><group>H</group></r:item>"
        + "</r:query></iq>")
    #expect(scenario.item("bob@example.test")?.name == "Bob")
    #expect(scenario.item("bob@example.test")?.groups == ["G"])
  }

  @Test("Rule 1: white space around names, groups and priorities is trimmed")
  func whiteSpace() {
    var scenario = Scenario.alice()
    scenario.pushed(item("bob@example.test", "name='  Bob B. '", groups: [" Work\n", "Work", " "]))
    #expect(scenario.item("bob@example.test")?.name == "Bob B.")
    #expect(scenario.item("bob@example.test")?.groups == ["Work"])
    scenario.receives(
      from: "bob@example.test/pda", "<priority>\n 5 </priority><show> away </show>")
    let presence = scenario.roster.presence(of: bare("bob@example.test")).best?.presence
    #expect(presence?.availability.priority == 5)
    #expect(presence?.availability.show == .away)
  }

  @Test("Rule 2: a JID splits at the first slash; its bare part folds, its resource does not")
  func addresses() {
    var scenario = Scenario.alice(item("BOB@Example.TEST.", "subscription='both'"))
    #expect(scenario.contacts == ["bob@example.test"])
    scenario.receives(from: "Bob@EXAMPLE.test/Pda/at@home")
    scenario.receives(from: "bob@example.test/pda/at@home")
    #expect(scenario.online("bob@example.test") == ["Pda/at@home", "pda/at@home"])
    scenario.receives("unavailable", from: "bob@example.test/PDA/at@home")
    #expect(scenario.online("bob@example.test").count == 2)
    scenario.receives("unavailable", from: "bOb@example.test/Pda/at@home")
    #expect(scenario.online("bob@example.test") == ["pda/at@home"])
  }

  @Test("Rule 2: case folds beyond ASCII")
  func folding() {
    var scenario = Scenario.alice(item("ÉLODIE@Exämple.test", "subscription='both'"))
    scenario.pushed(item("élodie@exämple.test", "subscription='to' name='É'"))
    #expect(scenario.contacts == ["élodie@exämple.test"])
    #expect(scenario.subscription("Élodie@EXÄMPLE.test") == .to)
  }

  @Test("Rule 2: requests and items go by bare JID")
  func bareAddresses() {
    var scenario = Scenario.alice(item("bob@example.test/pda", "subscription='to'"))
    #expect(scenario.contacts == ["bob@example.test"])
    scenario.receives("subscribe", from: "carol@example.test/phone")
    #expect(scenario.incoming == ["carol@example.test"])
    scenario.sends("subscribe", to: "dave@example.test/desk")
    #expect(scenario.outgoing == ["dave@example.test"])
    scenario.receives("subscribed", from: "dave@example.test")
    #expect(scenario.outgoing.isEmpty)
    scenario.sends("subscribed", to: "carol@example.test/other")
    #expect(scenario.incoming.isEmpty)
  }

  @Test("Rule 2: a malformed JID affects only its own item")
  func malformedItem() {
    for jid in ["", "@example.test", "bob@", "b ob@example.test", "bob@example.test/", "a@b@c"] {
      var scenario = Scenario.alice()
      scenario.fetches(item("ann@example.test") + item(jid) + item("zoe@example.test"))
      #expect(scenario.contacts == ["ann@example.test", "zoe@example.test"], "\(jid)")
      #expect(scenario.codes == [.malformedItem], "\(jid)")
      #expect(scenario.roster.completeness == .complete)
    }
    var scenario = Scenario.alice()
    scenario.fetches("<item name='nobody'/>" + item("zoe@example.test"))
    #expect(scenario.contacts == ["zoe@example.test"])
  }

  @Test("A stanza whose own address cannot be prepared is ignored, with the reason")
  func malformedStanza() {
    var scenario = Scenario.alice()
    scenario.receives("subscribe", from: "b ob@example.test")
    #expect(scenario.codes == [.unpreparedAddress])
    #expect(scenario.last.changes.isEmpty)
    #expect(scenario.incoming.isEmpty)
    scenario.pushed(item("bob@example.test"), from: "@example.test")
    #expect(scenario.codes == [.unpreparedAddress])
    #expect(scenario.contacts.isEmpty)
  }
}
