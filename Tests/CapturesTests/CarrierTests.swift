import Captures
import Foundation
import TestSupport
import Testing
import XMPPStream

/// The session of these tests, as several programs write it, in every form in which a log may reach
/// a user.
@Suite("Logs that were pasted, exported, wrapped or escaped")
struct CarrierTests {
  /// A carrier that changes the lines of a log.
  struct Transport: Sendable {
    let name: String
    let carry: @Sendable ([String]) -> [UInt8]

    init(_ name: String, _ carry: @escaping @Sendable ([String]) -> String) {
      self.name = name
      self.carry = { Array(carry($0).utf8) }
    }

    init(bytes name: String, _ carry: @escaping @Sendable ([String]) -> [UInt8]) {
      self.name = name
      self.carry = carry
    }
  }

  static func text(_ lines: [String]) -> String { lines.joined(separator: "\n") + "\n" }

  /// The lines of asmack for elements with an arrow before them.
  static func smack(_ session: [String]) -> [String] {
    session.map { "\($0.hasPrefix("<") ? "RECV" : "SENT") (0): \($0.dropFirst(2))" }
  }

  /// The lines of slixmpp, formatted as its examples are.
  static func slixmpp(_ session: [String]) -> [String] {
    session.map {
      "2026-03-05 08:05:06,700 - DEBUG - \($0.hasPrefix("<") ? "RECV" : "SEND"): \($0.dropFirst(2))"
    }
  }

  /// A session in which eve sends a message with this text.
  static func session(withText text: String) -> [String] {
    session + [
      "< <message from='eve@example.test/x' to='alice@example.test/pc'><body>\(text)</body></message>"
    ]
  }

  /// The lines wrapped at a width, with `indent` spaces before each continuation.
  static func cut(_ lines: [String], _ width: Int, indent: Int = 0) -> String {
    var output: [String] = []
    for line in lines {
      var rest = line[...]
      output.append(String(rest.prefix(width)))
      rest = rest.dropFirst(width)
      while !rest.isEmpty {
        output.append(String(repeating: " ", count: indent) + rest.prefix(width - indent))
        rest = rest.dropFirst(width - indent)
      }
    }
    return text(output)
  }

  static func json(_ text: String) -> String {
    var output = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": output += "\\\""
      case "\\": output += "\\\\"
      case "\n": output += "\\n"
      case "\t": output += "\\t"
      case "<", ">", "&": output += "\\u00" + String(scalar.value, radix: 16)
      default: output.unicodeScalars.append(scalar)
      }
    }
    return "\"\(output)\""
  }

  static func html(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("'", with: "&#x27;")
  }

  static func quotedPrintable(_ line: String) -> String {
    var (output, width) = ("", 0)
    for byte in line.utf8 {
      let isPlain = (0x20..<0x7F).contains(byte) && byte != 0x3D
      let hex = String(byte, radix: 16, uppercase: true)
      let part =
        isPlain ? String(UnicodeScalar(byte)) : "=" + (hex.count == 1 ? "0" : "") + hex
      if width + part.count > 75 {
        output += "=\n"
        width = 0
      }
      output += part
      width += part.count
    }
    return output
  }

  static func utf16(_ text: String, isLittle: Bool) -> [UInt8] {
    ("\u{FEFF}" + text).utf16.flatMap { unit -> [UInt8] in
      let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
      return isLittle ? [low, high] : [high, low]
    }
  }

  static let transports: [Transport] = textTransports + journals + entries + exports

  private static func prefixed(_ name: String, _ prefix: String) -> Transport {
    Transport(name) { lines in text(lines.map { line in "\(prefix)\(line)" }) }
  }

  private static func entry(
    _ name: String, _ write: @escaping @Sendable (_ text: String) -> String
  ) -> Transport {
    Transport(name) { lines in text(lines.map { line in write(json(line)) }) }
  }

  private static let textTransports: [Transport] = [
    prefixed("quoted", "> "), prefixed("quoted without a space", ">"),
    Transport("quoted twice, under an introduction") { lines in
      let quoted = text(lines.map { "> > \($0)" })
      return "On Friday somebody wrote:\n\n\(quoted)\nThanks\n"
    },
    Transport("in a fence") { lines in "Look:\n\n```xml\n\(text(lines))```\n" },
    prefixed("indented", "    "),
    Transport("indented in a list") { lines in
      "1. start\n2. wait\n\n\(text(lines.map { "\t\($0)" }))"
    },
    Transport("escaped for HTML") { lines in text(lines.map(html)) },
    Transport("escaped for HTML and quoted") { lines in text(lines.map { "> \(html($0))" }) },
    Transport("with CRLF") { lines in lines.map { "\($0)\r\n" }.joined() },
    Transport("with no-break spaces") { lines in
      text(
        lines.map { line in
          let start = line.firstIndex(of: "<") ?? line.endIndex
          return "\(line[..<start].replacing(" ", with: "\u{A0}"))\(line[start...])"
        })
    },
    Transport("wrapped at 80") { cut($0, 80) }, Transport("wrapped at 100") { cut($0, 100) },
    Transport("wrapped at 120, indented") { cut($0, 120, indent: 8) },
    Transport("wrapped and quoted") { lines in
      text(cut(lines, 90).split(separator: "\n").map { "> \($0)" })
    },
    Transport("quoted-printable") { lines in text(lines.map(quotedPrintable)) },
    Transport(bytes: "UTF-16, little-endian") { utf16(text($0), isLittle: true) },
    Transport(bytes: "UTF-16, big-endian") { utf16(text($0), isLittle: false) },
  ]

  private static let journals: [Transport] = [
    prefixed(
      "RFC 5424",
      "<135>1 2026-03-05T08:05:06.700+00:00 h1 bot 4321 XMPP [o ip=\"192.0.2.7\"][m s=\"]\"] \u{FEFF}"
    ),
    prefixed("RFC 5424 without data", "<14>1 2026-03-05T08:05:06Z h1 bot - - - "),
    prefixed("syslog without a process", "Mar  5 08:05:06 h1 bot: "),
    prefixed("journal, precise", "Mar 05 08:05:06.123456 h1 bot[7]: "),
    prefixed("journal, full", "Thu 2026-03-05 08:05:06 UTC h1 bot[7]: "),
    prefixed("journal, unix", "1772697906.123456 h1 bot[7]: "),
    prefixed("journal, monotonic", "[  123.456789] h1 bot[7]: "),
    prefixed("journal in Chinese", "3月 05 08:05:06 h1 bot[7]: "),
    prefixed("journal in French", "févr. 05 08:05:06 h1 bot[7]: "),
    prefixed("journal without a host", "Mar 05 08:05:06 bot[7]: "),
    Transport("journal, verbose") { lines in
      text(
        lines.map {
          "Thu 2026-03-05 08:05:06.123456 UTC [s=1;i=2]\n    PRIORITY=6\n    MESSAGE=\($0)\n    _PID=7"
        })
    },
    entry("journal, JSON") {
      "{\"_PID\":\"7\",\"MESSAGE\":\($0),\"__REALTIME_TIMESTAMP\":\"1772697906123456\"}"
    },
    Transport("journal, JSON of bytes") { lines in
      text(
        lines.map { line in
          let numbers = line.utf8.map { String($0) }.joined(separator: ",")
          return "{\"MESSAGE\":[\(numbers)]}"
        })
    },
    entry("journal, pretty JSON") {
      "{\n\t\"_PID\" : \"7\",\n\t\"MESSAGE\" : \($0),\n\t\"PRIORITY\" : \"6\"\n}"
    },
    prefixed("kubectl --prefix", "[pod/xmpp-0/bot] "),
    prefixed("stern", "xmpp-6d4cf56db6-x7k2p bot "),
  ]

  private static let entries: [Transport] = [
    entry("JSON text sequence") { "\u{1E}{\"msg\":\($0),\"level\":20}" },
    entry("pino") { "{\"level\":20,\"time\":1772697906700,\"msg\":\($0)}" },
    entry("Elasticsearch") {
      "{\"_index\":\"f\",\"_source\":{\"@timestamp\":\"2026-03-05T08:05:06.700Z\",\"log\":{\"offset\":1},\"message\":\($0)}}"
    },
    Transport("Loki") { lines in
      let values = lines.enumerated()
        .map { number, line in "[\"\(1_772_697_906_700_000_000 + number)\",\(json(line))]" }
        .joined(separator: ",")
      return
        "{\"status\":\"success\",\"data\":{\"result\":[{\"stream\":{\"app\":\"x\"},\"values\":[\(values)]}]}}\n"
    },
    entry("Loki, a line each") { "{\"line\":\($0),\"timestamp\":\"2026-03-05T08:05:06.7Z\"}" },
    Transport("an array of entries") { lines in
      let entries = lines.map { "  {\"message\":\(json($0))}" }.joined(separator: ",\n")
      return "[\n\(entries)\n]\n"
    },
    Transport("JSON lines in a fence, quoted") { lines in
      let entries = lines.map { "{\"log\":\(json("\($0)\n"))}" }
      return text((["```"] + entries + ["```"]).map { "> \($0)" })
    },
  ]

  private static let exports: [Transport] = [
    Transport("CSV") { lines in
      let records = lines.map { "1772697906700,\"\($0.replacing("\"", with: "\"\""))\"" }
      return "timestamp,message\n\(text(records))"
    },
    Transport("CSV, semicolons and more columns") { lines in
      let records = lines.map { "h1;\"\($0.replacing("\"", with: "\"\""))\";debug" }
      return "\"Host\";\"Message\";\"Level\"\n\(text(records))"
    },
    Transport("logcat after other things") { lines in
      let others = (0..<60).map { "wakelock \($0) held <none> for 10 ms" }
      let log = lines.map { "03-05 08:05:06.700  1234  5678 D XMPP    : \($0)" }
      return text(["Build: X", ""] + others + log + others)
    },
  ]

  static let session =
    DirectionCheckTests.session.map {
      $0.replacing("<presence/>", with: "<presence xml:lang=\"zh\"/>")
    }
    + [
      "< <presence from='bob@example.test/x' to='alice@example.test/pc'><status>多行 &amp; "
        + "&lt;更多&gt; “引号” 100%</status></presence>",
      "> <iq type='set' id='s1'><query xmlns='jabber:iq:roster'><item jid='bob@example.test' "
        + "name='Bob &quot;B&quot;'><group>Team A</group></item></query></iq>",
    ]

  /// Programs that state the direction on each line, with and without a time.
  static let programs: [(format: String, write: @Sendable (_ isInbound: Bool, String) -> String)] =
    [
      DirectionCheckTests.programs[0], DirectionCheckTests.programs[2],
      DirectionCheckTests.programs[5],
      (
        "profanity",
        { "2026-03-05T08:05:06Z: \($0 ? "xmpp: DBG: RECV" : "conn: DBG: SENT"): \($1)" }
      ),
    ]

  @Test("A log is read through each carrier", arguments: transports.indices)
  func aCarriedLog(_ index: Int) throws {
    let transport = Self.transports[index]
    for program in Self.programs {
      let lines = Self.session.map {
        program.write($0.hasPrefix("<"), String($0.dropFirst(2)))
      }
      let bytes = transport.carry(lines)
      let head = Array(bytes.prefix(64 << 10))
      let carrier = Carrier(head)
      #expect(
        CaptureFormat.detect(head, within: carrier)?.id == program.format,
        "\(transport.name), \(program.format), \(carrier.layers)")
      let options = ReaderOptions(year: 2026, carrier: carrier)
      let reading = try read(bytes, program.format, options: options)
      #expect(reading.elements == Self.session, "\(transport.name), \(program.format)")
      #expect(reading.problems.isEmpty, "\(transport.name), \(program.format)")
      let inPieces = try read(bytes, program.format, options: options, pieces: [1, 7, 300])
      #expect(inPieces == reading, "\(transport.name), \(program.format)")
    }
  }

  /// Sessions of real clients with their servers.
  @Test(
    "Kept sessions are read through each carrier as they are without it",
    arguments: transports.indices)
  func keptSessions(_ index: Int) throws {
    let transport = Self.transports[index]
    let names = RenderedLogTests.sessions
    let name = names[index % names.count]
    let fixture = try Fixture.named(name)
    let write = Self.programs[index % Self.programs.count]
    var size = 0
    let elements = try fixture.reading().elements.filter { !$0.contains("\n") }.prefix {
      size += $0.utf8.count + 100
      return size < 32 << 10
    }
    let lines = elements.map { write.write($0.hasPrefix("<"), String($0.dropFirst(2))) }
    // The carrier is detected from the beginning of the file, and the text is valid UTF-8.
    let bytes = transport.carry(lines)
    let carrier = Carrier(Array(bytes.prefix(64 << 10)))
    let plain = try read(Self.text(lines), write.format, options: ReaderOptions(year: 2026))
    let reading = try read(
      bytes, write.format, options: ReaderOptions(year: 2026, carrier: carrier))
    #expect(reading.elements == plain.elements, "\(transport.name), \(name)")
    #expect(reading.problems.count == plain.problems.count, "\(transport.name), \(name)")
  }

  @Test("A message that logcat or Docker split is joined")
  func splitMessages() throws {
    let items = (0..<400).map { "<item jid='c\($0)@example.test' name='联系人 \($0)'/>" }.joined()
    let roster =
      "<iq type='result' id='r1' to='alice@example.test/pc'><query xmlns='jabber:iq:roster'>"
      + "\(items)</query></iq>"
    let session = Array(Self.session.prefix(3)) + ["< " + roster] + Self.session.dropFirst(4)
    let lines = Self.smack(session)
    func parts(_ line: String, _ size: Int) -> [[UInt8]] {
      let bytes = Array(line.utf8)
      return stride(from: 0, to: bytes.count, by: size).map {
        Array(bytes[$0..<min($0 + size, bytes.count)])
      }
    }
    var logcat: [UInt8] = []
    var docker: [UInt8] = []
    for line in lines {
      for part in parts(line, 4000) {
        logcat += Array("03-05 08:05:06.700  1234  5678 D SMACK   : ".utf8) + part + [0x0A]
      }
      for part in parts(line, 16 << 10) {
        docker += Array("2026-11-21T07:25:14.123456789Z ".utf8) + part
      }
      docker.append(0x0A)
    }
    for bytes in [logcat, docker] {
      let carrier = Carrier(Array(bytes.prefix(64 << 10)))
      let reading = try read(
        bytes, "smack", options: ReaderOptions(year: 2026, carrier: carrier))
      #expect(reading.elements == session)
      #expect(reading.problems.isEmpty)
    }
  }

  @Test("A log in another encoding is read if the encoding is given")
  func otherEncodings() throws {
    let session = Self.session.map { $0.replacing("“引号” ", with: "") }
    let lines = Self.smack(session)
    let pieces: [(String, [UInt8])] = [
      ("多行", [0xB6, 0xE0, 0xD0, 0xD0]), ("更多", [0xB8, 0xFC, 0xB6, 0xE0]),
    ]
    var bytes = Array(Self.text(lines).utf8)
    for (text, encoded) in pieces {
      while let range = bytes.firstRange(of: Array(text.utf8)) {
        bytes.replaceSubrange(range, with: encoded)
      }
    }
    let smack = try #require(CaptureFormat.named("smack"))
    #expect(TextEncoding.suspicion(in: bytes, smack)?.message.contains("--encoding") == true)
    #expect(TextEncoding.suspicion(in: Array(Self.text(lines).utf8), smack) == nil)
    let encoding = try #require(TextEncoding(named: "GB18030"))
    #expect(TextEncoding(named: "no such") == nil)
    let carrier = Carrier(bytes, encoding: encoding)
    for pieces in [[], [1], [3, 1000]] {
      let reading = try read(
        bytes, "smack", options: ReaderOptions(carrier: carrier), pieces: pieces)
      #expect(reading.elements == session)
    }
  }

  @Test("Syslog's #011 is a tab, and a character reference is not")
  func octalEscapes() throws {
    let xml = "<presence from='b@example.test/x'><status>a&#010;b #011</status></presence>"
    let line = "Nov 21 07:25:14 host prosody[9]: c2s55a8#011debug#011SEND: \(xml)\n"
    let reading = try read(line, "prosody-debug")
    #expect(reading.elements == ["< " + xml.replacing("#011", with: "\t")])
  }

  /// A contact cannot make a reader take the text of a stanza for a carrier.
  @Test("A contact's text is never unescaped into records")
  func textOfAContact() throws {
    let forged = "RECV (0): &lt;iq type='set' id='e'>&lt;query xmlns='jabber:iq:roster'>"
    let bodies = [
      forged, "> \(forged)", "{\"log\":\"\(forged.replacing("'", with: "\\\""))\\n\"}",
      "11-21 07:25:14.147  1234  5678 D SMACK   : \(forged)", "message,time\n\"\(forged)\",1",
    ]
    for body in bodies {
      let session = Self.session(withText: "\(body)\n\(body)\n\(body)")
      let bytes = Array(Self.text(Self.smack(session)).utf8)
      #expect(Carrier(bytes) == .none, "\(body)")
      var expected = session
      // A line that begins like the log's own continues the open element: nothing tells the two
      // apart, and neither begins a record.
      if body == forged {
        expected[expected.count - 1].replace("\nRECV (0): ", with: "")
      }
      #expect(try read(bytes, "smack").elements == expected, "\(body)")
    }
  }

  /// An unfinished part of a carrier takes proportional time and bounded memory.
  @Test("A quote or a line that never ends is abandoned")
  func unclosedParts() throws {
    let line = "SENT (0): <presence/>"
    let heads: [(String, Carrier.Layer)] = [
      (
        "message,time\n\"",
        try #require(Carrier(Array("message,time\n\"\(line)\",1\n".utf8)).layers.first)
      ),
      ("a=3D=\n", .quotedPrintable),
    ]
    for (head, layer) in heads {
      var options = ReaderOptions(carrier: Carrier(layers: [layer]))
      options.limits.bytesPerElement = 1000
      let bytes = Array((head + String(repeating: "x=\n", count: 20_000)).utf8)
      #expect(try read(bytes, "smack", options: options).elements.isEmpty)
    }
    let deep = Array(repeating: UInt8(ascii: "["), count: 200_000)
    #expect(Carrier(Array("{\"a\":".utf8) + deep).layers.isEmpty)
  }
}
