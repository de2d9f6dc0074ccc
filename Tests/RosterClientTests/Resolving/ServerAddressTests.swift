import RosterClient
import Testing

@Suite("Server addresses") struct ServerAddressTests {
  static let read: [(text: String, host: String, port: Int)] = [
    ("example.test", "example.test", 5222),
    ("example.test.", "example.test", 5222),
    ("example.test:5269", "example.test", 5269),
    ("münchen.test:1", "xn--mnchen-3ya.test", 1),
    ("127.0.0.1:65535", "127.0.0.1", 65535),
    ("[::1]", "::1", 5222),
    ("[::1]:15222", "::1", 15222),
    ("[fe80::1%eth0]:5222", "fe80::1%eth0", 5222),
    ("my_host", "my_host", 5222),
  ]

  @Test("A host, with or without a port, is read", arguments: read)
  func isRead(text: String, host: String, port: Int) throws {
    let address = try ServerAddress(parsing: text)
    #expect(address == ServerAddress(host: host, port: port, isDirectTLS: false))
    #expect(try ServerAddress(parsing: "\(address)") == address)
  }

  @Test("Direct TLS has another default port")
  func direct() throws {
    #expect(try ServerAddress(parsing: "a.test", isDirectTLS: true).port == 5223)
    #expect(try ServerAddress(parsing: "a.test:443", isDirectTLS: true).port == 443)
  }

  static let refused: [(text: String, error: ServerAddressError)] = [
    ("", .noHost), (":5222", .noHost),
    ("a.test:", .port("")), ("a.test:0", .port("0")), ("a.test:65536", .port("65536")),
    ("a.test:+80", .port("+80")), ("a.test:xmpp", .port("xmpp")), ("a.test:٣", .port("٣")),
    ("::1", .bracketsMissing("::1")), ("::1:5222", .bracketsMissing("::1:5222")),
    ("[::1", .openBracket), ("[::1]5222", .host("[::1]5222")), ("[]", .host("[]")),
    ("[127.0.0.1]", .host("[127.0.0.1]")), ("[::1%]", .host("[::1%]")),
    ("[::1%a\0b]", .host("[::1%a\0b]")), ("127.0.0.1\0.test", .host("127.0.0.1\0.test")),
    ("a b", .host("a b")), ("a..test", .host("a..test")), ("https://a", .port("//a")),
    ("alice@a.test", .host("alice@a.test")),
  ]

  @Test("A text that names no server is refused with a reason", arguments: refused)
  func isRefused(text: String, error: ServerAddressError) {
    #expect(throws: error) { try ServerAddress(parsing: text) }
    #expect(!"\(error)".isEmpty)
  }
}
