@testable import Rollcall
@testable import RosterClient
import TestSupport

/// A session and a scripted server with TLS, over a network that a test can break.
struct RelayedSession {
  typealias Turn = ScriptedServer.Turn
  typealias Words = LoginScript

  let server: ScriptedServer
  let relay: Relay
  let session: LiveSession
  private let folder: TemporaryFolder

  /// - Parameter scripts: One for each connection that gets through to the server.
  init(
    _ scripts: [Turn]..., timeouts change: (inout LiveTimeouts) -> Void = { _ in }
  ) throws {
    let certificates = try Certificates.usual.get()
    server = try ScriptedServer(
      scripts, ScriptedServer.Security(context: try certificates.context()))
    relay = try Relay(to: server.port)
    folder = try TemporaryFolder()
    var login = LiveLogin(account: Talk.account, password: Password(Words.password))
    login.server = ServerAddress(host: "127.0.0.1", port: relay.port, isDirectTLS: false)
    login.authority = certificates.authority
    login.resource = "phone"
    var timeouts = LiveTimeouts()
    timeouts.reconnection = 0
    change(&timeouts)
    session = try LiveSession(login, recordingTo: folder.file("a.rollcall"), timeouts: timeouts)
  }

  static let bob = BareJID(prepared: "bob@example.test")
  static let kept = "<item jid='bob@example.test' name='Bob'><group>Work</group></item>"
  static let online = Words.online + [Words.roster(kept)]
  /// The script to get online on a server that counts stanzas.
  static let counted =
    Words.startTLS + Words.login + [
      Words.binding(Talk.bind + Talk.counting), Words.bound,
      Turn(heard: "<enable", said: "<enabled xmlns='urn:xmpp:sm:3' id='s' resume='true'/>"),
      Words.roster(kept),
    ]
  /// The script to resume a session of `counted` of which the server has handled nothing.
  static let resuming =
    Words.startTLS + Words.login + [
      Words.binding(Talk.bind + Talk.counting),
      Turn(heard: "<resume", said: "<resumed xmlns='urn:xmpp:sm:3' previd='s' h='0'/>"),
    ]

  /// Waits until a condition of the session is met.
  func wait(_ condition: @Sendable (isolated LiveSession) -> Bool) async throws {
    while !(await session.holds(condition)) { try await Task.sleep(for: .milliseconds(5)) }
  }

  func failureOfStart() async -> LiveFailure? {
    do throws(LiveFailure) { try await session.start() } catch { return error }
    return nil
  }

  /// The error of a rename; nil if the server answered it.
  func failureOfRename() async -> LiveError? {
    do throws(LiveError) {
      try await session.perform(.rename(Self.bob, to: "Robert"))
    } catch {
      return error
    }
    return nil
  }
}

extension LiveSession {
  func holds(_ condition: @Sendable (isolated LiveSession) -> Bool) -> Bool { condition(self) }
}
