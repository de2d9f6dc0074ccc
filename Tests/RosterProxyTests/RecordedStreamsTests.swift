import EventStore
import Foundation
import Rollcall
import RosterCore
@testable import RosterProxy
import TestSupport
import Testing

/// Streams recorded in one folder, with servers that make any claims about accounts, compared with
/// a model of where each belongs. `ROLLCALL_SEEDS=1000-4999` tests other seeds.
@Suite("Servers' claims about accounts") struct RecordedStreamsTests {
  private static var seeds: ClosedRange<Int> {
    let given = ProcessInfo.processInfo.environment["ROLLCALL_SEEDS"]?.split(separator: "-")
      .compactMap { Int($0) }
    guard let given, given.count == 2, given[0] <= given[1] else { return 0...24 }
    return given[0]...given[1]
  }

  /// The server of a stream.
  private struct Server: Hashable {
    var domain: String
    var isInTLS: Bool
  }

  private struct Session: Hashable {
    var id: String
    var server: Server
  }

  /// Models where streams belong.
  private struct Model {
    /// The streams in each log, by the name without its extension; `unbound` is one log here.
    var logs: [String: Set<Int>] = [:]
    /// Whether the account's main log holds streams with a verified server.
    var main: [String: Bool] = [:]
    var sessions: [Session: String] = [:]
    var ids: [Server: Int] = [:]

    /// The log of a stream that its server assigns to an account.
    mutating func log(of account: String, _ server: Server) -> String {
      guard account.hasSuffix("@\(server.domain)") else { return "unbound" }
      let main = main[account] ?? server.isInTLS
      self.main[account] = main
      guard main != server.isInTLS else { return account }
      return account + (server.isInTLS ? ".tls" : ".plain")
    }
  }

  @Test("A stream is only in a log of its kind, and of an account that its own server named")
  func streams() throws {
    for seed in Self.seeds {
      do {
        try run(seed)
      } catch {
        Issue.record("ROLLCALL_SEEDS=\(seed)-\(seed): \(error)")
      }
    }
  }

  private func run(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let folder = try TemporaryFolder()
    var logs = try AccountLogs(folder.file("logs"))
    var model = Model()
    for number in 0..<Int.random(in: 2...12, using: &random) {
      // Sometimes the proxy is restarted.
      if Int.random(in: 0..<4, using: &random) == 0 {
        try logs.close()
        logs = try AccountLogs(folder.file("logs"))
        try logs.restoreSessions(at: Date())
      }
      let server = Server(
        domain: Bool.random(using: &random) ? "example.test" : "evil.test",
        isInTLS: Bool.random(using: &random))
      var stream = try RecordedStream(to: server.domain, isInTLS: server.isInTLS, logs)
      let account =
        ["alice@example.test", "bob@example.test", "alice@evil.test"]
        .randomElement(using: &random) ?? ""
      let way = Int.random(in: 0..<3, using: &random)
      let log: String
      switch way {
      case 0:
        try stream.bind("\(account)/\(number)")
        log = model.log(of: account, server)
      case 1:
        try stream.bindBySASL2("\(account)/\(number)")
        log = model.log(of: account, server)
      default:
        let id = "s\(Int.random(in: 0..<4, using: &random))"
        try stream.resume(id)
        log = model.sessions[Session(id: id, server: server)] ?? "unbound"
      }
      if way != 2, Bool.random(using: &random) {
        // Each server assigns its own ids; those of others may be equal.
        let id = "s\(model.ids[server, default: 0])"
        model.ids[server, default: 0] += 1
        try stream.say("<enabled xmlns='urn:xmpp:sm:3' id='\(id)' resume='true'/>", .server)
        if log != "unbound" { model.sessions[Session(id: id, server: server)] = log }
      }
      try stream.say("<message id='m\(number)'/>", .client)
      model.logs[log, default: []].insert(number)
      try stream.close()
    }
    try logs.close()
    #expect(try recorded(folder) == model.logs, "ROLLCALL_SEEDS=\(seed)-\(seed)")
  }

  /// The streams in the logs of a folder, in the form of the model.
  private func recorded(_ folder: TemporaryFolder) throws -> [String: Set<Int>] {
    var found: [String: Set<Int>] = [:]
    let place = folder.file("logs")
    let names = FileManager.default.enumerator(atPath: place)?.compactMap { $0 as? String } ?? []
    for name in names where name.hasSuffix(".rollcall") {
      let log = name.hasPrefix("unbound/") ? "unbound" : String(name.dropLast(9))
      try Timeline(ofLogAt: "\(place)/\(name)").log
        .forEachRecord(in: 1...UInt64.max) { header, bytes in
          guard header.direction == .outbound else { return }
          let text = bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
          let numbers = text.matches(of: #/id='m([0-9]+)'/#).compactMap { Int($0.1) }
          found[log, default: []].formUnion(numbers)
        }
    }
    return found.filter { !$0.value.isEmpty }
  }
}

/// A stream through a proxy's machine, recorded without a network.
private struct RecordedStream {
  private var talk: ProxyTalk
  private let recording: ConnectionRecording
  private let domain: String
  private var time: Int64 = 1_763_600_000_000

  private static let sasl = "xmlns='urn:ietf:params:xml:ns:xmpp-sasl'"
  private static let bind = "xmlns='urn:ietf:params:xml:ns:xmpp-bind'"

  init(to domain: String, isInTLS: Bool, _ logs: AccountLogs) throws {
    self.domain = domain
    talk = isInTLS ? .secured(to: domain) : .plain(to: domain)
    recording = ConnectionRecording(logs)
  }

  mutating func say(_ text: String, _ side: ProxySide) throws {
    _ = talk.say(text, side)
    for action in talk.actions {
      time += 1
      switch action {
      case .record(let part, let side): _ = try recording.take(part, side.direction, at: time)
      case .note(let lifecycle): _ = try recording.note(lifecycle, at: time)
      case .connect, .send, .reportRefusal, .beginTLS, .derive, .finish: break
      }
    }
  }

  private mutating func logIn() throws {
    try say("<auth \(Self.sasl) mechanism='EXTERNAL'>=</auth>", .client)
    try say("<success \(Self.sasl)/>", .server)
    try say(ProxyTalk.header(domain), .client)
    try say(ProxyTalk.header(domain) + "<stream:features/>", .server)
  }

  mutating func bind(_ jid: String) throws {
    try logIn()
    try say("<iq type='set' id='b'><bind \(Self.bind)/></iq>", .client)
    try say(
      "<iq type='result' id='b'><bind \(Self.bind)><jid>\(jid)</jid></bind></iq>", .server)
  }

  mutating func bindBySASL2(_ jid: String) throws {
    try say("<authenticate xmlns='urn:xmpp:sasl:2' mechanism='EXTERNAL'/>", .client)
    try say(
      "<success xmlns='urn:xmpp:sasl:2'><authorization-identifier>\(jid)"
        + "</authorization-identifier><bound xmlns='urn:xmpp:bind:0'/></success>", .server)
  }

  mutating func resume(_ id: String) throws {
    try logIn()
    try say("<resume xmlns='urn:xmpp:sm:3' previd='\(id)' h='0'/>", .client)
    try say("<resumed xmlns='urn:xmpp:sm:3' previd='\(id)' h='0'/>", .server)
  }

  mutating func close() throws { try recording.close("lost", at: time + 1) }
}
