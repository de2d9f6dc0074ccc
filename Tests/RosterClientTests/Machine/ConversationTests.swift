import Rollcall
@testable import RosterClient
import Testing
import XMPPStanza

/// What a client says when a server says this: whole conversations.
@Suite("Conversations of a client") struct ConversationTests {
  private let opening = """
    <?xml version='1.0'?><stream:stream to='example.test' version='1.0' xml:lang='en' \
    xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>
    """
  private let opened = """
    <?xml version='1.0'?><stream:stream from='alice@example.test' to='example.test' version='1.0' \
    xml:lang='en' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>
    """

  @Test("STARTTLS, SASL, a resource, and stanzas that are counted (RFC 6120 §9.1)")
  func usual() {
    var talk = Talk()
    talk.happens { $0.connected(to: "example.test:5222", isDirectTLS: false) }
    #expect(talk.deeds() == [#"note {"stream":"connected","to":"example.test:5222"}"#, opening])
    talk.hears(Talk.header + Talk.tlsFeatures)
    #expect(talk.deeds() == ["<starttls xmlns=\"urn:ietf:params:xml:ns:xmpp-tls\"/>"])
    talk.hears(Talk.proceed)
    #expect(talk.deeds() == ["TLS"])
    talk.happens { $0.secured(by: "TLSv1.3", serverEndPoint: nil) }
    #expect(talk.deeds() == [#"note {"stream":"secured","tls":"TLSv1.3"}"#, opened])
    talk.hears(Talk.header + Talk.saslFeatures)
    #expect(
      talk.deeds() == [
        """
        <auth xmlns="urn:ietf:params:xml:ns:xmpp-sasl" mechanism="PLAIN">AGFsaWNlAHBlbmNpbA==</auth>
        """
      ])
    talk.hears(Talk.success)
    #expect(talk.deeds() == [#"note {"mechanism":"PLAIN","stream":"authenticated"}"#, opened])
    talk.hears(Talk.header + Talk.features(Talk.bind + Talk.counting))
    #expect(
      talk.deeds() == [
        """
        <iq type="set" id="r1"><bind xmlns="urn:ietf:params:xml:ns:xmpp-bind">\
        <resource>phone</resource></bind></iq>
        """
      ])
    talk.hears(Talk.bound("r1"))
    #expect(talk.deeds() == ["<enable xmlns=\"urn:xmpp:sm:3\" resume=\"true\"/>", "online"])
    #expect(talk.machine.isOnline)
    #expect(talk.machine.resumption == nil)
    talk.hears("<enabled xmlns='urn:xmpp:sm:3' id='some-id' resume='true'/>")
    #expect(talk.machine.resumption?.id == "some-id")
    talk.happens { $0.closed() }
    #expect(talk.deeds() == ["</stream:stream>"])
    talk.hears("</stream:stream>")
    #expect(talk.deeds() == ["finish well"])
    #expect(talk.machine.resumption == nil)
  }

  @Test("Direct TLS begins before anything is said (XEP-0368)")
  func direct() {
    var talk = Talk()
    talk.happens { $0.connected(to: "example.test:5223", isDirectTLS: true) }
    #expect(talk.deeds() == [#"note {"stream":"connected","to":"example.test:5223"}"#, "TLS"])
    talk.happens { $0.secured(by: nil, serverEndPoint: nil) }
    #expect(talk.deeds() == [#"note {"stream":"secured"}"#, opened])
  }

  @Test("SASL 2 lets in, binds and counts in one step (XEP-0388, XEP-0386)")
  func sasl2() {
    var talk = Talk()
    talk.secures()
    _ = talk.deeds()
    talk.hears(
      Talk.features(
        """
        <authentication xmlns='urn:xmpp:sasl:2'><mechanism>PLAIN</mechanism><inline>\
        <bind xmlns='urn:xmpp:bind:0'><inline><feature var='urn:xmpp:sm:3'/></inline></bind>\
        <sm xmlns='urn:xmpp:sm:3'/></inline></authentication>
        """))
    #expect(
      talk.deeds() == [
        """
        <authenticate xmlns="urn:xmpp:sasl:2" mechanism="PLAIN">\
        <initial-response>AGFsaWNlAHBlbmNpbA==</initial-response>\
        <user-agent><software>Rollcall</software></user-agent>\
        <bind xmlns="urn:xmpp:bind:0"><tag>phone</tag>\
        <enable xmlns="urn:xmpp:sm:3" resume="true"/></bind></authenticate>
        """
      ])
    talk.hears(
      """
      <success xmlns='urn:xmpp:sasl:2'><authorization-identifier>alice@example.test/phone.1\
      </authorization-identifier><bound xmlns='urn:xmpp:bind:0'>\
      <enabled xmlns='urn:xmpp:sm:3' id='some-id' resume='1'/></bound></success>
      """)
    #expect(talk.deeds() == [#"note {"mechanism":"PLAIN","stream":"authenticated"}"#])
    talk.hears(Talk.features(""))
    #expect(talk.deeds() == ["online"])
    #expect(talk.machine.resumption?.id == "some-id")
  }

  @Test("SASL 2 resumes a session at once (XEP-0198 §6)")
  func sasl2Resumption() {
    var before = Talk()
    before.goesOnline()
    before.hears("<message from='bob@example.test'><body>1</body></message>")
    before.happens { $0.sent(Array("<presence/>".utf8)) }
    var talk = Talk(Talk.login { $0.resumption = before.machine.resumption })
    talk.secures()
    _ = talk.deeds()
    talk.hears(
      Talk.features(
        """
        <authentication xmlns='urn:xmpp:sasl:2'><mechanism>PLAIN</mechanism>\
        <inline><sm xmlns='urn:xmpp:sm:3'/></inline></authentication>
        """))
    #expect(
      talk.deeds().joined().contains("<resume xmlns=\"urn:xmpp:sm:3\" h=\"1\" previd=\"some-id\"/>")
    )
    talk.hears(
      """
      <success xmlns='urn:xmpp:sasl:2'><authorization-identifier>alice@example.test/phone\
      </authorization-identifier><resumed xmlns='urn:xmpp:sm:3' h='0' previd='some-id'/></success>
      """)
    let mechanism = #"note {"mechanism":"PLAIN","stream":"authenticated"}"#
    #expect(
      talk.deeds() == [mechanism, "resumed", "<presence/>", "<r xmlns=\"urn:xmpp:sm:3\"/>"])
  }

  @Test(
    "A lost session is gone on with: what the server did not take is sent again", arguments: 0...3)
  func resumption(_ taken: Int) {
    var before = Talk()
    before.goesOnline()
    let stanzas = (1...3).map { "<message to='bob@example.test'><body>\($0)</body></message>" }
    for stanza in stanzas { before.happens { $0.sent(Array(stanza.utf8)) } }
    before.hears("<presence from='bob@example.test/x'/><presence from='bob@example.test/y'/>")
    before.happens { $0.disconnected(.lost(reason: "cut")) }
    var talk = Talk(Talk.login { $0.resumption = before.machine.resumption })
    talk.authenticates()
    _ = talk.deeds()
    talk.hears(Talk.features(Talk.bind + Talk.counting))
    #expect(talk.deeds() == ["<resume xmlns=\"urn:xmpp:sm:3\" h=\"2\" previd=\"some-id\"/>"])
    talk.hears("<resumed xmlns='urn:xmpp:sm:3' h='\(taken)' previd='some-id'/>")
    let asks = taken < 3 ? ["<r xmlns=\"urn:xmpp:sm:3\"/>"] : []
    #expect(talk.deeds() == ["resumed"] + stanzas.dropFirst(taken) + asks)
  }

  @Test("Where a session is gone, another begins")
  func failedResumption() {
    var before = Talk()
    before.goesOnline()
    var talk = Talk(Talk.login { $0.resumption = before.machine.resumption })
    talk.authenticates()
    talk.hears(Talk.features(Talk.bind + Talk.counting))
    _ = talk.deeds()
    talk.hears("<failed xmlns='urn:xmpp:sm:3'><item-not-found xmlns='x'/></failed>")
    talk.hears(Talk.bound("r1"))
    #expect(talk.deeds().last == "online")
    #expect(talk.machine.resumption == nil)
  }

  @Test("Older servers want a session besides (RFC 3921 §3)", arguments: [true, false])
  func legacySession(isOptional: Bool) {
    var talk = Talk()
    talk.authenticates()
    let optional = isOptional ? "<optional/>" : ""
    talk.hears(
      Talk.features(
        Talk.bind + "<session xmlns='urn:ietf:params:xml:ns:xmpp-session'>\(optional)</session>"))
    _ = talk.deeds()
    talk.hears(Talk.bound("r1"))
    guard !isOptional else { return #expect(talk.deeds() == ["online"]) }
    #expect(
      talk.deeds() == [
        "<iq type=\"set\" id=\"r2\"><session xmlns=\"urn:ietf:params:xml:ns:xmpp-session\"/></iq>"
      ])
    talk.hears("<iq type='result' id='r2'/>")
    #expect(talk.deeds() == ["online"])
  }

  @Test("What is asked is answered, and pushes are left to who keeps the roster")
  func requests() {
    var talk = Talk()
    talk.goesOnline(counts: false)
    talk.hears("<iq type='get' id='p' from='example.test'><ping xmlns='urn:xmpp:ping'/></iq>")
    talk.hears(
      "<iq type='get' id='v' from='bob@example.test/x'><query xmlns='jabber:iq:version'/></iq>")
    talk.hears("<iq type='set' id='push'><query xmlns='jabber:iq:roster'/></iq>")
    talk.hears("<iq type='result' id='other'/><message/><presence/>")
    #expect(
      talk.deeds() == [
        "<iq type=\"result\" id=\"p\" to=\"example.test\"/>",
        """
        <iq type="error" id="v" to="bob@example.test/x"><error type="cancel">\
        <service-unavailable xmlns="urn:ietf:params:xml:ns:xmpp-stanzas"/></error></iq>
        """,
      ])
  }

  @Test("Both sides count, round 2³² too")
  func counting() {
    var talk = Talk()
    talk.goesOnline()
    talk.hears("<r xmlns='urn:xmpp:sm:3'/><presence/><message/><r xmlns='urn:xmpp:sm:3'/>")
    #expect(
      talk.deeds() == [
        "<a xmlns=\"urn:xmpp:sm:3\" h=\"0\"/>", "<a xmlns=\"urn:xmpp:sm:3\" h=\"2\"/>",
      ])
    // One question at a time, and another where more has gone out meanwhile.
    talk.happens { $0.sent(Array("<message/>".utf8)) }
    talk.happens { $0.sent(Array("<presence/>".utf8)) }
    let ask = "<r xmlns=\"urn:xmpp:sm:3\"/>"
    #expect(talk.deeds() == ["<message/>", ask, "<presence/>"])
    talk.hears("<a xmlns='urn:xmpp:sm:3' h='1'/>")
    #expect(talk.deeds() == [ask])
    talk.hears("<a xmlns='urn:xmpp:sm:3' h='2'/>")
    #expect(talk.deeds().isEmpty)
    talk.hears("<a xmlns='urn:xmpp:sm:3' h='3'/>")
    #expect(talk.machine.isOver)
  }

  @Test("A server that has taken nothing since is not asked again at once")
  func noHaste() {
    var talk = Talk()
    talk.goesOnline()
    talk.happens { $0.sent(Array("<message/>".utf8)) }
    _ = talk.deeds()
    talk.hears("<a xmlns='urn:xmpp:sm:3' h='0'/>")
    #expect(talk.deeds() == [])
    // With the next stanza it is.
    talk.happens { $0.sent(Array("<presence/>".utf8)) }
    #expect(talk.deeds() == ["<presence/>", "<r xmlns=\"urn:xmpp:sm:3\"/>"])
    talk.hears("<a xmlns='urn:xmpp:sm:3' h='2'/>")
    #expect(talk.deeds() == [])
  }

  @Test("Silence is asked about, and then it is the end")
  func silence() {
    for counts in [true, false] {
      var talk = Talk()
      talk.goesOnline(counts: counts)
      for _ in 0..<3 {
        talk.happens { $0.silenceElapsed() }
        #expect(talk.deeds().count == 1)
        talk.hears("<presence from='bob@example.test/x'/>")
      }
      talk.happens { $0.silenceElapsed() }
      talk.happens { $0.silenceElapsed() }
      #expect(talk.deeds().last == "finish the connection was lost: the server is silent")
    }
  }

  @Test("An account is made, and used (XEP-0077 §3.1)")
  func registration() {
    var talk = Talk(Talk.login { $0.registers = true })
    talk.secures()
    talk.hears(Talk.saslFeatures)
    #expect(
      talk.deeds().last
        == "<iq type=\"get\" id=\"r1\" to=\"example.test\"><query xmlns=\"jabber:iq:register\"/></iq>"
    )
    talk.hears(
      """
      <iq type='result' id='r1'><query xmlns='jabber:iq:register'><instructions>Choose</instructions>\
      <username/><password/></query></iq>
      """)
    #expect(
      talk.deeds() == [
        """
        <iq type="set" id="r2" to="example.test"><query xmlns="jabber:iq:register">\
        <username>alice</username><password>pencil</password></query></iq>
        """
      ])
    talk.hears("<iq type='result' id='r2'/>")
    #expect(talk.deeds().joined().hasPrefix("<auth"))
  }

  @Test("A password is changed, or is not")
  func password() {
    for (answer, word) in [
      ("<iq type='result' id='r2'/>", "answered well"),
      (
        """
        <iq type='error' id='r2'><error type='modify'>\
        <not-acceptable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>
        """,
        "answered the server refuses the account (not-acceptable)"
      ),
    ] {
      var talk = Talk()
      talk.goesOnline(counts: false)
      talk.happens { $0.passwordChanged(to: Password("new")).result }
      #expect(talk.deeds().joined().contains("<password>new</password>"))
      talk.hears(answer)
      #expect(talk.deeds() == [word])
    }
  }
}
