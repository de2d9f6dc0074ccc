import Foundation
import Rollcall
@testable import RosterClient
import RosterCore
import TestSupport
import Testing

extension RealServerTests {
  /// The modules that `rollcall fleet tap` prints, if they write all: clients in browsers, a full
  /// spool, and a server that is killed.
  @Suite("Taps that write all")
  struct TapLossTests {
    private static let client = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "web_client.py").path(percentEncoded: false)

    @Test(
      "Sessions over WebSocket and BOSH, a full spool, and a killed server",
      .enabled(if: Tool.find("python3") != nil, "Python is needed"), arguments: Servers.allCases)
    func all(_ kind: Servers) async throws {
      let server = try kind.make(isQuiet: true, tap: TapOptions(what: "all", limit: 1))
      try await server.start()
      defer { try? server.stop() }
      let stage = try Stage(on: server)
      let alice = try await stage.session("alice", isNew: true)
      await (try await stage.session("web", isNew: true)).close()
      try await checkBrowsers(stage)
      try await checkLimit(alice, stage)
      try await checkKill(alice, stage)
      await alice.close()
    }

    private func checkBrowsers(_ stage: Stage) async throws {
      let web = try stage.jid("web")
      for transport in ["ws", "bosh"] {
        let contact = try stage.jid(transport)
        let run = try Tool.run(
          "python3",
          [
            Self.client, transport, "\(stage.server.webPort)", web.domain, web.local ?? "",
            "pass of web", contact.text,
          ])
        #expect(run.code == 0, "\(run.output)")
      }
      let session = ["opened", "closed"]
      let spool = try await stage.settledSpool { spool in
        spool.streams(of: web) == session + session + session ? nil : "a session has not ended"
      }
      #expect(!spool.lines.contains { $0["gap"] != nil })
      // Each session has one connection, also if it consists of many requests.
      let numbers = spool.lines.filter { $0["a"] as? String == web.text }
        .compactMap { $0["c"] as? Int }
      #expect(Set(numbers).count == 3)
      #expect(numbers == numbers.sorted())
      let ends = spool.lines.filter { $0["stream"] as? String == "closed" }
      #expect(ends.allSatisfy { $0["by"] as? String == "client" }, "\(ends)")
      for word in ["said over ws", "said over bosh", "<ping"] {
        #expect(spool.text.contains(word), "\(word)")
      }
      for secret in [
        "pass of", Data("\0\(web.local ?? "")\0pass of web".utf8).base64EncodedString(),
      ] {
        #expect(!spool.text.contains(secret))
      }
      try stage.checkSpooledRoster(of: "web")
    }

    /// Checks that nothing is written while the spool is full, and that what was lost is counted
    /// once it was moved away.
    private func checkLimit(_ alice: LiveSession, _ stage: Stage) async throws {
      let (server, web) = (stage.server, try stage.jid("web"))
      let text = String(repeating: "long ", count: 30_000)
      for _ in 0..<8 {
        await alice.send(
          Array("<message to='\(web)' type='headline'><body>\(text)</body></message>".utf8))
      }
      await alice.flush()
      let quiet = try await stage.settled {
        server.log.contains("lines are being lost") ? nil : "the loss is not logged"
      }
      #expect(quiet == nil)
      try await alice.perform(.add(web, name: "lost"))
      try await alice.ping()
      let size = try Spool(server.spool).text.utf8.count
      // What was being written when the limit was reached may exceed it.
      #expect((1 << 20..<3 << 20).contains(size), "\(size)")
      try FileManager.default.moveItem(
        atPath: server.spool, toPath: stage.folder.file("spool-before"))
      let account = try stage.jid("alice")
      var number = 0
      let spool = try await stage.settledSpool { spool in
        // ejabberd's module looks only every ten seconds whether there is room again.
        number += 1
        try await alice.perform(.rename(web, to: "found \(number)"))
        return spool.elements(of: account).contains { $0.contains("found") } ? nil : "not written"
      }
      #expect(!spool.text.contains("lost"))
      let gaps = spool.lines.compactMap { $0["gap"] as? Int }
      #expect(gaps.count == 1 && gaps.allSatisfy { $0 > 0 }, "\(gaps)")
    }

    /// Checks that a killed server leaves whole lines, and that a new segment begins when it is
    /// started again.
    private func checkKill(_ alice: LiveSession, _ stage: Stage) async throws {
      let (server, web) = (stage.server, try stage.jid("web"))
      let count = try Spool(server.spool).lines.count
      let talk = Task {
        var number = 0
        while !Task.isCancelled {
          number += 1
          await alice.send(
            Array("<message to='\(web)'><body>\(number)</body></message>".utf8))
          await alice.flush()
          if number.isMultiple(of: 50) { try? await alice.ping() }
        }
      }
      _ = try await stage.settledSpool { $0.lines.count > count + 100 ? nil : "not enough" }
      try server.kill()
      talk.cancel()
      let killed = try Spool(server.spool)
      // Only the last line may be incomplete.
      let texts = killed.text.split(separator: "\n")
      #expect(texts.count - killed.lines.count <= (killed.text.hasSuffix("\n") ? 0 : 1))
      await stage.wait(for: alice, "not cut") { !$0.isConnected }
      try await server.start()
      await stage.wait(for: alice, "not back") { $0.isConnected }
      let account = try stage.jid("alice")
      let spool = try await stage.settledSpool { spool in
        spool.streams(of: account).last == "opened" && spool.files.count > killed.files.count
          ? nil : "no second run"
      }
      #expect(spool.boots.count == 2)
      let numbers = spool.lines.compactMap { $0["segment"] as? Int }
      #expect(zip(numbers, numbers.dropFirst()).allSatisfy(<), "\(numbers)")
      // What was moved away has the beginning of the session that the server's end cut.
      let before = stage.folder.file("spool-before")
      for path in spool.files {
        let name = URL(filePath: path).lastPathComponent
        try FileManager.default.copyItem(atPath: path, toPath: "\(before)/\(name)")
      }
      let run = try Program("connections", before, "--account", account.text, "--json")
      #expect(run.code == 0, "\(run.errors)")
      let accounts = (try run.document)["accounts"] as? [NSDictionary] ?? []
      let connections = accounts.first?["connections"] as? [NSDictionary] ?? []
      let open = connections.filter { $0["end"] as? String == "open" }
      #expect(open.count == 1)
      let ended = connections.contains { $0["reason"] as? String == "the server ended" }
      #expect(ended)
    }
  }
}
