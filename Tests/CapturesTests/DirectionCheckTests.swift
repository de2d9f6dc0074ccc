import Captures
import TestSupport
import Testing
import XMPPStanza

@Suite("Directions by content")
struct DirectionCheckTests {
  /// A session in a client's words, with `>` for sent elements.
  static let session = [
    "> <iq type='set' id='b1'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>",
    "< <iq type='result' id='b1'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
      + "<jid>alice@example.test/pc</jid></bind></iq>",
    "> <iq type='get' id='r1'><query xmlns='jabber:iq:roster'/></iq>",
    "< <iq type='result' id='r1' to='alice@example.test/pc'><query xmlns='jabber:iq:roster'>"
      + "<item jid='bob@example.test' subscription='both'/></query></iq>",
    "> <presence/>",
    "< <presence from='bob@example.test/x' to='alice@example.test/pc'/>",
    "> <presence type='unsubscribed' to='bob@example.test'/>",
    "< <iq type='set' id='p1' to='alice@example.test/pc'><query xmlns='jabber:iq:roster' ver='2'>"
      + "<item jid='bob@example.test' subscription='to'/></query></iq>",
    "> <iq type='result' id='p1'/>",
  ]

  /// The programs whose words can be a server's, and how they write an element.
  static let programs: [(format: String, write: @Sendable (_ isInbound: Bool, String) -> String)] =
    [
      ("slixmpp", { "2026-11-21 07:25:14,147 - DEBUG - \($0 ? "RECV" : "SEND"): \($1)" }),
      ("monal", { "2026/11/21 07:19:12:123  \($0 ? "RECV Stanza" : "SEND"): \($1)" }),
      ("smack", { "07:19:12 \($0 ? "RECV" : "SENT") (0): \($1)" }),
      ("xmppframework", { "2026-11-21 07:19:12:123 App[123:4] \($0 ? "RECV" : "SEND"): \($1)" }),
      ("qxmpp", { "Sat Nov 21 10:46:05 2026 \($0 ? "RECEIVED" : "SENT") \($1)" }),
      ("prosody-debug", { "Nov 21 07:25:14 c2s55d7\tdebug\t\($0 ? "SEND" : "RECV"): \($1)" }),
      (
        "ejabberd",
        {
          "2026-11-21 07:25:14.147 [debug] <0.512.0>@x:y:1 \($0 ? "Send" : "Received") "
            + "XML on stream = <<\"\($1)\">>"
        }
      ),
    ]

  private func log(
    _ lines: [String], _ program: Int, isReversed: (Int) -> Bool
  ) -> String {
    lines.enumerated().map { number, line in
      Self.programs[program].write(
        line.hasPrefix("<") != isReversed(number), String(line.dropFirst(2)))
    }.joined(separator: "\n") + "\n"
  }

  @Test(
    "A log whose words are the other side's is read with its directions reversed",
    arguments: programs.indices)
  func aLogOfTheOtherSide(_ program: Int) throws {
    let format = Self.programs[program].format
    for start in [0, 2, 3, 4, 6, 7] {
      let session = Array(Self.session[start...])
      for isReversed in [false, true] {
        let text = log(session, program) { _ in isReversed }
        let reading = try read(text, format, pieces: [13])
        #expect(reading.elements == session, "\(format) from \(start), reversed \(isReversed)")
        #expect(reading.error == nil)
      }
    }
  }

  @Test("A log that contradicts itself is refused", arguments: programs.indices)
  func aContradictoryLog(_ program: Int) throws {
    let text = log(Self.session, program) { $0 >= 2 }
    let reading = try read(text, Self.programs[program].format)
    #expect(reading.error == .contradictoryDirections(line: 3, other: 1))
    #expect(reading.error?.description.contains("contradicts itself") == true)
  }

  @Test("Proof against weaker signs that already decided refuses the log")
  func lateProof() throws {
    let signs = Array(repeating: Self.session[5], count: 4)
    let text = log(signs + [Self.session[0]], 0) { $0 == 4 }
    #expect(try read(text, "slixmpp").error == .contradictoryDirections(line: 5, other: nil))
  }

  /// A reader of a followed log, and its outputs so far.
  private struct Followed {
    var reader: CaptureReader
    var reading = Reading()

    init(_ format: String) throws {
      reader = CaptureReader(format: try #require(CaptureFormat.named(format)))
    }

    mutating func take(_ text: String) throws {
      try reader.read(Array(text.utf8)) { reading.outputs.append($0) }
      try reader.release { reading.outputs.append($0) }
    }
  }

  @Test("A user who follows a log sees each element as it arrives", arguments: programs.indices)
  func followed(_ program: Int) throws {
    for start in [0, 2, 5, 6] {
      for isReversed in [false, true] where !(isReversed && start == 5) {
        var followed = try Followed(Self.programs[program].format)
        let session = Self.session[start...]
        for (index, line) in session.enumerated() {
          try followed.take(log([line], program) { _ in isReversed })
          #expect(followed.reading.elements == Array(session.prefix(index + 1)))
        }
        try followed.reader.finish { _ in }
      }
    }
  }

  @Test("A stream header shows the side of a followed log")
  func followedFromTheHeader() throws {
    let header =
      "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'"
    for (attribute, direction) in [("to", Direction.outbound), ("id", .inbound)] {
      for word in ["SEND", "RECV"] {
        var followed = try Followed("slixmpp")
        try followed.take(
          "2026-11-21 07:25:14,147 - DEBUG - \(word): \(header) \(attribute)='example.test'>\n")
        let found = followed.reading.records.first.flatMap { record -> Direction? in
          guard case .streamHeader(let direction, _, _) = record.content else { return nil }
          return direction
        }
        #expect(found == direction, "\(word), \(attribute)")
      }
    }
  }

  @Test("A followed log is refused when its content shows that its directions were wrong")
  func shownWithWrongDirections() throws {
    var followed = try Followed("slixmpp")
    try followed.take(log([Self.session[5]], 0) { _ in true })
    #expect(followed.reading.elements == [Self.session[5].replacing("< ", with: "> ")])
    #expect(throws: CaptureError.shownWithWrongDirections(line: 2)) {
      try followed.take(log([Self.session[0]], 0) { _ in true })
    }
    // An import of the same log, which waits, has the right directions.
    let whole = try read(log([Self.session[5], Self.session[0]], 0) { _ in true }, "slixmpp")
    #expect(whole.elements == [Self.session[5], Self.session[0]])
  }

  @Test("A followed log is refused if its end contradicts the guess")
  func shownWithWrongDirectionsAtTheEnd() throws {
    var followed = try Followed("slixmpp")
    try followed.take(log([Self.session[5], Self.session[6]], 0) { _ in true })
    try followed.reader.finish { _ in }
    #expect(followed.reading.elements == [Self.session[5], Self.session[6]])
    followed = try Followed("slixmpp")
    for line in [Self.session[5], Self.session[6]] {
      try followed.take(log([line], 0) { _ in true })
    }
    #expect(throws: CaptureError.shownWithWrongDirections(line: 2)) {
      try followed.reader.finish { _ in }
    }
  }

  /// A contact's stanzas have its address, and a user can only spoil their own session.
  @Test("No stanza of a contact or another user reverses or refuses a log")
  func stanzasOfOthers() throws {
    let forged = [
      "< <iq type='get' id='x' from='eve@example.test/x' to='alice@example.test/pc'>"
        + "<query xmlns='jabber:iq:roster'/></iq>",
      "< <iq type='set' id='x' from='eve@example.test/x' to='alice@example.test/pc'>"
        + "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>",
    ]
    let session = Self.session + forged
    let reading = try read(log(session, 0) { _ in false }, "slixmpp")
    #expect(reading.error == nil)
    #expect(reading.elements == session)

    let server = Self.programs[5].write
    let own = Self.session.map { server($0.hasPrefix("<"), String($0.dropFirst(2))) }
    let other = [
      server(false, "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'/>"),
      server(
        false, "<stream:features xmlns:stream='http://etherx.jabber.org/streams'/>"),
    ].map { $0.replacing("c2s55d7", with: "c2sbad0") }
    let text = (own + other).joined(separator: "\n") + "\n"
    #expect(try read(text, "prosody-debug").error == nil)
  }

  /// Logs of a client that are not reversed, each with the line that looks reversed.
  static let weak: [([String], line: Int?)] = [
    (
      [
        "< <message to='alice@example.test/pc' type='headline'/>",
        "> <presence from='alice@example.test/pc' to='bob@example.test' type='subscribe'/>",
        "< <iq type='set' id='9'><query xmlns='jabber:iq:roster'>"
          + "<item jid='bob@example.test' subscription='remove'/></query></iq>",
      ], 2
    ),
    (
      [
        "< <message to='alice@example.test/pc'/>",
        "> <iq type='set' id='1'><query xmlns='jabber:iq:roster'><item jid='c@example.test'/>"
          + "</query></iq>",
      ], nil
    ),
    (
      [
        "< <iq type='set' id='1' to='alice@example.test/pc'><query xmlns='jabber:iq:roster'>"
          + "<item jid='bob@example.test'/></query></iq>",
        "> <message from='alice@example.test/pc' to='bob@example.test'/>",
        "< <message to='alice@example.test/pc'/>",
      ], nil
    ),
    (["< <message to='alice@example.test'/>"], 1),
  ]

  @Test("Stanzas that may be the server's own do not reverse a log", arguments: weak.indices)
  func weakHints(_ index: Int) throws {
    let (session, line) = Self.weak[index]
    let reading = try read(log(session, 0) { _ in false }, "slixmpp")
    #expect(reading.elements == session)
    #expect(reading.problems.map(\.line) == (line.map { [$0] } ?? []))
  }

  @Test("A stranger's connection does not reverse a server's log", arguments: [true, false])
  func strangersInAServersLog(isFirst: Bool) throws {
    let stranger = log(["> <success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>"], 5) { _ in false }
      .replacing("c2s55d7", with: "c2sbad0")
    let own = log(Self.session, 5) { _ in false }
    let reading = try read(isFirst ? stranger + own : own + stranger, "prosody-debug")
    #expect(reading.error == nil)
    #expect(reading.elements.filter { !$0.contains("<success") } == Self.session)
    #expect(reading.problems.map(\.line) == [isFirst ? 1 : Self.session.count + 1])
  }

  @Test("A client's format never matches the lines of a server's sessions")
  func aServersSessions() {
    for session in ["c2s5653115ea470", "bosh3b422abf-741a-43a1-9bb8-3af666e5c126"] {
      let lines = Self.session.map { line in
        "2026-11-21 07:25 \(session) DEBUG \(line.hasPrefix("<") ? "RECV" : "SEND"): "
          + line.dropFirst(2)
      }
      #expect(CaptureFormat.detect(Array(lines.joined(separator: "\n").utf8))?.id != "slixmpp")
    }
  }
}

@Suite("Prosody's log from each of its sinks")
struct ProsodySinkTests {
  /// The sinks, and how each writes a line of a session with a level and a text.
  static let sinks: [(name: String, write: @Sendable (_ level: String, String) -> String)] = [
    ("file", { "Nov 21 07:25:14 c2s55a80458b2d0\t\($0)\t\($1)" }),
    ("file, spaces for tabs", { "Nov 21 07:25:14 c2s55a80458b2d0       \($0)   \($1)" }),
    ("file, one space for each tab", { "Nov 21 07:25:14 c2s55a80458b2d0 \($0) \($1)" }),
    ("console", { "c2s55a80458b2d0                    \($0)\t\($1)" }),
    ("console, timestamps", { "Nov 21 07:25:14 c2s55a80458b2d0     \($0)\t\($1)" }),
    (
      "docker logs --timestamps", { "2026-11-21T07:25:14.123456789Z c2s55a80458b2d0  \($0)\t\($1)" }
    ),
    ("docker compose logs", { "prosody-1  | c2s55a80458b2d0     \($0)\t\($1)" }),
    ("syslog", { "Nov 21 07:25:14 host prosody[2526]: c2s55a80458b2d0: \($1)" }),
    ("journal, iso", { "2026-11-21T07:25:14+0000 vm1 prosody[27]: c2s55a80458b2d0: \($1)" }),
    (
      "journal of the console",
      { "Nov 21 07:25:14 host prosody[9]: c2s55a80458b2d0   \($0)\t\($1)" }
    ),
    ("another collector", { "host-1/prosody: [x] c2s55a80458b2d0     \($0)\t\($1)" }),
  ]

  @Test("A session is read from each sink", arguments: sinks.indices, [1, 9])
  func theSameSession(_ index: Int, _ count: Int) throws {
    let (name, write) = Self.sinks[index]
    let session = DirectionCheckTests.session.prefix(count)
    let lines = session.map { line in
      write("debug", "\(line.hasPrefix("<") ? "SEND" : "RECV"): \(line.dropFirst(2))")
    }
    let text =
      (lines + [write("info", "Client disconnected: connection closed")])
      .joined(separator: "\n") + "\n"
    let head = Array(text.utf8)
    #expect(CaptureFormat.detect(head)?.id == "prosody-debug", "\(name)")
    let options = ReaderOptions(year: 2026, carrier: Carrier(head))
    let reading = try read(text, "prosody-debug", options: options)
    #expect(reading.elements == Array(session), "\(name)")
    #expect(reading.problems.isEmpty)
    #expect(Set(reading.records.map(\.connection)) == ["c2s55a80458b2d0"])
    #expect(reading.count { $0 == .lifecycle(.closed(reason: "connection closed")) } == 1)
  }

  @Test("A BOSH session is a client's session, and a server's session is not")
  func kindsOfSessions() throws {
    let id = "bosh3b422abf-741a-43a1-9bb8-3af666e5c126"
    let text = """
      \(id)  debug\tRECV: <presence xml:lang='en'/>
      s2sin55a80459a7b0  debug\tRECV: <presence from='x@other.test' to='a@example.test'/>
      \(id)  info\tBOSH client disconnected: session close

      """
    let reading = try read(text, "prosody-debug")
    #expect(reading.elements == ["> <presence xml:lang='en'/>"])
    // The id is secret because it allows taking over the session; `printf … | sha256sum`.
    let mark = "bosh urn:rollcall:removed:0#3fd3d4514c3c9153"
    #expect(reading.records.map(\.connection) == [mark, mark])
  }
}
