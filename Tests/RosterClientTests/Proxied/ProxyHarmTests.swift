import EventStore
import Foundation
import NIOSSL
import Rollcall
import RosterProxy
import TestSupport
import Testing
@testable import RosterClient

/// Bad behavior of clients, servers and networks towards a proxy.
@Suite("Harm to a proxy", .serialized) struct ProxyHarmTests {
  private let folder: TemporaryFolder
  private let server: RawServer
  private let authority: String

  init() throws {
    folder = try TemporaryFolder()
    server = try RawServer()
    authority = folder.file("authority")
    try LocalAuthority.make(in: authority, at: Date())
  }

  private func settings() throws -> ProxySettings {
    ProxySettings(
      listen: ServerAddress(host: "127.0.0.1", port: 0, isDirectTLS: false),
      upstream: ServerAddress(host: "127.0.0.1", port: server.port, isDirectTLS: false),
      folder: folder.file("logs"), authority: try LocalAuthority(in: authority))
  }

  private func stream(
    _ port: Int, number: Int = 0, jid: String = "alice@raw.test/x"
  ) async throws -> RawStream {
    let stream = try await RawStream(try await .connected(to: port), server, number: number)
    try await stream.logIn()
    try await stream.bindResource(jid)
    return stream
  }

  /// How the connections ended, once the proxy has stopped.
  private func ends(of proxy: RecordingProxy) async -> [ProxyFailure?] {
    var ends: [ProxyFailure?] = []
    for await event in proxy.events {
      if case .over(_, let end) = event { ends.append(end.failure) }
    }
    return ends
  }

  private func recorded(_ account: String, _ direction: RecordDirection) throws -> String {
    var text = ""
    let log = try Timeline(ofLogAt: folder.file("logs/\(account).rollcall")).log
    try log.forEachRecord(in: 1...UInt64.max) { header, bytes in
      guard header.direction == direction else { return }
      text += bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
    return text
  }

  @Test(
    "If one side reads nothing, the other is not read from, and nothing piles up",
    arguments: ProxySide.allCases, [false, true])
  func slowReaders(_ slow: ProxySide, isDurable: Bool) async throws {
    var settings = try settings()
    settings.isDurable = isDurable
    let proxy = try RecordingProxy(settings)
    let stream = try await stream(try await proxy.start().port)
    let (sleeper, talker) =
      slow == .client ? (stream.client, stream.server) : (stream.server, stream.client)
    try await sleeper.setReading(false)
    let before = sleeper.heardCount
    // Until the network has refused data for a while.
    var (said, bytes, refusals, most) = (0, 0, 0, 0)
    while refusals < 50 {
      if talker.isWritable {
        let message = RawStream.message(said, padding: 20_000)
        talker.say(message)
        (said, bytes, refusals) = (said + 1, bytes + message.utf8.count, 0)
      } else {
        refusals += 1
        try await Task.sleep(for: .milliseconds(2))
      }
      most = max(most, await proxy.heldBytes)
    }
    // At most one read, the element that it cuts off, and what a side buffers before it is full.
    #expect(most < 300_000 && bytes > 300_000, "\(most) of \(bytes)")
    try await sleeper.setReading(true)
    try await Wire.wait(for: "everything") { sleeper.heardCount - before >= bytes }
    #expect(RawStream.numbers(in: sleeper.text) == Array(0..<said))
    try await Wire.wait(for: "rest") { await proxy.heldBytes == 0 }
    stream.client.close()
    try await proxy.stop()
    let direction: RecordDirection = slow == .client ? .inbound : .outbound
    #expect(
      RawStream.numbers(in: try recorded("alice@raw.test", direction)) == Array(0..<said))
  }

  @Test("Everything that a client sent before it closed its output is passed on")
  func halfClosed() async throws {
    let proxy = try RecordingProxy(try settings())
    let stream = try await stream(try await proxy.start().port)
    stream.client.say((0..<500).map { RawStream.message($0) }.joined() + "</stream:stream>")
    stream.client.endOutput()
    try await Wire.wait(for: "end") { stream.server.isOver && stream.client.isOver }
    #expect(RawStream.numbers(in: stream.server.text) == Array(0..<500))
    #expect(stream.server.text.hasSuffix("</stream:stream>"))
    try await Wire.wait(for: "end of it") { proxy.counts.open == 0 }
    try await proxy.stop()
    #expect(await ends(of: proxy) == [nil])
    #expect(
      RawStream.numbers(in: try recorded("alice@raw.test", .outbound)) == Array(0..<500))
  }

  /// Beginnings of streams and handshakes after which a client sends nothing more.
  private static let stalls: [[UInt8]] = [
    [], [22], [22, 3, 1], [22, 3, 1, 2, 0, 1], Array("<".utf8), Array("<stream:stream".utf8),
    Array(" \n".utf8),
  ]

  @Test("A client that starts and then stalls is dropped", arguments: stalls.indices)
  func stalled(_ index: Int) async throws {
    var settings = try settings()
    (settings.loginTimeout, settings.closeTimeout) = (20, 20)
    let proxy = try RecordingProxy(settings)
    let wire = try await Wire.connected(to: try await proxy.start().port)
    wire.say(Self.stalls[index])
    try await Wire.wait(for: "end") { wire.isOver && proxy.counts.open == 0 }
    try await proxy.stop()
    #expect(await ends(of: proxy) == [.timeout])
  }

  @Test("An unfinished handshake is given up, on either side", arguments: ProxySide.allCases)
  func handshakes(_ slow: ProxySide) async throws {
    // Prepare both ends before connecting, so that the time limit applies to the handshake only.
    let certificates = try Certificates(for: ["raw.test"])
    let identity = try NIOSSLContext(
      configuration: .makeServerConfiguration(
        certificateChain: try NIOSSLCertificate.fromPEMFile(certificates.certificate)
          .map { .certificate($0) },
        privateKey: .privateKey(try NIOSSLPrivateKey(file: certificates.key, format: .pem))))
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.certificateVerification = .none
    let context = try NIOSSLContext(configuration: configuration)
    let handshake: Wire.Layer = { NIOSSLServerHandler(context: identity) }
    let server = try RawServer(over: slow == .client ? handshake : nil)
    var settings = try settings()
    (settings.loginTimeout, settings.closeTimeout) = (4000, 20)
    settings.upstream = ServerAddress(host: "127.0.0.1", port: server.port, isDirectTLS: false)
    settings.upstreamAuthority = certificates.authority
    let proxy = try RecordingProxy(settings)
    // It names the server it wants, and never reads.
    let wire = try await Wire.connected(to: try await proxy.start().port, reads: false) {
      try NIOSSLClientHandler(context: context, serverHostname: "raw.test")
    }
    let other = try await server.wire(0)
    try await Wire.wait(for: "end") { proxy.counts.open == 0 && other.isOver }
    wire.close()
    try await proxy.stop()
    #expect(await ends(of: proxy) == [.timeout])
  }

  @Test("An unreachable server is reported in the stream")
  func awayServer() async throws {
    var settings = try settings()
    settings.upstream = ServerAddress(
      host: "127.0.0.1", port: try freePort(), isDirectTLS: false)
    let proxy = try RecordingProxy(settings)
    let wire = try await Wire.connected(to: try await proxy.start().port)
    wire.say(RawStream.header)
    try await wire.hears("<remote-connection-failed")
    try await Wire.wait(for: "end") { wire.isOver }
    #expect(wire.text.hasSuffix("</stream:stream>"))
    try await proxy.stop()
    let ends = await ends(of: proxy)
    guard case .unreachable("raw.test", let reason)? = ends.first else {
      Issue.record("\(ends)")
      return
    }
    #expect(reason.contains("Connection refused"), "\(reason)")
  }

  @Test("Whatever bytes a client sends, the next client is served")
  func garbage() async throws {
    var settings = try settings()
    (settings.loginTimeout, settings.closeTimeout) = (50, 20)
    let proxy = try RecordingProxy(settings)
    let port = try await proxy.start().port
    var random = SeededGenerator(seed: 18)
    for seed in 0..<40 {
      let wire = try await Wire.connected(to: port)
      var bytes = (0..<Int.random(in: 1...3000, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      // Half of them begin like a TLS handshake or an element.
      if seed % 2 == 0 { bytes = (seed % 4 == 0 ? [22, 3, 1] : Array("<a ".utf8)) + bytes }
      wire.say(bytes)
      try await Wire.wait(for: "end of seed \(seed)") { wire.isOver }
    }
    try await Wire.wait(for: "end") { proxy.counts.open == 0 }
    #expect(proxy.counts.connections == 40)
    try await proxy.stop()
    var patient = settings
    patient.loginTimeout = 60_000
    let next = try RecordingProxy(patient)
    let stream = try await stream(try await next.start().port)
    stream.client.close()
    try await next.stop()
  }

  @Test("An idle log is closed, and its connection continues under the same number")
  func idleLogs() async throws {
    var settings = try settings()
    settings.idleLogTimeout = 5
    let proxy = try RecordingProxy(settings)
    let port = try await proxy.start().port
    var streams: [RawStream] = []
    for number in 0..<3 {
      streams.append(
        try await stream(port, number: number, jid: "alice\(number)@raw.test/x"))
    }
    for round in 1...3 {
      try await Wire.wait(for: "closed logs") { await proxy.openLogs == 0 }
      #expect(proxy.counts.open == 3)
      for stream in streams {
        stream.client.say(RawStream.message(round))
        try await stream.server.hears("id='m\(round)'")
      }
    }
    for stream in streams { stream.client.close() }
    try await Wire.wait(for: "end") { proxy.counts.open == 0 }
    try await proxy.stop()
    for number in 0..<3 {
      let account = "alice\(number)@raw.test"
      #expect(RawStream.numbers(in: try recorded(account, .outbound)) == [1, 2, 3])
      let roster = try Timeline(ofLogAt: folder.file("logs/\(account).rollcall"))
        .state(at: .head(minus: 0)).roster
      #expect(roster.connections.map(\.id.number) == [1])
    }
  }

  @Test("Loopback addresses are told apart from addresses that other machines can reach")
  func loopback() {
    for (host, isLoopback) in [
      ("127.0.0.1", true), ("127.8.0.1", true), ("::1", true), ("localhost", true),
      ("0.0.0.0", false), ("::", false), ("192.0.2.1", false), ("127.0.0.1.example.test", false),
      ("host.test", false), ("2001:db8::1", false),
    ] {
      let address = ServerAddress(host: host, port: 5222, isDirectTLS: false)
      #expect(address.isLoopback == isLoopback, "\(host)")
    }
  }

  @Test("A session of an unknown account is recorded in a log of its own, and not kept in memory")
  func unknownSession() async throws {
    let proxy = try RecordingProxy(try settings())
    let stream = try await RawStream(
      try await .connected(to: try await proxy.start().port), server, number: 0)
    try await stream.logIn()
    stream.client.say("<resume xmlns='urn:xmpp:sm:3' previd='unheard of' h='0'/>")
    try await stream.server.hears("<resume")
    stream.server.say("<resumed xmlns='urn:xmpp:sm:3' previd='unheard of' h='0'/>")
    var most = 0
    for number in 0..<25 {
      stream.client.say(RawStream.message(number, padding: 400_000))
      try await stream.server.hears("id='m\(number)'")
      most = max(most, await proxy.heldBytes)
    }
    try await Wire.wait(for: "rest") { await proxy.heldBytes == 0 }
    // Ten megabytes were sent.
    #expect(most > 1 << 20 && most < 5 << 20, "\(most)")
    stream.client.close()
    try await proxy.stop()
    let folder = folder.file("logs/unbound")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".rollcall") }
    #expect(names.count == 1)
    #expect(
      RawStream.numbers(in: try recorded("unbound/\(names[0].dropLast(9))", .outbound))
        == Array(0..<25))
  }

  @Test("Connections of one account have different numbers, even after a restart")
  func numbers() async throws {
    for round in 0..<2 {
      let proxy = try RecordingProxy(try settings())
      let port = try await proxy.start().port
      for number in 0..<3 {
        let stream = try await stream(
          port, number: round * 3 + number, jid: "alice@raw.test/\(number)")
        stream.client.say(RawStream.message(round * 3 + number))
        try await stream.server.hears("id='m")
        if number == 1 { stream.client.close() }
      }
      try await proxy.stop()
    }
    var found: [Int: UInt32] = [:]
    let log = try Timeline(ofLogAt: folder.file("logs/alice@raw.test.rollcall")).log
    try log.forEachRecord(in: 1...UInt64.max) { header, bytes in
      let text = bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
      for number in RawStream.numbers(in: text) { found[number] = header.connection }
    }
    #expect(found == [0: 1, 1: 2, 2: 3, 3: 4, 4: 5, 5: 6])
  }
}
