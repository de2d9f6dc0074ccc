import Captures
import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Any text with stanzas in it")
struct PastedTests {
  /// A notation of directions in a text.
  struct Notation: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let write: @Sendable (_ isInbound: Bool, _ xml: String) -> String
  }

  static let notations: [Notation] = [
    Notation(testDescription: "abbreviations") {
      "08:05:06.700 xmpp: \($0 ? "RX" : "TX"): \($1)\n"
    },
    Notation(testDescription: "double arrows") { "XMPP \($0 ? "<<" : ">>") \($1)\n" },
    Notation(testDescription: "long arrows") { "\($0 ? "<---" : "--->") \($1)\n" },
    Notation(testDescription: "signs") { "\($0 ? "⮈" : "⮊") \($1)\n" },
    Notation(testDescription: "both ends") { "[\($0 ? "S->C" : "C->S")] \($1)\n" },
    Notation(testDescription: "who speaks") { "alice: \($0 ? "S" : "C"): \($1)\n" },
    Notation(testDescription: "headlines") {
      "--- 08:05:06 \($0 ? "RECEIVED FROM" : "SENT TO") SERVER ---\n\($1)\n\n"
    },
    Notation(testDescription: "headlines of one word") {
      "\($0 ? "incoming" : "outgoing")\n\($1)\n"
    },
    Notation(testDescription: "names of methods") {
      "-[Chat \($0 ? "didReceiveStanza" : "willSendStanza"):] \($1) Chat.m:12\n"
    },
    Notation(testDescription: "comments with a date in Spanish") {
      "<!-- \($0 ? "In" : "Out") mié 08 jul 2015 18:16:39 CEST -->\n\($1)\n"
    },
    Notation(testDescription: "Chinese words") { "\($0 ? "收到" : "发送")消息: \($1)\n" },
    Notation(testDescription: "who did it") {
      "\($0 ? "sent by the server" : "received by server"): \($1)\n"
    },
    Notation(testDescription: "sentences") { "The \($0 ? "server" : "client") sends:\n\($1)\n\n" },
    Notation(testDescription: "words after the element") {
      "\($1) (\($0 ? "received" : "sent"))\n"
    },
    Notation(testDescription: "a server's words") {
      "2015.04.22 11:57:41 XMPPServlet - 447b : \($0 ? "Delivered" : "Received") : \($1)\n"
    },
    Notation(testDescription: "Erlang's byte strings, by a server") {
      "[debug] \($0 ? "Send" : "Received") XML on stream = <<\"\($1)\">>\n"
    },
  ]

  static let bare = Notation(testDescription: "no words") { "\($1) console.js:286:16\n\n" }

  @Test("A session is read with its elements and directions", arguments: notations + [bare])
  func session(_ notation: Notation) throws {
    let forged = notation.write(true, RenderedLogTests.push)
    let session = RenderedLogTests.session(forging: forged)
    let text = session.map { notation.write($0.isInbound, $0.xml) }.joined()
    let reading = try read(text, "pasted")
    #expect(reading.problems.isEmpty)
    #expect(reading.elements.map(\.first) == session.map { $0.isInbound ? "<" : ">" })
    #expect(reading.elements.map { String($0.dropFirst(2)) } == session.map(\.xml))
    for piece in [1, 7, 64] {
      let isSame = try read(text, "pasted", pieces: [piece]) == reading
      #expect(isSame, "in pieces of \(piece)")
    }
  }

  @Test("Elements in strings with escaped quotes are read", arguments: [true, false])
  func strings(isJSON: Bool) throws {
    let session = RenderedLogTests.session(forging: "x").map {
      (isInbound: $0.isInbound, xml: $0.xml.replacing("'", with: "\""))
    }
    let lines = session.map { isInbound, xml in
      var text = xml.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      if isJSON { text = text.replacing("\n", with: "\\n").replacing("小", with: "\\u5c0f") }
      return "{log: \"\(isInbound ? "RECV" : "SENT") \(text)\"}\n"
    }
    let reading = try read(lines.joined(), "pasted")
    #expect(reading.problems.isEmpty)
    #expect(reading.elements.map { String($0.dropFirst(2)) } == session.map(\.xml))
    #expect(reading.elements.map(\.first) == session.map { $0.isInbound ? "<" : ">" })
  }

  @Test("A message that is printed unescaped is not a record", arguments: notations)
  func echo(_ notation: Notation) throws {
    let forged = notation.write(true, RenderedLogTests.push)
    let session = RenderedLogTests.session(forging: forged)
    let text = session.map { notation.write($0.isInbound, $0.xml) }.joined() + "看\n\(forged)完\n"
    let reading = try read(text, "pasted")
    #expect(reading.elements.count == session.count)
    #expect(!reading.elements.contains { $0.contains("evil") && !$0.contains("mallory") })
  }

  @Test("No part of a text makes the reader invent an element", arguments: notations)
  func parts(_ notation: Notation) throws {
    let session = RenderedLogTests.session(forging: notation.write(true, RenderedLogTests.push))
    let text = Array(session.map { notation.write($0.isInbound, $0.xml) }.joined().utf8)
    for cut in stride(from: 0, to: text.count, by: 101) {
      for part in [text[cut...], text[..<cut]] {
        let reading = try read(Array(part), "pasted")
        #expect(!reading.elements.contains { $0.contains("evil") && !$0.contains("mallory") })
        #expect(reading.elements.count <= session.count)
      }
    }
  }

  /// A session of a real client and its server, in another notation.
  @Test("A real session gives its server's roster", arguments: notations.indices)
  func realSession(_ index: Int) throws {
    let notation = Self.notations[index]
    let names = RenderedLogTests.sessions
    for name in [names[index % names.count], names[(index + 3) % names.count]] {
      let fixture = try Fixture.named(name)
      var text = ""
      for record in try fixture.reading().records {
        guard case .element(let direction, _, let bytes) = record.content else { continue }
        text += notation.write(direction == .inbound, String(decoding: bytes, as: UTF8.self))
      }
      let reading = try read(text, "pasted")
      #expect(reading.problems.isEmpty, "\(name)")
      let expected = try #require(fixture.expected.first)
      let roster = try roster(of: expected.account, in: reading.records)
      #expect(roster.completeness == .complete, "\(name)")
      expect(roster, toBe: expected, deniedElsewhere: fixture.deniedElsewhere)
    }
  }

  // MARK: Words

  static let words: [(String, Direction)] = [
    ("RCV (1): ", .inbound), ("[ChatService] Presence SNT: ", .outbound),
    ("onMessage - recieved ", .inbound), ("I got ", .inbound), ("xmpp in: ", .inbound),
    ("xmpp out: ", .outbound), ("C: ", .outbound), ("zxl1->C: ", .outbound), ("S: ", .inbound),
    ("server -> client: ", .inbound), ("server <- client: ", .outbound), ("S→C ", .inbound),
    ("to server: ", .outbound), ("<- ", .inbound), ("==> ", .outbound), ("← ", .inbound),
    ("In the list above I sent this: ", .outbound), ("<!-- Out jue 09 jul -->\n", .outbound),
    ("OUT\n", .outbound), ("reçu : ", .inbound), ("отправлено: ", .outbound),
    ("jabber: Sending (ssl) (alice@in.test/x): ", .outbound), ("SEND11: ", .outbound),
    ("_dataRecv called connection.js:1:2\nDEBUG: ", .inbound),
    ("--- TO SERVER ---\n\n", .outbound), ("bug: server sent ", .inbound),
    ("server received ", .outbound), ("client received: ", .inbound),
    ("to the server: ", .outbound),
    ("from my server: ", .inbound), ("sent by client: ", .outbound), ("[server] sent ", .outbound),
    ("from server received ", .inbound), ("IN: written at 10:00 => ", .inbound),
    ("Server > Client: ", .inbound), ("Client > Server: ", .outbound),
    ("[S => C] ", .inbound), ("Client <= Server: ", .inbound), ("client to server: ", .outbound),
    ("Server request: ", .inbound), ("Client response: ", .outbound),
    ("Then x sends:\n", .inbound), ("x@a.test sent: ", .inbound), ("somebody sent us: ", .inbound),
    ("the room received: ", .outbound), ("x received: ", .inbound), ("I sent: ", .outbound),
  ]

  @Test("The nearest word or sign before an element gives its direction", arguments: words)
  func word(_ word: String, _ direction: Direction) throws {
    let element = "<message from='x@a.test/1' to='room@b.test'/>"
    let reading = try read(
      "RECV and SENT\n<r xmlns='urn:xmpp:sm:3'/>\n\n\(word)\(element)", "pasted")
    #expect(reading.elements.last == "\(direction == .inbound ? "<" : ">") \(element)")
  }

  @Test(
    "Nouns in a sentence state no direction",
    arguments: [
      "Here is the debug output:\n\n", "Log output: ", "Subscription request:\n",
      "This is what he typed in:\n",
    ])
  func nouns(_ heading: String) throws {
    for (sender, sign) in [("from='bob@x.test' ", "<"), ("", ">")] {
      let text = "\(heading)<message \(sender)to='alice@x.test/pc'/>"
      let (reading, guessed) = try guessing(text)
      #expect(reading.elements.map(\.first) == [sign.first])
      // Only a client leaves out its own address.
      #expect(guessed?.doubtful == (sender.isEmpty ? 0 : 1))
    }
  }

  static let constants: [(String, String)] = [
    ("RECV (pending send: 3)", "SENT (pending send: 2)"), ("<- [client]", "-> [client]"),
    ("RECV server: example.test", "SENT server: example.test"),
    ("recv 64 bytes, sent 0 bytes:", "recv 0 bytes, sent 64 bytes:"),
  ]

  @Test("A word that is on every line is ignored if another one varies", arguments: constants)
  func constantWords(_ inbound: String, _ outbound: String) throws {
    let text = """
      \(inbound) <presence from='bob@x.test' to='alice@x.test' type='subscribe'/>
      \(outbound) <presence to='bob@x.test' type='subscribed'/>
      \(inbound) <message from='bob@x.test/r' to='alice@x.test/pc'/>
      """
    #expect(try read(text, "pasted").elements.map(\.first) == ["<", ">", "<"])
  }

  @Test("An inherited word does not decide whether the words are a client's or a server's")
  func inheritedWords() throws {
    let text = """
      Received:
      <iq type='set' id='p1'><query xmlns='jabber:iq:roster'>\
      <item jid='bob@x.test' subscription='from'/></query></iq>
      <iq type='result' id='p1'/>
      <presence to='bob@x.test' type='subscribed'/>
      """
    let (reading, guessed) = try guessing(text)
    #expect(reading.elements.map(\.first) == ["<", ">", ">"])
    #expect(guessed?.doubtful == 0)
  }

  @Test("An element that only one side sends has its direction, whatever the words")
  func contradiction() throws {
    let text = """
      SENT: <presence/>
      SENT: <iq type='get' id='r'><query xmlns='jabber:iq:roster'/></iq>
      SENT: <iq type='result' id='r'><query xmlns='jabber:iq:roster'/></iq>
      """
    let (reading, guessed) = try guessing(text)
    #expect(reading.elements.map(\.first) == [">", ">", "<"])
    #expect(guessed?.elements == 3)
    #expect(guessed?.doubtful == 1)
    #expect(guessed?.firstDoubtful == 3)
  }

  @Test("Addresses give the direction of an element without a word, or it is doubtful")
  func addresses() throws {
    let text = """
      <message from='bob@example.test/x'/>

      <iq type='result' id='b'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>\
      <jid>alice@example.test/pc</jid></bind></iq>

      <message from='alice@example.test/pc' to='bob@example.test'/>

      <iq type='set' id='s'><query xmlns='jabber:iq:roster'><item jid='bob@example.test'/></query></iq>

      <iq type='result' id='s'/>
      """
    let (reading, guessed) = try guessing(text)
    #expect(reading.elements.map(\.first) == ["<", "<", ">", ">", "<"])
    #expect(guessed?.doubtful == 1)
    #expect(guessed?.firstDoubtful == 7)
  }

  @Test("An address that is only inferred confirms no direction")
  func inferredAccount() throws {
    let text = """
      <presence from='alice@a.test' to='bob@b.test' type='subscribe'/>

      <presence from='bob@b.test' to='alice@a.test' type='subscribed'/>

      <presence from='carol@b.test' to='alice@a.test'/>
      """
    #expect(try guessing(text).1?.doubtful == 3)
    #expect(try guessing("RECV:\n" + text).1?.doubtful == 0)
    let alice = try BareJID(parsing: "alice@a.test")
    let (reading, guessed) = try guessing(text, ReaderOptions(account: alice))
    #expect(reading.elements.map(\.first) == [">", "<", "<"])
    #expect(guessed?.doubtful == 0)
  }

  @Test("Words that are all the same do not state directions")
  func wordsThatAreAllTheSame() throws {
    let text = """
      Received: <presence/>
      Received: <iq type='get' id='r'><query xmlns='jabber:iq:roster'/></iq>
      Received: <iq type='result' id='r'><query xmlns='jabber:iq:roster'/></iq>
      Received: <iq type='set' id='s'><query xmlns='jabber:iq:roster'><item jid='b@a.test'/></query></iq>
      Received: <iq type='result' id='s'/>
      """
    #expect(try read(text, "pasted").elements.map(\.first) == [">", ">", "<", ">", "<"])
  }

  @Test("The answer to our own request was received, whatever its word")
  func answers() throws {
    let text = """
      sent: <iq type='get' id='r1'><query xmlns='jabber:iq:roster'/></iq>
      received: <presence from='x@a.test/r' to='y@a.test/p'/>
      sent: <iq type='result' id='r1'/>
      received: <iq type='set' id='r2'><query xmlns='jabber:iq:roster' ver='1'/></iq>
      sent: <iq type='result' id='r2'/>
      """
    let (reading, guessed) = try guessing(text)
    #expect(reading.elements.map(\.first) == [">", "<", "<", "<", ">"])
    #expect(guessed?.firstDoubtful == 3)
  }

  @Test("A text with both a client's and a server's words is refused")
  func twoSides() throws {
    let client = DirectionCheckTests.session.map { line in
      "\(line.hasPrefix("<") ? "received" : "sent") \(line.dropFirst(2))\n"
    }.joined()
    let server = DirectionCheckTests.session.map { line in
      "\(line.hasPrefix("<") ? "sent" : "received") \(line.dropFirst(2))\n"
    }.joined()
    for (text, line) in [(client + "\n" + server, 11), (server + "\n" + client, 11)] {
      #expect(try read(text, "pasted").error == .contradictoryDirections(line: line, other: 1))
    }
    #expect(try read(client + client, "pasted").error == nil)
  }

  // MARK: Times

  @Test("An element has the carrier's time for the line on which it begins")
  func carrierTimes() throws {
    for isJSON in [true, false] {
      for isWhole in [true, false] {
        let session = DirectionCheckTests.session.prefix(isWhole ? 9 : 4)
        let lines = session.enumerated().map { index, line in
          let text = "\(line.hasPrefix("<") ? "got" : "sending"): \(line.dropFirst(2))"
          let time = "2026-11-21T10:00:0\(index)"
          return isJSON
            ? "{\"time\":\"\(time)Z\",\"msg\":\"\(text)\"}\n"
            : "\(time).123456789Z \(text)\n"
        }
        let bytes = Array(lines.joined().utf8)
        let carrier = Carrier(bytes)
        #expect(CaptureFormat.detect(bytes, within: carrier)?.id == "pasted")
        let reading = try read(bytes, "pasted", options: ReaderOptions(carrier: carrier))
        let start: Int64 = 1_795_255_200_000 + (isJSON ? 0 : 123)
        #expect(
          reading.records.map(\.time) == session.indices.map { start + 1000 * Int64($0) })
      }
    }
  }

  // MARK: Elements

  @Test("An element that was cut off is reported, and the next one is read")
  func cutOff() throws {
    let text = """
      RECV: <iq type='result' id='1'><query xmlns='jabber:iq:roster'><item jid='a@b.te…
      RECV: <presence from='x@a.test/r' to='y@b.test/p'/>
      RECV: <iq type='result' id='2'><query xmlns='jabber:iq:roster'></iq>
      RECV: <presence from='z@a.test/r' to='y@b.test/p'/>
      RECV: <message from='x@a.test'>
      """
    let reading = try read(text, "pasted")
    #expect(
      reading.elements == [
        "< <presence from='x@a.test/r' to='y@b.test/p'/>",
        "< <presence from='z@a.test/r' to='y@b.test/p'/>",
      ])
    #expect(reading.problems.map(\.line) == [1, 3, 5])
  }

  @Test("A forwarded stanza is part of the one around it")
  func forwarded() throws {
    let text = """
      RECV: <message from='alice@a.test' to='alice@a.test/p'><received xmlns='urn:xmpp:carbons:2'>
      <forwarded xmlns='urn:xmpp:forward:0'>
      <message xmlns='jabber:client' from='b@a.test'><body>x</body></message>
      </forwarded></received></message>
      """
    let reading = try read(text, "pasted")
    #expect(reading.elements.count == 1)
    #expect(reading.problems.isEmpty)
  }

  @Test("A forwarded stanza that was cut off swallows nothing after it")
  func forwardedAndCutOff() throws {
    let text = """
      RECV: <message from='alice@a.test'><received xmlns='urn:xmpp:carbons:2'><forwarded
      RECV: <presence from='x@a.test/r' to='y@b.test/p'/>
      """
    let reading = try read(text, "pasted")
    #expect(reading.elements == ["< <presence from='x@a.test/r' to='y@b.test/p'/>"])
    #expect(reading.problems.map(\.line) == [1])
  }

  @Test("Elements of other documents are not elements of a stream")
  func otherDocuments() throws {
    let text = """
      <html><body><a href='https://example.test/'>link</a><r/></body></html>
      <failure>of a test</failure> <presence-list/>
      RX: <r xmlns='urn:xmpp:sm:3'/>
      """
    let reading = try read(text, "pasted")
    #expect(reading.elements == ["< <r xmlns='urn:xmpp:sm:3'/>"])
    #expect(reading.problems.isEmpty)
    #expect(CaptureFormat.detect(Array(text.utf8)) == nil)
  }

  @Test("The elements of BOSH bodies are records")
  func bosh() throws {
    let text = """
      SEND: <body rid='1' sid='x' xmlns='http://jabber.org/protocol/httpbind'>\
      <presence xmlns='jabber:client'/></body>
      """
    #expect(try read(text, "pasted").elements.map { $0.hasPrefix("> <presence") } == [true])
  }

  private func guessing(
    _ text: String, _ options: ReaderOptions = ReaderOptions(), as format: String = "pasted"
  ) throws -> (Reading, GuessedDirections?) {
    var reading = Reading()
    var reader = CaptureReader(
      format: try #require(CaptureFormat.named(format)), options: options)
    try reader.read(Array(text.utf8)) { reading.outputs.append($0) }
    try reader.finish { reading.outputs.append($0) }
    return (reading, reader.guessed)
  }

  // MARK: Which texts

  @Test("A text is read as pasted only if no program's format fits")
  func detection() {
    func format(_ text: String) -> String? { CaptureFormat.detect(Array(text.utf8))?.id }
    let stanza = "<presence from='x@a.test/r' to='y@b.test/p'/>"
    #expect(format("TX: \(stanza)\n") == "pasted")
    #expect(format("DEBUG    RECV: \(stanza)\n") == "slixmpp")
    #expect(format("The stanza <presence/> is sent after the roster was fetched.\n") == nil)
    let sentence = "and then I did this:\n"
    for text in [
      "\(stanza)\n\(sentence)\(stanza)\n", "\(stanza) (received)\n\(stanza) (received)\n",
      "\(stanza)\n<presence from='bob@x\n\(stanza)\n\(stanza)\n",
    ] {
      #expect(format(text) == "pasted", "\(text)")
    }
    #expect(format("\(stanza)\n\(stanza)\n") == "raw-stream")
    #expect(format("<config><message>hello</message></config>\n") == nil)
  }

  @Test("Directions of bare elements are reported as guessed")
  func bareElements() throws {
    let text = """
      <message from='alice@a.test/p' to='bob@a.test/t'/>
      <presence type='unavailable'/>
      """
    let guessed = try guessing(text, as: "raw-stream").1
    #expect(guessed?.isText == false)
    #expect(guessed?.elements == 2)
    #expect(guessed?.firstDoubtful == 1)
  }

  /// aioxmpp sends the current subscription with its roster sets.
  @Test(
    "A set without a version is the client's if the server sends versions",
    arguments: [true, false])
  func setsBesideVersions(sendsVersions: Bool) throws {
    func item(_ version: String, _ subscription: String) -> String {
      let attribute = sendsVersions ? version : ""
      return "<query xmlns='jabber:iq:roster'\(attribute)><item jid='b@a.test' name='B' "
        + "subscription='\(subscription)'/></query>"
    }
    let text = """
      <iq type='get' id='r'><query xmlns='jabber:iq:roster'/></iq>
      <iq type='result' id='r'>\(item(" ver='1'", "both"))</iq>
      <iq type='set' id='s'>\(item("", "both"))</iq>
      <iq type='set' id='p'>\(item(" ver='2'", "both"))</iq>
      """
    let directions = try read(text, "raw-stream").elements.map { $0.prefix(1) }
    #expect(directions == [">", "<", sendsVersions ? ">" : "<", "<"])
  }
}
