import EventStore
import Foundation
import NIOCore
import NIOSSL
import Rollcall
import RosterCore
import RosterProxy
import TestSupport
import Testing
@testable import RosterClient

/// What is recorded under an account if servers make false claims.
@Suite("What a proxy records under an account", .serialized) struct ProxyTrustTests {
  private let folder: TemporaryFolder
  private let authority: String
  private let certificates: Certificates
  private static let alice = "alice@raw.test"

  init() throws {
    folder = try TemporaryFolder()
    authority = folder.file("authority")
    try LocalAuthority.make(in: authority, at: Date())
    certificates = try Certificates(for: ["raw.test", "evil.test"])
  }

  private func settings(to port: Int, host: String = "127.0.0.1") throws -> ProxySettings {
    var settings = ProxySettings(
      listen: ServerAddress(host: "127.0.0.1", port: 0, isDirectTLS: false),
      upstream: ServerAddress(host: host, port: port, isDirectTLS: false),
      folder: folder.file("logs"), authority: try LocalAuthority(in: authority))
    settings.upstreamAuthority = certificates.authority
    return settings
  }

  /// A server whose connections begin with TLS, or do not use it.
  private func server(isInTLS: Bool) throws -> RawServer {
    guard isInTLS else { return try RawServer() }
    let identity = try NIOSSLContext(
      configuration: .makeServerConfiguration(
        certificateChain: try NIOSSLCertificate.fromPEMFile(certificates.certificate)
          .map { .certificate($0) },
        privateKey: .privateKey(try NIOSSLPrivateKey(file: certificates.key, format: .pem))))
    return try RawServer { NIOSSLServerHandler(context: identity) }
  }

  /// A client that has logged in.
  private func stream(
    _ proxy: Int, _ server: RawServer, number: Int, to domain: String, isInTLS: Bool
  ) async throws -> RawStream {
    var layer: Wire.Layer?
    if isInTLS {
      var configuration = TLSConfiguration.makeClientConfiguration()
      configuration.certificateVerification = .none
      let context = try NIOSSLContext(configuration: configuration)
      layer = { try NIOSSLClientHandler(context: context, serverHostname: domain) }
    }
    let wire = try await Wire.connected(to: proxy, over: layer)
    let stream = try await RawStream(wire, server, number: number, to: domain)
    try await stream.logIn()
    return stream
  }

  /// Sends a message that identifies the stream, and closes it.
  private func finish(_ stream: RawStream, saying number: Int, _ proxy: RecordingProxy) async throws
  {
    stream.client.say(RawStream.message(number))
    try await stream.server.hears("id='m\(number)'")
    stream.client.close()
    try await Wire.wait(for: "end") { proxy.counts.open == 0 }
  }

  private func bound(_ stream: RawStream, to jid: String, resumableBy id: String) async throws {
    try await stream.bindResource(jid)
    stream.client.say("<enable xmlns='urn:xmpp:sm:3' resume='true'/>")
    try await stream.server.hears("<enable")
    stream.server.say("<enabled xmlns='urn:xmpp:sm:3' id='\(id)' resume='true'/>")
    try await stream.client.hears("<enabled")
  }

  private func resumed(_ stream: RawStream, by id: String) async throws {
    stream.client.say("<resume xmlns='urn:xmpp:sm:3' previd='\(id)' h='0'/>")
    try await stream.server.hears("<resume")
    stream.server.say("<resumed xmlns='urn:xmpp:sm:3' previd='\(id)' h='0'/>")
    try await stream.client.hears("<resumed")
  }

  /// The stanzas in the logs of a folder, by the name of the log.
  private func recorded(_ place: String = "logs") throws -> [String: [Int]] {
    var found: [String: [Int]] = [:]
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.file(place))
    for name in names where name.hasSuffix(".rollcall") {
      var text = ""
      try Timeline(ofLogAt: folder.file("\(place)/\(name)")).log
        .forEachRecord(in: 1...UInt64.max) { header, bytes in
          guard header.direction == .outbound else { return }
          text += bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        }
      found[name] = RawStream.numbers(in: text)
    }
    return found
  }

  /// The findings in a log.
  private func findings(_ name: String) throws -> Set<Finding.Code> {
    var codes: Set<Finding.Code> = []
    try Timeline(ofLogAt: folder.file("logs/\(name)")).replay(upTo: .head(minus: 0)) { moment, _ in
      codes.formUnion(moment.outcome.findings.map(\.code))
    }
    return codes
  }

  @Test(
    "A server of another domain cannot write to an account's log, by a bind or a resumption",
    arguments: [false, true])
  func otherDomain(isInTLS: Bool) async throws {
    let server = try server(isInTLS: isInTLS)
    // A proxy that was started later knows the sessions from the logs.
    for (first, isKnownFromLogs) in [(0, false), (4, true)] {
      let proxy = try RecordingProxy(try settings(to: server.port))
      let port = try await proxy.start().port
      func stream(_ number: Int, to domain: String) async throws -> RawStream {
        try await self.stream(port, server, number: first + number, to: domain, isInTLS: isInTLS)
      }
      let own = try await stream(0, to: "raw.test")
      if isKnownFromLogs {
        try await resumed(own, by: "sm0")
      } else {
        try await bound(own, to: "\(Self.alice)/x", resumableBy: "sm0")
      }
      try await finish(own, saying: first, proxy)
      let claimed = try await stream(1, to: "evil.test")
      try await bound(claimed, to: "\(Self.alice)/x", resumableBy: "sm0")
      try await finish(claimed, saying: first + 1, proxy)
      let resumption = try await stream(2, to: "evil.test")
      try await resumed(resumption, by: "sm0")
      try await finish(resumption, saying: first + 2, proxy)
      let again = try await stream(3, to: "raw.test")
      try await resumed(again, by: "sm0")
      try await finish(again, saying: first + 3, proxy)
      try await proxy.stop()
      var shown: [Finding.Code] = []
      for await event in proxy.events {
        if case .found(_, _, let findings) = event { shown += findings.map(\.code) }
      }
      #expect(shown.filter { $0 == .otherDomain }.count == 1)
      #expect(shown.contains(.unverifiedServer) != isInTLS)
    }
    #expect(try recorded() == ["\(Self.alice).rollcall": [0, 3, 4, 7]])
    let unbound = try recorded("logs/unbound")
    #expect(unbound.values.sorted { $0[0] < $1[0] } == [[1], [2], [5], [6]])
    let claimed = try unbound.keys.filter { try findings("unbound/\($0)").contains(.otherDomain) }
    #expect(Set(claimed.compactMap { unbound[$0] }) == [[1], [5]])
    let own = try findings("\(Self.alice).rollcall")
    #expect(!own.contains(.otherDomain) && own.contains(.unverifiedServer) != isInTLS)
  }

  @Test("Streams with and without verified TLS are in two logs", arguments: [false, true])
  func unverified(isFirstInTLS: Bool) async throws {
    let servers = [true: try server(isInTLS: true), false: try server(isInTLS: false)]
    var numbers = [true: 0, false: 0]
    for round in 0..<4 {
      let isInTLS = (round % 2 == 0) == isFirstInTLS
      let server = try #require(servers[isInTLS])
      let proxy = try RecordingProxy(try settings(to: server.port))
      let port = try await proxy.start().port
      for isResumption in [false, true] {
        let stream = try await stream(
          port, server, number: numbers[isInTLS, default: 0], to: "raw.test", isInTLS: isInTLS)
        numbers[isInTLS, default: 0] += 1
        // Each kind claims to resume a session with the same id, which the other may have begun.
        if isResumption {
          try await resumed(stream, by: "sm")
        } else {
          try await bound(stream, to: "\(Self.alice)/x", resumableBy: "sm")
        }
        try await finish(stream, saying: 2 * round + (isResumption ? 1 : 0), proxy)
      }
      try await proxy.stop()
    }
    let other = isFirstInTLS ? "plain" : "tls"
    #expect(
      try recorded() == [
        "\(Self.alice).rollcall": [0, 1, 4, 5], "\(Self.alice).\(other).rollcall": [2, 3, 6, 7],
      ])
    #expect(
      try findings("\(Self.alice).rollcall").contains(.unverifiedServer) == !isFirstInTLS)
    #expect(
      try findings("\(Self.alice).\(other).rollcall").contains(.unverifiedServer) == isFirstInTLS)
  }

  @Test(
    "A proxy that connects to itself says so, and does not connect again",
    arguments: [("127.0.0.1", "127.0.0.1"), ("127.0.0.1", "localhost"), ("0.0.0.0", "127.0.0.1")],
    [false, true])
  func ledToItself(_ hosts: (listen: String, server: String), isInTLS: Bool) async throws {
    let (proxy, port) = try await proxyLedToItself(hosts)
    var layer: Wire.Layer?
    if isInTLS {
      let context = try NIOSSLContext(configuration: .makeClientConfiguration())
      layer = { try NIOSSLClientHandler(context: context, serverHostname: "raw.test") }
    }
    let wire = try await Wire.connected(to: port, over: layer)
    if !isInTLS {
      wire.say(RawStream.header)
      try await wire.hears("<remote-connection-failed")
    }
    try await Wire.wait(for: "end") {
      wire.isOver && proxy.counts.open == 0 && proxy.counts.connections > 1
    }
    #expect(proxy.counts.connections == 2)
    try await proxy.stop()
    var ends: [ProxyFailure?] = []
    for await event in proxy.events {
      if case .over(_, let end) = event { ends.append(end.failure) }
    }
    #expect(ends == Array(repeating: .ledToItself("\(hosts.server):\(port)"), count: 2))
  }

  /// A proxy that listens at the address configured as its server's.
  private func proxyLedToItself(
    _ hosts: (listen: String, server: String)
  ) async throws -> (RecordingProxy, port: Int) {
    while true {
      let port = try freePort()
      var settings = try settings(to: port, host: hosts.server)
      settings.listen = ServerAddress(host: hosts.listen, port: port, isDirectTLS: false)
      let proxy = try RecordingProxy(settings)
      do {
        _ = try await proxy.start()
        return (proxy, port)
      } catch let error as IOError where error.errnoCode == EADDRINUSE {
        // Another test took the port meanwhile.
        try await proxy.stop()
      }
    }
  }

  @Test("A password is not passed on to a server without TLS, and its client is told so")
  func password() async throws {
    let server = try server(isInTLS: false)
    var settings = try settings(to: server.port)
    settings.allowsPlain = true
    let proxy = try RecordingProxy(settings)
    let wire = try await Wire.connected(to: try await proxy.start().port)
    let stream = try await RawStream(wire, server, number: 0)
    wire.say("<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>AGEAYg==</auth>")
    try await wire.hears("<policy-violation")
    try await Wire.wait(for: "end") { wire.isOver && stream.server.isOver }
    #expect(!stream.server.text.contains("AGEA"))
    try await proxy.stop()
  }

  @Test("The last hundred logs without an account are kept")
  func unboundLogs() async throws {
    let server = try server(isInTLS: false)
    let proxy = try RecordingProxy(try settings(to: server.port))
    let port = try await proxy.start().port
    // A connection that is still open keeps its log, although it is the oldest.
    let longest = try await stream(port, server, number: 0, to: "raw.test", isInTLS: false)
    for number in 1...103 {
      let wire = try await Wire.connected(to: port)
      let stream = try await RawStream(wire, server, number: number)
      stream.client.close()
      try await Wire.wait(for: "end") { proxy.counts.open == 1 }
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("logs/unbound"))
      .filter { $0.hasSuffix(".rollcall") }
    #expect(names.count == 101)
    try await finish(longest, saying: 1, proxy)
    try await proxy.stop()
    #expect(try recorded("logs/unbound").values.contains([1]))
  }
}
