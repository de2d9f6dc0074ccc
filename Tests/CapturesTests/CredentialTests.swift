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
    var credentials = Credentials()
    guard let clean = credentials.scrubbed(element.node) else { return xml }
    // What came out is what its bytes say, and has nothing more to take out.
    let text = String(decoding: clean.serialized(), as: UTF8.self)
    #expect(try self.element(text).node == clean)
    var fresh = Credentials()
    #expect(fresh.scrubbed(clean) == nil)
    #expect(credentials.scrubbed(clean) == nil)
    return text
  }

  private static let sasl = "urn:ietf:params:xml:ns:xmpp-sasl"

  /// Elements with `S3CRET` in every place that must be emptied, and `keep` where nothing may go.
  static let secrets =
    [
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
    ] + laterSecrets

  /// What other extensions carry, old and new.
  private static let laterSecrets = [
    "<next xmlns='urn:xmpp:sasl:1' task='keep'>S3CRET</next>",
    "<task-data xmlns='urn:xmpp:sasl:2'>S3CRET</task-data>",
    "<success xmlns='urn:xmpp:sasl:1'><additional-data>S3CRET</additional-data></success>",
    "<response xmlns='urn:example:own-sasl:7'>S3CRET</response>",
    "<initial-response xmlns='urn:example:authentication'>S3CRET</initial-response>",
    """
    <iq><pubsub xmlns='http://jabber.org/protocol/pubsub'><publish-options>\
    <x xmlns='jabber:x:data' type='submit'><field var='FORM_TYPE'><value>keep</value></field>\
    <field var='secret'><value>S3CRET</value></field></x></publish-options></pubsub></iq>
    """,
    """
    <iq><query xmlns='http://jabber.org/protocol/muc#owner'><x xmlns='jabber:x:data'>\
    <field var='muc#roomconfig_roomname'><value>keep</value></field>\
    <field var='muc#roomconfig_roomsecret'><value>S3CRET</value></field>\
    <field var='passwd'><value>S3CRET</value></field>\
    <field var='otp'><value>S3CRET</value></field></x></query></iq>
    """,
    """
    <iq><items xmlns='erlang-solutions.com:xmpp:token-auth:0'>\
    <access_token>S3CRET</access_token><refresh_token>S3CRET</refresh_token></items></iq>
    """,
    "<iq><preauth xmlns='urn:xmpp:pars:0' token='S3CRET'/></iq>",
    "<presence type='subscribe'><preauth xmlns='urn:xmpp:pars:0' token='S3CRET'/></presence>",
    """
    <iq><command xmlns='http://jabber.org/protocol/commands'><x xmlns='jabber:x:data'>\
    <field var='uri'><value>xmpp:keep@a.test?register;preauth=S3CRET;name=keep</value></field>\
    <field var='landing-url'><value>https://keep.test/invite?S3CRET</value></field>\
    </x></command></iq>
    """,
    """
    <message><x xmlns='jabber:x:oob'><url>https://keep.test/f?v=keep&amp;X-Amz-Signature=S3CRET\
    &amp;z=keep</url></x></message>
    """,
    """
    <iq><slot xmlns='urn:xmpp:http:upload:0'><put url='https://keep.test/a?v=S3CRET'/>\
    <get url='https://keep.test/a'/></slot></iq>
    """,
    """
    <iq><slot xmlns='eu:siacs:conversations:http:upload'><put>https://keep.test/a?S3CRET</put>\
    <get>https://keep.test/a</get></slot></iq>
    """,
    """
    <iq><jingle xmlns='urn:xmpp:jingle:1' sid='keep'><content><transport \
    xmlns='urn:xmpp:jingle:transports:ice-udp:1' ufrag='keep' pwd='S3CRET'/></content></jingle></iq>
    """,
    """
    <iq><description xmlns='urn:xmpp:jingle:apps:rtp:1'><encryption><crypto tag='keep' \
    key-params='inline:S3CRET'/></encryption></description></iq>
    """,
    """
    <iq><pubsub xmlns='http://jabber.org/protocol/pubsub'><publish node='keep'><item>\
    <secretkey xmlns='urn:xmpp:openpgp:0'>S3CRET</secretkey></item></publish></pubsub></iq>
    """,
    """
    <message><encrypted xmlns='urn:xmpp:esfs:0' cipher='keep'><key>S3CRET</key><iv>S3CRET</iv>\
    </encrypted></message>
    """,
    """
    <presence to='keep'><oauth xmlns='urn:xmpp:oauth:0'><oauth_nonce>keep</oauth_nonce>\
    <oauth_signature>S3CRET</oauth_signature><oauth_token>S3CRET</oauth_token></oauth></presence>
    """,
    "<db:result xmlns:db='jabber:server:dialback' from='keep' to='keep'>S3CRET</db:result>",
    "<db:verify xmlns:db='jabber:server:dialback' id='keep'>S3CRET</db:verify>",
    "<enabled xmlns='urn:xmpp:sm:3' id='S3CRET' resume='keep'/>",
    "<resume xmlns='urn:xmpp:sm:2' previd='S3CRET' h='keep'/>",
    """
    <success xmlns='urn:xmpp:sasl:2'><bound xmlns='urn:xmpp:bind:0'>\
    <enabled xmlns='urn:xmpp:sm:3' id='S3CRET'/></bound></success>
    """,
    """
    <body xmlns='http://jabber.org/protocol/httpbind' rid='keep' sid='S3CRET' key='S3CRET'/>
    """,
    "<iq><x xmlns='u' photo-url='https://keep.test/f?token=S3CRET'/></iq>",
    "<iq><fileUrl xmlns='u'>https://keep.test/f?sig=S3CRET</fileUrl></iq>",
    "<iq><x xmlns='u' redirect_uri='https://keep.test/?next=https://b.test/?token=S3CRET'/></iq>",
    "<iq><x xmlns='jabber:x:oob'><url>https://keep:S3CRET@keep.test/f</url></x></iq>",
    "<iq><x xmlns='jabber:x:oob'><url>https://a.test/?token=\u{301}S3CRET</url></x></iq>",
    """
    <iq><x xmlns='jabber:x:data'><field var='keep'><value token='S3CRET'>keep\
    <password xmlns='u'>S3CRET</password></value></field></x></iq>
    """,
    """
    <iq><password xmlns='u'><removed xmlns='urn:rollcall:removed:0' x='S3CRET'/></password></iq>
    """,
    "<resume xmlns='urn:xmpp:sm:3' previd='urn:rollcall:removed:0#S3CRET'/>",
    "<iq><x xmlns='u' token='S3CRET' client_secret='S3CRET' ApiKey='S3CRET' id='keep'/></iq>",
  ]

  @Test("A field is a secret in the answer to a form that has said so")
  func formsAreRemembered() throws {
    var credentials = Credentials()
    func field(_ type: String) -> String {
      "<iq><x xmlns='jabber:x:data'><field \(type) var='unlock'><value>S3CRET</value></field></x></iq>"
    }
    let answer = try element(field("")).node
    #expect(credentials.scrubbed(answer) == nil)
    _ = credentials.scrubbed(try element(field("type='text-private'")).node)
    let answered = credentials.scrubbed(answer)
    let clean = try #require(answered)
    #expect(!String(decoding: clean.serialized(), as: UTF8.self).contains("S3CRET"))
  }

  @Test("A form that asks for a secret without one in it is remembered, too")
  func emptyFormsAreRemembered() throws {
    var credentials = Credentials()
    let form = try element(
      "<iq><x xmlns='jabber:x:data' type='form'><field type='text-private' var='unlock'/></x></iq>")
    #expect(credentials.scrubbed(form.node) == nil)
    let answer = try element(
      "<iq><x xmlns='jabber:x:data'><field var='unlock'><value>S3CRET</value></field></x></iq>")
    #expect(credentials.scrubbed(answer.node) != nil)
  }

  @Test("The mark of a session's id is the same for the same, whoever says it")
  func idsStayEqual() throws {
    func mark(_ xml: String, _ name: StaticString) throws -> String {
      var credentials = Credentials()
      let clean = credentials.scrubbed(try element(xml).node)
      return try #require(clean?.attribute(name))
    }
    let given = try mark("<enabled xmlns='urn:xmpp:sm:3' id='one'/>", "id")
    #expect(try mark("<resume xmlns='urn:xmpp:sm:3' previd='one'/>", "previd") == given)
    #expect(try mark("<resumed xmlns='urn:xmpp:sm:3' previd='two'/>", "previd") != given)
    #expect(given.hasPrefix("urn:rollcall:removed:0#"))
  }

  @Test("Every name of a secret is seen before an element is gone through")
  func namesAreSeen() throws {
    let names = [
      "password", "passwd", "passphrase", "secret", "token", "secretkey", "privatekey", "privkey",
      "authkey", "apikey", "credential", "credentials", "pass", "pwd", "otp", "pin", "keyparams",
      "key-params", "api-key", "private_key", "auth.key", "o-tp",
    ]
    let whole: Set = ["pass", "pwd", "otp", "pin", "keyparams", "key-params", "o-tp"]
    for name in names {
      for prefix in whole.contains(name) ? [""] : ["", "x", "my-", "a_very_long_prefix_of_a_"] {
        for name in [prefix + name, (prefix + name).uppercased()] {
          #expect(!(try clean("<iq><\(name)>S3CRET</\(name)></iq>")).contains("S3CRET"), "\(name)")
          #expect(!(try clean("<iq \(name)='S3CRET'/>")).contains("S3CRET"), "\(name)")
        }
      }
    }
  }

  @Test(
    "A secret is taken out, and what stands around it stays",
    arguments: secrets)
  func isTakenOut(_ xml: String) throws {
    let source = xml.replacing("<!--keep-->", with: "")
    let cleaned = try clean(source)
    #expect(!cleaned.contains("S3CRET"))
    #expect(cleaned.contains("removed"))
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
      "<response xmlns='u'>x</response>", "<message><body>xmpp:a?;preauth=x</body></message>",
      "<iq><x xmlns='jabber:x:oob'><url>https://a.test/?token=</url></x></iq>",
      "<iq><x xmlns='jabber:x:oob'><url>https://a.test/f?size=1&amp;v=2</url></x></iq>",
      "<iq><ping xmlns='urn:xmpp:ping'/></iq>", "<enable xmlns='urn:xmpp:sm:3' resume='true'/>",
      "<iq><slot xmlns='urn:xmpp:http:upload:0'><get url='https://a.test/b'/></slot></iq>",
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
