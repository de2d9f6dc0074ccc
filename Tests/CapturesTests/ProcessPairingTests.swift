import Captures
import TestSupport
import Testing

/// Before version 18, ejabberd received in one process and sent in another.
@Suite("One connection, two server processes")
struct ProcessPairingTests {
  private static let bind = "urn:ietf:params:xml:ns:xmpp-bind"

  private static func received(_ process: Int, _ xml: String) -> String {
    line(process, "ejabberd_receiver:process_data:284 Received", xml)
  }

  private static func sent(_ process: Int, _ xml: String) -> String {
    line(process, "ejabberd_c2s:send_text:1857 Send", xml)
  }

  private static func line(_ process: Int, _ source: String, _ xml: String) -> String {
    "2016-06-24 18:11:05.085 [debug] <0.\(process).0>@\(source) XML on stream = <<\"\(xml)\">>\n"
  }

  private static func login(_ user: String, id: String, _ receiver: Int, _ session: Int) -> [String]
  {
    [
      received(receiver, "<iq type='set' id='\(id)'><bind xmlns='\(bind)'/></iq>"),
      sent(
        session,
        "<iq type='result' id='\(id)'><bind xmlns='\(bind)'><jid>\(user)@a.test/x</jid></bind></iq>"
      ),
    ]
  }

  /// The connection of each record and the beginning of its element.
  private static func names(_ reading: Reading) -> [String] {
    zip(reading.records, reading.elements).map { "\($0.connection) \($1.prefix(5))" }
  }

  @Test("Processes are paired by the ids of requests and answers, not by their numbers")
  func crossed() throws {
    let alice = Self.login("alice", id: "a", 472, 474)
    let zoe = Self.login("zoe", id: "z", 473, 475)
    let text =
      [alice[0], zoe[0], zoe[1], alice[1]].joined()
      + Self.received(473, "<presence to='b@a.test' type='unsubscribe'/>")
      + Self.received(472, "<message to='b@a.test'/>")
    let reading = try read(text, "ejabberd")
    #expect(
      Self.names(reading) == [
        "<0.474.0> > <iq", "<0.475.0> > <iq", "<0.475.0> < <iq", "<0.474.0> < <iq",
        "<0.475.0> > <pr", "<0.474.0> > <me",
      ])
    #expect(reading.problems.isEmpty)
  }

  @Test("Processes are also paired by the answers to pushes")
  func pushes() throws {
    let text =
      Self.sent(474, "<iq type='set' id='p'/>") + Self.sent(475, "<iq type='set' id='q'/>")
      + Self.received(472, "<iq type='result' id='q'/>")
      + Self.received(473, "<iq type='result' id='p'/>")
    let names = Self.names(try read(text, "ejabberd"))
    #expect(names.suffix(2) == ["<0.475.0> > <iq", "<0.474.0> > <iq"])
  }

  @Test("Two processes, one of each kind, are one connection even without an answer")
  func theOnlyOnes() throws {
    let text =
      Self.sent(480, "<presence from='b@a.test/x' to='alice@a.test'/>")
      + Self.received(472, "<presence/>")
    let reading = try read(text, "ejabberd")
    #expect(Set(reading.records.map(\.connection)) == ["<0.480.0>"])
    #expect(reading.problems.isEmpty)
    let alone = try read(Self.received(472, "<presence/>"), "ejabberd")
    #expect(alone.records.map(\.connection) == ["<0.472.0>"])
  }

  @Test("Records without a known connection are counted and left out")
  func unknown() throws {
    let query = "<iq type='get' id='1'><query xmlns='jabber:iq:roster'/></iq>"
    let text =
      Self.login("alice", id: "a", 472, 474).joined() + Self.received(476, "<presence/>")
      + Self.received(477, query) + Self.received(478, query)
      + Self.sent(479, "<iq type='result' id='1'/>")
    let reading = try read(text, "ejabberd")
    #expect(
      Self.names(reading) == ["<0.474.0> > <iq", "<0.474.0> < <iq", "<0.479.0> < <iq"])
    #expect(reading.problems.map(\.line) == [3])
    #expect(reading.problems.first?.message.contains("3 received records") == true)
  }

  @Test("The number of records that wait for a connection is limited")
  func bound() throws {
    let login = Self.login("alice", id: "a", 472, 474).joined()
    let lost = (0..<5000).map { _ in Self.received(476, "<presence/>") }.joined()
    var reader = CaptureReader(format: try #require(CaptureFormat.named("ejabberd")))
    var count = 0
    let text = login + Self.received(476, "<presence/>") + login + lost
    try reader.read(Array(text.utf8)) { if case .record = $0 { count += 1 } }
    #expect(count == 4)
  }
}
