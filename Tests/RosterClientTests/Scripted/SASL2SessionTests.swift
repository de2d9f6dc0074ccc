import Foundation
import Rollcall
@testable import RosterClient
import RosterCore
import TestSupport
import Testing

/// SASL 2 with inline negotiation (XEP-0388, XEP-0386, XEP-0198 §6), over a connection.
@Suite(
  "SASL 2 with a scripted server", .enabled(if: Certificates.isPossible, "openssl is needed"))
struct SASL2SessionTests {
  typealias Turn = ScriptedServer.Turn
  typealias Words = LoginScript

  private static let features = Talk.features(
    """
    <authentication xmlns='urn:xmpp:sasl:2'><mechanism>SCRAM-SHA-256</mechanism><inline>\
    <sm xmlns='urn:xmpp:sm:3'/><bind xmlns='urn:xmpp:bind:0'><inline>\
    <feature var='urn:xmpp:sm:3'/></inline></bind></inline></authentication>
    """)
  private static let bound = """
    <bound xmlns='urn:xmpp:bind:0'><enabled xmlns='urn:xmpp:sm:3' id='some-id' resume='true'/>\
    </bound>
    """
  private static let error =
    "<stream:error><host-gone xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>"
  private static let gone = LiveFailure.stream(condition: "host-gone", text: nil)

  /// A login with a given last answer.
  private static func login(_ last: @escaping @Sendable (String) -> String) -> [Turn] {
    Words.startTLS + [
      Turn(heard: "<stream:stream", said: Talk.header + features),
      Turn(heard: "</authenticate>", said: "") { heard in
        let message = Words.base64(Words.serverFirst(heard))
        return "<challenge xmlns='urn:xmpp:sasl:2'>\(message)</challenge>"
      },
      Turn(heard: "</response>", said: "", made: last),
    ]
  }

  private static func success(
    _ heard: String, _ inside: String, jid: String = "alice@example.test/phone"
  ) -> String {
    """
    <success xmlns='urn:xmpp:sasl:2'><additional-data>\
    \(Words.base64(Words.proof(heard) ?? "e=invalid-proof"))</additional-data>\
    <authorization-identifier>\(jid)</authorization-identifier>\(inside)</success>
    """
  }

  /// A session with a contact, which is cut off.
  private static let cut =
    login { success($0, bound) + Talk.features("") } + [
      // Waits for all three requests that a session begins with.
      Turn(heard: "<blocklist", said: ""),
      Turn(heard: "</iq>", said: "") { heard in
        let id = Words.id(heard, before: "<query xmlns=\"jabber:iq:roster\"")
        return "<iq type='result' id='\(id)'><query xmlns='jabber:iq:roster'>"
          + "<item jid='bob@example.test'/></query></iq></stream:stream>"
      },
    ]

  @Test("It binds and enables stream management in the login")
  func whole() async throws {
    let result = try await Attack(Self.cut, Words.last).run()
    #expect(result.failure == Self.gone)
    #expect(result.roster.sortedItems.map(\.jid.text) == ["bob@example.test"])
    #expect(result.heard[0].contains("<enable xmlns=\"urn:xmpp:sm:3\" resume=\"true\"/></bind>"))
  }

  @Test("It resumes a session in the login, and sends what is missing", arguments: [1, 3])
  func resumption(taken: Int) async throws {
    let again = Self.login { heard in
      let resumed = "<resumed xmlns='urn:xmpp:sm:3' h='\(taken)' previd='some-id'/>"
      return Self.success(heard, resumed) + Self.error
    }
    let result = try await Attack(Self.cut, again).run()
    #expect(result.failure == Self.gone && result.heard.count == 2)
    #expect(
      result.heard[1].contains("<resume xmlns=\"urn:xmpp:sm:3\" h=\"1\" previd=\"some-id\"/>"))
    #expect(!result.heard[1].contains("jabber:iq:roster"))
    #expect(result.heard[1].contains("<presence") == (taken == 1))
    #expect(result.roster.sortedItems.map(\.jid.text) == ["bob@example.test"])
  }

  @Test("If the session is gone, a new one begins")
  func failedResumption() async throws {
    let again =
      Self.login { heard in
        let failed = "<failed xmlns='urn:xmpp:sm:3'/>"
        return Self.success(heard, failed + Self.bound) + Talk.features("")
      } + [Words.roster("<item jid='eve@example.test'/>", then: Self.error)]
    let result = try await Attack(Self.cut, again).run()
    #expect(result.failure == Self.gone && result.heard.count == 2)
    #expect(result.roster.sortedItems.map(\.jid.text) == ["eve@example.test"])
  }

  private static let cases: [(@Sendable (String) -> String, LiveFailure)] = [
    (
      { _ in
        let signature = "v=" + Data(repeating: 7, count: 32).base64EncodedString()
        return """
          <success xmlns='urn:xmpp:sasl:2'><additional-data>\(Words.base64(signature))\
          </additional-data><authorization-identifier>alice@example.test/x\
          </authorization-identifier>\(bound)</success>
          """
      }, .sasl(.wrongServerSignature)
    ),
    (
      { _ in
        """
        <success xmlns='urn:xmpp:sasl:2'><authorization-identifier>alice@example.test/x\
        </authorization-identifier>\(bound)</success>
        """
      }, .sasl(.missingServerSignature)
    ),
    (
      { _ in
        "<continue xmlns='urn:xmpp:sasl:2'><tasks><task>TOTP</task></tasks></continue>"
      }, .notAuthorized(condition: "continue", text: "it also wants TOTP")
    ),
    (
      { _ in
        "<failure xmlns='urn:xmpp:sasl:2'>"
          + "<not-authorized xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/></failure>"
      }, .notAuthorized(condition: "not-authorized", text: nil)
    ),
    (
      { success($0, bound, jid: "mallory@example.test/x") },
      .protocolViolation("it logged in another account than the one that was asked for")
    ),
    (
      { success($0, "<resumed xmlns='urn:xmpp:sm:3' h='0' previd='x'/>") },
      .protocolViolation("it resumed another session")
    ),
  ]

  @Test(
    "An illegal message breaks the login off", .timeLimit(.minutes(5)), arguments: cases.indices)
  func brokenOff(_ index: Int) async throws {
    let (last, expected) = Self.cases[index]
    var attack = try Attack(Self.login(last))
    attack.timeouts.login = 3_600_000
    let result = try await attack.run()
    #expect(result.failure == expected)
    #expect(result.roster.account == nil && result.roster.sortedItems.isEmpty)
  }
}
