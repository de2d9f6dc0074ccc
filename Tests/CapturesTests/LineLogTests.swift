import Synchronization
import Testing
import XMPPStanza
import XMPPStream

@testable import Captures

@Suite("Logs of lines")
struct LineLogTests {
  @Test(
    "A Python log is read with any formatter",
    arguments: [
      "DEBUG    ", "DEBUG:slixmpp.xmlstream.xmlstream:", "2026-11-21 07:25:14,147 DEBUG:xmlstream:",
      "", "[MainThread] 12:00 ", "2026-11-21T07:25:14Z [7] xmlstream ",
    ])
  func anyFormatterOfPython(_ head: String) throws {
    let log = """
      \(head)Event triggered: connected
      \(head)SEND: <stream:stream to='a.test' version='1.0'>
      \(head)RECV: <stream:features xmlns="http://etherx.jabber.org/streams" />
      \(head)SEND (IMMED): <iq/>
      \(head)connection_lost: (None,)

      """
    #expect(CaptureFormat.detect(Array(log.utf8))?.id == "slixmpp")
    let reading = try read(log, "slixmpp")
    #expect(reading.problems.isEmpty)
    #expect(reading.records.map(\.line) == [2, 3, 4, 5])
    #expect(reading.records.last?.content == .lifecycle(.closed(reason: nil)))
    #expect(reading.elements.count == 2)
  }

  @Test("A formatter's text after a record is not read")
  func aSuffixOfTheFormatter() throws {
    let reading = try read("RECV: <a/> [Thread]\nSEND: <b>\n</b> [Thread]\nRECV: <c/>", "slixmpp")
    #expect(reading.elements == ["< <a/>", "> <b>\n</b>", "< <c/>"])
    #expect(reading.problems.isEmpty)
  }

  /// A message of the application that quotes a record does not have the format of a record.
  @Test("A message that quotes a record in another format is not a record")
  func aQuotedRecord() throws {
    let reading = try read(
      """
      DEBUG    RECV: <a/>
      INFO     message from eve: RECV: <iq type='set'/>
      DEBUG    RECV: <b/>
      """, "slixmpp")
    #expect(reading.elements == ["< <a/>", "< <b/>"])
    #expect(reading.problems.map(\.line) == [2])
  }

  @Test("Another run of a program may be formatted differently")
  func anotherRunMayBeFormattedDifferently() throws {
    let reading = try read(
      """
      DEBUG    RECV: <a/>
      DEBUG:xmlstream:SEND: <stream:stream to='a'>
      DEBUG:xmlstream:RECV: <b/>
      """, "slixmpp")
    #expect(reading.elements == ["< <a/>", "< <b/>"])
    #expect(reading.problems.isEmpty)
  }

  @Test("A record continues over lines until its element closes")
  func aRecordContinuesUntilItCloses() throws {
    let body = "<message><x xmlns='u'>\n2026-01-01T00:00:00Z: xmpp: DBG: RECV: <iq type='set'/>\n"
    let log = """
      2026-11-21T07:00:00.5Z: xmpp: DBG: RECV: \(body)
      </x></message>
      2026-11-21T07:00:01Z: conn: DBG: SENT: <r xmlns='urn:xmpp:sm:3'/><presence/>
      2026-11-21T07:00:02Z: prof: DBG: Input received: RECV: <iq/>
      """
    let reading = try read(log, "profanity")
    #expect(reading.problems.isEmpty)
    #expect(reading.elements.count == 3)
    #expect(reading.elements[0] == "< \(body)\n</x></message>")
    #expect(reading.records.map(\.line) == [1, 5, 5])
    #expect(reading.records.map { ($0.time ?? 0) % 60_000 } == [500, 1000, 1000])
  }

  struct Broken: CustomTestStringConvertible, Sendable {
    let name: String
    let lines: [String]
    /// The numbers of the lines with a problem.
    let problems: [Int]
    /// The numbers of the lines with a record.
    let records: [Int]

    var testDescription: String { name }
  }

  static let broken: [Broken] = [
    Broken(
      name: "malformed", lines: ["RECV: <a/>", "RECV: <b></c>", "RECV: <d/>"], problems: [2],
      records: [1, 3]),
    Broken(
      name: "cut off, then a header",
      lines: [
        "RECV: <a/>", "RECV: <b><c", "RECV: <d/>", "SEND: <stream:stream>", "RECV: <e/>",
      ], problems: [2], records: [1, 3, 4, 5]),
    Broken(
      name: "cut off in text", lines: ["RECV: <a>", "text", "RECV: <b/>"], problems: [1],
      records: [3]),
    Broken(
      name: "cut off at the end", lines: ["RECV: <a/>", "RECV: <b>"], problems: [2], records: [1]),
    Broken(
      name: "several cut off", lines: ["RECV: <a>", "RECV: <b>", "RECV: <c>", "RECV: <d/>"],
      problems: [1, 2, 3], records: [4]),
    Broken(
      name: "whole before broken", lines: ["RECV: <a/><b/><c></d>", "RECV: <e/>"], problems: [1],
      records: [1, 1, 2]),
    Broken(
      name: "comment", lines: ["RECV: <!-- x -->", "RECV: <a/>"], problems: [1], records: [2]),
    Broken(
      name: "no XML", lines: ["RECV: text", "RECV: ", "RECV: <a/>"], problems: [], records: [3]),
    Broken(
      name: "invalid characters", lines: ["RECV: <a>\u{0}</a>", "RECV: <b/>"], problems: [1],
      records: [2]),
  ]

  @Test(
    "A broken record is reported, and no record around it is lost",
    arguments: broken)
  func aBrokenRecordIsReportedAndLosesNothingAroundIt(_ test: Broken) throws {
    let reading = try read(test.lines.joined(separator: "\n"), "slixmpp")
    #expect(reading.problems.map(\.line) == test.problems)
    #expect(reading.records.map(\.line) == test.records)
  }

  /// Each line opens a CDATA section that includes the following lines. The number of bytes that
  /// are parsed again for each line is bounded.
  @Test("A log that fails at every line is not read repeatedly")
  func aLogThatFailsAtEveryLine() throws {
    let examinedBytes = Mutex(0)
    var log = LineLog.slixmpp
    log.mend = { xml in
      examinedBytes.withLock { $0 += xml.count }
      return xml
    }
    let reader = LineLogReader(log, ReaderOptions())
    var outputs: [CaptureOutput] = []
    let line = Array("RECV: <a><![CDATA[ ".utf8)
    for number in 1...2000 { try reader.take(line[...], number: number) { outputs.append($0) } }
    try reader.take(Array("RECV: <b/>".utf8)[...], number: 2001) { outputs.append($0) }
    try reader.finish { outputs.append($0) }
    let reading = Reading(outputs: outputs)
    #expect(reading.problems.count == 2000)
    #expect(reading.elements == ["< <b/>"])
    #expect(examinedBytes.withLock { $0 } < (8 << 10) * 2000)
  }

  @Test("Only a line with the format of the log's records ends a connection")
  func anotherPrefixEndsNoConnection() throws {
    let slixmpp = """
      DEBUG    RECV: <a/>
      INFO     message from eve: connection_lost: (None,)
      DEBUG    RECV: <b/>
      DEBUG    connection_lost: (None,)
      """
    #expect(try endings(of: slixmpp, "slixmpp") == [4])
    let profanity = """
      2026-11-21T07:00:00Z: xmpp: DBG: RECV: <a/>
      eve: 2026-11-21T07:00:00Z: prof: DBG: Connection handler: XMPP_CONN_DISCONNECT
      2026-11-21T07:00:01Z: prof: DBG: Connection handler: XMPP_CONN_DISCONNECT
      """
    #expect(try endings(of: profanity, "profanity") == [3])
    let qxmpp = """
      Sat Nov 21 10:46:05 2026 RECEIVED <a/>
      a message of 24 letters! DEBUG Socket disconnected
      Sat Nov 21 10:46:06 2026 DEBUG Socket disconnected
      """
    #expect(try endings(of: qxmpp, "qxmpp") == [3])
    let prosody = """
      Nov 21 07:14:48 c2s5\tdebug\tSEND(4): <a/>
      eve says c2s5 and more \tinfo\tClient disconnected
      Nov 21 07:14:49 c2s5\tinfo\tClient disconnected
      """
    #expect(try endings(of: prosody, "prosody-raw") == [3])
  }

  /// The numbers of the lines that end a connection.
  private func endings(of log: String, _ format: String) throws -> [Int] {
    try read(log, format).records.filter { $0.content == .lifecycle(.closed(reason: nil)) }.map(
      \.line)
  }

  @Test("A record may have many lines")
  func aRecordOfManyLines() throws {
    let body = String(repeating: "line\n", count: 200_000)
    let reading = try read("RECV: <a>\(body)</a>\nRECV: <b/>", "slixmpp")
    #expect(reading.problems.isEmpty)
    #expect(reading.elements.map(\.utf8.count) == [1_000_009, 6])
  }

  @Test("A record of too many lines is abandoned")
  func aRecordOfTooManyLinesIsAbandoned() throws {
    let body = String(repeating: String(repeating: "x", count: 999) + "\n", count: 5000)
    let reading = try read("RECV: <a>\(body)\nRECV: <b/>", "slixmpp")
    #expect(reading.problems.map(\.line) == [1])
    #expect(reading.elements == ["< <b/>"])
  }

  @Test("A line that is too long is left out and reported")
  func aLineThatIsTooLong() throws {
    let options = ReaderOptions(
      limits: .init(depth: 9, attributesPerElement: 9, elementsPerStanza: 9, bytesPerElement: 99))
    let long = String(repeating: "x", count: 70_000)
    let reading = try read(
      "RECV: <a/>\n\(long)\nRECV: <b/>\n\(long)", "slixmpp", options: options, pieces: [1000])
    #expect(reading.elements == ["< <a/>", "< <b/>"])
    #expect(reading.problems.map(\.line) == [2, 4])
  }

  @Test("For a log with only head tags, the problem says which module to load")
  func prosodyWithHeadTagsOnly() throws {
    let log = """
      Nov 21 07:14:48 c2s1\tinfo\tClient connected
      Nov 21 07:14:48 c2s1\tdebug\tReceived[c2s]: <iq id='a' type='get'>
      Nov 21 07:14:48 c2s1\tdebug\tSending[c2s]: <iq id='a' type='result'>
      """
    #expect(CaptureFormat.detect(Array(log.utf8))?.id == "prosody-debug")
    let reading = try read(log, "prosody-debug")
    #expect(reading.records.isEmpty)
    #expect(reading.problems.map(\.line) == [2])
    #expect(reading.problems.first?.message.contains("mod_stanza_debug") == true)
  }

  @Test(
    "If lines of mod_stanza_debug are there and cannot be read, the advice is not to load it",
    arguments: ["prosody-debug", "prosody-heads"])
  func prosodyBehindAnUnknownPrefix(format: String) throws {
    let heads = """
      Nov 21 07:14:48 c2s1\tinfo\tClient connected
      Nov 21 07:14:48 c2s1\tdebug\tReceived[c2s]: <iq id='a' type='get'>

      """
    let unknown = "c2s1 at 07:14:48 | RECV: <iq id='a' type='get'><query xmlns='x'/></iq>"
    let reading = try read(heads + unknown, format)
    #expect(reading.problems.isEmpty, "\(reading.problems)")
    // Lines of sessions between servers do not show how clients' lines begin.
    let server = "Nov 21 07:14:48 s2sin5\tdebug\tRECV: <a/>"
    #expect(try read(heads + server, format).problems.map(\.line) == [2])
  }

  @Test("Sessions between servers in Prosody's log are not read")
  func prosodyServerSessionsAreNotClients() throws {
    let reading = try read(
      """
      Nov 21 07:14:48 s2sin5\tdebug\tRECV: <a/>
      Nov 21 07:14:48 c2s5\tdebug\tRECV: <b/>
      Nov 21 07:14:48 s2sin5\tinfo\tClient disconnected: closed
      """, "prosody-debug")
    #expect(reading.elements == ["> <b/>"])
    #expect(reading.records.count == 1)
  }

  @Test("The year may change in a log without years")
  func aYearEndsInALog() throws {
    let reading = try read(
      """
      Dec 31 23:59:59 c2s5\tdebug\tRECV: <a/>
      Jan  1 00:00:00 c2s5\tdebug\tRECV: <b/>
      Feb 29 00:00:00 c2s5\tdebug\tRECV: <c/>
      """, "prosody-debug", options: ReaderOptions(year: 2027))
    // 2028-01-01 is 1830297600; 2028 is a leap year.
    #expect(
      reading.records.map(\.time) == [1_830_297_599_000, 1_830_297_600_000, 1_835_395_200_000])
  }

  @Test(
    "A text that is not a capture has no format",
    arguments: [
      "", "\n\n", "hello\nworld\n", "{}", "{\"a\":1}\n", "[1,2]", "<stream:stream>", "\u{0}\u{1}",
      "{\"conn\":1}", "07:14:48 something happened",
    ])
  func anUnknownFormatIsNil(_ text: String) {
    #expect(CaptureFormat.detect(Array(text.utf8))?.id == nil)
  }
}
