import Rollcall
@testable import RosterClient
import RosterCore
import TestSupport
import Testing

extension RealServerTests {
  /// What a stranger can send through a server with other limits than ours.
  @Suite("Hostile contacts")
  struct HostileContacts {
    /// An element with 300 attributes, and one with 130 levels.
    private static let payloads = [
      "<x xmlns='urn:example:x' "
        + (0..<300).map { "a\($0)='1'" }.joined(separator: " ") + "/>",
      "<x xmlns='urn:example:x'>" + String(repeating: "<a>", count: 130)
        + String(repeating: "</a>", count: 130) + "</x>",
    ]

    @Test("A message beyond our limits does not end the session", arguments: Servers.allCases)
    func oversized(_ kind: Servers) async throws {
      let stage = try await Stage(kind)
      let alice = try await stage.session("alice", isNew: true)
      let eve = try await stage.session("eve", isNew: true)
      let (aliceJID, eveJID) = (try stage.jid("alice"), try stage.jid("eve"))
      let connections = await alice.connections
      let full = try stage.full("alice")
      for payload in Self.payloads {
        await eve.sendAsIs("<message to='\(full)' type='chat'>\(payload)</message>")
      }
      // Stanzas arrive in order, so the messages have arrived once this has.
      try await eve.perform(.add(aliceJID))
      await stage.wait(for: alice, "no request") { $0.incoming[eveJID] != nil }
      try await alice.ping()
      #expect(await alice.connections == connections)
      await alice.close()
      await eve.close()
      let findings = try Timeline(ofLogAt: stage.log("alice")).findings().map(\.code)
      #expect(findings.filter { $0 == .oversizedElement }.count == Self.payloads.count)
      // There is nothing left for the server to send again.
      let again = try await stage.session("alice")
      try await again.ping()
      await again.close()
      #expect(await again.failure == nil)
    }
  }
}

extension LiveSession {
  /// Sends the text of a stanza unchanged.
  fileprivate func sendAsIs(_ stanza: String) {
    send(Array(stanza.utf8))
    flush()
  }
}
