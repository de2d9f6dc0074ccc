import EventStore
import Foundation
import Rollcall
import RosterProxy
import TestSupport
import Testing
@testable import RosterClient

/// Clients as people run them, recorded on their way to a server.
///
/// Each logs in, fetches, adds, chats, is cut off, comes back, chats, and leaves. What was recorded
/// is what the server has stored, and what the client's own log comes to.
@Suite(
  "Real clients through the proxy", .serialized,
  .enabled(if: Servers.arePossible, "Prosody and ejabberd are needed"))
struct RealClientTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try LocalAuthority.make(in: folder.file("authority"), at: Date())
  }

  /// The program that records, in a process of its own as a person has it.
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

  /// Waits until something is so: far longer than any program takes. Looks are counted and not
  /// seconds, for where all tests run at once there may be minutes from one to the next.
  private func wait(
    for what: String, _ conversations: [Conversation], until isSo: () throws -> Bool
  ) async throws {
    for _ in 0..<6000 {
      if try isSo() { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw Tool.Failure(
      words: "no \(what): " + conversations.map(\.output).joined(separator: "\n").suffix(4000))
  }

  /// What is recorded of one direction, from a connection on.
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
    "It is recorded as the server and it itself have it", arguments: RealClient.allCases,
    Servers.allCases)
  func recorded(_ client: RealClient, _ kind: Servers) async throws {
    try await record(client, kind)
  }

  @Test(
    "Its login ends at the proxy, which logs in itself",
    arguments: RealClient.allCases.filter(\.takesAnyBinding))
  func terminated(_ client: RealClient) async throws {
    try await record(client, .prosody, terminates: true)
  }

  private func record(
    _ client: RealClient, _ kind: Servers, terminates: Bool = false
  ) async throws {
    // Which of them a machine has, its packages decide.
    guard client.isPossible else { try Test.cancel("\(client) is not installed") }
    let server = try kind.make()
    try await server.start()
    let friend = try await server.register("friend")
    try await server.register("alice").close()
    let recorder = try recorder(
      server, allowsPlain: terminates ? client.knowsPlainAlone : client.needsPlain(at: kind),
      terminates: terminates)
    try await wait(for: "proxy", [recorder]) { recorder.output.contains("connect to 127.0.0.1:") }
    let port = try #require(
      recorder.output.firstMatch(of: /connect to 127.0.0.1:([0-9]+)/).flatMap { Int($0.1) })
    let relay = try Relay(to: port)
    let place = RealClient.Place(
      account: try server.jid("alice").text, password: "pass of alice", port: relay.port,
      authority: LocalAuthority.certificatePath(in: folder.file("authority")),
      friend: try server.jid("friend").text, folder: try TemporaryFolder())
    let log = folder.file("logs/\(place.account).rollcall")
    let program = try client.run(place)
    let both = [recorder, program]

    try await wait(for: "session", both) { try said(log, .outbound).contains("<presence") }
    program.type(client.firstOrders(place))
    try await wait(for: "message", both) { try said(log, .outbound).contains(">hello<") }
    let (alice, other) = (try server.jid("alice"), try server.jid("friend"))
    while await friend.roster.incoming[alice] == nil {
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(try await friend.perform(.accept(alice)) == .result)
    try await wait(for: "friend", both) {
      try [.to, .both].contains(roster(log).item(other)?.subscription)
    }
    relay.cut()
    try await wait(for: "cut", both) { try !roster(log).isConnected }
    let (cut, back, end) = client.lastOrders(place)
    program.type(cut)
    // Who begins anew can be spoken with once it has said that it is there.
    try await wait(for: "second session", both) {
      guard !back.isEmpty else { return !program.isRunning }
      let isReady = try client.resumes || said(log, .outbound, from: 2).contains("<presence")
      let isListening = client.returnWord.map { program.output.contains($0) } ?? true
      return try isListening && isReady && roster(log).isConnected
    }
    program.type(back)
    try await wait(for: "second message", both) { try said(log, .outbound).contains(">back<") }
    program.type(end)
    try await wait(for: "end", both) { !program.isRunning }
    #expect(!recorder.output.contains("pass of alice"))
    recorder.interrupt()
    try await wait(for: "end of the proxy", both) { !recorder.isRunning }
    await friend.close()

    let recorded = try roster(log)
    #expect(contacts(recorded) == (try server.roster(of: "alice")))
    #expect(!recorded.isConnected)
    var resumptions = 0
    try Timeline(ofLogAt: log).replay(upTo: .head(minus: 0)) { moment, _ in
      if case .session(.resumed) = moment.event { resumptions += 1 }
    }
    #expect(resumptions == (client.resumes ? 1 : 0))
    try compare(recorded, client.log(place), log)
    try server.stop()
  }

  /// The client's own log comes to the same roster; and no credential is in ours.
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
