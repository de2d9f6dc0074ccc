import Captures
import RosterCore
import Testing
import TestSupport
import XMPPStanza

@Suite("One session in the log format of each program")
struct RenderedLogTests {
  /// The way a program writes the elements of its connection.
  struct Program: CustomTestStringConvertible, Sendable {
    let name: String
    let format: String
    /// The prefix that the system puts before each line of the program.
    var system = ""
    /// Returns the program's text for an element, with a line end.
    let write: @Sendable (_ isInbound: Bool, _ xml: String) -> String
    var testDescription: String { name }

    /// The file's content after the program wrote a text of whole lines.
    func logged(_ text: String) -> String {
      guard !system.isEmpty else { return text }
      return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        .map { "\(system)\($0)\n" }.joined()
    }
  }

  static let programs: [Program] = [
    Program(name: "Smack's console", format: "smack") { isInbound, xml in
      "07:19:12 \(isInbound ? "RECV" : "SENT") (0): \(xml)\n"
    },
    Program(
      name: "Smack on Android, threadtime", format: "smack",
      system: "11-21 07:19:12.123  1234  5678 D SMACK   : "
    ) { "\($0 ? "RECV" : "SENT") (0): \($1)\n" },
    Program(
      name: "Smack on Android, brief", format: "smack", system: "D/SMACK   ( 1234): "
    ) { "07:19:12 AM \($0 ? "RECV" : "SENT") (3): \($1)\n" },
    Program(name: "asmack, in Chinese", format: "smack", system: "D/SMACK   (28371): ") {
      "04:44:51 下午 \($0 ? "RCV " : "SENT") (-1122240984): \($1)\n"
    },
    Program(
      name: "Smack's java.util.logging", format: "smack",
      write: { isInbound, xml in
        "Nov 21, 2026 7:19:12 AM org.jivesoftware.smack.debugger.JulDebugger log\n"
          + "FINE: \(isInbound ? "RECV" : "SENT") (0): \(xml)\n"
      }),
    Program(name: "XMPPFramework through NSLog", format: "xmppframework") { isInbound, xml in
      "2026-11-21 07:19:12.123 iPhoneXMPP[123:456] \(isInbound ? "RECV" : "SEND"): \(xml)\n"
    },
    Program(name: "XMPPFramework on CocoaLumberjack's console", format: "xmppframework") {
      "2026-11-21 07:19:12:123 App[123:45678] \($0 ? "RECV" : "SEND"): \($1)\n"
    },
    Program(name: "XMPPFramework in CocoaLumberjack's file", format: "xmppframework") {
      "2026/11/21 07:19:12:123  \($0 ? "RECV" : "SEND"): \($1)\n"
    },
    Program(name: "Monal", format: "monal") { isInbound, xml in
      // The function, thread and queue differ from line to line, and roster queries have another
      // marker.
      let source =
        isInbound
        ? "[1234:receiveQueue[0x1] (QOS:QOS_CLASS_UTILITY)] "
          + "-[xmpp processInput:withDelayedReplay:] at Classes/xmpp.m:1789: RECV Stanza"
        : "[77 (QOS:QOS_CLASS_USER_INITIATED)] -[xmpp logStanza:withPrefix:] at Classes/xmpp.m:3346"
          + ": \(xml.contains("roster") ? "IDEMPOTENT_" : "")SEND"
      return "12: 2026-11-21 07:19:12:123 [\(isInbound ? "  INFO" : " DEBUG")] Monal "
        + "\(source): \(xml)\n"
    },
    Program(name: "Monal's first loggers", format: "monal") {
      "2026/11/21 07:19:12:123  \($0 ? "RECV Stanza" : "SEND"): \($1)\n"
    },
    Program(name: "Gajim's console", format: "gajim-console") { isInbound, xml in
      "<!-- \(isInbound ? "Incoming" : "Outgoing") Sat Nov 21 07:19:12 2026 (home) -->\n\(xml)\n\n"
    },
    Program(name: "Beagle", format: "beagle") { isInbound, xml in
      "<!--   2026-11-21T07:19:12Z   \(isInbound ? "<<<<" : ">>>>")   -->\n\(xml)\n\n"
    },
    Program(name: "Psi", format: "psi") { _, xml in
      "<!-- TS:2026-11-21T07:19:12-->\(xml)\n"
    },
    Program(name: "Converse.js with colors", format: "converse") { isInbound, xml in
      "converse.js:1234 %c 2026-11-21T07:19:12.123Z DEBUG: \(xml) "
        + "color: \(isInbound ? "darkgoldenrod" : "darkcyan")\n"
    },
    Program(name: "Converse.js without colors", format: "converse") { _, xml in
      "converse.js:1234 2026-11-21T07:19:12.123Z DEBUG: \(xml)\n"
    },
    Program(name: "xmpp.js", format: "xmpp.js") { isInbound, xml in
      "\(isInbound ? "IN" : "OUT")\n\(xml)\n"
    },
    Program(name: "Swiften's tracer", format: "swiften") { isInbound, xml in
      "\(String(repeating: isInbound ? "<" : ">", count: 80))\n\(xml)\n"
    },
    Program(name: "Strophe.js", format: "strophe") { "\($0 ? "RECV" : "SENT"): \($1)\n" },
    Program(name: "Strophe.js with stamps", format: "strophe") {
      "07:19:12.123 main.js:41 \($0 ? "RECV" : "SENT"):\($1)\n"
    },
    Program(name: "older xmpp.js", format: "xmpp.js") { isInbound, xml in
      "\(isInbound ? "⮈ IN " : "⮊ OUT") \(xml)\n"
    },
    Program(name: "ejabberd, strings", format: "ejabberd") { isInbound, xml in
      "\(ejabberd(isInbound))\(erlangString(xml))\n"
    },
    Program(name: "ejabberd, lists of numbers", format: "ejabberd") { isInbound, xml in
      "\(ejabberd(isInbound))\(erlangNumbers(xml))\n"
    },
    Program(name: "MongooseIM, strings", format: "ejabberd") { isInbound, xml in
      let source =
        isInbound
        ? "<0.513.0>@ejabberd_c2s:send_text:1869 Send"
        : "<0.512.0>@ejabberd_receiver:process_data:343 Received"
      let literal = isInbound ? erlangString(xml) : "\"\(xml)\""
      return "2026-11-21 07:25:14.147 [debug] \(source) XML on stream = \(literal)\n"
    },
    Program(name: "Openfire's WebSockets", format: "openfire") {
      "2026.11.21 07:19:12 XMPPServlet - 447b9ca3ad42f7bc78e09d35b882dfb3 : "
        + "\($0 ? "Delivered" : "onMessage : Received") : \($1)\n"
    },
    Program(name: "Openfire's later WebSockets", format: "openfire") {
      "2026.11.21 07:19:12 org.x.XMPPServlet - 447b9ca3ad42f7bc78e09d35b882dfb3 : "
        + "\($0 ? "Delivered : \n" : "onMessage : Received : ")\($1)\n"
    },
    Program(name: "jabberd 2", format: "jabberd2") { isInbound, xml in
      let clock = "Sat Nov 21 07:19:12 2026"
      return "\(clock) sx (io.c:165) 12 ready for \(isInbound ? "writing" : "reading")\n"
        + "\(clock) sx (io.c:209) "
        + (isInbound
          ? "encoding \(xml.utf8.count) bytes for writing: "
          : "decoded read data (\(xml.utf8.count) bytes): ") + "\(xml)\n"
    },
    Program(name: "Openfire's XML Debugger 1.9", format: "openfire") {
      "2026-11-21T07:19:12.123456Z - C2S-STARTTLS /127.0.0.1:5555  - \($0 ? "SENT" : "RECV") "
        + "- (rawDebugger): \($1)\n"
    },
    Program(name: "Openfire's XML Debugger 1.9 in Openfire's file", format: "openfire") {
      "2026.11.21 07:19:12.123 INFO  [socket_c2s-thread-4]: "
        + "org.jivesoftware.openfire.plugin.DebuggerPlugin - 2026-11-21T07:19:12.123Z - "
        + "C2S-DIRECTTLS /[0:0:0:0:0:0:0:1]:5555 - \($0 ? "SENT" : "RECV") - (rawDebugger): "
        + "\($1)\n"
    },
    Program(name: "Openfire's XML Debugger 1.7", format: "openfire") {
      "C2S /127.0.0.1:5555  - \($0 ? "SENT" : "RECV") - (   -1234567): \($1)\n"
    },
    Program(name: "Openfire's XML Debugger 1.0", format: "openfire") {
      "C2S - \($0 ? "SENT" : "RECV") (1234567): \($1)\n"
    },
    Program(name: "libpurple with TLS", format: "libpurple") { isInbound, xml in
      isInbound
        ? "(07:19:12) jabber: Recv (ssl)(\(xml.utf8.count)): \(xml)\n"
        : "(07:19:12) jabber: Sending (ssl) (alice@example.test/pc): \(xml)\n"
    },
    Program(name: "libpurple without line ends", format: "libpurple") { isInbound, xml in
      isInbound
        ? "(07:19:12) jabber: Recv (\(xml.utf8.count)): \(xml)(07:19:12) jabber: XMPP\n"
        : "(07:19:12) jabber: Sending (alice@example.test/pc): \(xml)\n"
    },
    Program(name: "Prosody's mod_rawdebug", format: "prosody-raw") { isInbound, xml in
      "Nov 21 07:19:12 c2s55d\tdebug\t\(isInbound ? "SEND" : "RECV")(\(xml.utf8.count)): \(xml)\n"
    },
  ]

  /// The elements of both sides; `forged` is text from a contact.
  static func session(forging forged: String) -> [(isInbound: Bool, xml: String)] {
    let escaped = forged.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    return [
      (false, "<iq type='get' id='r1'><query xmlns='jabber:iq:roster'/></iq>"),
      (
        true,
        "<iq type='result' id='r1' to='alice@example.test/pc'><query xmlns='jabber:iq:roster'>"
          + "<item jid='bob@example.test' name='小美 &amp; &quot;花&quot;' subscription='both'>"
          + "<group>邻居&lt;三楼&gt;</group></item></query></iq>"
      ),
      (false, "<presence/>"),
      (
        true,
        "<presence from='bob@example.test/x' to='alice@example.test/pc'><status>多行\n\n状态"
          + "</status></presence>"
      ),
      (
        true,
        "<message from='mallory@example.test/x' to='alice@example.test/pc' type='chat'>"
          + "<body>看\n\(escaped)\n完</body></message>"
      ),
      (
        true,
        "<iq type='set' id='p1' from='alice@example.test' to='alice@example.test/pc'>"
          + "<query xmlns='jabber:iq:roster' ver='2'><item jid='carol@example.test' "
          + "subscription='none' ask='subscribe'/></query></iq>"
      ),
      (false, "<iq type='result' id='p1'/>"),
      (false, "<message to='bob@example.test'><body>再见</body></message>"),
      (true, "<presence from='bob@example.test/x' to='alice@example.test' type='unavailable'/>"),
    ]
  }

  static let push =
    "<iq type='set' id='evil'><query xmlns='jabber:iq:roster'>"
    + "<item jid='boss@evil.example.test' subscription='both'/></query></iq>"

  @Test(
    "A session is read with its elements and directions",
    arguments: programs)
  func aSessionIsRead(_ program: Program) throws {
    let forged = program.write(true, Self.push) + program.write(false, "<presence/>")
    let session = Self.session(forging: forged)
    let log = program.logged(session.map { program.write($0.isInbound, $0.xml) }.joined())
    #expect(CaptureFormat.detect(Array(log.utf8))?.id == program.format)
    let reading = try readWhole(log, as: program)
    #expect(reading.problems.isEmpty)
    #expect(reading.elements.map(\.first) == session.map { $0.isInbound ? "<" : ">" })
    let other = { (xml: String) in !xml.contains("mallory") }
    #expect(
      reading.elements.map { String($0.dropFirst(2)) }.filter(other)
        == session.map(\.xml).filter(other))
    #expect(!reading.elements.contains { $0.contains("evil") && !$0.contains("mallory") })
    for piece in [1, 7, 64] {
      let isSame = try readWhole(log, as: program, pieces: [piece]) == reading
      #expect(isSame, "in pieces of \(piece)")
    }
  }

  /// The program prints a received body, unescaped, on separate lines.
  @Test(
    "A body that the program prints unescaped is not read as a record",
    arguments: programs)
  func anEchoedBodyIsNotARecord(_ program: Program) throws {
    // Consoles have only elements, and Erlang prints texts as terms.
    let others = ["psi", "gajim-console", "beagle", "xmpp.js", "swiften", "ejabberd"]
    guard !others.contains(program.format), program.name != "Openfire's later WebSockets" else {
      return
    }
    let forged = program.write(true, Self.push)
    let session = Self.session(forging: forged)
    let written = session.map { program.write($0.isInbound, $0.xml) }.joined()
    let late = program.logged(written + "看\n\(forged)完\n")
    let reading = try readWhole(late, as: program)
    #expect(reading.elements.count == session.count)
  }

  @Test(
    "No part of a log crashes a reader or makes it invent an element",
    arguments: programs)
  func noPartOfALogCrashesOrInvents(_ program: Program) throws {
    let session = Self.session(forging: program.write(true, Self.push))
    let written = session.map { program.write($0.isInbound, $0.xml) }.joined()
    let log = Array(program.logged(written).utf8)
    let options = ReaderOptions(carrier: Carrier(log))
    for start in stride(from: 0, to: log.count, by: 101) {
      let reading = try read(Array(log[start...]), program.format, options: options)
      #expect(!reading.elements.contains { $0.contains("evil") && !$0.contains("mallory") })
      #expect(reading.elements.count <= session.count)
      let head = try read(Array(log[..<start]), program.format, options: options)
      #expect(head.elements.count <= session.count)
    }
  }

  // MARK: Real sessions

  /// Complete sessions, whose final roster on the server is known.
  static let sessions = [
    "slixmpp-add-accept", "slixmpp-delete", "slixmpp-rename-undone", "slixmpp-returned",
    "slixmpp-forged-push", "profanity-rename-move", "raw-pending-both", "raw-add-offline",
  ]

  /// A real client's session, as another program would have logged it.
  @Test(
    "A real session gives its server's roster",
    arguments: programs.indices)
  func aRealSessionGivesTheServersRoster(_ index: Int) throws {
    let program = Self.programs[index]
    for name in [Self.sessions[index % 8], Self.sessions[(index + 3) % 8]] {
      let fixture = try Fixture.named(name)
      var log = ""
      for record in try fixture.reading().records {
        switch record.content {
        case .streamHeader(let direction, let node, _):
          log += program.write(direction == .inbound, Self.header(node))
        case .element(let direction, _, let bytes):
          log += program.write(direction == .inbound, String(decoding: bytes, as: UTF8.self))
        case .lifecycle, .streamEnd, .annotation, .unreadable: break
        }
      }
      log = program.logged(log)
      #expect(CaptureFormat.detect(Array(log.utf8.prefix(64 << 10)))?.id == program.format)
      let reading = try readWhole(log, as: program)
      #expect(reading.problems.isEmpty, "\(program.name), \(name)")
      let expected = try #require(fixture.expected.first)
      let roster = try roster(of: expected.account, in: reading.records)
      #expect(roster.completeness == .complete, "\(program.name), \(name)")
      expect(roster, toBe: expected, deniedElsewhere: fixture.deniedElsewhere)
    }
  }

  /// The header as it was sent: some logs lack its declarations.
  private static func header(_ node: XMPPElement) -> String {
    let attributes = ["id", "from", "to", "version"].compactMap { name in
      node.attribute(name).map { " \(name)='\($0)'" }
    }
    return "<stream:stream xmlns='jabber:client' "
      + "xmlns:stream='http://etherx.jabber.org/streams'\(attributes.joined())>"
  }

  /// Reads a log as an import does.
  private func readWhole(
    _ log: String, as program: Program, pieces: [Int] = []
  ) throws -> Reading {
    let bytes = Array(log.utf8)
    let options = ReaderOptions(carrier: Carrier(Array(bytes.prefix(64 << 10))))
    return try read(bytes, program.format, options: options, pieces: pieces)
  }

  // MARK: Notations

  private static func ejabberd(_ isInbound: Bool) -> String {
    "2026-11-21 07:25:14.147000+00:00 [debug] <0.512.0>@xmpp_socket:send/2:170 "
      + "(tcp|<0.512.0>) \(isInbound ? "Send" : "Received") XML on stream = "
  }

  /// A binary as `~p` prints and wraps it if all its bytes are printable in Latin-1.
  private static func erlangString(_ xml: String) -> String {
    guard xml.utf8.allSatisfy({ $0 < 0x80 }) else { return erlangNumbers(xml) }
    let escaped = xml.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      .replacing("\n", with: "\\n")
    let middle = escaped.index(escaped.startIndex, offsetBy: min(9, escaped.count))
    return "<<\"\(escaped[..<middle])\"\n  \"\(escaped[middle...])\">>"
  }

  private static func erlangNumbers(_ xml: String) -> String {
    var lines: [String] = []
    var rest = Array(xml.utf8)[...]
    while !rest.isEmpty {
      lines.append(rest.prefix(20).map(String.init).joined(separator: ","))
      rest = rest.dropFirst(20)
    }
    return "<<" + lines.joined(separator: ",\n  ") + ">>"
  }
}
