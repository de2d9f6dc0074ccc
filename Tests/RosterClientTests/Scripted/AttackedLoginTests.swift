import Foundation
import NIOSSL
import Rollcall
@testable import RosterClient
import RosterCore
import TestSupport
import Testing

/// Attacks with and without a trusted certificate.
@Suite(
  "Logins against a server that misbehaves in TLS",
  .enabled(if: Certificates.isPossible, "openssl is needed"))
struct AttackedLoginTests {
  typealias Turn = ScriptedServer.Turn
  typealias Words = LoginScript

  /// The fault, the server's turns in TLS from its header on, and the failure.
  private static let cases: [(String, [Turn], LiveFailure)] = [
    ("only PLAIN", [Words.offer(["PLAIN"])], .sasl(.plainNotAllowed)),
    ("nothing usable", [Words.offer(["X"])], .sasl(.noUsableMechanism(offered: ["X"]))),
    (
      "a wrong signature",
      scram { _ in Words.success("v=" + Data(repeating: 7, count: 32).base64EncodedString()) },
      .sasl(.wrongServerSignature)
    ),
    ("no signature", scram { _ in Words.success("") }, .sasl(.missingServerSignature)),
    (
      "a success at once", [Words.offer(), Turn(heard: "</auth>", said: Words.success(""))],
      .sasl(.missingServerSignature)
    ),
    ("few iterations", first { Words.serverFirst($0, iterations: 4095) }, tooFew),
    (
      "many iterations", first { Words.serverFirst($0, iterations: 2_000_000_000) },
      .sasl(.tooManyIterations(2_000_000_000))
    ),
    ("another login", first { _ in "r=other,s=\(Words.salt),i=4096" }, .sasl(.nonceMismatch)),
    (
      "a refusal", scram { _ in Words.refusal },
      .notAuthorized(condition: "not-authorized", text: nil)
    ),
    (
      "features again", scram { _ in Words.mechanisms(["PLAIN"]) },
      .protocolViolation("<features/> during the login")
    ),
    (
      "another account", Words.login + [Words.binding(), bound("mallory@example.test/x")],
      .protocolViolation("it bound another account than the one that was asked for")
    ),
    (
      "no resource",
      Words.login + [
        Words.binding(),
        Turn(heard: "</bind></iq>", said: "") { heard in
          "<iq type='error' id='\(Words.id(heard, before: "<bind "))'><error type='cancel'>"
            + "<conflict xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>"
        },
      ], .bindRefused(condition: "conflict", text: nil)
    ),
    ("an end in TLS", [end], .lost(reason: "the server ended the stream")),
    ("an end while it is to let us in", scram { _ in "</stream:stream>" }, ended),
    ("an end of a side", scram(after: .endsOutput) { _ in "" }, .lost(reason: "it was closed")),
    ("a connection that drops", scram(after: .drops) { _ in "" }, .lost(reason: "it was closed")),
    ("an error of the stream", scram { _ in error }, .stream(condition: "reset", text: nil)),
    (
      "an error while a resource is bound",
      Words.login + [Words.binding(), Turn(heard: "</bind></iq>", said: error)],
      .stream(condition: "reset", text: nil)
    ),
  ]

  private static let tooFew = LiveFailure.sasl(.tooFewIterations(4095))
  private static let ended = LiveFailure.lost(reason: "the server ended the stream")
  private static let end = Turn(heard: "<stream:stream", said: Talk.header + "</stream:stream>")
  private static let error =
    "<stream:error><reset xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>"

  private static func scram(
    after: ScriptedServer.After = .nothing, _ last: @escaping @Sendable (String) -> String
  ) -> [Turn] {
    [
      Words.offer(), Words.challenge { Words.serverFirst($0) },
      Turn(heard: "</response>", said: "", made: last, after: after),
    ]
  }

  private static func first(_ message: @escaping @Sendable (String) -> String) -> [Turn] {
    [Words.offer(), Words.challenge(message)]
  }

  private static func bound(_ jid: String) -> Turn {
    Turn(heard: "</bind></iq>", said: "") { Talk.bound(Words.id($0, before: "<bind "), jid) }
  }

  @Test(
    "Each login is broken off with its reason", .timeLimit(.minutes(5)), arguments: cases.indices)
  func brokenOff(_ index: Int) async throws {
    let (what, turns, expected) = Self.cases[index]
    for isDirect in [false, true] {
      var attack = try Attack((isDirect ? [] : Words.startTLS) + turns)
      attack.isDirect = isDirect
      attack.timeouts.login = 3_600_000
      let result = try await attack.run()
      #expect(result.failure == expected, "\(what)")
      #expect(result.roster.sortedItems.isEmpty && result.roster.account == nil, "\(what)")
      guard case .sasl = expected else { continue }
      // A server that has not proved its identity learns nothing more.
      #expect(result.heard.joined().components(separatedBy: "<stream:stream").count <= 3)
      #expect(!result.heard.joined().contains("<bind"), "\(what)")
    }
  }

  @Test("If -PLUS was removed from the offer, the server learns of it")
  func downgrade() async throws {
    let offer = Words.offer(["SCRAM-SHA-256"], binding: "tls-server-end-point")
    let attack = try Attack(
      Words.startTLS + [offer] + Words.login.dropFirst() + [Words.binding(), Words.bound])
    let result = try await attack.run { _ in }
    #expect(Words.first(of: result.heard.joined()).hasPrefix("y,,"))
  }

  @Test("A login is bound to the server's own certificate", arguments: [true, false])
  func channelBinding(isOwn: Bool) async throws {
    let other = try Certificates(for: ["example.test"])
    let endPoint = try isOwn ? Certificates.usual.get().endPoint : other.endPoint
    let plus = Words.offer(
      ["SCRAM-SHA-256-PLUS", "SCRAM-SHA-256"], binding: "tls-server-end-point")
    var attack = try Attack(
      Words.startTLS + [plus, Words.challenge { Words.serverFirst($0) }, Words.letIn(endPoint)]
        + [Words.binding(), Words.bound, Words.roster()])
    attack.timeouts.login = 3_600_000
    let result = try await attack.run { _ in }
    #expect(Words.first(of: result.heard.joined()).hasPrefix("p=tls-server-end-point,,"))
    #expect(
      result.failure == (isOwn ? nil : .notAuthorized(condition: "not-authorized", text: nil)))
  }

  @Test("The server may give another of its domains (RFC 6120 §4.7.1)")
  func otherHeader() async throws {
    let scripts = (Words.online + [Words.roster()]).map { turn in
      var turn = turn
      turn.said = turn.said.replacing("from='example.test'", with: "from='hosting.test'")
      return turn
    }
    #expect(try await Attack(scripts).run { _ in }.failure == nil)
  }

  @Test("A certificate for another domain, expired, or of an unknown authority is not trusted")
  func certificates() async throws {
    let others = try [
      Certificates(for: ["evil.test"]), Certificates(for: ["example.test"], days: -1),
      Certificates(for: ["example.test"]),
    ]
    for (index, other) in others.enumerated() {
      for isDirect in [false, true] {
        var attack = try Attack((isDirect ? [] : Words.startTLS) + Words.login)
        attack.isDirect = isDirect
        attack.certificates = other
        if index == 2 { attack.authority = try Certificates.usual.get().authority }
        attack.timeouts.login = 3_600_000
        let result = try await attack.run()
        guard case .certificate? = result.failure else {
          Issue.record("certificate \(index): \(result.failure as Any)")
          continue
        }
        #expect(!result.heard.joined().contains("alice"))
      }
    }
  }

  @Test("A server without TLS, or with an old version, is refused")
  func handshake() async throws {
    var old = try Attack(Words.startTLS)
    old.context = { certificates in
      ScriptedServer.Security(
        context: try certificates.context { configuration in
          configuration.minimumTLSVersion = .tlsv1
          configuration.maximumTLSVersion = .tlsv11
        })
    }
    let opening = Words.startTLS[0]
    // The first byte of TLS makes the server answer.
    let plain = try Attack([
      opening, Turn(heard: "<starttls", said: Talk.proceed),
      Turn(heard: "\u{16}", said: Talk.header),
    ])
    for var attack in [old, plain] {
      attack.timeouts.login = 3_600_000
      let result = try await attack.run()
      guard case .handshake? = result.failure else {
        Issue.record("\(result.failure as Any)")
        continue
      }
      #expect(!result.heard.joined().contains("alice"))
    }
  }

  @Test("A login that trickles in does not wait forever")
  func trickle() async throws {
    var attack = try Attack(
      Words.startTLS + [Turn(heard: "<stream:stream", said: Talk.header, after: .trickles)])
    attack.timeouts.login = 300
    guard case .timeout? = try await attack.run().failure else {
      Issue.record("it does not time out")
      return
    }
  }
}
