import Captures
import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// Prosody's own debug log has the head tag of each stanza, and so all of a subscription stanza.
@Suite("Prosody's debug log without mod_stanza_debug")
struct ProsodyHeadTests {
  private static let types: Set<String> = [
    "subscribe", "subscribed", "unsubscribe", "unsubscribed",
  ]

  /// The subscription stanzas of an account, without their texts.
  private func subscriptions(of account: String, in reading: Reading) throws -> [String] {
    var filter = AccountFilter(account: try BareJID(parsing: account))
    var found: [String] = []
    let note = { (record: CapturedRecord) in
      guard case .element(let direction, let node, _) = record.content,
        node.name.local == "presence", let type = node.attribute("type"),
        Self.types.contains(type)
      else { return }
      let from = direction == .inbound ? node.attribute("from") ?? "" : ""
      found.append("\(direction) \(type) \(from) \(node.attribute("to") ?? "")")
    }
    for record in reading.records { filter.take(record, note) }
    filter.finish(note)
    return found
  }

  /// Compares a log that has both with a copy without the module's lines.
  @Test("The head tags give the same subscriptions as the whole stanzas")
  func sameSubscriptions() throws {
    let fixture = try Fixture.named("prosody-crossing")
    let heads = String(decoding: fixture.bytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.contains("\tRECV: ") && !$0.contains("\tSEND: ") }
      .joined(separator: "\n")
    #expect(CaptureFormat.detect(Array(heads.utf8))?.id == "prosody-heads")
    #expect(CaptureFormat.detect(fixture.bytes)?.id == "prosody-debug")
    let reading = try read(heads, "prosody-heads")
    #expect(reading.elements.count > 4)
    #expect(reading.problems.count == 1)
    for expected in fixture.expected {
      let account = expected.account
      let found = try subscriptions(of: account, in: reading)
      #expect(found == (try subscriptions(of: account, in: fixture.reading())))
      #expect(!found.isEmpty)
      let roster = try roster(of: account, in: reading.records)
      #expect(roster.account?.text == account)
      #expect(Set(roster.incoming.keys.map(\.text)) == Set(expected.incoming_requests))
      #expect(roster.completeness != .complete)
    }
  }

  @Test("A log of head tags gives the requests and answers, and reports what it lacks")
  func aLogOfHeadTags() throws {
    let fixture = try #require(Fixture.logs.first { $0.name == "prosody-heads" })
    let reading = try read(fixture.bytes, "prosody-heads")
    #expect(reading.problems.count == 1)
    #expect(reading.problems.first?.message.contains("mod_stanza_debug") == true)
    let own = try subscriptions(of: fixture.account, in: reading)
    #expect(own.first == "inbound subscribe afu44@example.test shufen44@example.test")
    #expect(own.last == "inbound subscribe qiao44@example.test shufen44@example.test")
    #expect(own.count == 12)
    let roster = try roster(of: fixture.account, in: reading.records)
    #expect(roster.incoming.keys.map(\.text) == ["qiao44@example.test"])
    #expect(roster.sortedItems.isEmpty && roster.completeness != .complete)
  }

  @Test("Only subscriptions are records, and only Prosody's own lines have head tags")
  func others() throws {
    let reading = try read(
      """
      Nov 21 07:14:48 c2s1\tdebug\tReceived[c2s]: <presence xml:lang='en'>
      Nov 21 07:14:48 c2s1\tdebug\tReceived[c2s]: <iq id='a' type='get'>
      Nov 21 07:14:48 c2s1\tdebug\tSending[c2s]: <message type='subscribe' from='b@example.test'>
      Nov 21 07:14:48 s2sin1\tdebug\tReceived[s2sin]: <presence type='subscribe' to='a@example.test'>
      Nov 21 07:14:48 mod_x\tdebug\tSending[c2s]: <presence type='subscribe' from='b@example.test'>
      Nov 21 07:14:48 c2s1\tdebug\tSending[c2s]: <presence from='b@a.test' type='subscribe' to='
      """, "prosody-heads")
    #expect(reading.records.isEmpty)
    #expect(reading.problems.map(\.line) == [6, 1])
  }
}
