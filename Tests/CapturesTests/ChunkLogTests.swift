import Synchronization
import Testing
import XMPPStanza

@testable import Captures

@Suite("Logs of chunks")
struct ChunkLogTests {
  private func line(_ isInbound: Bool, _ chunk: String) -> String {
    "Sat Nov 21 10:46:05 2026 \(isInbound ? "RECEIVED" : "SENT") \(chunk)\n"
  }

  @Test("A stanza may be cut anywhere")
  func aStanzaIsCutAnywhere() throws {
    let xml = "<iq id='1'><query xmlns='jabber:iq:roster'><item jid='b&lt;'/></query></iq><r/>"
    for cut in 1..<xml.count {
      let middle = xml.index(xml.startIndex, offsetBy: cut)
      let log =
        line(true, String(xml[..<middle])) + line(false, "<presence/>")
        + line(true, String(xml[middle...]))
      let reading = try read(log, "qxmpp")
      #expect(reading.problems.isEmpty, "\(cut)")
      #expect(reading.elements.count == 3, "\(cut)")
      #expect(reading.elements.contains("> <presence/>"), "\(cut)")
      #expect(reading.elements.contains { $0.dropFirst(2) == xml.dropLast(4) }, "\(cut)")
    }
  }

  @Test("Lines of the program may come between the parts of a stanza")
  func programLinesBetweenParts() throws {
    let log =
      line(true, "<iq id=") + "Sat Nov 21 10:46:05 2026 DEBUG <something> else\n"
      + line(true, "'1'/>")
    let reading = try read(log, "qxmpp")
    #expect(reading.elements == ["< <iq id='1'/>"])
  }

  @Test("A log that begins in the middle of a stanza loses only that stanza")
  func aLogThatBeginsInTheMiddleOfAStanza() throws {
    let log =
      line(true, "='both'/></query></iq><presence/>") + line(false, "<iq id='2'/>")
      + line(true, "<iq id='2' type='result'/>")
    let reading = try read(log, "qxmpp")
    #expect(reading.elements == ["> <iq id='2'/>", "< <iq id='2' type='result'/>"])
    #expect(reading.problems.map(\.line) == [1])
  }

  @Test("A stanza inside a lost stanza is not read")
  func aStanzaInALostStanzaIsNotRead() throws {
    let inner = "<iq type='set'><query xmlns='jabber:iq:roster'><item jid='evil'/></query></iq>"
    let log =
      line(true, "x='y'><forwarded>\(inner)") + line(true, "</forwarded></message>")
      + line(true, "<presence/>")
    let reading = try read(log, "qxmpp")
    #expect(reading.elements == ["< <presence/>"])
    #expect(reading.problems.map(\.line) == [1, 2])
  }

  @Test("An interrupted connection is reported, and the next one is read")
  func anInterruptedConnectionIsReported() throws {
    let header =
      "<?xml version='1.0'?><stream:stream xmlns='jabber:client' "
      + "xmlns:stream='http://etherx.jabber.org/streams' to='a'>"
    let log =
      line(true, "<iq id='1'><query") + line(false, header) + line(true, header)
      + line(true, "<presence/>")
    let reading = try read(log, "qxmpp")
    #expect(reading.elements == ["< <presence/>"])
    #expect(reading.problems.map(\.line) == [1])
  }

  // MARK: Lost ends of lines

  struct OneLine: CustomTestStringConvertible, Sendable {
    let format: String
    /// The texts before and after a payload, sent and received.
    let sent: (String, String)
    let received: (String, String)

    var testDescription: String { format }
  }

  private static let erlang = "2026-11-21 07:25:14.147 [debug] <0.5.0>@x:y:1 (tcp|<0.5.0>) "
  private static let openfire = "2026-11-21T07:25:14.147Z - C2S /127.0.0.1:5555  - "
  static let oneLines = [
    OneLine(
      format: "ejabberd", sent: ("\(erlang)Received XML on stream = <<\"", "\">>"),
      received: ("\(erlang)Send XML on stream = <<\"", "\">>")),
    OneLine(
      format: "aioxmpp", sent: ("DEBUG:x:SENT b\"", "\""), received: ("DEBUG:x:RECV b\"", "\"")),
    OneLine(
      format: "smack", sent: ("07:19:12 SENT (0): ", ""), received: ("07:19:12 RECV (0): ", "")),
    OneLine(
      format: "openfire", sent: ("\(openfire)RECV - (rawDebugger): ", ""),
      received: ("\(openfire)SENT - (rawDebugger): ", "")),
    OneLine(
      format: "qxmpp", sent: ("Sat Nov 21 10:46:05 2026 SENT ", ""),
      received: ("Sat Nov 21 10:46:05 2026 RECEIVED ", "")),
    OneLine(
      format: "net-xmpp", sent: ("XML::Stream: Send: (", ")"),
      received: ("XML::Stream: Read: buff(", ")")),
  ]

  @Test("All records of one line are read, whatever their lengths", arguments: oneLines)
  func allRecordsOfALine(_ log: OneLine) throws {
    let long = "<message><body>\(String(repeating: "x", count: 9000))</body></message>"
    let sent = log.sent.0 + "<presence/>" + log.sent.1
    let received = log.received.0 + "<iq type='result' id='1'/>" + log.received.1
    let body = log.received.0 + long + log.received.1
    for parts in [[sent, received, body, sent, sent, received], [received, sent, body, received]] {
      let text = parts.joined(separator: " ")
      let expected = parts.map {
        $0 == sent ? "> <presence/>" : $0 == body ? "< \(long)" : "< <iq type='result' id='1'/>"
      }
      for lines in [text, text + "\n" + text] {
        let reading = try read(lines, log.format)
        #expect(reading.problems.isEmpty)
        #expect(reading.elements == (lines == text ? expected : expected + expected))
      }
    }
  }

  @Test("Text after an open element is not read as a record")
  func nothingIsReadAfterAnOpenElement() throws {
    let log = Self.oneLines[0]
    let text =
      log.sent.0 + "<message><body>" + log.sent.1 + " " + log.received.0 + "<presence/>"
      + log.received.1
    #expect(try read(text, "ejabberd").elements.isEmpty)
  }

  @Test("A wrong count of bytes is not trusted")
  func aWrongCountIsNotTrusted() throws {
    for count in [0, 5, 10, 12, 40, 5_000_000] {
      let log = """
        (07:19:12) jabber: Recv (\(count)): <presence/>
        (07:19:13) jabber: Sending (a@b/c): <iq id='1'/>
        (07:19:14) jabber: Recv (16): <iq id='\("22")'/>

        """
      let reading = try read(log, "libpurple")
      #expect(
        reading.elements == ["< <presence/>", "> <iq id='1'/>", "< <iq id='22'/>"], "\(count)")
    }
  }

  @Test("Text between chunks is not read")
  func textBetweenChunksIsNotRead() throws {
    let log = line(true, "<presence/>") + "<iq id='printed'/>\n" + line(true, "<r/>")
    #expect(try read(log, "qxmpp").elements == ["< <presence/>", "< <r/>"])
  }

  @Test("Connections do not mix")
  func connectionsDoNotMix() throws {
    let log = """
      07:19:12 RECV (0): <iq id='1'>
      07:19:12 RECV (1): <iq id='2'>
      07:19:12 RECV (0): <a/></iq>
      07:19:12 RECV (1): <b/></iq>

      """
    let reading = try read(log, "smack")
    #expect(reading.elements == ["< <iq id='1'><a/></iq>", "< <iq id='2'><b/></iq>"])
    #expect(reading.records.map(\.connection) == ["0", "1"])
  }

  @Test("Many connections are read without keeping all of them")
  func manyStreamsAreBounded() throws {
    var log = ""
    for number in 0..<30_000 { log += "07:19:12 RECV (\(number)): <iq id='\(number)'/>\n" }
    #expect(try read(log, "smack").elements.count == 30_000)
  }

  /// Each line claims more bytes than follow.
  @Test("A log that fails at every line is not read repeatedly")
  func aLogThatFailsAtEveryLine() throws {
    let examinedBytes = Mutex(0)
    var log = ChunkLog.libpurple
    log.mend = { line in
      examinedBytes.withLock { $0 += line.count }
      return line
    }
    let reader = ChunkLogReader(log, ReaderOptions())
    let line = Array("(07:19:12) jabber: Recv (20000): <a".utf8)
    for number in 1...2000 { try reader.take(line[...], number: number) { _ in } }
    try reader.finish { _ in }
    // Reading every chunk to its claimed end would examine twice as many bytes.
    #expect(examinedBytes.withLock { $0 } < 2000 * 20_000 / 2)
  }
}
