import Captures
import Foundation
import Testing
import XMPPStanza
import XMPPStream

@Suite("What lets one log in leaves no reader")
struct CredentialTests {
  private func element(_ xml: String) throws -> StreamElement {
    var found: [StreamElement] = []
    let parser = StreamParser(root: .records, limits: .capture)
    try parser.feed(Array(xml.utf8)) { event in
      if case .element(let element) = event { found.append(element) }
    }
    try parser.finish()
    return try #require(found.first)
  }

  private func clean(_ xml: String) throws -> String {
    let element = try element(xml)
    let (node, bytes) = withoutCredentials(element.node, element.bytes)
    // What came out is what its bytes say, and has nothing more to take out.
    #expect(try self.element(String(decoding: bytes, as: UTF8.self)).node == node)
    let again = withoutCredentials(node, bytes)
    #expect(again.node == node)
    #expect(again.bytes == bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let sasl = "urn:ietf:params:xml:ns:xmpp-sasl"

  /// Elements with `S3CRET` in every place that must be emptied, and `keep` where nothing may go.
  static let secrets = [
    "<auth xmlns='\(sasl)' mechanism='keep'>S3CRET</auth>",
    "<auth xmlns='\(sasl)' mechanism='keep'><![CDATA[S3CRET]]></auth>",
    "<response xmlns='\(sasl)'>S3CRET<keep-not>S3CRET</keep-not></response><!--keep-->",
    "<challenge xmlns='\(sasl)'>S3CRET</challenge>", "<success xmlns='\(sasl)'>S3CRET</success>",
    """
    <authenticate xmlns='urn:xmpp:sasl:2' mechanism='keep'>\
    <initial-response>S3CRET</initial-response><user-agent id='keep'/></authenticate>
    """,
    "<response xmlns='urn:xmpp:sasl:2'>S3CRET</response>",
    "<challenge xmlns='urn:xmpp:sasl:2'>S3CRET</challenge>",
    """
    <success xmlns='urn:xmpp:sasl:2'><additional-data>S3CRET</additional-data>\
    <authorization-identifier>keep@a.test</authorization-identifier>\
    <token xmlns='urn:xmpp:fast:0' expiry='keep' token='S3CRET'/></success>
    """,
    "<continue xmlns='urn:xmpp:sasl:2'><additional-data>S3CRET</additional-data></continue>",
    """
    <iq><query xmlns='jabber:iq:auth'><username>keep</username><password>S3CRET</password>\
    <digest>S3CRET</digest><resource>keep</resource></query></iq>
    """,
    """
    <iq><query xmlns='jabber:iq:register'><username>keep</username><password>S3CRET</password>\
    <email>S3CRET</email><misc>S3CRET</misc></query></iq>
    """,
    """
    <iq><query xmlns='jabber:iq:register'><x xmlns='jabber:x:data' type='submit'>\
    <field var='FORM_TYPE'><value>keep</value></field>\
    <field var='username'><value>keep</value></field>\
    <field var='pin'><value>S3CRET</value></field></x></query></iq>
    """,
    """
    <iq><command xmlns='http://jabber.org/protocol/commands'><x xmlns='jabber:x:data'>\
    <field var='accountjid'><value>keep</value></field>\
    <field var='Password-verify'><value>S3CRET</value><value>S3CRET</value></field>\
    <field type='text-private' var='x'><value>S3CRET</value></field></x></command></iq>
    """,
    """
    <presence to='keep'><x xmlns='http://jabber.org/protocol/muc'><password>S3CRET</password>\
    </x></presence>
    """,
    "<iq><x xmlns='u' PassWord='S3CRET' other='keep'><password>S3CRET</password></x></iq>",
    """
    <message><sent xmlns='urn:xmpp:carbons:2'><forwarded xmlns='urn:xmpp:forward:0'>\
    <message xmlns='jabber:client'><body>keep</body>\
    <x xmlns='jabber:x:conference' jid='keep' password='S3CRET'/></message></forwarded></sent>\
    </message>
    """,
    """
    <iq><pubsub xmlns='http://jabber.org/protocol/pubsub'><items node='keep'><item id='keep'>\
    <conference xmlns='urn:xmpp:bookmarks:1' name='keep'><password>S3CRET</password></conference>\
    </item></items></pubsub></iq>
    """,
    """
    <iq><query xmlns='jabber:iq:private'><storage xmlns='storage:bookmarks'>\
    <conference jid='keep'><nick>keep</nick><password>S3CRET</password></conference></storage>\
    </query></iq>
    """,
    "<handshake xmlns='jabber:component:accept'>S3CRET</handshake>",
    "<handshake>S3CRET</handshake>",
    """
    <iq><services xmlns='urn:xmpp:extdisco:2'><service host='keep' username='keep' \
    password='S3CRET'/></services></iq>
    """,
    """
    <iq><slot xmlns='urn:xmpp:http:upload:0'><put url='keep'><header name='Authorization'>\
    S3CRET</header></put></slot></iq>
    """,
  ]

  @Test(
    "A secret is taken out, and what stands around it stays",
    arguments: secrets)
  func isTakenOut(_ xml: String) throws {
    let source = xml.replacing("<!--keep-->", with: "")
    let cleaned = try clean(source)
    #expect(!cleaned.contains("S3CRET"))
    #expect(cleaned.contains("urn:rollcall:removed:0"))
    let kept = source.components(separatedBy: "keep").count
    let lost = source.contains("keep-not") ? 2 : 0
    #expect(cleaned.components(separatedBy: "keep").count == kept - lost)
  }

  @Test("The mark says what was there")
  func theMarkSaysWhatWasThere() throws {
    #expect(
      try clean("<auth xmlns='\(Self.sasl)' mechanism='PLAIN'>AGEAYg==</auth>") == """
        <auth xmlns="\(Self.sasl)" mechanism="PLAIN">\
        <removed xmlns="urn:rollcall:removed:0" kind="sasl"/></auth>
        """)
  }

  @Test(
    "Where there is nothing to take out the bytes are those that came",
    arguments: [
      "<iq  type='get' ><query xmlns='jabber:iq:register'/></iq >",
      "<iq><query xmlns='jabber:iq:register'><instructions>do</instructions><username/><password/>"
        + "</query></iq>",
      "<success xmlns='\(sasl)'/>", "<auth xmlns='\(sasl)'> </auth>",
      "<message><body>my password is password</body></message>",
      "<failure xmlns='\(sasl)'><not-authorized/><text>no</text></failure>",
      "<iq><x xmlns='jabber:x:data'><field var='name'><value>x</value></field></x></iq>",
      "<iq><x xmlns='u' token='x'/></iq>", "<response xmlns='u'>x</response>",
    ])
  func whatIsHarmlessStays(_ xml: String) throws {
    #expect(try clean(xml) == xml)
  }

  @Test("The bytes of a captured element say what its tree says")
  func bothTheBytesAndTheNodeAreClean() throws {
    for fixture in Fixture.all {
      for record in try fixture.reading().records {
        guard case .element(_, let node, let bytes) = record.content else { continue }
        #expect(try element(String(decoding: bytes, as: UTF8.self)).node == node)
      }
    }
  }

  /// The accounts of the captures have this password; SASL payloads hold it in base64.
  @Test(
    "No password and no SASL payload of a capture leaves its reader",
    arguments: Fixture.all, [0, 1, 7, 1000])
  func noSecretLeavesAReader(_ fixture: Fixture, _ piece: Int) throws {
    let log = String(decoding: fixture.bytes, as: UTF8.self)
    var secrets = ["qing-chun-7"]
    for match in log.matches(of: /<(?:auth|response|challenge|success) [^>]*>([^<]+)</) {
      let payload = String(match.1)
      secrets.append(payload)
      guard let decoded = Data(base64Encoded: payload) else { continue }
      secrets.append(String(decoding: decoded, as: UTF8.self))
    }
    #expect(secrets.count > 1)
    var output = ""
    for item in try fixture.reading(pieces: piece == 0 ? [] : [piece]).outputs {
      output += String(describing: item)
      guard case .record(let record) = item,
        case .element(_, let node, let bytes) = record.content
      else { continue }
      output += String(decoding: bytes, as: UTF8.self)
      output += String(decoding: node.serialized(), as: UTF8.self)
    }
    for secret in secrets { #expect(!output.contains(secret), "\(fixture.name)") }
    #expect(output.contains("urn:rollcall:removed:0"))
  }

  @Test(
    "A record that cannot be read is reported without its content",
    arguments: ["slixmpp", "profanity", "prosody-debug", "raw-jsonl", "native"])
  func noSecretIsInAProblem(_ format: String) throws {
    let broken = "<auth xmlns='\(Self.sasl)'>S3CRET</S3CRET>"
    let json = "\"<a>S3CRET</S3CRET>\""
    let lines = [
      "slixmpp": "DEBUG    SEND: \(broken)",
      "profanity": "2026-11-21T07:00:00Z: conn: DBG: SENT: \(broken)",
      "prosody-debug": "Nov 21 07:00:00 c2s1\tdebug\tRECV: \(broken)",
      "raw-jsonl": "{\"conn\":1,\"dir\":\"C>S\",\"data\":\(json)}",
      "native": "{\"rollcall-capture\":1}\n{\"dir\":\"out\",\"xml\":\(json)}",
    ]
    let reading = try read(try #require(lines[format]), format)
    #expect(reading.problems.count == 1)
    #expect(reading.elements.isEmpty)
    #expect(!String(describing: reading).contains("S3CRET"))
  }
}
