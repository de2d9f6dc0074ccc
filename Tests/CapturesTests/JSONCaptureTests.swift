import Captures
import Testing
import XMPPStanza

@Suite("Captures in JSON: native ones and recorded bytes")
struct JSONCaptureTests {
  private static let header = "{\"rollcall-capture\":1,\"account\":\"alice@a.test/phone\"}\n"

  @Test("A native capture is read with everything that it may have")
  func aNativeCapture() throws {
    let log =
      Self.header + """
        {"t":1763600000000,"stream":"opened","jid":"alice@a.test/phone"}
        {"t":1763600000001.75,"dir":"in","xml":"<iq type=\\"result\\">\\u4f60\\n\\ud83d\\ude00</iq>"}

        {"dir":"out","xml":"<presence/>","comment":[{"a":[1,2.5e3,null,true]}]}
        {"dir":"in","xml":"<stream:stream from='a.test'>"}
        {"dir":"in","xml":"</stream:stream>"}
        {"stream":"resumed"}
        {"stream":"closed","t":null}
        """
    #expect(CaptureFormat.detect(Array(log.utf8))?.id == "native")
    let reading = try read(log, "native")
    #expect(reading.problems.isEmpty)
    let alice = try JID(parsing: "alice@a.test/phone")
    #expect(reading.records.map(\.line) == [1, 2, 3, 5, 6, 7, 8, 9])
    #expect(reading.records[0].content == .lifecycle(.header(account: alice, inboundOnly: false)))
    #expect(reading.records[1].content == .lifecycle(.opened(alice)))
    #expect(reading.records[2].time == 1_763_600_000_001)
    #expect(
      reading.elements == ["< <iq type=\"result\">你\n😀</iq>", "> <presence/>"])
    #expect(reading.records[5].content == .streamEnd(.inbound))
    #expect(reading.records[6].content == .lifecycle(.resumed(nil)))
    #expect(reading.records[7].content == .lifecycle(.closed(reason: nil)))
    #expect(reading.records[7].time == nil)
  }

  @Test("A native capture may hold several connections, and any line may name its own")
  func connections() throws {
    let log =
      Self.header + """
        {"c":2,"name":"proxy 7","stream":"opened","jid":"alice@a.test/desktop"}
        {"dir":"in","xml":"<presence/>"}
        {"t":5,"c":2,"dir":"in","xml":"<presence/>"}
        {"c":1,"name":"phone","dir":"in","xml":"<presence/>"}
        {"c":3,"dir":"in","xml":"<presence/>"}
        {"c":4294967295,"stream":"closed"}
        """
    let reading = try read(log, "native")
    #expect(reading.problems.isEmpty)
    #expect(reading.records.map(\.connectionNumber) == [1, 2, 1, 2, 1, 3, 4_294_967_295])
    #expect(
      reading.records.map(\.connection) == ["", "proxy 7", "", "proxy 7", "phone", "", ""])
  }

  @Test(
    "A number that is no connection's is reported, and its line skipped",
    arguments: ["0", "-1", "1.5", "4294967296", "\"2\"", "true"])
  func noConnection(_ number: String) throws {
    let reading = try read(
      Self.header + "{\"c\":\(number),\"dir\":\"in\",\"xml\":\"<a/>\"}\n", "native")
    #expect(reading.problems.map(\.line) == [2])
    #expect(reading.problems.first?.message.contains("\"c\"") == true)
    #expect(reading.records.count == 1)
  }

  @Test("A native capture may hold one direction only")
  func oneDirection() throws {
    let reading = try read("{\"rollcall-capture\":1,\"directions\":\"in\"}", "native")
    #expect(
      reading.records.map(\.content) == [.lifecycle(.header(account: nil, inboundOnly: true))])
  }

  @Test(
    "A native capture without a header is refused",
    arguments: [
      ("", 1), ("{}", 1), ("not JSON", 1), ("\n\n{\"dir\":\"in\",\"xml\":\"<a/>\"}", 3),
      ("{\"rollcall-capture\":\"1\"}", 1), ("{\"rollcall-capture\":1.5}", 1),
      ("{\"rollcall-capture\":1,\"account\":\"@\"}", 1),
      ("{\"rollcall-capture\":1,\"account\":7}", 1),
      ("{\"rollcall-capture\":1,\"directions\":\"both\"}", 1),
    ])
  func aBadHeaderEndsIt(_ text: String, _ line: Int) throws {
    guard case .badHeader(line, _) = try read(text, "native").error else {
      Issue.record("\(try read(text, "native"))")
      return
    }
  }

  @Test("A native capture of a later version is refused by its number")
  func aVersionToCome() throws {
    let error = try read("{\"rollcall-capture\":2}", "native").error
    #expect(error == .unknownVersion(line: 1, 2))
  }

  /// Each has a message of its own, and the line after it is read.
  @Test("A line that is malformed is skipped, with a message that says why")
  func badRecordsAreSkipped() throws {
    let bad = [
      "{", "7", "{\"dir\":\"in\"}", "{\"xml\":\"<a/>\"}", "{\"dir\":\"IN\",\"xml\":\"<a/>\"}",
      "{\"dir\":\"in\",\"xml\":7}", "{\"dir\":\"in\",\"xml\":\"\"}",
      "{\"dir\":\"in\",\"xml\":\"<a/><b/>\"}", "{\"dir\":\"in\",\"xml\":\"secret<a/>\"}",
      "{\"dir\":\"in\",\"xml\":\"<a>\"}", "{\"stream\":\"open\"}", "{\"stream\":\"opened\"}",
      "{\"stream\":\"opened\",\"jid\":\"@\"}", "{\"stream\":\"resumed\",\"jid\":7}",
      "{\"stream\":\"closed\",\"xml\":\"<a/>\"}", "{\"t\":\"1\",\"dir\":\"in\",\"xml\":\"<a/>\"}",
      "{\"t\":1e300,\"dir\":\"in\",\"xml\":\"<a/>\"}", "{\"rollcall-capture\":2}",
      "{\"dir\":\"in\",\"dir\":\"in\",\"xml\":\"<a/>\"}",
    ]
    let good = "{\"dir\":\"in\",\"xml\":\"<ok/>\"}"
    let lines = bad.flatMap { [$0, good] }
    let reading = try read(Self.header + lines.joined(separator: "\n"), "native")
    #expect(reading.problems.map(\.line) == bad.indices.map { 2 * $0 + 2 })
    #expect(Set(reading.problems.map(\.message)).count == bad.count)
    #expect(reading.elements == bad.map { _ in "< <ok/>" })
    #expect(!reading.problems.contains { $0.message.contains("secret") })
  }

  // MARK: Recorded bytes

  private static let root =
    "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>"

  private func line(_ way: String, _ data: String, connection: Int = 1) -> String {
    let escaped = data.replacing("\"", with: "\\\"")
    return "{\"t\":1.5,\"conn\":\(connection),\"dir\":\"\(way)\",\"data\":\"\(escaped)\"}\n"
  }

  @Test("Chunks of several connections may be interleaved and cut anywhere")
  func chunksOfInterleavedConnections() throws {
    let log =
      line("C>S", Self.root + "<i") + line("C>S", Self.root + "<a/>", connection: 2)
      + "{\"t\":2,\"conn\":1,\"dir\":\"C>S\",\"data_b64\":\"cT7kvQ==\"}\n"
      + "{\"t\":2,\"conn\":1,\"dir\":\"C>S\",\"data_b64\":\"oDwvaXE+\"}\n"
      + "{\"t\":3,\"conn\":2,\"event\":\"close\"}\n"
    let reading = try read(log, "raw-jsonl")
    #expect(reading.problems.isEmpty)
    #expect(reading.elements == ["> <a/>", "> <iq>\u{4F60}</iq>"])
    #expect(reading.records.map(\.connection) == ["1", "2", "2", "1", "2"])
    #expect(reading.records.map(\.time) == [1500, 1500, 1500, 2000, 3000])
    #expect(reading.records.last?.content == .lifecycle(.closed(reason: nil)))
  }

  @Test("A broken direction is read again from its next header")
  func aBrokenDirectionIsFoundAgainAtTheNextHeader() throws {
    let log =
      line("C>S", Self.root + "<a/><b></c>") + line("S>C", Self.root + "<d/>")
      + line("C>S", "<e/>") + line("C>S", Self.root + "<f/>") + line("S>C", "<g/>")
    let reading = try read(log, "raw-jsonl")
    #expect(reading.elements == ["> <a/>", "< <d/>", "> <f/>", "< <g/>"])
    #expect(reading.problems.map(\.line) == [1])
    #expect(reading.problems.first?.message.contains("4 more bytes") == true)
  }

  @Test("A recording may begin in mid-session and end inside an element")
  func aRecordingOfTheMiddle() throws {
    let reading = try read(line("S>C", "<a/>") + line("S>C", "<b><c/>"), "raw-jsonl")
    #expect(reading.elements == ["< <a/>"])
    #expect(reading.problems.map(\.line) == [2])
  }

  @Test("A connection's name that is used again is another connection's")
  func aNameUsedAgain() throws {
    let open = "{\"t\":1,\"conn\":\"x\",\"event\":\"open\"}\n"
    let data = "{\"t\":1,\"conn\":\"x\",\"dir\":\"S>C\",\"data\":\"<a/>\"}\n"
    let reading = try read(open + data + open + data, "raw-jsonl")
    #expect(reading.elements.count == 2)
    #expect(reading.records.map(\.content).contains(.lifecycle(.closed(reason: nil))))
    #expect(reading.problems.isEmpty)
  }

  @Test(
    "A line of recorded bytes that is malformed is skipped",
    arguments: [
      "{\"t\":1}", "{\"conn\":[]}", "{\"conn\":1}", "{\"conn\":1,\"event\":\"burst\"}",
      "{\"conn\":1,\"dir\":\"up\",\"data\":\"\"}", "{\"conn\":1,\"dir\":\"C>S\"}",
      "{\"conn\":1,\"dir\":\"C>S\",\"data_b64\":\"AAA\"}",
      "{\"conn\":1,\"dir\":\"C>S\",\"data_b64\":\"A=AA\"}",
      "{\"conn\":1,\"dir\":\"C>S\",\"data\":\"\",\"data_b64\":\"\"}", "nonsense",
    ])
  func badLinesAreSkipped(_ bad: String) throws {
    let reading = try read(bad + "\n" + line("S>C", "<a/>"), "raw-jsonl")
    #expect(reading.problems.map(\.line) == [1])
    #expect(reading.elements == ["< <a/>"])
  }
}
