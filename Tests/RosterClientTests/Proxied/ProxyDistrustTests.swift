import Foundation
import NIOSSL
import Rollcall
import RosterProxy
import TestSupport
import Testing
import XMPPStanza
@testable import RosterClient

@Suite("Clients and servers that do not fit a proxy's TLS", .serialized)
struct ProxyDistrustTests {
  private let folder: TemporaryFolder
  private let certificate: MadeCertificate

  init() throws {
    folder = try TemporaryFolder()
    certificate = try MadeCertificate()
    try LocalAuthority.make(in: folder.file("authority"), at: Date())
    try certificate.root.write(toFile: folder.file("root.pem"), atomically: true, encoding: .utf8)
  }

  private func proxy(to port: Int) throws -> RecordingProxy {
    var settings = ProxySettings(
      listen: ServerAddress(host: "127.0.0.1", port: 0, isDirectTLS: false),
      upstream: ServerAddress(host: "127.0.0.1", port: port, isDirectTLS: false),
      folder: folder.file("logs"), authority: try LocalAuthority(in: folder.file("authority")))
    settings.upstreamAuthority = folder.file("root.pem")
    return try RecordingProxy(settings)
  }

  private func ends(of proxy: RecordingProxy) async throws -> [ProxyFailure?] {
    try await Wire.wait(for: "end") { proxy.counts.open == 0 && proxy.counts.connections > 0 }
    try await proxy.stop()
    var ends: [ProxyFailure?] = []
    for await event in proxy.events {
      if case .over(_, let end) = event { ends.append(end.failure) }
    }
    return ends
  }

  /// - Parameter version: The only version of TLS that the client supports: 1.3 hides what is said
  ///   about certificates, 1.2 does not.
  @Test(
    "A client that does not trust the authority is named as the one that broke off",
    arguments: [false, true], [TLSVersion.tlsv12, .tlsv13])
  func untrusted(isClosed: Bool, version: TLSVersion) async throws {
    let server = try ScriptedServer(
      [[ScriptedServer.Turn(heard: "<stream:stream", said: "")]],
      .init(context: try certificate.context(), isDirect: true))
    let proxy = try proxy(to: server.port)
    var configuration = TLSConfiguration.makeClientConfiguration()
    (configuration.minimumTLSVersion, configuration.maximumTLSVersion) = (version, version)
    // Without verification, the client gives up only after the handshake.
    if isClosed { configuration.certificateVerification = .none }
    let context = try NIOSSLContext(configuration: configuration)
    let client = try await Wire.connected(to: try await proxy.start().port) {
      try NIOSSLClientHandler(context: context, serverHostname: "example.test")
    }
    if isClosed {
      // White space passes once TLS has begun on both sides, and begins no stream.
      client.say(" ")
      try await server.hears(" ")
      client.close()
    }
    let ends = try await ends(of: proxy)
    #expect(ends.count == 1 && ends.first??.isClientsDistrust == true, "\(ends)")
    let words = ends.first??.description ?? ""
    #expect(words.contains("does not trust the authority of this proxy"), "\(words)")
  }

  @Test("A server that expects TLS at once is recognized, by the proxy and by the client")
  func directTLS() async throws {
    let server = try ScriptedServer(
      [[]], .init(context: try certificate.context(), isDirect: true))
    let proxy = try proxy(to: server.port)
    let client = try await Wire.connected(to: try await proxy.start().port)
    client.say(
      "<stream:stream to='example.test' version='1.0' xmlns='jabber:client' "
        + "xmlns:stream='http://etherx.jabber.org/streams'>")
    let ends = try await ends(of: proxy)
    #expect(ends.count == 1)
    switch ends.first ?? nil {
    case .startedWithoutTLS, .noHeader: break
    case let other: Issue.record("\(other as Any)")
    }
    client.close()
    switch try await refusal(at: server.port, isDirect: false) {
    case .startedWithoutTLS, .noHeader: break
    case let other: Issue.record("\(other as Any)")
    }
  }

  @Test("A server that expects STARTTLS is recognized by a client that began with TLS")
  func startTLS() async throws {
    let error =
      "<?xml version='1.0'?><stream:stream xmlns:stream='http://etherx.jabber.org/streams'>"
    let server = try ScriptedServer([
      ScriptedServer.Turn(heard: "example.test", said: error, closes: true)
    ])
    let failure = try await refusal(at: server.port, isDirect: true)
    #expect(failure == .handshake(.notTLS) || failure == .handshake(.closed), "\(failure as Any)")
  }

  private func refusal(at port: Int, isDirect: Bool) async throws -> LiveFailure? {
    var login = LiveLogin(
      account: BareJID(prepared: "alice@example.test"), password: Password("pencil"))
    login.server = ServerAddress(host: "127.0.0.1", port: port, isDirectTLS: isDirect)
    login.authority = folder.file("root.pem")
    let session = try LiveSession(login, recordingTo: nil, timeouts: LiveTimeouts())
    var failure: LiveFailure?
    do throws(LiveFailure) { try await session.start() } catch { failure = error }
    await session.close()
    return failure
  }
}
