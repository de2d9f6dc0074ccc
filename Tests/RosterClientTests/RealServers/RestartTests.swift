import Rollcall
@testable import RosterClient
import TestSupport
import Testing

extension RealServerTests {
  /// Servers that are restarted.
  @Suite("Restarts")
  struct Restarts {
    @Test("Clients reconnect to a restarted server", arguments: Servers.allCases)
    func restart(_ kind: Servers) async throws {
      let server = try kind.make()
      try await server.start()
      let stage = try Stage(on: server)
      let (alice, bob) = (
        try await stage.session("alice", isNew: true), try await stage.session("bob", isNew: true)
      )
      try await alice.perform(.add(stage.jid("bob"), name: "Bob"))
      try await stage.agree(alice, bob)
      // Commands are pending while the server stops, and others are given while it is down.
      let early = try commands(alice, stage, 0..<40)
      try server.stop()
      let late = try commands(alice, stage, 40..<60)
      await stage.wait(for: alice, "not cut") { !$0.isConnected }
      await stage.wait(for: bob, "not cut") { !$0.isConnected }
      try await server.start()
      for command in early + late {
        let isOver = await stage.withTimeout { await command.value }
        #expect(isOver == true, "a command is neither answered nor given up")
      }
      await stage.wait(for: alice, "not back") { $0.isConnected }
      await stage.wait(for: bob, "not back") { $0.isConnected }
      try await alice.perform(.rename(stage.jid("bob"), to: "Robert"))
      try await stage.agree(alice, bob, after: "the restart")
      for session in [alice, bob] {
        await session.close()
        #expect(await session.failure == nil)
      }
      try server.stop()
    }

    /// Gives commands without waiting; each task returns true once its command is over.
    private func commands(
      _ session: LiveSession, _ stage: Stage, _ numbers: Range<Int>
    ) throws -> [Task<Bool, Never>] {
      try numbers.map { number in
        let jid = try stage.jid("contact\(number % 10)")
        let command = RosterCommand.add(jid, name: "N\(number)", groups: ["G\(number % 3)"])
        return Task {
          _ = try? await session.perform(command)
          return true
        }
      }
    }
  }
}
