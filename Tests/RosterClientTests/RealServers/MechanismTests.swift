import EventStore
import Rollcall
@testable import RosterClient
import TestSupport
import Testing

extension RealServerTests {
  /// The ways to log in that the servers offer.
  ///
  /// Prosody 0.12 supports only `tls-unique` for -PLUS, and ejabberd does not say which types it
  /// supports (XEP-0440): -PLUS must not be used with either.
  @Suite("Logins")
  struct Logins {
    struct Way: Sendable, CustomTestStringConvertible {
      let kind: Servers
      let domain: Domain
      let mechanism: String

      var testDescription: String { "\(kind.rawValue) \(domain.rawValue)" }
    }

    static let ways = [
      Way(kind: .prosody, domain: .usual, mechanism: "SCRAM-SHA-1"),
      Way(kind: .prosody, domain: .hashed, mechanism: "SCRAM-SHA-256"),
      Way(kind: .prosody, domain: .plain, mechanism: "PLAIN"),
      Way(kind: .ejabberd, domain: .usual, mechanism: "SCRAM-SHA-256"),
      Way(kind: .ejabberd, domain: .hashed, mechanism: "SCRAM-SHA-1"),
      Way(kind: .ejabberd, domain: .plain, mechanism: "PLAIN"),
    ]

    @Test("Each mechanism logs in, PLAIN only if it is allowed", arguments: ways)
    func mechanism(_ way: Way) async throws {
      let stage = try await Stage(way.kind, way.domain)
      var login = try stage.login("alice", isNew: true)
      login.allowsPlain = way.domain == .plain
      let made = try await stage.session(login, recordingTo: stage.log("alice"))
      await made.close()
      login.registers = false
      let alice = try await stage.session(login, recordingTo: stage.log("alice"))
      try await alice.perform(.add(stage.jid("bob"), name: "Bob"))
      try await stage.agree(alice)
      await alice.close()
      let recorded = try Recorded(stage.log("alice"))
      #expect(
        try recorded.lifecycleValues("mechanism", of: "authenticated") == [
          way.mechanism, way.mechanism,
        ])
      guard way.domain == .plain else { return }
      login.allowsPlain = false
      await #expect(throws: LiveFailure.sasl(.plainNotAllowed)) {
        _ = try await stage.session(login, recordingTo: stage.log("alice", device: "2"))
      }
      let refused = try Recorded(stage.log("alice", device: "2"))
      #expect(!refused.records.contains { $0.direction == .outbound && $0.text.contains("<auth") })
    }

    @Test("Each way to begin TLS logs in", arguments: Servers.allCases, TLSMode.all)
    func tlsMode(_ kind: Servers, _ mode: TLSMode) async throws {
      let server = try await SharedServers.all.server(kind)
      let endpoint = server.endpoint(for: mode)
      let domain = Domain.allCases.first { server.name(of: $0) == endpoint.domain }
      let stage = try Stage(on: server, domain ?? .usual)
      var login = try stage.login("alice", isNew: true)
      login.server = ServerAddress(
        host: "127.0.0.1", port: endpoint.port, isDirectTLS: mode.isDirect)
      let alice = try await stage.session(login, recordingTo: stage.log("alice"))
      try await alice.perform(.add(stage.jid("bob"), name: "Bob"))
      try await stage.agree(alice)
      await alice.close()
      // The newest version that both support (RFC 8446 §4.2.1).
      let version = mode.version ?? .v13
      #expect(
        try Recorded(stage.log("alice")).lifecycleValues("tls", of: "secured") == [version.rawValue]
      )
    }
  }
}
