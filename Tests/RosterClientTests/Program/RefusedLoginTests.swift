import Foundation
import Rollcall
import RosterProxy
import TestSupport
import Testing

/// What `connect` and `record` say if a real server refuses, or ends, what they ask for.
@Suite(
  "Refusals of real servers", .serialized, .timeLimit(.minutes(10)),
  .enabled(if: Servers.arePossible, "Prosody and ejabberd are needed"))
struct RefusedLoginTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for (name, words) in [("pass", "pass of alice\n"), ("wrong", "another\n")] {
      try words.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
    }
    try LocalAuthority.make(in: folder.file("authority"), at: Date())
  }

  private func login(
    _ command: String, _ jid: String, at server: [String], authority: String,
    password: String = "pass"
  ) -> [String] {
    [
      command, jid, "--authority", authority, "--password-file", folder.file(password), "-o",
      folder.file("\(command).rollcall"), "--server",
    ] + server
  }

  @Test("ejabberd refuses a password and a domain, and ends what does not fit its ports")
  func ejabberd() async throws {
    let server = try Ejabberd(isQuiet: true)
    try await server.start()
    let (jid, ours) = ("alice@\(server.domain)", server.certificates.authority)
    let (port, direct) = ("127.0.0.1:\(server.port)", "127.0.0.1:\(server.directPort)")
    let made = try Program(
      login("register", jid, at: [port], authority: ours), in: folder.path)
    #expect(made.code == 0, "\(made.errors)")
    let rows: [(jid: String, server: [String], password: String, words: String)] = [
      (jid, [port], "wrong", "the server refuses the name or the password"),
      ("alice@other.test", [port], "pass", "the server ended the stream (host-unknown"),
      (jid, [direct], "pass", "give --direct-tls"),
      (
        jid, [port, "--direct-tls"], "pass", "if the port expects STARTTLS, leave --direct-tls out"
      ),
    ]
    for row in rows {
      let run = try Program(
        login("connect", row.jid, at: row.server, authority: ours, password: row.password)
          + ["--exit"], in: folder.path)
      #expect(run.code == 2 && run.errors.contains(row.words), "\(run.errors)")
      // The library's own words say nothing to a user.
      #expect(!run.errors.contains("NIO") && !run.errors.contains("BoringSSL"), "\(run.errors)")
    }
    try server.stop()
  }

  /// The recorder of a server, and the port on which it waits for clients.
  private func recorder(of server: Prosody) async throws -> (Conversation, port: String) {
    let recorder = try Conversation(
      Program.executable("rollcall-live"),
      [
        "record", "--listen", "127.0.0.1:0", "--upstream", "127.0.0.1:\(server.port)",
        "--upstream-authority", server.certificates.authority, "--authority",
        folder.file("authority"), "-o", folder.file("logs"),
      ])
    try await Wire.wait(for: "recorder") { recorder.output.contains("connect to ") }
    let port = try #require(recorder.output.firstMatch(of: /connect to .*:([0-9]+)/)?.1)
    return (recorder, "127.0.0.1:\(port)")
  }

  private var recorderAuthority: String { folder.file("authority/authority.pem") }

  @Test("`record` says that the server's certificate has expired, and since when")
  func expired() async throws {
    let server = try Prosody(isQuiet: true, days: -1)
    try await server.start()
    let (recorder, port) = try await recorder(of: server)
    let run = try Program(
      login("connect", "alice@\(server.domain)", at: [port], authority: recorderAuthority)
        + ["--exit"], in: folder.path)
    #expect(run.code == 2, "\(run.errors)")
    try await Wire.wait(for: "end") { recorder.output.contains(" ended: ") }
    #expect(
      recorder.output.contains(/ended: the server's certificate expired on [0-9]{4}-[0-9]{2}/),
      "\(recorder.output)")
    #expect(!recorder.output.contains("root"), "\(recorder.output)")
    try server.stop()
  }

  @Test("`record` says that the connection to a killed server was lost")
  func killed() async throws {
    let server = try Prosody(isQuiet: true)
    try await server.start()
    let jid = "alice@\(server.domain)"
    let made = try Program(
      login(
        "register", jid, at: ["127.0.0.1:\(server.port)"], authority: server.certificates.authority),
      in: folder.path)
    #expect(made.code == 0, "\(made.errors)")
    let (recorder, port) = try await recorder(of: server)
    let client = try Conversation(
      Program.executable("rollcall-live"),
      login("connect", jid, at: [port], authority: recorderAuthority))
    let log = folder.file("logs/\(jid).rollcall")
    try await Wire.wait(for: "session") { FileManager.default.fileExists(atPath: log) }
    try server.kill()
    try await Wire.wait(for: "end") { recorder.output.contains(" ended: ") }
    #expect(
      recorder.output.contains("\(jid) ended: the connection to the server was lost"),
      "\(recorder.output)")
    client.interrupt()
  }
}
