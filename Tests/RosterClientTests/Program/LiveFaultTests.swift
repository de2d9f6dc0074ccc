#if canImport(Attack)
  @testable import Attack
  import EventStore
  import Foundation
  import Rollcall
  @testable import RosterClient
  import TestSupport
  import Testing

  /// A live recording that is killed, or whose disk fails, at one call after another.
  ///
  /// What must hold: it neither crashes nor hangs; the log is sound and contains everything that
  /// the server received, because outgoing data is on disk first; it contains no credential; and
  /// the next session continues it and agrees with the server.
  /// `ROLLCALL_FAULTS=all` tests every call.
  @Suite(
    "Faults while a session is recorded", .serialized,
    .enabled(if: Prosody.isPossible, "Prosody, Lua and OpenSSL are needed"))
  struct LiveFaultTests {
    private let server: Prosody
    private let shim: Shim
    private let base: Scratch
    private let password: String

    init() async throws {
      server = try Prosody()
      try await server.start()
      shim = try Shim()
      base = try Scratch()
      password = base.file("password")
      try Data("\(Self.secret)\n".utf8).write(to: URL(filePath: password))
    }

    private static let secret = "qing-chun-7"

    private func login(_ user: String) throws -> LiveLogin {
      var login = try server.login(user)
      login.password = Password(Self.secret)
      return login
    }

    private struct Outcome {
      var run: Run
      var count: Shim.Count
      var user: String
      var folder: Scratch
      /// The ids of the requests that reached the server.
      var received: Set<String>

      var log: String { folder.file("a.rollcall") }
    }

    /// Records a session of a new account, in a folder of its own.
    private func record(_ user: String, _ fault: Shim.Fault) async throws -> Outcome {
      var login = try login(user)
      login.registers = true
      let maker = try LiveSession(login)
      try await maker.start()
      await maker.close()
      let folder = try Scratch()
      let before = server.log.utf8.count
      let program = try Program.executable("rollcall-live").path(percentEncoded: false)
      let orders = (1...4).flatMap {
        ["--do", "add friend\($0)@elsewhere.test name=\"Friend \($0)\""]
      }
      let (run, count) = try shim.run(
        program,
        [
          "connect", "\(user)@\(server.domain)", "-o", folder.file("a.rollcall"), "--server",
          "127.0.0.1:\(server.port)", "--authority", server.certificates.authority,
          "--password-file", password, "--exit",
        ] + orders, in: folder.path, fault)
      let news = String(decoding: server.log.utf8.dropFirst(before), as: UTF8.self)
      let received = news.matches(of: /Received\[c2s[a-z_]*\]: <[^>]* id='([^']+)'/).map {
        String($0.1)
      }
      return Outcome(run: run, count: count, user: user, folder: folder, received: Set(received))
    }

    /// The outgoing data in our log.
    private func recorded(_ log: String) throws -> String {
      guard FileManager.default.fileExists(atPath: log) else { return "" }
      let log = try EventLog.open(
        at: log, access: .readOnly, eventVersion: RecordReader.version)
      var text = ""
      try log.forEachRecord(in: 1...UInt64.max) { header, bytes in
        guard header.direction == .outbound else { return }
        text += bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
      }
      return text
    }

    private func judge(_ outcome: Outcome, _ what: Comment) async throws {
      let finding = Judge.look(at: outcome.log)
      if case .damaged = finding { Issue.record("\(what): \(finding)") }
      let recorded = try recorded(outcome.log)
      let unrecorded = outcome.received.filter {
        !recorded.contains("id=\"\($0)\"") && !recorded.contains("id='\($0)'")
      }
      #expect(unrecorded.isEmpty, what)
      let secret = Data(Self.secret.utf8)
      for name in try outcome.folder.names {
        let bytes = try Data(contentsOf: URL(filePath: outcome.folder.file(name)))
        #expect(bytes.range(of: secret) == nil, what)
        #expect(bytes.range(of: Data(secret.base64EncodedString().utf8)) == nil, what)
      }
      // The next session continues the log.
      let session = try LiveSession(login(outcome.user), recordingTo: outcome.log)
      try await session.start()
      try await session.ping()
      let items = await session.roster.entries.values.map(\.item)
      let own = Dictionary(uniqueKeysWithValues: items.map { ($0.jid.text, StoredContact($0)) })
      #expect(own == (try server.roster(of: outcome.user)), what)
      await session.close()
      if case .damaged(let damage) = Judge.look(at: outcome.log) {
        Issue.record("\(what), and then: \(damage)")
      }
    }

    /// The number of calls to fail: a dozen, or all of them.
    private func steps(_ calls: UInt32) -> UInt32 {
      let environment = ProcessInfo.processInfo.environment["ROLLCALL_FAULTS"]
      return environment == "all" ? calls : min(calls, 12)
    }

    private static let calls: Shim.Calls = [.disk, .opens, .maps]

    @Test("When killed at a call, it has recorded what the server received")
    func kills() async throws {
      var fault = Shim.Fault()
      fault.calls = .disk
      let whole = try await record("whole", fault)
      #expect(whole.run.ending == .exited(0), "\(whole.run.errors)")
      // A session's own requests, and the four orders.
      #expect(whole.received.count > 6 && whole.count.calls > 20)
      try await judge(whole, "no fault")
      fault.manner = .killed
      // Data that arrives together is written by one call, so runs differ in their number of calls:
      // the remaining steps are spread over the shortest run so far.
      var calls = whole.count.calls
      var killed = 0
      let steps = steps(calls)
      for step in 0..<steps {
        fault.at = 1 + calls * step / steps
        let outcome = try await record("killed\(step)", fault)
        let isReached = outcome.count.calls >= fault.at
        #expect(outcome.run.ending == (isReached ? .signalled(SIGKILL) : .exited(0)), "\(fault)")
        if isReached { killed += 1 } else { calls = outcome.count.calls }
        try await judge(outcome, "\(fault)")
      }
      #expect(killed >= 6)
    }

    @Test(
      "If a call fails, nothing unrecorded is sent, and the failure is reported",
      arguments: [
        (ENOSPC, true), (EIO, false),
      ])
    func failures(_ error: Int32, _ isPermanent: Bool) async throws {
      var fault = Shim.Fault()
      fault.calls = Self.calls
      let calls = try await record("counted\(error)", fault).count.calls
      (fault.error, fault.isPermanent) = (error, isPermanent)
      let steps = steps(calls)
      for step in 0..<steps {
        fault.at = 1 + calls * step / steps
        let outcome = try await record("failed\(error)at\(step)", fault)
        switch outcome.run.ending {
        case .exited(0): break
        case .exited(2):
          #expect(
            outcome.run.errors.contains("a.rollcall") || outcome.run.errors.contains("record"),
            "\(fault): \(outcome.run.errors)")
        case .exited, .signalled, .hung:
          Issue.record(
            "\(fault) (\(outcome.count.kind.words)): \(outcome.run.ending) \(outcome.run.errors)")
        }
        try await judge(outcome, "\(fault) (\(outcome.count.kind.words))")
      }
    }
  }
#endif
