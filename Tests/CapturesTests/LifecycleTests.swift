import Captures
import TestSupport
import Testing
import XMPPStanza

@Suite("Lifecycle lines of a capture")
struct LifecycleTests {
  static let lines: [(Lifecycle, String)] = [
    (.header(account: nil, inboundOnly: false), #"{"account":null,"rollcall-capture":1}"#),
    (
      .header(account: address("a@b.test/你"), inboundOnly: true),
      #"{"account":"a@b.test/你","directions":"in","rollcall-capture":1}"#
    ),
    (.opened(address("a@b.test/x")), #"{"jid":"a@b.test/x","stream":"opened"}"#),
    (.resumed(address("a@b.test")), #"{"jid":"a@b.test","stream":"resumed"}"#),
    (.resumed(nil), #"{"stream":"resumed"}"#),
    (.connected(to: nil), #"{"stream":"connected"}"#),
    (.connected(to: "b.test:5222"), #"{"stream":"connected","to":"b.test:5222"}"#),
    (.secured(tls: "TLSv1.3"), #"{"stream":"secured","tls":"TLSv1.3"}"#),
    (.verified(domain: address("b.test").bare), #"{"domain":"b.test","stream":"verified"}"#),
    (
      .unverified(domain: address("bücher.test").bare),
      #"{"domain":"bücher.test","stream":"unverified"}"#
    ),
    (
      .authenticated(mechanism: "SCRAM-SHA-1"),
      #"{"mechanism":"SCRAM-SHA-1","stream":"authenticated"}"#
    ),
    (.closed(reason: nil), #"{"stream":"closed"}"#),
    (.closed(reason: "timed out"), #"{"reason":"timed out","stream":"closed"}"#),
  ]

  @Test("A line is written and read back", arguments: lines)
  func isReadBack(_ lifecycle: Lifecycle, _ line: String) throws {
    #expect(String(decoding: lifecycle.bytes, as: UTF8.self) == line)
    #expect(Lifecycle(Array(line.utf8)) == lifecycle)
  }

  @Test(
    "A malformed lifecycle line is not read",
    arguments: [
      "", "{}", "{", #"{"stream":"burst"}"#, #"{"stream":"opened"}"#,
      #"{"stream":"opened","jid":"@"}"#, #"{"stream":"closed","reason":1}"#,
      #"{"stream":"verified"}"#, #"{"stream":"verified","domain":"a@b.test"}"#,
      #"{"stream":"unverified","domain":"b.test/x"}"#, #"{"rollcall-capture":2}"#,
      #"{"bookmark":"x","back":1}"#,
    ])
  func isRefused(_ line: String) {
    #expect(Lifecycle(Array(line.utf8)) == nil)
  }

  @Test("The address of a line can be replaced")
  func isMapped() {
    for (lifecycle, _) in Self.lines {
      let other = lifecycle.mapped { _ in address("other@b.test") }
      #expect(other.jid == lifecycle.jid.map { _ in address("other@b.test") })
    }
  }

  @Test("Replacing the address also removes names of hosts and free text")
  func isRedacted() {
    let same = { (jid: JID) in jid }
    #expect(Lifecycle.connected(to: "b.test:5222").mapped(same) == .connected(to: nil))
    #expect(Lifecycle.closed(reason: "bob said so").mapped(same) == .closed(reason: nil))
    let kept: [Lifecycle] = [
      .secured(tls: "TLSv1.3"), .authenticated(mechanism: "PLAIN"), .opened(address("a@b.test/x")),
    ]
    for lifecycle in kept {
      #expect(lifecycle.mapped(same) == lifecycle)
    }
  }
}
