import Foundation
import Rollcall
import TestSupport
import Testing

/// The commands `connect` and `register`, against a real server.
@Suite(
  "Recording from the command line",
  .enabled(if: Prosody.isPossible, "Prosody, Lua and OpenSSL are needed"))
struct ConnectTests {
  private let server: Prosody
  private let folder: TemporaryFolder

  init() async throws {
    server = try Prosody()
    try await server.start()
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.file("a b é"), withIntermediateDirectories: false)
    try "pass of alice\n".write(toFile: path("pass"), atomically: true, encoding: .utf8)
  }

  private func path(_ name: String) -> String { folder.file("a b é/\(name)") }

  private func run(
    _ command: String, _ user: String, _ arguments: String..., password: String = "pass"
  ) throws -> Program {
    try Program(
      [
        command, "\(user)@\(server.domain)", "--server", "127.0.0.1:\(server.port)", "--authority",
        server.certificates.authority, "--password-file", password,
      ] + arguments, in: folder.file("a b é"))
  }

  @Test("An account is created, and its session recorded")
  func session() throws {
    let made = try run("register", "alice", "-o", "alice é.rollcall")
    #expect(made.code == 0, "\(made.errors)")
    #expect(made.output.contains("created the account alice@\(server.domain)"))
    let again = try run("register", "alice", "-o", "other.rollcall")
    #expect(again.code == 2)
    #expect(again.errors.contains("the name is taken"), "\(again.errors)")

    let bob = "bob@\(server.domain)"
    let session = try run(
      "connect", "alice", "-o", "alice é.rollcall", "--do", "add \(bob) name=Bob group=Work",
      "--do", "rename bob Robert", "--exit")
    #expect(session.code == 0, "\(session.errors)")
    #expect(session.output.contains("+ contact \(bob) “Bob” none in Work"), "\(session.output)")
    #expect(session.output.contains("~ \(bob) name “Bob” → “Robert”"))
    #expect(
      try server.roster(of: "alice")[bob]
        == StoredContact(name: "Robert", subscription: "none", isPending: true, groups: ["Work"]))
    let state = try Program(
      "state", "alice é.rollcall", "--json", in: folder.file("a b é"))
    let items = try #require(try state.document["items"] as? [NSDictionary])
    #expect(items.map { $0["name"] as? String } == ["Robert"])
    // A new device finds the contact that an order names, and keeps what the order does not change.
    let fresh = try run(
      "connect", "alice", "-o", "fresh.rollcall", "--do", "rename Robert Bert", "--do",
      "add \(bob) group=Friends", "--exit")
    #expect(fresh.code == 0, "\(fresh.errors)")
    #expect(
      try server.roster(of: "alice")[bob]
        == StoredContact(name: "Bert", subscription: "none", isPending: true, groups: ["Friends"]))
    let all = [made, again, session, fresh].map { $0.output + $0.errors }.joined()
    let log = try Data(contentsOf: URL(filePath: path("alice é.rollcall")))
    let secrets = ["pass of alice", Data("pass of alice".utf8).base64EncodedString()]
    for secret in secrets {
      #expect(!all.contains(secret))
      #expect(log.range(of: Data(secret.utf8)) == nil)
    }
  }

  @Test("A refused order exits with 1, a failed login with 2, and both say why")
  func refusals() throws {
    #expect(try run("register", "alice").code == 0)
    let refused = try run("connect", "alice", "--do", "accept nobody@example.test", "--exit")
    #expect(refused.code == 1)
    #expect(refused.errors.contains("accept nobody@example.test: "), "\(refused.errors)")
    try "another\n".write(toFile: path("wrong"), atomically: true, encoding: .utf8)
    let wrong = try run("connect", "alice", "--exit", password: "wrong")
    #expect(wrong.code == 2)
    #expect(wrong.errors.contains("refuses the name or the password"), "\(wrong.errors)")
    let untrusted = try Program(
      [
        "connect", "alice@\(server.domain)", "--server", "127.0.0.1:\(server.port)",
        "--password-file", "pass", "--exit",
      ], in: folder.file("a b é"))
    #expect(untrusted.code == 2)
    #expect(untrusted.errors.contains("certificate"), "\(untrusted.errors)")
    let other = try run("connect", "bob", "-o", "alice@\(server.domain).rollcall", "--exit")
    #expect(other.code == 2)
    #expect(other.errors.contains("is the log of alice@"), "\(other.errors)")
  }

  @Test("What a server refuses, or cannot be reached by, is named with the option that helps")
  func refusedLogins() throws {
    #expect(try run("register", "alice").code == 0)
    try "another\n".write(toFile: path("wrong"), atomically: true, encoding: .utf8)
    let (domain, certificates) = (server.domain, server.certificates)
    let (ours, key) = (certificates.authority, certificates.key)
    let port = "127.0.0.1:\(server.port)"
    let directPort = "127.0.0.1:\(server.directPort)"
    let rows: [(domain: String, server: [String], authority: String, password: String, String)] = [
      (domain, [port], ours, "wrong", "the server refuses the name or the password: “"),
      (
        "other.test", [port], ours, "pass",
        "the server ended the stream (host-unknown): “This server does not serve other.test”"
      ),
      (domain, [directPort], ours, "pass", "; if so, give --direct-tls"),
      (
        domain, [port, "--direct-tls"], ours, "pass",
        ": if the port expects STARTTLS, leave --direct-tls out"
      ),
      (
        domain, [port], key, "pass", "it has no certificate in PEM form (it begins with “-----BEGIN"
      ),
      (domain, [port], path("none"), "pass", "no authority can be read from \(path("none"))"),
    ]
    for (domain, server, authority, password, words) in rows {
      let run = try Program(
        ["connect", "alice@\(domain)", "--authority", authority, "--password-file", password]
          + ["--exit", "-o", "x.rollcall", "--server"] + server, in: folder.file("a b é"))
      #expect(run.code == 2 && run.errors.contains(words), "\(run.errors)")
      // The library's own words say nothing to a user.
      #expect(!run.errors.contains("NIO") && !run.errors.contains("BoringSSL"), "\(run.errors)")
    }
  }

  @Test("A login that fails before anything is recorded leaves no log, unless one was there")
  func noLog() throws {
    for command in ["connect", "register"] {
      let arguments = [
        command, "alice@\(server.domain)", "--server", "127.0.0.1:1", "--authority",
        server.certificates.authority, "--password-file", "pass", "-o", "new.rollcall",
      ]
      let run = try Program(arguments, in: folder.file("a b é"))
      #expect(run.code == 2 && run.errors.contains("cannot be reached"), "\(run.errors)")
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.file("a b é")) == ["pass"])
    }
    #expect(try run("register", "alice", "-o", "a.rollcall").code == 0)
    let away = try Program(
      [
        "connect", "alice@\(server.domain)", "--server", "127.0.0.1:1", "--authority",
        server.certificates.authority, "--password-file", "pass", "-o", "a.rollcall",
      ], in: folder.file("a b é"))
    #expect(away.code == 2)
    #expect(FileManager.default.fileExists(atPath: path("a.rollcall")))
  }

  @Test("Messages are sent, corrected and confirmed")
  func messages() async throws {
    #expect(try run("register", "alice").code == 0)
    #expect(try run("register", "bob").code == 0)
    let log = "alice@\(server.domain).rollcall"
    let bob = "bob@\(server.domain)"
    let friend = try await begin("bob", path("bob.rollcall"))
    try Data(SentMedia.picture).write(to: URL(filePath: path("gray.png")))
    let sent = try run(
      "connect", "alice", "--do", "add \(bob)", "--do", "message \(bob) hello bob", "--do",
      "correct \(bob) hello, Bob", "--do", "presence away", "--do", "send \(bob) gray.png", "--do",
      "card name=Alice", "--do", "avatar gray.png", "--exit")
    #expect(sent.code == 0, "\(sent.errors)")
    for line in [
      "asked to see the presence of \(bob)", "sent to \(bob)",
      "corrected the last message to \(bob)", "you are away",
      "uploaded \(SentMedia.picture.count) bytes to https://localhost:",
      "sent gray.png to \(bob)", "published your card", "published your picture",
    ] {
      #expect(sent.errors.contains(line), "\(sent.errors)")
    }
    let messages = try self.messages(in: log)
    #expect(messages.map { $0["body"] as? String } == ["hello, Bob", ""])
    #expect(messages.first?["edits"] as? [String] == ["hello bob"])
    #expect(messages.first?["state"] as? String == "acknowledged")
    let nothing = try run("connect", "alice", "--do", "read \(bob)", "--exit")
    #expect(nothing.code == 1)
    #expect(nothing.errors.contains("the log has no message from \(bob)"), "\(nothing.errors)")
    let alice = "alice@\(server.domain)"
    try await friend.says("\(alice) writes “hello bob”")
    try await friend.says("\(alice) corrects")
    for (order, reply) in [
      ("read \(alice)", "told \(alice) that you have read its messages"),
      ("accept \(alice)", "\(alice) sees your presence; asked to see theirs"),
      ("requests", "we ask"), ("why \(alice) --about friend", "Is it a friend?"),
      ("who", "no contact is online"), ("help accept", "accept WHO\n"),
      ("chat \(alice)", "hello, Bob"), ("acept bob", "did you mean “accept”?"),
    ] {
      friend.type([order + "\n"])
      try await friend.says(reply)
    }
    friend.type(["quit\n"])
    try await Wire.wait(for: "end") { !friend.isRunning }
    #expect(try self.messages(in: "bob.rollcall").map { $0["read"] as? Bool } == [true, true])
  }

  private func messages(in log: String) throws -> [NSDictionary] {
    let document = try Program("conversations", log, "--json", in: folder.file("a b é")).document
    let all = try #require(document["conversations"] as? [NSDictionary])
    return try #require(all.first?["messages"] as? [NSDictionary])
  }

  @Test("Records are printed as JSON, one per line")
  func machines() throws {
    #expect(try run("register", "alice").code == 0)
    let session = try run("connect", "alice", "--jsonl", "--exit")
    #expect(session.code == 0, "\(session.errors)")
    let lines = session.output.split(separator: "\n")
    #expect(lines.count > 1)
    for line in lines {
      #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is NSDictionary)
    }
  }

  /// Starts a session that runs until it is ended.
  private func begin(_ user: String, _ log: String) async throws -> Conversation {
    let session = try Conversation(
      Program.executable("rollcall-live"),
      [
        "connect", "\(user)@\(server.domain)", "--server", "127.0.0.1:\(server.port)",
        "--authority", server.certificates.authority, "--password-file", path("pass"), "-o", log,
      ])
    try await Wire.wait(for: "session") {
      session.output.contains("a session is bound") || !session.isRunning
    }
    #expect(session.isRunning, "\(session.output)")
    return session
  }

  private func endings(in log: String) throws -> Int {
    let story = try Program("log", log, "--json")
    return story.output.matches(of: /the recorder ended without a word/).count
  }

  @Test("A log in use is refused by name, and only a killed recorder counts as ended")
  func oneRecorder() async throws {
    #expect(try run("register", "alice", "-o", "a.rollcall").code == 0)
    let log = path("a.rollcall")
    let first = try await begin("alice", log)
    for command in ["connect", "register"] {
      let second = try run(command, "alice", "-o", "a.rollcall")
      #expect(second.code == 2)
      #expect(
        second.errors.contains("a.rollcall is being recorded to by process \(first.identifier) "),
        "\(second.errors)")
    }
    let state = try Program("state", log, "--json").document
    #expect(state["connected"] as? Bool == true)
    #expect(try Program("verify", log).code == 0)
    #expect(try Program("bookmark", log, "here").code == 0)
    #expect(try endings(in: log) == 0)
    #expect(first.isRunning)
    first.signal(SIGKILL)
    try await Wire.wait(for: "end") { !first.isRunning }
    for _ in 0..<2 { #expect(try run("connect", "alice", "-o", "a.rollcall", "--exit").code == 0) }
    #expect(try endings(in: log) == 1)
    #expect(try Program("verify", log).code == 0)
    #expect(!FileManager.default.fileExists(atPath: log + "-lease"))
  }

  @Test("If the folder is removed, the session ends and says so")
  func removedFolder() async throws {
    #expect(try run("register", "alice", "-o", "a.rollcall").code == 0)
    let own = path("sessions")
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: false)
    let session = try await begin("alice", own + "/a.rollcall")
    try FileManager.default.removeItem(atPath: own)
    session.type(["presence away\n"])
    try await Wire.wait(for: "end") { !session.isRunning }
    #expect(session.output.contains("a.rollcall was removed, moved or replaced"))
    #expect(session.code == 2)
  }
}

extension Conversation {
  /// Waits until the program has printed a text.
  fileprivate func says(_ text: String) async throws {
    try await Wire.wait(for: text) { output.contains(text) || !isRunning }
    #expect(output.contains(text), "\(output)")
  }
}
