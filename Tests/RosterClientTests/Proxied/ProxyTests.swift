import Captures
import EventStore
import Foundation
import Rollcall
import RosterCore
import RosterProxy
import TestSupport
import Testing
@testable import RosterClient

/// A proxy between the client and real servers.
@Suite(
  "Recording through a proxy", .serialized,
  .enabled(if: Servers.arePossible, "Prosody and ejabberd are needed"))
struct ProxyTests {
  private let folder: TemporaryFolder
  private let authority: String

  init() throws {
    folder = try TemporaryFolder()
    authority = folder.file("authority")
    try LocalAuthority.make(in: authority, at: Date())
  }

  private func settings(_ server: any RealServer, isDirect: Bool = false) throws -> ProxySettings {
    let upstream = ServerAddress(
      host: "127.0.0.1", port: isDirect ? server.directPort : server.port, isDirectTLS: isDirect)
    var settings = ProxySettings(
      listen: ServerAddress(host: "127.0.0.1", port: 0, isDirectTLS: false), upstream: upstream,
      folder: folder.file("logs é"), authority: try LocalAuthority(in: authority))
    settings.upstreamAuthority = server.certificates.authority
    return settings
  }

  /// A client that connects to a proxy instead of its server.
  private func session(
    _ user: String, _ server: any RealServer, at port: Int, isDirect: Bool = false
  ) async throws -> LiveSession {
    var login = try server.login(user)
    login.registers = true
    login.server = ServerAddress(host: "127.0.0.1", port: port, isDirectTLS: isDirect)
    login.authority = LocalAuthority.certificatePath(in: authority)
    var timeouts = LiveTimeouts()
    timeouts.reconnection = 0.01
    return try LiveSession(
      login, recordingTo: folder.file("\(user).rollcall"), limits: SessionLimits(),
      timeouts: timeouts)
  }

  /// The elements of one direction in a log, as they are recorded.
  private func elements(_ path: String, _ direction: RecordDirection) throws -> [String] {
    var elements: [String] = []
    let log = try Timeline(ofLogAt: path).log
    try log.forEachRecord(in: 1...UInt64.max) { header, bytes in
      guard header.direction == direction, header.kind == .element else { return }
      elements.append(bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
    }
    return elements
  }

  @Test(
    "It records the same elements as the client, and the roster of the server",
    arguments: Servers.allCases)
  func records(_ kind: Servers) async throws {
    let server = try kind.make()
    try await server.start()
    for (user, isDirect, isDurable) in [
      ("alice", false, false), ("bob", true, false), ("carol", false, true),
    ] {
      var settings = try settings(server, isDirect: isDirect)
      settings.isDurable = isDurable
      let proxy = try RecordingProxy(settings)
      let port = try await proxy.start().port
      let session = try await session(user, server, at: port, isDirect: isDirect)
      try await session.start()
      let friend = try server.jid("friend")
      try await session.perform(.add(friend, name: "曾", groups: ["家人"]))
      try await session.perform(.rename(friend, to: "<&'\">"))
      try await session.ping()
      await session.close()
      #expect(await session.failure == nil)
      try await proxy.stop()
      let path = folder.file("logs é/\(try server.jid(user).text).rollcall")
      for direction in [RecordDirection.inbound, .outbound] {
        let seen = try elements(path, direction)
        #expect(seen.count > 5)
        #expect(seen == (try elements(folder.file("\(user).rollcall"), direction)), "\(user)")
      }
      let roster = try Timeline(ofLogAt: path).state(at: .head(minus: 0)).roster
      let items = roster.entries.values.map { ($0.item.jid.text, StoredContact($0.item)) }
      #expect(try Dictionary(uniqueKeysWithValues: items) == server.roster(of: user))
      #expect(!roster.isConnected)
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.file("logs é/unbound"))
      #expect(left == [])
    }
    try server.stop()
  }

  /// The mechanisms of the recorded logins.
  private func mechanisms(_ path: String) throws -> [String] {
    var mechanisms: [String] = []
    try Timeline(ofLogAt: path).log.forEachRecord(in: 1...UInt64.max) { header, bytes in
      guard header.kind == .lifecycle,
        case .authenticated(let mechanism) = Lifecycle(bytes.withUnsafeBytes { Array($0) })
      else { return }
      mechanisms.append(mechanism ?? "none")
    }
    return mechanisms
  }

  @Test(
    "A client binds its login to the proxy's channel, and the proxy its own to the server's",
    arguments: Servers.allCases)
  func terminated(_ kind: Servers) async throws {
    let server = try kind.make()
    try await server.start()
    let maker = try await server.register("alice")
    await maker.close()
    for isDirect in [false, true] {
      var settings = try settings(server, isDirect: isDirect)
      settings.termination = try TerminationSecrets(
        Password("pass of alice"), allowsPlain: false, salt: Array(1...16))
      let proxy = try RecordingProxy(settings)
      let port = try await proxy.start().port
      var login = try server.login("alice")
      login.server = ServerAddress(host: "127.0.0.1", port: port, isDirectTLS: isDirect)
      login.authority = LocalAuthority.certificatePath(in: authority)
      let path = folder.file("\(isDirect).rollcall")
      let session = try LiveSession(login, recordingTo: path)
      try await session.start()
      let friend = try server.jid("friend\(isDirect)")
      try await session.perform(.add(friend))
      await session.close()
      login.password = Password("another")
      let stranger = try LiveSession(login)
      await #expect(throws: LiveFailure.self) { try await stranger.start() }
      await stranger.close()
      try await proxy.stop()
      #expect(try mechanisms(path) == ["SCRAM-SHA-256-PLUS"])
      let log = folder.file("logs é/\(try server.jid("alice").text).rollcall")
      #expect(try mechanisms(log).count == (isDirect ? 2 : 1))
      let roster = try Timeline(ofLogAt: log).state(at: .head(minus: 0)).roster
      #expect(roster.item(friend) != nil)
      let bytes = try Data(contentsOf: URL(filePath: log))
      #expect(bytes.range(of: Data("pass of alice".utf8)) == nil)
    }
    try server.stop()
  }

  @Test("A resumed session is one of the account's connections")
  func resumption() async throws {
    let server = try Prosody()
    try await server.start()
    let proxy = try RecordingProxy(try settings(server))
    let relay = try Relay(to: try await proxy.start().port)
    let session = try await session("alice", server, at: relay.port)
    try await session.start()
    // By then the server has sent the id for resuming the session.
    try await session.ping()
    relay.cut()
    for _ in 0..<1000 where await session.connections < 3 {
      try await Task.sleep(for: .milliseconds(10))
    }
    let friend = try server.jid("friend")
    for _ in 0..<1000 {
      if (try? await session.perform(.add(friend))) != nil { break }
      try await Task.sleep(for: .milliseconds(10))
    }
    await session.close()
    try await proxy.stop()
    let log = try Timeline(ofLogAt: folder.file("logs é/alice@\(server.domain).rollcall"))
    var resumptions = 0
    try log.replay(upTo: .head(minus: 0)) { moment, _ in
      if case .session(.resumed) = moment.event { resumptions += 1 }
    }
    #expect(resumptions == 1)
    let roster = try log.state(at: .head(minus: 0)).roster
    #expect(roster.item(friend) != nil && roster.connections.map(\.id.number) == [1, 2])
    try server.stop()
  }

  @Test("A server without a trusted certificate learns nothing", arguments: [false, true])
  func otherServer(isDirect: Bool) async throws {
    let server = try Prosody()
    try await server.start()
    var settings = try settings(server, isDirect: isDirect)
    settings.upstreamAuthority = nil
    let proxy = try RecordingProxy(settings)
    let port = try await proxy.start().port
    let session = try await session("alice", server, at: port, isDirect: isDirect)
    await #expect(throws: LiveFailure.self) { try await session.start() }
    await session.close()
    try await proxy.stop()
    var why: [ProxyFailure] = []
    for await event in proxy.events {
      if case .over(_, let end) = event, let failure = end.failure { why.append(failure) }
    }
    guard case .certificate(.untrusted) = why.first, why.count == 1 else {
      Issue.record("\(why)")
      return
    }
    let heard = server.log
    #expect(!heard.contains("<auth") && !heard.contains("alice"))
    try server.stop()
  }

  @Test("An authority is created once, and only the user can read its key")
  func authorities() throws {
    let path = "\(authority)/authority.key"
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(throws: AuthorityError.exists(path: path)) {
      try LocalAuthority.make(in: authority, at: Date())
    }
    #expect(throws: AuthorityError.none(folder: folder.path)) {
      try LocalAuthority(in: folder.path)
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    #expect(throws: AuthorityError.readable(path: path, mode: 0o640)) {
      try LocalAuthority(in: authority)
    }
  }
}
