import Foundation
import TestSupport
import Testing

@Suite("rollcall requests") struct RequestsCommandTests {
  /// Alice asks Dave, whose server cannot be reached, and Erin, who does not answer.
  private static let session = [
    #"{"rollcall-capture":1,"account":"alice@example.test/phone"}"#,
    #"{"stream":"opened","jid":"alice@example.test/phone"}"#,
    #"{"dir":"out","xml":"<iq type='get' id='r'><query xmlns='jabber:iq:roster'/></iq>"}"#,
    #"{"dir":"in","xml":"<iq type='result' id='r'><query xmlns='jabber:iq:roster'/></iq>"}"#,
    #"{"dir":"out","xml":"<presence type='subscribe' to='erin@example.test'/>"}"#,
    #"{"dir":"out","xml":"<presence type='subscribe' to='dave@gone.test'/>"}"#,
  ]

  private static let error = """
    {"dir":"in","xml":"<presence type='error' from='dave@gone.test'><error type='cancel'>\
    <remote-server-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>\
    <text xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'>no route</text></error></presence>"}
    """

  private func requests(_ lines: [String], _ arguments: String...) throws -> Program {
    let folder = try TemporaryFolder()
    let text = (Self.session + lines).joined(separator: "\n") + "\n"
    try Data(text.utf8).write(to: URL(filePath: folder.file("alice.jsonl")))
    return try Program(["requests", "alice.jsonl"] + arguments, in: folder.path)
  }

  @Test("A request that was not delivered is listed with the reason")
  func undelivered() throws {
    let run = try requests([Self.error])
    let lines = run.output.split(separator: "\n")
    let words = "#7: not delivered: remote-server-not-found: “no route”"
    #expect(lines.contains { $0.contains("dave@gone.test") && $0.contains(words) })
    #expect(lines.contains { $0.contains("erin@example.test") && !$0.contains("delivered") })
    let document = try requests([Self.error], "--json").document
    #expect(
      document["undelivered"] as? [NSDictionary] == [
        [
          "jid": "dave@gone.test", "since": 6, "at": 7,
          "error": ["condition": "remote-server-not-found", "text": "no route"],
        ]
      ])
  }

  @Test("A denied request is listed with the record of the denial")
  func denied() throws {
    let push =
      "<iq type='set' id='p'><query xmlns='jabber:iq:roster'><item jid='erin@example.test' "
    let lines = ["ask='subscribe'/>", "subscription='none'/>"].map {
      #"{"dir":"in","xml":"\#(push)\#($0)</query></iq>"}"#
    }
    let denial = #"{"dir":"in","xml":"<presence from='erin@example.test' type='unsubscribed'/>"}"#
    let run = try requests(lines + [denial])
    #expect(run.output.contains("#9: refused"), "\(run.output)")
    let ends = try requests(lines + [denial], "--json").document["endedOutgoing"]
    let end = try #require((ends as? [[String: Any]])?.first)
    #expect(end["way"] as? String == "refused" && end["at"] as? Int == 9)
    let undenied = try requests(lines, "--json").document["endedOutgoing"]
    #expect((undenied as? [[String: Any]])?.first?["way"] as? String == "dropped")
  }

  @Test("A request that is over, or that no error answers, is not listed so")
  func nearMisses() throws {
    let cancelled = #"{"dir":"out","xml":"<presence type='unsubscribe' to='dave@gone.test'/>"}"#
    let again = #"{"dir":"out","xml":"<presence type='subscribe' to='dave@gone.test'/>"}"#
    for lines in [[], [Self.error, cancelled], [Self.error, cancelled, again]] {
      let run = try requests(lines, "--json")
      #expect((try run.document["undelivered"] as? [Any])?.isEmpty == true, "\(lines.count)")
    }
  }
}
