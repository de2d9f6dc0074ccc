import Foundation
import TestSupport
import Testing

/// Secrets that are planted where programs leave them, and then searched for in every byte of every
/// file and output.
@Suite("Secrets stay out") struct SecretTests {
  private static let password = "korrekt-pferd-batterie"
  /// The payload of SASL PLAIN (RFC 4616).
  private static let plain = Data("\0alice\0\(password)".utf8).base64EncodedString()

  /// A connection that carries every kind of secret before a roster is fetched.
  private static let stream: [(direction: String, xml: String)] = [
    ("C>S", "<stream:stream to='example.test' xmlns='jabber:client' "),
    ("C>S", "xmlns:stream='http://etherx.jabber.org/streams'>"),
    ("C>S", "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>\(plain)</auth>"),
    (
      "C>S",
      "<authenticate xmlns='urn:xmpp:sasl:2' mechanism='HT-SHA-256-NONE'>"
        + "<initial-response>\(plain)</initial-response></authenticate>"
    ),
    (
      "C>S",
      "<iq type='set' id='r'><query xmlns='jabber:iq:register'><username>alice</username>"
        + "<password>\(password)</password></query></iq>"
    ),
    (
      "C>S",
      "<iq type='set' id='l'><query xmlns='jabber:iq:auth'><username>alice</username>"
        + "<digest>\(password)</digest></query></iq>"
    ),
    (
      "C>S",
      "<iq type='set' id='f'><command xmlns='http://jabber.org/protocol/commands'>"
        + "<x xmlns='jabber:x:data' type='submit'><field var='password-verify'>"
        + "<value>\(password)</value></field></x></command></iq>"
    ),
    (
      "C>S",
      "<presence to='room@muc.test/a'><x xmlns='http://jabber.org/protocol/muc'>"
        + "<password>\(password)</password></x></presence>"
    ),
    ("C>S", "<iq type='get' id='1'><query xmlns='jabber:iq:roster'/></iq>"),
  ]

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The stream as a recording proxy writes it, cut at a fixed size, with every second piece in
  /// base64, so that some payloads are in base64 inside base64.
  private func recording(cutAt size: Int) throws -> String {
    var lines = #"{"t": 1.0, "conn": 1, "event": "open"}"# + "\n"
    let bytes = Self.stream.flatMap { Array($0.xml.utf8) }
    for (number, start) in stride(from: 0, to: bytes.count, by: size).enumerated() {
      let piece = Data(bytes[start..<min(start + size, bytes.count)])
      let object: [String: Any] =
        number.isMultiple(of: 2)
        ? ["t": 2.0, "conn": 1, "dir": "C>S", "data": String(decoding: piece, as: UTF8.self)]
        : ["t": 2.0, "conn": 1, "dir": "C>S", "data_b64": piece.base64EncodedString()]
      lines +=
        String(
          decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self) + "\n"
    }
    let bound =
      "<?xml version='1.0'?><stream:stream xmlns='jabber:client' "
      + "xmlns:stream='http://etherx.jabber.org/streams'>"
      + "<iq type='result' id='b'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
      + "<jid>alice@example.test/pc</jid></bind></iq>"
    let object: [String: Any] = ["t": 3.0, "conn": 1, "dir": "S>C", "data": bound]
    return lines
      + String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self) + "\n"
  }

  private func expectNoSecret(_ data: Data, _ place: String) {
    let secrets = [
      Self.password, Self.plain, Data(Self.password.utf8).base64EncodedString(),
      Data(Self.plain.utf8).base64EncodedString(), String(Self.plain.prefix(16)),
    ]
    for secret in secrets {
      #expect(data.range(of: Data(secret.utf8)) == nil, "\(secret) is in \(place)")
    }
  }

  @Test("No secret leaks from a recording, wherever it is cut", arguments: [1, 7, 64, 100_000])
  func recorded(_ size: Int) throws {
    try recording(cutAt: size).write(
      toFile: folder.file("capture"), atomically: true, encoding: .utf8)
    let imported = try Program("import", "capture", "-o", "x.rollcall", in: folder.path)
    #expect(imported.code == 0, "\(imported.errors)")
    expectNoSecret(Data((imported.output + imported.errors).utf8), "what import says")
    for command in [["log", "--json"], ["log"], ["replay"], ["export"], ["export", "--redact"]] {
      let run = try Program(
        [command[0], "x.rollcall"] + command.dropFirst(), in: folder.path)
      #expect(run.code == 0, "\(run.errors)")
      expectNoSecret(Data((run.output + run.errors).utf8), command.joined(separator: " "))
    }
    for name in try folder.names where name != "capture" {
      expectNoSecret(try Data(contentsOf: URL(filePath: folder.file(name))), name)
    }
    // Each removed secret leaves a mark, and the bytes after it are kept.
    let log = try Program("log", "x.rollcall", "--json", in: folder.path).output
    #expect(log.components(separatedBy: "urn:rollcall:removed:0").count == 7)
    #expect(log.contains("jabber:iq:roster"))
  }

  @Test("An error about a broken record does not quote its password")
  func broken() throws {
    let text = """
      DEBUG    SEND: <iq type='set' id='r'><query xmlns='jabber:iq:register'><password>\
      \(Self.password)</password></iq>
      DEBUG    RECV: <presence from='bob@example.test/a' to='alice@example.test/pc'/>

      """
    try text.write(toFile: folder.file("capture"), atomically: true, encoding: .utf8)
    let run = try Program("log", "capture", "--json", in: folder.path)
    #expect(run.errors.contains("capture:1:"))
    #expect(run.output.contains("bob@example.test"))
    expectNoSecret(Data((run.output + run.errors).utf8), "the complaint")
  }
}
