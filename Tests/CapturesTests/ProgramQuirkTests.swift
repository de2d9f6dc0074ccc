import Captures
import Testing
import XMPPStanza

@Suite("Quirks of single programs")
struct ProgramQuirkTests {
  static let push =
    "<iq type='set' id='p1' from='alice@example.test' to='alice@example.test/pc'>"
    + "<query xmlns='jabber:iq:roster' ver='2'><item jid='carol@example.test' name='小美' "
    + "subscription='none'/></query></iq>"

  /// Monal of 2020 prints received elements as dictionaries, and sent ones unchanged.
  @Test("A log of an old Monal is reported to have only the names of elements")
  func namesOfElementsAreNotARoster() throws {
    let received = """
      2026/11/21 07:19:12:123  RECV Stanza: {
          stanzaNameSpace = "jabber:client";
          stanzaType = iq;
      }

      """
    let sent = "2026/11/21 07:19:12:123  SEND: <iq type='get' id='1'/>\n"
    let log = String(repeating: received + sent, count: 4)
    #expect(CaptureFormat.detect(Array(log.utf8))?.id == "monal")
    let reading = try read(log, "monal")
    #expect(reading.elements == Array(repeating: "> <iq type='get' id='1'/>", count: 4))
    #expect(reading.problems.map(\.line) == [1])
    #expect(reading.problems.first?.message.contains("no roster can be had") == true)
  }

  /// Monal and XMPPFramework log the XML declaration separately, and XMPPFramework logs a header as
  /// an empty element.
  @Test(
    "An XML declaration may be logged separately, and a header as an empty element",
    arguments: [
      ("xmppframework", "RECV", "SEND"), ("monal", "RECV Stanza", "SEND"),
      ("monal", "RECV Stanza", "IDEMPOTENT_SEND"),
    ])
  func aDeclarationByItself(_ format: String, _ received: String, _ sent: String) throws {
    let clock = "2026-11-21 07:19:12.123 App[1:2] "
    let header =
      "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' "
      + "from='example.test' id='1' version='1.0'"
    let session = """
      \(clock)\(sent): <?xml version='1.0'?>
      \(clock)\(sent): \(header)>
      \(clock)\(received): \(header)\(format == "monal" ? ">" : "/>")
      \(clock)\(received): \(Self.push)

      """
    let reading = try read(session + session, format)
    #expect(reading.problems.isEmpty)
    #expect(reading.elements == ["< " + Self.push, "< " + Self.push])
    #expect(reading.count { if case .streamHeader = $0 { true } else { false } } == 4)
  }

  /// Beagle adds its own version after the received attributes.
  @Test("A version that Beagle writes twice is read once")
  func beaglesHeaders() throws {
    let header = { (attributes: String) in
      "<stream:stream \(attributes)  version='1.0' xmlns='jabber:client' "
        + "xmlns:stream='http://etherx.jabber.org/streams'>"
    }
    let log = """
      <!--   2026-11-21T07:19:12Z   >>>>   -->
      \(header("to='example.test' "))

      <!--   2026-11-21T07:19:12Z   <<<<   -->
      \(header("id='1' version='1.0' from='example.test' "))

      <!--   2026-11-21T07:19:12Z   <<<<   -->
      <iq type='result' id='1'>
      <query xmlns='jabber:iq:roster'>
      <item jid='carol@example.test' name='小美'/>
      </query>
      </iq>

      <!--   2026-11-21T07:19:13Z   >>>>   -->
      </stream:stream>
      """
    let reading = try read(log, "beagle")
    #expect(reading.problems.isEmpty)
    #expect(reading.count { if case .streamHeader = $0 { true } else { false } } == 2)
    #expect(reading.elements.count == 1)
    #expect(reading.count { if case .streamEnd = $0 { true } else { false } } == 1)
  }

  /// Converse.js over BOSH logs envelopes with any number of stanzas in each.
  @Test("The stanzas in BOSH envelopes are read")
  func stanzasInBOSHEnvelopesAreRead() throws {
    let body = { (content: String) in
      "<body xmlns='http://jabber.org/protocol/httpbind' rid='1'>\(content)</body>"
    }
    let inherited = Self.push.replacing("<iq", with: "<iq xmlns='jabber:client'")
    let line = { (isInbound: Bool, xml: String) in
      "%c 2026-11-21T07:19:12.123Z DEBUG: \(xml) color: \(isInbound ? "darkgoldenrod" : "darkcyan")"
    }
    let lines = [
      line(false, body("<iq xmlns='jabber:client' type='get' id='1'/><presence/>")),
      line(true, body("")),
      line(true, body("<presence xmlns='jabber:client' from='a@example.test/x'/>" + inherited)),
      line(true, body("").replacing(" rid='1'", with: " type='terminate'")),
    ]
    let reading = try read(lines.map { $0 + "\n" }.joined(), "converse")
    #expect(reading.problems.isEmpty)
    #expect(reading.elements.map(\.first) == [">", ">", "<", "<"])
    #expect(reading.count { if case .streamEnd = $0 { true } else { false } } == 1)
  }

  /// The elements of servers, components and Openfire itself are in the same file.
  @Test("Openfire's connections to servers and components are left out")
  func openfiresOtherConnectionsAreLeftOut() throws {
    let line = { (port: String, xml: String) in
      "2026-11-21T07:19:12.123Z - \(port) /127.0.0.1:5555  - SENT - (rawDebugger): \(xml)\n"
    }
    let int = "INT /127.0.0.1:????? - SENT - (  a1b2c3d4): \(Self.push)\n"
    let log =
      line("C2S-STARTTLS", Self.push) + int + line("S2S-STARTTLS", "<presence/>")
      + line("ExComp-STARTTLS", "<presence/>")
      + "2026-11-21T07:19:12Z - C2S-STARTTLS /127.0.0.1:5555  - CLSD - (rawDebugger)\n"
      + line("C2S-STARTTLS", "<presence/>").replacing("5555", with: "6666")
    let reading = try read(log, "openfire")
    #expect(reading.problems.isEmpty)
    #expect(reading.elements == ["< " + Self.push, "< <presence/>"])
    #expect(
      reading.records.map(\.connection) == [
        "/127.0.0.1:5555", "/127.0.0.1:5555", "/127.0.0.1:6666",
      ])
    #expect(reading.records[1].content == .lifecycle(.closed(reason: nil)))
  }

  @Test("jabberd 2 names the connection on a separate line, and its router's bytes are not read")
  func jabberdConnections() throws {
    let lines = [
      "9 ready for reading", "decoded read data (5 bytes): <iq/>",
      "12 ready for reading", "decoded read data (21 bytes): <presence to='a@b.c'/>",
      "encoding 0 bytes for writing: ",
      "5 ready for writing",
      "encoding 57 bytes for writing: <route xmlns='urn:x' from='c2s' to='b.c'><iq id='x'/></route>",
      "9 ready for writing", "queueing for write: <presence/>",
      "encoding 11 bytes for writing: <presence/>",
    ]
    let log = lines.map { "Sat Nov 21 07:25:14 2026 sx (io.c:255) \($0)\n" }.joined()
    #expect(CaptureFormat.detect(Array(log.utf8))?.id == "jabberd2")
    let reading = try read(log, "jabberd2")
    #expect(reading.records.map(\.connection) == ["9", "12", "9"])
    #expect(reading.elements.map(\.first) == [">", ">", "<"])
    #expect(reading.records.allSatisfy { $0.time != nil })
  }

  @Test("Swiften's chunks may be cut anywhere, and its lines of angle brackets are not quotes")
  func swiftenChunks() throws {
    let signs = { (sign: String) in String(repeating: sign, count: 80) + "\n" }
    let log =
      signs(">") + "<iq type='get' id='r'><query xmlns='jabber:iq:roster'/></iq>\n" + signs("<")
      + "<iq type='result' id='r'><query xmlns='jabber:iq:ros\n" + signs("<")
      + "ter'><item jid='b@a.test'/></query></iq><presence from='b@a.test'/>\n"
    #expect(CaptureFormat.detect(Array(log.utf8))?.id == "swiften")
    let reading = try read(log, "swiften")
    #expect(reading.problems.isEmpty)
    #expect(reading.elements.map(\.first) == [">", "<", "<"])
    #expect(reading.elements[1].contains("jabber:iq:roster"))
  }

  @Test("The stanzas in Strophe.js's BOSH bodies are read")
  func stropheBodies() throws {
    let body = "<body xmlns='http://jabber.org/protocol/httpbind' rid='1'>"
    let log =
      "Strophe is connecting.\nSENT: \(body)<presence xmlns='jabber:client'/></body>\n"
      + "RECV: \(body)<presence xmlns='jabber:client' from='b@a.test'/><message "
      + "xmlns='jabber:client'/></body>\n"
    #expect(CaptureFormat.detect(Array(log.utf8))?.id == "strophe")
    #expect(try read(log, "strophe").elements.map(\.first) == [">", "<", "<"])
  }

  @Test("Records of Openfire's WebSockets have a connection and a time")
  func openfireSockets() throws {
    let digests = ["447b9ca3ad42f7bc78e09d35b882dfb3", "0f7b9ca3ad42f7bc78e09d35b882dfb3"]
    let log = digests.map { digest in
      let head = "2026.11.21 07:19:12 XMPPServlet - \(digest) :"
      return "\(head) onMessage : Received : <presence xmlns='jabber:client'/>\n"
        + "\(head) Delivered : \n<presence xmlns='jabber:client' from='b@a.test'/>\n"
        + "\(head) onClose : 1000 gone\n"
    }
    let reading = try read(log.joined(), "openfire")
    #expect(reading.elements.map(\.first) == [">", "<", ">", "<"])
    #expect(reading.records.map(\.connection) == digests.flatMap { [$0, $0, $0] })
    #expect(reading.records.allSatisfy { $0.time == 1_795_245_552_000 })
  }
}
