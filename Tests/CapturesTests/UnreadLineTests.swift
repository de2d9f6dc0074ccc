import Captures
import Testing
import XMPPStanza

/// No line with a stanza is skipped without being counted.
@Suite("Lines that were not read")
struct UnreadLineTests {
  private func unread(_ text: String, _ format: String) throws -> (Reading, UnreadLines) {
    var reading = Reading()
    var reader = CaptureReader(format: try #require(CaptureFormat.named(format)))
    try reader.read(Array(text.utf8)) { reading.outputs.append($0) }
    try reader.finish { reading.outputs.append($0) }
    return (reading, reader.unread)
  }

  private static let stanza = "<presence from='bob@example.test/x' to='alice@example.test/pc'/>"

  struct Log: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let format: String
    /// A line with a stanza that is a record.
    let record: String
  }

  static let logs = [
    Log(testDescription: "slixmpp", format: "slixmpp", record: "DEBUG    RECV: \(stanza)"),
    Log(
      testDescription: "XMPPFramework", format: "xmppframework",
      record: "2026-11-21 07:19:12.123 App[123:456] RECV: \(stanza)"),
    Log(
      testDescription: "Smack", format: "smack", record: "07:19:12 RECV (0): \(stanza)"),
    Log(
      testDescription: "Prosody", format: "prosody-debug",
      record: "Nov 21 07:02:24 c2s56226dc4bbc0\tdebug\tSEND: \(stanza)"),
    Log(
      testDescription: "libpurple", format: "libpurple",
      record: "(07:19:12) jabber: Recv (\(stanza.utf8.count)): \(stanza)"),
  ]

  @Test(
    "A line with a stanza that begins no record is counted, and the first one is reported",
    arguments: logs)
  func counted(_ log: Log) throws {
    let text = """
      \(log.record)
      somebody's own words, \(Self.stanza)
      \(log.record)
      no stanza here: <html>
      and once more: <iq type="get" id="1">
      """
    let (reading, unread) = try unread(text + "\n", log.format)
    #expect(reading.elements.count == 2)
    #expect(unread.count == 2)
    #expect(unread.first == 2)
  }

  @Test("A stanza inside a record, or a program's message about one, is not counted")
  func notCounted() throws {
    let message =
      "DEBUG    RECV: <message from='b@a.test/x' to='a@a.test/y'><forwarded xmlns='urn:xmpp:forward:0'>"
    let text = """
      \(message)
      <message xmlns='jabber:client'/>
      </forwarded></message>
      DEBUG    sending <iq from=None to=None id=':uL5' type=<IQType.SET: 'set'>>
      """
    let (reading, unread) = try unread(text, "slixmpp")
    #expect(reading.elements.count == 1)
    #expect(unread.count == 0)
  }

  @Test("The head tags that Prosody repeats, and the sessions of other servers, are not counted")
  func prosody() throws {
    let text = """
      Nov 21 07:02:24 c2s56226dc4bbc0\tdebug\tReceived[c2s]: <presence id='1'>
      Nov 21 07:02:24 s2sin56226dc4bbc0\tdebug\tRECV: \(Self.stanza)
      Nov 21 07:02:24 c2s56226dc4bbc0\tdebug\tSEND: \(Self.stanza)
      """
    let (reading, unread) = try unread(text, "prosody-debug")
    #expect(reading.elements.count == 1)
    #expect(unread.count == 0)
  }

  @Test("A stanza after a record on its line is counted, once for each line")
  func restOfALine() throws {
    let ejabberd =
      "2026-11-21 07:25:14.147 [debug] <0.5.0>@x:y:1 (tcp|<0.5.0>) Send XML on stream = "
    for (head, end, format) in [
      ("\(ejabberd)<<\"", "\">>", "ejabberd"), ("DEBUG:x:RECV b\"", "\"", "aioxmpp"),
      ("07:19:12 RECV (0): ", "", "smack"),
    ] {
      let record = head + Self.stanza + end
      let text = """
        \(record)
        \(record) so \(Self.stanza) and \(Self.stanza)
        \(record) and no stanza
        \(record)
        """
      let (reading, unread) = try unread(text, format)
      #expect(reading.elements.count == 4)
      #expect(unread.count == 1)
      #expect(unread.first == 2)
    }
  }

  @Test("A log whose quotes a structured logger escaped is read as pasted text")
  func escapedQuotes() throws {
    let stanzas = [
      #"SEND: <iq type=\"set\" id=\"b1\"><bind xmlns=\"urn:ietf:params:xml:ns:xmpp-bind\"/></iq>"#,
      #"RECV: <iq type=\"result\" id=\"b1\" to=\"alice@example.test/pc\"/>"#,
      "SEND: <presence/>",
      #"RECV: <presence from=\"bob@example.test/x\" to=\"alice@example.test/pc\"/>"#,
    ]
    let text = stanzas.map { "time=\"2026-11-21T10:00:00Z\" level=debug msg=\"\($0)\"\n" }.joined()
    #expect(CaptureFormat.detect(Array(text.utf8))?.id == "pasted")
    #expect(try unread(text, "pasted").0.elements.count == 4)
    // Single quotes are not escaped.
    let whole = text.replacing("\\\"", with: "'")
    #expect(CaptureFormat.detect(Array(whole.utf8))?.id == "slixmpp")
  }

  // MARK: Counts of bytes

  private static func received(_ xml: String, count: Int? = nil) -> String {
    "(23:06:10) jabber: Recv (ssl)(\(count ?? xml.utf8.count)): \(xml)\n"
  }

  private static let sent =
    "(23:06:11) jabber: Sending (ssl) (alice@example.test/pc): <presence/>\n"

  @Test(
    "A wrong byte count is not trusted, and neither is any later one",
    arguments: [-40, 9, 4000])
  func wrongCount(_ error: Int) throws {
    let count = Self.stanza.utf8.count
    let text =
      Self.received(Self.stanza, count: count + error) + Self.sent
      + Self.received(Self.stanza, count: count + error) + Self.received(Self.stanza)
    let (reading, unread) = try unread(text, "libpurple")
    #expect(reading.elements.map(\.first) == ["<", ">", "<", "<"])
    #expect(Set(reading.records.map(\.connection)).count == 1)
    #expect(unread.count == 0)
  }

  @Test("A byte count that ends at a later line by chance swallows no record")
  func countByChance() throws {
    let count = Self.stanza.utf8.count + 1 + Self.sent.utf8.count - 1
    let text = Self.received(Self.stanza, count: count) + Self.sent + Self.received(Self.stanza)
    let (reading, _) = try unread(text, "libpurple")
    #expect(reading.elements.map(\.first) == ["<", ">", "<"])
  }

  @Test("A stanza of several lines is complete although its byte count is wrong")
  func severalLines() throws {
    let message =
      "<message from='b@a.test/x' to='alice@example.test/pc'><body>one\ntwo</body></message>"
    let text =
      Self.sent + Self.received(message, count: 3) + Self.sent + Self.received(Self.stanza)
    let (reading, _) = try unread(text, "libpurple")
    #expect(reading.elements.map(\.first) == [">", "<", ">", "<"])
    #expect(reading.elements.contains("< \(message)"))
  }
}
