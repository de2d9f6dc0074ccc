@testable import RosterClient
import TestSupport
import Testing
import XMPPStanza

/// What a service answers when a place for a file is asked for (XEP-0363 §4 and §5).
@Suite("The place for a file") struct UploadSlotTests {
  private static let get = "https://download.example.test/4a77/a.png"

  private func answer(put: String?, get: String?, _ fields: String = "") -> XMPPElement {
    let put = put.map { "<put url='\($0)'>\(fields)</put>" } ?? ""
    let get = get.map { "<get url='\($0)'/>" } ?? ""
    return element(
      "<iq type='result'><slot xmlns='urn:xmpp:http:upload:0'>\(put)\(get)</slot></iq>")
  }

  /// An address, and where it leads to; nil if it cannot be used.
  private static let addresses: [(String, String?)] = [
    ("https://up.example.test/4a77/a.png", "up.example.test 443 /4a77/a.png"),
    ("HTTPS://Up.Example.Test:5281/a?sig=1&amp;x=%20", "up.example.test 5281 /a?sig=1&x=%20"),
    ("https://up.example.test", "up.example.test 443 /"),
    ("https://up.example.test/a#part", "up.example.test 443 /a"),
    ("https://127.0.0.1:8443/a", "127.0.0.1 8443 /a"), ("https://[::1]:8443/a", "::1 8443 /a"),
    ("https://bücher.example.test/a", "xn--bcher-kva.example.test 443 /a"),
    ("http://up.example.test/a", nil), ("ftp://up.example.test/a", nil),
    ("//up.example.test/a", nil), ("/a", nil), ("", nil), ("https:///a", nil),
    ("https://user@up.example.test/a", nil), ("https://user:secret@up.example.test/a", nil),
    ("https://up.example.test:0/a", nil), ("https://up.example.test:65536/a", nil),
    ("https://up_ex ample.test/a", nil), ("https://up.example.test/a b\u{A}c", nil),
    ("https://up.example.test/" + String(repeating: "a", count: 8 << 10), nil),
  ]

  @Test("Only an address of HTTPS is used", arguments: addresses.indices)
  func address(_ index: Int) {
    let (url, expected) = Self.addresses[index]
    let slot = try? UploadSlot(answer(put: url, get: Self.get))
    #expect(slot.map { "\($0.host) \($0.port) \($0.target)" } == expected, "\(url)")
    // A client that fetches the file needs an address of the same kind.
    let other = try? UploadSlot(answer(put: "https://a.test/", get: url))
    #expect((other == nil) == (expected == nil), "\(url)")
  }

  @Test("Without both addresses there is no place")
  func missing() {
    for (put, get) in [(nil, Self.get), ("https://a.test/", nil), (nil, nil)]
      as [(String?, String?)]
    {
      #expect(throws: UploadFailure.unfitSlot("an address is missing in it")) {
        try UploadSlot(answer(put: put, get: get))
      }
    }
    #expect(throws: UploadFailure.self) {
      try UploadSlot(element("<iq type='result'/>"))
    }
  }

  /// Header fields that a service asks for, and what is sent.
  private static let fields: [(String, [UploadSlot.Field])] = [
    ("", []),
    (field("Authorization", "Basic Zm9v"), [sent("Authorization", "Basic Zm9v")]),
    (
      field("cookie", "a=b") + field("EXPIRES", "0"), [sent("cookie", "a=b"), sent("EXPIRES", "0")]
    ),
    // A line end would begin another field.
    (
      field("Authori&#10;zation", "a&#13;&#10;Host: evil.test&#10;"),
      [sent("Authorization", "aHost: evil.test")]
    ),
    (field("Host", "evil.test"), []), (field("Content-Length", "1"), []),
    (field("Transfer-Encoding", "chunked"), []), (field("Authorization2", "x"), []),
    (field(" Authorization", "x"), []), (field("", "x"), []), ("<header>x</header>", []),
    ("<header xmlns='other' name='Cookie'>x</header>", []),
  ]

  private static func field(_ name: String, _ value: String) -> String {
    "<header name='\(name)'>\(value)</header>"
  }

  private static func sent(_ name: String, _ value: String) -> UploadSlot.Field {
    UploadSlot.Field(name: name, value: value)
  }

  @Test("Only three fields are sent, each on one line", arguments: fields.indices)
  func header(_ index: Int) throws {
    let (xml, expected) = Self.fields[index]
    let slot = try UploadSlot(answer(put: "https://a.test/", get: Self.get, xml))
    #expect(slot.fields == expected)
  }

  @Test("The field Host has the port if it is not that of HTTPS")
  func host() throws {
    for (url, host) in [
      ("https://a.test/", "a.test"), ("https://a.test:443/", "a.test"),
      ("https://a.test:444/", "a.test:444"), ("https://[::1]/", "[::1]"),
      ("https://[::1]:444/", "[::1]:444"),
    ] {
      #expect(try UploadSlot(answer(put: url, get: Self.get)).hostField == host)
    }
  }

  // MARK: The service

  private static func info(_ content: String) -> XMPPElement {
    element(
      "<iq type='result'><query xmlns='http://jabber.org/protocol/disco#info'>\(content)</query></iq>"
    )
  }

  private static let feature = "<feature var='urn:xmpp:http:upload:0'/>"

  private static func form(_ type: String, _ limit: String) -> String {
    """
    <x xmlns='jabber:x:data' type='result'><field var='FORM_TYPE' type='hidden'>\
    <value>\(type)</value></field><field var='max-file-size'><value>\(limit)</value></field></x>
    """
  }

  /// What a service says about itself, whether it takes files, and how many bytes.
  private static let services: [(String, takesFiles: Bool, limit: Int?)] = [
    ("", false, nil), (feature, true, nil), ("<feature var='urn:xmpp:http:upload'/>", false, nil),
    (feature + form("urn:xmpp:http:upload:0", "1048576"), true, 1_048_576),
    (form("urn:xmpp:http:upload:0", "1048576") + feature, true, 1_048_576),
    (feature + form("urn:xmpp:http:upload:0", "much"), true, nil),
    (feature + form("another", "7"), true, nil),
    (feature + form("another", "7") + form("urn:xmpp:http:upload:0", "8"), true, 8),
    (form("urn:xmpp:http:upload:0", "1048576"), false, nil),
  ]

  @Test("A service says whether it takes files, and of which size", arguments: services.indices)
  func service(_ index: Int) {
    let (xml, takesFiles, limit) = Self.services[index]
    let service = UploadService("upload.example.test", info: Self.info(xml))
    #expect((service != nil) == takesFiles)
    #expect(service?.byteLimit == limit)
  }

  @Test("The services of a server are those without a node, and not too many")
  func candidates() {
    let many = (0..<100).map { "<item jid='s\($0).example.test'/>" }.joined()
    let items = """
      <item jid='a.example.test'/><item jid='a.example.test' node='x'/><item jid='@'/><item/>\
      <item jid='B.Example.Test' name='b'/>
      """
    func answer(_ content: String) -> XMPPElement {
      element(
        "<iq type='result'><query xmlns='http://jabber.org/protocol/disco#items'>\(content)</query></iq>"
      )
    }
    #expect(UploadService.candidates(in: answer(items)) == ["a.example.test", "b.example.test"])
    #expect(UploadService.candidates(in: answer(many)).count == UploadService.candidateLimit)
    #expect(UploadService.candidates(in: element("<iq type='result'/>")) == [])
  }
}
