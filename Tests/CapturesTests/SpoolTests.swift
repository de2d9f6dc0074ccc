import Captures
import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Spools of taps") struct SpoolTests {
  private static let header =
    #"{"rollcall-tap":1,"boot":"ab12cd34","segment":1,"server":"Prosody 0.12.3","what":"roster"}"#

  private func format(_ text: String) -> String? {
    CaptureFormat.detect(Array(text.utf8))?.id
  }

  @Test(
    "A spool is recognized by its first line, also if it was cut",
    arguments: [
      header,
      #"{"t":1,"c":1,"a":"ann@example.test","dir":"in","xml":"<a/>"}"#,
      #"{"t":1,"c":1,"a":"ann@example.test","stream":"opened","jid":"ann@example.test/x"}"#,
      #"{"t":1,"a":"ann@example.test","stored":"all","xml":"<iq/>","asked":[]}"#,
      #"{"t":1,"alive":7}"#, #"{"t":1,"gap":7}"#, #"  {"rollcall-tap":2}"#,
    ])
  func recognized(_ line: String) {
    #expect(format(line + "\n") == "tap")
    #expect(format(line) == "tap")
  }

  @Test(
    "Other JSON Lines are not a spool",
    arguments: [
      (#"{"rollcall-capture":1,"account":"ann@example.test"}"#, "native"),
      (#"{"rollcall-capture":1,"account":"ann@example.test","rollcall-tap":1}"#, "native"),
      (#"{"t":1,"conn":1,"dir":"C>S","data":"<a/>"}"#, "raw-jsonl"),
      (#"{"t":1,"a":"ann@example.test"}"#, nil), (#"{"a":"ann@example.test","dir":"in"}"#, nil),
      (#"{"t":1,"a":7,"dir":"in","xml":"<a/>"}"#, nil),
      (#"{"t":1,"dir":"in","xml":"<a b='rollcall-tap'/>"}"#, nil),
      (#"{"t":1,"a":"ann@example.test","stream":"stdout"}"#, nil),
      (#"{"t":1,"a":"ann","dir":"in","xml":"<a/>"}"#, nil),
      (#"{"t":"1","alive":7}"#, nil), (#"{"t":1,"alive":true}"#, nil),
      (#"{"t":1,"alive":7,"host":"web1"}"#, nil), (#"{"alive":7}"#, nil),
      (#"{"level":"info","message":"rollcall-tap"}"#, nil),
    ] as [(String, String?)])
  func other(_ line: String, _ expected: String?) {
    #expect(format(line + "\n") == expected)
  }

  /// Each outcome of a line after the header, as its record or problem.
  @Test(
    "A line gives what it says",
    arguments: [
      (
        #"{"t":5,"c":3,"a":"ann@example.test","dir":"out","xml":"<presence/>"}"#,
        ["ab12cd34-3 5 > <presence/>"]
      ),
      (
        #"{"t":5,"c":3,"a":"ann@example.test","stream":"opened","jid":"ann@example.test/x"}"#,
        ["ab12cd34-3 5 opened ann@example.test/x"]
      ),
      (
        #"{"t":5,"c":3,"a":"ann@example.test","stream":"resumed","jid":"ann@example.test/x"}"#,
        ["ab12cd34-3 5 resumed ann@example.test/x"]
      ),
      // The connection may have been opened in an earlier segment.
      (
        #"{"t":5,"c":3,"a":"ann@example.test","stream":"closed","reason":"late"}"#,
        ["ab12cd34-3 5 closed late"]
      ),
      (
        #"{"t":5,"c":3,"a":"ann@example.test","stream":"closed","by":"client"}"#,
        ["ab12cd34-3 5 end >", "ab12cd34-3 5 closed"]
      ),
      (#"{"t":5,"alive":4}"#, []), ("", []), ("  ", []),
      (
        #"{"t":5,"gap":4}"#,
        ["the tap could not write 4 lines before this one: what they said is unknown"]
      ),
      (#"{"t":5,"c":3,"dir":"in","xml":"<a/>"}"#, [#""a" is missing"#]),
      (#"{"t":5,"c":3,"a":"a@b@c","dir":"in","xml":"<a/>"}"#, [#""a" is no address"#]),
      (
        #"{"t":5,"a":"ann@example.test","dir":"in","xml":"<a/>"}"#,
        [#""c" is not the number of a connection"#]
      ),
      (
        #"{"t":5,"c":0,"a":"ann@example.test","dir":"in","xml":"<a/>"}"#,
        [#""c" is not the number of a connection"#]
      ),
      (
        #"{"t":5,"c":1,"a":"ann@example.test","dir":"in","xml":"<a/><b/>"}"#,
        ["a record holds one element, not 2"]
      ),
      (#"{"t":5,"c":1,"a":"ann@example.test","dir":"in"}"#, [#""xml" is missing"#]),
      (
        #"{"t":5,"c":1,"a":"ann@example.test","dir":"up","xml":"<a/>"}"#,
        [#""dir" is neither "in" nor "out""#]
      ),
      (
        #"{"t":5,"a":"ann@example.test","stored":"all","xml":"<presence/>"}"#,
        [#""xml" is no roster"#]
      ),
    ])
  func line(_ line: String, _ expected: [String]) throws {
    let reading = try read("\(Self.header)\n\(line)\n", "tap")
    #expect(reading.error == nil)
    #expect(reading.outputs.map(Self.text) == expected)
  }

  private static func text(_ output: CaptureOutput) -> String {
    guard case .record(let record) = output else {
      guard case .problem(let problem) = output else { return "" }
      return problem.message
    }
    let head = "\(record.connection) \(record.time ?? 0)"
    switch record.content {
    case .element(let direction, _, let bytes):
      return
        "\(head) \(direction == .inbound ? "<" : ">") \(String(decoding: bytes, as: UTF8.self))"
    case .lifecycle(.opened(let jid)): return "\(head) opened \(jid)"
    case .lifecycle(.resumed(let jid)): return "\(head) resumed \(jid.map { "\($0)" } ?? "")"
    case .lifecycle(.closed(let reason)): return "\(head) closed" + (reason.map { " \($0)" } ?? "")
    case .lifecycle(.authenticated): return "\(head) authenticated"
    case .streamEnd(let direction): return "\(head) end \(direction == .inbound ? "<" : ">")"
    case .lifecycle, .streamHeader, .annotation, .unreadable: return "\(head) other"
    }
  }

  @Test(
    "A session that ends is lost, or ended by the client's tag, and only once",
    arguments: [
      (#""lost""#, ["c closed"]), (#""closed""#, ["c closed"]),
      (#""closed","reason":"no <a/>""#, ["c closed no <a/>"]),
      (#""closed","by":"client""#, ["c end >", "c closed"]),
      (#""closed","by":"server""#, ["c closed"]), (#""closed","reason":" ""#, ["c closed"]),
    ])
  func endings(_ end: String, _ expected: [String]) throws {
    let opened =
      #"{"t":5,"c":3,"a":"ann@example.test","stream":"opened","jid":"ann@example.test/x"}"#
    let ended = #"{"t":6,"c":3,"a":"ann@example.test","stream":\#(end)}"#
    let again = #"{"t":7,"c":3,"a":"ann@example.test","stream":"closed"}"#
    let reading = try read([Self.header, opened, ended, again].joined(separator: "\n"), "tap")
    #expect(
      reading.outputs.dropFirst().map(Self.text)
        == expected.map { "ab12cd34-3 6" + $0.dropFirst() })
  }

  @Test("A new run of the server ends the connections of the run before, and no other segment does")
  func runs() throws {
    let line = #"{"t":5,"c":1,"a":"ann@example.test","dir":"in","xml":"<presence/>"}"#
    let second = Self.header.replacing("\"segment\":1", with: "\"segment\":2")
    let other = second.replacing("ab12cd34", with: "00000000")
    let reading = try read(
      [Self.header, line, second, line, other, line].joined(separator: "\n"), "tap")
    #expect(
      reading.outputs.map(Self.text) == [
        "ab12cd34-1 5 < <presence/>", "ab12cd34-1 5 < <presence/>",
        "ab12cd34-1 0 closed the server ended", "00000000-1 5 < <presence/>",
      ])
  }

  @Test("A stored roster is received on a connection, with the requests that wait")
  func stored() throws {
    let line = #"""
      {"t":5,"a":"ann@example.test","stored":"all","xml":"<iq type='result' id='r'><query \#
      xmlns='jabber:iq:roster'><item jid='ben@example.test' subscription='both'/></query></iq>",\#
      "asked":["cat@example.test"]}
      """#
    let reading = try read("\(Self.header)\n\(line)\n", "tap")
    #expect(reading.problems.isEmpty)
    let roster = try roster(of: "ann@example.test", in: reading.records)
    #expect(roster.completeness == .complete)
    #expect(roster.sortedItems.map(\.jid.text) == ["ben@example.test"])
    #expect(roster.incoming.keys.map(\.text) == ["cat@example.test"])
    #expect(!roster.isConnected)
  }

  @Test("The records of a chosen account are the same, and the other accounts are still named")
  func chosen() throws {
    let fixture = try #require(Fixture.logs.first { $0.name == "tap-prosody" })
    let all = try fixture.reading().records
    for expected in fixture.expected {
      let account = try BareJID(parsing: expected.account)
      let own = try read(
        fixture.bytes, "tap", options: ReaderOptions(account: account)
      ).records
      var (whole, chosen) = ([CapturedRecord](), [CapturedRecord]())
      var filter = AccountFilter(account: account)
      for record in all { filter.take(record) { whole.append($0) } }
      filter.finish { whole.append($0) }
      filter = AccountFilter(account: account)
      for record in own { filter.take(record) { chosen.append($0) } }
      filter.finish { chosen.append($0) }
      #expect(whole.map(\.content) == chosen.map(\.content))
      #expect(!whole.isEmpty)
      #expect(filter.accounts.count == 3)
    }
  }

  @Test("Of many other accounts only the first hundred are named")
  func manyAccounts() throws {
    let lines = (0..<1000).map { number in
      #"{"t":5,"c":\#(number + 1),"a":"a\#(number)@example.test","dir":"in","xml":"<a/>"}"#
    }
    let chosen = try BareJID(parsing: "a999@example.test")
    let reading = try read(
      ([Self.header] + lines).joined(separator: "\n"), "tap",
      options: ReaderOptions(account: chosen))
    #expect(
      reading.records.map(\.connection) == ((1...100) + [1000]).map { "ab12cd34-\($0)" })
  }

  @Test("A version of the format that is not known is refused")
  func version() throws {
    #expect(
      try read(Self.header.replacing(":1,\"boot", with: ":2,\"boot"), "tap").error
        == .unknownVersion(line: 1, 2))
  }
}
