import EventStore
import Foundation
import Rollcall
import RosterProxy
import TestSupport
import Testing
@testable import RosterClient

/// Real clients, recorded on their way to a server.
///
/// Each logs in, fetches the roster, adds a contact, chats, is cut off, returns, chats, and leaves.
/// The recording has to agree with the server's stored roster and with the client's own log.
@Suite(
  "Real clients through the proxy", .serialized,
  .enabled(if: Servers.arePossible, "Prosody and ejabberd are needed"))
struct RealClientTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try LocalAuthority.make(in: folder.file("authority"), at: Date())
  }

  /// The recording program, in a process of its own.
  private func recorder(
    _ server: any RealServer, allowsPlain: Bool, terminates: Bool
  ) throws -> Conversation {
    try "pass of alice\n".write(
      toFile: folder.file("password"), atomically: true, encoding: .utf8)
    let termination = ["--terminate-sasl", "--password-file", folder.file("password")]
    let words = [
      "record", "--listen", "127.0.0.1:0", "--upstream", "127.0.0.1:\(server.port)",
      "--upstream-authority", server.certificates.authority, "--authority",
      folder.file("authority"), "-o", folder.file("logs"),
    ]
    return try Conversation(
      Program.executable("rollcall-live"),
      words + (allowsPlain ? ["--allow-plain"] : []) + (terminates ? termination : []))
  }

  /// Polls until a condition is met, far longer than any program takes. Limited by attempts and not
  /// by time, because minutes may pass between two of them when all tests run at once.
  private func wait(
    for what: String, _ conversations: [Conversation], _ own: String? = nil,
    until condition: () throws -> Bool
  ) async throws {
    for _ in 0..<6000 {
      if try condition() { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    let said = conversations.map(\.output).joined(separator: "\n").suffix(4000)
    let log = own.flatMap { FileManager.default.contents(atPath: $0) } ?? Data()
    throw Tool.Failure(
      words: "no \(what): \(said)\nthe client's log ends with:\n"
        + String(decoding: log.suffix(8000), as: UTF8.self))
  }

  /// The recorded data of one direction, from a connection on.
  private func said(
    _ path: String, _ direction: RecordDirection, from connection: UInt32 = 1
  ) throws -> String {
    guard FileManager.default.fileExists(atPath: path) else { return "" }
    var text = ""
    try Timeline(ofLogAt: path).log.forEachRecord(in: 1...UInt64.max) { header, bytes in
      guard header.direction == direction, header.connection >= connection else { return }
      text += bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
    return text
  }

  private func roster(_ path: String) throws -> Roster {
    try Timeline(ofLogAt: path).state(at: .head(minus: 0)).roster
  }

  private func contacts(_ roster: Roster) -> [String: StoredContact] {
    Dictionary(
      uniqueKeysWithValues: roster.entries.values.map { ($0.item.jid.text, StoredContact($0.item)) }
    )
  }

  @Test(
    "The recording agrees with the server and with the client's own log",
    arguments: RealClient.allCases,
    Servers.allCases)
  func recorded(_ client: RealClient, _ kind: Servers) async throws {
    try await record(client, kind)
  }

  @Test(
    "The client logs in at the proxy, which logs in at the server",
    arguments: RealClient.allCases.filter(\.acceptsAnyBinding))
  func terminated(_ client: RealClient) async throws {
    try await record(client, .prosody, terminates: true)
  }

  private func record(
    _ client: RealClient, _ kind: Servers, terminates: Bool = false
  ) async throws {
    // The machine's packages decide which clients are installed.
    guard client.isPossible else { try Test.cancel("\(client) is not installed") }
    let server = try kind.make()
    try await server.start()
    let friend = try await server.register("friend")
    try await server.register("alice").close()
    let recorder = try recorder(
      server, allowsPlain: terminates ? client.onlySupportsPlain : client.needsPlain(at: kind),
      terminates: terminates)
    try await wait(for: "proxy", [recorder]) { recorder.output.contains("connect to 127.0.0.1:") }
    let port = try #require(
      recorder.output.firstMatch(of: /connect to 127.0.0.1:([0-9]+)/).flatMap { Int($0.1) })
    let relay = try Relay(to: port)
    let setup = RealClient.Setup(
      account: try server.jid("alice").text, password: "pass of alice", port: relay.port,
      authority: LocalAuthority.certificatePath(in: folder.file("authority")),
      friend: try server.jid("friend").text, folder: try TemporaryFolder())
    let log = folder.file("logs/\(setup.account).rollcall")
    let own = client.log(setup)
    let program = try client.run(setup)
    let both = [recorder, program]

    try await wait(for: "session", both, own) { try said(log, .outbound).contains("<presence") }
    program.type(client.firstInput(setup))
    try await wait(for: "message", both, own) { try said(log, .outbound).contains(">hello<") }
    let (alice, other) = (try server.jid("alice"), try server.jid("friend"))
    while await friend.roster.incoming[alice] == nil {
      try await Task.sleep(for: .milliseconds(20))
    }
    try await friend.perform(.accept(alice))
    try await wait(for: "friend", both, own) {
      try [.to, .both].contains(roster(log).item(other)?.subscription)
    }
    relay.cut()
    try await wait(for: "cut", both, own) { try !roster(log).isConnected }
    let (cut, back, end) = client.lastInput(setup)
    program.type(cut)
    // A client with a new session can be reached once it has sent presence.
    try await wait(for: "second session", both, own) {
      guard !back.isEmpty else { return !program.isRunning }
      let isReady = try client.resumes || said(log, .outbound, from: 2).contains("<presence")
      let isListening = client.reconnectedText.map { program.output.contains($0) } ?? true
      return try isListening && isReady && roster(log).isConnected
    }
    program.type(back)
    try await wait(for: "second message", both, own) { try said(log, .outbound).contains(">back<") }
    program.type(end)
    try await wait(for: "end", both, own) { !program.isRunning }
    #expect(!recorder.output.contains("pass of alice"))
    recorder.interrupt()
    try await wait(for: "end of the proxy", both, own) { !recorder.isRunning }
    await friend.close()

    let recorded = try roster(log)
    #expect(contacts(recorded) == (try server.roster(of: "alice")))
    #expect(!recorded.isConnected)
    var resumptions = 0
    try Timeline(ofLogAt: log).replay(upTo: .head(minus: 0)) { moment, _ in
      if case .session(.resumed) = moment.event { resumptions += 1 }
    }
    #expect(resumptions == (client.resumes ? 1 : 0))
    try compare(recorded, own, log)
    try server.stop()
  }

  /// The client's own log has the same roster, and our log contains no credential.
  private func compare(_ recorded: Roster, _ own: String, _ log: String) throws {
    let imported = folder.file("own.rollcall")
    let run = try Program("import", own, "-o", imported)
    #expect(run.code == 0, "\(run.errors)")
    #expect(try contacts(roster(imported)) == contacts(recorded))
    let secret = Data("pass of alice".utf8)
    let bytes = try Data(contentsOf: URL(filePath: log))
    let plain = Data(([0] + Array("alice".utf8) + [0] + secret)).base64EncodedData()
    for text in [secret, secret.base64EncodedData(), plain] {
      #expect(bytes.range(of: text) == nil)
    }
  }
}
