import Rollcall
@testable import RosterClient
import TestSupport
import Testing
import XMPPStanza

/// What an application sends through a connection, and which answers count.
@Suite("Stanzas of the application") struct SubmittedStanzaTests {
  /// The address that is asked, the one that answers, and whether the answer counts (RFC 6120
  /// §8.1.2.1).
  private static let senders: [(to: String?, from: String?, counts: Bool)] = [
    (nil, nil, true), (nil, "alice@example.test", true), (nil, "example.test", true),
    (nil, "bob@example.test", false), (nil, "evil.test", false), (nil, "@", false),
    // Old servers answer from the address of the session itself, but no other device may.
    (nil, "alice@example.test/phone", true), (nil, "alice@example.test/tablet", false),
    (nil, "alice@example.test/Phone", false),
    ("alice@example.test", nil, true), ("alice@example.test", "alice@example.test", true),
    ("alice@example.test", "alice@example.test/tablet", false),
    ("alice@example.test", "bob@example.test", false),
    ("example.test", "example.test", true), ("example.test", nil, true),
    ("example.test", "upload.example.test", false),
    ("upload.example.test", "upload.example.test", true), ("upload.example.test", nil, false),
    ("upload.example.test", "example.test", false), ("upload.example.test", "evil.test", false),
    ("bob@example.test", "bob@example.test", true), ("Bob@Example.Test", "bob@example.test", true),
    ("bob@example.test", "bob@example.test/x", false), ("bob@example.test", nil, false),
    ("bob@example.test/x", "bob@example.test/x", true),
    ("bob@example.test/x", "bob@example.test/y", false), ("bob@example.test/x", nil, false),
    ("bob@example.test/x", "bob@example.test", true), ("bob@example.test/x", "example.test", false),
    ("alice@example.test/tablet", "alice@example.test/tablet", true),
    ("alice@example.test/tablet", "alice@example.test/phone", false),
    ("alice@example.test/tablet", "alice@example.test/other", false),
    // The server answers for a device that is not there.
    ("alice@example.test/tablet", "alice@example.test", true),
    ("alice@example.test/tablet", "example.test", false), ("alice@example.test/tablet", nil, false),
    ("alice@example.test/phone", "alice@example.test/phone", true),
    ("alice@example.test/phone", nil, true),
    ("alice@example.test/phone", "alice@example.test/tablet", false),
    // The server refuses what is no address.
    ("@", "example.test", true), ("@", nil, true), ("@", "bob@example.test", false),
  ]

  @Test(
    "An answer counts only from the address that was asked", arguments: senders.indices,
    ["result", "error"])
  func answered(_ index: Int, _ type: String) {
    let (to, from, counts) = Self.senders[index]
    func attribute(_ name: String, _ value: String?) -> String {
      value.map { " \(name)='\($0)'" } ?? ""
    }
    var talk = Talk()
    talk.goesOnline(counts: false)
    let request = element("<iq type='get' id='q'\(attribute("to", to))><q xmlns='x'/></iq>")
    talk.happens { $0.submitted(request).result }
    _ = talk.deeds()
    talk.hears("<iq type='\(type)' id='q'\(attribute("from", from))/>")
    let answer = type == "result" ? "answered well" : "r2 refused (no condition)"
    #expect(talk.deeds() == (counts ? [answer] : []))
    // Only once.
    talk.hears("<iq type='\(type)' id='q'\(attribute("from", from))/>")
    #expect(talk.deeds() == [])
  }

  @Test("An error is named with its condition and its words")
  func refused() {
    var talk = Talk()
    talk.goesOnline(counts: false)
    talk.happens { $0.submitted(element("<iq type='set' id='q'><q xmlns='x'/></iq>")).result }
    _ = talk.deeds()
    talk.hears(
      """
      <iq type='error' id='q'><error type='modify'>\
      <not-acceptable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>\
      <text xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'>too big</text></error></iq>
      """)
    let error = StanzaError(type: "modify", condition: "not-acceptable", text: "too big")
    #expect(talk.actions == [.answered("r2", .refused(error))])
    #expect(talk.deeds() == ["r2 refused (not-acceptable: “too big”)"])
  }

  /// The names of what was answered since the last time.
  private func answered(_ talk: inout Talk) -> [String] {
    defer { _ = talk.deeds() }
    return talk.actions.compactMap { if case .answered(let name, _) = $0 { name } else { nil } }
  }

  @Test("Two requests with one id have different names, at once and one after the other")
  func names() {
    var talk = Talk()
    talk.goesOnline(counts: false)
    let request = element("<iq type='get' id='q'><q xmlns='x'/></iq>")
    var names: [String] = []
    func submits() {
      talk.happens { machine in
        let (name, result) = machine.submitted(request)
        names.append(name)
        return result
      }
    }
    submits()
    submits()
    #expect(Set(names).count == 2)
    talk.hears("<iq type='result' id='\(names[1])'/><iq type='result' id='q'/>")
    #expect(answered(&talk) == [names[1], names[0]])
    // The id is free again, but the first answer may not have been delivered yet.
    submits()
    #expect(talk.deeds() == [#"<iq type="get" id="q"><q xmlns="x"/></iq>"#])
    talk.hears("<iq type='result' id='q'/>")
    #expect(answered(&talk) == [names[2]])
    #expect(Set(names).count == 3)
  }

  @Test("An id that the application chose is not chosen again while its request is open")
  func chosen() {
    var talk = Talk()
    talk.goesOnline(counts: false)
    for id in ["r3", "r4"] {
      talk.happens {
        $0.submitted(element("<iq type='get' id='\(id)'><q xmlns='x'/></iq>")).result
      }
    }
    talk.happens { $0.pinged().result }
    let ids = talk.deeds().map { LoginScript.id($0, before: "><") }
    #expect(ids.count == 3 && Set(ids).count == 3, "\(ids)")
    #expect(ids.first == "r3")
  }

  @Test("A request without an id gets one, and so does one whose id is taken")
  func ids() {
    var talk = Talk()
    talk.goesOnline(counts: false)
    let (without, taken) = (
      "<iq type='get'><q xmlns='x'/></iq>", "<iq type='get' id='q'><q xmlns='x'/></iq>"
    )
    for xml in [without, taken, taken] { talk.happens { $0.submitted(element(xml)).result } }
    #expect(
      talk.deeds() == [
        #"<iq type="get" id="r2"><q xmlns="x"/></iq>"#,
        #"<iq type="get" id="q"><q xmlns="x"/></iq>"#,
        #"<iq type="get" id="r4"><q xmlns="x"/></iq>"#,
      ])
    talk.hears("<iq type='result' id='r4'/><iq type='result' id='q'/><iq type='result' id='r3'/>")
    #expect(talk.deeds() == ["answered well", "answered well"])
  }

  @Test("A message is acknowledged when the server's count reaches it")
  func acknowledged() {
    var talk = Talk()
    talk.goesOnline()
    for number in 1...3 {
      talk.happens { $0.submitted(element("<message id='m\(number)'/>")).result }
    }
    #expect(
      talk.deeds() == [
        #"<message id="m1"/>"#, #"<r xmlns="urn:xmpp:sm:3"/>"#, #"<message id="m2"/>"#,
        #"<message id="m3"/>"#,
      ])
    talk.hears("<a xmlns='urn:xmpp:sm:3' h='0'/>")
    #expect(talk.deeds() == [])
    talk.hears("<a xmlns='urn:xmpp:sm:3' h='2'/>")
    #expect(
      talk.deeds() == [#"<r xmlns="urn:xmpp:sm:3"/>"#, "r2 acknowledged", "r3 acknowledged"])
    talk.hears("<a xmlns='urn:xmpp:sm:3' h='3'/>")
    #expect(talk.deeds() == ["r4 acknowledged"])
  }

  @Test("A server that counts nothing acknowledges nothing")
  func uncounted() {
    var talk = Talk()
    talk.goesOnline(counts: false)
    talk.happens { $0.submitted(element("<message/>")).result }
    #expect(talk.deeds() == ["<message/>", "r2 written"])
  }

  @Test("If the server turns out not to count, a stanza that was sent before is only written")
  func countingRefused() {
    var talk = Talk()
    talk.authenticates()
    talk.hears(Talk.features(Talk.bind + Talk.counting))
    talk.hears(Talk.bound("r1"))
    _ = talk.deeds()
    talk.happens { $0.submitted(element("<message/>")).result }
    #expect(talk.deeds() == ["<message/>"])
    talk.hears("<failed xmlns='urn:xmpp:sm:3'/>")
    #expect(talk.deeds() == ["r2 written"])
  }

  @Test("A resumed session sends a stanza again, but no caller waits for it any longer")
  func resumed() throws {
    var talk = Talk()
    talk.goesOnline()
    talk.happens { $0.submitted(element("<message id='m'/>")).result }
    talk.happens { $0.disconnected(.lost(reason: "it was closed")) }
    let resumption = try #require(talk.machine.resumption)
    var next = Talk(Talk.login { $0.resumption = resumption })
    next.authenticates()
    next.hears(Talk.features(Talk.bind + Talk.counting))
    _ = next.deeds()
    next.hears("<resumed xmlns='urn:xmpp:sm:3' previd='some-id' h='0'/>")
    #expect(
      next.deeds() == ["resumed", #"<message id="m"/>"#, #"<r xmlns="urn:xmpp:sm:3"/>"#])
    next.hears("<a xmlns='urn:xmpp:sm:3' h='1'/>")
    #expect(next.deeds() == [])
  }

  @Test("A request of a resumed session keeps its id, which no other request gets")
  func resumedRequest() throws {
    var talk = Talk()
    talk.goesOnline()
    let request = element("<iq type='get' id='q' to='x.test'><q xmlns='x'/></iq>")
    talk.happens { $0.submitted(request).result }
    talk.happens { $0.disconnected(.lost(reason: "it was closed")) }
    let resumption = try #require(talk.machine.resumption)
    var next = Talk(
      Talk.login {
        $0.resumption = resumption
        $0.idPrefix = "s"
      })
    next.authenticates()
    next.hears(Talk.features(Talk.bind + Talk.counting))
    next.hears("<resumed xmlns='urn:xmpp:sm:3' previd='some-id' h='0'/>")
    _ = next.deeds()
    // The application tries again.
    next.happens { $0.submitted(request).result }
    #expect(next.deeds().first?.contains("id=\"q\"") == false)
    next.hears("<iq type='result' id='q' from='x.test'/>")
    #expect(answered(&next) == ["r2"])
    // What answers for the session is still known.
    next.happens { $0.submitted(element("<iq type='get' id='p'><q xmlns='x'/></iq>")).result }
    _ = next.deeds()
    next.hears("<iq type='result' id='p' from='alice@example.test/tablet'/>")
    #expect(answered(&next) == [])
    next.hears("<iq type='result' id='p' from='alice@example.test/phone'/>")
    #expect(answered(&next).count == 1)
  }

  @Test("Without a session nothing is sent")
  func offline() {
    var talk = Talk()
    talk.happens { $0.submitted(element("<message/>")).result }
    #expect(talk.deeds() == ["answered there is no session"])
  }

  // MARK: What can be sent

  private static let client = "jabber:client"

  private static func text(_ text: String) -> XMPPElement {
    .element("message", client, [], [.element("body", client, text: text)])
  }

  private static let stanzas: [(String, XMPPElement, canBeSent: Bool)] = [
    ("a message", element("<message><body>好 &amp; &lt;</body></message>"), true),
    ("an empty message", element("<message/>"), true),
    ("presence", element("<presence type='unavailable'/>"), true),
    ("a request", element("<iq type='get'><q xmlns='x'/></iq>"), true),
    ("an empty text", text(""), true),
    ("white space", text("a\tb\r\nc"), true),
    ("the last characters", text("\u{FFFD}\u{10FFFF}"), true),
    ("another element", element("<query xmlns='jabber:iq:roster'/>"), false),
    ("a stanza of a server", element("<message xmlns='jabber:server'/>"), false),
    ("stream management", element("<r xmlns='urn:xmpp:sm:3'/>"), false),
    ("an iq without a type", element("<iq id='1'/>"), false),
    ("an iq of another type", element("<iq id='1' type='subscribe'><q xmlns='x'/></iq>"), false),
    ("a request for nothing", element("<iq type='get' id='1'/>"), false),
    (
      "two requests in one", element("<iq type='set' id='1'><q xmlns='x'/><q xmlns='x'/></iq>"),
      false
    ),
    // The session answers what it is asked.
    ("an answer", element("<iq type='result' id='1'/>"), false),
    ("an error", element("<iq type='error' id='1'/>"), false),
    ("a null byte", text("a\u{0}"), false), ("an escape character", text("\u{1B}[2J"), false),
    ("no character", text("\u{FFFE}"), false),
    ("a name with a space", .element("message", client, [("a b", "c")]), false),
    ("a child without a name", .element("message", client, [], [.element("", "x")]), false),
    (
      "a child that ends the stream", .element("message", client, [], [.element("a/><b", "x")]),
      false
    ),
    (
      "too deep",
      .element(
        "message", client, [],
        [(0..<300).reduce(.element("a", "x")) { inner, _ in .element("a", "x", [], [inner]) }]),
      false
    ),
  ]

  @Test("Only a stanza that every server can read is sent", arguments: stanzas.indices)
  func stanza(_ index: Int) {
    let (what, stanza, canBeSent) = Self.stanzas[index]
    #expect((stanza.faultAsStanza == nil) == canBeSent, "\(what): \(stanza.faultAsStanza ?? "")")
  }
}
