import Rollcall
@testable import RosterClient
import TestSupport
import Testing

/// Before the login, an attacker in the middle can send anything: none of it is trusted.
@Suite("Forged stanzas before a login") struct ForgedLoginTests {
  private static let push = """
    <iq type='set' id='p'><query xmlns='jabber:iq:roster' ver='9'>\
    <item jid='mallory@evil.test' subscription='both'/></query></iq>
    """
  private static let words = [
    push, "<presence type='subscribe' from='mallory@evil.test'/>",
    "<iq type='set' id='b'><block xmlns='urn:xmpp:blocking'><item jid='bob@x.test'/></block></iq>",
    bind("mallory@evil.test/x"), bind("alice@example.test/x") + push,
    """
    <success xmlns='urn:xmpp:sasl:2'><authorization-identifier>mallory@evil.test/x\
    </authorization-identifier><bound xmlns='urn:xmpp:bind:0'/></success>
    """,
    "<resumed xmlns='urn:xmpp:sm:3' previd='x' h='0'/>" + push,
  ]

  private static func bind(_ jid: String) -> String {
    """
    <iq type='result' id='x'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>\(jid)</jid>\
    </bind></iq>
    """
  }

  @Test("They are recorded, and affect neither the roster nor the log's account", arguments: words)
  func forged(_ words: String) async throws {
    let server = try ScriptedServer([
      ScriptedServer.Turn(heard: "<stream:stream", said: Talk.header + words)
    ])
    let folder = try TemporaryFolder()
    var login = LiveLogin(account: Talk.account, password: Password("qing-chun-7"))
    login.server = ServerAddress(host: "127.0.0.1", port: server.port, isDirectTLS: false)
    let session = try LiveSession(login, recordingTo: folder.file("a.rollcall"))
    await #expect(throws: LiveFailure.self) { try await session.start() }
    let roster = await session.roster
    await session.close()
    let replayed = try Timeline(ofLogAt: folder.file("a.rollcall")).state(at: .head(minus: 0))
    for roster in [roster, replayed.roster] {
      #expect(roster.entries.isEmpty && roster.blocked.isEmpty && roster.incoming.isEmpty)
      #expect(roster.account == nil && !roster.isConnected && roster.version == nil)
    }
    let heard = try await server.heard.joined()
    #expect(!heard.contains("id='p'"), "it answers")
    // The log still belongs to the account.
    _ = try LiveSession(login, recordingTo: folder.file("a.rollcall"))
  }
}
