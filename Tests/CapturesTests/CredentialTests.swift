@testable import Captures
import Foundation
import TestSupport
import Testing
import XMPPStanza
import XMPPStream

@Suite("Readers remove credentials")
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
    // The result equals its parsed bytes, and has no further secrets.
    let text = String(decoding: clean.serialized(), as: UTF8.self)
    #expect(try self.element(text).node == clean)
    var fresh = Credentials()
    #expect(fresh.scrubbed(clean) == nil)
    #expect(credentials.scrubbed(clean) == nil)
    return text
  }

  private static let sasl = "urn:ietf:params:xml:ns:xmpp-sasl"

  @Test("A field is secret in the answer to a form that declared it secret")
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

  @Test("A form that asks for a secret but has none is also remembered")
  func emptyFormsAreRemembered() throws {
    var credentials = Credentials()
    let form = try element(
      "<iq><x xmlns='jabber:x:data' type='form'><field type='text-private' var='unlock'/></x></iq>")
    #expect(credentials.scrubbed(form.node) == nil)
    let answer = try element(
      "<iq><x xmlns='jabber:x:data'><field var='unlock'><value>S3CRET</value></field></x></iq>")
    #expect(credentials.scrubbed(answer.node) != nil)
  }

  private static let acknowledgements = [
    "<r xmlns='urn:xmpp:sm:3'/>", "<r xmlns=\"urn:xmpp:sm:2\"></r>",
    "<a xmlns='urn:xmpp:sm:3' h='17'/>", "<a h='4294967295' xmlns='urn:xmpp:sm:2'/>",
    "<a xmlns='urn:xmpp:sm:3'/>", "<a xmlns='urn:xmpp:sm:3' h=''/>",
  ]

  @Test("An acknowledgement cannot hold a secret", arguments: acknowledgements)
  func nothingSecret(_ xml: String) throws {
    #expect(try element(xml).node.isAcknowledgement)
    #expect(try clean(xml) == xml)
  }

  @Test(
    "An element with any other content is not a mere acknowledgement",
    arguments: [
      "<r xmlns='urn:xmpp:sm:3' id='1'/>", "<a xmlns='urn:xmpp:sm:3' h='17' id='S3CRET'/>",
      "<a xmlns='urn:xmpp:sm:3' h='S3CRET'/>", "<a xmlns='urn:xmpp:sm:3' h='42949672950'/>",
      "<a xmlns='urn:xmpp:sm:3' previd='1'/>", "<r xmlns='urn:xmpp:sm:3'>S3CRET</r>",
      "<r xmlns='urn:xmpp:sm:3'><r xmlns='urn:xmpp:sm:3'/></r>", "<r xmlns='urn:xmpp:sm:1'/>",
      "<r/>", "<R xmlns='urn:xmpp:sm:3'/>", "<resume xmlns='urn:xmpp:sm:3' h='1' previd='S'/>",
      "<enabled xmlns='urn:xmpp:sm:3' id='S3CRET' resume='true'/>",
    ])
  func noAcknowledgement(_ xml: String) throws {
    #expect(try !element(xml).node.isAcknowledgement)
  }

  @Test("Equal session ids get equal marks, in any element")
  func idsStayEqual() throws {
    func mark(_ xml: String, _ name: WantedName) throws -> String {
      var credentials = Credentials()
      let clean = credentials.scrubbed(try element(xml).node)
      return try #require(clean?.attribute(name))
    }
    let given = try mark("<enabled xmlns='urn:xmpp:sm:3' id='one'/>", "id")
    #expect(try mark("<resume xmlns='urn:xmpp:sm:3' previd='one'/>", "previd") == given)
    #expect(try mark("<resumed xmlns='urn:xmpp:sm:3' previd='two'/>", "previd") != given)
    #expect(given.hasPrefix("urn:rollcall:removed:0#"))
  }

  @Test("Every name of a secret causes its element to be searched")
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
    "A secret is removed, and the rest of its element is kept",
    arguments: SecretPlaces.elements)
  func isTakenOut(_ xml: String) throws {
    let source = xml.replacing("<!--keep-->", with: "")
    let cleaned = try clean(source)
    #expect(!cleaned.contains("S3CRET"))
    #expect(cleaned.contains("removed"))
    let kept = source.components(separatedBy: "keep").count
    let lost = source.contains("keep-not") ? 2 : 0
    #expect(cleaned.components(separatedBy: "keep").count == kept - lost)
  }

  @Test(
    "Lifecycle lines and stream headers have no secrets either",
    arguments: [
      #"{"stream":"connected","to":"wss://keep:S3CRET@keep.test/ws?token=S3CRET&v=keep"}"#,
      #"{"stream":"closed","reason":"keep http://keep.test/?sig=S3CRET keep"}"#,
      #"{"dir":"out","xml":"<stream:stream xmlns:stream='http://etherx.jabber.org/streams' to='ke&quot;ep' token='S3CRET' xml:lang='keep' xmlns:x='urn:x' x:password='S3CRET' x:b=\"ke'ep\">"}"#,
    ])
  func besideElements(_ line: String) throws {
    let reading = try read("{\"rollcall-capture\":1}\n" + line, "native")
    let record = try #require(reading.records.last)
    let text =
      switch record.content {
      case .lifecycle(let lifecycle): String(decoding: lifecycle.bytes, as: UTF8.self)
      case .streamHeader(_, let node, let bytes):
        "\(node.attributes) \(String(decoding: bytes, as: UTF8.self))"
      default: "\(record)"
      }
    #expect(!text.contains("S3CRET"))
    #expect(text.contains("removed"))
    switch record.content {
    case .lifecycle:
      let kept = text.components(separatedBy: "keep").count
      #expect(kept == line.components(separatedBy: "keep").count)
    case .streamHeader(_, let node, let bytes):
      #expect(node.attributes.map(\.value).filter { $0.contains("ke") }.count == 3)
      // The header can be written and read again.
      let capture = "{\"rollcall-capture\":1}\n" + NativeWriterLine(bytes).text
      guard case .streamHeader(_, let again, _) = try read(capture, "native").records.last?.content
      else {
        Issue.record("it is no longer a header")
        return
      }
      #expect(again == node)
    default: Issue.record("\(record)")
    }
  }

  /// The line of a native capture that holds a record's bytes.
  private struct NativeWriterLine {
    let text: String

    init(_ bytes: [UInt8]) {
      var line: [UInt8] = []
      NativeWriter.append(
        time: nil, on: NativeConnection(number: 1), .outbound, xml: bytes.span.bytes, to: &line)
      text = String(decoding: line, as: UTF8.self)
    }
  }

  @Test("The mark has the kind of the secret")
  func theMarkSaysWhatWasThere() throws {
    #expect(
      try clean("<auth xmlns='\(Self.sasl)' mechanism='PLAIN'>AGEAYg==</auth>") == """
        <auth xmlns="\(Self.sasl)" mechanism="PLAIN">\
        <removed xmlns="urn:rollcall:removed:0" kind="sasl"/></auth>
        """)
  }

  private static let landingPages = [
    ("https://a.test/invite?x", "https://a.test/removed"), ("https://a.test", nil),
    ("https://a.test/", nil), ("https://a.test/removed", nil),
    ("http://u:p@a.test:5281/i#x", "http://a.test/removed"),
    ("https://[2001:db8::1]:443/i", "https://[2001:db8::1]/removed"),
    ("https://a.test:443", "https://a.test"), ("https://u@a.test", "https://a.test"),
    (#"https://a.test\i\x"#, "https://a.test/removed"),
    ("https://a.test https://b.test/x", "https://a.test/removed"),
    ("https:/a.test/x", "removed"), ("a.test/x", "removed"), ("removed", nil), (" ", nil),
    ("xmpp:a.test?register;preauth=x", "xmpp:a.test?register;preauth=removed"),
  ]

  @Test("A landing page's address keeps only its scheme and host", arguments: landingPages)
  func landingPage(_ address: String, _ expected: String?) throws {
    let xml = "<iq><landing-url xmlns='u'>\(address)</landing-url></iq>"
    let cleaned = try clean(xml)
    #expect(
      cleaned
        == (expected.map { xml.replacing(address, with: $0).replacing("'", with: "\"") } ?? xml))
  }

  @Test("The id of a request to confirm leaves no digest, and is removed as a whole word only")
  func transactions() throws {
    func stanza(_ id: String, _ body: String) -> String {
      "<message><body>\(body)</body><confirm xmlns=\"http://jabber.org/protocol/http-auth\" "
        + "id=\"\(id)\"/></message>"
    }
    let mark = "urn:rollcall:removed:0"
    #expect(
      try clean(stanza("7", "7, 77 and x7: (7)")) == stanza(mark, "removed, 77 and x7: (removed)"))
    // A long id is found by its beginning and removed with the rest of its word.
    let long = String(repeating: "ab", count: 200)
    #expect(try clean(stanza(long, "\(long)! it is")) == stanza(mark, "removed it is"))
  }

  @Test("The number and length of compared ids are bounded, so that no stanza is costly")
  func comparisons() throws {
    // Only sixteen bytes of an id: a word that begins with them is removed, whatever follows.
    let text = "0123456789abcde, 0123456789abcdef, 0123456789abcdefg and 0123456789abcdefXYZ"
    #expect(SecretParameters.without(word: "0123456789abcdef", in: text) != nil)
    #expect(
      SecretParameters.without(word: "0123456789abcdefXYZ", in: text)
        == "0123456789abcde, removed removed and removed")
    // At most two different ids of a stanza.
    func stanza(_ ids: [String]) -> String {
      "<message><body>one two three</body>"
        + ids.map { "<confirm xmlns='http://jabber.org/protocol/http-auth' id='\($0)'/>" }.joined()
        + "</message>"
    }
    for (ids, body) in [
      (["one", "two", "three"], "removed removed three"),
      (["one", "one", "one", "two", "three"], "removed removed three"),
      (["one", "one"], "removed two three"),
    ] {
      #expect(try clean(stanza(ids)).contains("<body>\(body)</body>"), "\(ids)")
    }
  }

  @Test("Endless schemes and ids are searched once")
  func costs() throws {
    let schemes = String(repeating: "aesgcm:", count: 20_000)
    #expect(
      try clean("<message><body>\(schemes)#x</body></message>").hasSuffix(
        "#removed</body></message>"))
    let id = String(repeating: "a", count: 50_000)
    let xml =
      "<message><body>\(id)\(id)</body>"
      + "<confirm xmlns='http://jabber.org/protocol/http-auth' id='\(id)'/></message>"
    #expect(try !clean(xml).contains("aaa"))
  }

  @Test(
    "An element without secrets keeps its bytes",
    arguments: [
      "<iq  type='get' ><query xmlns='jabber:iq:register'/></iq >",
      "<iq><query xmlns='jabber:iq:register'><instructions>do</instructions><username/><password/>"
        + "</query></iq>",
      "<success xmlns='\(sasl)'/>", "<auth xmlns='\(sasl)'> </auth>",
      "<message><body>my password is password</body></message>",
      "<failure xmlns='\(sasl)'><not-authorized/><text>no</text></failure>",
      "<iq><x xmlns='jabber:x:data'><field var='name'><value>x</value></field></x></iq>",
      "<response xmlns='u'>x</response>", "<message><body>xmpp:a?;preauth=x</body></message>",
      "<message><body>aesgcm: is a scheme #1</body></message>",
      "<message><body>https://a.test/aesgcm#x:y xaesgc:#z</body></message>",
      "<message><body>aesgcm://a.test/f#</body></message>",
      "<message><x xmlns='http://jabber.org/protocol/muc#user'><invite to='a@b.test'><reason>"
        + "https://a.test/agenda</reason></invite></x></message>",
      "<iq><confirm xmlns='http://jabber.org/protocol/http-auth' url='https://a.test/b'/></iq>",
      "<iq><x xmlns='jabber:x:oob'><url>https://a.test/?token=</url></x></iq>",
      "<iq><x xmlns='jabber:x:oob'><url>https://a.test/f?size=1&amp;v=2</url></x></iq>",
      "<iq><ping xmlns='urn:xmpp:ping'/></iq>", "<enable xmlns='urn:xmpp:sm:3' resume='true'/>",
      "<iq><slot xmlns='urn:xmpp:http:upload:0'><get url='https://a.test/b'/></slot></iq>",
    ])
  func whatIsHarmlessStays(_ xml: String) throws {
    #expect(try clean(xml) == xml)
  }

  @Test("The bytes of a captured element parse to its tree")
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
