import Captures
import Foundation
import Testing
import XMPPStanza
import XMPPStream

@Suite("Archives of a browser's network traffic")
struct HARTests {
  private static let start = 1_795_697_987_000

  /// Members of an archive that are not text of the session.
  private static let secret = "s3cr3t-cookie"

  private static func exchange(_ more: [String: Any]) -> [String: Any] {
    let headers = [["name": "Cookie", "value": secret]]
    let request: [String: Any] = [
      "method": "POST", "url": "https://a.test/ws?token=\(secret)", "headers": headers,
      "cookies": headers,
    ]
    let response: [String: Any] = [
      "status": 200, "headers": headers, "content": ["text": secret],
    ]
    let entry: [String: Any] = ["request": request, "response": response]
    return entry.merging(more) { _, new in new }
  }

  private static func socket(_ messages: [(Bool, Double, String)]) -> [String: Any] {
    let members = messages.map { isSent, time, data -> [String: Any] in
      [
        "type": isSent ? "send" : "receive", "opcode": 1, "data": data,
        "time": Double(start) / 1000 + time,
      ]
    }
    return exchange(["_webSocketMessages": members])
  }

  private static func archive(_ entries: [[String: Any]], pretty: Bool = false) throws -> [UInt8] {
    let members: [String: Any] = [
      "version": "1.2", "creator": ["name": "test"], "entries": entries,
    ]
    let log = ["log": members]
    let options: JSONSerialization.WritingOptions =
      pretty ? [.prettyPrinted, .sortedKeys] : .sortedKeys
    return [UInt8](try JSONSerialization.data(withJSONObject: log, options: options))
  }

  private static let framing = "xmlns='urn:ietf:params:xml:ns:xmpp-framing'"

  private static func login(_ user: String, at time: Double) -> [(Bool, Double, String)] {
    [
      (true, time, "<open \(framing) to='a.test'/>"),
      (false, time + 0.1, "<open \(framing) from='a.test' id='1'/>"),
      (
        false, time + 0.2,
        "<iq xmlns=\"jabber:client\" type=\"result\" id=\"b\"><bind "
          + "xmlns=\"urn:ietf:params:xml:ns:xmpp-bind\"><jid>\(user)@a.test/w</jid></bind></iq>"
      ),
      (true, time + 0.3, "<presence xmlns='jabber:client'/>"),
      (false, time + 10, "<close \(framing)/>"),
    ]
  }

  @Test(
    "The messages of a WebSocket are read with their directions and times",
    arguments: [true, false])
  func webSocket(pretty: Bool) throws {
    let bytes = try Self.archive(
      [Self.exchange([:]), Self.socket(Self.login("alice", at: 0))], pretty: pretty)
    #expect(CaptureFormat.detect(bytes)?.id == "har")
    let reading = try read(bytes, "har")
    #expect(reading.problems.isEmpty)
    #expect(reading.elements.map(\.first) == [">", "<", "<", ">"])
    #expect(reading.records.count == 5)
    #expect(
      reading.records.map { $0.time.map { Int($0) - Self.start } } == [0, 100, 200, 300, 10_000])
    #expect(Set(reading.records.map(\.connection)) == ["websocket 1"])
    for piece in [1, 7, 64] {
      let isSame = try read(bytes, "har", pieces: [piece]) == reading
      #expect(isSame, "in pieces of \(piece)")
    }
  }

  @Test("Sessions that overlap are sorted by time, each on its own connection")
  func severalSessions() throws {
    let sessions = [Self.login("alice", at: 0), Self.login("bob", at: 0.05)].map(Self.socket)
    let reading = try read(Self.archive(sessions), "har")
    let times = reading.records.compactMap(\.time)
    #expect(times == times.sorted())
    #expect(times.count == 10)
    #expect(Set(reading.records.map(\.connection)) == ["websocket 1", "websocket 2"])
  }

  @Test("The bodies of BOSH requests and answers are read, encoded or not")
  func bosh() throws {
    func body(_ content: String, sid: String = " sid='x1'") -> String {
      "<body xmlns='http://jabber.org/protocol/httpbind'\(sid)>\(content)</body>"
    }
    func exchange(_ time: String, _ request: String, _ answer: String) -> [String: Any] {
      Self.exchange([
        "startedDateTime": time, "time": 5,
        "request": ["postData": ["text": request], "url": Self.secret] as [String: Any],
        "response": [
          "content": ["text": Data(answer.utf8).base64EncodedString(), "encoding": "base64"]
        ],
      ])
    }
    let entries = [
      exchange("2026-11-26T12:59:47.000Z", body("", sid: " to='a.test'"), body("")),
      exchange("2026-11-26T12:59:48.000Z", body("<presence xmlns='jabber:client'/>"), body("")),
      exchange(
        "2026-11-26T12:59:49.000Z", body(""),
        body("<presence xmlns='jabber:client' from='b@a.test/x'/><message xmlns='jabber:client'/>")),
    ]
    let reading = try read(Self.archive(entries), "har")
    #expect(reading.problems.isEmpty)
    #expect(reading.elements.map(\.first) == [">", "<", "<"])
    #expect(Set(reading.records.map(\.connection)) == ["bosh 1"])
  }

  @Test("URLs, headers and cookies are dropped, and SASL payloads are removed")
  func secrets() throws {
    let auth =
      "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>\(Self.secret)</auth>"
    let reading = try read(Self.archive([Self.socket([(true, 0, auth)])]), "har")
    #expect(reading.elements.count == 1)
    #expect(!String(describing: reading.outputs).contains(Self.secret))
    #expect(!reading.elements.joined().contains(Self.secret))
  }

  @Test("Messages of other protocols are skipped, and a broken one is reported")
  func otherMessages() throws {
    let messages = [
      (true, 0.0, "{\"op\":1}"), (true, 0.1, "<svg/>"), (false, 0.2, "<iq type='set'"),
      (false, 0.3, "<presence xmlns='jabber:client' from='b@a.test'/>"),
    ]
    let reading = try read(Self.archive([Self.socket(messages)]), "har")
    #expect(reading.elements.count == 1)
    #expect(reading.problems.count == 1)
  }

  @Test("A byte-order mark and deeply nested other members have no effect")
  func marksAndNesting() throws {
    var nested: [String: Any] = [:]
    for _ in 0..<100 { nested = ["a": [nested]] }
    let before = Self.exchange(["_initiator": nested])
    let session = Self.socket(Self.login("alice", at: 0))
    let expected = try read(Self.archive([session]), "har")
    let bytes = [0xEF, 0xBB, 0xBF] + (try Self.archive([before, session]))
    #expect(CaptureFormat.detect(bytes)?.id == "har")
    for pieces in [[], [1], [2, 1000]] {
      #expect(try read(bytes, "har", pieces: pieces).elements == expected.elements)
    }
    #expect(expected.elements.count == 4)
  }

  @Test("Binary frames are read like text frames if they contain a stream")
  func binaryFrames() throws {
    let texts = Self.login("alice", at: 0) + [(true, 11, "<svg/>"), (true, 12, "%%%")]
    let expected = try read(Self.archive([Self.socket(texts)]), "har")
    let members = texts.map { isSent, time, data -> [String: Any] in
      [
        "type": isSent ? "send" : "receive", "opcode": 2,
        "data": data == "%%%" ? data : Data(data.utf8).base64EncodedString(),
        "time": Double(Self.start) / 1000 + time,
      ]
    }
    let bytes = try Self.archive([Self.exchange(["_webSocketMessages": members])])
    let reading = try read(bytes, "har")
    #expect(reading.elements == expected.elements)
    #expect(reading.elements.count == 4)
    #expect(reading.problems.isEmpty)
  }

  @Test("A broken or endlessly nested archive is reported, and its beginning is read")
  func broken() throws {
    let whole = try Self.archive([Self.socket(Self.login("alice", at: 0))])
    let cut = try read(Array(whole.dropLast(20)), "har")
    #expect(cut.records.count == 5)
    #expect(cut.problems.count == 1)
    let nested =
      Array("{\"log\":{\"creator\":".utf8) + Array(repeating: UInt8(ascii: "["), count: 1 << 20)
    let reading = try read(nested, "har")
    #expect(reading.problems.count == 1)
    #expect(reading.problems.first?.message.contains("byte") == false)
    #expect(reading.records.isEmpty)
  }

  @Test("A message beyond the limit is a problem and does not affect others")
  func tooLong() throws {
    var options = ReaderOptions()
    options.limits.bytesPerElement = 1 << 10
    let long =
      "<message from='bob@a.test/x'><body>\(String(repeating: "a", count: 8 << 10))</body></message>"
    let messages: [(Bool, Double, String)] = [
      (false, 1, "<presence from='bob@a.test/x' to='alice@a.test/y'/>"), (false, 2, long),
      (false, 3, "<presence from='bob@a.test/x' to='alice@a.test/y' type='unavailable'/>"),
    ]
    let reading = try read(Self.archive([Self.socket(messages)]), "har", options: options)
    #expect(reading.elements.count == 2)
    #expect(reading.problems.map(\.message) == ["a message is too long"])
  }
}
