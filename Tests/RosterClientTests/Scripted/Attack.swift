import Foundation
import Rollcall
@testable import RosterClient
import RosterCore
import TestSupport
import Testing

/// A session with a scripted server in TLS.
struct Attack {
  typealias Turn = ScriptedServer.Turn
  var scripts: [[Turn]]
  var allowsPlain = false
  var isDirect = false
  var limits = SessionLimits()
  var timeouts = LiveTimeouts()
  var certificates: Certificates
  /// The root that the client trusts, if not that of the server.
  var authority: String?
  var context: @Sendable (Certificates) throws -> ScriptedServer.Security = {
    ScriptedServer.Security(context: try $0.context())
  }

  init(_ scripts: [Turn]...) throws {
    self.scripts = scripts
    certificates = try Certificates.usual.get()
  }

  /// The outcome of the session.
  struct Result {
    var failure: LiveFailure?
    var heard: [String]
    var roster: Roster
    var records = 0
    var findings: [Finding.Code] = []
  }

  /// Logs in; if that succeeds, waits until the session is over or does something else.
  func run(
    _ online: @Sendable (LiveSession) async throws -> Void = { session in
      await session.waitUntilEnded()
    }
  ) async throws -> Result {
    var security = try context(certificates)
    security.isDirect = isDirect
    let server = try ScriptedServer(scripts, security)
    let folder = try TemporaryFolder()
    let path = folder.file("a.rollcall")
    var login = LiveLogin(
      account: Talk.account, password: Password(LoginScript.password))
    login.server = ServerAddress(host: "127.0.0.1", port: server.port, isDirectTLS: isDirect)
    login.authority = authority ?? certificates.authority
    login.allowsPlain = allowsPlain
    login.resource = "phone"
    var timeouts = timeouts
    timeouts.reconnection = 0
    let session = try LiveSession(login, recordingTo: path, limits: limits, timeouts: timeouts)
    var failure: LiveFailure?
    do throws(LiveFailure) {
      try await session.start()
    } catch {
      failure = error
    }
    if failure == nil { try await online(session) }
    await session.close()
    failure = await session.failure ?? failure
    var result = Result(
      failure: failure, heard: try await server.heard, roster: await session.roster)
    try look(at: path, &result)
    return result
  }

  /// Checks that the log agrees with the session, and contains no credential.
  private func look(at path: String, _ result: inout Result) throws {
    let log = try Timeline(ofLogAt: path)
    var isClosed = false
    let state = try log.replay(upTo: .head(minus: 0)) { moment, _ in
      if case .session(.closed) = moment.event { isClosed = true } else { isClosed = false }
    }
    #expect(isClosed, "the log does not say how it ended")
    #expect(state.roster.sortedItems == result.roster.sortedItems)
    #expect(Set(state.roster.incoming.keys) == Set(result.roster.incoming.keys))
    result.records = Int(state.roster.position)
    result.findings = try log.findings().map(\.code)
    let bytes = try Data(contentsOf: URL(filePath: path))
    for secret in secrets(in: result.heard.joined()) {
      #expect(bytes.range(of: Data(secret.utf8)) == nil, "the log holds \(secret)")
    }
    #expect(!result.heard.joined().contains(LoginScript.password))
  }

  /// The password, and everything that was sent to prove it.
  private func secrets(in heard: String) -> [String] {
    let said = heard.matches(of: /<(?:auth|response|initial-response)[^>]*>([^<]{8,})</)
    return [LoginScript.password, LoginScript.base64("\0alice\0" + LoginScript.password)]
      + said.map { String($0.1) }
  }
}
